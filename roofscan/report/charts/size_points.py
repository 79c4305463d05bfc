"""Where the roofline puts a kernel at other sizes: its bytes by the piece that holds there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roofscan.frozen import dataclass
from roofscan.report.figures import moved
from roofscan.roofline.model import KernelReport
from roofscan.roofline.size_paths import free_sizes
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import Expr, NotEvaluable, Number

SERIES = tuple(8 * 4**k for k in range(7))
_MOVES = 1.05  # a path whose ends differ by less is a point

_LevelBytes = tuple[float, list[tuple[tuple[Expr, ...], Expr]]]
"""The bandwidth of a level, and its bytes in pieces: conditions, each at least 0, and expression."""


@dataclass(frozen=True)
class Point:
    intensity: float  # FLOP/byte at the outermost level
    speed: float  # attainable FLOP/s
    size: int | None = None  # the value of the free sizes


def sized_points(report: KernelReport) -> tuple[Point, ...]:
    """All free sizes grow together, the other symbols stay; empty where the kernel stays where it is."""
    sizes, roof = free_sizes(report.cost), report.verdict.roof
    if not sizes or not roof:
        return ()
    levels = list(_levels(report, roof))
    held = {**report.cost.sample_point, **report.verdict.sizes}
    try:
        found = [_point(report, levels, roof, held, dict.fromkeys(sizes, size)) for size in SERIES]
    except (NotEvaluable, ZeroDivisionError, OverflowError):
        return ()
    points = tuple(point for point in found if point)
    return points if len(points) > 1 and _moves(points) else ()


def _levels(report: KernelReport, roof: float) -> Iterator[_LevelBytes]:
    for level in report.levels:
        if level.ridge:
            found = report.pieces.at(level.capacity, level.sharing)
            yield roof / level.ridge, [(piece.when, moved(piece.moved, report.machine)) for piece in found]


def _point(
    report: KernelReport, levels: list[_LevelBytes], roof: float, held: Mapping[str, Number], sizes: Mapping[str, int]
) -> Point | None:
    at = {**held, **sizes}
    flops, speed, intensity = float(number(report.cost.flops, at)), roof, 0.0
    for bandwidth, pieces in levels:
        here = next((expr for when, expr in pieces if all(number(e, at) >= 0 for e in when)), None)
        moves = float(number(here, at)) if here is not None else 0.0
        if flops <= 0 or moves <= 0:
            return None
        intensity = flops / moves
        speed = min(speed, intensity * bandwidth)
    return Point(intensity, speed, next(iter(sizes.values())))


def _moves(points: tuple[Point, ...]) -> bool:
    speeds, intensities = [p.speed for p in points], [p.intensity for p in points]
    return max(speeds) > _MOVES * min(speeds) or max(intensities) > _MOVES * min(intensities)
