"""One iteration of a loop: its body is lowered once, with placeholders for what one iteration passes to the next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import F8
from roofscan.ir.kernel import Carried, Counter, Loop, Node
from roofscan.ir.visitor import loops
from roofscan.parse.lowering.broadcast_sizes import SCALAR
from roofscan.parse.lowering.context import Context, LoopExit, Snapshot
from roofscan.parse.lowering.control.counters import counter_of
from roofscan.parse.lowering.control.join import join_names
from roofscan.parse.lowering.control.loop_shapes import check_shapes, float_operations
from roofscan.parse.lowering.control.passed_views import check_first, passed_views
from roofscan.parse.lowering.control.recurring import recurring_names
from roofscan.parse.lowering.numpy.array_operations import allocate
from roofscan.parse.lowering.subscript_ranges import MARK
from roofscan.parse.lowering.values import (
    CHANGED,
    NoneValue,
    RangeValue,
    Scalar,
    Text,
    TupleValue,
    Value,
    View,
    arrays_in,
    unknown_integer,
)
from roofscan.parse.syntax import Statement
from roofscan.parse.syntax_walk import assigned_names, is_a_loops_own, is_read_first
from roofscan.symbolic.expr import Expr, symbol

EXTRA_LOWERINGS = 4  # how often a body is lowered again for what it changes besides the names that it assigns


@dataclass
class LoweredBody:
    """One lowered body: its nodes, and how the integers that it changes change in one iteration."""

    nodes: tuple[Node, ...]
    carried: tuple[Carried, ...]
    entries: dict[str, tuple[str, Scalar]]  # name -> (placeholder, value before the loop)
    exits: dict[str, Expr | None]  # name -> its value after an iteration, in placeholders
    exit: LoopExit
    state: tuple[str, ...] = ()  # names besides ``carried`` that one iteration passes to the next
    recurring: tuple[str, ...] = ()  # of those, what is computed from itself by more than a sum
    counters: Mapping[str, Counter] = field(default_factory=dict)  # by placeholder


def lower_loop_body(
    cx: Context, loop: Loop, lower_body: Callable[[], bool], statements: tuple[Statement, ...],
    targets: Collection[str] = (),
) -> LoweredBody:  # fmt: skip
    """Lower a body that binds ``targets`` itself. It is lowered again where an integer turns out to be a float, and
    where the body changes more than its assignments show (a field, an item of a list)."""
    builder, frame = cx.builder, cx.frame
    carried = [n for n in assigned_names(statements) if isinstance(frame.names.get(n), Scalar)]
    before = dict(frame.names)
    floats = builder.float_names.setdefault((frame.dotted, loop.line), set())
    first: LoweredBody | None = None  # as Python runs it: what later iterations make floating is still an integer
    tries = len(carried) + EXTRA_LOWERINGS
    while True:
        state = cx.snapshot()
        done = _lower_once(cx, loop, lower_body, carried, floats, before)
        tries -= 1
        widened = {n for n in carried if n not in floats and _is_widened(before[n], frame.names.get(n))}
        first = first or done
        changed = _otherwise_changed(before, frame.names, {*carried, *targets}) if tries > 0 else {}
        if not widened and not changed:
            break
        first = None if changed else first
        floats |= widened
        carried += [name for name in changed if isinstance(before[name], Scalar)]
        before.update(changed)
        cx.restore(state)
        frame.names = dict(before)
    held, settled = dict(before), set[str]()
    while passed_on := passed_views(cx, before, loop, done.nodes, statements, settled):
        settled |= set(passed_on)
        cx.restore(state)
        before.update(passed_on)
        frame.names = dict(before)
        done = first = _lower_once(cx, loop, lower_body, carried, floats, before)
    done = _with_growth(cx, loop, lower_body, done, before, statements, carried, floats, state)
    passed = tuple(n for n in done.state if not is_a_loops_own(n, statements))
    recurring = recurring_names(statements) if passed else set()
    found = (counter_of(name, placeholder, loop.var, statements) for name, (placeholder, _) in done.entries.items())
    counters = {counter.name: counter for counter in found if counter is not None}
    done = replace(done, state=passed, recurring=tuple(n for n in passed if n in recurring), counters=counters)
    if not cx.compiled and _float_kinds(first) != _float_kinds(done):
        names = ", ".join(sorted(floats))
        message = f"{names} may start as an integer, and is counted as floating in every iteration"
        builder.reason(loop.line, message, "upper")
    for name in settled:
        check_first(cx, held[name], before[name], name, loop)
    check_shapes(cx, {name: old for name, old in before.items() if name not in settled}, loop, statements)
    for name, new in frame.names.items():
        if any(arrays_in(new)) and new != before.get(name) and is_read_first(name, statements):
            builder.outlive(new)
    return done


def _float_kinds(done: LoweredBody) -> list[str]:
    return [kind for kind, _ in float_operations(done.nodes)]


def _is_widened(old: Value, new: Value | None) -> bool:
    return isinstance(old, Scalar) and isinstance(new, Scalar) and old.is_integer and not new.is_integer


def _otherwise_changed(before: dict[str, Value], after: dict[str, Value], known: set[str]) -> dict[str, Value]:
    """The numbers, tuples, texts and Nones that an iteration changes, as what is known of them in every iteration."""
    return {
        name: always for name, old in before.items()
        if isinstance(old, (Scalar, TupleValue, RangeValue, NoneValue, Text)) and name not in known
        for new in (after.get(name),) if new != old
        for always in (old if isinstance(old, Scalar) else _in_any_iteration(old, new),)
        if always != old or isinstance(old, Scalar)
    }  # fmt: skip


def _in_any_iteration(old: Value, new: Value | None) -> Value:
    """What is known in every iteration of a value that iterations change. Arrays that change places in a list stay
    arrays: :func:`turning_period` and :func:`check_shapes` see to them."""
    if isinstance(old, TupleValue) and isinstance(new, TupleValue) and len(old.items) == len(new.items):
        return replace(old, items=tuple(a if a == b else _in_any_iteration(a, b) for a, b in zip(old.items, new.items)))
    if isinstance(old, Scalar) and isinstance(new, Scalar) and old.is_integer and new.is_integer:
        return unknown_integer(CHANGED.why)
    return old if isinstance(old, View) and isinstance(new, View) and old.ndim == new.ndim else CHANGED


def _with_growth(
    cx: Context, loop: Loop, lower_body: Callable[[], bool], done: LoweredBody, before: dict[str, Value],
    statements: tuple[Statement, ...], carried: list[str], floats: set[str], state: Snapshot,
) -> LoweredBody:  # fmt: skip
    """``s = 0.0``, and ``s += x`` in a loop: from the second iteration on s is an array and no longer a number. It is
    taken as an array in all, where that makes no difference to what is counted."""
    after = cx.frame.names
    numbers = {name for name, old in before.items() if isinstance(old, Scalar) or old == CHANGED}
    arrays = {name: new for name, new in after.items() if name in numbers and isinstance(new, View) and new.ndim}
    grown = {name: new for name, new in arrays.items() if is_read_first(name, statements)}
    if not grown:
        return done
    inside = {loop.var, *(node.var for node in loops(done.nodes))}
    before_loop = all(inside.isdisjoint(extent.symbols) for new in grown.values() for extent in new.shape)
    as_number = cx.snapshot()
    if before_loop:
        cx.restore(state)
        grown = {name: allocate(cx, new.shape, new.dtype, loop.line) for name, new in grown.items()}
        grown = {name: replace(new, or_none=before[name] == CHANGED) for name, new in grown.items()}
    cx.frame.names = {**before, **grown}
    later = _lower_once(cx, loop, lower_body, [name for name in carried if name not in grown], floats, before)
    message = f"{', '.join(sorted(grown))}: a number in the first iteration, an array in later ones, and is counted as"
    same = float_operations(later.nodes) == float_operations(done.nodes)
    if same and before_loop:
        cx.builder.reason(loop.line, f"{message} an array", "open")
        return later
    cx.restore(as_number)
    cx.frame.names = after
    cx.builder.reason(loop.line, f"{message} a number", "open")
    if not same:
        cx.builder.reason(loop.line, f"{message} a number", "lower")
    return done


def _lower_once(
    cx: Context, loop: Loop, lower_body: Callable[[], bool], carried: list[str], floats: set[str],
    before: dict[str, Value],
) -> LoweredBody:  # fmt: skip
    frame = cx.frame
    entries: dict[str, tuple[str, Scalar]] = {}
    ids: dict[str, int] = {}
    for name in carried:
        old = before[name]
        assert isinstance(old, Scalar)
        ids[name] = cx.builder.new_id()
        if old.is_integer and name not in floats and old.expr is not None:
            placeholder = f"{name}{MARK}{ids[name]}"
            entries[name] = (placeholder, old)
            frame.names[name] = replace(
                old,
                expr=symbol(placeholder),
                node=ids[name],
                number=None,
                literal=False,
                loaded_from=None,
                moved=None,
            )
        else:
            frame.names[name] = _changing(cx, old, ids[name], name in floats)
    exit_ = LoopExit()
    frame.loops.append(exit_)
    with cx.builder.in_loop(loop) as nodes:
        lower_body()
    frame.loops.pop()
    for names in exit_.continued:
        frame.names = join_names(cx, frame.names, names, before, loop.line)
    return _summarized(cx, tuple(nodes), before, entries, ids, exit_)


def _changing(cx: Context, old: Scalar, node: int, floating: bool) -> Scalar:
    """A number without a known value at the start of an iteration."""
    why = old.why_unknown or "a value that the loop changes"
    sizes = cx.builder.broadcast_sizes
    sizes.of[node] = sizes.sources((old.node,)) or SCALAR
    return Scalar(F8 if floating else old.dtype, node=node, weak=old.weak, why_unknown=why)


def _summarized(
    cx: Context, nodes: tuple[Node, ...], before: dict[str, Value], entries: dict[str, tuple[str, Scalar]],
    ids: dict[str, int], exit_: LoopExit,
) -> LoweredBody:  # fmt: skip
    """The lowered body, with what each carried name is at its end."""
    exits: dict[str, Expr | None] = {}
    flows: list[Carried] = []
    state: list[str] = []
    for name, own in ids.items():
        new, old = cx.frame.names.get(name), before[name]
        assert isinstance(old, Scalar)
        exits[name] = new.expr if isinstance(new, Scalar) and new.is_integer else None
        if isinstance(new, Scalar) and not new.is_integer and new.node and new.made and new.node != own:
            flows.append(Carried(name, own, new.node, old.node if old.made else None))
        elif _is_passed_on(new, entries.get(name), own):
            state.append(name)
    return LoweredBody(nodes, tuple(flows), entries, exits, exit_, tuple(state))


def _is_passed_on(new: Value | None, entry: tuple[str, Scalar] | None, own: int) -> bool:
    """Whether the value of a name after an iteration may depend on its value before it."""
    if not isinstance(new, Scalar):
        return True
    if entry is not None and new.is_integer:
        return new.expr is None or (entry[0] in new.expr.symbols and new.expr != symbol(entry[0]))
    return new.node != own and new.number is None
