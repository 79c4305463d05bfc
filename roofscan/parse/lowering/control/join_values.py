"""What a name stands for after two arms of a condition, whatever the arms are."""

from __future__ import annotations

from roofscan.ir.dtypes import promote
from roofscan.parse.lowering.values import FunctionRef, NoneValue, Scalar, TupleValue, Unknown, Value


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
