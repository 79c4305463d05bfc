"""Loops whose iterations let different threads of a block pass, in parts whose iterations are alike: loops that begin
or end at the place of a thread (``range(t, n, 32)``), and loops over tiles that conditions cut at the last one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, floor, prod

from roofscan.cost.memory.gpu.threads.domain import without_floor
from roofscan.cost.memory.lru.tree.unroll import COPY, known_values, unrolled
from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Body, Loop, Node, When
from roofscan.ir.visitor import accesses, loops, replace_nodes, substitute, walk
from roofscan.symbolic.expr import ZERO, Expr, Number, symbol

FEW_ITERATIONS = 16
MOST_APART = 8  # iterations of a loop that differ from those before
MOST_THREADS = 1024


def with_iterations_apart(kernel: Kernel, values: Mapping[str, Number], symbolic: bool) -> Kernel:
    """The kernel as the model reads it."""
    one_by_one = kernel.decorator.kind != "triton"  # masks of a program cut its last iteration alone
    places = {loop.var for loop in loops(kernel.body) if loop.axis is not None and one_by_one}
    guards = partial(_guards_by, places, {} if symbolic else values)
    kernel = replace(kernel, body=unrolled(kernel.body, values, guards))
    return kernel if symbolic or not one_by_one else _in_parts(kernel, values)


def _guards_by(places: Set[str], values: Mapping[str, Number], loop: Loop) -> Sequence[int]:
    """The values of the variable of a loop of which each of a few iterations lets other threads pass a condition."""
    found = known_values(loop, values) if loop.axis is None else ()
    if len(found) > FEW_ITERATIONS:
        return ()
    tests = (c.expr.symbols for node in walk(loop.body) if isinstance(node, When) for c in node.conditions)
    return found if any(loop.var in symbols and not symbols.isdisjoint(places) for symbols in tests) else ()


def _in_parts(kernel: Kernel, values: Mapping[str, Number]) -> Kernel:
    """The kernel with such loops in parts, where sizes are bound."""
    threads = {
        loop.var: ceil(loop.stop.evaluate(values))
        for loop in loops(kernel.body)
        if loop.axis is not None and loop.axis.part == "thread"
    }
    if not threads or prod(threads.values()) > MOST_THREADS:
        return kernel
    by_data = frozenset(s.name for s in kernel.symbols if s.kind == "trips")
    found = _Splitter(threads, values, by_data).body(kernel.body)
    return kernel if found == kernel.body else replace(kernel, body=found)


@dataclass(frozen=True)
class _Splitter:
    threads: Mapping[str, int]
    values: Mapping[str, Number]
    by_data: frozenset[str]  # symbols of trips

    def body(self, body: Body) -> Body:
        return replace_nodes(body, self._split)

    def _split(self, node: Node) -> Body | None:
        if not isinstance(node, Loop) or node.axis is not None or node.total is not None:
            return None
        return self._parts(self._from_zero(replace(node, body=self.body(node.body))))

    # -- the iterations of all threads together -------------------------------------------------------
    def _from_zero(self, loop: Loop) -> Loop:
        """The n-th iterations of all threads as one, which those take part in that make it."""
        start, stop, step = (e.subs(self._sizes(e)) for e in (loop.start, loop.stop, loop.step))
        size = step.constant
        if not isinstance(size, int) or size < 1 or not self._is_of_threads(start + stop):
            return self._of_rows(loop)
        most = max(ceil(Fraction(length) / size) for length in self._by_thread(stop - start))
        place = start + step * symbol(loop.var)
        runs = without_floor(Condition(stop - 1 - place, "ge"))
        body = (When((runs,), substitute(loop.body, {loop.var: place}), loop.line),)
        return replace(loop, start=ZERO, stop=Expr.of(max(0, most)), step=Expr.of(1), body=body)

    def _of_rows(self, loop: Loop) -> Loop:
        """A loop of a warp, or a block, over a row of unknown length, which is as long as the mean."""
        trips = next((self.values[name] for name in self.by_data if loop.stop == symbol(name)), None)
        rests = (rest for access in accesses(loop.body) for rest in access.rests)
        for place in (rest.expr for rest in rests if trips and rest is not None and rest.element is not None):
            step = place.coefficient(loop.var).constant
            if trips and step and self._is_of_threads(place.subs({loop.var: ZERO})):
                length = max(1, round(trips * step))
                body = (When((Condition(length - 1 - place, "ge"),), loop.body, loop.line),)
                return replace(loop, stop=Expr.of(ceil(Fraction(length) / step)), body=body)
        return loop

    # -- iterations that are alike --------------------------------------------------------------------
    def _parts(self, loop: Loop) -> Body:
        start, stop, step = (e.subs(self._sizes(e)).constant for e in (loop.start, loop.stop, loop.step))
        if not (isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)) or step < 1:
            return (loop,)
        trips = max(0, -((start - stop) // step))
        first = {loop.var: start + step * symbol(loop.var)}
        tests = {condition: self._mixed(expr.subs(first), loop.var) for condition, expr in self._tests(loop)}
        mixed = [(max(0, low), min(trips, high)) for low, high, _ in tests.values()]
        apart = {k for low, high in mixed for k in range(low, high)} if _are_few(mixed) else set()
        borders = {k for k in (*itertools.chain(*mixed), *apart, *(k + 1 for k in apart)) if 0 < k < trips}
        if len(borders) > 2 * MOST_APART:
            return (loop,)
        made: list[Node] = []
        for low, high in itertools.pairwise(sorted({0, *borders, trips})):
            passed = {c for c, (begin, end, falls) in tests.items() if (high <= begin if falls else low >= end)}
            body = _without(loop.body, passed) if passed else loop.body
            part = replace(loop, body=body)
            made += self._part(part, low, high, low in apart) if borders or apart else [part]
        return tuple(made)

    def _part(self, loop: Loop, low: int, high: int, alone: bool) -> Body:
        """The iterations from one on, with names of their own."""
        start, step = (int(e.subs(self._sizes(e)).evaluate({})) for e in (loop.start, loop.step))
        names = {inner.var: symbol(f"{inner.var}{COPY}{low}") for inner in loops(loop.body)}
        if alone:
            return substitute(loop.body, {**names, loop.var: Expr.of(start + step * low)})
        var = f"{loop.var}{COPY}{low}"
        body = substitute(loop.body, {**names, loop.var: symbol(var)})
        ends = Expr.of(start + step * low), Expr.of(start + step * high)
        return (replace(loop, var=var, start=ends[0], stop=ends[1], step=Expr.of(step), body=body),)

    def _tests(self, loop: Loop) -> Iterator[tuple[Condition, Expr]]:
        """The conditions by thread and iteration, with what is at least 0 where they hold."""
        for node in walk(loop.body):
            for condition in node.conditions if isinstance(node, When) else ():
                expr = condition.expr.subs(self._sizes(condition.expr))
                of_both = loop.var in expr.symbols and self._is_of_threads(expr.subs({loop.var: ZERO}))
                if of_both and condition.relation == "ge" and not condition.modulus and expr.is_linear_in([loop.var]):
                    yield condition, expr

    def _mixed(self, expr: Expr, var: str) -> tuple[int, int, bool]:
        """The iterations in which some threads pass, and some do not; whether all pass before, and none behind."""
        slope = expr.coefficient(var).evaluate({})
        ends = [floor(Fraction(value) / max(slope, -slope)) for value in self._by_thread(expr.subs({var: ZERO}))]
        return (min(ends) + 1, max(ends) + 1, True) if slope < 0 else (-max(ends), -min(ends), False)

    # -- threads --------------------------------------------------------------------------------------
    def _sizes(self, expr: Expr) -> Mapping[str, Expr]:
        return {name: Expr.of(self.values[name]) for name in expr.symbols if name in self.values}

    def _is_of_threads(self, expr: Expr) -> bool:
        return bool(expr.symbols) and expr.symbols <= self.threads.keys()

    def _by_thread(self, expr: Expr) -> Sequence[Number]:
        """The values for all threads, or the least and the greatest of a sum."""
        names = [name for name in self.threads if name in expr.symbols]
        if expr.is_linear_in(names):
            base = expr.subs(dict.fromkeys(names, 0)).evaluate({})
            spans = [expr.coefficient(name).evaluate({}) * (self.threads[name] - 1) for name in names]
            return base + sum(min(0, span) for span in spans), base + sum(max(0, span) for span in spans)
        places = product(*(range(self.threads[name]) for name in names))
        return [expr.evaluate(dict(zip(names, place))) for place in places]


def _are_few(mixed: Sequence[tuple[int, int]]) -> bool:
    return sum(max(0, high - low) for low, high in mixed) <= MOST_APART


def _without(body: Body, passed: Set[Condition]) -> Body:
    """The body where these conditions hold."""

    def left(node: Node) -> Body | None:
        if not isinstance(node, When) or passed.isdisjoint(node.conditions):
            return None
        kept = tuple(c for c in node.conditions if c not in passed)
        inside = _without(node.body, passed)
        return (replace(node, conditions=kept, body=inside),) if kept else inside

    return replace_nodes(body, left)
