"""``roofscan fix``: another order of the loops gives the same bits, or is not offered."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.api import FileReport, Options, analyze_source, report_at
from roofscan.cost.transform.interchange import Interchange, legal_orders
from roofscan.cost.transform.perfect_nests import perfect_nests
from roofscan.finding import Finding
from roofscan.fix.interchange import interchanged
from roofscan.fix.model import Fix, Site
from roofscan.fix.offers import Choice, FixedFile, fixed
from roofscan.fix.source import SourceTree
from tests.fix.same_results import of_other_sizes, outcome
from tests.fixture_files import FIXTURES, Fixture, read_fixtures
from tests.oracle.run import record_types
from tests.oracle.words import read_words
from tests.support.fixture_results import FILES, ResultsOf
from tests.support.lowered_source import lowered

TESTS = Path(__file__).parents[1]
MORE_FOLDERS = ("everyday", "adversarial", "fusion")
THOROUGHNESS = int(os.environ.get("ROOFSCAN_TEST_EXAMPLES", "1"))
HEAD = "import numpy as np\nfrom numba import njit\n\n\n@njit\n"
MATMUL = """def matmul(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for i in range(n):  # rows
        for j in range(p):
            acc = 0.0  # from zero
            for k in range(m):
                acc += A[i, k] * B[k, j]
            C[i, j] = acc
"""


def fix(text: str, **choice: bool) -> FixedFile:
    options = Options(kernels="all")
    return fixed("k.py", text.encode(), options, Choice(**choice), lambda findings, _: findings)


def body(text: str, code: str = "") -> str:
    options = Options(kernels="all", select=(code,) if code else ())
    made = fixed("k.py", (HEAD + text).encode(), options, Choice(unsafe=True), lambda findings, _: findings)
    return made.after.decode().removeprefix(HEAD)


FOLDERS = (FIXTURES, *(TESTS / name for name in MORE_FOLDERS if THOROUGHNESS > 1))
"""``fixtures/``, and all folders in a thorough run."""


@pytest.mark.parametrize("path", [p for folder in FOLDERS for p in sorted(folder.glob("*.py"))], ids=lambda p: p.stem)
def test_fixed_fixtures_give_the_same_bits(
    path: Path, results_of: ResultsOf, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """At their own sizes, and at 0, 1, 2 and 5."""
    known = {path.read_text(encoding="utf-8"): results_of(path)} if path in FILES else {}

    def found(text: str, *rest: Any, **more: Any) -> FileReport:
        return known.get(text) or analyze_source(text, *rest, **more)

    monkeypatch.setattr("roofscan.fix.offers.analyze_source", found)
    by_source: dict[str, list[Fixture]] = {}
    for fixture in read_fixtures(path):
        by_source.setdefault(fixture.source, []).append(fixture)
    for source, fixtures in by_source.items():
        made = fix(source)
        for fixture in fixtures if made.fixes else ():
            compare(fixture, made.after.decode())


def compare(fixture: Fixture, after: str) -> None:
    for line in fixture.oracle:
        for words in of_other_sizes(line):
            arguments = read_words(words, fixture.parameters, record_types(fixture.source)).arguments
            before = outcome(fixture.source, fixture.name, arguments)
            if before is not None:
                assert outcome(after, fixture.name, arguments) == before, (fixture.name, words)


# -- every legal order of drawn nests ------------------------------------------------------------------
READS = ("A[{i}, {k}]", "A[{k}, {j}]", "B[{k}, {j}]", "x[{j}]", "x[{k} + 1]", "B[{i} + 1, {j}]", "w", "A[{j}, {i}]")
STORES = ("C[{i}, {j}]", "C[{i}, {k}]", "y[{j}]", "C[{j}, {i}]", "B[{i}, {j}]", "y[{k}]")
BETWEEN = ("", "", "C[{i}, {j}] = 0.0", "t = x[{i}]", "acc = 0.5", "y[{i}] = 0.0", "t = {i} + 1")


@st.composite
def nests(draw: st.DrawFn) -> str:
    names = dict(zip("ijk", "ijk", strict=True))
    read, more = draw(st.sampled_from(READS)), draw(st.sampled_from((*READS, "t")))
    store, op = draw(st.sampled_from((*STORES, "acc"))), draw(st.sampled_from(("=", "+=", "-=", "*=")))
    lines = ["t = 2.0", "acc = 0.0", "for i in range(n):"]
    if draw(st.booleans()):
        lines.append(f"    {draw(st.sampled_from(BETWEEN))}")
    lines.append("    for j in range(m):")
    lines.append(f"        {draw(st.sampled_from(BETWEEN))}")
    lines.append(f"        for k in range({draw(st.sampled_from(('p', 'p', 'j', 'n')))}):")
    lines.append(f"            {store} {op} {read} * {more}")
    lines.append(
        f"        {draw(st.sampled_from(('', 'C[{i}, {j}] = acc', 'C[{i}, {j}] = 2.0 * acc', 'y[{j}] = acc')))}"
    )
    lines.append(draw(st.sampled_from(("return 0.0", "return acc", "return t", "return y[0]"))))
    inner = "".join(f"    {line.format(**names)}\n" for line in lines if line.strip())
    return f"{HEAD}def f(A, B, C, x, y, w, n, m, p):\n{inner}"


WORDS = "n=4 m=3 p=5 A=f8[9,9] B=f8[9,9] C=f8[9,9] x=f8[9] y=f8[9] w=1.5"


def fixes_of(text: str) -> Iterator[Fix]:
    """The fixes for every legal order of the nests, whether it pays or not."""
    kernel = lowered(text)
    for perfect in perfect_nests(kernel):
        for order in legal_orders(kernel, perfect.nest):
            if not order.as_written:
                source = SourceTree(text.encode())
                function = source.function_at(kernel.line)
                assert function is not None
                record = Interchange(perfect, order).record
                finding = Finding("RFL202", "k.py", kernel.line, 0, "", kernel.name, transformation=record)
                made = interchanged(Site(finding, kernel, source, function))
                if made is not None:
                    yield made


@settings(max_examples=40 * THOROUGHNESS, deadline=None)
@given(nests())
def test_every_legal_order_gives_the_same_bits(text: str) -> None:
    arguments = read_words(WORDS, ("A", "B", "C", "x", "y", "w", "n", "m", "p")).arguments
    before = outcome(text, "f", arguments)
    for made in fixes_of(text):
        assert outcome(made.module.code, "f", arguments) == before, made.module.code


# -- what is offered, and what is not ----------------------------------------------------------------
def test_an_accumulator_gives_way_to_the_element_that_it_ends_in() -> None:
    assert (
        body(MATMUL)
        == """def matmul(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for i in range(n):  # rows
        for j in range(p):
            C[i, j] = 0.0  # from zero
        for k in range(m):
            for j in range(p):
                C[i, j] += A[i, k] * B[k, j]
"""
    )


def test_a_fixed_file_has_nothing_left_to_fix() -> None:
    made = fix(HEAD + MATMUL)
    assert fix(made.after.decode()).after == made.after != (HEAD + MATMUL).encode()


def test_a_fix_names_what_it_assumes() -> None:
    [line] = fix(HEAD + MATMUL).fixes
    assert "safe; assumes A and C do not overlap; assumes B and C do not overlap; assumes C is float64" in line
    assert not fix(HEAD + MATMUL, assume=False).fixes


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("C[i, j] = acc\n", "C[i, j] = acc\n    return acc\n"), "the scalar is read afterwards"),
        (("C[i, j] = acc\n", "C[i, j] = acc\n    C[0, 0] = k\n"), "a loop variable is read afterwards"),
        (("acc += A", "print(k)\n                acc += A"), "a call has an effect"),
    ],
)
def test_nests_that_stay_as_they_are(change: tuple[str, str], why: str) -> None:
    text = HEAD + MATMUL.replace(*change)
    assert not fix(text).fixes, why


def test_rows_of_a_triangle_stay_where_threads_share_its_columns() -> None:
    """They are scalar code in a ``prange``: 90 columns took 1.15 times as long in the other order."""
    loops = "    for i in range(n):\n        for j in range(i, n):\n            s = 0.0\n"
    body = f"{loops}            for k in range(n):\n                s += X[k, i] * X[k, j]\n            C[i, j] = s\n"
    head = "import numpy as np\nfrom numba import njit, prange\n\n\n@njit{}\ndef f(X, C):\n    n = X.shape[0]\n"
    threads = head.format("(parallel=True)") + body.replace("range(n)", "prange(n)", 1)
    assert any("in the order" in line for line in fix(head.format("") + body).fixes)
    assert not any("in the order" in line for line in fix(threads).fixes)


@pytest.mark.parametrize("stored", ["C[0, 0] = acc", "C[i, j] = acc * C[i, j]"])
def test_a_scalar_for_which_no_element_can_stand_becomes_an_array(stored: str) -> None:
    """An element that all iterations store, or that is read."""
    text = HEAD + MATMUL.replace("C[i, j] = acc", stored)
    made, draw = fix(text), np.random.default_rng(2)
    assert "make j the innermost loop, with acc as an array (safe" in made.fixes[0]
    for n, m, p in ((0, 2, 3), (2, 0, 3), (3, 2, 1), (4, 5, 6)):
        arguments = {"A": draw.random((n, m)), "B": draw.random((m, p)), "C": draw.random((max(n, 1), max(p, 1)))}
        assert outcome(text, "matmul", arguments) == outcome(made.after.decode(), "matmul", arguments) is not None


def test_a_division_that_may_raise_is_unsafe() -> None:
    text = HEAD + "def f(A, B):\n    for j in range(A.shape[1]):\n        for i in range(A.shape[0]):\n"
    text += "            B[i, j] = A[i, j] / A[i, 0]\n"
    assert not fix(text).fixes
    [line] = [line for line in fix(text, unsafe=True).fixes if "RFL523" not in line]
    assert "unsafe: a division by zero raises in another iteration" in line


BY_ONE_NUMBER = (
    HEAD
    + """def f(A, B, h):
    for j in range(1, A.shape[1]):
        for i in range(A.shape[0]):
            B[i, j] = (A[i, j] - A[i, j - 1]) / (2.0 * h)
"""
)
BY_SEVERAL = (
    ("/ (2.0 * h)", "/ (A[i, 0] * h)"),
    ("/ (2.0 * h)", "* (0.0 if A[i, j] == 1.0 else 1.0 / h)"),
    ("            B[i, j] =", "            h -= 1.0\n            B[i, j] ="),
    ("            B[i, j] =", "            if A[i, j] != 1.0:\n                B[i, j] ="),
    ("range(1, A.shape[1])", "range(A.shape[1] // h)"),
    ("        for i", "        B[0, j] = 0.0\n        for i"),
    ("@njit", "@njit(parallel=True)"),
)


def test_a_division_by_one_number_raises_in_the_same_iteration() -> None:
    """In the first one, in either order: nothing else has been stored by then."""
    made = fix(BY_ONE_NUMBER)
    assert [line for line in made.fixes if "in the order i, j (safe; assumes A and B do not overlap)" in line]
    for rows, columns, h in ((3, 4, 2.0), (3, 4, 0.0), (0, 4, 0.0), (3, 1, 0.0)):
        texts = (text.replace("(2.0 * h)", "(2.0 * h[0])") for text in (BY_ONE_NUMBER, made.after.decode()))
        both = [_left_behind(text, np.random.default_rng(1).random((rows, columns)), h) for text in texts]
        assert both[0] == both[1]


def _left_behind(text: str, A: np.ndarray[Any, Any], h: float) -> tuple[str, bytes]:
    """The error of a run, if any, and what it had stored. Of lists: one number of NumPy divides by 0."""
    namespace: dict[str, Any] = {}
    exec(text.replace("@njit", "").replace("from numba import njit", ""), namespace)
    B = np.zeros_like(A)
    try:
        namespace["f"](A.astype(object), B, [h])
    except ZeroDivisionError as error:
        return str(error), B.tobytes()
    return "", B.tobytes()


@pytest.mark.parametrize(("old", "new"), BY_SEVERAL)
def test_any_other_division_may_raise_later(old: str, new: str) -> None:
    made = fix(BY_ONE_NUMBER.replace(old, new))
    assert not [line for line in made.fixes if "in the order" in line]


@pytest.mark.parametrize("data", [b"# caf\xe9\n", b"\xef\xbb\xbf# bom\n"])
def test_encoding_and_line_ends_stay(data: bytes) -> None:
    head = b"# -*- coding: latin-1 -*-\n" if data.startswith(b"# caf") else b""
    before = (head + data + (HEAD + MATMUL).encode()).replace(b"\n", b"\r\n")
    made = fixed("k.py", before, Options(), Choice(), lambda findings, _: findings)
    assert bool(made.fixes) or made.problem
    assert made.after.count(b"\r\n") == made.after.count(b"\n") and made.after.startswith(before[:8])


def test_the_fixed_source_has_the_figures_that_were_promised() -> None:
    """The intensity that the advice gives is that of the source which the fix writes, at the level that binds."""
    [before] = analyze_source(HEAD + MATMUL).kernels
    [after] = analyze_source(fix(HEAD + MATMUL).after.decode()).kernels
    [advice] = [a for a in before.reports[0].advice if a.kind == "interchange"]
    assert advice.intensity is not None
    assert not [a for a in after.reports[0].advice if a.kind == "interchange"]
    verdict = before.reports[0].verdict
    promised = advice.intensity.flops.evaluate(verdict.sizes) / advice.intensity.bytes.evaluate(verdict.sizes)
    [found] = [row.intensity for row in report_at(after.reports[0], verdict.sizes).levels if row.name == verdict.level]
    assert found is not None and f"at {verdict.level};" in advice.message
    assert found.flops.evaluate(verdict.sizes) / found.bytes.evaluate(verdict.sizes) == pytest.approx(
        promised, rel=0.01
    )


RELAX = """def relax(A, B, w, steps):
    n, m = A.shape
    for step in range(steps):
        for j in range(1, m - 1):
            for i in range(1, n - 1):
                A[i, j] = A[i, j] + w * B[i, j]
"""


def test_a_row_moves_innermost_where_an_element_would_wait_for_itself() -> None:
    """Over steps innermost no element moves, and each addition waits for the one before."""
    after = body(RELAX)
    loops = [line.split()[1] for line in after.splitlines() if line.strip().startswith("for")]
    assert loops == ["i", "step", "j"]
    for words in of_other_sizes("A=f8[5,7] B=f8[5,7] w=1.5 steps=4"):
        given = read_words(words, ("A", "B", "w", "steps")).arguments
        assert outcome(HEAD + after, "relax", given) == outcome(HEAD + RELAX, "relax", given) is not None


OWN_ELEMENT = """def add_product(A, B, C):
    n, m = A.shape
    for i in range(n):
        for j in range(B.shape[1]):
            t = C[i, j]
            for k in range(m):
                t += A[i, k] * B[k, j]
            C[i, j] = t
"""
BLOCKS = """def by_blocks(A, B, C):
    n = A.shape[0]
    for kk in range(0, n, 4):
        for i in range(n):
            for j in range(n):
                for k in range(kk, min(kk + 4, n)):
                    C[i, j] += A[i, k] * B[k, j]
"""
CHANNELS = """def gray(A, B):
    h, w, _ = A.shape
    for x in range(w):
        for y in range(h):
            B[y, x] = 0.3 * A[y, x, 0] + 0.6 * A[y, x, 1] + 0.1 * A[y, x, 2]
"""
ORDERS = (
    (OWN_ELEMENT, "i k j", "A=f8[5,7] B=f8[7,3] C=f8[5,3]"),
    (OWN_ELEMENT.replace("= t\n", "= t * 2.0 + 1.0\n"), "i k j j", "A=f8[5,7] B=f8[7,3] C=f8[5,3]"),
    (BLOCKS, "kk i k j", "A=f8[7,7] B=f8[7,7] C=f8[7,7]"),
    (CHANNELS, "y x", "A=f8[5,7,3] B=f8[5,7]"),
)


@pytest.mark.parametrize(("text", "order", "words"), ORDERS)
def test_loops_change_places_and_results_stay(text: str, order: str, words: str) -> None:
    """An accumulator that starts from the element it ends in; blocks, around what they cut; short strides."""
    after = body(text, "RFL202")
    assert " ".join(line.split()[1] for line in after.splitlines() if line.strip().startswith("for ")) == order
    names = tuple(re.findall(r"\w+", after.partition("(")[2].partition(")")[0]))
    name = text.partition("(")[0].removeprefix("def ")
    for arguments in (read_words(each, names).arguments for each in of_other_sizes(words)):
        assert outcome(HEAD + after, name, arguments) == outcome(HEAD + text, name, arguments)


@pytest.mark.parametrize("again", ("t += C[i, j] * B[k, j]", "t += t * B[k, j] + C[0, j]"))
def test_an_element_that_is_read_again_keeps_its_accumulator(again: str) -> None:
    text = HEAD + OWN_ELEMENT.replace("t += A[i, k] * B[k, j]", again)
    arguments = read_words("A=f8[5,7] B=f8[7,3] C=f8[5,3]", ("A", "B", "C")).arguments
    for made in fixes_of(text):
        assert outcome(made.module.code, "add_product", arguments) == outcome(text, "add_product", arguments)


def test_a_comment_behind_a_loop_goes_with_it() -> None:
    text = "def f(A, B):\n    for j in range(A.shape[1]):  # columns\n        for i in range(A.shape[0]):  # rows\n"
    made = body(text + "            B[i, j] = A[i, j] * 2.0\n")
    assert "for i in range(A.shape[0]):  # rows\n        for j in range(A.shape[1]):  # columns\n" in made


def test_rows_that_wait_for_each_addition_are_added_up_in_any_order() -> None:
    """In order they take longer than the columns where the data fit a cache: 0.6 of the speed at 127 rows."""
    columns = (
        "def residual(A, x, b):\n    n = b.size\n    r = np.zeros(n)\n    for j in range(n):\n"
        "        for i in range(n):\n            r[i] += A[i, j] * x[j]\n    return b - r\n"
    )
    made = fix(HEAD + columns, unsafe=True)
    assert 'in the order i, j, with fastmath={"reassoc", "nsz"} (unsafe: sums are added up in' in made.fixes[0]
    assert fix(HEAD + columns).fixes == () and not fix(HEAD + columns, unsafe=True, fastmath=False).fixes
