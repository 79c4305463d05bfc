"""Loops whose iterations alternate: ``t % 2`` picks a buffer or a row, ``u, v = v, u`` exchanges arrays. One pass
covers a full period.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from roofscan.ir.visitor import accesses
from roofscan.parse import syntax
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.conditions import modulus_of
from roofscan.parse.lowering.control.loop_body import LoweredBody
from roofscan.parse.lowering.values import TupleValue, Value, View, views_by_place
from roofscan.parse.syntax_walk import walk
from roofscan.symbolic.expr import Expr, symbol


def alternation_period(cx: Context, counter: str, statements: tuple[syntax.Statement, ...]) -> int:
    """The iterations after which the remainders of ``counter`` that pick arrays or rows repeat; 1 where none do."""
    if not any(isinstance(node, (syntax.For, syntax.While, syntax.Call, syntax.Slice)) for node in walk(statements)):
        return 1  # consecutive elements
    alternating = {
        name
        for s in statements
        if isinstance(s, syntax.Assign) and s.value is not None and _moduli(s.value, counter)
        for target in s.targets
        for name in _names(target)
    }
    return math.lcm(1, *_picking(cx, counter, alternating, statements))


def _picking(
    cx: Context, counter: str, alternating: set[str], statements: tuple[syntax.Statement, ...]
) -> Iterator[int]:
    for test, arms in _tests(statements):
        if any(_picks_work(cx, node) for node in walk(arms)):
            yield from _moduli(test, counter)
            yield from _of_alternating(counter, alternating, test, statements)
    for node in walk(statements):
        if isinstance(node, syntax.Subscript) and _holds_rows(cx, node):
            for item in node.items:
                yield from _moduli(item, counter)
                yield from _of_alternating(counter, alternating, item, statements)


def _tests(statements: tuple[syntax.Statement, ...]) -> Iterator[tuple[syntax.Expression, object]]:
    """The tests of a block itself, with their arms: those of inner loops are not entered."""
    for statement in statements:
        if isinstance(statement, syntax.If):
            yield statement.test, (statement.body, statement.orelse)
            yield from _tests(statement.body)
            yield from _tests(statement.orelse)
        elif isinstance(statement, syntax.Assign):
            for node in walk(statement.value):
                if isinstance(node, syntax.Conditional):
                    yield node.test, (node.then, node.orelse)


def _picks_work(cx: Context, node: object) -> bool:
    if isinstance(node, syntax.Name):
        return isinstance(cx.frame.names.get(node.id), (View, TupleValue))
    return isinstance(node, (syntax.For, syntax.While))


def _holds_rows(cx: Context, node: syntax.Subscript) -> bool:
    base = cx.frame.names.get(node.base.id) if isinstance(node.base, syntax.Name) else None
    return isinstance(base, TupleValue) or (isinstance(base, View) and base.ndim > 1)


def _of_alternating(
    counter: str, alternating: set[str], expression: syntax.Expression, statements: tuple[syntax.Statement, ...]
) -> Iterator[int]:
    """The moduli by which the names in an expression were made."""
    if alternating.isdisjoint(_names(expression)):
        return
    for statement in statements:
        if isinstance(statement, syntax.Assign) and any(alternating.intersection(_names(t)) for t in statement.targets):
            yield from _moduli(statement.value, counter)


def _moduli(expression: syntax.Expression | None, counter: str) -> Iterable[int]:
    """The constants by which ``counter``, plus or minus a constant, is divided for a remainder."""
    return {
        modulus
        for node in walk(expression)
        if isinstance(node, syntax.Binary)
        for modulus in (modulus_of(node),)
        if modulus > 1 and list(_names(node.left)) == [counter]
    }


def _names(expression: syntax.Expression) -> Iterator[str]:
    return (node.id for node in walk(expression) if isinstance(node, syntax.Name))


MAX_PERIOD = 6


def rotation_period(done: LoweredBody, before: Mapping[str, Value], after: Mapping[str, Value]) -> int:
    """After how many passes arrays that one pass exchanges are back in place, and integers that choose among places
    and go back and forth between two (``c = 1 - c``); 1 where none do."""
    new = _by_place(after)
    moved = {place: old for place, old in _by_place(before).items() if new.get(place) != old}
    sources = {place: next((other for other, old in moved.items() if old == new.get(place)), "") for place in moved}
    period = math.lcm(*(_cycle(name, sources) for name in sources), *(2 for _ in _between_two_values(done)))
    return period if period <= MAX_PERIOD else 1


def _by_place(names: Mapping[str, Value]) -> dict[str, View]:
    return {place: view for name, value in names.items() for place, view in views_by_place(name, value)}


def _cycle(start: str, sources: Mapping[str, str]) -> int:
    """After how many passes a name is what it was; 1 where it never is."""
    name = start
    for length in range(1, len(sources) + 1):
        name = sources.get(name, "")
        if name == start:
            return length
    return 1


def _between_two_values(done: LoweredBody) -> Iterator[str]:
    places = [e for access in accesses(done.nodes) for e in access.index if e is not None]
    for name, (placeholder, _) in done.entries.items():
        end = done.exits[name]
        other = None if end is None else end + symbol(placeholder)
        if other is not None and other.constant is not None and any(placeholder in e.symbols for e in places):
            yield name


def end_rotation(cx: Context, phases: list[dict[str, Value]], count: Expr | None, line: int) -> None:
    """Exchanged arrays of different shapes: which one a name is after the loop depends on the trip count."""
    trips = None if count is None else cx.builder.known_value(count)
    for name in list(cx.frame.names):
        views = [view for view in (names.get(name) for names in phases) if isinstance(view, View)]
        shapes = {tuple(map(cx.builder.resolve, view.shape)) for view in views}
        if len(views) < len(phases) or len(shapes) == 1 or len({len(shape) for shape in shapes}) > 1:
            continue
        if trips is not None:
            cx.frame.names[name] = views[int(trips) % len(views) - 1]
            continue
        shape = tuple(_one_extent(cx, name, d, [v.shape[d] for v in views], line) for d in range(views[-1].ndim))
        cx.frame.names[name] = replace(views[-1], shape=shape)


def _one_extent(cx: Context, name: str, dimension: int, extents: list[Expr], line: int) -> Expr:
    """The extent that all arrays have, or a symbol for it."""
    found = list(dict.fromkeys(map(cx.builder.resolve, extents)))
    key = ("rotation", cx.frame.dotted, line, name, dimension)
    if len(found) > 1 and key not in cx.builder.shares:
        meaning = f"{' or '.join(map(str, found))}, by the trip count of the loop in line {line}"
        cx.builder.shares[key] = cx.builder.symbol(f"len_{line}", "length", meaning, line)
    return found[0] if len(found) == 1 else cx.builder.shares[key]
