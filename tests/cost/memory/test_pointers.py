"""How near bounds are where a pointer chooses the places: it passes a line before it touches the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cost.memory.near_bounds import bound_and_moved
from tests.fixture_files import read_fixtures
from tests.oracle.analysis import analyzed

KERNELS = {k.name: k for k in read_fixtures(Path(__file__).parents[2] / "everyday" / "pointers.py")}


@pytest.mark.parametrize(
    ("name", "capacity", "most"),
    [
        ("top_of_a_stack", 2048, 1.7),
        ("sums_of_runs", 2048, 1.7),
        ("sums_of_runs", 8192, 1.4),
        ("kept_of_a_grid", 2048, 1.2),
    ],
)
def test_bound_is_near_the_run(name: str, capacity: int, most: float) -> None:
    mine, moved = bound_and_moved(KERNELS[name], capacity)
    assert moved <= mine <= most * moved


@pytest.mark.parametrize("name", ["next_greater", "lower_hull", "waiting_times"])
def test_loops_of_mean_trips_leave_bounds(name: str) -> None:
    kernel = KERNELS[name]
    analysis = analyzed(kernel.source, name, kernel.words(kernel.oracle[0]).bind)
    assert analysis.cost.reuse is not None
    assert analysis.cost.reuse.traffic(2048).status == "upper_bound"
