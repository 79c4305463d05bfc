"""Lower bounds of ranks, by what an operation needs: ``A[i].sum()`` needs a row, so that ``A`` has rank 2 at least; a
sum over axis 1 of ``(X - c) ** 2`` needs rank 2 of the operand that has all its dimensions. A need is followed through
the values of names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.inference.forward import is_new_axis
from roofscan.parse.inference.operands import called, module_of, operands_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.syntax_walk import bound_values, dotted_path, target_names

_BROAD = (syntax.Name, syntax.Attribute, syntax.Call, syntax.Subscript)
"""Kinds of operands; those that are likely to have the rank of the expression come first."""
MAX_DEPTH = 12  # through how many expressions and names a need is followed


class LowerBounds:
    """The lower bounds that the nodes of a function give; ``arrays`` and ``integers`` are names known as such."""

    def __init__(self, nodes: list[Any], arrays: Collection[str], integers: Collection[str], library: Library) -> None:
        self._library = library
        self._nodes = nodes
        self._arrays = arrays
        self._integers = integers
        self._values: dict[str, list[syntax.Expression]] = {}
        self._rows: dict[str, syntax.Expression] = {}  # for row in A
        self._counters: set[str] = set()
        for node in nodes:
            if isinstance(node, syntax.Assign):
                for target, value in bound_values(node):
                    if isinstance(target, syntax.Name):
                        self._values.setdefault(target.id, []).append(value)
            elif isinstance(node, syntax.For):
                self._bind_row(node)

    def _bind_row(self, node: syntax.For) -> None:
        if isinstance(node.iterable, (syntax.Name, syntax.Attribute, syntax.Subscript)) and isinstance(
            node.target, syntax.Name
        ):
            self._rows[node.target.id] = node.iterable
        elif isinstance(node.iterable, syntax.Call) and called(node.iterable) in ("range", "prange"):
            self._counters.update(target_names(node.target))

    def found(self) -> Iterator[tuple[str, int, syntax.Node]]:
        """Paths, lower bounds of their ranks, and the nodes that need them."""
        for node in self._nodes:
            yield from ((path, rank, node) for path, rank in self._from_node(node) if rank > 1)

    def _from_node(self, node: Any) -> Iterator[tuple[str, int]]:
        if isinstance(node, syntax.Call) and isinstance(node.function, syntax.Attribute):
            needed = rule_of(node, self._library).rank_bound_of_first(node) if operands_of(node) else 0
            yield from self._needs(operands_of(node)[0], needed, MAX_DEPTH) if needed else ()
        elif isinstance(node, syntax.Subscript) and isinstance(node.base, syntax.Name) and node.base.id in self._values:
            taken = sum(not is_new_axis(item) and not _is_field(item) for item in node.items)
            yield from self._named(node.base, taken, MAX_DEPTH)
        elif isinstance(node, syntax.AugAssign) and isinstance(node.value, syntax.Subscript):
            if any(map(is_new_axis, node.value.items)):  # A -= b[:, None]
                yield from self._needs(node.target, sum(map(_spans, node.value.items)), MAX_DEPTH)
        elif isinstance(node, syntax.Binary) and node.op in ("+", "-", "*", "/"):
            scales = node.op == "*" and isinstance(node.left, syntax.Name) and node.left.id.islower()  # a * x[:, None]
            for one, other in ((node.left, node.right), *(() if scales else ((node.right, node.left),))):
                if (
                    isinstance(one, syntax.Subscript)
                    and any(map(is_new_axis, one.items))
                    and not isinstance(other, syntax.Subscript)
                ):
                    yield from self._needs(other, sum(map(_spans, one.items)), MAX_DEPTH)

    def _needs(self, value: syntax.Expression, rank: int, depth: int) -> Iterator[tuple[str, int]]:
        """The bounds that follow where ``value`` has at least ``rank`` dimensions."""
        if not depth:
            return
        if isinstance(value, syntax.Unary):
            yield from self._needs(value.operand, rank, depth - 1)
        elif isinstance(value, syntax.Binary):
            for leaf in self._full_rank_operands(value, rank):
                yield from self._needs(leaf, rank, depth - 1)
        elif isinstance(value, syntax.Call):
            rule = rule_of(value, self._library)
            count = rule.full_rank_operands or int(rule.has_rank_of_operand(value))
            for operand in operands_of(value)[:count]:
                yield from self._needs(operand, rank, depth - 1)
        elif isinstance(value, syntax.Subscript):
            taken = self._taken(value)
            if taken is not None and rank + taken > len(value.items):
                yield from self._needs(value.base, rank + taken, depth - 1)
        else:
            yield from self._named(value, rank, depth)

    def _named(self, value: syntax.Expression, rank: int, depth: int) -> Iterator[tuple[str, int]]:
        path = dotted_path(value)
        if path in self._rows:
            yield from self._needs(self._rows[path], rank + 1, depth - 1)
        elif path is not None and len(self._values.get(path, ())) == 1:
            yield from self._needs(self._values[path][0], rank, depth - 1)
        elif path is not None and path not in self._values and path not in self._counters:
            yield path, rank

    def _full_rank_operands(self, value: syntax.Binary, rank: int) -> list[syntax.Expression]:
        """The operand of an elementwise expression that has its rank: arrays come before parts of arrays. Of parts,
        all that take as much of their arrays: a row each, in ``a[i] - b[j]``."""
        parts = list(_parts(value))
        if any(isinstance(p, syntax.Subscript) and sum(map(_spans, p.items)) >= rank for p in parts):
            return []
        known = [p for p in parts if dotted_path(p) in self._arrays]
        found = [*known, *(p for kind in _BROAD for p in parts if isinstance(p, kind) and not module_of(p))]
        if found and isinstance(first := found[0], syntax.Subscript):
            rows = (p for p in found if isinstance(p, syntax.Subscript) and len(p.items) == len(first.items))
            return [p for p in rows if not any(map(_spans, p.items)) or p is first]
        return found[:1]

    def _taken(self, node: syntax.Subscript) -> int | None:
        """How many dimensions subscripts remove; None where an index may be an array."""
        taken = 0
        for item in node.items:
            if is_new_axis(item):
                taken -= 1
            elif not isinstance(item, syntax.Slice):
                if not self._is_scalar(item):
                    return None
                taken += 1
        return taken

    def _is_scalar(self, item: syntax.Expression) -> bool:
        if isinstance(item, syntax.Binary):
            return self._is_scalar(item.left) and self._is_scalar(item.right)
        if isinstance(item, syntax.Unary):
            return self._is_scalar(item.operand)
        if isinstance(item, syntax.Name):
            return item.id in self._counters or (item.id in self._integers and item.id not in self._values)
        return isinstance(item, syntax.Literal) and isinstance(item.value, int)


def _is_field(item: syntax.Expression) -> bool:
    """Whether a subscript names a record field, which removes no dimension."""
    return isinstance(item, syntax.Literal) and isinstance(item.value, str)


def _parts(value: syntax.Expression) -> Iterator[syntax.Expression]:
    """The operands that an elementwise expression broadcasts."""
    if isinstance(value, syntax.Binary) and value.op == "**":
        yield from _parts(value.left)
    elif isinstance(value, syntax.Binary) and value.op != "@":
        yield from _parts(value.left)
        yield from _parts(value.right)
    elif isinstance(value, syntax.Unary):
        yield from _parts(value.operand)
    else:
        yield value


def _spans(item: syntax.Expression) -> bool:
    return isinstance(item, syntax.Slice) or is_new_axis(item)
