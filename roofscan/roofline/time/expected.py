"""The expected time of a call, from the time of the core, of the transfers, of translations and of starts.

    T = max(nests, pipes + nearest transfers + first-table misses, beside + all transfers)
        + walks + exposed + starts + call

The transfers of all levels add up and overlap with chains and divisions; loads, stores and arithmetic do not overlap
with the transfers from the second cache (the ECM model: Hofmann et al., arXiv:1509.03118), and with those from memory
as far as was measured (`beside`: the rest, over what a plain stream takes, which the prices of lines hold). Walks hide
where the core waits for a chain or the divider, and in part where it waits for conflicts in the nearest cache. Code
that is slower than memory keeps few loads under way, so that the prefetcher's stop at each page is exposed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from roofscan.cost.result import NestCost
from roofscan.frozen import dataclass
from roofscan.ir.visitor import counts_at_worst, loops, outermost_loops
from roofscan.machine.model import Machine
from roofscan.machine.timing import line_price
from roofscan.roofline.target import ExecutionTarget
from roofscan.roofline.time.balance import imbalance
from roofscan.roofline.time.call import call_seconds
from roofscan.roofline.time.conflicts import conflict_time
from roofscan.roofline.time.core_time import CoreTime, nest_time
from roofscan.roofline.time.demand import Demand
from roofscan.roofline.time.library_functions import library_times
from roofscan.roofline.time.lines import LineCounts, transfer_times, walk_times
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.time.statements import cycles_by_line, statement_cycles
from roofscan.symbolic.expr import NotEvaluable

EXPOSED_FROM, EXPOSED_RANGE = 0.9, 0.3
"""From which ratio of core to memory time on memory is exposed, and over which further ratio in full. Empirical."""

AT_ONCE = 12  # lines from memory that are under way where many are independent
NEGLIGIBLE = 0.02  # of the time of core and transfers, what translations may take without being looked at
MATTERS = 0.25  # likewise, without being known

HIDDEN = 0.5
"""The share of walks during which the core waits for conflicts anyway: all of them on Zen 5, none on Redwood Cove."""

BOUND = {"walk": 3.0 / 4.7, "store": 0.7, "issue": 2.0}
"""The best figures, as shares of the middle ones: they make the bound."""


@dataclass(frozen=True)
class ExpectedTime:
    """The parts of the expected time, in seconds."""

    demand: Demand
    machine: Machine
    target: ExecutionTarget
    translated: bool = True  # whether address translations take time: the pages are what takes long to find
    even: bool = False  # whether iterations fill vectors and threads, as they do at some sizes

    @cached_property
    def cores(self) -> int:
        return self.machine.cores if self.target.scope == "socket" else 1

    @cached_property
    def nests(self) -> tuple[CoreTime, ...]:
        """Of the slowest core."""
        kernel, amount = self.demand.cost.kernel, self.demand.amount
        fastmath, setups, functions = kernel.decorator.fastmath, cycles_by_line(kernel), library_times(kernel)
        return tuple(
            nest_time(n, self.machine, amount, fastmath, self.even, setups, functions).times(self._share(n))
            for n in self.demand.cost.nests
        )

    def _share(self, nest: NestCost) -> float:
        """Of the work of a nest, what the slowest core has."""
        return self._slowest.get(nest.line, 1.0) / self.cores if nest.parallel else 1.0

    @cached_property
    def _slowest(self) -> Mapping[int, float]:
        """Of the split nests by line, its work over the mean."""
        tops = (
            outermost_loops(self.demand.cost.kernel.body)
            if self.cores > 1 and self.target.split and not self.even
            else ()
        )
        split = ((top, loop) for top in tops for loop in loops((top,)) if loop.parallel and not loop.array_expression)
        return {top.line: imbalance(loop, self.demand.values, self.cores) for top, loop in split}

    @cached_property
    def transfers(self) -> Mapping[str, float]:
        return transfer_times(self.machine, self._crossing, self.cores)

    @cached_property
    def _crossing(self) -> Sequence[LineCounts]:
        return self.demand.crossing()

    @cached_property
    def walks(self) -> tuple[float, float]:
        if not self.translated or not self._walks_exceed(NEGLIGIBLE):
            return 0.0, 0.0
        pages = self._pages
        if pages is None:
            return 0.0, 0.0
        first, second = walk_times(self.machine, pages)
        return first / self.cores, second / self.cores

    @cached_property
    def _pages(self) -> tuple[float, float] | None:
        """None where they are not known, and matter little."""
        try:
            return self.demand.pages()
        except NotEvaluable:
            if self._walks_exceed(MATTERS):
                raise
            return None

    def _walks_exceed(self, share: float) -> bool:
        """Whether translations may take more than a share of what all else takes."""
        pipes = sum(nest.pipes for nest in self.nests) / self.cores
        return self._most_walks > share * max(self.core, pipes, sum(self.transfers.values()))

    @cached_property
    def _most_walks(self) -> float:
        first, second = self.demand.most_pages()
        timing = self.machine.timing
        return (first * timing.tlb1.value + second * timing.walk.value) / self.cores

    @cached_property
    def starts(self) -> float:
        timing, clock = self.machine.timing, self.machine.clock
        cycles = sum(
            self.demand.amount(s.entries) * (timing.start_vector if s.vector else timing.start_scalar).value
            for nest in self.demand.cost.nests
            for s in nest.starts
        )
        of_statements = statement_cycles(self.demand.cost.kernel, self.demand.amount)
        return (cycles / self.cores + of_statements) / clock.value

    @cached_property
    def call(self) -> float:
        cost = self.demand.cost
        return call_seconds(cost.kernel, cost.nests, self.machine, self.demand.amount)

    @cached_property
    def _conflicts(self) -> float:
        return conflict_time(self.demand.cost, self.machine, self.demand.amount) / self.cores

    @property
    def core(self) -> float:
        return sum(nest.seconds for nest in self.nests)

    @property
    def exposed(self) -> float:
        memory = self.transfers.get(self.machine.levels[-1].name, 0.0)
        waits = sum(nest.waits for nest in self.nests)
        if not memory or self.demand.is_short:
            return 0.0
        share = self.machine.timing.exposed.value
        return memory * share * min(1.0, max(0.0, (waits / memory - EXPOSED_FROM) / EXPOSED_RANGE))

    @property
    def _first_pages(self) -> float:
        """At each page the prefetcher starts anew: its first line takes the whole latency."""
        apart = line_price(self.machine.levels[-1]).apart
        return self.demand.first_pages * (AT_ONCE * apart / self.cores) if self.machine.cold else 0.0

    @property
    def least_without_traffic(self) -> float:
        """What a call takes wherever its data are."""
        pipes = sum(nest.pipes for nest in self.nests)
        return float(max(self.core, pipes) + self.starts)

    @property
    def between(self) -> tuple[float, float]:
        """The least and the most that the loops of a call can take, without the pages that take long to find: if
        translations are free and no lines conflict, and if translations take all that they may."""
        pipes = sum(nest.pipes for nest in self.nests)
        moving = sum(self.transfers.values())
        near = pipes + next(iter(self.transfers.values()), 0.0)
        least = max(self.core, near, self._beside(pipes) + moving) + self.exposed + self._first_pages + self.starts
        return float(least), float(least + self._conflicts + self._most_walks)

    def most(self, lines: Sequence[float]) -> float | None:
        """More than :attr:`between`, where no more lines than these cross into each cache, nearest first: its traffic
        need not be known. None where translations, or lines that no prefetcher expects, may take more."""
        if self.cores > 1 or self.machine.cold or not self.demand.is_plain:
            return None
        prices = [max(p.load, p.fill, p.writeback) for p in map(line_price, self.machine.levels[1:])]
        rises = (max(0.0, price - nearer) for nearer, price in pairwise((0.0, *prices)))
        moving = sum(rise * number for rise, number in zip(rises, lines, strict=True))
        waits = sum(nest.waits for nest in self.nests)
        exposed = min(lines[-1] * prices[-1], waits / EXPOSED_FROM) * self.machine.timing.exposed.value
        return self.least_without_traffic + float(moving + exposed + self._conflicts)

    @cached_property
    def prediction(self) -> TimePrediction:
        pipes = sum(nest.pipes for nest in self.nests)
        conflicts = max(0.0, self._conflicts - HIDDEN * self.walks[1])
        nearest = next(iter(self.transfers.values()), 0.0) + conflicts
        beside = self._beside(pipes)
        every, near = beside + conflicts + sum(self.transfers.values()), pipes + nearest + self.walks[0]
        longest = max(self.core, near, every)
        parts = self._core_parts() if longest == self.core else {}
        if longest == near != self.core:
            parts = {**self._core_parts(pipes), self.machine.levels[1].name: nearest, "tlb": self.walks[0]}
        elif longest == every != self.core:
            parts = {**self._core_parts(beside), **self.transfers, self.machine.levels[1].name: nearest}
        memory = self.machine.levels[-1].name
        waiting = max(0.0, self.core - pipes) if longest == self.core else 0.0
        further = {
            "tlb": max(0.0, self.walks[1] - waiting),
            memory: self.exposed + self._first_pages,
            "start": self.starts,
            "call": self.call,
        }
        for name, seconds in further.items():
            parts[name] = parts.get(name, 0.0) + seconds
        total = sum(parts.values())
        shares = {name: seconds / float(total) for name, seconds in parts.items() if seconds}
        known = not self._walks_exceed(NEGLIGIBLE) or (self.translated and self._pages is not None)
        left_out = 0.0 if known else self._most_walks / float(total)
        bounds = {name: min(total, least) for name, least in self._bounds().items()}
        calibrated = self.machine.timing.measured
        return TimePrediction(total, max(bounds.values()), shares, calibrated, left_out, each_least=bounds)

    def _beside(self, pipes: float) -> float:
        """The time of loads, stores and arithmetic that no transfer from memory hides."""
        beyond = [lines.load + lines.fill for lines in self._crossing[1:]] or [0.0]
        second, memory = beyond[0], beyond[-1]
        shown = pipes * memory / second - memory * self.machine.timing.load.value / self.cores if memory else 0.0
        return max(0.0, shown) * (1 - self.machine.timing.overlap.value)

    def _core_parts(self, seconds: float | None = None) -> dict[str, float]:
        """The time of the core by what holds each nest."""
        parts: dict[str, float] = {}
        for nest in self.nests:
            parts[nest.resource] = parts.get(nest.resource, 0.0) + nest.seconds
        whole = sum(parts.values())
        scale = 1.0 if seconds is None or not whole else seconds / whole
        return {name: part * scale for name, part in parts.items()}

    def _bounds(self) -> dict[str, float]:
        """What each resource needs with its best figures; of lines that may be fewer nothing is known."""
        by_nest = max((nest.least / BOUND["issue"] for nest in self.nests), default=0.0)
        if self.demand.cost.reuse is None or counts_at_worst(self.demand.cost.kernel):
            return {"core": by_nest}
        levels = {name: seconds * BOUND["store"] for name, seconds in self.transfers.items()}
        return {"core": by_nest, **levels, "tlb": self.walks[1] * BOUND["walk"]}
