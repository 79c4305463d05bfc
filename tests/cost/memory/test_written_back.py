"""A line is written back at most once for each time that it was fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixture_files import read_fixtures
from tests.oracle.analysis import analyzed
from tests.oracle.compare import CAPACITIES

EVERYDAY = Path(__file__).parents[2] / "everyday"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("constant_tables", "turning"),  # reads between two writes, at places that data choose
        ("rings", "oldest_first"),  # a ring that is read whole between two writes
        ("exchanged", "exchanged_in_a_list"),
    ],
)
def test_no_more_than_fetched(file: str, name: str) -> None:
    kernel = next(k for k in read_fixtures(EVERYDAY / f"{file}.py") if k.name == name)
    analysis = analyzed(kernel.source, name, kernel.words(kernel.oracle[0]).bind)
    assert analysis.cost.reuse is not None
    for capacity in CAPACITIES:
        for moved in analysis.cost.reuse.traffic(capacity).arrays.values():
            load, fill, written = (
                part.evaluate(analysis.cost.sample_point) for part in (moved.load, moved.fill, moved.writeback)
            )
            assert written <= (load + fill) * 1.001 + 1
