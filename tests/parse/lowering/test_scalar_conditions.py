"""Tests on scalar parameters: one outcome a call; anything else is data."""

from __future__ import annotations

import pytest

from roofscan.api import analyze_source
from tests.oracle.analysis import counted

HEAD = """from numba import njit

@njit
def heavy(v, k):
    if k > 0.5:
        return v * v + 1.0
    return v

"""


def _counted(body: str, bind: str = ""):
    return counted(f"{HEAD}@njit\ndef kernel(x, a, b):\n{body}    return s\n", "kernel", bind)


LOOP = "    s = 0.0\n    for i in range(x.shape[0]):\n        "


def test_a_helper_is_analyzed_with_the_arguments_of_its_call() -> None:
    found = _counted(f"{LOOP}s += heavy(x[i], a) + heavy(x[i], b)\n")
    assert found.cost.status == "parametric"
    meanings = [s.meaning for s in found.kernel.symbols if s.kind == "flag"]
    assert [m.split("`")[1] for m in meanings] == ["a > 0.5", "b > 0.5"]
    values = {"x_shape_0": 10}
    assert found.flops({**values, "p1": 1, "p2": 0}) == 10 * (2 + 2)
    assert found.flops({**values, "p1": 0, "p2": 0}) == 10 * 2


@pytest.mark.parametrize("body", [
    f"{LOOP}s += heavy(x[i], x[i])\n",  # data
    f"    a = x[0]\n{LOOP}s += heavy(x[i], a)\n",
    f"    c = b\n{LOOP}s += heavy(x[i], c)\n        c = a\n",  # another one in each iteration
    f"{LOOP}s += heavy(x[i], a)\n        a = a * 0.5\n",
    f"{LOOP}s += heavy(x[i], a or x[i])\n",
])  # fmt: skip
def test_what_is_no_parameter_any_more_is_data(body: str) -> None:
    found = _counted(body)
    assert found.cost.status == "parametric" and any(s.kind == "share" for s in found.kernel.symbols)


def test_tests_that_differ_in_their_parentheses_are_two() -> None:
    found = _counted(
        "    s = x[0]\n    if (a + b) * b > 1.0:\n        s *= a\n    if a + b * b > 1.0:\n        s *= b\n"
    )
    texts = [s.meaning.split("`")[1] for s in found.kernel.symbols if s.kind == "flag"]
    assert texts == ["(a + b) * b > 1.0", "a + b * b > 1.0"]


@pytest.mark.parametrize(("bind", "flops"), [("a=0.75 b=0.5", 30), ("a=0.25 b=0.5", 10)])
def test_facts_decide_a_test(bind: str, flops: int) -> None:
    found = _counted(f"{LOOP}s += heavy(x[i], a)\n", bind)
    assert not any(s.kind == "flag" for s in found.kernel.symbols)
    assert (found.cost.status, found.flops({"x_shape_0": 10})) == ("exact", flops)


def test_a_flag_is_0_or_1() -> None:
    source = f"{HEAD}# roofscan: p1=0.5\n@njit\ndef kernel(x, a):\n{LOOP}s += heavy(x[i], a)\n    return s\n"
    messages = [f.message for kernel in analyze_source(source).kernels for f in kernel.findings]
    assert any("1/2 is neither 0 nor 1" in message for message in messages)
