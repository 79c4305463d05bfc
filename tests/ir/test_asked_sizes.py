"""Sizes that tests of the source want to be equal, where no loop runs otherwise."""

from __future__ import annotations

from textwrap import dedent

import pytest

from roofscan.cost.result import KernelCost
from roofscan.ir.asked_sizes import asked_sizes
from tests.oracle.analysis import analyzed

SAME = """
    def f(x, y):
        if len(x) != len(y):
            return 0.0
        s = 0.0
        for i in range(len(x)):
            s += x[i] * y[i]
        return s
"""
THREE = """
    def f(x, w):
        s = 0.0
        if x.shape[1] == 3:
            for i in range(x.shape[0]):
                s += x[i, 0] * w[0] + x[i, 1] * w[1] + x[i, 2] * w[2]
        return s
"""
ONE_OR_ALL = """
    def f(x, w, out):
        n = len(x)
        if len(w) == 1:
            for i in range(n):
                out[i] = x[i] * w[0]
        elif len(w) == n:
            for i in range(n):
                out[i] = x[i] * w[i] + 1.0
"""
EITHER_WAY = """
    def f(x, w, out):
        if len(w) == 1:
            for i in range(len(x)):
                out[i] = x[i] * w[0]
        else:
            for i in range(len(x)):
                out[i] = x[i] * w[i] + 1.0
"""


def cost_of(source: str, bind: str = "") -> KernelCost:
    return analyzed(dedent(source), "f", bind).cost


@pytest.mark.parametrize(
    "source, flops, size", [(SAME, "2*x_shape_0", 5), (THREE, "6*x_shape_0", 5), (ONE_OR_ALL, "2*n", 5)]
)
def test_a_kernel_is_counted_where_its_loops_run(source: str, flops: str, size: int) -> None:
    """They said 0 FLOPs and 0 bytes, exact, for sizes that differ."""
    cost = cost_of(source)
    assert str(cost.flops) == flops
    assert cost.reuse is not None and cost.reuse.footprint


def test_a_number_that_a_test_asks_for_stays_as_it_is() -> None:
    kernel = cost_of(THREE).kernel
    assert kernel.guesses == {"x_shape_1": 3}
    assert any(text.startswith("x_shape_1 is 3 in verdicts") for text in kernel.assumptions)


def test_sizes_that_differ_leave_no_work() -> None:
    assert cost_of(SAME, "x=f8[5] y=f8[7]").flops == 0
    assert cost_of(THREE, "x=f8[5,4]").flops == 0
    assert cost_of(SAME, "x=f8[5] y=f8[5]").flops.evaluate({"x_shape_0": 5, "y_shape_0": 5}) == 10


def test_nothing_is_asked_where_loops_run_anyway() -> None:
    cost = cost_of(EITHER_WAY)
    assert asked_sizes(cost.kernel, cost.free) == {} and str(cost.flops) == "2*x_shape_0"
