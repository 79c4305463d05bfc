"""How much of the sizes a verdict covers. Everything starts cold, so a product of two 12 x 12 matrices is memory-bound:
true, and of no interest. Ranges that end while the data still fit the machine's last cache (or while a launch costs
more than the work) do not make a kernel memory-bound; gaps that end while the data fit its first cache do not save it;
and what begins beyond the evaluation point counts neither way."""

from __future__ import annotations

from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.machine.model import Machine
from roofscan.roofline.evaluation_point import EvaluationPoint
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.memory_bound_sizes import MemoryBoundSizes
from roofscan.symbolic.intervals import Range, complement, merge

ALWAYS, SOMETIMES, NEVER = "always", "sometimes", "never"


@dataclass(frozen=True)
class SizeRange:
    how: str  # ALWAYS, SOMETIMES or NEVER left of the ridge
    bound_sizes: MemoryBoundSizes | None = None  # for which sizes, if sizes are free; without ranges that do not matter


@dataclass(frozen=True)
class Scale:
    """Which positions on the diagonal are large or tiny for a machine."""

    evaluation: EvaluationPoint
    machine: Machine
    bandwidth: float | None

    def is_large(self, x: int | None) -> bool:
        if x is None:
            return True
        overhead = self.machine.launch_overhead
        if overhead is not None and self.bandwidth:
            return self._data(x) / self.bandwidth > overhead.value
        return self._data(x) > max(self._caches(), default=0)

    def is_tiny(self, x: int) -> bool:
        return self._data(x) <= min(self._caches(), default=0)

    def is_beyond(self, x: int) -> bool:
        return x > self.evaluation.position

    def _caches(self) -> list[int]:
        return [level.capacity for level in self.machine.levels if level.capacity]

    def _data(self, x: int) -> float:
        data = self.evaluation.data_at(x)
        return float("inf") if data is None else float(data)


def size_range_of(interface: InterfaceTraffic, evaluation: EvaluationPoint, machine: Machine) -> SizeRange:
    """How often the kernel is left of the ridge of an interface, among sizes that matter. Where it depends on a symbol
    that a user would hold (a batch, a tile), the answer is for that symbol: its value at the sample point means
    nothing."""
    held, main = interface.held, interface.diagonal
    if main is None:
        plain = ALWAYS if interface.bound == "memory" else NEVER
        return SizeRange(SOMETIMES, held) if held else SizeRange(plain)
    if held and held.ranges and held.ranges[0][0] > evaluation.position:  # no tile is larger than the data
        held = None
    size_range = among_sizes_that_matter(main, Scale(evaluation, machine, interface.bandwidth))
    return SizeRange(SOMETIMES, held) if held and size_range.how != SOMETIMES else size_range


def among_sizes_that_matter(bound_sizes: MemoryBoundSizes, scale: Scale) -> SizeRange:
    """An answer on the diagonal, with tiny gaps closed and without what ends too early or begins too late."""
    gaps = [gap for gap in complement(bound_sizes.ranges, bound_sizes.domain) if _does_not_count(gap, scale)]
    kept = tuple(
        (lo, hi)
        for lo, hi in merge([*bound_sizes.ranges, *gaps])
        if not scale.is_beyond(lo) and (hi == bound_sizes.domain[1] or scale.is_large(hi))
    )
    if not kept:
        return SizeRange(NEVER, replace(bound_sizes, ranges=()))
    return SizeRange(ALWAYS if kept == (bound_sizes.domain,) else SOMETIMES, replace(bound_sizes, ranges=kept))


def _does_not_count(gap: Range, scale: Scale) -> bool:
    lo, hi = gap
    return scale.is_beyond(lo) or (hi is not None and scale.is_tiny(hi))
