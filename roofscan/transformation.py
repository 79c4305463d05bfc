"""A change to the loops of a kernel in plain data. It names loops as the source does; a source fix finds them there
again. Standard library only, so that findings and caches can hold it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from roofscan.frozen import dataclass

TransformationKind = Literal["interchange", "tile", "fuse_expression", "fuse_loops", "fuse_passes"]


@dataclass(frozen=True)
class LoopRecord:
    """A loop as the source names it; without a name, the loop of a whole-array operation."""

    name: str
    line: int


@dataclass(frozen=True)
class TransformationRecord:
    """What changes; :mod:`roofscan.cost.transform` has the objects that make the change."""

    kind: TransformationKind
    loops: tuple[LoopRecord, ...]  # that change, in the order of the source
    order: tuple[str, ...] = ()  # interchange: the loops, outermost first
    size: int | None = None  # tile: iterations of a block
    around: LoopRecord | None = None  # tile: the loop that the loop over blocks is placed outside of
    arrays: tuple[str, ...] = ()  # fuse: the temporaries that go, or the arrays that are streamed once

    @property
    def line(self) -> int:
        """The first line that changes."""
        return min((loop.line for loop in self.loops), default=0)

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of all loops that it names."""
        return tuple(loop.line for loop in (*self.loops, *((self.around,) if self.around else ())))

    def moved(self, lines: int) -> TransformationRecord:
        """The same in a source where its loops stand so many lines further down."""
        loops = tuple(replace(loop, line=loop.line + lines) for loop in self.loops)
        around = self.around and replace(self.around, line=self.around.line + lines)
        return replace(self, loops=loops, around=around)
