"""What a kernel asks of a machine at given sizes, in numbers: lines across each interface, pages, executions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from math import exp

from roofscan.cost.memory.base import ALONE, MemoryModel, Movement, Sharing, Traffic
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.tree import Access
from roofscan.ir.visitor import walk
from roofscan.machine.model import Level, Machine
from roofscan.roofline.interfaces import sharing_of
from roofscan.roofline.time.amount import Amount
from roofscan.roofline.time.lines import NOTHING, LineCounts, MovedBytes, table_pages
from roofscan.roofline.time.page_walks import PageWalk, page_walks
from roofscan.roofline.traffic_model import UNLIMITED
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import Expr, Number

L1_SHARE = 0.92  # of the nearest cache, what holds data before sets conflict
FIRST_WAYS = 128  # of the nearest cache: addresses within pages choose its sets, so that arrays fill them evenly
WAYS = 16
LAST_KEPT = (
    0.6  # of the last cache, what a walk over more data than fit finds again: it replaces lines nearly at random
)
LAST_SHARE = 0.5  # of the last cache, what holds tables that data index, beside those others: measured
NEAREST_LINES = 64  # of the smallest cache: what misses it are all accesses to a table
NEGLIGIBLE = 0.02
SOFT = (0.65, 0.88, 1.0, 1.17, 1.4)
"""Of the pages that the second table of translations holds, how many a walk may come back over before 10, 30, 50, 70
and 90 % of them miss. Measured on Zen 4, down columns of 2,000 to 6,000 rows."""
SHORT_RUN = 2  # lines side by side between two steps to other pages: measured, from four on they are fetched ahead
SMALL_LOOP_OPERATIONS = 2  # operations and loads of a loop so small that many iterations are under way at once


@dataclass(frozen=True)
class Demand:
    """At ``values``, which hold every symbol. ``moved_at`` gives what crosses the interface of a cache there,
    ``fetched_pages`` the pages that a table of translations misses that covers so many bytes, and what each array has
    of them; ``split``: threads on all cores run the iterations of parallel loops."""

    cost: KernelCost
    machine: Machine
    values: Mapping[str, Number]
    moved_at: Callable[[Sharing, int], MovedBytes]
    fetched_pages: Callable[[int], tuple[float, Mapping[str, Movement]]]
    split: bool = False

    def amount(self, expr: Expr) -> float:
        return Amount.of(float(number(expr, self.values)), lambda: expr)

    def crossing(self) -> Sequence[LineCounts]:
        """Lines into each cache, nearest first; none into a cache that holds all data of the kernel, unless cold."""
        sizes = [(level, level.capacity) for level in self.machine.levels if level.capacity]
        warm = list(accumulate((self._into(level, capacity) for level, capacity in sizes), _served))
        if not self.machine.cold:
            return warm
        return [self._cold(lines, level, c) for lines, (level, c) in zip(warm, sizes, strict=True)]

    def _cold(self, warm: LineCounts, level: Level, capacity: int) -> LineCounts:
        """With the first touches of lines that repeated calls find in the cache."""
        sharing = sharing_of(level, self.machine.cores) if self.split else ALONE
        assert self.cost.reuse is not None
        reuse = self.cost.reuse.among(sharing)
        moved = self.moved_at(sharing, capacity).total / reuse.line
        missing = min(1.0, (warm.load + warm.fill + warm.writeback) / moved) if moved else 1.0
        cold = self.moved_at(sharing, UNLIMITED)
        first = cold.lines(cold.total / reuse.line * (1 - missing))
        return LineCounts(warm.load + first.load, warm.fill + first.fill, warm.writeback)

    @property
    def first_pages(self) -> float:
        """The pages that a first call loads, and repeated calls find in the last cache."""
        [*_, last] = (level.capacity for level in self.machine.levels if level.capacity)
        if not self.machine.cold or self.footprint > last:
            return 0.0
        arrays = sum(array.role in ("parameter", "global") for array in self.cost.kernel.arrays)
        return self.footprint * (1.0 / self.machine.timing.page.value) + arrays / 2

    def _into(self, level: Level, capacity: int) -> LineCounts:
        sharing = sharing_of(level, self.machine.cores) if self.split else ALONE
        assert self.cost.reuse is not None
        reuse = self.cost.reuse.among(sharing)
        footprint = self.amount(reuse.footprint) / sharing.caches
        caches = [c for each in self.machine.levels if (c := each.capacity)]
        effective = int(capacity * L1_SHARE) if capacity == caches[0] else capacity
        if not footprint:
            return LineCounts(0.0, 0.0, 0.0)
        held = effective / footprint
        if capacity == caches[-1] != caches[0]:
            kept_share = LAST_KEPT * held
            missing = max(0.0, 1 - (0.0 if kept_share < NEGLIGIBLE else kept_share))
        else:
            missing = share_missing(held, FIRST_WAYS if capacity == caches[0] else WAYS)
        if missing < NEGLIGIBLE:
            return LineCounts(0.0, 0.0, 0.0)
        moved = self.moved_at(sharing, effective)
        shares = self._skipping if capacity == caches[0] else self._apart
        if not self._tables and not shares:
            return moved.lines(moved.total / reuse.line * missing)
        traffic = reuse.traffic(effective)
        every = sum(self._kinds(traffic.total)) or 1.0
        held_lines = effective * (LAST_SHARE if capacity == caches[-1] else 1.0) / reuse.line
        kept = self._kept(reuse, traffic, held_lines) if self._tables else {}
        parts = {a: self._kinds(movement) for a, movement in traffic.arrays.items()}
        gone = sum((1 - share) * sum(parts[a]) for a, share in kept.items())
        total = moved.total / reuse.line * (missing * (1 - gone / every))
        apart = sum(share * kept.get(a, 1.0) * sum(parts[a][:2]) for a, share in shares if a in parts)
        return replace(moved.lines(total), apart=total * apart / ((every - gone) or 1.0))

    @cached_property
    def _tables(self) -> frozenset[str]:
        """The arrays that data index."""
        found = (node for node in walk(self.cost.kernel.body) if isinstance(node, Access))
        return frozenset(self.cost.kernel.array(a.array).owner for a in found if not a.regular)

    def _kept(self, reuse: MemoryModel, traffic: Traffic, held: float) -> Mapping[str, float]:
        """Of the misses of each table at worst, those that come to pass if the data index it evenly."""
        touched, anew = reuse.traffic(NEAREST_LINES * reuse.line).arrays, reuse.traffic(UNLIMITED).arrays
        worst = {a: sum(self._kinds(movement)[:2]) for a, movement in traffic.arrays.items()}
        kept = {}
        for a in sorted(self._tables & worst.keys() & touched.keys() & anew.keys()):
            touches, lines = (sum(self._kinds(moved[a])[:2]) for moved in (touched, anew))
            if worst[a] and touches > lines > 0:
                beside = (sum(worst.values()) - worst[a]) / touches
                kept[a] = min(1.0, touches * share_absent(lines / reuse.line, beside, held) / worst[a])
        return kept

    @cached_property
    def _apart(self) -> Sequence[tuple[str, float]]:
        """The shares of the arrays' lines that no prefetcher expects: also those of short runs, which end before one
        follows."""
        reach = SHORT_RUN * self.cost.reuse.line if self.cost.reuse else 0
        runs = [{walk.array.owner: 1.0} for walk in self._page_walks if walk.covered <= reach]
        return _greatest([*(body.apart.shares for nest in self.cost.nests for body in nest.bodies), *runs])

    @cached_property
    def _skipping(self) -> Sequence[tuple[str, float]]:
        """The shares of the arrays' lines that walks leap to, over others, or data."""
        tables = dict.fromkeys(self._tables, 1.0)
        return _greatest([tables, *(body.apart.skipping for nest in self.cost.nests for body in nest.bodies)])

    def _kinds(self, moved: Movement) -> tuple[float, float, float]:
        point = self.cost.sample_point
        return (
            float(number(moved.load, point)),
            float(number(moved.fill, point)),
            float(number(moved.writeback, point)),
        )

    @cached_property
    def footprint(self) -> float:
        return self.amount(self.cost.reuse.footprint) if self.cost.reuse else 0.0

    def pages(self) -> tuple[float, float]:
        """The pages that miss in each table of translations. Unit-stride walks miss too rarely to matter; the price of
        lines that data choose holds the walks to them."""
        covered = list(table_pages(self.machine))
        if self.footprint <= covered[0] or not self._goes_far:
            return 0.0, 0.0
        first, _ = self.fetched_pages(covered[0])
        if self.footprint <= SOFT[0] * covered[1]:
            return first, 0.0
        second, arrays = self._fetched_by_second(covered[1])
        priced = second * self._of_tables(arrays)
        return first - priced, second - priced

    def _fetched_by_second(self, covered: int) -> tuple[float, Mapping[str, Movement]]:
        """Its sets fill unevenly, so that pages miss bit by bit: the mean over the capacities at which a fifth of them
        each begin to."""
        (least, _), (most, arrays) = (self.fetched_pages(int(share * covered)) for share in (SOFT[-1], SOFT[0]))
        if most <= least * (1 + NEGLIGIBLE):
            return least, arrays
        between = [self.fetched_pages(int(share * covered)) for share in SOFT[1:-1]]
        return (least + most + sum(pages for pages, _ in between)) / len(SOFT), arrays

    def _of_tables(self, arrays: Mapping[str, Movement]) -> float:
        """The share of what moves that is of arrays that data index."""
        if not self._tables:
            return 0.0
        moved = {name: sum(self._kinds(movement)[:2]) for name, movement in arrays.items()}
        return sum(moved.get(name, 0.0) for name in self._tables) / (sum(moved.values()) or 1.0)

    def most_pages(self) -> tuple[float, float]:
        """More pages than these cannot miss: between two touches of a page lie no more pages than lines between two
        touches of a line of it; nor more than the steps to other pages."""
        covered = list(table_pages(self.machine))
        if self.footprint <= covered[0] or not self._goes_far or self.cost.reuse is None:
            return 0.0, 0.0
        line, page = self.cost.reuse.line, self.machine.timing.page.value
        ends = covered[0], SOFT[0] * covered[1]
        first, second = (self.moved_at(ALONE, int(c * line / page)).total / line for c in ends)
        if not self._is_strided:
            first, second = (min(pages, sum(walk.steps for walk in self._page_walks)) for pages in (first, second))
        return first, second if self.footprint > SOFT[0] * covered[1] else 0.0

    @cached_property
    def _is_strided(self) -> bool:
        reasons = {reason for nest in self.cost.nests for b in nest.bodies for reason in b.scalar_reasons}
        return any(nest.strided_innermost for nest in self.cost.nests) or bool(reasons & {"stride", "gather"})

    @property
    def is_plain(self) -> bool:
        """Whether all accesses are to lines that a prefetcher expects, and to few pages at a time."""
        return not (self._goes_far or self._tables or self._apart or self._skipping)

    @property
    def _goes_far(self) -> bool:
        return self._is_strided or bool(self._page_walks)

    @cached_property
    def _page_walks(self) -> Sequence[PageWalk]:
        page, entries = self.machine.timing.page.value, self.machine.timing.tlb1_pages.value
        return tuple(page_walks(self.cost.kernel, self.values, page, entries))

    @cached_property
    def is_short(self) -> bool:
        """Whether all loops are so short that the window holds many iterations."""
        return all(
            b.loads + len(b.operations) <= SMALL_LOOP_OPERATIONS for nest in self.cost.nests for b in nest.bodies
        )


def _greatest(found: Sequence[Mapping[str, float]]) -> Sequence[tuple[str, float]]:
    return [(name, max(b.get(name, 0.0) for b in found)) for name in sorted({a for b in found for a in b})]


def _served(nearer: LineCounts, farther: LineCounts) -> LineCounts:
    """What a cache asks of the next: nothing, where it holds all (each thread its part, say)."""
    return farther if nearer.load or nearer.fill or nearer.writeback else NOTHING


def share_missing(held: float, ways: int) -> float:
    """Of the lines that a walk over all data comes back to, those that are gone where a cache of so many ways holds a
    share ``held`` of the data. Lines fall on sets as by chance, so a set has a Poisson number of them: it keeps them
    all if they are at most its ways, and else loses them all to the walk (Smith's model of associativity)."""
    mean, term, fewer = ways / held, exp(-ways / held), 0.0
    for k in range(ways):
        fewer += term
        term *= mean / (k + 1)
    return 1 - fewer


BISECTIONS = 30


def share_absent(lines: float, beside: float, held: float) -> float:
    """Of the accesses to a table that data index, and that fall evenly on so many lines, those whose line a cache of
    ``held`` lines has lost; ``beside``: lines of other data that come with an access. Without them it is 1 -
    held/lines."""
    low, high = 0.0, 32.0  # the accesses to a line in the time that the cache holds it
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        taken = lines * (1 - exp(-middle) + beside * middle)
        low, high = (middle, high) if taken < held else (low, middle)
    return exp(-low)
