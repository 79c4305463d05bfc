"""What a change to a kernel's loops is: an object that makes the changed kernel, and its record in plain data.

A transformation is made only where it is legal (``interchanges``, ``legal_tilings``, ``expression_fusions``, …).
Its record names loops as the source does, so that findings, caches and source fixes can hold it without the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from roofscan.ir.kernel import Kernel, Loop

TransformationKind = Literal["interchange", "tile", "fuse_expression", "fuse_loops", "fuse_passes"]


@dataclass(frozen=True)
class LoopRecord:
    """A loop as the source names it; without a name, the loop of a whole-array operation."""

    name: str
    line: int


@dataclass(frozen=True)
class TransformationRecord:
    kind: TransformationKind
    loops: tuple[LoopRecord, ...]  # that it changes, in the order of the source
    order: tuple[str, ...] = ()  # interchange: the loops, outermost first
    size: int | None = None  # tile: iterations of a block
    around: LoopRecord | None = None  # tile: the loop that the loop over blocks is placed outside of
    arrays: tuple[str, ...] = ()  # fuse: the temporaries that go, or the arrays that are streamed once

    @property
    def line(self) -> int:
        """The first line that changes."""
        return min((loop.line for loop in self.loops), default=0)


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
