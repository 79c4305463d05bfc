"""One iteration of a loop: its body is lowered once, with placeholders for what one iteration passes to the next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from typing import Union

from roofscan.frozen import dataclass
from roofscan.ir.data_subscripts import Counter, Pointer
from roofscan.ir.dtypes import DType, promote
from roofscan.ir.integers import NO_INTEGERS, IntegerWork
from roofscan.ir.tree import Access, Carried, Leaf, Loop, Node, When
from roofscan.ir.visitor import loops, map_leaves, walk
from roofscan.parse.lowering.broadcast_sizes import SCALAR
from roofscan.parse.lowering.calls.arguments import type_named
from roofscan.parse.lowering.context import Context, LoopExit
from roofscan.parse.lowering.control.counters import counter_of, places_at, pointer_of, recurring_names
from roofscan.parse.lowering.control.join import either_slice, either_type, join_names
from roofscan.parse.lowering.control.loop_shapes import (
    check_first,
    check_shapes,
    fits,
    float_operations,
    passed_views,
    wider_elements,
    work_of,
)
from roofscan.parse.lowering.control.number_kinds import in_any_iteration
from roofscan.parse.lowering.elements import as_computed_here
from roofscan.parse.lowering.integers.statements import integer_work
from roofscan.parse.lowering.numpy.array_operations import allocate
from roofscan.parse.lowering.subscript_ranges import MARK
from roofscan.parse.lowering.values import (
    CHANGED,
    Cut,
    DTypeValue,
    GeneratedValue,
    ModuleRef,
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
from roofscan.symbolic.expr import ONE, Expr, symbol

Kinds = tuple[DType, Union[DType, None], bool]
"""The type that a number has at the start of an iteration, a narrower one that it may have instead, and whether it is a
Python number."""

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
    integers: IntegerWork = NO_INTEGERS


def lower_loop_body(
    cx: Context, loop: Loop, lower_body: Callable[[], bool], statements: tuple[Statement, ...],
    targets: Collection[str] = (),
) -> LoweredBody:  # fmt: skip
    """Lower a body that binds ``targets`` itself. It is lowered again where an integer turns out to be a float, and
    where the body changes more than its assignments show (a field, an item of a list)."""
    body = _Body(cx, loop, lower_body, statements)
    done = body.with_fixed_types(targets)
    held = dict(body.before)
    passed, done = body.with_passed_views(done)
    done = body.with_wider_elements(done)
    done = _with_carried_names(cx, body.with_growth(done), body.before, loop, statements)
    for name in passed:
        check_first(cx, held[name], body.before[name], name, loop)
    check_shapes(cx, {name: old for name, old in body.before.items() if name not in passed}, loop, statements)
    for name, new in cx.frame.names.items():
        if any(arrays_in(new)) and new != body.before.get(name) and is_read_first(name, statements):
            cx.builder.outlive(new)
    return done


def is_compared(done: LoweredBody, variables: Collection[str], first: Expr | None = None) -> bool:
    """Whether conditions or inner loops depend on the iteration: of a loop inside others that data end, only the mean
    trips are known, so that such a condition has a share as one on data has. ``first`` is 0 in the first iteration,
    which such a loop has for sure."""
    own = {placeholder for placeholder, _ in done.entries.values()}.union(variables)
    if any(not (loop.stop - loop.start).symbols.isdisjoint(own) for loop in loops(done.nodes)):
        return True
    conditions = (c for node in walk(done.nodes) if isinstance(node, When) for c in node.conditions)
    tests = (c for c in conditions if not c.expr.symbols.isdisjoint(own))
    return any(first is None or c.relation == "ge" or c.modulus or c.expr not in (first, -first) for c in tests)


def _types_of(names: Mapping[str, Value]) -> frozenset[tuple[object, ...]]:
    """The types of the numbers and arrays that names stand for."""
    numbers = ((name, v.dtype, v.least, v.weak) for name, v in names.items() if isinstance(v, Scalar))
    return frozenset(numbers) | frozenset((name, v.dtype) for name, v in names.items() if isinstance(v, View))


class _Body:
    """A body that is lowered from one state, perhaps several times, with the names as they are before it."""

    def __init__(self, cx: Context, loop: Loop, lower: Callable[[], bool], statements: tuple[Statement, ...]) -> None:
        self.cx = cx
        self.loop = loop
        self.lower = lower
        self.statements = statements
        self.state = cx.snapshot()
        self.before = dict(cx.frame.names)
        self.carried = [n for n in assigned_names(statements) if isinstance(self.before.get(n), Scalar)]
        self.types = cx.frame.loop_types.setdefault((loop.line, _types_of(self.before)), {})
        self.types_of_elements: list[tuple[DType, DType]] = []  # before an iteration and after it, under a name
        self.of_data = cx.builder.data_names.setdefault((cx.frame.dotted, loop.line), set())

    def _start_over(self, changed: Mapping[str, Value]) -> None:
        self.cx.restore(self.state)
        self._tell_types()
        self.state = self.cx.snapshot() if self.types_of_elements else self.state
        self.before.update(changed)
        self.cx.frame.names = dict(self.before)

    def with_fixed_types(self, targets: Collection[str]) -> LoweredBody:
        """The body as it runs in any iteration: a number has the widest kind that an iteration leaves it with."""
        tries = len(self.carried) + EXTRA_LOWERINGS
        while True:
            done = self.once(self.carried)
            tries -= 1
            after = self.cx.frame.names
            widened = {n: new for n in self.carried if (new := self._widened(n, after.get(n))) != self._begun(n)}
            changed = self._otherwise_changed(after, {*self.carried, *targets}) if tries > 0 else {}
            of_data = self._bound_by_data(done) if tries > 0 else set()
            if not widened and not changed and not of_data:
                self._tell_types()
                return done
            self.types |= widened
            self.of_data |= of_data
            self.carried += [name for name in changed if isinstance(self.before[name], Scalar)]
            self._start_over(changed)

    def _tell_types(self) -> None:
        for one, other in self.types_of_elements:
            either_type(self.cx, one, other, self.loop.line, "an element type that the loop changes")

    def _otherwise_changed(self, after: dict[str, Value], known: set[str]) -> dict[str, Value]:
        """The numbers, tuples, texts and Nones that an iteration changes, as what is known of them in every
        iteration."""
        return {
            name: always for name, old in self.before.items()
            if isinstance(old, _REPLACED) and name not in known
            for new in (after.get(name),) if new != old
            for always in (old if isinstance(old, Scalar) else self._in_any_iteration(old, new),)
            if always != old or isinstance(old, Scalar)
        }  # fmt: skip

    def _in_any_iteration(self, old: Value, new: Value | None) -> Value:
        """What is known in every iteration of a value that iterations change. Arrays that change places in a list stay
        arrays: :func:`rotation_period` and :func:`check_shapes` see to them."""
        if isinstance(old, TupleValue) and isinstance(new, TupleValue) and len(old.items) == len(new.items):
            pairs = zip(old.items, new.items)
            return replace(old, items=tuple(a if a == b else self._in_any_iteration(a, b) for a, b in pairs))
        if isinstance(old, Cut) and isinstance(new, Cut):
            return either_slice(old, new)
        if isinstance(old, Scalar) and isinstance(new, Scalar) and old.is_integer and new.is_integer:
            return unknown_integer(CHANGED.why)
        one, other = type_named(old), None if new is None else type_named(new)
        if one is not None and other is not None:
            self.types_of_elements.append((one, other))
            return DTypeValue(promote(one, other))
        return old if isinstance(old, View) and isinstance(new, View) and old.ndim == new.ndim else CHANGED

    def _begun(self, name: str) -> Kinds:
        old = self.before[name]
        assert isinstance(old, Scalar)
        return self.types.get(name, (old.dtype, old.least, old.weak))

    def _widened(self, name: str, new: Value | None) -> Kinds:
        """The kinds of a number that an iteration leaves as ``new``."""
        dtype, least, weak = self._begun(name)
        if not isinstance(new, Scalar):
            return dtype, least, weak
        old = self.before[name]
        assert isinstance(old, Scalar)
        always = in_any_iteration(self.cx, replace(old, dtype=dtype, least=least, weak=weak), new)
        return always.dtype, always.least, always.weak

    def _bound_by_data(self, done: LoweredBody) -> set[str]:
        """Integers that a test looks at beside data, and that data change: such a test has one share."""
        tested = self.cx.builder.tested_beside_data
        found = {name for name, (placeholder, _) in done.entries.items() if placeholder in tested}
        return {name for name in found if done.exits[name] is None} - self.of_data

    def with_passed_views(self, done: LoweredBody) -> tuple[set[str], LoweredBody]:
        """The names of arrays that an iteration passes to the next, and the body lowered with them."""
        passed = set[str]()
        while found := passed_views(self.cx, self.before, self.loop, done.nodes, self.statements, passed):
            passed |= set(found)
            fitting = [(old, new) for name, new in found.items() if isinstance(old := self.before[name], View)]
            self._start_over(found)
            for old, new in fitting:  # what was assumed so that they fit is forgotten with the body
                fits(self.cx, old, new, self.loop.line)
            self.state = self.cx.snapshot()
            done = self.once(self.carried)
        return passed, done

    def with_wider_elements(self, done: LoweredBody) -> LoweredBody:
        """``a = a / 2`` of integers: from the second iteration on the elements are floating. All iterations are counted
        on such an array."""
        cx, line, first, other = self.cx, self.loop.line, done, set[str]()
        while wider := wider_elements(cx, self.before, self.loop, self.statements):
            cx.restore(self.state)
            for name, (old, dtype) in wider.items():
                same_size = old.dtype.size == dtype.size
                self.before[name] = replace(old, dtype=dtype) if same_size else allocate(cx, old.shape, dtype, line)
                if not same_size:
                    message = f"{name} has elements of another size in the first iteration, counted as in later ones"
                    cx.builder.reason(line, message, "open")
            self.state, other = cx.snapshot(), other | wider.keys()
            self._start_over({})
            done = self.once(self.carried)
        if other and work_of(first.nodes) != work_of(done.nodes):
            message = f"{', '.join(sorted(other))}: elements of another type in the first iteration"
            cx.builder.reason(line, f"{message}, counted as in later ones", "wider")
        return done

    def with_growth(self, done: LoweredBody) -> LoweredBody:
        """``s = 0.0``, and ``s += x`` in a loop: from the second iteration on s is an array and no longer a number, and
        what s was before that from the third on. They are taken as arrays in all, and what that counts too much is a
        bound; as numbers where the arrays have extents that only the loop knows."""
        cx, line, as_number, after = self.cx, self.loop.line, self.cx.snapshot(), self.cx.frame.names
        grown, later, before_loop = dict[str, View](), done, True
        while found := self._grown(grown):
            grown |= found
            before_loop = before_loop and self._are_known_before(found, later)
            later = self._with_arrays(grown, before_loop)
        if not grown:
            return done
        same = float_operations(later.nodes) == float_operations(done.nodes)
        if not before_loop:
            cx.restore(as_number)
            cx.frame.names = after
        names, kind = ", ".join(sorted(grown)), "an array" if before_loop else "a number"
        message = f"{names}: a number in the first iteration, an array in later ones; counted as {kind}"
        cx.builder.reason(line, message, "open")
        if not same:
            message = f"{names}: the first iterations do less than counted, on numbers"
            message = message if before_loop else f"{names}: later iterations do more than counted, on arrays"
            cx.builder.reason(line, message, "wider" if before_loop else "lower")
        return later if before_loop else done

    def _grown(self, known: Collection[str]) -> dict[str, View]:
        """The names that are numbers before the loop, and that an iteration leaves as arrays for the next one."""
        numbers = {n for n, old in self.before.items() if isinstance(old, Scalar) or old == CHANGED} - {*known}
        arrays = {n: new for n, new in self.cx.frame.names.items() if n in numbers and isinstance(new, View)}
        return {n: new for n, new in arrays.items() if new.ndim and is_read_first(n, self.statements)}

    def _are_known_before(self, arrays: Mapping[str, View], done: LoweredBody) -> bool:
        """Whether an iteration makes the arrays that it leaves, and their extents are known before the loop: another
        name of an array that is there already is no new one."""
        cx, now, made = self.cx, self.cx.snapshot(), set(self.cx.builder.symbols)
        cx.restore(self.state)
        made -= cx.builder.symbols.keys()
        cx.restore(now)
        made |= {self.loop.var, *(node.var for node in loops(done.nodes))}
        if not all(cx.builder.arrays[new.array].is_made for new in arrays.values()):
            return False
        return all(made.isdisjoint(extent.symbols) for new in arrays.values() for extent in new.shape)

    def _with_arrays(self, grown: Mapping[str, View], before_loop: bool) -> LoweredBody:
        """The body where these names are arrays at the start of an iteration."""
        cx = self.cx
        if before_loop:
            cx.restore(self.state)
            grown = {name: allocate(cx, new.shape, new.dtype, self.loop.line) for name, new in grown.items()}
            grown = {name: replace(new, or_none=self.before[name] == CHANGED) for name, new in grown.items()}
        cx.frame.names = {**self.before, **grown}
        return self.once([name for name in self.carried if name not in grown])

    def once(self, carried: Iterable[str]) -> LoweredBody:
        cx, names = self.cx, self.cx.frame.names
        entries: dict[str, tuple[str, Scalar]] = {}
        ids: dict[str, int] = {}
        for name in carried:
            old, node = self.before[name], cx.builder.new_id()
            assert isinstance(old, Scalar)
            ids[name] = node
            dtype, least, weak = self._begun(name)
            if old.expr is not None and old.is_integer and not dtype.counts:
                entries[name] = (f"{name}{MARK}{node}", old)
                names[name] = _placeholder(old, entries[name][0], node)
                if name in self.of_data:
                    cx.builder.data_placeholders.add(entries[name][0])
            else:
                names[name] = replace(_changing(cx, old, node), dtype=dtype, least=least, weak=weak)
        exit_ = LoopExit()
        cx.frame.loops.append(exit_)
        with cx.builder.in_loop(self.loop) as nodes:
            names |= {name: as_computed_here(cx, names[name]) for name in ids}
            self.lower()
        cx.frame.loops.pop()
        for left in exit_.continued:
            cx.frame.names = join_names(cx, cx.frame.names, left, self.before, self.loop.line)
        return _summarized(cx, tuple(nodes), self.before, entries, ids, exit_)


def _with_carried_names(
    cx: Context, done: LoweredBody, before: Mapping[str, Value], loop: Loop, statements: tuple[Statement, ...]
) -> LoweredBody:  # fmt: skip
    """The body with what its statements show of the names that iterations pass on."""
    passed = tuple(n for n in done.state if not is_a_loops_own(n, statements))
    recurring = recurring_names(statements) if passed else set()
    found = (counter_of(name, placeholder, loop.var, statements) for name, (placeholder, _) in done.entries.items())
    counters = {counter.name: counter for counter in found if counter is not None}
    nodes = _with_pointers(done.nodes, before, loop, statements)
    recurs = tuple(n for n in passed if n in recurring)
    integers = integer_work(cx, loop, statements, before, bool(passed))
    return replace(done, nodes=nodes, state=passed, recurring=recurs, counters=counters, integers=integers)


def _with_pointers(
    nodes: tuple[Node, ...], before: Mapping[str, Value], loop: Loop, statements: tuple[Statement, ...]
) -> tuple[Node, ...]:  # fmt: skip
    """The nodes, with what their subscripts are where a loop only adds numbers to it."""
    at: dict[tuple[int, int], Pointer] = {}
    for name in assigned_names(statements):
        old = before.get(name)
        pointer = pointer_of(name, loop.var, statements) if isinstance(old, Scalar) and old.is_integer else None
        if pointer is not None:
            at |= dict.fromkeys(places_at(name, statements), pointer)

    def pointed(leaf: Leaf) -> Leaf:
        pointer = at.get((leaf.line, leaf.column)) if isinstance(leaf, Access) else None
        return replace(leaf, pointer=pointer) if isinstance(leaf, Access) and pointer else leaf

    return map_leaves(nodes, pointed) if at else nodes


_REPLACED = (Scalar, TupleValue, RangeValue, GeneratedValue, NoneValue, Text, Cut, DTypeValue, ModuleRef)
"""Values of which an iteration may leave another one under the name."""


def _placeholder(old: Scalar, name: str, node: int) -> Scalar:
    """An integer at the start of an iteration."""
    begun = replace(old, expr=symbol(name), node=node, number=None, literal=False, loaded_from=None)
    return replace(begun, moved=None, test=None)


def _changing(cx: Context, old: Scalar, node: int) -> Scalar:
    """A number without a known value at the start of an iteration."""
    why = old.why_unknown or "a value that the loop changes"
    sizes = cx.builder.broadcast_sizes
    sizes.of[node] = sizes.sources((old.node,)) or SCALAR
    return Scalar(old.dtype, node=node, weak=old.weak, why_unknown=why)


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
            initial = old.node if old.made else None
            others = exit_.other_arms.get(new.node, ())
            goes_on, begun = exit_.goes_on.get(name, ONE), old.is_integer and old.number is not None
            flows.append(Carried(name, own, new.node, initial, goes_on, others, begun))
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
