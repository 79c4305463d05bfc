"""The value of a subscript: an element, a view or a selection of an array, an item or a slice of a tuple."""

from __future__ import annotations

from roofscan.ir.kinds import ReasonEffect
from roofscan.parse.inference.integers import record_field
from roofscan.parse.lowering import values
from roofscan.parse.lowering.attributes import element_or_view
from roofscan.parse.lowering.calls.builtins import reversed_value
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.join import any_item
from roofscan.parse.lowering.cuda.host import configured, is_cuda
from roofscan.parse.lowering.elements import scalar
from roofscan.parse.lowering.numpy.creation import grid_of_slices
from roofscan.parse.lowering.numpy.fancy_indexing import select
from roofscan.parse.lowering.records.fields import field_named
from roofscan.parse.lowering.subscripts import (
    Ellipsis_,
    Selection,
    evaluate_indices,
    index_value,
    subscript,
    tuple_item,
)
from roofscan.parse.syntax import Literal, Slice, Subscript, Unary


def evaluate_subscript(cx: Context, node: Subscript) -> values.Value:
    line = node.place.line
    base = cx.eval(node.base)
    if isinstance(base, values.ModuleRef) and base.dotted.rpartition(".")[2] in ("mgrid", "ogrid"):
        return grid_of_slices(cx, base.dotted.endswith("ogrid"), node.items, line)
    if isinstance(base, values.ModuleRef) and base.dotted.rpartition(".")[2] in ("s_", "index_exp"):
        return _kept_subscripts(cx, base, node)
    if isinstance(base, values.View):
        return _of_array(cx, base, node)
    if isinstance(base, values.TupleValue):
        return _of_tuple(cx, base, node)
    if isinstance(base, values.ListedViews) and not base.lazy and len(node.items) == 1:
        return _of_views(cx, base, node)
    if isinstance(base, values.RangeValue) and _is_reversal(node):
        return reversed_value(base)
    if isinstance(base, values.FunctionRef) and is_cuda(cx, base):
        return configured(base, [cx.eval(item) for item in node.items])
    for item in node.items:
        if not isinstance(item, (Literal, Slice)):
            cx.eval(item)
    if isinstance(base, (values.ModuleRef, values.DTypeValue, values.FunctionRef)):
        return values.Unknown("a type")
    if isinstance(base, values.ObjectValue):
        base = cx.unknown(line, f"a subscript of {base.path}, which is not known to be an array", "unseen")
    elif not isinstance(base, values.Unknown):
        effect: ReasonEffect = "lower" if isinstance(base, values.Scalar) else "unseen"
        base = cx.unknown(line, "a subscript of something that is not an array", effect)
    if any(isinstance(item, Slice) for item in node.items):
        return values.Unknown(base.why, base.dtype, several=True)
    return values.unknown_integer(base.why) if _is_index(cx, node) else base


def _kept_subscripts(cx: Context, base: values.ModuleRef, node: Subscript) -> values.Value:
    """``np.s_[1:-1, ::2]``: subscripts as a value."""
    indices = [index_value(cx, item) for item in node.items]
    items = [index for index in indices if not isinstance(index, Ellipsis_)]
    if len(items) < len(indices):
        return cx.unknown(node.place.line, "subscripts that are kept under a name, with an ellipsis", "unseen")
    alone = len(items) == 1 and not base.dotted.endswith("index_exp")
    return items[0] if alone else values.TupleValue(tuple(items))


def _is_index(cx: Context, node: Subscript) -> bool:
    """Whether a field or an element of something unknown serves as an index."""
    type_facts, (path, field) = cx.frame.type_facts, record_field(node)
    if field is not None:
        return (path, field) in type_facts.integer_fields
    plain = not any(isinstance(item, Slice) for item in node.items)
    return plain and path in type_facts.index_arrays and path not in type_facts.value_arrays


def _is_reversal(node: Subscript) -> bool:
    """``[::-1]``."""
    item = node.items[0]
    if len(node.items) > 1 or not isinstance(item, Slice) or item.lower is not None or item.upper is not None:
        return False
    step = item.step
    return isinstance(step, Unary) and step.op == "-" and isinstance(step.operand, Literal) and step.operand.value == 1


def _of_array(cx: Context, base: values.View, node: Subscript) -> values.Value:
    """An element, a view, or (with an array among the subscripts) a selection of an array."""
    line = node.place.line
    indices = evaluate_indices(cx, node.items, line)
    if indices and isinstance(indices[0], values.Text) and field_named(cx, base, indices[0].value) is None:
        return cx.unknown(line, f"{base.array} is not known to have a field {indices[0].value!r}", "lower")
    found = subscript(cx, base, indices, line)
    if isinstance(found, Selection):
        return select(cx, found, line)
    return element_or_view(cx, found, line, node.place.column)


def _of_views(cx: Context, base: values.ListedViews, node: Subscript) -> values.Value:
    """One view of a list of them, or a part of the list."""
    found = subscript(cx, base.whole, evaluate_indices(cx, node.items, node.place.line), node.place.line)
    if isinstance(found, Selection):
        return cx.unknown(node.place.line, "a subscript of a list", "unseen")
    return values.ListedViews(found) if found.ndim == base.whole.ndim else found


def _of_tuple(cx: Context, base: values.TupleValue, node: Subscript) -> values.Value:
    if len(node.items) != 1:
        return _lost(cx, base, "a subscript of a tuple", node)
    item = node.items[0]
    if isinstance(item, Slice):
        ends = [None if e is None else _integer(cx, scalar(cx, e)) for e in (item.lower, item.upper, item.step)]
        known = all((end is None) == (e is None) for end, e in zip(ends, (item.lower, item.upper, item.step)))
        if known and ends[2] != 0:
            return values.TupleValue(base.items[slice(*ends)], base.kind)
        return _lost(cx, base, "a slice of a tuple", node)
    found = tuple_item(base, scalar(cx, item))
    if found is not None:
        return found
    return any_item(cx, base, node.place.line)


def _lost(cx: Context, base: values.TupleValue, what: str, node: Subscript) -> values.Value:
    """A part of a tuple that is not known: where it has arrays, what follows reads them unseen."""
    return cx.unknown(node.place.line, what, "unseen") if any(values.arrays_in(base)) else values.Unknown(what)


def _integer(cx: Context, end: values.Scalar) -> int | None:
    value = None if end.expr is None else cx.builder.known_value(end.expr)
    return None if value is None else int(value)
