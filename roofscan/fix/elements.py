"""Whole-array expressions element by element: ``0.5 * u[1:] + v`` as ``0.5 * u[i + 1] + v[i]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import libcst as cst

from roofscan.fix.hazards import divides
from roofscan.fix.linear import Linear
from roofscan.fix.model import Site
from roofscan.fix.numbers import SPECIAL, function_name, is_alike, is_constant
from roofscan.fix.source import bindings, code, nodes
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Array, Kernel

FLOATING = ("f8", "f4", "c16")
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.Power)


class NotElementwise(Exception):
    """An expression holds something else."""


@dataclass(frozen=True)
class Stretch:
    """How far behind an axis' first element a slice begins, and how far before its end it ends."""

    first: int = 0
    left: int = 0

    @property
    def trimmed(self) -> int:
        return self.first + self.left


@dataclass(frozen=True)
class Element:
    """What an expression is in one iteration; ``rank``: of the expression."""

    node: cst.BaseExpression
    rank: int = 0

    @property
    def text(self) -> str:
        return code(self.node)


class Elements:
    """The expressions of some statements in loops over ``indices``, each shorter than the arrays by ``trimmed``.
    NotElementwise where an expression is something else, or not understood."""

    def __init__(
        self, arrays: Mapping[str, Array], numbers: set[str], indices: Sequence[str], trimmed: Sequence[int]
    ) -> None:
        self._arrays, self._numbers = arrays, numbers
        self._loops = tuple(zip(indices, trimmed, strict=True))
        self._scalars: dict[str, int] = {}  # that stand for arrays in an iteration, with their ranks
        self.touched: dict[str, set[str]] = {}  # by array: its elements, as source
        self.divides = self.is_special = False

    def keep(self, name: str, rank: int) -> None:
        """From here on, a name is one number in each iteration."""
        if name in self._numbers or name in self.touched or self._scalars.get(name, rank) != rank or not rank:
            raise NotElementwise
        self._scalars[name] = rank

    def is_kept(self, name: str) -> bool:
        return name in self._scalars

    def of(self, node: cst.BaseExpression) -> Element:
        if isinstance(node, cst.Name):
            return self._of_name(node)
        if isinstance(node, cst.Float) or is_constant(node) or (isinstance(node, cst.Integer) and is_alike(node)):
            return Element(node)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            inner = self.of(node.expression)
            return Element(node.with_changes(expression=inner.node), inner.rank)
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, _ARITHMETIC):
            left, right = self.of(node.left), self.of(node.right)
            self.divides |= divides(node)
            if not isinstance(node.right, cst.Integer) or not left.rank:
                self.is_special |= isinstance(node.operator, cst.Power)
            return Element(node.with_changes(left=left.node, right=right.node), max(left.rank, right.rank))
        if isinstance(node, cst.Call) and function_name(node):
            self.is_special |= function_name(node) in SPECIAL
            found = [self.of(arg.value) for arg in node.args]
            args = [arg.with_changes(value=inner.node) for arg, inner in zip(node.args, found, strict=True)]
            return Element(node.with_changes(args=args), max(inner.rank for inner in found))
        if isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name):
            return self.element(node.value.value, node.slice)
        raise NotElementwise

    def _of_name(self, node: cst.Name) -> Element:
        if node.value in self._scalars:
            return Element(node, self._scalars[node.value])
        return Element(node) if node.value in self._numbers else self.element(node.value, ())

    def element(self, name: str, parts: Sequence[cst.SubscriptElement]) -> Element:
        """The element of an array, or of a slice of it."""
        array = self._arrays.get(name)
        if array is None or name in self._scalars or array.record or array.dtype.code not in FLOATING:
            raise NotElementwise
        walks = walks_of(parts, len(array.shape))
        own = [walk for walk in walks if isinstance(walk, Stretch)]
        loops = self._loops[len(self._loops) - len(own) :] if own else ()
        if not own or [walk.trimmed for walk in own] != [trimmed for _, trimmed in loops]:
            raise NotElementwise
        text = f"{name}[{', '.join(self._subscripts(walks, iter(loops)))}]"
        self.touched.setdefault(name, set()).add(text)
        return Element(cst.parse_expression(text), len(own))

    def _subscripts(
        self, walks: Sequence[Stretch | cst.BaseExpression], loops: Iterator[tuple[str, int]]
    ) -> Iterator[str]:
        for walk in walks:
            if isinstance(walk, Stretch):
                yield str(Linear(walk.first, {next(loops)[0]: 1}))
            elif isinstance(walk, cst.Name) and walk.value not in self._numbers:
                raise NotElementwise
            else:
                yield code(walk)


def walks_of(parts: Sequence[cst.SubscriptElement], rank: int) -> list[Stretch | cst.BaseExpression]:
    """What a subscript says of each axis: a slice, or the one index that it takes."""
    found: list[Stretch | cst.BaseExpression] = []
    for part in parts:
        index = part.slice.value if isinstance(part.slice, cst.Index) else None
        if isinstance(part.slice, cst.Slice):
            found.append(_walk(part.slice))
        elif isinstance(index, (cst.Name, cst.Integer)):
            found.append(index)
        elif not isinstance(index, cst.Ellipsis) or len(parts) > 1:
            raise NotElementwise
    if len(found) > rank:
        raise NotElementwise
    return [*found, *[Stretch()] * (rank - len(found))]


def _walk(part: cst.Slice) -> Stretch:
    first, left = _literal(part.lower), _literal(part.upper)
    if part.step is not None or first < 0 or left > 0 or (part.upper is not None and not left):
        raise NotElementwise
    return Stretch(first, -left)


def _literal(node: cst.BaseExpression | None) -> int:
    """0 where there is none."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return -_literal(node.expression)
    if node is None or isinstance(node, cst.Integer):
        return int(node.value.replace("_", ""), 0) if node else 0
    raise NotElementwise


def is_fresh(node: cst.BaseExpression) -> bool:
    """Whether an expression of arrays is a new array, not one of them or a view."""
    return isinstance(node, (cst.BinaryOperation, cst.UnaryOperation, cst.Call))


def types_of(kernel: Kernel, names: Iterable[str]) -> Iterator[str]:
    """What must be assumed of the types of arrays that come from outside: of all, where one is made from others."""
    outside = {name: array for name, array in kernel.array_named.items() if array.role in ("parameter", "global")}
    used, found = [*names], dict[str, list[str]]()
    for name, array in outside.items():
        if name in used or not outside.keys() >= {*used}:
            found.setdefault(array.dtype.name, []).append(array.name)
    return (f"{listed(same)} {'are' if same[1:] else 'is'} {dtype}" for dtype, same in found.items())


def listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def known_arrays(site: Site) -> Mapping[str, Array]:
    """The arrays of known rank that one name stands for in all of a function: ``v += 1`` stores into the argument."""
    in_place = (node.target for node in nodes(site.function) if isinstance(node, cst.AugAssign))
    given = Counter(t.value for t in in_place if isinstance(t, cst.Name) and t.value in site.kernel.parameters)
    bound = Counter(bindings(site.function)) - given
    known = site.kernel.array_named
    unsure = {s.name for s in site.kernel.symbols if s.extent and s.extent.dimension is None}
    return {
        name: array
        for name, array in known.items()
        if bound[name] <= (array.role not in ("parameter", "global"))
        and not any(extent.symbols & unsure for extent in array.shape)
    }
