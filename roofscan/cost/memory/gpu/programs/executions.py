"""How often the threads of a launch run a body, and the trips of its loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from itertools import zip_longest
from math import ceil

from roofscan.cost.counts import ExecutionCounts
from roofscan.cost.memory.gpu.programs.program import SerialLoop
from roofscan.cost.memory.gpu.threads.domain import NO_GUARDS, Guards
from roofscan.cost.memory.gpu.threads.places import Cut, ThreadPlaces
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, known, value_of
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Branch, Loop, When
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import Expr, Number
from roofscan.symbolic.floors import ceil_div


class Executions:
    def __init__(self, kernel: Kernel, values: Mapping[str, Number], places: ThreadPlaces, symbolic: bool) -> None:
        """``symbolic``: keep expressions beside the numbers."""
        self._values = values
        self._places = places
        self._symbolic = symbolic
        self._counts = ExecutionCounts(kernel, Chamber(values, kernel.least_values))
        self._domains = {id(domain.body): domain for domain in self._counts.domains}

    def counted(self, body: Body) -> Num | None:
        """As counting finds them; None of a body that holds nothing itself."""
        domain = self._domains.get(id(body))
        return None if domain is None else self.number(self._counts.of(domain))

    def of(self, body: Body, state: PlaceState) -> Num:
        """Of a body by all threads; those of the state where it holds nothing itself and is not counted. A warp runs a
        branch for all of its lanes if one of them takes it."""
        counted = self.counted(body)
        if counted is None:
            return state.executions
        found = counted if value_of(state.share) == 1 else _over(counted, state.share)
        most = state.executions if 0 < value_of(state.executions) < value_of(found) else found
        return found if state.among == 1 else most * state.among

    def counted_in(self, body: Body) -> Iterator[Num]:
        """Of a body, or else of those in it."""
        counted = self.counted(body)
        if counted is not None:
            yield counted
        else:
            yield from (
                n for node in body if isinstance(node, (Loop, When, Branch)) for n in self.counted_in(node.body)
            )

    def trips(self, loop: Loop, state: PlaceState) -> Num:
        """The mean, where they differ from thread to thread or between iterations of loops around."""
        if loop.total is not None or self._places.vary(loop):
            counted = self.counted(loop.body)
            if counted is not None:
                return _over(counted, state.executions * state.share)
        start, stop, step = (self._places.at_origin(e) for e in (loop.start, loop.stop, loop.step))
        if step.constant:
            return self.number(ceil_div(stop - start, step))
        return self._runs(stop - start, step)

    def _runs(self, length: Expr, step: Expr) -> Num:
        """The trips of a loop whose step is a size, such as that of the launch."""
        length, step = map(self._places.in_sizes, (length, step))
        found = max(0, ceil(length.evaluate(self._values) / step.evaluate(self._values)))
        return known(ceil_div(length, step), found) if found and self._symbolic else found

    def number(self, expr: Expr) -> Num:
        expr = self._places.in_sizes(expr)
        value = Fraction(expr.evaluate(self._values))
        if not self._symbolic:
            return int(value) if value.denominator == 1 else value
        return known(expr, value)


def _over(a: Num, b: Num) -> Num:
    if isinstance(a, SampledExpr) or isinstance(b, SampledExpr):
        return a / b
    return Fraction(a) / Fraction(b)


# -- what holds at a place --------------------------------------------------------------------------
Address = tuple[str, tuple[Expr | None, ...], tuple[object, ...]]


@dataclass
class PlaceState:
    """What holds at a place of the body."""

    loops: tuple[tuple[SerialLoop, Loop], ...] = ()
    guards: Guards = NO_GUARDS
    executions: Num = 0
    share: Num = 1  # of the lanes that take the branches on data around it
    counted: Num = 0  # executions, as counting the conditions around it finds them
    among: Fraction = Fraction(1)  # of the threads, that conditions around it let through which are not counted
    sure: bool = True  # whether there is none
    tested: frozenset[str] = frozenset()  # the loops whose iterations the conditions around it tell apart
    known: dict[Address, None] = field(default_factory=dict)  # addresses whose value is in a register


def address_of(array: Array, node: Access) -> Address | None:
    """None where the source does not say whether another access has the same."""
    if any(e is None and (rest is None or rest.element is None) for e, rest in zip_longest(node.index, node.rests)):
        return None
    return array.memory, node.index, () if node.regular else tuple(r and (r.element, r.expr) for r in node.rests)


def with_cut(guards: Guards, found: Cut) -> Guards:
    if isinstance(found, bool):
        return guards if found else replace(guards, separable=False)
    if isinstance(found, tuple):
        return guards.among(found)
    cuts, strided = [*guards.cuts], [*guards.strided]
    cuts[found.axis] = (*cuts[found.axis], found.cut)
    strided[found.axis] = found.strided or strided[found.axis]
    return replace(guards, cuts=(cuts[0], cuts[1], cuts[2]), strided=(strided[0], strided[1], strided[2]))
