"""Short loops whose number chooses what they access: ``for k in range(9)``, or ``range(q)`` where facts say that q is
9, is written out, one copy of the body an iteration, where integers of a constant table at k (``f[x - CX[k], y - CY[k],
k]``), or what a condition on k alone picks (``start = 0 if k < 2 else n - 1``), are in subscripts or ranges."""

from __future__ import annotations

from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import IteratorValue, RangeValue, Scalar, TupleValue, Value, View, integer
from roofscan.parse.reader.module_arrays import integer_at
from roofscan.parse.syntax import Assign, Call, Conditional, Expression, For, If, Name, Subscript
from roofscan.parse.syntax_walk import assigned_names, breaks, has_exit, target_names, walk
from roofscan.symbolic.expr import Expr

MAX_WRITTEN_OUT = 32  # iterations
MAX_PICKED = 8  # iterations of a loop where conditions pick


def written_out(cx: Context, node: For, value: Value) -> Value:
    """The iterations of a loop as items where a table chooses what it accesses, or where it takes the items of several
    tuples together, else ``value``."""
    if isinstance(value, IteratorValue):
        return _of_tuples(value)
    if not isinstance(value, RangeValue) or value.parallel or not isinstance(node.target, Name):
        return value
    ends = [None if e.expr is None else cx.builder.known_value(e.expr) for e in (value.start, value.stop, value.step)]
    if any(e is None for e in ends) or not ends[2]:
        return value
    numbers = range(*(int(e) for e in ends if e is not None))
    if not 0 < len(numbers) <= MAX_WRITTEN_OUT or has_exit(node.body, loop_level=False) or breaks(node.body):
        return value
    picked = _picked(node) if len(numbers) <= MAX_PICKED else set()
    if not _chooses(cx, node, node.target.id, picked):
        return value
    return TupleValue(tuple(integer(Expr.of(n)) for n in numbers))


def _picked(node: For) -> set[str]:
    """The names that conditions on the loop variable alone give different values."""
    names: set[str] = set()
    for each in walk(node.body):
        if isinstance(each, If) and _is_of(each.test, node.target):
            names.update(assigned_names((each,)))
        elif isinstance(each, Assign) and any(
            isinstance(part, Conditional) and _is_of(part.test, node.target) for part in walk(each.value)
        ):
            names.update(name for target in each.targets for name in target_names(target))
    return names


def _is_of(test: Expression, target: Expression) -> bool:
    """Whether a test is on the loop variable alone."""
    return {part.id for part in walk(test) if isinstance(part, Name)} == set(target_names(target))


def _of_tuples(value: IteratorValue) -> Value:
    """``zip`` and ``enumerate`` of tuples as a tuple."""
    parts = [part.items for part in value.parts if isinstance(part, TupleValue)]
    if value.kind == "enumerate" and len(parts) == len(value.parts) == 1:
        parts = [tuple(integer(Expr.of(n)) for n in range(len(parts[0]))), *parts]
    elif value.kind != "zip" or len(parts) < len(value.parts):
        return value
    return TupleValue(tuple(TupleValue(items) for items in zip(*parts)))


def _chooses(cx: Context, node: For, variable: str, chosen: set[str]) -> bool:
    """Whether a chosen name, or an integer of a table at ``variable``, is in a subscript or a range, at once or by the
    names of others."""

    def is_chosen(expression: Expression) -> bool:
        parts = list(walk(expression))
        return any((isinstance(p, Name) and p.id in chosen) or _is_of_table(cx, p, variable) for p in parts)

    for each in walk(node.body):
        if isinstance(each, Assign) and each.value is not None and is_chosen(each.value):
            chosen.update(name for target in each.targets for name in target_names(target))
        elif isinstance(each, Subscript) and not _is_of_table(cx, each, variable) and any(map(is_chosen, each.items)):
            return True
        elif isinstance(each, For) and isinstance(each.iterable, Call) and any(map(is_chosen, each.iterable.args)):
            return True
    return False


def _is_of_table(cx: Context, node: object, variable: str) -> bool:
    """``TABLE[k]``, ``TABLE[k, 0]``, ``TABLE[k][0]``, of integers."""
    while isinstance(node, Subscript) and isinstance(node.base, Subscript):
        node = node.base
    if not isinstance(node, Subscript) or not isinstance(node.base, Name):
        return False
    if not any(isinstance(item, Name) and item.id == variable for item in node.items[:1]):
        return False
    table = cx.frame.names.get(node.base.id)
    if table is not None and not isinstance(table, View):
        return isinstance(table, TupleValue) and _holds_integers(table)
    made = cx.here.constants.get(node.base.id) if table is None else cx.table_of(table.array)
    return any(integer_at(cx.here, made, place) is not None for place in ((0,), (0, 0)))


def _holds_integers(table: TupleValue) -> bool:
    first = table.items[0] if table.items else None
    return _holds_integers(first) if isinstance(first, TupleValue) else isinstance(first, Scalar) and first.is_integer
