"""A loop that an index ends: ``if i == k: break``. Its last turn is known, so it needs no symbol."""

from __future__ import annotations

from dataclasses import dataclass, replace

from roofscan.ir.kernel import Condition
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.conditions import sides
from roofscan.parse.lowering.control.iteration import Iteration
from roofscan.parse.lowering.subscript_ranges import never_negative
from roofscan.parse.lowering.values import integer
from roofscan.parse.syntax import Call, For, If, Name, Simple, Statement, Subscript
from roofscan.parse.syntax_walk import assigned_names, has_exit, target_names, walk
from roofscan.symbolic.expr import ONE, Expr, maximum, minimum, symbol

_PROBE = "probe~"


@dataclass(frozen=True)
class Cut:
    """The loop runs in full before ``last``; at ``last``, if it is reached, only ``prefix`` runs."""

    last: Expr
    full: tuple[Statement, ...]
    prefix: tuple[Statement, ...]

    def shortened(self, walk: Iteration) -> Iteration:
        return replace(walk, stop=minimum(walk.stop, self.last))

    def reached(self, walk: Iteration) -> Condition:
        return Condition(walk.stop - self.last - 1, "ge")


def cut_of(cx: Context, node: For, walk: Iteration) -> Cut | None:
    """Where a break whose test is exact ends the loop; None where there is none, or it is not that simple."""
    places = [k for k, statement in enumerate(node.body) if isinstance(statement, If) and _is_break(statement)]
    if len(places) != 1 or node.orelse or walk.step != ONE or walk.total is not None:
        return None
    [place] = places
    full = node.body[:place] + node.body[place + 1 :]
    test = node.body[place]
    if has_exit(full) or not isinstance(test, If) or not isinstance(node.target, Name) or not _is_plain(node, test):
        return None
    last = _first_true(cx, node.target.id, test, walk)
    return None if last is None else Cut(last, full, node.body[:place])


def _is_break(statement: If) -> bool:
    [*before, final] = statement.body or (statement,)
    return not before and not statement.orelse and isinstance(final, Simple) and final.kind == "break"


def _is_plain(node: For, test: If) -> bool:
    """Whether the test reads names only that the body leaves alone."""
    changed = set(assigned_names(node.body))
    for part in walk(test.test):
        if isinstance(part, (Subscript, Call)) or (isinstance(part, Name) and part.id in changed):
            return False
    return not changed & set(target_names(node.target))


def _first_true(cx: Context, target: str, test: If, walk: Iteration) -> Expr | None:
    """The first value of the loop's variable at which the test holds, if it is one form."""
    builder, state = cx.builder, cx.snapshot()
    cx.frame.names[target] = integer(symbol(_PROBE))
    with builder.inside():
        yes, _ = sides(cx, test.test)
    cx.restore(state)
    if len(yes) != 1 or yes[0].share != ONE or len(yes[0].conditions) != 1:
        return None
    [condition] = yes[0].conditions
    slope = condition.expr.coefficient(_PROBE).constant
    rest = condition.expr - condition.expr.coefficient(_PROBE) * symbol(_PROBE)
    if condition.modulus or _PROBE in rest.symbols or slope not in (1, -1):
        return None
    if condition.relation == "ge" and slope == 1:
        return maximum(walk.start, -rest)
    if condition.relation == "eq":
        value = -rest if slope == 1 else rest
        return value if _surely_from(cx, value - walk.start) else None
    return None


def _surely_from(cx: Context, distance: Expr) -> bool:
    kinds = {cx.builder.symbols[s].kind if s in cx.builder.symbols else "" for s in distance.symbols}
    return never_negative(distance) and kinds <= {"size", "tile"}
