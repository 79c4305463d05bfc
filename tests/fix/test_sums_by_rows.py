"""``roofscan fix``: sums and counts over all elements, along the rows; integers keep their bits."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.finding import Finding, Subject
from roofscan.fix.columns.sums_by_rows import sums_by_rows
from roofscan.fix.decorator import SUMS
from roofscan.fix.model import Fix, Site
from roofscan.fix.offers import Choice, fixed
from roofscan.fix.source import SourceTree
from tests.fix.proof import Proof

HEAD = "import numpy as np\nfrom numba import njit\n\n\n@njit\ndef kernel(x, y, t):\n    n, p = x.shape\n"
COUNT = """    c = 0
    for j in range(p):
        for i in range(n):
            if x[i, j] > t:
                c += 1
    return c
"""
SQUARES = """    s = 0.0
    c = 1
    for j in range(1, p):
        # down
        for i in range(n):
            d = x[i, j] - y[i, j]
            s += d * d
            if d < 0.0:
                s -= t
                c += 2
    return s, c
"""
FILLED = """    c = 0
    for j in range(p):
        for i in range(n):
            if x[i, j] > t:
                x[i, j] = y[i, j]
                c += 1
    return c
"""
TRIANGLE = """    s = 0.0
    for j in range(n):
        for i in range(j + 1):
            s += x[i, j]
    return s
"""


def offered(body: str) -> Fix | None:
    source = SourceTree((HEAD + body).encode())
    [result] = analyze_source(source.text, "k.py", Options()).kernels
    line = next(n for n, text in enumerate(source.text.splitlines(), 1) if "x[i, j]" in text)
    function = source.function_at(result.kernel.line)
    assert function is not None
    finding = Finding("RFL201", "k.py", line, 0, "", "kernel", subject=Subject("array", ("x",)))
    return sums_by_rows(Site(finding, result.kernel, source, function))


@pytest.mark.parametrize("body", [COUNT, SQUARES, FILLED, TRIANGLE])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (2, 5), (4, 4)])
def test_the_result_is_the_same(body: str, shape: tuple[int, int]) -> None:
    fix, proof = offered(body), Proof()
    assert fix is not None
    x = np.random.default_rng(1).random(shape)
    proof.add(HEAD + body, fix, "kernel", {"x": x, "y": x[::-1].copy(), "t": 0.5})
    assert proof.runs and not proof.wrong


def test_a_count_is_safe_and_a_sum_is_not() -> None:
    count, squares = offered(COUNT), offered(SQUARES)
    assert count is not None and (count.safety, count.assumptions) == ("safe", ())
    assert "    for i in range(n):\n        for j in range(p):\n            if x[i, j] > t:\n" in count.module.code
    filled = offered(FILLED)
    assert filled is not None and (filled.safety, filled.assumptions) == ("safe", ("x and y do not overlap",))
    assert squares is not None and (squares.safety, squares.why_unsafe) == ("unsafe", SUMS)


@pytest.mark.parametrize(
    "body",
    [
        COUNT.replace("c += 1", "c += 1\n                if c > 3:\n                    c += 1"),  # the sum is read
        COUNT.replace("c += 1", "c = c * 2 + 1"),
        COUNT.replace("c += 1", "c += 1\n                c *= 2"),
        COUNT.replace("c += 1", "c += 1\n                y[0, 0] = x[i, j]"),
        COUNT.replace("c += 1", "c += 1\n                y[i, 0] = x[i, j]"),
        COUNT.replace("c += 1", "c += 1\n                x[i, j] = x[i - 1, j + 1]"),
        COUNT.replace("c += 1", "c += 1\n                break"),
        COUNT.replace("return c", "return c, i"),  # the last row
        COUNT.replace("        for i", "        c += 1\n        for i"),
        SQUARES.replace("return s, c", "return s, c, d"),
        SQUARES.replace("range(n)", "range(int(y[0, j]))"),
    ],
)
def test_none_is_offered(body: str) -> None:
    assert offered(body) is None


def test_it_answers_the_finding() -> None:
    options = Options(select=("RFL201",))
    made = fixed("k.py", (HEAD + COUNT).encode(), options, Choice(), lambda found, _: found)
    assert [line.split(": ")[1] for line in made.fixes] == ["RFL201 kernel"]
    again = fixed("k.py", made.after, options, Choice(unsafe=True), lambda found, _: found)
    assert again.after == made.after
