"""How loops end: at a known index (``if i == k: break``), whose last iteration needs no symbol; and code that runs only
where a loop ends in a certain way (its ``else``, statements after a loop that may return).
"""

from __future__ import annotations

from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Branch
from roofscan.parse import syntax
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.cases import cases_of
from roofscan.parse.lowering.control.iteration import Iteration
from roofscan.parse.lowering.control.join import join_names
from roofscan.parse.lowering.subscript_ranges import extent, never_negative
from roofscan.parse.lowering.values import Scalar
from roofscan.parse.syntax import Call, For, If, Name, Node, Simple, Statement, Subscript
from roofscan.parse.syntax_walk import assigned_names, breaks, has_exit, is_read_first, walk
from roofscan.symbolic.expr import ONE, Expr, symbol
from roofscan.symbolic.extrema import maximum, minimum

_ANY_INDEX = "probe~"  # stands for the loop variable while the test of a break is examined


@dataclass(frozen=True)
class KnownBreak:
    """The body runs in full before iteration ``last``; in ``last``, if it is reached, only ``prefix`` runs."""

    last: Expr
    full: tuple[Statement, ...]
    prefix: tuple[Statement, ...]

    def shortened(self, iteration: Iteration) -> Iteration:
        return replace(iteration, stop=minimum(iteration.stop, self.last), breaks=True)

    def reached(self, iteration: Iteration) -> Condition:
        return Condition(iteration.stop - self.last - 1, "ge")


def known_break(cx: Context, node: For, iteration: Iteration) -> KnownBreak | None:
    """Where a break with an exact test ends the loop; None where there is none, or it is less simple than that."""
    places = [k for k, statement in enumerate(node.body) if isinstance(statement, If) and _is_break(statement)]
    if len(places) != 1 or node.orelse or iteration.step != ONE or iteration.total is not None:
        return None
    [place] = places
    full = node.body[:place] + node.body[place + 1 :]
    test = node.body[place]
    if has_exit(full) or not isinstance(test, If) or not isinstance(node.target, Name):
        return None
    before = _computed_before(test, node.body[:place], node.body)
    if before is None or node.target.id in assigned_names(node.body):
        return None
    last = _first_true(cx, node.target.id, before, test, iteration)
    return None if last is None else KnownBreak(last, full, node.body[:place])


def _is_break(statement: If) -> bool:
    [*before, final] = statement.body or (statement,)
    return not before and not statement.orelse and isinstance(final, Simple) and final.kind == "break"


def _computed_before(
    test: If, before: tuple[Statement, ...], body: tuple[Statement, ...]
) -> tuple[Statement, ...] | None:
    """The statements before a test that make what it reads, of the loop variable and of what the loop leaves alone.
    None where it reads anything else."""
    if any(isinstance(part, (Subscript, Call)) for part in walk(test.test)):
        return None
    assigned = set(assigned_names(body))
    if not assigned & _names_in(test.test):
        return ()
    made = {name for name in assigned_names(before) if not is_read_first(name, body)}
    return before if _names_in(test.test, *before) & assigned <= made else None


def _names_in(*nodes: Node) -> set[str]:
    return {part.id for node in nodes for part in walk(node) if isinstance(part, Name)}


def _first_true(
    cx: Context, target: str, before: tuple[Statement, ...], test: If, iteration: Iteration
) -> Expr | None:  # fmt: skip
    """The first value of the loop variable at which the test holds, if it has a single form. The target must be that
    variable: an element that a loop is at is data."""
    builder, state, probe = cx.builder, cx.snapshot(), symbol(_ANY_INDEX)
    with builder.inside():
        item = cx.frame.names[target] = iteration.item(probe)
        counts = isinstance(item, Scalar) and item.expr == probe
        if counts:
            cx.block(before)
        cases = cases_of(cx, test.test).true if counts else ()
    cx.restore(state)
    if len(cases) != 1 or cases[0].share != ONE or len(cases[0].conditions) != 1:
        return None
    [condition] = cases[0].conditions
    slope = condition.expr.coefficient(_ANY_INDEX).constant
    rest = condition.expr - condition.expr.coefficient(_ANY_INDEX) * symbol(_ANY_INDEX)
    if condition.modulus or _ANY_INDEX in rest.symbols or slope not in (1, -1):
        return None
    if condition.relation == "ge" and slope == 1:
        return maximum(iteration.start, -rest)
    if condition.relation == "eq":
        value = -rest if slope == 1 else rest
        return value if _is_never_before(cx, value - iteration.start) else None
    return None


def _is_never_before(cx: Context, distance: Expr) -> bool:
    least, _ = extent(distance, cx.builder.loops, cx.builder.guards)
    if least is None:
        return False
    kinds = {cx.builder.symbols[s].kind if s in cx.builder.symbols else "" for s in least.symbols}
    return never_negative(least) and kinds <= {"size", "tile"}


def lower_if_reached(cx: Context, body: tuple[syntax.Statement, ...], loop: int, way: str) -> bool:
    """Lower code that runs in a share of the executions: where the loop in line ``loop`` ends as ``way`` says."""
    builder = cx.builder
    cx.frame.branch_depth += 1
    with builder.inside() as work:
        left = cx.block(body)
    cx.frame.branch_depth -= 1
    if work:
        text = f"the loop in line {loop} ends {way}"
        meaning = f"share of executions where {text}, from 0 to 1"
        share = builder.share(("share", cx.frame.dotted, loop, way), meaning, loop)
        builder.reason(loop, f"whether {text} depends on data", "parametric")
        builder.add(Branch(share, tuple(work), loop))
    return left


def lower_loop_else(cx: Context, node: syntax.For | syntax.While) -> bool:
    if not node.orelse:
        return False
    if not breaks(node.body):
        return cx.block(node.orelse)
    before = dict(cx.frame.names)
    lower_if_reached(cx, node.orelse, node.place.line, "without a break")
    cx.frame.names = join_names(cx, cx.frame.names, before, before, node.place.line)
    return False


def way_past(loop: syntax.For | syntax.While) -> str:
    """How a loop must end for the statements after it to run; "" if they always run."""
    if any(isinstance(node, syntax.Return) for node in walk(loop.body)):
        return "without a return"
    return "by a break" if breaks(loop.body) and has_exit(loop.orelse) else ""
