"""What a piece of a kernel takes at most, by the most that it can move: a change that does not pay even so need not be
costed."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.advice.change import ROUNDING, Figures, call_time
from roofscan.cost.memory.base import ALONE
from roofscan.frozen import dataclass
from roofscan.roofline.interfaces import interfaces
from roofscan.roofline.streaming import most_streamed
from roofscan.roofline.time.demand import L1_SHARE
from roofscan.roofline.time.predict import least_seconds
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.verdict import RooflinePoint


@dataclass(frozen=True)
class MostMoved:
    """The seconds that this takes at the slowest interface, and the lines into each cache, nearest first."""

    seconds: float
    lines: Sequence[float]


def most_moved(point: RooflinePoint, counted: Figures) -> MostMoved | None:
    """By a piece without its traffic; None where that is not known."""
    rows = interfaces(point.machine, point.target.scope, point.target.split)
    caches = [(row.capacity if row.sharing == ALONE else 0, row.bandwidth) for row in rows if row.capacity]
    line, capacities = point.cost.reuse.line if point.cost.reuse else 64, [capacity for capacity, _ in caches]
    nearest = [int(L1_SHARE * capacity) for capacity in capacities[:1]]
    moved = most_streamed(counted.kernel, point.evaluation.values, line, [*capacities, *nearest])
    if moved is None:
        return None
    times = (amount / rate for amount, (_, rate) in zip(moved, caches) if rate)
    lines = [amount / line for amount in (*moved[len(caches) :], *moved[1 : len(caches)])]
    return MostMoved(max(times, default=0.0), lines)


def may_gain(point: RooflinePoint, before: Figures, moved: MostMoved, after: Figures, least: float) -> bool:
    """Whether a call may become so many times faster, by the most that a piece may take before a change and the least
    after it. Not looked at closely where the seconds of the traffic may already be enough."""
    whole = point.time
    if not isinstance(whole, TimePrediction) or moved.seconds > float(whole.expected) * (1 - 1 / least):
        return True
    most = most_time(point, before, moved)
    if most is None:
        return True
    shortest = call_time(point, after) + sum(least_seconds(*version.where(point)) for version in after.versions)
    return max(0.0, float(whole.expected) - most) + shortest <= float(whole.expected) / (least - ROUNDING)


def most_time(point: RooflinePoint, side: Figures, moved: MostMoved) -> float | None:
    """Seconds of a piece, in one call; None where they are not known."""
    nothing = [0.0] * len(moved.lines)
    times = [v.most_time(point, nothing if n else moved.lines) for n, v in enumerate(side.versions)]
    known = [time for time in times if time is not None]
    return call_time(point, side) + sum(known) if len(known) == len(times) else None
