"""A reuse class whose count and distance depend on an outer loop's variable (triangular nests)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor

from roofscan.cost.memory.base import ReuseClass
from roofscan.roofline.size_paths import POSITION, SizePath
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import Expr, Number
from roofscan.symbolic.polynomial_signs import negative_where, polynomial, sum_over

MAX_STRATA = 32  # in how many parts the outer variable's range is cut where no polynomial says where the class misses


@dataclass(frozen=True)
class OuterSum:
    """The class summed over those values of the variable at which it misses, along a path."""

    variable: str
    first: Expr
    last: Expr
    spare: Expr  # capacity - distance
    bytes: Expr

    @staticmethod
    def of(c: ReuseClass, weight: Expr, path: SizePath, capacity: int) -> OuterSum:
        """``weight`` is the bytes that count for one line of the class."""
        assert c.over is not None
        variable, first, last = c.over
        inner = path.without(variable)
        return OuterSum(
            variable, path.restrict(first), path.restrict(last),
            inner.restrict(capacity - c.distance), inner.restrict(c.count * weight),
        )  # fmt: skip

    def at(self, x: int) -> Number:
        lo = ceil(number(self.first, {POSITION: x}))
        hi = floor(number(self.last, {POSITION: x}))
        if hi < lo:
            return 0
        spare, amount = (e.subs({POSITION: x}) for e in (self.spare, self.bytes))
        p, q = polynomial(spare, self.variable), polynomial(amount, self.variable)
        if p is None or q is None:
            return self._by_strata(spare, amount, lo, hi)
        missing = negative_where(p, (lo, hi))
        return sum((sum_over(q, a, hi if b is None else b) for a, b in missing), start=0)

    def _by_strata(self, spare: Expr, amount: Expr, lo: int, hi: int) -> Number:
        """Each stratum counts as its middle."""
        total: Number = 0
        parts = min(MAX_STRATA, hi - lo + 1)
        for a, b in pairwise(lo + (hi - lo + 1) * k // parts for k in range(parts + 1)):
            middle = {self.variable: (a + b - 1) // 2}
            if number(spare, middle) < 0:
                total += number(amount, middle) * (b - a)
        return total
