"""Records of reuse: those of the whole kernel, and the contributions of one loop while it is scanned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.tree.nodes import Buffer
from roofscan.cost.memory.lru.tree.sampled_expr import Num, total, value_of
from roofscan.ir.kinds import TouchKind

Cell = tuple[int, int]
"""A loop and the stratum of its iterations."""


class BudgetSpent(Exception):
    """An attempt takes too much work; ``may_retry``: fewer strata may take less."""

    def __init__(self, may_retry: bool) -> None:
        super().__init__()
        self.may_retry = may_retry


@dataclass(frozen=True)
class ReuseRecord:
    """Lines touched again, over the whole kernel, with their reuse distances (in lines)."""

    buffer: Buffer
    place: str
    line: int
    iterations_back: int
    kind: TouchKind  # "touch" or "write"
    interval: DistanceInterval
    fill: Num  # share of these touches that are writes
    origin: tuple[object, ...] = ()  # equal for the records of one reuse in all strata
    cells: tuple[Cell, ...] = ()


@dataclass
class ReuseContribution:
    """The lines that a child touches again after one source, in an execution of the loop: ``times`` iterations with the
    same intervals."""

    iterations_back: int
    times: Num
    lost: Num  # lines of iterations that have no source
    intervals: list[DistanceInterval]  # of one iteration
    fill: Num
    share: Num
    child: int | None  # the number of the child in its loop; None: the loop itself
    pair: tuple[int, int] = (0, 0)  # source and child
    stratum: int | None = None
    extra: Num = 0  # lines added when the accumulator is closed

    @property
    def lines(self) -> Num:
        return total(r.lines for r in self.intervals) * self.times + self.extra

    def whole(self) -> list[DistanceInterval]:
        """The intervals of all iterations; the extra lines go to the one with the most lines."""
        intervals = [replace(r, lines=r.lines * self.times) for r in self.intervals]
        if self.extra:
            most = max(range(len(intervals)), key=lambda n: value_of(intervals[n].lines))
            intervals[most] = replace(intervals[most], lines=intervals[most].lines + self.extra)
        return intervals


@dataclass(frozen=True)
class MemoEntry:
    """The contributions of a loop, shared by all loops of its canonical form."""

    contributions: list[ReuseContribution]
    buffers: tuple[Buffer, ...]
    averaged: bool

    def names(self, buffers: Sequence[Buffer]) -> dict[str, str]:
        """The names of arrays that change where ``buffers`` replace these."""
        return {a.owner: b.owner for a, b in zip(self.buffers, buffers) if a.owner != b.owner}


@dataclass
class ReuseAccumulator:
    """The contributions of one loop and one buffer, until they add up to its footprint."""

    entered: list[Num] = field(default_factory=list)
    contributions: list[ReuseContribution] = field(default_factory=list)
