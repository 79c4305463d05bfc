"""Functions whose figures hold at any number of dimensions: ``x * np.tanh(x)`` asks only for ``x.size``.

Where nothing tells an array's dimensions and everything that a function does treats all elements alike, its size
is the one extent that counts. Reductions along the first or the last axis leave two: that axis and the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from roofscan.parse.inference.axes import named_axis
from roofscan.parse.inference.operands import called, is_method, keyword, module_of
from roofscan.parse.lowering.numpy.table import TABLE
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    AugAssign,
    Binary,
    Call,
    Compare,
    Expression,
    For,
    Function,
    Lambda,
    Literal,
    Sequence,
    Slice,
    Subscript,
    Unary,
)
from roofscan.parse.syntax_walk import dotted_path

ALL, FIRST, LAST, PARTS = "all", "first", "last", "parts"
"""How the elements of an array lie in what is costed: in one row, or in rows along the first or the last axis; PARTS:
as FIRST, but only slices of the first axis tell, so that rows may be single elements."""

_ALIKE = frozenset({"map", "map2", "clip", "where", "copy", "as_array"})
_WHOLE = frozenset({"reduce", "norm"})
_PLAIN = frozenset({"abs", "float", "int", "range", "print"})
_ATTRIBUTES = frozenset({"size", "dtype"})


def layout_of(nodes: list[Any], helper_is_alike: Callable[[str], bool]) -> str | None:
    """ALL, FIRST, LAST or PARTS where a function's nodes treat arrays so; None where dimensions matter."""
    axes: set[str] = set()
    sliced = {dotted_path(node.base) for node in nodes if isinstance(node, Subscript) and _takes_part(node)}
    for node in nodes:
        if isinstance(node, Call):
            found = _of_call(node, helper_is_alike)
            if found is None:
                return None
            axes.add(found)
        elif isinstance(node, Subscript) and is_last_place(node):
            axes.add(LAST)
        elif isinstance(node, Subscript) and _is_row(node, sliced):
            axes.add(PARTS)
        elif not _is_alike(node):
            return None
    named = axes - {ALL}
    if named == {FIRST, PARTS}:
        return FIRST
    return ALL if not named else named.pop() if len(named) == 1 else None


def _is_alike(node: Any) -> bool:
    """Whether anything but a call treats all elements alike."""
    if isinstance(node, (Function, Lambda)):
        return False
    if isinstance(node, (Binary, AugAssign)):
        return node.op != "@"
    if isinstance(node, Subscript):
        return len(node.items) == 1 and isinstance(node.items[0], (Slice, Compare))
    if isinstance(node, For):
        return isinstance(node.iterable, Call)
    if isinstance(node, Attribute):
        return node.name in (*_ATTRIBUTES, "shape") or bool(module_of(node)) or node.name in TABLE
    if isinstance(node, Assign) and any(isinstance(t, Sequence) for t in node.targets):
        return isinstance(node.value, Sequence)
    return not (isinstance(node, Sequence) and node.kind == "list")


def _takes_part(node: Subscript) -> bool:
    """``x[1:-1]``: a part along the first axis, of whatever dimensions lie behind it."""
    item = node.items[0] if len(node.items) == 1 else None
    if not isinstance(item, Slice):
        return False
    turned = isinstance(item.step, Unary) and item.step.op == "-"
    return item.lower is not None or item.upper is not None or not (item.step is None or turned)


def _is_row(node: Subscript, sliced: Collection[str | None]) -> bool:
    """Rows along the first axis: ``x[1:-1]``, ``x[0]`` of what is also sliced, and how many there are."""
    if len(node.items) != 1 or _takes_part(node):
        return len(node.items) == 1
    [item] = node.items
    if isinstance(node.base, Attribute) and node.base.name == "shape":
        return isinstance(item, Literal) and item.value == 0
    if isinstance(item, Unary) and item.op == "-":
        item = item.operand
    return isinstance(item, Literal) and isinstance(item.value, int) and dotted_path(node.base) in sliced


def is_last_place(node: Subscript) -> bool:
    """``x[..., 0]``."""
    if len(node.items) != 2 or not all(isinstance(item, Literal) for item in node.items):
        return False
    first, second = (item.value for item in node.items if isinstance(item, Literal))
    return first is Ellipsis and isinstance(second, int)


def _of_call(call: Call, helper_is_alike: Callable[[str], bool]) -> str | None:
    """What a call makes of its operands' elements: as :func:`lay_of`."""
    path, name = dotted_path(call.function) or "", called(call)
    if path in _PLAIN or (path and helper_is_alike(path)):
        return ALL
    if path == "len":
        return PARTS
    row = TABLE.get(name) if isinstance(call.function, Attribute) else None
    if row is None or any(k.name not in ("axis", "keepdims", "out", "dtype") for k in call.keywords):
        return None
    if row.rule in _ALIKE or name.endswith("_like"):
        return ALL
    if name == "roll":
        return ALL if len(call.args) == 2 and not call.keywords else None
    if row.rule not in _WHOLE or len(call.args) != (0 if is_method(call) else 1):
        return None
    axis, keep = named_axis(call), keyword(call, "keepdims")
    keeps = isinstance(keep, Literal) and keep.value is True
    if axis is None:
        return None if keeps else ALL
    if isinstance(axis, Literal) and axis.value == 0:
        return FIRST
    return LAST if keeps and _is_last(axis) else None


def _is_last(axis: Expression) -> bool:
    return isinstance(axis, Unary) and axis.op == "-" and isinstance(axis.operand, Literal) and axis.operand.value == 1


def extents(path: str, lay: str) -> tuple[tuple[str, str], ...]:
    """Names of the extents that stand for all dimensions of an array, and what they mean in Python."""
    name = path.replace(".", "_")
    if lay == ALL:
        return ((f"{name}_size", f"{path}.size"),)
    if lay in (FIRST, PARTS):
        return (f"{name}_shape_0", f"{path}.shape[0]"), (f"{name}_row_size", f"{path}.size//{path}.shape[0]")
    return (f"{name}_rows", f"{path}.size//{path}.shape[-1]"), (f"{name}_row_size", f"{path}.shape[-1]")
