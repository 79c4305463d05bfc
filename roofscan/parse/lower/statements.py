"""Statements: assignments, conditions, and the ways control leaves a block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from roofscan.ir.dtypes import F8
from roofscan.ir.expr import Expr
from roofscan.ir.kernel import Branch
from roofscan.parse.lower.alternatives import any_item, either, reached
from roofscan.parse.lower.arrays import unify
from roofscan.parse.lower.builder import Unsupported
from roofscan.parse.lower.conditions import Piece, sides
from roofscan.parse.lower.context import Context
from roofscan.parse.lower.expressions import as_scalar, binary_values
from roofscan.parse.lower.given import without_origin
from roofscan.parse.lower.merging import merge
from roofscan.parse.lower.subscripts import Selection, element, evaluate_indices, read, subscript, write
from roofscan.parse.lower.values import (
    NONE,
    ObjectValue,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    named,
)
from roofscan.parse.lower.walk import always_raises, breaks, dotted_path, has_exit, walk
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    AugAssign,
    Boolean,
    Class,
    Comprehension,
    Expression,
    ExpressionStatement,
    For,
    Function,
    If,
    Import,
    Literal,
    Name,
    Other,
    Return,
    Sequence,
    Simple,
    Slice,
    Starred,
    Statement,
    Subscript,
    Try,
    Unary,
    While,
    With,
)


def lower_block(cx: Context, body: tuple[Statement, ...]) -> bool:
    """Lower statements in order; whether control surely leaves the block before its end."""
    for position, statement in enumerate(body):
        rest = body[position + 1 :]
        if rest and isinstance(statement, (For, While)):
            way = _way_past(statement)
            if way:
                left = lower_statement(cx, statement)
                return lower_if_reached(cx, rest, statement.place.line, way) or left
        if isinstance(statement, If):
            if always_raises(statement.body) and not statement.orelse:
                _guard(cx, statement)
                continue
            if has_exit(statement.body) or has_exit(statement.orelse):
                return _if_with_exit(cx, statement, rest)
        if lower_statement(cx, statement):
            return True
    return False


def lower_if_reached(cx: Context, body: tuple[Statement, ...], loop: int, way: str) -> bool:
    """Lower what runs only where the loop in line ``loop`` ends in some way: in a share of the executions."""
    builder = cx.builder
    cx.frame.branch_depth += 1
    with builder.inside() as work:
        left = lower_block(cx, body)
    cx.frame.branch_depth -= 1
    if work:
        text = f"the loop in line {loop} ends {way}"
        meaning = f"share of executions where {text}, from 0 to 1"
        share = builder.share(("share", cx.frame.dotted, loop, way), meaning, loop)
        builder.reason(loop, f"whether {text} depends on data", "parametric")
        builder.add(Branch(share, tuple(work), loop))
    return left


def lower_loop_else(cx: Context, node: For | While) -> bool:
    """The ``else`` of a loop: it runs where no break ends the loop."""
    if not node.orelse:
        return False
    if not breaks(node.body):
        return lower_block(cx, node.orelse)
    before = dict(cx.frame.names)
    lower_if_reached(cx, node.orelse, node.place.line, "without a break")
    cx.frame.names = merge_names(cx, cx.frame.names, before, before, node.place.line)
    return False


def _way_past(loop: For | While) -> str:
    """How a loop must end for what follows it to run; "" where it does not matter."""
    if any(isinstance(node, Return) for node in walk(loop.body)):
        return "without a return"
    return "by a break" if breaks(loop.body) and has_exit(loop.orelse) else ""


def lower_statement(cx: Context, statement: Statement) -> bool:
    handler = _HANDLERS.get(type(statement))
    if handler is None:
        cx.builder.reason(statement.place.line, f"{_kind(statement)} is outside the model", "lower")
        _lose(cx, getattr(statement, "binds", ()))
        return False
    return bool(handler(cx, statement))


def _lose(cx: Context, names: tuple[str, ...]) -> None:
    """Names that something outside the model binds."""
    cx.frame.names.update(dict.fromkeys(names, Unknown("a value from outside the model")))


def _kind(statement: Statement) -> str:
    return statement.kind if isinstance(statement, Other) else f"a {type(statement).__name__.lower()} statement"


def _guard(cx: Context, statement: If) -> None:
    """``if bad: raise``: the test is evaluated, the exception is taken not to happen."""
    cx.builder.assume("no exception is raised")
    known = set(cx.builder.reasons)
    shares = set(cx.builder.shares)
    parts = _parts_that_run(statement.test, False)
    for part in parts:
        sides(cx, part)
    if any(isinstance(part, Boolean) for part in parts):  # its parts may stand under each other's shares
        return
    for reason in set(cx.builder.reasons) - known:
        del cx.builder.reasons[reason]
    for share in set(cx.builder.shares) - shares:
        for name in cx.builder.shares.pop(share).symbols:
            cx.builder.symbols.pop(name, None)


def _parts_that_run(test: Expression, outcome: bool) -> list[Expression]:
    """The tests that are evaluated where ``test`` comes out so: both of ``a and b`` where it is true."""
    if isinstance(test, Unary) and test.op == "not":
        return _parts_that_run(test.operand, not outcome)
    if isinstance(test, Boolean) and (test.op == "and") == outcome:
        return _parts_that_run(test.left, outcome) + _parts_that_run(test.right, outcome)
    return [test]


# -- assignments ----------------------------------------------------------------------------------


def _assign(cx: Context, node: Assign) -> None:
    if node.value is None:
        return
    if node.targets and isinstance(node.targets[0], Sequence) and isinstance(node.value, Sequence):
        value: Value = TupleValue(tuple(cx.eval(v) for v in node.value.items))
    else:
        value = cx.eval(node.value)
        if isinstance(node.value, Comprehension) and node.value.kind == "generator":
            value = cx.unknown(node.place.line, "a generator runs as far as it is asked to", "upper")
    for target in node.targets:
        store(cx, target, value, node.place.line)


def store(cx: Context, target: Expression, value: Value, line: int) -> None:
    """Bind a name, or write elements."""
    if isinstance(target, Name):
        from roofscan.parse.lower.containers import list_as_bound

        value = without_origin(named(value))
        cx.frame.names[target.id] = named_array(cx, target.id, list_as_bound(cx, target.id, value, line))
    elif isinstance(target, Sequence):
        _unpack(cx, target, value, line)
    elif isinstance(target, Subscript):
        _store_subscript(cx, target, value, line)
    elif isinstance(target, Attribute):
        _store_attribute(cx, target, value, line)
    elif isinstance(target, Starred):
        store(cx, target.value, value, line)


def _store_attribute(cx: Context, target: Attribute, value: Value, line: int) -> None:
    """``self.x = …``, and ``x.shape = n, m``, which reshapes in place."""
    path = dotted_path(target)
    owner = cx.frame.names.get(target.base.id) if isinstance(target.base, Name) else None
    if target.name == "shape" and isinstance(target.base, Name) and isinstance(owner, View):
        from roofscan.parse.lower.making import shape_of
        from roofscan.parse.lower.reshaping import reshaped

        shape = shape_of(cx, value, line)
        if shape is not None:
            cx.frame.names[target.base.id] = reshaped(cx, owner, shape, line)
    elif path is not None:
        cx.frame.names[path] = without_origin(named(value))


def named_array(cx: Context, name: str, value: Value) -> Value:
    """A temporary that gets a name is known by it in the report."""
    if isinstance(value, View) and value.temporary:
        from roofscan.parse.lower.arrays import rename

        return rename(cx, value, name)
    return value


def _unpack(cx: Context, target: Sequence, value: Value, line: int) -> None:
    items: list[Value]
    if isinstance(value, TupleValue) and len(value.items) == len(target.items):
        items = list(value.items)
    elif isinstance(value, View) and value.ndim:
        items = _rows(cx, value, len(target.items), line)
    else:
        why = value.why if isinstance(value, Unknown) else "an unpacked value"
        items = [Unknown(why)] * len(target.items)
        if isinstance(value, ObjectValue):
            items = [Scalar(F8, weak=True, why_unknown=value.path)] * len(target.items)
    for item, inner in zip(target.items, items, strict=True):
        store(cx, item, inner, line)


def _rows(cx: Context, view: View, count: int, line: int) -> list[Value]:
    """``a, b = x`` for an array: its first elements or rows."""
    rows: list[Value] = []
    for k in range(count):
        from roofscan.parse.lower.arrays import row_of

        row = row_of(view, Expr.of(k)) if view.ndim > 1 else element(view, [Expr.of(k)])
        rows.append(read(cx, row, line) if row.ndim == 0 else row)
    return rows


def _store_subscript(cx: Context, target: Subscript, value: Value, line: int) -> None:
    base = cx.eval(target.base)
    if not isinstance(base, View):
        for item in target.items:
            if not isinstance(item, (Literal, Slice)):
                cx.eval(item)
        if isinstance(base, (TupleValue, Text)):
            _store_in_list(cx, target, base, value, line)
            return
        cx.builder.reason(line, "a store into something that is not an array", "unseen")
        return
    view = subscript(cx, base, evaluate_indices(cx, target.items, line), line)
    if isinstance(view, Selection):
        from roofscan.parse.lower.selection import select_store

        select_store(cx, view, value, line)
    elif view.ndim == 0:
        write(cx, view, as_scalar(cx, value, line), line, target.place.column)
    elif isinstance(value, TupleValue) and _is_row(cx, view, value, line):
        for k, part in enumerate(value.items):
            write(cx, element(view, [Expr.of(k)]), as_scalar(cx, part, line), line, target.place.column)
    else:
        from roofscan.parse.lower.arrays import copy_into

        copy_into(cx, view, value, line)


def _is_row(cx: Context, view: View, value: TupleValue, line: int) -> bool:
    """Whether a slice is given as many numbers as it has elements: ``x[:2] = a, b``, without an array between."""
    if view.ndim != 1 or not all(isinstance(item, Scalar) for item in value.items):
        return False
    count = Expr.of(len(value.items))
    if len(value.items) > 1:  # one number is broadcast
        unify(cx, view.shape[0], count, line)
    return cx.builder.resolve(view.shape[0]) == count


def _store_in_list(cx: Context, target: Subscript, base: Value, value: Value, line: int) -> None:
    """``items[2] = x`` on a list of known length."""
    name = target.base.id if isinstance(target.base, Name) else None
    if name is None or not isinstance(base, TupleValue) or len(target.items) != 1:
        return
    if isinstance(target.items[0], Slice):
        cx.frame.names[name] = Unknown("a list that changes its length")
        return
    index = cx.scalar(target.items[0])
    place = index.expr.constant if index.expr is not None else None
    if place is not None and -len(base.items) <= place < len(base.items):
        items = list(base.items)
        items[int(place)] = value
        cx.frame.names[name] = TupleValue(tuple(items), base.kind)
    else:
        merged = merge(any_item(cx, base, line), value)
        cx.frame.names[name] = TupleValue((merged or NONE,) * len(base.items), base.kind)


def _augmented(cx: Context, node: AugAssign) -> None:
    line = node.place.line
    if isinstance(node.target, (Name, Attribute)):
        old = cx.eval(node.target)
        new = cx.eval(node.value)
        if isinstance(old, View) and old.ndim:
            from roofscan.parse.lower.arrays import update_in_place

            update_in_place(cx, node.op, old, new, line)
            return
        if isinstance(old, View) and isinstance(new, (Scalar, View)):
            old = as_scalar(cx, old, line)
        store(cx, node.target, binary_values(cx, node.op, old, new, line), line)
        return
    if isinstance(node.target, Subscript):
        _augmented_element(cx, node, node.target, line)


def _augmented_element(cx: Context, node: AugAssign, target: Subscript, line: int) -> None:
    """``a[i] += x``: the element is read, then the operand evaluated, then the element written."""
    base = cx.eval(target.base)
    if not isinstance(base, View):
        new = cx.eval(node.value)
        old = any_item(cx, base, line) if isinstance(base, TupleValue) else base
        if not isinstance(old, Unknown):
            _store_subscript(cx, target, binary_values(cx, node.op, old, new, line), line)
        return
    view = subscript(cx, base, evaluate_indices(cx, target.items, line), line)
    if isinstance(view, Selection):
        from roofscan.parse.lower.selection import select, select_store

        new = binary_values(cx, node.op, select(cx, view, line), cx.eval(node.value), line)
        select_store(cx, view, new, line)
        return
    if view.ndim:
        from roofscan.parse.lower.arrays import update_in_place

        update_in_place(cx, node.op, view, cx.eval(node.value), line)
        return
    old_element = read(cx, view, line, target.place.column)
    result = binary_values(cx, node.op, old_element, cx.eval(node.value), line)
    write(cx, view, as_scalar(cx, result, line), line, target.place.column)


# -- control --------------------------------------------------------------------------------------


def _if(cx: Context, node: If) -> bool:
    yes, no = sides(cx, node.test)
    return _arms(cx, [(yes, node.body), (no, node.orelse)], node.place.line)


def _if_with_exit(cx: Context, node: If, rest: tuple[Statement, ...]) -> bool:
    """An ``if`` with a way out: what follows it belongs to the arms that go on."""
    yes, no = sides(cx, node.test)
    return _arms(cx, [(yes, node.body + rest), (no, node.orelse + rest)], node.place.line)


def _arms(cx: Context, arms: list[tuple[list[Piece], tuple[Statement, ...]]], line: int) -> bool:
    """Lower each arm once for each of its pieces, and merge what names stand for afterwards."""
    frame = cx.frame
    before = dict(frame.names)
    after: dict[str, Value] | None = None
    ended = True
    certain = False  # whether ``after`` is of an arm that may run
    for pieces, body in arms:
        for piece in pieces:
            frame.names = dict(before)
            with cx.builder.when(piece.conditions, piece.share, line):
                frame.branch_depth += bool(piece.share.symbols)
                left = lower_block(cx, body)
                frame.branch_depth -= bool(piece.share.symbols)
            if left:
                continue
            ended, runs = False, reached(cx, piece.conditions)
            if after is None or (runs and not certain):
                after = frame.names
            elif runs:
                after = merge_names(cx, after, frame.names, before, line)
            certain |= runs
    frame.names = after if after is not None else before
    return ended


def merge_names(
    cx: Context, a: dict[str, Value], b: dict[str, Value], before: dict[str, Value], line: int
) -> dict[str, Value]:
    """Names after two arms; where an arm left a name alone, the other arm's change counts for its data flow."""
    merged: dict[str, Value] = {}
    for name in {**a, **b}:
        x, y = a.get(name), b.get(name)
        value = either(cx, x, y, line)
        if isinstance(value, Scalar) and isinstance(x, Scalar) and isinstance(y, Scalar):
            changed = y if x == before.get(name) else x
            value = replace(value, node=changed.node)
        if value is not None:
            merged[name] = value
    return merged


def _return(cx: Context, node: Return) -> bool:
    cx.frame.returns.append(NONE if node.value is None else cx.eval(node.value))
    for loop in cx.frame.loops:
        loop.happened, loop.line, loop.what = True, node.place.line, "return"
    return True


def _simple(cx: Context, node: Simple) -> bool:
    if node.kind in ("break", "continue") and cx.frame.loops:
        loop = cx.frame.loops[-1]
        (loop.broken if node.kind == "break" else loop.continued).append(dict(cx.frame.names))
        if node.kind == "break":
            loop.happened, loop.line, loop.what = True, node.place.line, "break"
    if node.kind == "del":
        _lose(cx, node.names)
    return node.kind in ("break", "continue", "raise")


def _expression(cx: Context, node: ExpressionStatement) -> None:
    if not isinstance(node.value, Literal):
        cx.eval(node.value)


def _with(cx: Context, node: With) -> bool:
    cx.builder.reason(node.place.line, "a with block is taken as its body", "traffic")
    _lose(cx, node.binds)
    return lower_block(cx, node.body)


def _try(cx: Context, node: Try) -> bool:
    raised = next((n for n in walk(node.body) if isinstance(n, Simple) and n.kind == "raise"), None)
    if raised is not None and not all(always_raises(handler) for handler in node.handlers):
        message = "an exception that is raised and caught in the same function"
        raise Unsupported(cx.builder.line(raised.place.line), message)
    before = dict(cx.frame.names)
    left = lower_block(cx, node.body + node.orelse)
    caught = tuple(handler for handler in node.handlers if not always_raises(handler))
    if not caught:
        cx.builder.assume("no exception is raised")
    for handler in caught:
        _caught(cx, handler, before, node.place.line)
    return lower_block(cx, node.final) or (left and not caught)


def _caught(cx: Context, handler: tuple[Statement, ...], before: dict[str, Value], line: int) -> None:
    """A handler that goes on: its work in a share of the executions, beside all that might have been left out."""
    meaning = f"share of executions where an exception in the try block of line {line} is caught, from 0 to 1"
    share = cx.builder.share(("caught", cx.frame.dotted, line), meaning, line)
    cx.builder.reason(line, "an exception that is caught may leave out the rest of its try block", "upper")
    after, cx.frame.names = cx.frame.names, dict(before)
    with cx.builder.when((), share, line):
        cx.frame.branch_depth += 1
        left = lower_block(cx, handler)
        cx.frame.branch_depth -= 1
    cx.frame.names = after if left else merge_names(cx, after, cx.frame.names, before, line)


def _function(cx: Context, node: Function) -> None:
    from roofscan.parse.lower.inline import made_here

    cx.frame.names[node.name] = made_here(cx, node, f"{cx.frame.dotted}.{node.name}")


def _class(cx: Context, node: Class) -> None:
    _lose(cx, (node.name,))


def _import(cx: Context, node: Import) -> None:
    """The module knows what it binds; a local of that name is gone."""
    for _, name in node.names:
        cx.frame.names.pop(name, None)


def _loop(cx: Context, node: For | While) -> bool:
    from roofscan.parse.lower.loops import lower_for
    from roofscan.parse.lower.whiles import lower_while

    return lower_for(cx, node) if isinstance(node, For) else lower_while(cx, node)


_HANDLERS: dict[type, Callable[[Context, Any], bool | None]] = {
    Assign: _assign,
    AugAssign: _augmented,
    ExpressionStatement: _expression,
    If: _if,
    For: _loop,
    While: _loop,
    Return: _return,
    Simple: _simple,
    With: _with,
    Try: _try,
    Function: _function,
    Import: _import,
    Class: _class,
}
