"""The time of a core: the operations, loads and stores of each nest, its divisions, and the chains it waits for. Vector
code is held by the slowest of three resources: arithmetic, loads, stores. Scalar code is held by the number of
operations that a core issues, whatever they are. Divisions and square roots share a unit of their own. Chains of
dependent operations overlap as far as the out-of-order window reaches: a chain of U operations that starts again in an
outer loop takes U/(U + 2S) of its latency, with a window of S operations (Karkhanis and Smith, ISCA 2004)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import log2

from roofscan.cost.result import BodyWork, Chain, NestCost
from roofscan.ir.kernel import FLOP_WEIGHT
from roofscan.ir.kinds import INTEGER_POWER, OperationKind, PrecisionName, ScalarReason
from roofscan.machine.functions import seconds_of
from roofscan.machine.model import Machine
from roofscan.machine.ridge import rates_for
from roofscan.roofline.roof import chain_cycles
from roofscan.symbolic.expr import Expr

Amount = Callable[[Expr], float]  # the value of an expression at the sizes in question
TEST_OPERATIONS = 4  # scalar operations of a test for a negative subscript
LINES_STORED = 1  # lines that stores go to in a cycle
LOOP_OPERATIONS = 0.25  # scalar operations an iteration for the loop itself, which is unrolled
SURPRISE = 0.125  # of the guesses that independent draws would make wrong, those that data do: they are seldom random

_DIVIDER: Mapping[OperationKind, tuple[str, int]] = {"div": ("div", 1), "sqrt": ("sqrt", 1), "complex_div": ("div", 2)}
_IN_MEMORY: Set[ScalarReason] = {"index test", "division"}
_NO_TIME: tuple[OperationKind, ...] = ("neg", "abs", "convert", "special", *_DIVIDER)


@dataclass(frozen=True)
class CoreTime:
    """Seconds of one nest on one core: what takes longest, and what it is."""

    seconds: float
    resource: str
    pipes: float  # loads, stores and arithmetic alone, which overlap with transfers between levels
    waits: float  # scalar code or a chain: time in which few loads are under way
    least: float  # seconds, were the integer exponents that are not known 1

    def times(self, share: float) -> CoreTime:
        if share == 1.0:
            return self
        return CoreTime(self.seconds * share, self.resource, self.pipes * share, self.waits * share, self.least * share)


def nest_time(nest: NestCost, machine: Machine, amount: Amount, fastmath: bool) -> CoreTime:
    if nest.library:
        return _library_time(nest, machine, amount)
    entries = {start.loop: amount(start.entries) for start in nest.starts}
    work = _Work(machine, amount, fastmath)
    for body in nest.bodies:
        work.add(body, entries.get(body.loop, 1.0))
    chain = _chains_time(nest, machine, amount)
    pipes = work.vector + work.scalar + work.functions + work.guesses
    resources = {"divider": work.divider, "chain": chain + work.guesses, work.main: pipes}
    resource = max(resources, key=lambda name: resources[name])
    waits = max(work.scalar + work.functions + work.guesses, chain)
    least = max(work.divider, chain + work.guesses, pipes - work.powers)
    return CoreTime(resources[resource], resource, pipes, waits, least)


def _library_time(nest: NestCost, machine: Machine, amount: Amount) -> CoreTime:
    """A BLAS-like call runs at the rate of fused multiply-adds."""
    flops: dict[PrecisionName, float] = {}
    for (kind, precision), count in nest.operations.items():
        flops[precision] = flops.get(precision, 0.0) + FLOP_WEIGHT.get(kind, 0) * amount(count)
    seconds = sum(n / rates_for(machine, precision, "core").fma.value for precision, n in flops.items())
    return CoreTime(seconds, "vector", seconds, 0.0, seconds)


class _Work:
    """The seconds of the bodies of a nest, by resource."""

    def __init__(self, machine: Machine, amount: Amount, fastmath: bool) -> None:
        self._machine, self._amount, self._fastmath = machine, amount, fastmath
        self.vector = self.scalar = self.functions = self.divider = self.guesses = self.powers = 0.0
        self._issue_bound = 0.0

    @property
    def main(self) -> str:
        """What most of the time of the pipes goes to."""
        parts = {"vector": self.vector, "scalar": self.scalar + self.guesses, "function": self.functions}
        most = max(parts, key=lambda name: parts[name])
        return "issue" if most == "scalar" and self._issue_bound > self.scalar / 2 else most

    def add(self, body: BodyWork, entries: float) -> None:
        executions = self._amount(body.executions)
        if body.scalar_because is None:
            rest = self._rest(body, executions, entries)
            self.vector += self._vector(body, executions) * (1 - rest)
            self.scalar += max(self._scalar(body, executions)) * rest
        else:
            units, issue = self._scalar(body, executions)
            self.scalar += max(units, issue)
            self._issue_bound += issue if issue > units else 0.0
        self._add_slow(body, executions)

    def _rest(self, body: BodyWork, executions: float, entries: float) -> float:
        """The share of the iterations that fill no vector: they run in scalar code."""
        trips = executions / entries if entries else 0.0
        width = lanes(self._machine, body)
        left = trips % width if trips == int(trips) else (width - 1) / 2
        return min(1.0, left / trips) if trips else 0.0

    def _vector(self, body: BodyWork, executions: float) -> float:
        timing = self._machine.timing
        return max(
            sum(n / rates_for(self._machine, p, "core").plain.value for p, n in self._arithmetic(body)),
            executions * body.load_bytes / 64 * timing.load.value,
            executions * body.store_bytes / 64 * timing.store.value,
        )

    def _scalar(self, body: BodyWork, executions: float) -> tuple[float, float]:
        """Seconds of the arithmetic units, and of issuing all operations."""
        arithmetic = list(self._arithmetic(body))
        clock = self._machine.clock.value
        units = sum(n / rates_for(self._machine, p, "core", scalar=True).plain.value for p, n in arithmetic)
        stores = executions * body.lines_stored / LINES_STORED / clock
        others = body.loads + body.stores + TEST_OPERATIONS * body.index_tests + LOOP_OPERATIONS
        issued = sum(n for _, n in arithmetic) + executions * others
        return max(units, stores), issued / (self._machine.timing.issue.value * clock)

    def _add_slow(self, body: BodyWork, executions: float) -> None:
        """Divisions, functions, and branches that are guessed wrong."""
        timing, clock = self._machine.timing, self._machine.clock.value
        for (kind, precision), count in body.operations.items():
            if kind in _DIVIDER:
                rates = rates_for(self._machine, precision, "core", scalar=body.scalar_because is not None)
                name, times = _DIVIDER[kind]
                self.divider += self._amount(count) * times / rates.rate(name).value
        for (function, precision), count in body.functions.items():
            seconds = self._amount(count) * seconds_of(self._machine, function, precision)
            self.functions += seconds
            self.powers += seconds if function == INTEGER_POWER else 0.0
        self.divider += executions * body.integer_divisions * timing.integer_division.value / clock
        if body.branch_share is not None and (share := self._amount(body.branch_share)):
            wrong = SURPRISE * min(share, 1 - share)
            self.guesses += executions / share * wrong * timing.mispredict.value / clock

    def _arithmetic(self, body: BodyWork) -> Iterator[tuple[PrecisionName, float]]:
        """Operations of the adders and multipliers. Numba fuses multiply-adds under fastmath alone."""
        counts: dict[PrecisionName, dict[OperationKind, float]] = {}
        for (kind, precision), count in body.operations.items():
            if kind not in _NO_TIME:
                counts.setdefault(precision, {})[kind] = self._amount(count)
        for precision, kinds in counts.items():
            fused = min(kinds.get("mul", 0.0), kinds.get("add", 0.0) + kinds.get("sub", 0.0)) if self._fastmath else 0.0
            yield precision, sum(kinds.values()) - fused


def lanes(machine: Machine, body: BodyWork) -> int:
    """Elements of a vector: the widest type of the loop says."""
    accesses = body.loads + body.stores
    size = (body.load_bytes + body.store_bytes) / accesses if accesses else 8
    wide, narrow = rates_for(machine, "fp64", "core"), rates_for(machine, "fp64", "core", scalar=True)
    doubles = 2 ** max(0, round(log2(wide.plain.value / narrow.plain.value)))
    return max(1, int(doubles * 8 / size))


def _chains_time(nest: NestCost, machine: Machine, amount: Amount) -> float:
    """Chains of one loop run side by side, those of several loops one after the other: where they start again in the
    same loop, they are one to the window. Chains of a loop that is unrolled into vector code run in all lanes."""
    slowest: dict[str, tuple[float, float, float]] = {}
    own = {body.loop: body.scalar_reasons for body in nest.bodies}
    width = max((lanes(machine, body) for body in nest.bodies if body.scalar_because is None), default=1)
    for chain in nest.chains:
        iterations = amount(chain.iterations)
        if chain.reorderable or not iterations:
            continue
        runs = amount(chain.runs) if chain.runs is not None else 1.0
        latency = iterations * _turn_cycles(chain, own.get(chain.loop, ()), machine) / machine.clock.value
        found = latency / (1 if chain.loop in own else width), sum(chain.kinds.values()) * iterations / runs, runs
        slowest[chain.loop] = max(slowest.get(chain.loop, found), found)
    by_runs: dict[float, list[tuple[float, float, float]]] = {}
    for found in slowest.values():
        by_runs.setdefault(found[2], []).append(found)
    return sum(_overlapping(together, runs, machine) for runs, together in by_runs.items())


def _overlapping(chains: Sequence[tuple[float, float, float]], runs: float, machine: Machine) -> float:
    latency, length = sum(c[0] for c in chains), sum(c[1] for c in chains)
    return latency if runs <= 1 else latency * length / (length + 2 * machine.timing.window.value)


def _turn_cycles(chain: Chain, reasons: Sequence[ScalarReason], machine: Machine) -> float:
    """Of an iteration. Elements of arrays pass through memory, unless LLVM forwards them in registers: it does not
    where the loop may end with an exception, or where it tests their subscripts."""
    through_memory = chain.reloaded or (chain.moves and not _IN_MEMORY.isdisjoint(reasons))
    return chain_cycles(chain, machine) + (machine.timing.forward.value if through_memory else 0.0)
