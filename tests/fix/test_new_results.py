"""``roofscan fix --unsafe``: whole-array statements that end in a sum or in a new array become one loop that gives the
same numbers, or are left as they are."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.fix.array_loops.compiled_part import compiled_part
from tests.fix.test_interchange import HEAD, THOROUGHNESS
from tests.fix.test_one_loop import FORMS, IMPORTS, PRAGMA, arguments, fixes_of, outcome

OPERANDS = (
    ("x", "y", "z", "alpha", "x[:]"),
    ("y[1:-1]", "x[2:]", "z[:-2]", "alpha"),
    ("U", "V", "alpha", "x", "3.0"),
    ("U[1:, 1:]", "V[:-1, 1:]", "alpha", "x[1:]"),
    ("U[k]", "x", "V[:, k]", "y"),
    ("x", "y[1:]", "U", "z", "2.0"),
)
ENDS = (
    "return np.sum({})",
    "return np.sqrt(np.sum({}) * alpha)",
    "return ({}).sum()",
    "s += np.sum({})\n    return s",
    "return {}",
    "w = {}\n    return w",
    "w = {}\n    return np.sum(w) + w[0]",
)


@st.composite
def functions(draw: st.DrawFn) -> str:
    compiled, operands = draw(st.booleans()), draw(st.sampled_from(OPERANDS))

    def expression(*more: str) -> str:
        known = (*operands, *more * 3)
        one = draw(st.sampled_from(FORMS)).format(*(draw(st.sampled_from(known)) for _ in range(2)))
        return f"({one}) * {draw(st.sampled_from(known))}" if draw(st.booleans()) else one

    lines, made = ["s = alpha * 2.0"], list[str]()
    for name in ("t", "v")[: draw(st.integers(0, 2))]:
        lines.append(f"{name} = {expression(*made)}")
        made.append(name)
    end = draw(st.sampled_from(ENDS)).format(expression(*made))
    head = PRAGMA + ("@njit\n" if compiled else "") + "def f(x, y, z, U, V, alpha, k):\n"
    return IMPORTS + head + "".join(f"    {line}\n" for line in (*lines, end))


@settings(max_examples=40 * THOROUGHNESS, deadline=None)
@given(functions(), st.sampled_from((0, 1, 2, 5, 7)), st.integers(0, 20))
def test_new_results_are_the_same_numbers(text: str, n: int, seed: int) -> None:
    parts = fixes_of(text, [compiled_part]) if n != 1 else []  # arrays of one element are broadcast
    for made in (*fixes_of(text), *parts):
        for pair in (None, *permutations("xyz", 2), ("U", "V")):
            before = outcome(text, arguments(n, seed, pair))
            if before is not None:
                after = outcome(made.module.code, arguments(n, seed, pair))
                assert after is not None, made.module.code
                for one, other in zip(before, after, strict=True):
                    if one is not None:
                        np.testing.assert_allclose(one, other, 1e-12, 1e-9, err_msg=made.module.code)


DISTANCE = (
    "# roofscan: x=f8[n] y=f8[n]\n@njit\ndef f(x, y):\n    d = x - y  # apart\n    return np.sqrt(np.sum(d * d))\n"
)


def test_a_sum_needs_no_array() -> None:
    [made] = {fix.module.code: fix for fix in fixes_of(IMPORTS + DISTANCE)}.values()
    assert made.module.code.endswith(
        "    # apart\n    total = 0.0\n    for i in range(len(x)):\n        d = x[i] - y[i]\n        total += d * d\n"
        "    return np.sqrt(total)\n"
    )
    assert made.what == "write lines 8 and 9 as one loop"
    assert made.why_unsafe == "shapes that do not match raise no error"
    assert made.assumptions == ("x and y match in shape", "x and y are float64")


def test_the_order_of_sums_over_several_axes_is_told() -> None:
    text = DISTANCE.replace("f8[n]", "f8[n,n]")
    assert "another order" in fixes_of(IMPORTS + text)[0].why_unsafe


def test_rows_become_sums() -> None:
    head = "# roofscan: X=f8[n,8] c=f8[8]\n@njit\ndef f(X, c, out):\n    for i in range(X.shape[0]):\n"
    text = f"{head}        d = X[i] - c\n        out[i] = np.sum(d * d)\n"
    [made] = {fix.module.code for fix in fixes_of(IMPORTS + text)}
    assert made.endswith(
        "        total = 0.0\n        for j in range(X.shape[1]):\n            d = X[i, j] - c[j]\n"
        "            total += d * d\n        out[i] = total\n"
    )


def test_a_new_array_is_like_what_it_is_made_of() -> None:
    head = "# roofscan: x=f8[n] y=f8[n]\n@njit\ndef f(x, y):\n"
    text = f"{head}    t = x[1:] * y[:-1]\n    # both\n    w = t * t + x[1:]\n    w[0] = 1.0\n    return w\n"
    [made] = {fix.module.code for fix in fixes_of(IMPORTS + text)}
    assert made.endswith(
        "    # both\n    w = np.empty_like(x[1:])\n    for i in range(len(x) - 1):\n        t = x[i + 1] * y[i]\n"
        "        w[i] = t * t + x[i + 1]\n    w[0] = 1.0\n    return w\n"
    )


def test_a_plain_sum_is_compiled() -> None:
    text = DISTANCE.replace("@njit\n", "").replace("  # apart", "")
    [made] = fixes_of(HEAD.removesuffix("@njit\n") + text)
    head = '@njit(fastmath={"reassoc", "nsz"})\ndef f(x, y):\n'
    assert f"{head}    total = 0.0\n    for i in range(len(x)):\n" in made.module.code and made.option == "fastmath"
    assert "sums are added up in another order" in made.why_unsafe


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("d * d))", "d * d)) + d[0]"), "the array is read outside of the sum"),
        (("d * d))", "d * d) + np.sum(d))"), "two sums"),
        (("d * d)", "d * d, axis=0)"), "another sum"),
        (("d * d)", "d * G)"), "an array of unknown rank"),
        (("d = x - y", "d = x"), "a name of the argument itself"),
        (("d = x - y", "d = x[::2] - y[::2]"), "a step"),
        (("y=f8[n]", "y=f4[n]"), "a sum of another type"),
        (("np.sqrt(np", "g(x, np"), "a call may change the arrays"),
        (("@njit", "@njit(parallel=True)"), "threads share the loop as it is"),
    ],
)
def test_sums_that_stay_as_they_are(change: tuple[str, str], why: str) -> None:
    assert not fixes_of(IMPORTS + DISTANCE.replace(*change)), why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("return x * y + 1.0", "Numba makes one loop of it"),
        ("t = x * y\n    x = t * t + 1.0\n    return x", "a parameter gets another meaning"),
        ("t = x * y\n    w = t * t + 1.0\n    w = w * t\n    return w", "a name of two arrays"),
        ("t = x * y\n    return t", "the temporary is the result"),
        ("t = x * y\n    y[::2] = t * t + 1.0\n    return y", "a store into an argument is no new array"),
        ("t = x * y\n    y -= t * t + y[::-1]\n    return y", "likewise"),
        ("t = x * y\n    w = t * t + 1.0\n    t[0] = 2.0\n    return w", "the temporary is used later"),
    ],
)
def test_new_arrays_that_stay_as_they_are(text: str, why: str) -> None:
    head = "# roofscan: x=f8[n] y=f8[n]\n@njit\ndef f(x, y):\n"
    assert not fixes_of(IMPORTS + f"{head}    {text}\n"), why
