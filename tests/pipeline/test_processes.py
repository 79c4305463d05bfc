"""Results travel between processes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from roofscan.api import analyze_file
from roofscan.config.options import Options

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize("name", ["arrays.py", "stencils.py"])
def test_reports_reach_another_process(name: str) -> None:
    report = analyze_file(str(FIXTURES / name), Options(kernels="all"))
    again = pickle.loads(pickle.dumps(report))
    assert [kernel.findings for kernel in again.kernels] == [kernel.findings for kernel in report.kernels]
