"""Forward rank inference: the rank of an expression from the ranks of the names in it. ``A[i] + x[:, None]`` has the
larger one of ``A`` less one and of ``x`` plus one."""

from __future__ import annotations

from dataclasses import field
from functools import partial

from roofscan.frozen import dataclass
from roofscan.parse import syntax
from roofscan.parse.inference.operands import operands_of, transposed
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.syntax_walk import dotted_path

Equation = tuple[syntax.Expression, syntax.Expression]  # both sides have the same rank


@dataclass
class Ranks:
    """The state of the inference: known ranks by dotted path, and the constraints between expressions."""

    library: Library
    known: dict[str, int]
    single: frozenset[str] = frozenset()  # names that take one index only
    equations: list[Equation] = field(default_factory=list)
    broadcasts: list[Equation] = field(default_factory=list)  # stores: the value may have a smaller rank
    products: list[tuple[syntax.Expression, syntax.Expression]] = field(default_factory=list)
    mixed: set[str] = field(default_factory=set)  # names bound to arrays of different ranks
    assumed: dict[str, int] = field(default_factory=dict)  # ranks that are conventions -> line


def rank_of(expression: syntax.Expression, ranks: Ranks) -> int | None:
    if isinstance(expression, syntax.Literal):
        return 0 if isinstance(expression.value, (int, float, complex)) else None
    if isinstance(expression, (syntax.Name, syntax.Attribute)):
        return _rank_of_name(expression, ranks)
    if isinstance(expression, syntax.Subscript):
        base = rank_of(expression.base, ranks)
        return None if base is None else max(0, base - dimensions_taken(expression, ranks))
    if isinstance(expression, syntax.Unary):
        return rank_of(expression.operand, ranks)
    if isinstance(expression, syntax.Binary):
        a, b = rank_of(expression.left, ranks), rank_of(expression.right, ranks)
        if a is None or b is None:
            return None
        return product_rank(a, b) if expression.op == "@" else max(a, b)
    return _rank_of_call(expression, ranks) if isinstance(expression, syntax.Call) else None


def lower_bound(expression: syntax.Expression, ranks: Ranks) -> int:
    """A lower bound of the rank of an expression, from the operands whose rank is known."""
    known = rank_of(expression, ranks)
    if known is not None or not isinstance(expression, (syntax.Binary, syntax.Unary)):
        return known or 0
    if isinstance(expression, syntax.Unary):
        return lower_bound(expression.operand, ranks)
    left, right = lower_bound(expression.left, ranks), lower_bound(expression.right, ranks)
    return (product_rank(left, right) or 0) if expression.op == "@" else max(left, right)


def product_rank(a: int, b: int) -> int | None:
    """The rank of a matrix product; None where an operand is a scalar."""
    if a == 0 or b == 0:
        return None
    if a == 1 or b == 1:
        return a + b - 2
    return max(a, b)


def _rank_of_name(expression: syntax.Name | syntax.Attribute, ranks: Ranks) -> int | None:
    path = dotted_path(expression)
    if path in ranks.known:
        return ranks.known[path]
    if (base := transposed(expression)) is not None:
        return rank_of(base, ranks)
    return 0 if isinstance(expression, syntax.Attribute) and expression.name in ("size", "ndim") else None


def _rank_of_index(item: syntax.Expression, ranks: Ranks) -> int:
    """The rank of an index: a mask or a slice of an array has one; anything else that is unknown is a scalar."""
    known = rank_of(item, ranks)
    if known is not None:
        return known
    path = dotted_path(item)
    parts = [v for t, v in ranks.equations if path is not None and dotted_path(t) == path] or [item]
    sliced = any(isinstance(v, syntax.Subscript) and any(isinstance(i, syntax.Slice) for i in v.items) for v in parts)
    return int(sliced or isinstance(item, syntax.Compare))


def is_new_axis(item: syntax.Expression) -> bool:
    """Whether a subscript adds a dimension: ``x[:, None]``."""
    if isinstance(item, syntax.Attribute):
        return item.name == "newaxis"
    return isinstance(item, syntax.Literal) and item.value is None


def dimensions_taken(node: syntax.Subscript, ranks: Ranks) -> int:
    taken = 0
    for item in node.items:
        if is_new_axis(item):
            taken -= 1
        elif isinstance(item, syntax.Literal) and (item.value is Ellipsis or isinstance(item.value, str)):
            continue  # a field of a record has as many dimensions
        elif not isinstance(item, syntax.Slice):
            taken += 1 - _rank_of_index(item, ranks)
    return taken


def _rank_of_call(call: syntax.Call, ranks: Ranks) -> int | None:
    rule = rule_of(call, ranks.library)
    if rule.has_rank_of_operand(call):
        return rank_of(operands_of(call)[0], ranks)
    return rule.result_rank(call, partial(rank_of, ranks=ranks))


def has_rank_of_operand(call: syntax.Call, library: Library) -> bool:
    return rule_of(call, library).has_rank_of_operand(call)
