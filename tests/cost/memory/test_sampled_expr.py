"""Sampled numbers: compared by value at the sample point, but equal only if they are one."""

from __future__ import annotations

from roofscan.cost.memory.lru.tree.expressions import Expressions
from roofscan.cost.memory.lru.tree.sampled_expr import known, same
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
