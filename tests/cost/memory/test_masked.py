"""How near figures are where a mask chooses the places: it passes a line before it touches the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cost.memory.near_bounds import figure_and_moved
from tests.fixture_files import read_fixtures

KERNELS = {k.name: k for k in read_fixtures(Path(__file__).parents[2] / "everyday" / "masked.py")}


@pytest.mark.parametrize(
    ("name", "capacity", "most"),
    [
        ("lift_low", 2048, 1.05),
        ("mean_of_valid", 2048, 1.05),
        ("stretch_high", 2048, 1.05),
        ("blacken", 2048, 1.25),
        ("sum_of_kept", 2048, 1.3),
        ("doubled_often", 2048, 1.1),
        ("drained", 2048, 1.2),
        ("escaped", 2048, 1.25),
        ("escaped", 131072, 1.05),
    ],
)
def test_figure_is_near_the_run(name: str, capacity: int, most: float) -> None:
    mine, moved = figure_and_moved(KERNELS[name], capacity)
    assert moved / 1.05 <= mine <= most * moved
