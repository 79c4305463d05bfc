"""Conditions on loop variables and sizes."""

from __future__ import annotations

from dataclasses import field, replace

from roofscan.frozen import dataclass
from roofscan.ir.kinds import Relation
from roofscan.symbolic.expr import Expr, Number


@dataclass(frozen=True)
class Condition:
    """``expr >= 0`` (relation "ge"), ``expr == 0`` ("eq"), ``expr != 0`` ("ne"), or, with a modulus m > 0,
    ``expr mod m == 0`` ("eq") and ``!= 0`` ("ne"). ``expr`` is affine in loop variables, an integer."""

    expr: Expr
    relation: Relation
    modulus: int = 0
    denied: bool = field(default=False, compare=False)  # the test of the source does not hold where it does

    def holds(self, value: float | Number) -> bool:
        """Whether it holds where ``expr`` has this value."""
        if self.relation == "ge":
            return value >= 0
        rest = value % self.modulus if self.modulus else value
        return (rest == 0) == (self.relation == "eq")

    @property
    def negated(self) -> Condition:
        """The condition that holds exactly where this one does not."""
        if self.relation == "ge":
            return replace(self, expr=-self.expr - 1, denied=not self.denied)
        return replace(self, relation="ne" if self.relation == "eq" else "eq", denied=not self.denied)
