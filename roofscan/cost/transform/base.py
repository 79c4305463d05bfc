"""A change to a kernel's loops is an object, made only where the change is legal. Its ``record`` in plain data is what
findings, caches and source fixes hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from roofscan.transformation import LoopRecord

if TYPE_CHECKING:
    from roofscan.ir.tree import Loop


def loop_records(loops: Iterable[Loop]) -> tuple[LoopRecord, ...]:
    """The records of loops; those of one line and name once."""
    return tuple(dict.fromkeys(LoopRecord(loop.source_name, loop.line) for loop in loops))
