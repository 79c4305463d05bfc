"""One turn of a loop: its body lowered once, with placeholders for what one turn hands to the next."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from roofscan.ir.dtypes import F8
from roofscan.ir.kernel import Access, Body, Carried, Loop, Node, Operation
from roofscan.ir.kinds import ReasonEffect
from roofscan.parse.lowering.broadcast_sizes import SCALAR
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.context import Context, Exit
from roofscan.parse.lowering.control.branches import merge_names
from roofscan.parse.lowering.control.loop_variables import loop_variables
from roofscan.parse.lowering.numpy.array_operations import unify
from roofscan.parse.lowering.subscript_ranges import never_negative
from roofscan.parse.lowering.trip_counts import trip_symbol
from roofscan.parse.lowering.values import (
    CHANGED,
    FunctionRef,
    NoneValue,
    RangeValue,
    Scalar,
    Text,
    TupleValue,
    Value,
    View,
)
from roofscan.parse.passes.substitute import substitute, substitute_value
from roofscan.parse.syntax import Assign, Name, Statement
from roofscan.parse.syntax_walk import assigned_names, is_a_loops_own, walk
from roofscan.symbolic.expr import ZERO, Expr, symbol

MORE_TRIES = 4
"""How often a body is lowered again for what it changes beside the names that it assigns."""


@dataclass
class LoweredIteration:
    """One lowered body: its nodes, and how the whole numbers that it changes change in one turn."""

    nodes: tuple[Node, ...]
    carried: tuple[Carried, ...]
    entries: dict[str, tuple[str, Scalar]]  # name -> (placeholder, value before the loop)
    exits: dict[str, Expr | None]  # name -> its value after a turn, in placeholders
    exit: Exit
    state: tuple[str, ...] = ()  # names beside ``carried`` that one turn hands to the next


def lower_iteration(
    cx: Context, loop: Loop, turn: Callable[[], bool], statements: tuple[Statement, ...], targets: Collection[str] = ()
) -> LoweredIteration:
    """Lower a body with placeholders for what it carries; again where a whole number turns out to be a float, or
    where the body changes more than its assignments tell (a field, an item of a list). It binds ``targets`` itself."""
    builder, frame = cx.builder, cx.frame
    carried = [n for n in assigned_names(statements) if isinstance(frame.names.get(n), Scalar)]
    before = dict(frame.names)
    floats = cx.builder.float_names.setdefault((frame.dotted, loop.line), set())
    first: LoweredIteration | None = None  # as Python runs it: what later turns make floating is still whole
    tries = len(carried) + MORE_TRIES
    while True:
        state = cx.snapshot()
        done = _one_turn(cx, loop, turn, carried, floats, before)
        tries -= 1
        widened = {
            n for n in carried
            if isinstance(frame.names.get(n), Scalar)
            and not frame.names[n].is_integer  # type: ignore[union-attr]
            and before[n].is_integer  # type: ignore[union-attr]
            and n not in floats
        }  # fmt: skip
        first = first or done
        moved = _moved(before, frame.names, {*carried, *targets}) if tries > 0 else set()
        if not widened and not moved:
            _check_grown(cx, loop, turn, done, before, statements, carried, floats)
            done = replace(done, state=tuple(n for n in done.state if not is_a_loops_own(n, statements)))
            if not cx.compiled and _float_work(first.nodes) != _float_work(done.nodes):
                names = ", ".join(sorted(floats))
                reason = f"{names} may be whole at first, and is counted as floating in every turn"
                builder.reason(loop.line, reason, "upper")
            changed = {n: v for n, v in before.items() if n != loop.source_name and _is_another(v, frame.names.get(n))}
            unlike = {n: v for n, v in changed.items() if not _made_first(n, statements)}
            _check_shapes(cx, unlike, loop.line)
            return done
        first = None if moved else first
        floats |= widened
        carried += [name for name in moved if isinstance(before[name], Scalar)]
        before.update({name: _any_turn(before[name]) for name in moved})
        cx.restore(state)
        frame.names = dict(before)


def _check_grown(
    cx: Context, loop: Loop, turn: Callable[[], bool], done: LoweredIteration, before: dict[str, Value],
    statements: tuple[Statement, ...], carried: list[str], floats: set[str],
) -> None:  # fmt: skip
    """``s = 0.0``, and ``s = s + x`` in a loop: from the second turn on s is an array where it was a number."""
    after = cx.frame.names
    numbers = {name for name, old in before.items() if isinstance(old, Scalar) or old == CHANGED}
    arrays = {name: new for name, new in after.items() if name in numbers and isinstance(new, View) and new.ndim}
    grown = {name: new for name, new in arrays.items() if not _made_first(name, statements)}
    if not grown:
        return
    state = cx.snapshot()
    cx.frame.names = {**before, **grown}
    later = _one_turn(cx, loop, turn, [name for name in carried if name not in grown], floats, before)
    cx.restore(state)
    cx.frame.names = after
    why = f"{', '.join(sorted(grown))}: a number at first, an array in later turns, and counted as a number"
    effects: list[ReasonEffect] = ["open"]
    if _float_loops(later.nodes) != _float_loops(done.nodes):
        effects.append("lower")
    for effect in effects:
        cx.builder.reason(loop.line, why, effect)


def _float_loops(body: Body, around: tuple[Expr, ...] = ()) -> list[tuple[str, tuple[Expr, ...]]]:
    """The floating operations in a body, each with the trips of the loops around it."""
    found: list[tuple[str, tuple[Expr, ...]]] = []
    for node in body:
        if isinstance(node, Operation):
            found += [(node.kind, (*around, node.count))] if node.dtype.counts else []
        elif isinstance(node, Loop):
            found += _float_loops(node.body, (*around, node.stop - node.start))
        elif not isinstance(node, Access):
            found += _float_loops(node.body, around)
    return found


def _float_work(body: Body) -> list[str]:
    """The kinds of the floating operations in a body, in order."""
    return [kind for kind, _ in _float_loops(body)]


def _moved(before: dict[str, Value], after: dict[str, Value], known: set[str]) -> set[str]:
    """Numbers, tuples, texts and Nones that a turn leaves otherwise than it found them."""
    return {
        name for name, old in before.items()
        if isinstance(old, (Scalar, TupleValue, RangeValue, NoneValue, Text))
        and after.get(name) != old and name not in known
    }  # fmt: skip


def _any_turn(value: Value) -> Value:
    """What is known of a tuple or a range in every turn, where the turns change it: nothing but that it is one."""
    return value if isinstance(value, Scalar) else CHANGED


def _is_another(old: Value, new: Value | None) -> bool:
    """Whether an array may have another shape after a turn, or a name mean another function."""
    return isinstance(old, (View, FunctionRef)) and new is not old


def _made_first(name: str, statements: tuple[Statement, ...]) -> bool:
    """Whether a turn assigns a name anew before it reads it."""
    for statement in statements:
        if any(isinstance(node, Name) and node.id == name for node in walk(statement)):
            targets = assigned_names((statement,)) if isinstance(statement, Assign) else ()
            read = isinstance(statement, Assign) and walk(statement.value)
            return name in targets and not any(isinstance(n, Name) and n.id == name for n in read or ())
    return False


def _check_shapes(cx: Context, before: dict[str, Value], line: int) -> None:
    """An array that a loop makes anew must have the same shape in every turn: equal sizes, or the count is a bound."""
    for name, new in cx.frame.names.items():
        old = before.get(name)
        if isinstance(old, FunctionRef) and isinstance(new, FunctionRef) and old.function is not new.function:
            raise Unsupported(cx.builder.line(line), f"{name} is another function from turn to turn")
        if not isinstance(old, View) or not isinstance(new, View) or old.shape == new.shape:
            continue
        pairs = list(zip(old.shape, new.shape, strict=True)) if old.ndim == new.ndim else []
        if not pairs or not all(_may_equal(cx, a, b, line) for a, b in pairs):
            least = bool(pairs) and all(never_negative(b - a) for a, b in pairs)
            most = bool(pairs) and all(never_negative(a - b) for a, b in pairs)
            most |= any(_is_selected(cx, extent) for extent in new.shape)
            reason = f"{name} changes its shape from turn to turn, and is counted as in the first"
            if most or not least:
                cx.builder.reason(line, reason, "upper")
            if not most:
                cx.builder.reason(line, reason, "lower")


def _may_equal(cx: Context, a: Expr, b: Expr, line: int) -> bool:
    """Whether two extents are equal, or are taken to be."""
    a, b = cx.builder.resolve(a), cx.builder.resolve(b)
    if a == b:
        return True
    known = [cx.builder.known_value(e) for e in (a, b)]
    if None not in known and known[0] != known[1]:
        return False
    plain = all(len(e.terms) == 1 and cx.builder.may_equate(next(iter(e.symbols), "")) for e in (a, b))
    if plain:
        unify(cx, a, b, line)
    return plain


def _is_selected(cx: Context, extent: Expr) -> bool:
    return any(s in cx.builder.symbols and cx.builder.symbols[s].kind == "length" for s in extent.symbols)


def _one_turn(
    cx: Context,
    loop: Loop,
    turn: Callable[[], bool],
    carried: list[str],
    floats: set[str],
    before: dict[str, Value],
) -> LoweredIteration:
    builder, frame = cx.builder, cx.frame
    entries: dict[str, tuple[str, Scalar]] = {}
    ids: dict[str, int] = {}
    for name in carried:
        old = before[name]
        assert isinstance(old, Scalar)
        ids[name] = builder.new_id()
        if old.is_integer and name not in floats and old.expr is not None:
            placeholder = f"{name}~{ids[name]}"
            entries[name] = (placeholder, old)
            frame.names[name] = replace(
                old, expr=symbol(placeholder), node=ids[name], number=None, literal=False, loaded_from=None
            )
        else:
            dtype = F8 if name in floats else old.dtype
            why = old.why_unknown or "a value that the loop changes"
            frame.names[name] = Scalar(dtype, node=ids[name], weak=old.weak, why_unknown=why)
            builder.broadcast_sizes.of[ids[name]] = builder.broadcast_sizes.sources((old.node,)) or SCALAR
    exit_ = Exit()
    frame.loops.append(exit_)
    with builder.in_loop(loop) as nodes:
        turn()
    frame.loops.pop()
    for names in exit_.continued:
        frame.names = merge_names(cx, frame.names, names, before, loop.line)
    exits: dict[str, Expr | None] = {}
    flows: list[Carried] = []
    state: list[str] = []
    for name in carried:
        new, old = frame.names.get(name), before[name]
        assert isinstance(old, Scalar)
        exits[name] = new.expr if isinstance(new, Scalar) and new.is_integer else None
        if isinstance(new, Scalar) and not new.is_integer and new.node and new.made and new.node != ids[name]:
            flows.append(Carried(name, ids[name], new.node, old.node if old.made else None))
        elif _is_handed_on(new, entries.get(name), ids[name]):
            state.append(name)
    return LoweredIteration(tuple(nodes), tuple(flows), entries, exits, exit_, tuple(state))


def _is_handed_on(new: Value | None, entry: tuple[str, Scalar] | None, own: int) -> bool:
    """Whether the value of a name after a turn may depend on its value before it."""
    if not isinstance(new, Scalar):
        return True
    if entry is not None and new.is_integer:
        return new.expr is None or (entry[0] in new.expr.symbols and new.expr != symbol(entry[0]))
    return new.node != own and new.number is None


def closed_forms(
    done: LoweredIteration, turns: Expr | None, count: Expr | None, var: str = ""
) -> tuple[dict[str, Expr | None], dict[str, Expr | None]]:
    """For each placeholder its value in a turn; for each name its value after the loop."""
    inside: dict[str, Expr | None] = {}
    after: dict[str, Expr | None] = {}
    for name, (placeholder, old) in done.entries.items():
        assert old.expr is not None
        exit_ = done.exits[name]
        inside[placeholder] = after[name] = None
        if exit_ is None:
            continue
        change = exit_ - symbol(placeholder)
        moving = change.symbols & ({p for p, _ in done.entries.values()} | loop_variables(change))
        if change == ZERO:
            inside[placeholder] = after[name] = old.expr
        elif var and moving == {var} and change.degree(var) == 1 and turns == symbol(var) and not change.atoms:
            first, growth = change.coefficient(var, 0), change.coefficient(var)
            inside[placeholder] = old.expr + first * turns + growth * turns * (turns - 1) / 2
            if count is not None:
                after[name] = old.expr + first * count + growth * count * (count - 1) / 2
        elif not moving:
            inside[placeholder] = None if turns is None else old.expr + change * turns
            after[name] = None if count is None else old.expr + change * count
        elif placeholder not in exit_.symbols and not moving:
            after[name] = exit_
    return inside, after


def finish(
    cx: Context,
    loop: Loop,
    done: LoweredIteration,
    inside: dict[str, Expr | None],
    after: dict[str, Expr | None],
    last: Expr | None,
) -> None:
    """Put the loop into the kernel, and say what the names stand for behind it."""
    body = substitute(done.nodes, inside, "a subscript that the loop changes by data", _fresh(cx))
    cx.builder.add(replace(loop, body=body, carried=done.carried, state=done.state))
    frame = cx.frame
    behind: dict[str, Expr | None] = {**inside, loop.var: last}
    for name, value in list(frame.names.items()):
        if name in done.entries and isinstance(value, Scalar) and value.is_integer:
            old = done.entries[name][1]
            frame.names[name] = replace(old, expr=after[name], number=None, literal=False, loaded_from=None,
                                        why_unknown="a value that a loop changes")  # fmt: skip
        else:
            frame.names[name] = substitute_value(value, behind)
    ended = dict(frame.names)
    for names in done.exit.broken:
        left = {name: substitute_value(substitute_value(v, inside), {loop.var: None}) for name, v in names.items()}
        frame.names = merge_names(cx, frame.names, left, ended, loop.line)


def _fresh(cx: Context) -> Callable[[str, int], Expr]:
    """New symbols for what turned out to depend on data."""

    def make(kind: str, line: int) -> Expr:
        if kind == "trips":
            cx.builder.reason(line, "the trip count depends on a value that a loop changes", "parametric")
            return trip_symbol(cx, line, f"trips_{line}", f"mean trips of the loop in line {line}")
        if kind == "work":
            cx.builder.reason(line, "the size of an operation depends on a value that a loop changes", "parametric")
            return cx.builder.symbol(f"work_{line}", "length", f"mean count of an operation in line {line}", line)
        cx.builder.reason(line, "a test depends on a value that a loop changes", "parametric")
        meaning = f"share of executions where the test in line {line} holds, from 0 to 1"
        return cx.builder.share(("share", cx.frame.dotted, line), meaning, line)

    return make
