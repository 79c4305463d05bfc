"""``check`` and ``report`` say the same of every kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from roofscan.api import analyze_source, findings_of
from roofscan.cache.lookup import check
from roofscan.config.options import Options
from tests.fixture_files import FIXTURES
from tests.support.fixture_results import FILES, OPTIONS, ResultsOf
from tests.support.random_kernels import RandomKernel, kernels

ROOT = FIXTURES.parent
EVERYDAY = [ROOT / "tests/everyday" / f"{name}.py" for name in ("modes", "rows")]


def check_says_what_report_says(text: str, path: str) -> None:
    assert list(check(text, path, OPTIONS).findings) == findings_of(analyze_source(text, path, OPTIONS), OPTIONS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_check_and_report_find_the_same(path: Path, results_of: ResultsOf) -> None:
    text = path.read_text(encoding="utf-8")
    assert list(check(text, str(path), OPTIONS).findings) == findings_of(results_of(path), OPTIONS)


@pytest.mark.parametrize("path", EVERYDAY, ids=lambda path: path.stem)
def test_they_find_the_same_in_everyday_kernels(path: Path) -> None:
    check_says_what_report_says(path.read_text(encoding="utf-8"), str(path))


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(kernels())
def test_they_find_the_same_in_random_kernels(kernel: RandomKernel) -> None:
    check_says_what_report_says(kernel.source, "random.py")


@pytest.mark.parametrize("steps", [1500, 4000, 8000, 15_000])
def test_they_find_the_same_where_the_budget_ends(steps: int) -> None:
    path = ROOT / "fixtures/dense.py"
    text, options = path.read_text(encoding="utf-8"), Options(kernels="all", extend_select=("RFL",), steps=steps)
    report = analyze_source(text, str(path), options)
    assert list(check(text, str(path), options).findings) == findings_of(report, options)
