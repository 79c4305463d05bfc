"""Sizes and loop variables that may be 0 (``x[:-0]``, ``if n == 0``): a reported condition, or a bound."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from roofscan.cli import main
from roofscan.symbolic.expr import NotEvaluable, symbol

KERNELS = """
from numba import njit

@njit
def tail(x, n):
    s = 0.0
    for v in x[:-n]:
        s += v
    return s

@njit
def guarded(x):
    n = x.shape[0]
    if n == 0:
        return 0.0
    s = 1.0
    for i in range(n):
        s += x[i]
    return s * 2.0

@njit
def to_the_end(x):
    s, n = 0.0, x.shape[0]
    for k in range(n):
        for v in x[:-k]:  # all but iteration k = 0: n*(n - 1)/2
            s += v
    return s

@njit
def from_the_end(x):
    s, n = 0.0, x.shape[0]
    for k in range(n):
        for v in x[-k:]:  # n in the iteration k = 0
            s += v
    return s

@njit
def window(x):
    s, n = 0.0, x.shape[0]
    for i in range(n - 1):
        for v in x[i - 1 : i + 2]:  # empty in the iteration i = 0
            s += v
    return s
"""


@pytest.fixture
def kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    (tmp_path / "kernels.py").write_text(KERNELS)
    assert main(["report", str(tmp_path / "kernels.py"), "--format", "json"]) == 0
    return {kernel["name"]: kernel for kernel in json.loads(capsys.readouterr().out)["kernels"]}


def test_conditions_on_zero_are_reported(kernels: dict[str, dict[str, Any]]) -> None:
    assert any(text.startswith("n is at least 1: a slice") for text in kernels["tail"]["assumptions"])
    assert kernels["guarded"]["conditions"] == ["n >= 1"]


@pytest.mark.parametrize(
    ("name", "effect", "expr"),
    [
        ("to_the_end", "upper", "n**2/2 + n/2"),
        ("from_the_end", "lower", "n**2/2 - n/2"),
        ("window", "upper", "3*n - 3"),
    ],
)
def test_slices_that_are_cut_at_zero_are_bounds(
    kernels: dict[str, dict[str, Any]], name: str, effect: str, expr: str
) -> None:
    kernel = kernels[name]
    assert (kernel["status"], kernel["flops"]["expr"]) == ("bounded", expr)
    assert [reason["effect"] for reason in kernel["reasons"]] == [effect]


def test_what_a_sum_divides_is_an_atom() -> None:
    """A size that is substituted by another expression may become a sum: ``1/n`` at n = m - 1."""
    inverse = (symbol("n") ** -1).subs({"n": symbol("m") - 1})
    assert inverse.evaluate({"m": 5}) == Fraction(1, 4)
    with pytest.raises(NotEvaluable):
        inverse.evaluate({"m": 1})
