"""Divisions by sums: exact where the sum comes back, the sample point's value where it does not."""

from __future__ import annotations

from fractions import Fraction

from roofscan.cost.memory.lru.tree.expressions import Reciprocals
from roofscan.symbolic.expr import symbol

rows, nnz, m = map(symbol, ("rows", "nnz", "m"))


def test_the_sum_comes_back() -> None:
    reciprocals = Reciprocals()
    mean = reciprocals.quotient(nnz, rows - 1, Fraction(99))
    assert mean is not None
    assert reciprocals.frozen(8 * mean * (rows - 1) + 4 * rows) == 8 * nnz + 4 * rows


def test_powers_and_scaled_sums() -> None:
    reciprocals = Reciprocals()
    mean = reciprocals.quotient(nnz, 2 * rows + m, Fraction(100))
    assert mean is not None
    assert reciprocals.frozen(mean * mean * (2 * rows + m) * (4 * rows + 2 * m)) == 2 * nnz * nnz


def test_the_remainder_takes_the_value_at_the_sample_point() -> None:
    reciprocals = Reciprocals()
    mean = reciprocals.quotient(nnz, rows - 1, Fraction(99))
    assert mean is not None
    assert reciprocals.frozen(mean * rows) == nnz + nnz * Fraction(1, 99)


def test_a_sum_without_a_linear_symbol_is_refused() -> None:
    assert Reciprocals().quotient(nnz, rows * m + m * m, Fraction(10)) is None
