"""Assignments: a name bound, an element written, an array changed in place."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.dtypes import F8
from roofscan.ir.kinds import ReasonEffect
from roofscan.parse import syntax
from roofscan.parse.lowering.containers import list_as_bound
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.join import any_item, join
from roofscan.parse.lowering.control.named_tests import as_named
from roofscan.parse.lowering.control.parameter_tests import without_origin
from roofscan.parse.lowering.elements import as_computed_here, as_scalar, element, read, scalar, write
from roofscan.parse.lowering.numpy.allocation import shape_of
from roofscan.parse.lowering.numpy.array_operations import copy_into, rename, row_of
from roofscan.parse.lowering.numpy.broadcasting import unify
from roofscan.parse.lowering.numpy.fancy_indexing import select, select_store
from roofscan.parse.lowering.numpy.views import reshaped
from roofscan.parse.lowering.operators import binary_values, update_in_place
from roofscan.parse.lowering.records.fields import field_named, is_record, named_fields
from roofscan.parse.lowering.subscripts import Selection, evaluate_indices, subscript
from roofscan.parse.lowering.values import NONE, ObjectValue, Scalar, Text, TupleValue, Unknown, Value, View, named
from roofscan.parse.syntax_walk import dotted_path, root_name
from roofscan.symbolic.expr import ONE, Expr


def assign(cx: Context, node: syntax.Assign) -> None:
    """``a = b = value``: the value, then each of its targets."""
    if node.value is None:
        return
    if node.targets and isinstance(node.targets[0], syntax.Sequence) and isinstance(node.value, syntax.Sequence):
        value: Value = TupleValue(tuple(cx.eval(v) for v in node.value.items))
    else:
        value = cx.eval(node.value)
        if isinstance(node.value, syntax.Comprehension) and node.value.kind == "generator":
            value = cx.unknown(node.place.line, "a generator runs only as far as it is read", "upper")
    value = as_named(cx, node.value, value)
    for target in node.targets:
        store(cx, target, value, node.place.line)


def store(cx: Context, target: syntax.Expression, value: Value, line: int) -> None:
    if isinstance(target, syntax.Name):
        value = as_computed_here(cx, without_origin(named(value)))
        cx.frame.names[target.id] = named_array(cx, target.id, list_as_bound(cx, target.id, value, line))
    elif isinstance(target, syntax.Sequence):
        _unpack(cx, target, value, line)
    elif isinstance(target, syntax.Subscript):
        _store_subscript(cx, target, value, line)
    elif isinstance(target, syntax.Attribute):
        _store_attribute(cx, target, value, line)
    elif isinstance(target, syntax.Starred):
        store(cx, target.value, value, line)


def _store_attribute(cx: Context, target: syntax.Attribute, value: Value, line: int) -> None:
    """``self.x = …``, a field of a record, and ``x.shape = n, m``, which reshapes in place."""
    cx.builder.outlive(value)
    path, field = dotted_path(target), _field_at(cx, target)
    if field is not None:
        _store_in(cx, field, value, target.place)
        return
    owner = cx.frame.names.get(target.base.id) if isinstance(target.base, syntax.Name) else None
    if target.name == "shape" and isinstance(target.base, syntax.Name) and isinstance(owner, View):
        shape = shape_of(cx, value, line)
        if shape is not None:
            cx.frame.names[target.base.id] = reshaped(cx, owner, shape, line)
    elif path is not None:
        cx.frame.names[path] = without_origin(named(value))
    else:
        cx.builder.reason(line, "a store into something that is not an array", "unseen")


def _field_at(cx: Context, target: syntax.Attribute) -> View | None:
    """The field that an attribute of a record or of an array of records is."""
    if dotted_path(target) is not None and not isinstance(cx.frame.names.get(root_name(target)), View):
        return None
    base = cx.eval(target.base)
    return field_named(cx, base, target.name) if isinstance(base, View) else None


def named_array(cx: Context, name: str, value: Value) -> Value:
    """The report uses the name of a temporary that is bound to one."""
    if isinstance(value, View) and value.temporary:
        return rename(cx, value, name)
    return value


def _unpack(cx: Context, target: syntax.Sequence, value: Value, line: int) -> None:
    items: list[Value]
    if isinstance(value, TupleValue) and len(value.items) == len(target.items):
        items = list(value.items)
    elif isinstance(value, View) and value.ndim:
        items = _rows(cx, value, len(target.items), line)
    else:
        why = value.why if isinstance(value, Unknown) else "an unpacked value"
        items = [Unknown(why)] * len(target.items)
        of = value.path if isinstance(value, ObjectValue) else value.given if isinstance(value, Scalar) else ""
        if of:
            cx.builder.assume(f"{of} holds {len(target.items)} numbers (line {line} unpacks it)")
            items = [Scalar(F8, weak=True, why_unknown=of)] * len(target.items)
    for item, inner in zip(target.items, items, strict=True):
        store(cx, item, inner, line)


def _rows(cx: Context, view: View, count: int, line: int) -> list[Value]:
    """``a, b = x`` for an array: its rows or elements."""
    rows: list[Value] = []
    for k in range(count):
        row = replace(row_of(view, Expr.of(k)), any_stride=True) if view.ndim > 1 else element(view, [Expr.of(k)])
        rows.append(read(cx, row, line) if row.ndim == 0 else row)
    return rows


def _store_subscript(cx: Context, target: syntax.Subscript, value: Value, line: int) -> None:
    base = cx.eval(target.base)
    if not isinstance(base, View):
        cx.builder.outlive(value)
        for item in target.items:
            if not isinstance(item, (syntax.Literal, syntax.Slice)):
                cx.eval(item)
        if isinstance(base, (TupleValue, Text)):
            _store_in_list(cx, target, base, value, line)
            return
        effect: ReasonEffect = "lower" if isinstance(base, Scalar) else "unseen"
        cx.builder.reason(line, "a store into something that is not an array", effect)
        return
    _store_in(cx, subscript(cx, base, evaluate_indices(cx, target.items, line), line), value, target.place)


def _store_in(cx: Context, view: View | Selection, value: Value, place: syntax.Place) -> None:
    line = place.line
    if isinstance(view, Selection):
        select_store(cx, view, value, line)
    elif is_record(view) and isinstance(value, TupleValue):
        for field, part in zip(named_fields(cx, view), value.items):
            _store_in(cx, field, part, place)
    elif view.ndim == 0:
        write(cx, view, _one_number(cx, view, value, line), line, place.column)
    elif isinstance(value, TupleValue) and _is_row(cx, view, value, line):
        for k, part in enumerate(value.items):
            write(cx, element(view, [Expr.of(k)]), as_scalar(cx, part, line), line, place.column)
    else:
        copy_into(cx, view, value, line)


def _is_row(cx: Context, view: View, value: TupleValue, line: int) -> bool:
    """Whether a slice gets as many numbers as it has elements: ``x[:2] = a, b`` needs no array between."""
    if view.ndim != 1 or not all(isinstance(item, Scalar) for item in value.items):
        return False
    count = Expr.of(len(value.items))
    if len(value.items) > 1:  # a single number is broadcast
        unify(cx, view.shape[0], count, line)
    return cx.builder.resolve(view.shape[0]) == count


def _store_in_list(cx: Context, target: syntax.Subscript, base: Value, value: Value, line: int) -> None:
    """``items[2] = x`` on a list of known length."""
    name = target.base.id if isinstance(target.base, syntax.Name) else None
    if name is None or not isinstance(base, TupleValue) or len(target.items) != 1:
        return
    if isinstance(target.items[0], syntax.Slice):
        cx.frame.names[name] = Unknown("a list that changes its length")
        return
    index = scalar(cx, target.items[0])
    place = index.expr.constant if index.expr is not None else None
    if place is not None and -len(base.items) <= place < len(base.items):
        items = list(base.items)
        items[int(place)] = value
        cx.frame.names[name] = TupleValue(tuple(items), base.kind)
    else:
        merged = join(cx, any_item(cx, base, line), value, line)
        cx.frame.names[name] = TupleValue((merged or NONE,) * len(base.items), base.kind)


def augmented(cx: Context, node: syntax.AugAssign) -> None:
    """``x += value``: an array is changed in place, any other name is bound again."""
    line = node.place.line
    field = _field_at(cx, node.target) if isinstance(node.target, syntax.Attribute) else None
    if field is not None:
        _update(cx, node, field)
    elif isinstance(node.target, (syntax.Name, syntax.Attribute)):
        old = cx.eval(node.target)
        new = cx.eval(node.value)
        if isinstance(old, View) and old.ndim:
            update_in_place(cx, node.op, old, new, line)
            return
        if isinstance(new, TupleValue):
            cx.builder.outlive(new)
        if isinstance(old, View) and isinstance(new, (Scalar, View)):
            old = as_scalar(cx, old, line)
        store(cx, node.target, binary_values(cx, node.op, old, new, line), line)
    elif isinstance(node.target, syntax.Subscript):
        _augmented_element(cx, node, node.target, line)


def _augmented_element(cx: Context, node: syntax.AugAssign, target: syntax.Subscript, line: int) -> None:
    """``a[i] += x``: the element is read, then the operand evaluated, then the element written."""
    base = cx.eval(target.base)
    if not isinstance(base, View):
        new = cx.eval(node.value)
        old = any_item(cx, base, line) if isinstance(base, TupleValue) else base
        if not isinstance(old, Unknown):
            _store_subscript(cx, target, binary_values(cx, node.op, old, new, line), line)
        elif isinstance(new, View) and new.ndim:
            cx.builder.reason(line, "an operation with an array changes an unknown value: it is not counted", "lower")
        elif isinstance(new, Unknown) or (isinstance(new, Scalar) and not new.is_integer):  # a floating number at least
            binary_values(cx, node.op, old, new, line)
        return
    _update(cx, node, subscript(cx, base, evaluate_indices(cx, target.items, line), line))


def _update(cx: Context, node: syntax.AugAssign, view: View | Selection) -> None:
    line, column = node.place.line, node.target.place.column
    if isinstance(view, Selection):
        new = binary_values(cx, node.op, select(cx, view, line), cx.eval(node.value), line)
        select_store(cx, view, new, line)
        return
    if view.ndim:
        update_in_place(cx, node.op, view, cx.eval(node.value), line)
        return
    old_element = read(cx, view, line, column)
    result = binary_values(cx, node.op, old_element, cx.eval(node.value), line)
    write(cx, view, _one_number(cx, view, result, line), line, column)


def _one_number(cx: Context, target: View, value: Value, line: int) -> Scalar:
    """The number that is written into one element. An array of several elements shows that ``target`` is a part with
    as many dimensions."""
    if isinstance(value, View) and any(extent != ONE for extent in value.shape):
        cx.require_rank(target.array, len(target.axes) + value.ndim)
        cx.builder.reason(line, "a value that is counted as an array is stored into one element", "upper")
    return as_scalar(cx, value, line)
