"""Arrays that iterations exchange (``u, v = v, u``): one pass of the loop covers a full period of the exchange."""

from __future__ import annotations

import math
from dataclasses import replace

from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import Value, View
from roofscan.parse.syntax import Assign, Name, Sequence, Statement
from roofscan.symbolic.expr import Expr

MAX_PERIOD = 6


def rotation_period(cx: Context, statements: tuple[Statement, ...]) -> int:
    """After how many iterations exchanged arrays are back in place; 1 where none are exchanged."""
    for statement in statements:
        if not isinstance(statement, Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        if not isinstance(target, Sequence) or not isinstance(value, Sequence):
            continue
        names = [t.id for t in target.items if isinstance(t, Name)]
        sources = [v.id for v in value.items if isinstance(v, Name)]
        if sorted(names) == sorted(sources) and len(names) == len(target.items) == len(value.items):
            if all(isinstance(cx.frame.names.get(n), View) for n in names):
                return _period(dict(zip(names, sources, strict=True)))
    return 2 if _has_three_step_swap(cx, statements) else 1


def _has_three_step_swap(cx: Context, statements: tuple[Statement, ...]) -> bool:
    """``tmp = u; u = v; v = tmp``."""
    moves = [
        (s.targets[0].id, s.value.id)
        for s in statements
        if isinstance(s, Assign)
        and len(s.targets) == 1
        and isinstance(s.targets[0], Name)
        and isinstance(s.value, Name)
    ]
    return any(
        (t, u, v) == (t2, u2, v2) and isinstance(cx.frame.names.get(u), View)
        for (t, u), (u2, v), (v2, t2) in zip(moves, moves[1:], moves[2:])
    )


def _period(moves: dict[str, str]) -> int:
    period = 1
    for start in moves:
        length, name = 1, moves[start]
        while name != start:
            length, name = length + 1, moves[name]
        period = math.lcm(period, length)
    return period if period <= MAX_PERIOD else 1


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
