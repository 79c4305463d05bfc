"""Attributes of modules, objects, arrays and numbers."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.assumption import Assumption
from roofscan.ir.dtypes import C8, F4, F8
from roofscan.parse.inference.operands import ARRAY_ATTRIBUTES
from roofscan.parse.lowering import values
from roofscan.parse.lowering.calls.inline import own_method
from roofscan.parse.lowering.calls.made_functions import of_class
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.type_tests import letter_of
from roofscan.parse.lowering.elements import read
from roofscan.parse.lowering.names import imported
from roofscan.parse.lowering.numpy.array_operations import total
from roofscan.parse.lowering.parameters import describe
from roofscan.parse.lowering.records.fields import field_named, is_record
from roofscan.parse.syntax import Attribute
from roofscan.parse.syntax_walk import dotted_path


def attribute(cx: Context, node: Attribute) -> values.Value:
    path = dotted_path(node)
    if path is not None and path in cx.frame.names:
        return cx.frame.names[path]
    member = of_class(cx, node)
    if member is not None:
        return member
    base = cx.eval(node.base)
    if isinstance(base, values.ModuleRef):
        dotted = f"{base.dotted}.{node.name}"
        return cx.threads.get(dotted) or imported(cx, dotted)
    if isinstance(base, values.ObjectValue):
        return _object_attribute(cx, base, node)
    if isinstance(base, values.View):
        field = field_named(cx, base, node.name) if is_record(base) or node.name not in ARRAY_ATTRIBUTES else None
        if field is not None:
            return element_or_view(cx, field, node.place.line, node.place.column)
        return view_attribute(cx, base, node.name, node.place.line)
    if isinstance(base, values.TupleValue) and node.name in base.fields:
        return base.items[base.fields.index(node.name)]
    if isinstance(base, values.Scalar):
        return _scalar_attribute(base, node.name)
    if isinstance(base, values.Unknown):
        return base
    if isinstance(base, values.DTypeValue) and node.name == "kind":
        return values.Text(letter_of(base.dtype))
    return values.BoundMethod(base, node.name)


def _object_attribute(cx: Context, base: values.ObjectValue, node: Attribute) -> values.Value:
    path = f"{base.path}.{node.name}"
    method = own_method(cx, base, node.name, node.place.line) if base.path == "self" else None
    if method is not None:
        return method
    seen = cx.frame.globals_seen
    if path not in seen:
        value = seen[path] = describe(cx, path, node.place.line)
        if (
            isinstance(value, values.Scalar)
            and value.expr is None
            and path not in cx.frame.types
            and base.path != "self"
        ):
            cx.builder.assume(Assumption(path, f"{value.dtype.name} (default)"))
    return seen[path]


def element_or_view(cx: Context, view: values.View, line: int, column: int = 0) -> values.Value:
    """What an index or a field leaves: a number that is read, else a view. A record is a reference."""
    return read(cx, view, line, column) if not view.ndim and not is_record(view) else view


def view_attribute(cx: Context, view: values.View, name: str, line: int) -> values.Value:
    """Attributes of an array: its sizes and type, its transpose, its parts, or one of its methods."""
    if name == "shape":
        return values.TupleValue(tuple(values.integer(extent) for extent in view.shape))
    if name == "size":
        return values.integer(total(view.shape))
    if name == "ndim":
        return values.literal(view.ndim)
    if name == "T":
        return transpose(view, tuple(reversed(range(view.ndim))))
    if name == "dtype":
        return values.DTypeValue(view.dtype)
    if name == "itemsize":
        return values.literal(view.dtype.size)
    if name == "nbytes":
        return values.integer(total(view.shape) * view.dtype.size)
    if name in ("real", "imag") and view.dtype.kind == "complex":
        cx.builder.reason(line, f"the {name} part of {view.array} is half of each element", "traffic")
        return replace(view, dtype=F4 if view.dtype == C8 else F8)
    if name == "flat":
        return values.BoundMethod(view, "ravel")
    return values.BoundMethod(view, name)


def transpose(view: values.View, order: tuple[int, ...]) -> values.View:
    """The same elements with the view's dimensions in another order."""
    place = {old: new for new, old in enumerate(order)}
    axes = tuple(a if a.dim is None else replace(a, dim=place[a.dim]) for a in view.axes)
    return replace(view, shape=tuple(view.shape[d] for d in order), axes=axes)


def _scalar_attribute(value: values.Scalar, name: str) -> values.Value:
    if name in ("real", "imag"):
        dtype = (F4 if value.dtype == C8 else F8) if value.dtype.kind == "complex" else value.dtype
        return replace(value, dtype=dtype, expr=None, number=None, literal=False)
    if name == "dtype":
        return values.DTypeValue(value.dtype)
    return values.BoundMethod(value, name)
