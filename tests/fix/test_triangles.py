"""Loops over a triangle in another order: with their bounds turned round, and from 0, or not at all."""

from __future__ import annotations

import pytest

from tests.fix.same_results import outcome
from tests.fix.test_interchange import HEAD, fixes_of
from tests.oracle.words import read_words

NAMES = ("A", "B", "d", "n", "m")
TURNED = {
    ("range(n)", "range(j)"): ("range(n - 1)", "range(n - i - 1)"),
    ("range(n)", "range(j + 1)"): ("range(n)", "range(n - i)"),
    ("range(1, n)", "range(j)"): ("range(n - 1)", "range(n - i - 1)"),
    ("range(1, n)", "range(1, j + 1)"): ("range(1, n)", "range(n - i)"),
    ("range(n)", "range(j, n)"): ("range(n)", "range(i + 1)"),
    ("range(n)", "range(j + 1, n)"): ("range(1, n)", "range(i)"),
    ("range(n - 1)", "range(j + 1, n)"): ("range(1, n)", "range(i)"),
    ("range(2, n)", "range(j + 1, n)"): ("range(3, n)", "range(2, i)"),
    ("range(n)", "range(j + 1, A.shape[0])"): None,  # who knows whether it is n
    ("range(m)", "range(j, n)"): None,  # min(m, i + 1)
    ("range(2, n)", "range(j)"): None,  # max(2, i + 1)
    ("range(n)", "range(n - j)"): None,
    ("range(n)", "range(j, j + 2)"): None,
    ("range(0, n, 2)", "range(j)"): None,
    ("range(n)", "range(0, j, 2)"): None,
    ("range(n)", "range(2 * j)"): None,
    ("range(n)", "range(j // 2)"): None,
    ("range(n)", "range(min(j, m))"): None,
}


@pytest.mark.parametrize(("written", "turned"), TURNED.items(), ids=lambda ranges: " ".join(ranges or ("stays",)))
def test_a_triangle_is_turned_round(written: tuple[str, str], turned: tuple[str, str] | None) -> None:
    text = f"""def f(A, B, d, n, m):
    for j in {written[0]}:
        for i in {written[1]}:
            B[i, j] += A[i, j] * d[i]
"""
    found = list(fixes_of(HEAD + text))
    assert len(found) == (turned is not None)
    for made in found:
        assert turned and f"for i in {turned[0]}:\n        for j in {turned[1]}:" in made.module.code
        for n in (0, 1, 2, 3, 5):
            given = read_words(f"A=f8[9,9] B=f8[9,9] d=f8[9] n={n} m=3", NAMES).arguments
            assert outcome(made.module.code, "f", given) == outcome(HEAD + text, "f", given) is not None


def test_what_is_bound_in_the_nest_is_no_bound() -> None:
    text = """def f(A, B, d, n, m):
    for j in range(n):
        for i in range(j):
            B[i, j] += A[i, j]
            j = 0
"""
    assert not list(fixes_of(HEAD + text))


def test_an_accumulator_over_a_triangle_keeps_its_order() -> None:
    """Forward sums: each element adds up the same numbers, one after the other."""
    text = """def f(A, B, d, n, m):
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(j + 1):
                s += A[i, k] * B[k, j]
            d[i] = 1.0
            A[i, j] = s
    for i in range(n):
        for j in range(n):
            for k in range(j):
                B[i, j] += A[i, k] * A[k, j]
"""
    found = list(fixes_of(HEAD + text))
    assert found
    for made in found:
        given = read_words("A=f8[9,9] B=f8[9,9] d=f8[9] n=7 m=3", NAMES).arguments
        assert outcome(made.module.code, "f", given) == outcome(HEAD + text, "f", given) is not None
