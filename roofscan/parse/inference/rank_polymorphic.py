"""Rank-polymorphic functions, whose cost holds at any rank (``x * np.tanh(x)``): all that they do treats elements
alike, or all reductions and slices are along one axis. :class:`Layout` describes the extents that then stand for all
dimensions. A parameter that a ufunc is applied to is taken as an array where nothing else is one; of several, some may
be scalars."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.inference.operands import module_of, operands_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.inference.type_facts import Layout, TypeFacts
from roofscan.parse.syntax import Assign, Binary, Call, Expression, Function, Name, Unary
from roofscan.parse.syntax_walk import dotted_path, target_names, walk

_SCALAR_FUNCTIONS = frozenset({"abs", "float", "int", "range", "print"})
_ATTRIBUTES = frozenset({"size", "dtype", "shape"})
_KEYWORDS = frozenset({"axis", "keepdims", "out", "dtype"})


def layout_of(nodes: list[Any], library: Library, helper_is_alike: Callable[[str], bool]) -> Layout | None:
    """The layout that suffices for all nodes of a function; None where shapes matter."""
    needed: set[Layout] = set()
    sliced = {
        dotted_path(node.base) for node in nodes if isinstance(node, syntax.Subscript) and _is_slice_of_first_axis(node)
    }
    for node in nodes:
        if isinstance(node, syntax.Call):
            found = _layout_of_call(node, library, helper_is_alike)
            if found is None:
                return None
            needed.add(found)
        elif isinstance(node, syntax.Subscript) and _is_index_of_last_axis(node):
            needed.add(Layout.LAST_AXIS)
        elif isinstance(node, syntax.Subscript) and _is_row_of_first_axis(node, sliced):
            needed.add(Layout.SLICES)
        elif not _is_alike(node, library):
            return None
    grouped = needed - {Layout.ELEMENTS}
    if grouped == {Layout.FIRST_AXIS, Layout.SLICES}:
        return Layout.FIRST_AXIS
    return Layout.ELEMENTS if not grouped else grouped.pop() if len(grouped) == 1 else None


def _is_alike(node: Any, library: Library) -> bool:
    """Whether a node other than a call treats all elements alike."""
    if isinstance(node, (syntax.Function, syntax.Lambda)):
        return False
    if isinstance(node, (syntax.Binary, syntax.AugAssign)):
        return node.op != "@"
    if isinstance(node, syntax.Subscript):
        return len(node.items) == 1 and isinstance(node.items[0], (syntax.Slice, syntax.Compare))
    if isinstance(node, syntax.For):
        return isinstance(node.iterable, syntax.Call)
    if isinstance(node, syntax.Attribute):
        return node.name in _ATTRIBUTES or bool(module_of(node)) or node.name in library
    if isinstance(node, syntax.Assign) and any(isinstance(t, syntax.Sequence) for t in node.targets):
        return isinstance(node.value, syntax.Sequence)
    return not (isinstance(node, syntax.Sequence) and node.kind == "list")


def _is_slice_of_first_axis(node: syntax.Subscript) -> bool:
    """``x[1:-1]``: a slice of the first axis, whatever the rank. ``x[::-1]`` is all of it."""
    item = node.items[0] if len(node.items) == 1 else None
    if not isinstance(item, syntax.Slice):
        return False
    reverses = isinstance(item.step, syntax.Unary) and item.step.op == "-"
    return item.lower is not None or item.upper is not None or not (item.step is None or reverses)


def _is_row_of_first_axis(node: syntax.Subscript, sliced: Collection[str | None]) -> bool:
    """Rows of the first axis: ``x[1:-1]``, ``x[0]`` of an array that is also sliced, and ``x.shape[0]``."""
    if len(node.items) != 1 or _is_slice_of_first_axis(node):
        return len(node.items) == 1
    [item] = node.items
    if isinstance(node.base, syntax.Attribute) and node.base.name == "shape":
        return isinstance(item, syntax.Literal) and item.value == 0
    if isinstance(item, syntax.Unary) and item.op == "-":
        item = item.operand
    return isinstance(item, syntax.Literal) and isinstance(item.value, int) and dotted_path(node.base) in sliced


def _is_index_of_last_axis(node: syntax.Subscript) -> bool:
    """``x[..., 0]``."""
    if len(node.items) != 2 or not all(isinstance(item, syntax.Literal) for item in node.items):
        return False
    first, second = (item.value for item in node.items if isinstance(item, syntax.Literal))
    return first is Ellipsis and isinstance(second, int)


def _layout_of_call(call: syntax.Call, library: Library, helper_is_alike: Callable[[str], bool]) -> Layout | None:
    path = dotted_path(call.function) or ""
    if path in _SCALAR_FUNCTIONS or (path and helper_is_alike(path)):
        return Layout.ELEMENTS
    if path == "len":
        return Layout.SLICES
    if not isinstance(call.function, syntax.Attribute) or any(k.name not in _KEYWORDS for k in call.keywords):
        return None
    return rule_of(call, library).layout(call)


def apply_ufunc_constraints(function: Function, nodes: list[Any], facts: TypeFacts, library: Library) -> None:
    """Record the parameters that elementwise functions and reductions of expressions are applied to."""
    if facts.ranks:
        return
    parameters = {p.name for p in function.parameters if p.default is None} - facts.integers - facts.scalars
    calls = [
        n for n in nodes if isinstance(n, Call) and (_is_elementwise(n, library) or _reduces_expression(n, library))
    ]
    made = _dependencies(nodes) if calls else {}
    for call in calls:
        for name in {n for a in operands_of(call) for n in _sources(a, made)} & parameters:
            facts.require_rank(name, 1 if facts.layout in (None, Layout.ELEMENTS) else 2)
            facts.assumed_ranks.setdefault(name, call.place.line)
    if facts.layout is Layout.ELEMENTS and len(parameters) > 1:
        facts.scalars_or_arrays = tuple(
            p.name for p in function.parameters if p.name in parameters & facts.ranks.keys()
        )
    elif facts.layout is None and len(parameters) > 1:
        facts.possible_scalars = frozenset(parameters & facts.ranks.keys())


def _dependencies(nodes: list[Any]) -> dict[str, set[str]]:
    """The names in the values that each name is bound to."""
    made: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, Assign) and node.value is not None:
            for name in (name for target in node.targets for name in target_names(target)):
                made.setdefault(name, set()).update(n.id for n in walk(node.value) if isinstance(n, Name))
    return made


def _sources(expression: Expression, made: Mapping[str, set[str]]) -> set[str]:
    """The names in an expression, and all those that they are computed from."""
    found: set[str] = set()
    stack = [n.id for n in walk(expression) if isinstance(n, Name)]
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack.extend(made.get(name, ()))
    return found


def _is_elementwise(call: Call, library: Library) -> bool:
    return module_of(call.function) not in ("", "math") and rule_of(call, library).is_elementwise


def _reduces_expression(call: Call, library: Library) -> bool:
    """``(x * y).sum()``: the operand of a reduction is an array."""
    operands = operands_of(call)
    return bool(operands) and isinstance(operands[0], (Binary, Unary)) and rule_of(call, library).is_reduction
