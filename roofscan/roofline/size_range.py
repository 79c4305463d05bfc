"""How much of the sizes a verdict covers, leaving out sizes about which nobody would act.

Everything starts cold, so a product of two 12 x 12 matrices is memory-bound: true, and of no interest.
Ranges that end while the data still fit the machine's last cache (or, on an accelerator, while a launch costs
more than the work) do not make a kernel memory-bound; gaps that end while the data fit its first cache do not
save it; and what begins beyond a computer's memory is no matter either way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from roofscan.cost.sample_point import WORKING_SET
from roofscan.machine.model import Machine
from roofscan.roofline.evaluation_point import EvaluationPoint
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.memory_bound_sizes import Solved
from roofscan.symbolic.intervals import Range, complement, merge

ALWAYS, SOMETIMES, NEVER = "always", "sometimes", "never"


@dataclass(frozen=True)
class SizeRange:
    how: str  # ALWAYS, SOMETIMES or NEVER left of the ridge
    solved: Solved | None = None  # for which sizes, if sizes are free; without ranges that do not matter


@dataclass(frozen=True)
class Scale:
    """Which positions on the diagonal are large or tiny for a machine."""

    stand: EvaluationPoint
    machine: Machine
    bandwidth: float | None

    def is_large(self, x: int) -> bool:
        overhead = self.machine.launch_overhead
        if overhead is not None and self.bandwidth:
            return self._data(x) / self.bandwidth > overhead.value
        return self._data(x) > max(self._caches(), default=0)

    def is_tiny(self, x: int) -> bool:
        return self._data(x) <= min(self._caches(), default=0)

    def is_beyond(self, x: int) -> bool:
        return self._data(x) > WORKING_SET

    def _caches(self) -> list[int]:
        return [level.capacity for level in self.machine.levels if level.capacity]

    def _data(self, x: int) -> float:
        data = self.stand.data_at(x)
        return float("inf") if data is None else float(data)


def size_range_of(crossing: InterfaceTraffic, stand: EvaluationPoint, machine: Machine) -> SizeRange:
    """How often the kernel is left of the ridge of an interface, among sizes that matter.

    Where it depends on a symbol that a user would hold (a batch, a tile), that is what is told: the number at
    which the witness holds it means nothing.
    """
    held, main = crossing.held, crossing.together
    if main is None:
        plain = ALWAYS if crossing.bound == "memory" else NEVER
        return SizeRange(SOMETIMES, held) if held else SizeRange(plain)
    extent = among_sizes_that_matter(main, Scale(stand, machine, crossing.interface.bandwidth))
    return SizeRange(SOMETIMES, held) if held and extent.how != SOMETIMES else extent


def among_sizes_that_matter(solved: Solved, scale: Scale) -> SizeRange:
    """An answer on the diagonal, with tiny gaps closed and without what ends too early or begins too late."""
    gaps = [gap for gap in complement(solved.ranges, solved.asked) if _does_not_count(gap, scale)]
    kept = tuple(
        (lo, hi)
        for lo, hi in merge([*solved.ranges, *gaps])
        if not scale.is_beyond(lo) and (hi is None or scale.is_large(hi))
    )
    if not kept:
        return SizeRange(NEVER, replace(solved, ranges=()))
    return SizeRange(ALWAYS if kept == (solved.asked,) else SOMETIMES, replace(solved, ranges=kept))


def _does_not_count(gap: Range, scale: Scale) -> bool:
    lo, hi = gap
    return scale.is_beyond(lo) or (hi is not None and scale.is_tiny(hi))
