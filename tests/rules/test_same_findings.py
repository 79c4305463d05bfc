"""``check`` and ``report`` say the same of every fixture."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.api import analyze_source
from roofscan.cache.lookup import check
from roofscan.config.options import Options

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*.py"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_check_and_report_find_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    options = Options(kernels="all", extend_select=("RFL",))
    report = analyze_source(text, str(path), options)
    reported = {f for kernel in report.kernels for f in kernel.findings}
    checked = set(check(text, str(path), options).findings)
    assert {(f.code, f.line, f.column, f.message) for f in checked} <= {
        (f.code, f.line, f.column, f.message) for f in reported
    }
    places = {(f.code, f.line, f.column) for f in reported if not f.defers_to}
    assert {(f.code, f.line, f.column) for f in checked if not f.defers_to} == places
