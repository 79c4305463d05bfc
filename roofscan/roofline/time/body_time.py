"""The time of the bodies of loops. Vector code is held by the slowest of three resources: arithmetic, loads, stores.
Scalar code is held by the number of operations that a core issues, whatever they are, or by its stores. Divisions and
square roots share a unit of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from math import log2

from roofscan.cost.compiled.numpy_loops import ROOT, function_cycles
from roofscan.cost.result import BodyWork
from roofscan.frozen import dataclass
from roofscan.ir.kinds import OperationKind, PrecisionName
from roofscan.machine.functions import least_share, plain_name, seconds_of
from roofscan.machine.model import Machine
from roofscan.machine.ridge import rates_for
from roofscan.machine.schema import PRECISION_BITS
from roofscan.symbolic.expr import Expr

Amount = Callable[[Expr], float]  # the value of an expression at the sizes in question
LINES_STORED = 1  # lines that stores go to in a cycle
LOOP_OPERATIONS = 0.25  # scalar operations per iteration for the loop itself, which is unrolled
LEARNED = 10_000  # wrong guesses of a call that the next on the same data makes right: from random data on Zen 5
ALL_MASKS = 512  # bits of vectors that have masks for elements of all sizes: those of AVX-512
EPILOGUE = 16  # from so many lanes on, LLVM does the rest with half as many (its epilogue-vectorization-minimum-VF)
SURPRISE = 0.125  # of the guesses that independent draws would make wrong, those that data do: they are seldom random


@dataclass(frozen=True)
class IntegerTime:
    """Seconds of the integer work of a loop, in vector and in scalar code, and how many operations there are."""

    vector: float = 0.0
    scalar: float = 0.0
    products: float = 0.0  # of scalar code
    divider: float = 0.0
    guesses: float = 0.0
    operations: float = 0.0

    def __add__(self, other: IntegerTime) -> IntegerTime:
        return IntegerTime(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(IntegerTime)))


NO_INTEGER_TIME = IntegerTime()

_DIVIDER: Mapping[OperationKind, tuple[str, int]] = {"div": ("div", 1), "sqrt": ("sqrt", 1), "complex_div": ("div", 2)}
_NO_TIME: tuple[OperationKind, ...] = ("neg", "abs", "special", *_DIVIDER)


@dataclass(frozen=True)
class BodyTime:
    """Seconds by resource, of the bodies of one loop or of several one after the other."""

    vector: float = 0.0
    scalar: float = 0.0
    issue: float = 0.0  # of those, where the number of operations is the limit
    functions: float = 0.0
    uncertain: float = 0.0  # of those, what arguments may save
    guesses: float = 0.0
    divider: float = 0.0
    arithmetic: float = 0.0  # how many operations there are
    operations: float = 0.0  # and loads and stores with them

    def __add__(self, other: BodyTime) -> BodyTime:
        return BodyTime(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(BodyTime)))

    @property
    def pipes(self) -> float:
        return self.vector + self.scalar + self.functions + self.guesses

    @property
    def main(self) -> str:
        """What most of the time of the pipes goes to."""
        parts = {"vector": self.vector, "scalar": self.scalar + self.guesses, "function": self.functions}
        most = max(parts, key=lambda name: parts[name])
        return "issue" if most == "scalar" and self.issue > self.scalar / 2 else most


@dataclass(frozen=True)
class Bodies:
    """The bodies of a kernel on a core."""

    machine: Machine
    amount: Amount
    fastmath: bool
    even: bool = False  # iterations fill vectors

    def time(self, body: BodyWork, entries: float, integers: IntegerTime = NO_INTEGER_TIME) -> BodyTime:
        """Of all executions in ``entries`` runs of the loop. ``integers``: what the loop does besides."""
        executions = self.amount(body.executions)
        units, issue = self._scalar(body, executions)
        units, issue = max(units, integers.products), issue + integers.scalar
        is_scalar = is_scalar_code(self.machine, body)
        width = 1 if is_scalar else lanes(self.machine, body)
        epilogue = width // 2 if width >= EPILOGUE else width
        rest = self._rest(min(width, EPILOGUE), executions, entries)
        functions, uncertain = self._functions(body)
        arithmetic = sum(map(self.amount, body.operations.values()))
        return BodyTime(
            vector=self._vector(body, executions, integers.vector) * (1 - rest) if rest < 1 else 0.0,
            scalar=max(units, issue) * rest,
            issue=issue if issue > units and is_scalar else 0.0,
            functions=functions,
            uncertain=uncertain,
            guesses=self._guesses(body, executions) + integers.guesses * is_scalar,
            divider=self._divider(body, executions, self._rest(epilogue, executions, entries)) + integers.divider,
            arithmetic=arithmetic + integers.operations,
            operations=arithmetic + integers.operations + executions * (body.loads + body.stores),
        )

    def _rest(self, width: int, executions: float, entries: float) -> float:
        """The share of the iterations that fill no vector of that width: they run in scalar code."""
        if width == 1:
            return 1.0
        trips = executions / entries if entries and not self.even else 0.0
        left = trips % width if trips == int(trips) else (width - 1) / 2
        return min(1.0, left / trips) if trips else 0.0

    def _vector(self, body: BodyWork, executions: float, integers: float) -> float:
        timing, every = self.machine.timing, self._over_all(body)
        gathers = executions * every * body.held_in_branch / self.machine.clock.value
        return max(
            every * (self._arithmetic(body, False) + executions * self._conversions(body)) + integers + gathers,
            executions * body.load_bytes / 64 * timing.load.value,
            executions * body.store_bytes / 64 * timing.store.value,
            self._masked(body, executions),
            executions * (body.numpy_cycles or 0.0) / self.machine.clock.value,
        )

    def _over_all(self, body: BodyWork) -> float:
        """Iterations of vector code over those that reach the body: all compute it."""
        reached = self.amount(body.reached)
        return 1 / reached if reached else 1.0

    def _masked(self, body: BodyWork, executions: float) -> float:
        """Of stores under masks, which all iterations make. What runs in all of them is spread over them."""
        if body.masks is None or not body.masks.stored or not (share := self.amount(body.masks.share)):
            return 0.0
        return executions / share * body.masks.stored / 64 * self.machine.timing.store_masked.value

    def _conversions(self, body: BodyWork) -> float:
        """Of one execution. Integers of 64 bits take several operations where vectors have none for it (AVX2)."""
        others = (body.conversions - body.long_conversions) / self._plain()
        return others + body.long_conversions * self.machine.timing.convert_long.value / self.machine.clock.value

    def _scalar(self, body: BodyWork, executions: float) -> tuple[float, float]:
        """Seconds of the slowest arithmetic unit, and of issuing all operations; of these, elements that are gathered
        or scattered take a cycle each, and so do lines stored."""
        clock = self.machine.clock.value
        stores = executions * max(body.lines_stored / LINES_STORED, body.gathered) / clock
        timing, whole = self.machine.timing, body.conversions - body.short_conversions
        converted = executions * (whole * timing.convert.value + body.short_conversions * timing.convert_short.value)
        others = body.loads + body.stores + body.test_operations + LOOP_OPERATIONS
        issued = sum(sum(self._kinds(kinds)) for _, kinds in self._counts(body)) + executions * others
        return self._arithmetic(body, True), max(stores, (converted + issued / timing.issue.value) / clock)

    def _arithmetic(self, body: BodyWork, scalar: bool) -> float:
        """Of the adders and multipliers. Where all their units do either, ``alone`` is 1."""
        seconds, alone = 0.0, self.machine.timing.alone.value
        for precision, kinds in self._counts(body):
            each = self._kinds(kinds)
            rate = rates_for(self.machine, precision, "core", scalar=scalar).plain.value
            seconds += max(sum(each), max(each) / alone) / rate
        return seconds

    def _plain(self) -> float:
        return rates_for(self.machine, "fp64", "core").plain.value

    def _kinds(self, counts: Mapping[OperationKind, float]) -> tuple[float, float, float]:
        """Multiplications, sums, others. Numba fuses multiplications with sums under fastmath alone."""
        products, sums = counts.get("mul", 0.0), counts.get("add", 0.0) + counts.get("sub", 0.0)
        fused = min(products, sums) if self.fastmath else 0.0
        return products, sums - fused, sum(counts.values()) - products - sums

    def _counts(self, body: BodyWork) -> Iterator[tuple[PrecisionName, Mapping[OperationKind, float]]]:
        counts: dict[PrecisionName, dict[OperationKind, float]] = {}
        for (kind, precision), count in body.operations.items():
            if kind not in _NO_TIME:
                counts.setdefault(precision, {})[kind] = self.amount(count)
        return iter(counts.items())

    def _functions(self, body: BodyWork) -> tuple[float, float]:
        """Of all calls; and what of it the arguments may save."""
        calls = [(f, self.amount(n) * self._seconds_of(body, f, p)) for (f, p), n in body.functions.items()]
        return sum(seconds for _, seconds in calls), sum(s * (1 - least_share(f)) for f, s in calls)

    def _seconds_of(self, body: BodyWork, function: str, precision: PrecisionName) -> float:
        """Of a call of a function, or of an element that NumPy applies it to."""
        cycles = None
        if body.numpy_cycles is not None:
            cycles = function_cycles(plain_name(function), precision, self.machine.vector_bits)
        return seconds_of(self.machine, function, precision) if cycles is None else cycles / self.machine.clock.value

    def _divider(self, body: BodyWork, executions: float, rest: float) -> float:
        """``rest``: the share of iterations that run in scalar code."""
        clock = self.machine.clock.value
        seconds = executions * body.integer_divisions * self.machine.timing.integer_division.value / clock
        for (kind, precision), count in body.operations.items():
            if kind in _DIVIDER:
                name, times = _DIVIDER[kind]
                vector, scalar = (
                    rates_for(self.machine, precision, "core", scalar=s).rate(name) for s in (False, True)
                )
                in_vectors = (1 - rest) * self._over_all(body)
                if kind == "sqrt" and precision == "fp64" and body.numpy_cycles is not None:
                    in_vectors *= ROOT
                seconds += self.amount(count) * times * (in_vectors / vector.value + rest / scalar.value)
        return seconds

    def _guesses(self, body: BodyWork, executions: float) -> float:
        """Of branches that are mispredicted: a core remembers how those of a short call went."""
        decided = body.branch_share or (body.masks and is_scalar_code(self.machine, body) and body.masks.guessed)
        if not decided or not (share := self.amount(decided)):
            return 0.0
        return seconds_of_guesses(self.machine, executions / share, share)


def seconds_of_guesses(machine: Machine, decisions: float, share: float) -> float:
    """Of branches of which so many go one way."""
    wrong = decisions * min(share, 1 - share) - (0 if machine.cold else LEARNED)
    return max(0.0, SURPRISE * wrong) * machine.timing.mispredict.value / machine.clock.value


def is_scalar_code(machine: Machine, body: BodyWork) -> bool:
    without_masks = body.masks is not None and body.masks.needed and machine.vector_bits < ALL_MASKS
    return body.scalar_because is not None or without_masks


def lanes(machine: Machine, body: BodyWork) -> int:
    """Elements of a vector: the widest type of the loop says."""
    accesses = body.loads + body.stores
    of_accesses = (body.load_bytes + body.store_bytes) / accesses if accesses else 8
    size = max([of_accesses, *(PRECISION_BITS[precision] / 8 for _, precision in body.operations)])
    wide, narrow = rates_for(machine, "fp64", "core"), rates_for(machine, "fp64", "core", scalar=True)
    doubles = 2 ** max(0, round(log2(wide.plain.value / narrow.plain.value)))
    return max(1, int(doubles * 8 / size))
