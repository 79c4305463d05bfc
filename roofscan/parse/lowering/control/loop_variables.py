"""Which names of an expression change from turn to turn: loop variables (``i#1``) and what a loop carries (``k~2``)."""

from __future__ import annotations

from roofscan.symbolic.expr import Expr


def has_loop_variable(expr: Expr) -> bool:
    """Whether a loop variable stands in an expression."""
    return any("#" in name for name in expr.symbols)


def loop_variables(expr: Expr) -> set[str]:
    """The loop variables in an expression, and the placeholders for what a turn hands to the next."""
    return {name for name in expr.symbols if "#" in name or "~" in name}
