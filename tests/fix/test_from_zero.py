"""``roofscan fix``: loops that count from 0 (RFL520) give the same bits, or are not offered."""

from __future__ import annotations

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.api import Options, check_source
from roofscan.finding import Finding, Subject
from roofscan.fix.from_zero import from_zero
from roofscan.fix.linear import Linear, linear
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import SourceTree
from tests.fix.same_results import outcome
from tests.fix.test_interchange import HEAD, THOROUGHNESS, body
from tests.oracle.words import read_words
from tests.support.lowered_source import lowered

PARAMETERS = ("x", "y", "U", "V", "n", "m", "lo", "t")
WORDS = "n={n} m={m} lo=3 t=2 x=f8[22] y=f8[22] U=f8[22,22] V=f8[22,22]"
READS = (
    "x[{j}]",
    "x[{j} - 2]",
    "y[{j} + 1]",
    "y[2 * {j} - {j}]",
    "U[k, {j}]",
    "U[{j}, k]",
    "U[{j}, {j}]",
    "U[{j} - k, {j}]",
    "V[k - 1, {j} + 2]",
    "x[n - 1]",
)
MORE = ("V[1, {j}]", "{j}", "0.5 * {j}", "x[{j} - k]", "x[k + {j}]", "s")
STORES = ("y[{j}]", "V[k, {j}]", "V[k, {j} + 1]", "x[{j} - 1]", "s")
STARTS = ("2", "4", "k + 1", "k", "lo", "lo - 1", "k - 1", "jj", "jj + 1", "n // 2", "-3")


@st.composite
def walks(draw: st.DrawFn) -> str:
    start = draw(st.sampled_from(STARTS))
    lines = ["s = 0.0", f"for k in range({draw(st.sampled_from(('1, m', 'm', '2, m')))}):"]
    depth = 1
    if "jj" in start:
        lines.append(
            f"    for jj in range({draw(st.sampled_from(('0', '2')))}, n, {draw(st.sampled_from(('4', 't')))}):"
        )
        depth = 2
    stop = draw(st.sampled_from(("n", "n - 2", "min(n, k + 3)", "(n + m) // 2")))
    lines.append("    " * depth + f"for j in range({start}, {stop}):")
    for _ in range(draw(st.integers(1, 3))):
        reads = (draw(st.sampled_from((*READS, *MORE))) for _ in range(2))
        text = f"{draw(st.sampled_from(STORES))} {draw(st.sampled_from(('=', '+=')))} {' * '.join(reads)}"
        lines.append("    " * (depth + 1) + text.format(j="j"))
    lines.append(draw(st.sampled_from(("return s", "return 0.0", "return x[0]"))))
    return f"{HEAD}def f({', '.join(PARAMETERS)}):\n" + "".join(f"    {line}\n" for line in lines)


def fix_of(text: str, name: str = "j") -> Fix | None:
    kernel, source = lowered(text), SourceTree(text.encode())
    function = source.function_at(kernel.line)
    assert function is not None
    lines = tuple(n for n, row in enumerate(text.splitlines(), 1) if f"for {name} in" in row)
    finding = Finding("RFL520", "k.py", lines[0], 0, "", kernel.name, subject=Subject("loop", (name,)), lines=lines)
    return from_zero(Site(finding, kernel, source, function))


@settings(max_examples=40 * THOROUGHNESS, deadline=None)
@given(walks(), st.sampled_from((0, 1, 2, 7, 12)), st.sampled_from((0, 1, 2, 5)))
def test_a_loop_from_zero_gives_the_same_bits(text: str, n: int, m: int) -> None:
    made = fix_of(text)
    arguments = read_words(WORDS.format(n=n, m=m), PARAMETERS).arguments
    if made is not None and set(made.assumptions) <= {"lo is not negative", "lo - 1 is not negative"}:
        assert outcome(made.module.code, "f", arguments) == outcome(text, "f", arguments), made.module.code


SMOOTH = """def smooth(x, y):
    for i in range(2, len(x) - 2):  # inner
        y[i] = x[i - 2] + x[i + 2] * i
"""
BLOCKS = """def blocks(A, B, C, size):
    n = A.shape[0]
    for jj in range(0, n, size):
        for i in range(n):
            for k in range(n):
                # a part of a row
                for j in range(jj, min(jj + size, n)):
                    C[i, j] += A[i, k] * B[k, j]
"""


def test_a_number_moves_into_the_subscripts() -> None:
    assert (
        body(SMOOTH)
        == """def smooth(x, y):
    for i in range(len(x) - 4):  # inner
        y[i + 2] = x[i] + x[i + 4] * (i + 2)
"""
    )


def test_the_loops_around_count_from_0_too() -> None:
    text = "def star(u, v):\n    n, m = u.shape\n    for i in range(2, n - 2):\n        for j in range(2, m - 2):\n"
    made = body(text + "            u[i, j] = v[i - 2, j] + v[i, j + 2]\n")
    assert "    for i in range(n - 4):\n        for j in range(m - 4):\n" in made
    assert "            u[i + 2, j + 2] = v[i, j + 2] + v[i + 2, j + 4]\n" in made


def test_a_block_gets_views() -> None:
    made = body(BLOCKS)
    assert "                # a part of a row\n                C_row = C[i, jj:]\n" in made
    assert "for j in range(min(jj + size, n) - jj):\n                    C_row[j] += A[i, k] * B_row[j]" in made
    assert not check_source(HEAD + made, options=Options(select=("RFL520",)))


ROWS = """def f(U, V, k, lo, n):
    for j in range(lo, n):
        U[k, j] = 0.0
    for i in range(3):
        for j in range(lo, n):
            U[k, j] += V[i, j]
"""


@pytest.mark.parametrize(
    ("change", "views"),
    [
        (("", ""), 1),
        (("+= V[i, j]", "+= U[i, j]"), 2),  # another row, by another name
        (
            ("        for j", "        for j in range(lo, n):\n            U[i, j] = 1.0\n        for j"),
            3,
        ),  # by the same
        (("    for i in", "    k = k - 1\n    for i in"), 2),
        (
            (
                "        for j in range(lo, n):\n            U",
                "        k = i\n        for j in range(lo, n):\n            U",
            ),
            2,
        ),
        (("    for j in range(lo, n):\n        U", "    if n > 2:\n      for j in range(lo, n):\n        U"), 2),
    ],
)
def test_a_view_that_stands_is_not_made_again(change: tuple[str, str], views: int) -> None:
    text = HEAD + ROWS.replace(*change, 1)
    made = fix_of(text)
    assert made is not None
    rows = [line for line in made.module.code.splitlines() if " = U[" in line]
    assert len(rows) == views, made.module.code
    for n in (0, 2, 5):
        arguments = read_words(f"n={n} lo=1 k=2 U=f8[6,6] V=f8[6,6]", ("U", "V", "k", "lo", "n")).arguments
        assert outcome(made.module.code, "f", arguments) == outcome(text, "f", arguments) is not None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("x[i + 2] * i", "x[i + 2]\n    y[0] = i"), "the variable is read afterwards"),
        (("range(2, len(x) - 2)", "range(2, len(x) - 2, 2)"), "it does not count by one"),
        (("x[i + 2] * i", "x[i + 2]\n        i = 3"), "the variable is bound in the loop"),
    ],
)
def test_loops_that_stay(change: tuple[str, str], why: str) -> None:
    assert fix_of(HEAD + SMOOTH.replace(*change), "i") is None, why


@pytest.mark.parametrize("place", ["U[j, j]", "U[k - j, j]", "U[k, 2 * j]", "U[j + k, j]"])
def test_a_diagonal_is_no_row(place: str) -> None:
    text = f"def f(U, y, k, lo, n):\n    for j in range(lo, n):\n        y[j] = {place}\n"
    assert fix_of(HEAD + text) is None
    assert fix_of(HEAD + text.replace(place, "U[k, j]")) is not None


@pytest.mark.parametrize("text", ["j + 2", "2 * j - k", "-j", "n - (j - 3)", "k - n"])
def test_sums_print_what_they_are(text: str) -> None:
    found = linear(cst.parse_expression(text))
    assert found is not None and linear(found.node()) == found
    assert found.minus(found) == Linear()
