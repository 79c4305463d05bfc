"""What a type checker knows of the public functions."""

from __future__ import annotations

from pathlib import Path

import pytest

mypy = pytest.importorskip("mypy.api")

USER = """
from collections.abc import Callable

import roofscan


def intensities(kernel: Callable[[object], object], path: str) -> list[str]:
    reveal_type(roofscan.analyze(kernel, bind={"n": 1000}))
    reveal_type(roofscan.analyze(path))
    roofscan.analyze(kernel, machin="zen4")
    return [str(roofscan.analyze(kernel).intensity)]
"""


def test_a_function_has_one_report(tmp_path: Path) -> None:
    user = tmp_path / "user.py"
    user.write_text(USER)
    out, _, _ = mypy.run(["--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"), str(user)])
    said = [line.partition(": ")[2] for line in out.splitlines()]
    assert said[:2] == [
        'note: Revealed type is "roofscan.results.report.Report"',
        'note: Revealed type is "Any"',
    ]
    errors = [line for line in said if line.startswith("error")]
    assert errors and all('"analyze"' in line for line in errors)
