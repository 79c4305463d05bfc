"""The size of a verdict by the expected time. The roofline gives the first size; the model of time, which knows more,
takes too long to search with."""

from __future__ import annotations

from collections.abc import Callable
from math import log

from roofscan.roofline.evaluation_point import MAX_SECONDS, EvaluationPoint
from roofscan.roofline.verdict import RooflinePoint

AIM = 0.97  # of a minute, that a smaller size should take
MAX_TRIALS = 4
NEARBY = 0.9  # a size at whose work the order of growth shows
LEAST_POWER = 0.5  # of the size, that the time of a call grows with


def within_a_minute(point: RooflinePoint, at: Callable[[EvaluationPoint], RooflinePoint]) -> RooflinePoint:
    """The point, or one at a smaller size whose call is expected to take no more than a minute."""
    evaluation, seconds = point.evaluation, point.call_seconds
    if seconds is None or seconds <= MAX_SECONDS or not evaluation.path.symbol or not evaluation.generalises:
        return point
    power = _power_of_work(point)
    for _ in range(MAX_TRIALS):
        here, first = point.evaluation.position, evaluation.path.domain[0]
        further = max(first, int(here * (AIM * MAX_SECONDS / seconds) ** (1 / max(power, LEAST_POWER))))
        point, before = at(evaluation.up_to(further)), seconds
        seconds = point.call_seconds
        if seconds is None or seconds <= MAX_SECONDS or further in (first, here):
            break
        power = log(before / seconds) / log(here / further) if before > seconds else power
    return point


def _power_of_work(point: RooflinePoint) -> float:
    """The power of the size that the FLOPs grow with there, 1 without any."""
    evaluation, flops = point.evaluation, point.cost.flops
    near = max(1, int(evaluation.position * NEARBY))
    less, work = (float(evaluation.path.at(flops, x)) for x in (near, evaluation.position))
    return log(work / less) / log(evaluation.position / near) if work > less > 0 else 1.0
