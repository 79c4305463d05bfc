"""Backward rank inference: from the rank of an expression to the ranks of the names in it.

If ``a * x.T`` has rank 2 and ``a`` is a scalar, ``x`` has rank 2.
"""

from __future__ import annotations

from roofscan.parse.inference.forward import Ranks, dimensions_taken, has_rank_of_operand, rank_of
from roofscan.parse.inference.operands import operands_of
from roofscan.parse.syntax import Attribute, Binary, Call, Expression, Name, Subscript, Unary
from roofscan.parse.syntax_walk import dotted_path

ELEMENTWISE = frozenset({"+", "-", "*", "/", "//", "%", "**"})
"""Operators whose result has the larger rank of their operands."""


def constrain(expression: Expression, rank: int, ranks: Ranks, *, assume: bool = False) -> None:
    """Record what the rank of ``expression`` says about the names in it; ``assume``: the rank is a convention."""
    if rank < 0 or rank > 8:
        return
    if isinstance(expression, Attribute) and expression.name == "T":
        constrain(expression.base, rank, ranks, assume=assume)
    elif isinstance(expression, (Name, Attribute)):
        path = dotted_path(expression)
        is_open = path not in ranks.known and path not in ranks.mixed
        if path is not None and is_open and not path.endswith((".shape", ".size")):
            ranks.known[path] = rank
            if assume:
                ranks.assumed[path] = expression.place.line
    elif isinstance(expression, Subscript):
        constrain(expression.base, rank + dimensions_taken(expression, ranks), ranks, assume=assume)
    elif isinstance(expression, Unary):
        constrain(expression.operand, rank, ranks, assume=assume)
    elif isinstance(expression, Binary):
        _impose_on_operands(expression, rank, ranks, assume)
    elif isinstance(expression, Call) and has_rank_of_operand(expression, ranks.library):
        constrain(operands_of(expression)[0], rank, ranks, assume=assume)


def _impose_on_operands(node: Binary, rank: int, ranks: Ranks, assume: bool) -> None:
    a, b = rank_of(node.left, ranks), rank_of(node.right, ranks)
    if node.op == "@":
        if a is None and b is None and rank == 0:
            constrain(node.left, 1, ranks, assume=assume)
            constrain(node.right, 1, ranks, assume=assume)
        elif a is None and b is not None:
            constrain(node.left, rank + 1 if b == 1 else rank, ranks, assume=assume)
        elif b is None and a is not None:
            constrain(node.right, rank + 1 if a == 1 else rank, ranks, assume=assume)
        return
    if rank == 0 or node.op not in ELEMENTWISE:
        return
    for side, mine, other in ((node.left, a, b), (node.right, b, a)):
        if mine is None and (has_product(side) or (other is not None and other < rank)):
            constrain(side, rank, ranks, assume=assume)
    if a is None and b is None and not (has_product(node.left) or has_product(node.right)):
        constrain(node.right if node.op == "*" else node.left, rank, ranks, assume=assume)


def has_product(expression: Expression) -> bool:
    if isinstance(expression, Binary):
        return expression.op == "@" or has_product(expression.left) or has_product(expression.right)
    return isinstance(expression, Unary) and has_product(expression.operand)
