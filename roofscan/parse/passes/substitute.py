"""Replacing placeholders in finished nodes: a scalar that a loop changes is known only when its body is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from roofscan.ir.kernel import Access, Body, Branch, Condition, Loop, Node, Operation, When
from roofscan.parse.lowering.values import Axis, Scalar, TupleValue, Value, View
from roofscan.symbolic.expr import ONE, ZERO, Expr

Values = Mapping[str, Expr | None]  # None: the placeholder stands for something that depends on data
Fresh = Callable[[str, int], Expr]  # (kind, line) -> a new symbol for a share, a trip count or a size of work


def substitute(body: Body, values: Values, why: str, fresh: Fresh) -> Body:
    """``body`` with the placeholders replaced."""
    if not values:
        return body
    return tuple(_node(node, values, why, fresh) for node in body)


def _subs(expr: Expr, values: Values) -> Expr | None:
    hit = expr.symbols & values.keys()
    if not hit:
        return expr
    known = {name: values[name] for name in hit}
    if any(v is None for v in known.values()):
        return None
    return expr.subs({k: v for k, v in known.items() if v is not None})


def _node(node: Node, values: Values, why: str, fresh: Fresh) -> Node:
    if isinstance(node, Access):
        return _access(node, values, why)
    if isinstance(node, Operation):
        count = _subs(node.count, values)
        if count is None:
            count = fresh("work", node.line)
        return node if count is node.count else replace(node, count=count)
    if isinstance(node, Loop):
        return _loop(node, values, why, fresh)
    inner = substitute(node.body, values, why, fresh)
    if isinstance(node, Branch):
        return replace(node, body=inner)
    return _when(replace(node, body=inner), values, fresh)


def _access(node: Access, values: Values, why: str) -> Access:
    index = tuple(None if e is None else _subs(e, values) for e in node.index)
    if index == node.index:
        return node
    lost = any(new is None and old is not None for new, old in zip(index, node.index, strict=True))
    return replace(node, index=index, why_irregular=why if lost else node.why_irregular)


def _loop(node: Loop, values: Values, why: str, fresh: Fresh) -> Loop:
    body = substitute(node.body, values, why, fresh)
    start, stop, step = (_subs(e, values) for e in (node.start, node.stop, node.step))
    if start is not None and stop is not None and step is not None:
        return replace(node, start=start, stop=stop, step=step, body=body)
    trips = fresh("trips", node.line)
    if start is None:
        body = substitute(body, {node.var: None}, why, fresh)
    base = start if start is not None else ZERO
    return replace(node, start=base, stop=base + trips, step=ONE, body=body)


def _when(node: When, values: Values, fresh: Fresh) -> Node:
    kept: list[Condition] = []
    lost = False
    for condition in node.conditions:
        expr = _subs(condition.expr, values)
        if expr is None:
            lost = True
        else:
            kept.append(replace(condition, expr=expr))
    body = node.body
    if lost:
        body = (Branch(fresh("share", node.line), body, node.line),)
    if not kept:
        return body[0] if len(body) == 1 else Branch(ONE, body, node.line)
    return replace(node, conditions=tuple(kept), body=body)


def substitute_value(value: Value, values: Values) -> Value:
    """What a name stands for, with placeholders and finished loop variables replaced."""
    if isinstance(value, Scalar):
        if value.expr is not None and value.expr.symbols & values.keys():
            value = replace(value, expr=_subs(value.expr, values), why_unknown="a value that a loop changes")
        return replace(value, loaded_from=None) if value.loaded_from and _mentions(value, values) else value
    if isinstance(value, TupleValue):
        return replace(value, items=tuple(substitute_value(i, values) for i in value.items))
    if isinstance(value, View):
        shape = tuple(_subs(e, values) for e in value.shape)
        if any(e is None for e in shape):
            return value
        return replace(
            value,
            shape=tuple(e for e in shape if e is not None),
            axes=tuple(_axis(a, values) for a in value.axes),
        )
    return value


def _mentions(value: Scalar, values: Values) -> bool:
    assert value.loaded_from is not None
    return any(e is not None and e.symbols & values.keys() for e in value.loaded_from[1])


def _axis(axis: Axis, values: Values) -> Axis:
    if axis.offset is None:
        return axis
    offset, step = _subs(axis.offset, values), _subs(axis.step, values)
    if offset is None or step is None:
        return Axis(None, axis.dim, why="a value that a loop changes")
    return replace(axis, offset=offset, step=step)
