"""Figures that a neighbour on the core disturbed are measured again, and the calmer ones are kept."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

pytest.importorskip("numba", reason="measuring needs Numba: pip install 'roofscan[measure]'")

from roofscan.measuring import moments, quiet_timer
from roofscan.measuring.moments import Moments
from roofscan.measuring.quiet_timer import CoreNeighbour, timed
from roofscan.measuring.sheet import Figure


@pytest.fixture
def neighbour(monkeypatch: pytest.MonkeyPatch) -> CoreNeighbour:
    found = CoreNeighbour()
    found.best = 1e-9  # so that each moment looks disturbed
    monkeypatch.setattr(quiet_timer, "NEIGHBOUR", found)
    monkeypatch.setattr(moments, "NEIGHBOUR", found)
    monkeypatch.setattr(quiet_timer, "BESIDE", 0.01)
    return found


def test_a_timing_beside_a_neighbour_is_counted(neighbour: CoreNeighbour) -> None:
    assert timed(lambda: math.sqrt(2.0)).seconds < 1e-5
    assert neighbour.disturbed == 1 and neighbour.waited > 0


def test_a_long_run_does_not_wait(neighbour: CoreNeighbour, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet_timer, "LONG_RUN_SECONDS", 0.0)
    timed(lambda: math.sqrt(2.0))
    assert neighbour.disturbed == 0 and neighbour.waited == 0


def test_the_calmest_moment_is_kept(neighbour: CoreNeighbour) -> None:
    moment = iter([(1, 0), (0, 0)])

    def group() -> Iterator[tuple[str, Figure]]:
        number = len(seen)
        seen.append(number)
        for name, disturbed in zip(("exp", "log"), next(moment), strict=True):
            neighbour.disturbed += disturbed
            yield name, Figure(number, 0.0, "")

    seen: list[int] = []
    found = Moments()
    found.add("functions", group)
    assert {name: figure.value for name, figure in found["functions"].items()} == {"exp": 0, "log": 0}
    found.again()
    found.again()  # nothing is disturbed any more
    assert seen == [0, 1]
    assert {name: figure.value for name, figure in found["functions"].items()} == {"exp": 1, "log": 0}
