"""How near bounds are where an array of shifts moves whole rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cost.memory.near_bounds import bound_and_moved
from tests.fixture_files import read_fixtures

KERNELS = {k.name: k for k in read_fixtures(Path(__file__).parents[2] / "everyday" / "shifted_rows.py")}


@pytest.mark.parametrize(
    ("name", "capacity", "most"),
    [
        ("streamed", 8192, 1.25),
        ("pulled", 8192, 1.15),  # every iteration touches all rows, and the cache holds a line of each
        ("shifted_without_a_ring", 2048, 1.05),
    ],
)
def test_bound_is_near_the_run(name: str, capacity: int, most: float) -> None:
    mine, moved = bound_and_moved(KERNELS[name], capacity)
    assert moved <= mine <= most * moved
