"""What a change to a kernel's loops is: an object, made only where the change is legal, that makes the changed kernel;
and its record in plain data, which findings, caches and source fixes hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from roofscan.transformation import LoopRecord, TransformationRecord

if TYPE_CHECKING:
    from roofscan.ir.kernel import Kernel
    from roofscan.ir.tree import Loop


class Transformation(Protocol):
    """A legal change to the loops of one kernel."""

    @property
    def record(self) -> TransformationRecord:
        """What it is, in plain data."""

    def is_legal(self, kernel: Kernel) -> bool:
        """Whether it may be applied to a kernel."""

    def apply(self, kernel: Kernel) -> Kernel:
        """The changed kernel."""


def loop_records(loops: Iterable[Loop]) -> tuple[LoopRecord, ...]:
    """The records of loops; those of one line and name once."""
    return tuple(dict.fromkeys(LoopRecord(loop.source_name, loop.line) for loop in loops))
