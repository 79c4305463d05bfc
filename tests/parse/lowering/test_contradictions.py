"""Facts that a function cannot use: a float as a size, a number as an array."""

from __future__ import annotations

import pytest

import roofscan
from roofscan.errors import AnalysisError
from tests.support.lowered_source import lowered

SUM = """\
from numba import njit

@njit
def total(x, n, scale, m=None, k=3):
    if m is None:
        return 0.0
    k = int(k)
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += scale * x[i + j * k]
    return s
"""


@pytest.mark.parametrize(
    ("bind", "said"),
    [
        ("n=2.5", "n=2.5: n is an index, a size or a bound; write an integer, as n=1000"),
        ("n=f4:3", "n=f4:3: n is an index"),
        ("n=f8[10]", "n=f8[10]: n is an index"),
        ("n=2j", "n=2j: n is an index"),
        ("n=None", "n=None: n is an index"),
        ("x=3", "x=3: x is an array; write x=f8[1000]"),
    ],
)
def test_a_fact_that_the_function_cannot_use_is_told(bind: str, said: str) -> None:
    [told] = lowered(SUM, bind).contradictions
    assert told.startswith(said)
    with pytest.raises(AnalysisError, match=f"bind: {bind.partition('[')[0]}"):
        roofscan.analyze(SUM, bind=bind)


@pytest.mark.parametrize(
    "bind",
    [
        "n=3",
        "n=1e3",
        "n=i4",
        "n=True",
        "scale=2.5",
        "scale=f4:2",
        "scale=None",
        "m=None",
        "k=2.5",
        "x=f8[10,10]",
        "x=f4",
    ],
)
def test_a_fact_that_the_function_can_use_is_taken(bind: str) -> None:
    """``m`` may be None, as the function asks; ``k`` is bound anew before it is an index."""
    assert not lowered(SUM, bind).contradictions


@pytest.mark.parametrize("expression", ["a[:, None] * s", "a[:, None] * (s * 2) + b[None, :]"])
def test_a_number_may_be_an_operand_beside_columns(expression: str) -> None:
    text = f"from numba import njit\n@njit\ndef outer(a, b, s):\n    return {expression}\n"
    assert not lowered(text, "a=f8[100] b=f8[100] s=2.0").contradictions
    [told] = lowered(text.replace("return ", "return s[0] + "), "a=f8[100] b=f8[100] s=2.0").contradictions
    assert told.startswith("s=2: s is an array")
