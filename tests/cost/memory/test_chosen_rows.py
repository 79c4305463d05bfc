"""How near bounds are where data choose a row once, and several loops go through it: it is one row for all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cost.memory.near_bounds import bound_and_moved
from tests.fixture_files import read_fixtures

KERNELS = {k.name: k for k in read_fixtures(Path(__file__).parents[2] / "everyday" / "chosen_rows.py")}


@pytest.mark.parametrize(
    ("name", "capacity", "most"),
    [
        ("nearest_to_drawn", 8192, 1.8),  # a random number, and the place of the least
        ("moved_between_uses", 8192, 2.2),  # three numbers in one iteration
        ("kept_from_before", 8192, 2.2),  # one of the iteration before
        ("changed_inside", 8192, 2.5),  # one that the middle loop changes
        ("pivots_in_scratch", 2048, 1.4),  # a place in memory that is fresh in each iteration
        ("votes_of_rows", 8192, 1.1),  # a place in a known row
        ("columns_chosen", 8192, 1.5),
        ("filter_bank", 2048, 1.2),  # tables that either arm of a branch may leave alone for long
        ("pairs_below", 32768, 1.4),  # a list that goes on where the row before it left it
    ],
)
def test_bound_is_near_the_run(name: str, capacity: int, most: float) -> None:
    mine, moved = bound_and_moved(KERNELS[name], capacity)
    assert moved <= mine <= most * moved
