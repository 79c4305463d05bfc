"""An array whose length the user gives bounds the sizes that it is walked with."""

from __future__ import annotations

import pytest

import roofscan
from roofscan.report.text import render_text
from tests.support.lowered_source import lowered

HEAD = "from numba import njit\n\n@njit\ndef f(A, x, y, n, w):\n    s = 0.0\n"
TRIANGLE = "    for i in range(n):\n        for j in range(i):\n            s += A[i, j] * x[j]\n    return s\n"
WINDOW = "    for i in range(n):\n        for k in range(w):\n            s += x[i + k]\n    return s\n"
TESTED = "    for i in range(n):\n        if y[i] > 0.0:\n            s += x[i]\n    return s\n"
CLAMPED = "    for i in range(n):\n        s += x[min(i, 9)]\n    return s\n"


@pytest.mark.parametrize(
    ("body", "bind", "conditions"),
    [
        (TRIANGLE, "A=f8[40,50]", {"-n + 40", "-n + 51"}),
        (TRIANGLE, "A=f8[n,n]", set()),
        (WINDOW, "x=f8[100]", {"-n - w + 101"}),
        (WINDOW, "x=f8[100] w=5", {"-n + 96"}),
        (TESTED, "x=f8[30]", set()),  # the walk of x may end earlier
        (CLAMPED, "x=f8[30]", set()),
    ],
)
def test_what_lengths_say_of_sizes(body: str, bind: str, conditions: set[str]) -> None:
    assert {str(guard.expr) for guard in lowered(HEAD + body, bind).guards} == conditions


def test_the_verdict_keeps_to_the_arrays() -> None:
    report = roofscan.analyze(HEAD + TRIANGLE, bind="A=f8[4000,4000]")
    assert report.verdict.sizes == {"n": 4000}
    text = render_text([report.with_time_pieces], 100, colour=False)
    assert "at n = 4000: the largest that the kernel takes" in text
