"""How many dimensions arrays have at least, as reductions tell it: ``A[i].sum()``, ``np.sum((X - c) ** 2, axis=1)``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from roofscan.parse.inference.forward import is_new_axis
from roofscan.parse.inference.operands import called, module_of, operands_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    Expression,
    For,
    Literal,
    Name,
    Sequence,
    Slice,
    Subscript,
    Unary,
)
from roofscan.parse.syntax_walk import dotted_path, target_names

_BROAD = (Name, Attribute, Call, Subscript)
"""Kinds of operands, those that are likely to have all the dimensions of an expression first."""
DEPTH = 12
"""How far a value is followed through the names of its parts."""


class LowerBounds:
    """What the nodes of a function tell; ``arrays`` are names that are known to be arrays for another reason, and
    ``whole`` those of whole numbers."""

    def __init__(self, nodes: list[Any], arrays: Collection[str], integers: Collection[str], library: Library) -> None:
        self._library = library
        self._nodes = nodes
        self._arrays = arrays
        self._integers = integers
        self._values: dict[str, list[Expression]] = {}
        self._rows: dict[str, Expression] = {}  # for row in A
        self._counters: set[str] = set()
        for node in nodes:
            if isinstance(node, Assign) and node.value is not None:
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, For):
                self._walked(node)

    def _bind(self, target: Expression, value: Expression) -> None:
        if isinstance(target, Name):
            self._values.setdefault(target.id, []).append(value)
        elif isinstance(target, Sequence) and isinstance(value, Sequence) and len(target.items) == len(value.items):
            for each, part in zip(target.items, value.items, strict=True):
                self._bind(each, part)

    def _walked(self, node: For) -> None:
        if isinstance(node.iterable, (Name, Attribute, Subscript)) and isinstance(node.target, Name):
            self._rows[node.target.id] = node.iterable
        elif isinstance(node.iterable, Call) and called(node.iterable) in ("range", "prange"):
            self._counters.update(target_names(node.target))

    def found(self) -> Iterator[tuple[str, int]]:
        """Paths, and how many dimensions each has at least."""
        for node in self._nodes:
            yield from ((path, rank) for path, rank in self._from_node(node) if rank > 1)

    def _from_node(self, node: Any) -> Iterator[tuple[str, int]]:
        if isinstance(node, Call) and isinstance(node.function, Attribute):
            needed = rule_of(node, self._library).least_rank_of_first(node) if operands_of(node) else 0
            yield from self._needs(operands_of(node)[0], needed, DEPTH) if needed else ()
        elif isinstance(node, Subscript) and isinstance(node.base, Name) and node.base.id in self._values:
            taken = sum(not is_new_axis(item) and not _is_field(item) for item in node.items)
            yield from self._named(node.base, taken, DEPTH)
        elif isinstance(node, Binary) and node.op in ("+", "-", "*", "/"):
            scales = node.op == "*" and isinstance(node.left, Name) and node.left.id.islower()  # a * x[:, None]
            for one, other in ((node.left, node.right), *(() if scales else ((node.right, node.left),))):
                if isinstance(one, Subscript) and any(map(is_new_axis, one.items)) and not isinstance(other, Subscript):
                    yield from self._needs(other, sum(map(_spans, one.items)), DEPTH)

    def _needs(self, value: Expression, rank: int, depth: int) -> Iterator[tuple[str, int]]:
        """What follows where ``value`` has ``rank`` dimensions at least."""
        if not depth:
            return
        if isinstance(value, Unary):
            yield from self._needs(value.operand, rank, depth - 1)
        elif isinstance(value, Binary):
            leaf = self._broadest(value, rank)
            if leaf is not None:
                yield from self._needs(leaf, rank, depth - 1)
        elif isinstance(value, Call):
            rule = rule_of(value, self._library)
            count = rule.full_rank_operands or int(rule.has_rank_of_operand(value))
            for operand in operands_of(value)[:count]:
                yield from self._needs(operand, rank, depth - 1)
        elif isinstance(value, Subscript):
            taken = self._taken(value)
            if taken is not None and rank + taken > len(value.items):
                yield from self._needs(value.base, rank + taken, depth - 1)
        else:
            yield from self._named(value, rank, depth)

    def _named(self, value: Expression, rank: int, depth: int) -> Iterator[tuple[str, int]]:
        path = dotted_path(value)
        if path in self._rows:
            yield from self._needs(self._rows[path], rank + 1, depth - 1)
        elif path is not None and len(self._values.get(path, ())) == 1:
            yield from self._needs(self._values[path][0], rank, depth - 1)
        elif path is not None and path not in self._values and path not in self._counters:
            yield path, rank

    def _broadest(self, value: Binary, rank: int) -> Expression | None:
        """The part of an elementwise expression that has its dimensions: a whole array before parts of arrays."""
        parts = list(_parts(value))
        if any(isinstance(p, Subscript) and sum(map(_spans, p.items)) >= rank for p in parts):
            return None
        known = [p for p in parts if dotted_path(p) in self._arrays]
        found = [*known, *(p for kind in _BROAD for p in parts if isinstance(p, kind) and not module_of(p))]
        return found[0] if found else None

    def _taken(self, node: Subscript) -> int | None:
        """How many dimensions subscripts take away; None where one may be an array."""
        taken = 0
        for item in node.items:
            if is_new_axis(item):
                taken -= 1
            elif not isinstance(item, Slice):
                if not self._is_number(item):
                    return None
                taken += 1
        return taken

    def _is_number(self, item: Expression) -> bool:
        if isinstance(item, Binary):
            return self._is_number(item.left) and self._is_number(item.right)
        if isinstance(item, Unary):
            return self._is_number(item.operand)
        if isinstance(item, Name):
            return item.id in self._counters or (item.id in self._integers and item.id not in self._values)
        return isinstance(item, Literal) and isinstance(item.value, int)


def _is_field(item: Expression) -> bool:
    """Whether a subscript asks for a field of a record, and takes no dimension."""
    return isinstance(item, Literal) and isinstance(item.value, str)


def _parts(value: Expression) -> Iterator[Expression]:
    """The operands that an elementwise expression broadcasts."""
    if isinstance(value, Binary) and value.op == "**":
        yield from _parts(value.left)
    elif isinstance(value, Binary) and value.op != "@":
        yield from _parts(value.left)
        yield from _parts(value.right)
    elif isinstance(value, Unary):
        yield from _parts(value.operand)
    else:
        yield value


def _spans(item: Expression) -> bool:
    return isinstance(item, Slice) or is_new_axis(item)
