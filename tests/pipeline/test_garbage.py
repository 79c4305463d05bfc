"""An analysis runs without Python's cyclic collector, and what it leaves is seldom walked: objects that refer to each
other in a circle would stay in memory."""

from __future__ import annotations

import gc

import pytest

from roofscan.api import analyze_file
from tests.fixture_files import FIXTURES

A_KERNEL = 200
"""Objects a kernel in such circles: `ast.literal_eval` makes some. Where the tree of the cache model was one, there
were 20,000."""


@pytest.mark.parametrize("name", ["stencils", "arrays", "time_loops"])
def test_an_analysis_leaves_no_circles(name: str) -> None:
    tries = 3  # one may drop what other tests have left in caches
    assert any(_left_in_circles(str(FIXTURES / f"{name}.py")) < A_KERNEL for _ in range(tries))


def _left_in_circles(path: str) -> float:
    """Objects a kernel."""
    gc.collect()
    gc.disable()
    try:
        kernels = len(analyze_file(path).kernels)
        return gc.collect() / kernels
    finally:
        gc.enable()


def test_objects_that_the_host_has_frozen_stay_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        analyze_file(str(FIXTURES / "streams.py"))
        assert gc.get_freeze_count() > frozen / 2 > 0
    finally:
        gc.unfreeze()
