"""Sampled numbers: compared by value at the sample point, but equal only if they are one."""

from __future__ import annotations

from fractions import Fraction

from roofscan.cost.memory.lru.sample_iterations import Sample
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.expressions import Expressions
from roofscan.cost.memory.lru.tree.sampled_expr import known, least, same, smaller
from roofscan.symbolic.expr import symbol

N, M = symbol("n"), symbol("m")


def test_numbers_of_one_value_are_not_one_number() -> None:
    """At n = m = 8 they agree, elsewhere they do not: neither may take the other's place as a key."""
    n, m = known(N, 8), known(M, 8)
    assert same(n, m) and n <= m <= n
    assert n != m and len({n, m}) == 2
    assert [Expressions().of(number) for number in {n: N, m: M}] == [N, M]


def test_the_expression_has_the_value() -> None:
    n, m = known(N, 8), known(M, 5)
    made = Expressions().of((n * m - n) / 2 + 3)
    assert made == (N * M - N) / 2 + 3
    assert made.evaluate({"n": 8, "m": 5}) == 19


def test_the_smaller_of_two_is_so_at_other_sizes() -> None:
    """``smaller`` keeps a number below a limit only where it is above it at the sample point."""
    n, m = known(N, 8), known(M, 5)
    assert Expressions().of(smaller(m, n)) == M
    assert Expressions().of(least(m, n)).evaluate({"n": 3, "m": 7}) == 3
    assert least(3, 2) == 2


def test_iterations_before_the_first_of_a_mean_are_not_below_nothing() -> None:
    trips = known(N, 8)
    after_first = Sample(AlignedPoint(0), trips, 0, mean=True).beyond(1)
    assert [Expressions().of(after_first).evaluate({"n": n}) for n in (8, Fraction(1, 2))] == [7, 0]
