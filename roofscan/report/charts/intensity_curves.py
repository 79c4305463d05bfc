"""How the intensity at each level of a machine follows the sizes, as numbers: one analysis yields the traffic as a
function of the size, in pieces (:mod:`roofscan.roofline.traffic_curve`) that end where some reuse outgrows the cache.
Curves are evaluated densely and on both sides of each end."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import prod

from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.kinds import Scope
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import loops
from roofscan.roofline.model import KernelReport, LevelReport
from roofscan.roofline.piecewise_bytes import PiecewiseBytes, at
from roofscan.roofline.size_paths import POSITION, SizePath, diagonal, free_sizes, path_through
from roofscan.roofline.traffic_curve import ESTIMATE_TOLERANCE, TrafficCurve
from roofscan.roofline.traffic_model import TrafficModel, TrafficPolicy
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import NotEvaluable, Number

SHARP_FALL = 0.06  # a larger relative fall is a step; so is a slope of smaller falls
MIN_FALL = 0.002  # a smaller fall is ignored
SHARP_DISTANCE = 1.1  # sharp falls at sizes nearer to each other than this factor are one
SLOPE_DISTANCE = 1.3  # the same for small falls
SIZE_FACTOR = 1.12  # between two drawn sizes
MIN_SIZE = 8
MIN_TILES = 4  # sizes below so many tiles are not drawn: the expressions hold for several tiles
_HELD = ("size", "tile")  # the kinds of symbols that stay while others grow


@dataclass(frozen=True)
class IntensityStep:
    """Where the intensity falls because some reuse outgrows the cache: ``last`` and ``first`` are the sizes on its
    two sides, one apart where all of it does so at once."""

    last: int
    first: int
    before: float  # FLOP/byte
    after: float


@dataclass(frozen=True)
class Curve:
    """One interface: the level that serves it and the capacity in bytes of the cache that it fills."""

    name: str
    capacity: int
    ridge: float | None  # FLOP/byte
    status: str  # of the traffic: exact, estimate, ...
    runs: tuple[tuple[tuple[int, float], ...], ...]  # (size, FLOP/byte); between runs nothing is known
    steps: tuple[IntensityStep, ...]


@dataclass(frozen=True)
class IntensityPanel:
    kernel: str
    machine: str
    scope: Scope
    precision: str
    symbols: tuple[str, ...]  # what grows, all with one value
    held: tuple[tuple[str, Number], ...]  # the other symbols that are sizes
    curves: tuple[Curve, ...]  # nearest level first


def intensity_panel(report: KernelReport, symbol: str | None = None) -> IntensityPanel:
    """Intensity at every level against ``symbol``, or against all free sizes together. ValueError, with the remedy,
    where there is no such free symbol or no intensity to show."""
    symbols = _symbols(report, symbol)
    survey = _TrafficSurvey(report, symbols)
    curves = tuple(curve for level in report.levels if (curve := survey.curve(level)).runs)
    if not curves or report.machine is None:
        raise ValueError(f"{report.cost.kernel.name} has no arithmetic intensity to show; use --format text")
    return IntensityPanel(
        kernel=report.cost.kernel.name,
        machine=report.machine.name,
        scope=report.scope,
        precision=report.precision or "",
        symbols=symbols,
        held=survey.held,
        curves=curves,
    )


def _symbols(report: KernelReport, symbol: str | None) -> tuple[str, ...]:
    kernel, free = report.cost.kernel, report.cost.free
    if kernel.unsupported:
        raise ValueError(f"{kernel.name} is outside the model; --format text says why")
    integers = [s for s in kernel.symbols if s.kind in (*_HELD, "int") and s.name in free]
    if symbol is None:
        sizes = free_sizes(report.cost)
        if not sizes:
            raise ValueError(f"{kernel.name} has no free size to draw along; take it out of --bind")
        return sizes
    if symbol not in {s.name for s in integers}:
        there = ", ".join(s.name for s in integers) or "none"
        raise ValueError(f"--chart-symbol: {kernel.name} has no free size of that name; free are: {there}")
    return (symbol,)


class _TrafficSurvey:
    """The traffic of a kernel along a path through its sizes."""

    def __init__(self, report: KernelReport, symbols: tuple[str, ...]) -> None:
        cost = report.cost.fused or report.cost
        kinds = {s.name: s.kind for s in cost.kernel.symbols}
        sized = all(kinds[name] == "size" for name in symbols)
        path = diagonal(cost) if sized and len(symbols) > 1 else path_through(cost, symbols)
        assert path is not None
        fill = report.machine is not None and report.machine.write_allocate
        self._curve = TrafficCurve(TrafficModel(cost, TrafficPolicy(fill=fill)), path)
        self._flops = path.restrict(cost.flops)
        self._most = path.restrict(self._curve.traffic_model.ceiling)
        self.held = tuple((n, cost.sample_point[n]) for n, kind in kinds.items() if kind in _HELD and n not in symbols)
        self.low = max(MIN_SIZE, MIN_TILES * _widest_tile(cost, path)) if sized else MIN_SIZE
        ends = [int(cost.sample_point[name]) for name, kind in kinds.items() if kind == "size"]
        self.high = max(16 * self.low, *ends) if ends else 4096

    def curve(self, level: LevelReport) -> Curve:
        try:
            pieces = self._curve.into(level.capacity)
            points = self._points(pieces)
        except (NotEvaluable, ZeroDivisionError, OverflowError):
            points = []
        ends = [first - 1 for first, _ in self._ends(pieces)] if points else []
        status = level.fused_status or level.traffic.status
        runs = () if status == "unknown" else tuple(_runs(points))
        steps = tuple(_steps(runs, ends)) if level.capacity else ()
        return Curve(level.name, level.capacity, level.ridge, status, runs, steps)

    def _points(self, pieces: PiecewiseBytes) -> list[tuple[int, float | None]]:
        sizes = {self.low, self.high}
        size = self.low
        while (size := max(size + 1, round(size * SIZE_FACTOR))) < self.high:
            sizes.add(size)
        for first, _ in self._ends(pieces):
            sizes |= {first - 1, first}
        return [(size, self._intensity(pieces, size)) for size in sorted(sizes)]

    def _ends(self, pieces: PiecewiseBytes) -> Iterator[tuple[int, int | None]]:
        return (piece.span for piece in pieces if self.low < piece.span[0] <= self.high)

    def _intensity(self, pieces: PiecewiseBytes, size: int) -> float | None:
        """FLOP/byte; None where the expressions cannot hold."""
        flops, moved = number(self._flops, {POSITION: size}), at(pieces, size)
        if flops <= 0 or not 0 < moved <= ESTIMATE_TOLERANCE * number(self._most, {POSITION: size}):
            return None
        return float(flops / moved) if isinstance(moved, int) else float(flops) / float(moved)


def _widest_tile(cost: KernelCost, path: SizePath) -> int:
    """The longest step of a loop, as the path holds it; 0 without tiles."""
    steps = [_held(loop, path) for loop in loops(cost.kernel.body)]
    return max((step for step in steps if step > 1), default=0)


def _held(loop: Loop, path: SizePath) -> int:
    step = path.restrict(loop.step).constant
    return abs(int(step)) if step is not None else 0


def _runs(points: Iterable[tuple[int, float | None]]) -> Iterator[tuple[tuple[int, float], ...]]:
    """The curve, broken where the intensity is not known."""
    run: list[tuple[int, float]] = []
    for size, value in points:
        if value is not None:
            run.append((size, value))
        elif run:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)


def _steps(runs: Iterable[Sequence[tuple[int, float]]], ends: Sequence[int]) -> Iterator[IntensityStep]:
    """Sharp falls, and slopes of small ones, but not the slope in which a sharp fall runs out."""
    reached = 0.0
    for step, sharp in _falls(runs, set(ends)):
        if sharp or step.last > reached * SHARP_DISTANCE:
            yield step
        reached = step.first if sharp else reached


def _falls(runs: Iterable[Sequence[tuple[int, float]]], ends: Collection[int]) -> Iterator[tuple[IntensityStep, bool]]:
    """Falls from the end of a piece to the next size, neighbouring ones together; whether they are sharp."""
    group: list[IntensityStep] = []
    for (last, before), (first, after) in (pair for run in runs for pair in pairwise(run)):
        if last not in ends or after > before * (1 - MIN_FALL):
            continue
        fall = IntensityStep(last, first, before, after)
        sharp = _is_sharp(fall)
        if group and (
            sharp != _is_sharp(group[-1]) or last > group[-1].first * (SHARP_DISTANCE if sharp else SLOPE_DISTANCE)
        ):
            yield from _joined(group)
            group = []
        group.append(fall)
    yield from _joined(group)


def _is_sharp(fall: IntensityStep) -> bool:
    return fall.after < fall.before * (1 - SHARP_FALL)


def _joined(falls: Sequence[IntensityStep]) -> Iterator[tuple[IntensityStep, bool]]:
    """One step of neighbouring falls, if they add up to one."""
    if falls and prod(fall.after / fall.before for fall in falls) < 1 - SHARP_FALL:
        yield IntensityStep(falls[0].last, falls[-1].first, falls[0].before, falls[-1].after), _is_sharp(falls[0])
