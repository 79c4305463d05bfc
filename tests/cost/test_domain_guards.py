"""A test that guards the domain of what runs behind it nearly always holds; other tests on data hold in half."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofscan.api import Options, analyze_source

GUARD = """\
import math


def kernel(x, d, out):
    for i in range(x.size):
        {0}
"""
USUAL, HALF = Fraction(15, 16), Fraction(1, 2)


def share(body: str) -> Fraction:
    """Of executions in which the test of the loop holds, at the sample point; its parts come first."""
    source = GUARD.format(body.replace("\n", "\n        "))
    options = Options(kernels="all", bind="x=f8[2000] d=f8[2000] out=f8[2000]")
    cost = analyze_source(source, options=options).kernels[0].reports[0].cost
    return Fraction([value for name, value in cost.sample_point.items() if name.startswith("p")][-1])


@pytest.mark.parametrize(
    ("body", "held"),
    [
        ("if x[i] > 0.0:\n    out[i] = math.log(x[i])", USUAL),
        ("if 0 < x[i]:\n    out[i] = math.log10(2.0 * x[i])", USUAL),
        ("if d[i] != 0.0:\n    out[i] = x[i] / d[i]", USUAL),
        ("if abs(d[i]) > 1e-12:\n    out[i] = x[i] / (2.0 * d[i] ** 2)", USUAL),
        ("if x[i] > 0.0 and d[i] > 0.0:\n    out[i] = math.log(x[i] / d[i])", USUAL),
        ("out[i] = x[i] / d[i] if d[i] != 0.0 else 0.0", USUAL),
        ("if d[i] == 0.0:\n    continue\nout[i] = x[i] / d[i]", 1 - USUAL),
        ("if d[i] <= 0.0:\n    out[i] = 0.0\nelse:\n    out[i] = x[i] / d[i]", 1 - USUAL),
        ("if x[i] > 0.0:\n    out[i] = 2.0 * x[i]", HALF),  # half of the data
        ("if x[i] > 0.0:\n    out[i] = math.sqrt(x[i])", HALF),  # a discriminant
        ("if x[i] > 0.0:\n    out[i] = x[i] / d[i]", HALF),  # not what is divided by
        ("if d[i] > 2.0:\n    out[i] = x[i] / d[i]", HALF),  # 1.0 is in the domain too
        ("if d[i] > 0.0:\n    out[i] = d[i] / x[i]", HALF),
    ],
)
def test_the_usual_share_of_a_guard(body: str, held: Fraction) -> None:
    assert share(body) == held


def test_a_bound_share_is_the_users() -> None:
    source = GUARD.format("out[i] = x[i] / d[i] if d[i] != 0.0 else 0.0")
    options = Options(kernels="all", bind="x=f8[2000] d=f8[2000] out=f8[2000] p1=0.25")
    cost = analyze_source(source, options=options).kernels[0].reports[0].cost
    assert cost.flops.evaluate(cost.sample_point) == 500
