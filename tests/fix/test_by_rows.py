"""``roofscan fix``: loops along rows for loops down columns, whose scalars become arrays; the same bits, or none."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.finding import Finding, Subject
from roofscan.fix.columns.by_rows import by_rows
from roofscan.fix.model import Fix, Site
from roofscan.fix.offers import Choice, fixed
from roofscan.fix.source import SourceTree
from tests.fix.proof import Proof

HEAD = "import numpy as np\nfrom numba import njit\n\n\n@njit\ndef kernel(x, y):\n    n, p = x.shape\n"
MEANS = """    for j in range(p):
        mean = 0.0
        for i in range(n):
            mean += x[i, j]
        mean /= n
        var = 0.0
        for i in range(n):
            var += (x[i, j] - mean) ** 2
        y[0, j] = var / n
"""
RUNNING = """    for j in range(1, p):
        level = 0
        for i in range(n):
            step = 0.5 * level
            level = step + x[i, j]
            y[i, j] = level + y[i, j - 1]
"""
COUNTED = """    for j in range(p - 1):
        count = 0
        for i in range(n):
            if x[i, j] > 1.0:
                count += 1
        y[0, j] = count
"""
WRAPPED = """    for j in range(p):
        after = j + 1 if j < p - 1 else 0
        for i in range(n):
            y[i, j] = x[i, j] + x[i, after]
"""
TRIANGLE = """    for k in range(p):
        for j in range(k, p):
            s = 0.0
            for i in range(n):
                s += x[i, k] * x[i, j]
            y[0, j] = s + k
"""
BY_ROWS = """    level = np.empty(p)
    for j in range(1, p):
        level[j] = 0
    for i in range(n):
        for j in range(1, p):
            step = 0.5 * level[j]
            level[j] = step + x[i, j]
            y[i, j] = level[j] + y[i, j - 1]
"""


def offered(body: str, of: str = "x[i, j]") -> Fix | None:
    source = SourceTree((HEAD + body).encode())
    [result] = analyze_source(source.text, "k.py", Options()).kernels
    line = next(n for n, text in enumerate(source.text.splitlines(), 1) if of in text)
    function = source.function_at(result.kernel.line)
    assert function is not None
    finding = Finding("RFL201", "k.py", line, 0, "", "kernel", subject=Subject("array", ("x",)))
    return by_rows(Site(finding, result.kernel, source, function))


def body_of(fix: Fix) -> str:
    return fix.module.code.removeprefix(HEAD)


@pytest.mark.parametrize("body", [MEANS, RUNNING, COUNTED, WRAPPED, TRIANGLE])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (2, 5), (4, 3)])
def test_the_bits_are_the_same(body: str, shape: tuple[int, int]) -> None:
    fix, proof = offered(body), Proof()
    assert fix is not None
    x = np.random.default_rng(1).random(shape) + 0.5
    proof.add(HEAD + body, fix, "kernel", {"x": x, "y": x + 1})
    assert proof.runs and not proof.wrong


def test_what_the_parts_share_becomes_an_array() -> None:
    fix = offered(RUNNING)
    assert fix is not None and body_of(fix) == BY_ROWS
    assert fix.safety == "safe" and fix.what == "make j the innermost loop, with level as an array"
    assert fix.assumptions == ("x and y do not overlap", "x is real")


def test_counts_are_integers_and_no_array_has_a_negative_length() -> None:
    fix = offered(COUNTED)
    assert fix is not None and "    count = np.empty(max(p - 1, 0), np.int64)\n" in body_of(fix)


def test_extents_are_integers_and_so_is_what_is_chosen_from_them() -> None:
    fix = offered(WRAPPED, "x[i, after]")
    assert fix is not None and "    after = np.empty(p, np.int64)\n" in body_of(fix)
    assert "y[i, j] = x[i, j] + x[i, after[j]]\n" in body_of(fix)


def test_columns_from_the_one_of_a_loop_around_are_counted_from_zero() -> None:
    """Numba tests subscripts that start elsewhere, and the row stays scalar."""
    fix = offered(TRIANGLE, "x[i, k]")
    assert fix is not None and "for j in range(p - k):\n                s[j + k] += x[i, k] * x[i, j + k]\n" in body_of(
        fix
    )


def test_a_division_may_raise_in_another_iteration() -> None:
    fix = offered(MEANS)
    assert fix is not None and fix.safety == "unsafe"


def test_a_name_in_use_elsewhere_stays_a_number() -> None:
    fix = offered("    level = 1.0\n    y[0, 0] = level\n" + RUNNING)
    assert fix is not None and "level_row[j] = 0\n" in body_of(fix)


@pytest.mark.parametrize(
    "body",
    [
        RUNNING.replace("level = 0\n", "level = y[0, 0]\n"),  # of what an earlier column may have stored
        RUNNING.replace("y[i, j - 1]", "y[i + 1, j - 1]"),  # the row below, of the column before
        RUNNING.replace("range(n)", "range(j)"),  # another range for each column
        RUNNING.replace("        level = 0\n", ""),  # from the column before
        RUNNING + "    y[0, 0] = level\n",  # the last one is used
        RUNNING.replace("level = 0\n", "level = p\n"),  # an integer that becomes a float
        RUNNING.replace("            step", "            if level > 3.0:\n                break\n            step"),
        RUNNING.replace("            step", "            np.random.seed(1)\n            step"),
        RUNNING.replace("range(1, p)", "range(-1, p)"),
        COUNTED.replace("count = 0", "count = False"),
        COUNTED.replace("y[0, j] = count", "y[0, i] = count"),  # the last i
        COUNTED.replace("y[0, j] = count", "y[0, 0] += count"),  # in the order of columns, but every row shares it
    ],
)
def test_none_is_offered(body: str) -> None:
    fix = offered(body)
    if fix is not None:  # legal after all: then it is the same
        proof = Proof()
        x = np.random.default_rng(2).random((4, 3)) + 0.5
        proof.add(HEAD + body, fix, "kernel", {"x": x, "y": x + 1})
        assert not proof.wrong
    assert fix is None or "y[0, 0] += count" in body


def test_columns_that_update_one_element_in_turn_stay() -> None:
    """A matrix by a vector took 1.5 times as long so where it fits a cache: each addition waits for the one before."""
    assert offered("    for j in range(p):\n        for i in range(n):\n            y[i, 0] += x[i, j]\n") is None
    assert offered("    for j in range(p):\n        for i in range(n):\n            y[0, j] += x[i, j]\n") is not None


def test_it_answers_the_finding() -> None:
    text = HEAD + MEANS
    options = Options(select=("RFL201",))
    made = fixed("k.py", text.encode(), options, Choice(unsafe=True), lambda found, _: found)
    assert [line.split(": ")[1] for line in made.fixes] == ["RFL201 kernel"]
    [result] = analyze_source(made.after.decode(), "k.py", options).kernels
    assert "RFL201" not in {finding.code for finding in result.findings}
