"""Expressions: each kind of syntax to the value that it stands for, its work added to the kernel on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from roofscan.ir.dtypes import C8, F4, F8, I8, promote
from roofscan.ir.expr import ONE
from roofscan.parse.lower import arithmetic
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.names import describe, imported, lookup
from roofscan.parse.lower.subscripts import Selection, evaluate_indices, read, subscript, tuple_item
from roofscan.parse.lower.values import (
    NONE,
    Bound,
    DTypeValue,
    FunctionRef,
    ModuleRef,
    NoneValue,
    ObjectValue,
    RangeValue,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    literal,
    unknown_whole,
    whole,
)
from roofscan.parse.lower.walk import dotted_path
from roofscan.parse.lower.whole_numbers import record_field
from roofscan.parse.syntax import (
    Attribute,
    Binary,
    Boolean,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Expression,
    Formatted,
    Lambda,
    Literal,
    Name,
    Named,
    Other,
    Sequence,
    Slice,
    Starred,
    Subscript,
    Unary,
)


def evaluate(cx: Context, expression: Expression) -> Value:
    """The value of an expression; what the model does not know becomes Unknown, with a reason in the report."""
    handler = _HANDLERS.get(type(expression))
    if handler is None:
        return cx.unknown(expression.place.line, f"{_kind(expression)} is outside the model")
    return handler(cx, expression)


def _kind(expression: Expression) -> str:
    return expression.kind if isinstance(expression, Other) else f"a {type(expression).__name__.lower()}"


def as_scalar(cx: Context, value: Value, line: int) -> Scalar:
    """``value`` as a number in a register: elements are read where a view of no dimensions stands for one."""
    if isinstance(value, Scalar):
        return value
    if isinstance(value, View):
        if value.ndim == 0:
            return read(cx, value, line)
        return Scalar(value.dtype, why_unknown="an array where a number is used")
    return Scalar(F8, weak=True, why_unknown="data")


def _literal(cx: Context, node: Literal) -> Value:
    if isinstance(node.value, (bool, int, float, complex)):
        return literal(node.value)
    if isinstance(node.value, str):
        return Text(node.value)
    return NONE


def _name(cx: Context, node: Name) -> Value:
    return lookup(cx, node.id, node.place.line)


def _binary(cx: Context, node: Binary) -> Value:
    left, right = cx.eval(node.left), cx.eval(node.right)
    line = node.place.line
    return binary_values(cx, node.op, left, right, line)


def binary_values(cx: Context, op: str, left: Value, right: Value, line: int) -> Value:
    """``left op right`` for numbers, arrays, tuples and lists."""
    if isinstance(left, View) or isinstance(right, View):
        from roofscan.parse.lower.arrays import array_binary

        return array_binary(cx, op, left, right, line)
    if isinstance(left, TupleValue) or isinstance(right, TupleValue):
        return _tuple_binary(op, left, right)
    return arithmetic.binary(cx, op, as_scalar(cx, left, line), as_scalar(cx, right, line), line)


def _tuple_binary(op: str, left: Value, right: Value) -> Value:
    if op == "+" and isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return TupleValue(left.items + right.items, left.kind)
    if op == "*" and isinstance(left, TupleValue) and isinstance(right, Scalar) and isinstance(right.number, int):
        if 0 <= right.number * len(left.items) <= 1024:
            return TupleValue(left.items * right.number, left.kind)
    return Unknown("an operation on tuples")


def _unary(cx: Context, node: Unary) -> Value:
    value = cx.eval(node.operand)
    line = node.place.line
    if isinstance(value, View):
        if node.op == "+":
            return value
        from roofscan.parse.lower.arrays import elementwise

        kind = "neg" if node.op == "-" else "compare"
        return elementwise(cx, [value], line, lambda s: _unary_scalar(cx, node.op, s[0], line), kind)
    return _unary_scalar(cx, node.op, as_scalar(cx, value, line), line)


def _unary_scalar(cx: Context, op: str, value: Scalar, line: int) -> Scalar:
    if op == "-":
        return arithmetic.negate(cx, value, line)
    if op == "+":
        return value
    if op == "not":
        from roofscan.ir.dtypes import B1

        return Scalar(B1, node=value.node, why_unknown="a test")
    return unknown_whole("a bit operation", value.dtype)


def _compare(cx: Context, node: Compare) -> Value:
    from roofscan.parse.lower.conditions import known_text_test

    known = known_text_test(cx, node)
    if known is not None:
        return literal(known)
    if len(node.operators) > 1:
        from roofscan.ir.dtypes import B1
        from roofscan.parse.lower.conditions import sides

        sides(cx, node)
        return Scalar(B1, why_unknown="a test")
    values = [cx.eval(o) for o in node.operands]
    line = node.place.line
    if any(isinstance(v, View) and v.ndim for v in values):
        from roofscan.parse.lower.arrays import elementwise

        return elementwise(cx, values, line, lambda s: arithmetic.compare(cx, s[0], s[1], line), "compare")
    left, right = (as_scalar(cx, v, line) for v in values)
    return arithmetic.compare(cx, left, right, line)


def _boolean(cx: Context, node: Boolean) -> Value:
    """``a and b`` as a value: where the right side does work, it stands under the left side's condition."""
    from roofscan.parse.lower.conditions import maybe_bound

    left = cx.scalar(node.left)
    state = cx.snapshot()
    with cx.builder.inside() as work:
        right = cx.scalar(node.right)
    if work:
        cx.restore(state)
        right = _where_open(cx, node)
    maybe_bound(cx, node.right)
    return replace(left, node=right.node or left.node, expr=None, number=None, literal=False, given="")


def _where_open(cx: Context, node: Boolean) -> Scalar:
    """The right side of ``and`` or ``or``, evaluated only where the left side leaves it open."""
    from roofscan.parse.lower.conditions import sides

    with cx.builder.inside():  # its work is counted already
        yes, no = sides(cx, node.left)
    right = Scalar(F8, why_unknown="a test")
    for piece in yes if node.op == "and" else no:
        with cx.builder.when(piece.conditions, piece.share, node.place.line):
            right = cx.scalar(node.right)
    return right


def _conditional(cx: Context, node: Conditional) -> Value:
    from roofscan.parse.lower.conditions import choose, maybe_bound

    value = choose(cx, node.test, lambda: cx.eval(node.then), lambda: cx.eval(node.orelse), node.place.line)
    maybe_bound(cx, node.then, node.orelse)
    return value


def _sequence(cx: Context, node: Sequence) -> Value:
    items: list[Value] = []
    for item in node.items:
        if isinstance(item, Starred):
            inner = cx.eval(item.value)
            if not isinstance(inner, TupleValue):
                return Unknown("a starred value")
            items.extend(inner.items)
        else:
            items.append(cx.eval(item))
    if node.kind == "set":  # equal items are one
        from roofscan.parse.lower.containers import a_container

        return a_container(cx, "a set", node.place.line)
    return TupleValue(tuple(items), node.kind)


def _subscript(cx: Context, node: Subscript) -> Value:
    line = node.place.line
    base = cx.eval(node.base)
    if isinstance(base, ModuleRef) and base.dotted.rpartition(".")[2] in ("mgrid", "ogrid"):
        from roofscan.parse.lower.making import grid_of_slices

        return grid_of_slices(cx, base.dotted.endswith("ogrid"), node.items, line)
    if isinstance(base, View):
        return subscript_view(cx, base, node)
    if isinstance(base, TupleValue):
        return _tuple_subscript(cx, base, node)
    if isinstance(base, ObjectValue):
        return _field(cx, base, node)
    if isinstance(base, RangeValue) and _is_turned(node):
        from roofscan.parse.lower.calls import backwards

        return backwards(base)
    for item in node.items:
        if not isinstance(item, (Literal,)) and type(item).__name__ != "Slice":
            cx.eval(item)
    if isinstance(base, (ModuleRef, DTypeValue, FunctionRef)):
        return Unknown("a type")
    if not isinstance(base, Unknown):
        base = cx.unknown(line, "a subscript of something that is not an array", "unseen")
    return unknown_whole(base.why) if _is_whole(cx, node) else base


def _is_whole(cx: Context, node: Subscript) -> bool:
    """Whether a field or an element of something unknown serves as an index."""
    usage, (path, field) = cx.frame.usage, record_field(node)
    if field is not None:
        return (path, field) in usage.whole_fields
    plain = not any(isinstance(item, Slice) for item in node.items)
    return plain and path in usage.index_arrays and path not in usage.value_arrays


def _is_turned(node: Subscript) -> bool:
    """``[::-1]``."""
    item = node.items[0]
    if len(node.items) > 1 or not isinstance(item, Slice) or item.lower is not None or item.upper is not None:
        return False
    step = item.step
    return isinstance(step, Unary) and step.op == "-" and isinstance(step.operand, Literal) and step.operand.value == 1


def subscript_view(cx: Context, base: View, node: Subscript) -> Value:
    """An element, a view, or (with an array among the subscripts) a selection of an array."""
    line = node.place.line
    if len(node.items) == 1 and isinstance(node.items[0], Literal) and isinstance(node.items[0].value, str):
        cx.builder.reason(line, f"the field {node.items[0].value!r} of a record array", "traffic")
        return replace(base, dtype=I8) if record_field(node) in cx.frame.usage.whole_fields else base
    found = subscript(cx, base, evaluate_indices(cx, node.items, line), line)
    if isinstance(found, Selection):
        from roofscan.parse.lower.selection import select

        return select(cx, found, line)
    return read(cx, found, line, node.place.column) if found.ndim == 0 else found


def _tuple_subscript(cx: Context, base: TupleValue, node: Subscript) -> Value:
    if len(node.items) != 1:
        return Unknown("a subscript of a tuple")
    item = node.items[0]
    if isinstance(item, Slice):
        ends = [None if e is None else cx.scalar(e).number for e in (item.lower, item.upper, item.step)]
        if all(e is None or isinstance(e, int) for e in ends) and ends[2] != 0:
            return TupleValue(base.items[slice(*ends)], base.kind)  # type: ignore[arg-type]
        return Unknown("a slice of a tuple")
    found = tuple_item(base, cx.scalar(item))
    if found is not None:
        return found
    from roofscan.parse.lower.alternatives import any_item

    return any_item(cx, base, node.place.line)


def _field(cx: Context, base: ObjectValue, node: Subscript) -> Value:
    return cx.unknown(node.place.line, f"a subscript of {base.path}, which is not known to be an array", "unseen")


def _attribute(cx: Context, node: Attribute) -> Value:
    path = dotted_path(node)
    if path is not None and path in cx.frame.names:
        return cx.frame.names[path]
    base = cx.eval(node.base)
    if isinstance(base, ModuleRef):
        dotted = f"{base.dotted}.{node.name}"
        return cx.threads.get(dotted) or imported(cx, dotted)
    if isinstance(base, ObjectValue):
        return _object_attribute(cx, base, node)
    if isinstance(base, View):
        return view_attribute(cx, base, node.name, node.place.line)
    if isinstance(base, TupleValue) and node.name in base.fields:
        return base.items[base.fields.index(node.name)]
    if isinstance(base, Scalar):
        return _scalar_attribute(base, node.name)
    if isinstance(base, Unknown):
        return base
    return Bound(base, node.name)


def _object_attribute(cx: Context, base: ObjectValue, node: Attribute) -> Value:
    from roofscan.parse.lower.inline import own_method

    path = f"{base.path}.{node.name}"
    method = own_method(cx, base, node.name, node.place.line) if base.path == "self" else None
    if method is not None:
        return method
    seen = cx.frame.globals_seen
    if path not in seen:
        seen[path] = describe(cx, path, node.place.line)
    return seen[path]


def view_attribute(cx: Context, view: View, name: str, line: int) -> Value:
    """Attributes of an array: its sizes and type, its transpose, its parts, or one of its methods."""
    if name == "shape":
        return TupleValue(tuple(whole(extent) for extent in view.shape))
    if name == "size":
        total = ONE
        for size in view.shape:
            total = total * size
        return whole(total)
    if name == "ndim":
        return literal(view.ndim)
    if name == "T":
        return transpose(view, tuple(reversed(range(view.ndim))))
    if name == "dtype":
        return DTypeValue(view.dtype)
    if name in ("itemsize", "nbytes"):
        return literal(view.dtype.size) if name == "itemsize" else Scalar(F8)
    if name in ("real", "imag") and view.dtype.kind == "complex":
        cx.builder.reason(line, f"the {name} part of {view.array} is half of each element", "traffic")
        return replace(view, dtype=F4 if view.dtype == C8 else F8)
    if name == "flat":
        return Bound(view, "ravel")
    return Bound(view, name)


def transpose(view: View, order: tuple[int, ...]) -> View:
    """The same elements with the view's dimensions in another order."""
    place = {old: new for new, old in enumerate(order)}
    axes = tuple(a if a.dim is None else replace(a, dim=place[a.dim]) for a in view.axes)
    return replace(view, shape=tuple(view.shape[d] for d in order), axes=axes)


def _scalar_attribute(value: Scalar, name: str) -> Value:
    if name in ("real", "imag"):
        dtype = (F4 if value.dtype == C8 else F8) if value.dtype.kind == "complex" else value.dtype
        return replace(value, dtype=dtype, expr=None, number=None, literal=False)
    if name == "dtype":
        return DTypeValue(value.dtype)
    return Bound(value, name)


def _call(cx: Context, node: Call) -> Value:
    from roofscan.parse.lower.calls import call

    return call(cx, node)


def _formatted(cx: Context, node: Formatted) -> Value:
    """An f-string: what it shows is computed."""
    for part in node.parts:
        cx.eval(part)
    return Unknown("a text")


def _named(cx: Context, node: Named) -> Value:
    from roofscan.parse.lower.statements import store

    value = cx.eval(node.value)
    store(cx, node.target, value, node.place.line)
    return cx.frame.names[node.target.id]


def _lambda(cx: Context, node: Lambda) -> Value:
    from roofscan.parse.lower.inline import made_here

    return made_here(cx, node, "lambda")


def _comprehension(cx: Context, node: Comprehension) -> Value:
    from roofscan.parse.lower.loops import comprehension

    return comprehension(cx, node)


def merge(then: Value | None, orelse: Value | None) -> Value | None:
    """What a name stands for after two arms of a condition."""
    if then == orelse or orelse is None:
        return then
    if then is None:
        return orelse
    if isinstance(then, Scalar) and isinstance(orelse, Scalar):
        node = orelse.node if then.node is None else then.node
        same = then.expr is not None and then.expr == orelse.expr
        return Scalar(
            promote(then.dtype, orelse.dtype),
            then.expr if same else None,
            node,
            weak=then.weak and orelse.weak,
            why_unknown=then.why_unknown or orelse.why_unknown or "a value that depends on a condition",
            or_none=then.or_none or orelse.or_none,
        )
    if isinstance(then, TupleValue) and isinstance(orelse, TupleValue) and len(then.items) == len(orelse.items):
        pairs = zip(then.items, orelse.items, strict=True)
        items = [merge(a, b) for a, b in pairs]
        return TupleValue(tuple(i for i in items if i is not None), then.kind)
    if isinstance(then, (NoneValue, Unknown)):
        return orelse
    if isinstance(then, FunctionRef) and isinstance(orelse, FunctionRef) and then.function is not orelse.function:
        return Unknown("a function that depends on a condition")
    return then


_HANDLERS: dict[type, Callable[[Context, Any], Value]] = {
    Literal: _literal,
    Name: _name,
    Binary: _binary,
    Unary: _unary,
    Compare: _compare,
    Boolean: _boolean,
    Conditional: _conditional,
    Sequence: _sequence,
    Subscript: _subscript,
    Attribute: _attribute,
    Call: _call,
    Formatted: _formatted,
    Named: _named,
    Lambda: _lambda,
    Comprehension: _comprehension,
}
