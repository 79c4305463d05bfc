"""How the intensity at each level of a machine follows the sizes, as numbers: curves and their steps.

The kernel is costed anew at some forty sizes, most of them beside steps. Within a regime (between two sizes at
which the same quotient holds) the curve is that quotient; where the budget ends before a change is narrowed down,
it is a straight line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt

from roofscan.ir.expr import Expr, NotEvaluable, Number
from roofscan.report.chart import SCOPES, Recost
from roofscan.report.figures import ratio_value
from roofscan.report.model import KernelReport, LevelReport, Ratio

BUDGET = 40  # re-costings
GRID = 13  # of them, spread evenly over the decades
CHANGE = 0.03  # two quotients that differ by more at a size are different regimes
NARROW = 1.02  # a step known to this factor is drawn as one
DENSE = 1.15  # factor between two drawn sizes of a regime
SMALLEST_SIZE = 8  # a tile starts at 1
_HELD = ("size", "tile")  # the kinds of symbols that stay while others grow


@dataclass(frozen=True)
class Step:
    """Where the intensity jumps: ``last`` and ``first`` are the sizes on its two sides, one apart if exact.

    ``overflow``: the intensity falls because some reuse fits the cache on one side and not on the other.
    """

    last: int
    first: int
    before: float  # FLOP/byte
    after: float
    overflow: bool

    @property
    def exact(self) -> bool:
        return self.first == self.last + 1


@dataclass(frozen=True)
class Curve:
    """One interface: the level that serves it and the capacity in bytes of the cache that it fills."""

    name: str
    capacity: int
    ridge: float | None  # FLOP/byte
    statuses: tuple[str, ...]  # of the traffic, those that occur: exact, estimate, ...
    runs: tuple[tuple[tuple[int, float], ...], ...]  # (size, FLOP/byte); between runs nothing is known
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class IntensityPanel:
    """The chart of one kernel on one machine."""

    kernel: str
    machine: str
    scope: str
    precision: str
    symbols: tuple[str, ...]  # what grows, all with one value
    held: tuple[tuple[str, Number], ...]  # the other symbols that are sizes
    curves: tuple[Curve, ...]  # nearest level first


def intensity_panel(report: KernelReport, recost: Recost, symbol: str | None = None) -> IntensityPanel:
    """Intensity at every level against ``symbol``, or against all free sizes together.

    ValueError, with the remedy, where there is no such free symbol or no intensity to show.
    """
    symbols = _symbols(report, symbol)
    survey = _Survey(report, symbols, recost)
    names = [(level.name, level.capacity) for level in report.levels]
    curves = [survey.curve(number, name, capacity) for number, (name, capacity) in enumerate(names)]
    if not any(curve.runs for curve in curves) or report.machine is None:
        raise ValueError(f"{report.cost.kernel.name} has no arithmetic intensity to show; use --format text")
    return IntensityPanel(
        kernel=report.cost.kernel.name,
        machine=report.machine.name,
        scope=SCOPES.get(report.scope, report.scope),
        precision=report.precision or "",
        symbols=symbols,
        held=survey.held,
        curves=tuple(curve for curve in curves if curve.runs),
    )


def _symbols(report: KernelReport, symbol: str | None) -> tuple[str, ...]:
    """The symbols that the chart runs along."""
    kernel, free = report.cost.kernel, report.cost.free
    if kernel.unsupported:
        raise ValueError(f"{kernel.name} is outside the model; --format text says why")
    whole = [s for s in kernel.symbols if s.kind in (*_HELD, "int") and s.name in free]
    if symbol is None:
        sizes = tuple(s.name for s in whole if s.kind == "size")
        if not sizes:
            raise ValueError(f"{kernel.name} has no free size to draw along; take it out of --bind")
        return sizes
    if symbol not in {s.name for s in whole}:
        there = ", ".join(s.name for s in whole) or "none"
        raise ValueError(f"--chart-symbol: {kernel.name} has no free size of that name; free are: {there}")
    return (symbol,)


class _Survey:
    """The kernel costed at sizes chosen so that every step lies between two neighbours."""

    def __init__(self, report: KernelReport, symbols: tuple[str, ...], recost: Recost) -> None:
        self._report, self._symbols, self._recost = report, symbols, recost
        self.held = self._others()
        self._at: dict[int, KernelReport] = {}
        for size in self._grid():
            self._sample(size)
        while len(self._at) < BUDGET:
            telling = self._next()
            if telling is None:
                break
            self._sample(telling)

    def curve(self, number: int, name: str, capacity: int) -> Curve:
        """What was found at the level of this number."""
        levels = [(size, level) for size in sorted(self._at) if (level := self._level(size, number))]
        statuses = {level.fused_status or level.traffic.status for _, level in levels}
        ridges = [level.ridge for _, level in levels]
        return Curve(
            name=name,
            capacity=capacity,
            ridge=ridges[-1] if ridges else None,
            statuses=tuple(sorted(statuses)),
            runs=tuple(self._runs(number)),
            steps=tuple(self._steps(number)),
        )

    def _others(self) -> tuple[tuple[str, Number], ...]:
        """The values of sizes and tiles that stay as they are."""
        cost = self._report.cost
        names = [s.name for s in cost.kernel.symbols if s.kind in _HELD and s.name not in self._symbols]
        return tuple((name, cost.witness[name]) for name in names)

    def _grid(self) -> list[int]:
        """Sizes evenly spread from tiny ones to where "all sizes grow together" is judged."""
        cost = self._report.cost
        kinds = {s.name: s.kind for s in cost.kernel.symbols}
        low = SMALLEST_SIZE if all(kinds[name] == "size" for name in self._symbols) else 1
        ends = [cost.witness[name] for name, kind in kinds.items() if kind == "size"]
        high = max(16 * low, *(int(end) for end in ends)) if ends else 4096
        ratio = (high / low) ** (1 / (GRID - 1))
        return sorted({round(low * ratio**k) for k in range(GRID)})

    def _sample(self, size: int) -> None:
        fixed = {name: value for name, value in self.held if isinstance(value, int)}
        self._at[size] = self._recost(self._report, {**fixed, **dict.fromkeys(self._symbols, size)})

    def _next(self) -> int | None:
        """The size that tells most: inside the gap over which a quotient changes most."""
        changes = [
            (change, low, high, number)
            for low, high in pairwise(sorted(self._at))
            if high > low + 1
            for number in range(len(self._report.levels))
            if (change := self._change(low, high, number)) > CHANGE
        ]
        if not changes:
            return None
        _, low, high, number = max(changes, key=lambda c: (c[0], -c[1], c[3]))
        guesses = (size for size in self._guesses(low, high, number) if low < size < high)
        return next(guesses, min(max(isqrt(low * high), low + 1), high - 1))

    def _change(self, low: int, high: int, number: int) -> float:
        """By how much the quotient that holds at ``low`` is wrong at ``high``; 0: one regime."""
        before, after = self._level(low, number), self._level(high, number)
        if before is None or after is None or before.intensity is None:
            return 0.0
        expected, found = self._value(before.intensity, low, high), self._intensity(high, number)
        if not expected or not found:
            return 0.0
        return max(expected, found) / min(expected, found) - 1

    def _guesses(self, low: int, high: int, number: int) -> Iterator[int]:
        """Sizes in the gap around which a reuse distance outgrows the cache, the most frequent reuse first."""
        capacity = self._report.levels[number].capacity
        for end in (high, low):
            report = self._at[end]
            reuse = (report.cost.fused or report.cost).reuse
            if reuse is None or not capacity:
                continue
            counted = [(self._number(c.count, end, end) or 0.0, str(c.distance), c) for c in reuse.classes]
            for _, _, found in sorted(counted, key=lambda item: (-item[0], item[1])):
                last = self._last_fit(found.distance, end, low, high, capacity)
                if last is not None and not (last in self._at and last + 1 in self._at):
                    yield from (size for size in (last, last + 1) if size not in self._at)

    def _last_fit(self, distance: Expr, end: int, low: int, high: int, capacity: int) -> int | None:
        """The last size at which a distance, as it reads at ``end``, fits; None: no such size in the gap."""

        def fits(size: int) -> bool | None:
            value = self._number(distance, end, size)
            return None if value is None else value <= capacity

        if fits(low) is not True or fits(high) is not False:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low

    def _runs(self, number: int) -> Iterator[tuple[tuple[int, float], ...]]:
        """The curve, dense within each regime, broken where the intensity is not known."""
        run: list[tuple[int, float]] = []
        before: int | None = None
        for size in sorted(self._at):
            value = self._intensity(size, number)
            if value is None:
                if run:
                    yield tuple(run)
                run, before = [], None
                continue
            if before is not None and self._change(before, size, number) <= CHANGE:
                run += self._filling(before, size, number)
            run.append((size, value))
            before = size
        if run:
            yield tuple(run)

    def _filling(self, low: int, high: int, number: int) -> list[tuple[int, float]]:
        """Points between two samples of one regime, from its quotient."""
        level = self._level(high, number)
        points, size = [], low
        while level and level.intensity and (size := max(size + 1, round(size * DENSE))) < high:
            value = self._value(level.intensity, high, size)
            if value:
                points.append((size, value))
        return points

    def _steps(self, number: int) -> Iterator[Step]:
        for low, high in pairwise(sorted(self._at)):
            if (high > low + 1 and high > low * NARROW) or self._change(low, high, number) <= CHANGE:
                continue
            before, after = (self._intensity(size, number) for size in (low, high))
            if before and after:
                changed = self._outgrown(low, number) != self._outgrown(high, number)
                yield Step(low, high, before, after, changed and after < before)

    def _outgrown(self, size: int, number: int) -> set[tuple[str, str]]:
        """The reuses (array, and what carries it) that are farther apart than the cache holds."""
        report = self._at[size]
        reuse, capacity = (report.cost.fused or report.cost).reuse, report.levels[number].capacity
        classes = reuse.classes if reuse else ()
        return {(c.array, c.place) for c in classes if (self._number(c.distance, size, size) or 0) > capacity}

    def _intensity(self, size: int, number: int) -> float | None:
        level = self._level(size, number)
        return self._value(level.intensity, size, size) if level and level.intensity else None

    def _level(self, size: int, number: int) -> LevelReport | None:
        """The level at a sample, where its intensity is known."""
        levels = self._at[size].levels
        known = number < len(levels) and levels[number].intensity is not None
        return levels[number] if known else None

    def _value(self, ratio: Ratio, sample: int, size: int) -> float | None:
        value = ratio_value(ratio, self._values(sample, size))
        return float(value) if value else None

    def _number(self, expr: Expr, sample: int, size: int) -> float | None:
        try:
            return float(expr.evaluate(self._values(sample, size)))
        except (NotEvaluable, ZeroDivisionError, OverflowError):
            return None

    def _values(self, sample: int, size: int) -> Mapping[str, Number]:
        """All symbols as at a sample, but what grows at ``size``."""
        return {**self._at[sample].cost.witness, **dict.fromkeys(self._symbols, size)}
