"""``roofscan fix``: elements in scalars (RFL524, RFL525) give the same bits, or are not offered."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.finding import Finding, Subject
from roofscan.fix.model import Fix, Site
from roofscan.fix.once.power_divisors import divisors_before
from roofscan.fix.scalars import copied_divisors, copied_elements, register_sums
from roofscan.fix.source import SourceTree
from tests.fix.same_results import outcome
from tests.fix.test_interchange import HEAD, THOROUGHNESS, body
from tests.oracle.words import read_words
from tests.support.lowered_source import lowered

PARAMETERS = ("A", "B", "x", "y", "n", "m")
WORDS = "n={n} m={n} A=f8[9,9] B=f8[9,9] x=f8[9] y=f8[9]"
READS = ("A[i, k]", "A[i, i]", "A[k, k]", "A[k, {j}]", "x[k]", "x[{j}]", "A[i, k - 1]", "A[i, 0]", "y[i]", "B[i, {j}]")
STORES = ("A[i, {j}]", "A[i, {j} + 1]", "x[{j}]", "A[{j}, i]", "A[i, k]", "y[i]", "y[k]", "x[0]", "s")
RANGES = ("k + 1, n", "k, n", "n", "1, k", "i + 1, n - 1", "k + 2, n - 1")


@st.composite
def sweeps(draw: st.DrawFn) -> str:
    lines = [
        "s = 1.0",
        "for k in range(1, n - 1):",
        f"    for i in range({draw(st.sampled_from(('k + 1, n', 'n', 'k')))}):",
    ]
    lines += draw(st.sampled_from(([], ["        y[i] = 0.0"])))
    lines.append(f"        for j in range({draw(st.sampled_from(RANGES))}):")
    for _ in range(draw(st.integers(1, 2))):
        reads = (draw(st.sampled_from(READS)) for _ in range(2))
        store, op = draw(st.sampled_from(STORES)), draw(st.sampled_from(("=", "+=", "+=", "-=")))
        lines.append("            " + f"{store} {op} {' * '.join(reads)}".format(j="j"))
    return f"{HEAD}def f({', '.join(PARAMETERS)}):\n" + "".join(f"    {line}\n" for line in [*lines, "return s"])


def fix_of(text: str, code: str, write: Callable[[Site], Fix | None], name: str = "j") -> Fix | None:
    kernel, source = lowered(text), SourceTree(text.encode())
    function = source.function_at(kernel.line)
    assert function is not None
    [line] = [n for n, row in enumerate(text.splitlines(), 1) if f"for {name} in" in row]
    finding = Finding(code, "k.py", line, 0, "", kernel.name, subject=Subject("loop", (name,)))
    return write(Site(finding, kernel, source, function))


@settings(max_examples=40 * THOROUGHNESS, deadline=None)
@given(sweeps(), st.sampled_from((0, 1, 2, 5, 9)), st.booleans())
def test_an_element_in_a_scalar_gives_the_same_bits(text: str, n: int, adds: bool) -> None:
    made = fix_of(text, "RFL52x", register_sums if adds else copied_elements)
    if made is None:
        return
    arguments = read_words(WORDS.format(n=n), PARAMETERS).arguments
    before = outcome(text, "f", arguments)
    if before is not None:
        assert outcome(made.module.code, "f", arguments) == before, made.module.code


LU = """def lu(A):
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            # the rest of the row
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
"""
SCALED = """def scaled(x, y, total):
    total[0] = 0.0
    for i in range(len(x)):
        total[0] += x[i]
        y[i] = 2.0 * x[i]
"""


def test_a_factor_and_the_start_of_its_row() -> None:
    assert body(LU).endswith(
        """            # the rest of the row
            a_element = A[i, k]
            for j in range(n - k - 1):
                A[i, j + k + 1] -= a_element * A[k, j + k + 1]
"""
    )


def test_a_sum_is_stored_behind_the_loop() -> None:
    made = fix_of(HEAD + SCALED, "RFL524", register_sums, "i")
    assert made is not None and made.assumptions == (
        "total and x do not overlap", "total and y do not overlap", "total is float64",
    )  # fmt: skip
    assert "    total_sum = total[0]\n    for i in range(len(x)):\n        total_sum += x[i]\n" in made.module.code
    assert made.module.code.endswith("    total[0] = total_sum\n")


@pytest.mark.parametrize("read", ["A[i, k + 1]", "A[i, n - 1]", "A[i, j - 1]"])
def test_an_element_that_an_iteration_may_write_stays(read: str) -> None:
    assert fix_of(HEAD + LU.replace("-= A[i, k]", f"-= {read}"), "RFL525", copied_elements) is None


def test_aliased_arguments_are_named() -> None:
    """Where they do overlap, the result differs: the assumption is needed."""
    made = fix_of(HEAD + SCALED, "RFL524", register_sums, "i")
    assert made is not None
    results = []
    for code in (HEAD + SCALED, made.module.code):
        scope: dict[str, Callable[..., None]] = {}
        exec(compile(code.replace("from numba import njit", "").replace("@njit", ""), "<kernel>", "exec"), scope)
        x = np.arange(1.0, 5.0)
        scope["scaled"](x, np.zeros(4), x[1:2])
        results.append(x.tolist())
    assert results[0] != results[1]


# -- divisors -----------------------------------------------------------------------------------------
DIVISORS = (
    "x[i]",
    "x[k]",
    "A[i, i]",
    "B[i, k]",
    "x[j]",
    "A[i, {j}]",
    "x[-1]",
    "2.0",
    "s",
    "x[i + 1]",
    "(x[i])",
    "B[i]",
)


@st.composite
def divisions(draw: st.DrawFn) -> str:
    lines = ["s = 2.0", "k = 1", "for i in range(n - 1):", f"    for j in range({draw(st.sampled_from(RANGES))}):"]
    for _ in range(draw(st.integers(1, 2))):
        store, op = draw(st.sampled_from(STORES)), draw(st.sampled_from(("=", "+=", "/=")))
        over = draw(st.sampled_from(DIVISORS))
        value = over if op == "/=" else f"{draw(st.sampled_from(READS))} / {over}"
        lines.append("        " + f"{store} {op} {value}".format(j="j"))
    return f"{HEAD}def f({', '.join(PARAMETERS)}):\n" + "".join(f"    {line}\n" for line in [*lines, "return s"])


@settings(max_examples=40 * THOROUGHNESS, deadline=None)
@given(divisions(), st.sampled_from((0, 1, 2, 5, 9)), st.booleans())
def test_a_divisor_in_a_scalar_gives_the_same_bits(text: str, n: int, zero: bool) -> None:
    made = fix_of(text, "RFL523", copied_divisors)
    if made is None:
        return
    left = []
    for source in (text, made.module.code):
        arguments = read_words(WORDS.format(n=n), PARAMETERS).arguments
        if zero:
            arguments["x"][0] = 0.0  # type: ignore[index]
        left.append(outcome(source, "f", arguments))
    assert left[0] == left[1] and made.safety == "safe"


SCALE = """def scale(A, x):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):  # along the row
            A[i, j] = A[i, j] / x[i]
"""


def test_a_divisor_that_a_row_shares_is_copied() -> None:
    made = fix_of(HEAD + SCALE, "RFL523", copied_divisors)
    assert made is not None and made.assumptions == ("A and x do not overlap", "x[i] exists")
    assert made.module.code.removeprefix(HEAD) == SCALE.replace("/ x[i]", "/ x_element").replace(
        "        for j", "        x_element = x[i]\n        for j"
    )


@pytest.mark.parametrize("divisor", ["x[j]", "A[i, 0]", "(x[i] + 1.0)", "x", "np.abs(x[i])", "x[i:]"])
def test_another_divisor_stays(divisor: str) -> None:
    assert fix_of(HEAD + SCALE.replace("/ x[i]", f"/ {divisor}"), "RFL523", copied_divisors) is None


# -- powers -------------------------------------------------------------------------------------------
POWERS = (
    "s**2",
    "(2 * s**2)",
    "(s**2 + k**3)",
    "(s * 1.5)**2",
    "s**2 * k",
    "s",
    "2.0",
    "x[i]**2",
    "k**2",
    "s**-2",
    "j**2",
)


@settings(max_examples=30 * THOROUGHNESS, deadline=None)
@given(st.lists(st.sampled_from(POWERS), min_size=1, max_size=3), st.sampled_from((0, 1, 2, 5)), st.booleans())
def test_a_divisor_before_the_loop_gives_the_same_bits(over: list[str], n: int, zero: bool) -> None:
    lines = [f"    s = {0.0 if zero else 0.3}", "    k = 3", "    for i in range(n - 1):", "        for j in range(n):"]
    lines += [f"            A[i, j] {op} {d}" for d, op in zip(over, ("= x[j] /", "/=", "+= 1.5 /"), strict=False)]
    text = f"{HEAD}def f({', '.join(PARAMETERS)}):\n" + "".join(f"{line}\n" for line in [*lines, "    return s"])
    made = fix_of(text, "RFL523", divisors_before)
    assert made is not None or not {*over} <= {*POWERS[:5]}
    if made is not None:
        left = [
            outcome(source, "f", read_words(WORDS.format(n=n), PARAMETERS).arguments)
            for source in (text, made.module.code)
        ]
        assert left[0] == left[1] and made.safety == "safe"


def test_each_power_has_a_name() -> None:
    made = fix_of(
        HEAD + SCALE.replace("A, x)", "A, x, h)").replace("/ x[i]", "/ h**2 + 1 / (2 * h**2)"),
        "RFL523",
        divisors_before,
    )
    assert made is not None
    assert (
        made.module.code.removeprefix(HEAD)
        == """def scale(A, x, h):
    for i in range(A.shape[0]):
        divisor = h**2
        divisor2 = 2 * h**2
        for j in range(A.shape[1]):  # along the row
            A[i, j] = A[i, j] / divisor + 1 / divisor2
"""
    )


TWO = """def f(A, x, n):
    for k in range(1, n - 1):
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * x[j] + A[i, 0]
"""


def test_two_elements_of_one_array_get_two_names() -> None:
    made = fix_of(HEAD + TWO, "RFL525", copied_elements)
    assert made is not None and "A[i, j] -= a_element * x[j] + a_element2" in made.module.code
