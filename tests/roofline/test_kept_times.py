"""What a time lies between and the time itself share their parts: each is what it is by itself."""

from __future__ import annotations

import pytest

from roofscan.machine.files import load_machine
from roofscan.pipeline.stages import CostedKernel
from roofscan.roofline.interfaces import TrafficCurves
from roofscan.roofline.time.predict import KnownTimes, least_seconds, predicted_time, seconds_between
from roofscan.roofline.time.prediction import TimePrediction
from tests.oracle.analysis import analyzed

COLUMNS = """
@njit
def by_columns(x, y):
    n, m = x.shape
    for j in range(m):
        for i in range(n):
            y[i, j] = 2.0 * x[i, j] + 1.0
"""


def test_times_do_not_depend_on_what_was_asked_before() -> None:
    cost = analyzed(f"from numba import njit\n{COLUMNS}", "by_columns", "x=f8[4000,4000] y=f8[4000,4000]").cost
    point = CostedKernel(cost, load_machine("generic-x86-64"), ()).point
    place = point.evaluation
    alone = predicted_time(TrafficCurves(place), point.machine, point.target)
    between = seconds_between(TrafficCurves(place), point.machine, point.target)
    assert isinstance(alone, TimePrediction) and between is not None
    asked, known = TrafficCurves(place), KnownTimes()
    assert seconds_between(asked, point.machine, point.target, known) == between
    assert predicted_time(asked, point.machine, point.target, known=known) == alone
    assert len(known) == 1
    assert between[0] <= alone.expected and least_seconds(asked, point.machine, point.target) <= between[0]
    free = predicted_time(asked, point.machine, point.target, translated=False, known=known)
    assert isinstance(free, TimePrediction) and free.expected < alone.expected
    even = predicted_time(asked, point.machine, point.target, even=True, known=known)
    assert isinstance(even, TimePrediction) and even.expected == pytest.approx(alone.expected, rel=0.1)
    assert len(known) == 3
