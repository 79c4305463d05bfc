"""Results travel between processes."""

from __future__ import annotations

import pickle

import pytest

from tests.fixture_files import FIXTURES
from tests.support.fixture_results import ResultsOf


@pytest.mark.parametrize("name", ["arrays.py", "stencils.py"])
def test_reports_reach_another_process(name: str, results_of: ResultsOf) -> None:
    report = results_of(FIXTURES / name)
    again = pickle.loads(pickle.dumps(report))
    assert report.kernels
    assert [kernel.findings for kernel in again.kernels] == [kernel.findings for kernel in report.kernels]
