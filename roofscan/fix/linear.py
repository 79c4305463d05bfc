"""Sums of names and integers in the source, such as the bounds of loops and subscripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

import libcst as cst

from roofscan.frozen import dataclass


@dataclass(frozen=True)
class Linear:
    """``constant`` plus multiples of names, in the order of the source."""

    constant: int = 0
    names: Mapping[str, int] = field(default_factory=dict)

    def plus(self, other: Linear, times: int = 1) -> Linear:
        every = dict.fromkeys((*self.names, *other.names))
        names = {name: self.names.get(name, 0) + times * other.names.get(name, 0) for name in every}
        return Linear(self.constant + times * other.constant, {n: count for n, count in names.items() if count})

    def minus(self, other: Linear) -> Linear:
        return self.plus(other, -1)

    @property
    def number(self) -> int | None:
        """Its value, if it holds no names."""
        return None if self.names else self.constant

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.names.items())))

    def node(self) -> cst.BaseExpression:
        return cst.parse_expression(str(self))

    def __str__(self) -> str:
        terms = [(count, name if abs(count) == 1 else f"{abs(count)} * {name}") for name, count in self.names.items()]
        if self.constant or not terms:
            terms.append((self.constant, str(abs(self.constant))))
        positive = next((n for n, (count, _) in enumerate(terms) if count > 0), 0)
        terms.insert(0, terms.pop(positive))
        (first, text), *rest = terms
        return (
            ("-" if first < 0 else "") + text + "".join(f" {'-' if count < 0 else '+'} {term}" for count, term in rest)
        )


def bracketed(found: Linear) -> cst.BaseExpression:
    node = found.node()
    if isinstance(node, (cst.Name, cst.Integer)):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def linear(node: cst.BaseExpression, lengths: bool = False) -> Linear | None:
    """None for any other expression. With ``lengths``, ``len(x)`` and ``x.shape[0]`` stand for names."""
    if lengths and not node.lpar and is_length(node):
        return Linear(0, {cst.Module([]).code_for_node(node): 1})
    if isinstance(node, cst.Integer):
        return Linear(int(node.value.replace("_", ""), 0))
    if isinstance(node, cst.Name):
        return Linear(0, {node.value: 1})
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        found = linear(node.expression, lengths)
        return found and Linear().minus(found)
    if not isinstance(node, cst.BinaryOperation):
        return None
    left, right = linear(node.left, lengths), linear(node.right, lengths)
    if left is None or right is None:
        return None
    if isinstance(node.operator, cst.Add):
        return left.plus(right)
    if isinstance(node.operator, cst.Subtract):
        return left.minus(right)
    if isinstance(node.operator, cst.Multiply):
        one, other = (left, right) if left.number is not None else (right, left)
        return None if one.number is None else Linear().plus(other, one.number)
    return None


def is_length(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Call):
        return isinstance(node.func, cst.Name) and node.func.value == "len"
    shape = node.value if isinstance(node, cst.Subscript) else None
    return isinstance(shape, cst.Attribute) and shape.attr.value == "shape"


class Moved(cst.CSTTransformer):
    """A name with a sum added to it, in every expression that holds it."""

    def __init__(self, name: str, by: Linear, except_in: frozenset[str] = frozenset()) -> None:
        """``except_in``: arrays whose subscripts stay."""
        super().__init__()
        self._name, self._by, self._except = name, by, except_in

    def of(self, statements: Iterable[cst.BaseStatement]) -> tuple[cst.BaseStatement, ...]:
        changed = [statement.visit(self) for statement in statements]
        return tuple(s for s in changed if isinstance(s, cst.BaseStatement))

    def on_visit(self, node: cst.CSTNode) -> bool:
        stays = (
            isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name) and node.value.value in self._except
        )
        return not stays and self._sum(node) is None

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        found = self._sum(original)
        if found is not None:
            return bracketed(found.plus(self._by, found.names[self._name]))
        if isinstance(updated, (cst.Index, cst.Arg, cst.Assign, cst.AugAssign)) and updated.value is not original.value:  # type: ignore[attr-defined]
            return updated.with_changes(value=_bare(updated.value, original.value))  # type: ignore[attr-defined]
        return updated

    def _sum(self, node: cst.CSTNode) -> Linear | None:
        found = linear(node) if isinstance(node, cst.BaseExpression) else None
        return found if found is not None and self._name in found.names else None


def _bare(node: cst.BaseExpression, was: cst.BaseExpression) -> cst.BaseExpression:
    """Without the brackets that it got, where it stands alone."""
    return node if was.lpar or not isinstance(node, cst.BinaryOperation) else node.with_changes(lpar=(), rpar=())
