"""Integers of which quotients and bits are taken again and again: each step repeats the text of what it takes."""

from __future__ import annotations

from roofscan.api import Options, analyze_source
from roofscan.ir.visitor import loops
from roofscan.symbolic.expr import Expr
from roofscan.symbolic.floors import floor_div

SPREAD = """
from numba import njit


@njit
def every_third_bit(x, out):
    x &= 0x1FFFFF
    x = (x | (x << 32)) & 0x1F00000000FFFF
    x = (x | (x << 16)) & 0x1F0000FF0000FF
    x = (x | (x << 8)) & 0x100F00F00F00F00F
    x = (x | (x << 4)) & 0x10C30C30C30C30C3
    for i in range(x):
        out[i] += 1.0
"""


def test_a_number_beyond_reading_is_not_known() -> None:
    [kernel] = analyze_source(SPREAD, options=Options(kernels="all")).kernels
    [loop] = loops(kernel.kernel.body)
    assert len(loop.stop.symbols) == 1 and loop.stop.size == 2
    assert kernel.reports[0].cost.status == "parametric"


def test_the_size_of_an_expression_counts_what_stands_in_its_atoms() -> None:
    n = Expr.of("n")
    assert (n.size, (2 * n + 1).size) == (2, 3)
    assert floor_div(n * n + 1, Expr.of(7)).size > 5
