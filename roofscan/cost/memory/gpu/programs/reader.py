"""Reads the program of a kernel's threads. Compilers read a loop's invariants once, and a known address once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from itertools import zip_longest
from math import ceil, prod

from roofscan.cost.counts import ExecutionCounts
from roofscan.cost.memory.gpu.device import Triple
from roofscan.cost.memory.gpu.programs.common_stores import with_common_stores
from roofscan.cost.memory.gpu.programs.program import Program, Reference, Scope, SerialLoop, Strides, hoisted
from roofscan.cost.memory.gpu.programs.reads_first import ALWAYS, reads_first
from roofscan.cost.memory.gpu.threads.access_steps import AccessSteps, Steps
from roofscan.cost.memory.gpu.threads.domain import NO_GUARDS, Guards
from roofscan.cost.memory.gpu.threads.loop_parts import with_iterations_apart
from roofscan.cost.memory.gpu.threads.places import Cut, CutAlong, ThreadPlaces
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, known, value_of
from roofscan.cost.memory.lru.tree.unroll import COPY
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import DIRECTIONS, MOST_REGISTERS
from roofscan.ir.tree import Access, Barrier, Block, Body, Branch, Loop, Operation, When
from roofscan.ir.visitor import accesses, conditions_of, loops, loops_of, walk
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import Expr, Number
from roofscan.symbolic.floors import ceil_div

REGISTER = 4  # bytes


def read_program(kernel: Kernel, values: Mapping[str, Number], symbolic: bool) -> Program:
    """``values`` gives every symbol a number; ``symbolic``: keep expressions beside the numbers. NotEvaluable where the
    launch has none."""
    return _Reader(kernel, values, symbolic).program()


Address = tuple[str, tuple[Expr | None, ...], tuple[object, ...]]


@dataclass
class _State:
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


class _Reader:
    def __init__(self, kernel: Kernel, values: Mapping[str, Number], symbolic: bool) -> None:
        every = list(loops(kernel.body))
        kernel = with_iterations_apart(kernel, values, symbolic)
        kernel = replace(kernel, body=with_common_stores(kernel.body))
        constant = {loop.var for loop in every if (loop.stop - loop.start).constant is not None}
        self._written = constant - kernel.bound_loops
        self._kernel = kernel
        self._symbolic = symbolic
        self._values = values
        self._near = {loop.var for loop in every if loop.axis is None or loop.axis.part == "thread"}
        self._places = ThreadPlaces(kernel, values, symbolic)
        self._steps = AccessSteps(self._places)
        launch = self._places.launch
        self._firsts = reads_first(kernel, values, launch.grid, launch.block)
        chamber = Chamber(values, kernel.least_values)
        counts = ExecutionCounts(kernel, chamber)
        self._visits = {id(visit.body): visit for visit in counts.visits}
        self._counts = counts
        self._by_data = {s.name for s in kernel.symbols if s.kind in ("trips", "total", "length")}
        self._ends = {s.name for s in kernel.symbols if s.kind == "trips"}
        self._extents: dict[str, Num] = {}

    def program(self) -> Program:
        body, state = self._kernel.body, _State()
        while len(body) == 1 and isinstance(body[0], Loop) and body[0].axis is not None:
            body = body[0].body
        grid, block = self._launched()
        state.executions = state.counted = prod((*grid, *block), start=1)
        state.executions = self._executions(body, state)
        root = self._scope(None, body, state)
        number = self._number if self._symbolic else None
        return Program(
            self._kernel, self._places.launch, root, tuple(self._places.assumptions), number, grid, block
        )  # fmt: skip

    def _launched(self) -> tuple[Strides, Strides]:
        """Grid and block; a block is counted in the threads that the source sees."""
        launch, sizes = self._kernel.launch, self._places.launch
        assert launch is not None
        threads = {
            loop.axis.direction: loop.stop
            for loop in loops(self._kernel.body)
            if loop.axis and loop.axis.part == "grid"
        }
        blocks = (threads[d] / size if d in threads else n for d, n, size in zip(DIRECTIONS, launch.grid, launch.block))
        return self._alike(blocks, sizes.grid), self._alike(launch.block, sizes.block)

    def _alike(self, exprs: Iterable[Expr], sizes: Triple) -> Strides:
        found = [self._number(expr) for expr in exprs]
        same = (a if value_of(a) == n else n for a, n in zip(found, sizes))
        return next(same), next(same), next(same)

    # -- the tree -------------------------------------------------------------------------------------
    def _scope(self, loop: SerialLoop | None, body: Body, state: _State) -> Scope:
        found = _Body()
        self._fill(found, body, state)
        return Scope(
            loop, tuple(found.items), executions=state.executions, operations=tuple(found.operations),
            barriers=found.barriers, tests=tuple(found.tests),
        )  # fmt: skip

    def _fill(self, found: _Body, body: Body, state: _State) -> None:
        here = self._executions(body, state)
        visit = self._visits.get(id(body))
        if visit is not None:
            state = replace(state, counted=self._number(self._counts.of(visit)))
        for node in body:
            if isinstance(node, Loop) and node.axis is not None and node.axis.part == "lane":
                found.items.append(self._tile(node, replace(state, executions=here)))
            elif isinstance(node, Loop):
                self._loop(found, node, replace(state, executions=here))
            elif isinstance(node, When):
                found.tests.append((sum(map(self._is_wide, node.conditions)), here))
                cut = self._guarded(state, node, here)
                self._fill(found, node.body, replace(cut, executions=here, known=dict(state.known)))
            elif isinstance(node, Branch):
                self._places.assumptions[f"line {node.line}: some lane of each warp takes the branch"] = None
                share = state.share * (self._number(node.share) or 1)
                tested = frozenset(loop.var for loop, _ in state.loops)
                inside = replace(
                    state, executions=here, share=share, sure=False, known=dict(state.known), tested=tested
                )
                self._fill(found, node.body, inside)
            elif isinstance(node, Barrier):
                found.barriers += 1
                state.known.clear()
            elif isinstance(node, Operation):
                found.operations.append((node, here * self._number(node.count)))
            else:
                self._access(found, node, state, here)

    def _loop(self, found: _Body, node: Loop, state: _State) -> None:
        trips = self._trips(node, state)
        entered = self._places.enter(node, Fraction(value_of(trips)))
        inside = self._executions(node.body, replace(state, executions=state.executions * trips))
        stops = any(isinstance(n, Barrier) for n in walk(node.body))
        stores = any(a.write and self._kernel.array(a.array).space == "global" for a in accesses(node.body))
        strided = isinstance(entered, CutAlong) and bool(entered.strided)
        by_data = bool((node.start.symbols | node.stop.symbols) & self._by_data)
        even = strided or (entered is True and self._places.vary_by_thread(node))  # each makes the mean of the trips
        uneven = node.total is not None or by_data or (self._places.vary(node) and not even)
        ended = bool((node.start.symbols | node.stop.symbols) & self._ends)
        written = node.var.partition(COPY)[0] in self._written
        serial = SerialLoop(node.var, trips, not stops, uneven, written, ended)
        if stops or stores:
            state.known.clear()
        cuts = _with_cut(state.guards, entered)
        known = {} if stops or stores else dict(state.known)
        around = (*state.loops, (serial, node))
        inner = replace(state, loops=around, guards=cuts, executions=inside, known=known)
        scope = self._scope(serial, node.body, inner)
        if not stops and not stores:
            scope, invariant = hoisted(scope, serial, state.executions)
            found.items.extend(invariant)
        found.items.append(replace(scope, entries=state.executions))

    def _guarded(self, state: _State, node: When, executions: Num) -> _State:
        guards, variables, among = state.guards, {loop.var for loop, _ in state.loops}, state.among
        inside = self._executions(node.body, replace(state, executions=0))
        for condition in node.conditions:
            cut = self._places.cut(condition)
            if cut is True and variables & condition.expr.symbols and value_of(inside) != value_of(executions):
                self._places.assumptions[f"line {node.line}: all iterations pass the condition equally often"] = None
            if self._is_not_counted(node, cut, condition, state):
                among *= self._places.drawn_share(condition)
            guards = _with_cut(guards, cut)
        told_apart = variables & {name for c in node.conditions for name in c.expr.symbols}
        sure = state.sure and among == state.among
        return replace(state, guards=guards, tested=state.tested | told_apart, among=among, sure=sure)

    def _is_wide(self, condition: Condition) -> bool:
        """Whether it compares places in the grid or sizes, not only threads of a block with each other."""
        return not condition.expr.symbols <= self._near

    def _is_not_counted(self, node: When, cut: Cut, condition: Condition, state: _State) -> bool:
        """Whether counting has taken a condition for one that always holds."""
        if cut is True or self._symbolic or not (cut is False or condition.expr.atoms):
            return False
        inside = next(self._counts_in(node.body), None)
        return inside is not None and value_of(inside) == value_of(state.counted)

    def _counts_in(self, body: Body) -> Iterator[Num]:
        """Of a body, or else of those in it."""
        visit = self._visits.get(id(body))
        if visit is not None:
            yield self._number(self._counts.of(visit))
        else:
            yield from (
                n for node in body if isinstance(node, (Loop, When, Branch)) for n in self._counts_in(node.body)
            )

    def _executions(self, body: Body, state: _State) -> Num:
        """Of a body by all threads; those of the state where it holds nothing itself and is not counted. A warp runs a
        branch for all of its lanes if one of them takes it."""
        visit = self._visits.get(id(body))
        if visit is None:
            return state.executions
        counted = self._number(self._counts.of(visit))
        found = counted if value_of(state.share) == 1 else _over(counted, state.share)
        most = state.executions if 0 < value_of(state.executions) < value_of(found) else found
        return found if state.among == 1 else most * state.among

    def _trips(self, loop: Loop, state: _State) -> Num:
        """The mean, where they differ from thread to thread or between iterations of loops around."""
        visit = self._visits.get(id(loop.body))
        if visit is not None and (loop.total is not None or self._places.vary(loop)):
            return _over(self._number(self._counts.of(visit)), state.executions * state.share)
        start, stop, step = (self._places.at_origin(e) for e in (loop.start, loop.stop, loop.step))
        if step.constant:
            return self._number(ceil_div(stop - start, step))
        return self._runs(stop - start, step)

    def _runs(self, length: Expr, step: Expr) -> Num:
        """The trips of a loop whose step is a size, such as that of the launch."""
        length, step = map(self._places.in_sizes, (length, step))
        found = max(0, ceil(length.evaluate(self._values) / step.evaluate(self._values)))
        return known(ceil_div(length, step), found) if found and self._symbolic else found

    def _number(self, expr: Expr) -> Num:
        expr = self._places.in_sizes(expr)
        value = Fraction(expr.evaluate(self._values))
        if not self._symbolic:
            return int(value) if value.denominator == 1 else value
        return known(expr, value)

    # -- references -----------------------------------------------------------------------------------
    def _access(self, found: _Body, node: Access, state: _State, executions: Num) -> None:
        if not executions and not self._symbolic:
            return
        array = self._kernel.array(node.array)
        if array.space == "local":
            if not self._in_registers(node, array, state):
                self._places.assumptions[f"line {node.line}: {array.owner} is assumed to stay in registers"] = None
            return
        address = _address(array, node)
        if node.write and not node.atomic:
            for other in [a for a in state.known if self._same_space(a[0], array)]:
                del state.known[other]
        elif address in state.known and not node.atomic:
            return
        if address is not None:
            state.known[address] = None
        found.items.append(self._reference(node, array, state, executions))

    def _in_registers(self, node: Access, array: Array, state: _State) -> bool:
        """Whether the source says which element it is, of an array that registers hold."""
        counted = {loop.var for loop, _ in state.loops if loop.constant}
        named = all(subscript is not None and subscript.symbols <= counted for subscript in node.index)
        return named and value_of(self._extent(array)) <= MOST_REGISTERS * REGISTER

    def _tile(self, node: Loop, state: _State) -> Reference:
        """The access to a tile."""
        around = tuple(chain_of((node,)))
        lanes, body = loops_of(around), around[-1].body
        [access] = [leaf for leaf in body if isinstance(leaf, Access)]
        trips = [self._number(lane.stop - lane.start) for lane in lanes]
        for lane, extent in zip(lanes, trips):
            self._places.enter(lane, Fraction(value_of(extent)))
        executions = self._executions(body, state)
        shares = [self._share(lane, lanes, conditions_of(around)) for lane in lanes]
        found = self._reference(access, self._kernel.array(access.array), state, executions, lanes)
        dims = found.loops[len(state.loops) :]
        tile = tuple((stride, loop.trips * share) for (loop, stride), share in zip(dims, shares))
        return replace(found, loops=found.loops[: len(state.loops)], tile=tile)

    def _share(self, lane: Loop, lanes: Sequence[Loop], masks: Sequence[Condition]) -> Fraction:
        """Of a dimension of a tile, what masks on it alone let through in all tiles alike."""
        others = {other.var for other in lanes} - {lane.var}
        own = [m for m in masks if lane.var in m.expr.symbols and others.isdisjoint(m.expr.symbols)]
        return self._places.share_of(lane, own)

    def _same_space(self, memory: str, array: Array) -> bool:
        other = self._kernel.array_named.get(memory)
        return other is None or other.space == array.space

    def _reference(
        self, node: Access, array: Array, state: _State, executions: Num, lanes: Sequence[Loop] = ()
    ) -> Reference:
        steps, scattered = self._steps.of(node, array, [*(loop for _, loop in state.loops), *lanes], state.guards)
        around = [s for s, _ in state.loops]
        around += [SerialLoop(lane.var, self._number(lane.stop - lane.start), False) for lane in lanes]
        loops = tuple((s, self._number(stride)) for s, stride in zip(around, steps.loops))
        extent = self._extent(array)
        if len(array.shape) == 1 and 0 < steps.period < value_of(extent):
            extent = steps.period
        return Reference(
            node, array, steps.base, self._triple(steps.thread), self._triple(steps.block), loops,
            state.guards, executions, scattered, extent, lanes=steps.lanes, sure=state.sure,
            period=steps.period, first=self._firsts.get(id(node), ALWAYS), tested=state.tested,
            origin=self._origin(steps),
        )  # fmt: skip

    def _origin(self, steps: Steps) -> Num:
        return self._number(steps.origin) if value_of(self._number(steps.origin)) == steps.base else steps.base

    def _extent(self, array: Array) -> Num:
        if array.name not in self._extents:
            size = array.record.size if array.record else array.dtype.size
            count = Expr.of(size)
            for extent in array.shape:
                count = count * extent
            self._extents[array.name] = self._number(count)
        return self._extents[array.name]

    def _triple(self, strides: tuple[Expr, Expr, Expr]) -> Strides:
        return (self._number(strides[0]), self._number(strides[1]), self._number(strides[2]))


def _address(array: Array, node: Access) -> Address | None:
    """None where the source does not say whether another access has the same."""
    if any(e is None and (rest is None or rest.element is None) for e, rest in zip_longest(node.index, node.rests)):
        return None
    return array.memory, node.index, () if node.regular else tuple(r and (r.element, r.expr) for r in node.rests)


def chain_of(body: Body) -> Iterator[Block]:
    """The blocks that hold one another, each alone."""
    while len(body) == 1 and isinstance(body[0], (Loop, When, Branch)):
        yield body[0]
        body = body[0].body


@dataclass
class _Body:
    items: list[Reference | Scope] = field(default_factory=list)
    operations: list[tuple[Operation, Num]] = field(default_factory=list)
    barriers: int = 0
    tests: list[tuple[int, Num]] = field(default_factory=list)


def _over(a: Num, b: Num) -> Num:
    if isinstance(a, SampledExpr) or isinstance(b, SampledExpr):
        return a / b
    return Fraction(a) / Fraction(b)


def _with_cut(guards: Guards, found: Cut) -> Guards:
    if isinstance(found, bool):
        return guards if found else replace(guards, separable=False)
    if isinstance(found, tuple):
        return guards.among(found)
    cuts, strided = [*guards.cuts], [*guards.strided]
    cuts[found.axis] = (*cuts[found.axis], found.cut)
    strided[found.axis] = found.strided or strided[found.axis]
    return replace(guards, cuts=(cuts[0], cuts[1], cuts[2]), strided=(strided[0], strided[1], strided[2]))
