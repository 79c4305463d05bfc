"""Reads the program of a kernel's threads. Compilers read a loop's invariants once, and a known address once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from math import prod

from roofscan.cost.memory.gpu.device import Triple
from roofscan.cost.memory.gpu.programs.common_stores import with_common_stores
from roofscan.cost.memory.gpu.programs.executions import Executions, PlaceState, address_of, with_cut
from roofscan.cost.memory.gpu.programs.program import Program, Reference, Scope, SerialLoop, Strides, hoisted
from roofscan.cost.memory.gpu.programs.reads_first import reads_first
from roofscan.cost.memory.gpu.programs.references import References
from roofscan.cost.memory.gpu.threads.loop_parts import with_iterations_apart
from roofscan.cost.memory.gpu.threads.places import Cut, CutAlong, ThreadPlaces
from roofscan.cost.memory.lru.tree.sampled_expr import Num, value_of
from roofscan.cost.memory.lru.tree.unroll import COPY
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import DIRECTIONS
from roofscan.ir.tree import Access, Barrier, Body, Branch, Loop, Operation, When
from roofscan.ir.visitor import accesses, loops, walk
from roofscan.symbolic.expr import Expr, Number


def read_program(kernel: Kernel, values: Mapping[str, Number], symbolic: bool) -> Program:
    """``values`` gives every symbol a number; ``symbolic``: keep expressions beside the numbers. NotEvaluable where the
    launch has none."""
    return _Reader(kernel, values, symbolic).program()


class _Reader:
    def __init__(self, kernel: Kernel, values: Mapping[str, Number], symbolic: bool) -> None:
        every = list(loops(kernel.body))
        kernel = with_iterations_apart(kernel, values, symbolic)
        kernel = replace(kernel, body=with_common_stores(kernel.body))
        constant = {loop.var for loop in every if (loop.stop - loop.start).constant is not None}
        self._written = constant - kernel.bound_loops
        self._kernel = kernel
        self._symbolic = symbolic
        self._near = {loop.var for loop in every if loop.axis is None or loop.axis.part == "thread"}
        self._places = ThreadPlaces(kernel, values, symbolic)
        self._executions = Executions(kernel, values, self._places, symbolic)
        launch = self._places.launch
        firsts = reads_first(kernel, values, launch.grid, launch.block)
        self._references = References(kernel, self._places, self._executions, firsts)
        self._by_data = {s.name for s in kernel.symbols if s.kind in ("trips", "total", "length")}
        self._ends = {s.name for s in kernel.symbols if s.kind == "trips"}

    def program(self) -> Program:
        body, state = self._kernel.body, PlaceState()
        while len(body) == 1 and isinstance(body[0], Loop) and body[0].axis is not None:
            body = body[0].body
        grid, block = self._launched()
        state.executions = state.counted = prod((*grid, *block), start=1)
        state.executions = self._executions.of(body, state)
        root = self._scope(None, body, state)
        number = self._executions.number if self._symbolic else None
        return Program(self._kernel, self._places.launch, root, tuple(self._places.assumptions), number, grid, block)

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
        found = [self._executions.number(expr) for expr in exprs]
        same = (a if value_of(a) == n else n for a, n in zip(found, sizes))
        return next(same), next(same), next(same)

    # -- the tree -------------------------------------------------------------------------------------
    def _scope(self, loop: SerialLoop | None, body: Body, state: PlaceState) -> Scope:
        found = _Body()
        self._fill(found, body, state)
        return Scope(
            loop, tuple(found.items), executions=state.executions, operations=tuple(found.operations),
            barriers=found.barriers, tests=tuple(found.tests),
        )  # fmt: skip

    def _fill(self, found: _Body, body: Body, state: PlaceState) -> None:
        here = self._executions.of(body, state)
        counted = self._executions.counted(body)
        if counted is not None:
            state = replace(state, counted=counted)
        for node in body:
            if isinstance(node, Loop) and node.axis is not None and node.axis.part == "lane":
                found.items.append(self._references.tile(node, replace(state, executions=here)))
            elif isinstance(node, Loop):
                self._loop(found, node, replace(state, executions=here))
            elif isinstance(node, When):
                found.tests.append((sum(map(self._is_wide, node.conditions)), here))
                cut = self._guarded(state, node, here)
                self._fill(found, node.body, replace(cut, executions=here, known=dict(state.known)))
            elif isinstance(node, Branch):
                self._places.assumptions[f"line {node.line}: some lane of each warp takes the branch"] = None
                share = state.share * (self._executions.number(node.share) or 1)
                tested = frozenset(loop.var for loop, _ in state.loops)
                inside = replace(
                    state, executions=here, share=share, sure=False, known=dict(state.known), tested=tested
                )
                self._fill(found, node.body, inside)
            elif isinstance(node, Barrier):
                found.barriers += 1
                state.known.clear()
            elif isinstance(node, Operation):
                found.operations.append((node, here * self._executions.number(node.count)))
            else:
                self._access(found, node, state, here)

    def _loop(self, found: _Body, node: Loop, state: PlaceState) -> None:
        trips = self._executions.trips(node, state)
        entered = self._places.enter(node, Fraction(value_of(trips)))
        inside = self._executions.of(node.body, replace(state, executions=state.executions * trips))
        stops = any(isinstance(n, Barrier) for n in walk(node.body))
        stores = any(a.write and self._kernel.array(a.array).space == "global" for a in accesses(node.body))
        strided = isinstance(entered, CutAlong) and bool(entered.strided)
        by_data = bool((node.start.symbols | node.stop.symbols) & self._by_data)
        even = strided or (entered is True and self._places.vary_by_thread(node))  # each makes the mean of the trips
        uneven = node.total is not None or by_data or (self._places.vary(node) and not even)
        ended = bool((node.start.symbols | node.stop.symbols) & self._ends)
        written = node.var.partition(COPY)[0] in self._written
        serial = SerialLoop(node.var, trips, not stops and not stores, uneven, written, ended)
        if stops or stores:
            state.known.clear()
        cuts = with_cut(state.guards, entered)
        known = {} if stops or stores else dict(state.known)
        around = (*state.loops, (serial, node))
        inner = replace(state, loops=around, guards=cuts, executions=inside, known=known)
        scope = self._scope(serial, node.body, inner)
        if not stops and not stores:
            scope, invariant = hoisted(scope, serial, state.executions)
            found.items.extend(invariant)
        found.items.append(replace(scope, entries=state.executions))

    def _guarded(self, state: PlaceState, node: When, executions: Num) -> PlaceState:
        guards, variables, among = state.guards, {loop.var for loop, _ in state.loops}, state.among
        inside = self._executions.of(node.body, replace(state, executions=0))
        for condition in node.conditions:
            cut = self._places.cut(condition)
            if cut is True and variables & condition.expr.symbols and value_of(inside) != value_of(executions):
                self._places.assumptions[f"line {node.line}: all iterations pass the condition equally often"] = None
            if self._is_not_counted(node, cut, condition, state):
                among *= self._places.drawn_share(condition)
            guards = with_cut(guards, cut)
        told_apart = variables & {name for c in node.conditions for name in c.expr.symbols}
        sure = state.sure and among == state.among
        return replace(state, guards=guards, tested=state.tested | told_apart, among=among, sure=sure)

    def _is_wide(self, condition: Condition) -> bool:
        """Whether it compares places in the grid or sizes, not only threads of a block with each other."""
        return not condition.expr.symbols <= self._near

    def _is_not_counted(self, node: When, cut: Cut, condition: Condition, state: PlaceState) -> bool:
        """Whether counting has taken a condition for one that always holds."""
        if cut is True or self._symbolic or not (cut is False or condition.expr.atoms):
            return False
        inside = next(self._executions.counted_in(node.body), None)
        return inside is not None and value_of(inside) == value_of(state.counted)

    # -- references -----------------------------------------------------------------------------------
    def _access(self, found: _Body, node: Access, state: PlaceState, executions: Num) -> None:
        if not executions and not self._symbolic:
            return
        array = self._kernel.array(node.array)
        if array.space == "local":
            if not self._references.in_registers(node, array, state):
                self._places.assumptions[f"line {node.line}: {array.owner} is assumed to stay in registers"] = None
            return
        address = address_of(array, node)
        if node.write:
            for other in [a for a in state.known if self._same_space(a[0], array)]:
                del state.known[other]
        elif address in state.known and not node.atomic:
            return
        if address is not None and not node.atomic:
            state.known[address] = None
        found.items.append(self._references.of(node, array, state, executions))

    def _same_space(self, memory: str, array: Array) -> bool:
        other = self._kernel.array_named.get(memory)
        return other is None or other.space == array.space


@dataclass
class _Body:
    items: list[Reference | Scope] = field(default_factory=list)
    operations: list[tuple[Operation, Num]] = field(default_factory=list)
    barriers: int = 0
    tests: list[tuple[int, Num]] = field(default_factory=list)
