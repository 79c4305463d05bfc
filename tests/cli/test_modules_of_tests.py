"""Advice on speed is off in modules of tests, unless it is selected."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.api import check_source
from roofscan.config.test_modules import is_test_module
from tests.cli.conftest import AXPY, Command

TESTS = AXPY + "\n\ndef test_axpy():\n    axpy(2.0, *data())\n"


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("test_axpy.py", TESTS, False),
        ("deep/axpy_test.py", TESTS, False),
        ("test_axpy.py", AXPY + "\n\nclass TestAxpy:\n    def test(self):\n        pass\n", False),
        ("test_axpy.py", AXPY, True),  # a script, for all that is known
        ("tests/kernels.py", TESTS, True),
        ("latest_axpy.py", TESTS, True),
    ],
)
def test_advice_on_speed(roofscan: Command, name: str, text: str, shown: bool) -> None:
    roofscan.write(name, text)
    plain = roofscan("check", name)
    assert ("RFL102" in plain.out) is shown
    assert roofscan("check", name).out == plain.out, "from the cache"
    assert bool(check_source(text, name)) is shown
    for chosen in ("--select", "--extend-select"):
        assert "RFL102" in roofscan("check", name, chosen, "RFL1").out


def test_what_is_wrong_is_told(roofscan: Command) -> None:
    budget = TESTS.replace("@njit\n", "# roofscan: x=f8[n] expect flops<=n\n@njit\n")
    roofscan.write("test_budget.py", budget)
    assert "RFL104" in roofscan("check", "test_budget.py").out
    roofscan.write("test_pragma.py", TESTS.replace("@njit\n", "# roofscan: m=3\n@njit\n"))
    assert "RFL901" in roofscan("check", "test_pragma.py").out


def test_fixes_follow_findings(roofscan: Command, tmp_path: Path) -> None:
    loops = "    s = 0.0\n    for i in range(len(x)):\n        s += x[i] * y[i]\n    return s\n"
    text = f"from numba import njit\n\n\n@njit\ndef dot(x, y):\n{loops}\n\ndef test_dot():\n    assert dot\n"
    roofscan.write("test_dot.py", text)
    assert "fastmath" not in roofscan("fix", "--unsafe", "test_dot.py").out
    assert "fastmath" in roofscan("fix", "--unsafe", "--select", "RFL5", "test_dot.py").out
    assert not is_test_module(str(tmp_path / "dot.py"), text)
