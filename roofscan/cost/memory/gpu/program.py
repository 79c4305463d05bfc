"""What a kernel's threads do, as the model reads it: references with their strides by thread, block and loop, in the
tree of the loops of one thread. Compilers read a loop's invariants once, and an address that is known once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import zip_longest
from math import ceil, prod

from roofscan.cost.counts import ExecutionCounts
from roofscan.cost.memory.gpu.device import LaunchSizes, Triple
from roofscan.cost.memory.gpu.domain import NO_GUARDS, Guards
from roofscan.cost.memory.gpu.lanes import LaneOffsets
from roofscan.cost.memory.gpu.loop_parts import in_parts
from roofscan.cost.memory.gpu.places import Cut, CutAlong, ThreadPlaces, element_offset
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, known, value_of
from roofscan.cost.memory.lru.tree.unroll import COPY, known_values, unrolled
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Access, Array, Barrier, Block, Body, Branch, Condition, Kernel, Loop, Operation, When
from roofscan.ir.launch import DIRECTIONS, MOST_REGISTERS
from roofscan.ir.visitor import accesses, conditions_of, loops, loops_of, walk
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import Expr, Number, ceil_div

FEW_ITERATIONS = 16
TOGETHER = 64  # bytes that are fetched together
REGISTER = 4  # bytes
Strides = tuple[Num, Num, Num]


@dataclass(frozen=True)
class SerialLoop:
    """A loop of each thread. ``uneven``: its trips are a mean over threads."""

    var: str
    trips: Num
    unrolled: bool  # whether compiled code merges iterations
    uneven: bool = False
    constant: bool = False  # its length is a number of the source


@dataclass(frozen=True)
class Reference:
    """One access by every active thread. Strides are in bytes; ``loops`` are those of a thread around it."""

    access: Access
    array: Array
    base: int
    thread: Strides
    block: Strides
    loops: tuple[tuple[SerialLoop, Num], ...]
    guards: Guards
    executions: Num  # by all threads
    scattered: bool  # its address depends on data
    extent: Num  # bytes of the array
    tile: tuple[tuple[Num, Num], ...] = ()  # the stride and the extent of each dimension of a tile
    lanes: LaneOffsets | None = None  # of the threads of a block, where they have no strides

    @property
    def elements(self) -> float:
        """Of the tile."""
        return prod(value_of(extent) for _, extent in self.tile)

    def moves_with(self, loop: SerialLoop) -> bool:
        by_lanes = self.lanes is not None and loop.var in self.lanes.loops
        return by_lanes or any(value_of(stride) for one, stride in self.loops if one.var == loop.var)

    @property
    def size(self) -> int:
        return self.array.dtype.size

    @property
    def name(self) -> str:
        return self.array.owner

    @property
    def write(self) -> bool:
        return self.access.write


@dataclass(frozen=True)
class Scope:
    """The body of a loop, or of the kernel, in order."""

    loop: SerialLoop | None
    items: tuple[Reference | Scope, ...]
    entries: Num = 1  # how often all threads together begin it
    executions: Num = 1  # of its body, by all threads
    operations: tuple[tuple[Operation, Num], ...] = ()  # in the body itself, with their executions
    barriers: int = 0
    is_chain: bool = False  # each iteration waits for the one before

    @property
    def references(self) -> Iterator[Reference]:
        for item in self.items:
            if isinstance(item, Reference):
                yield item
            else:
                yield from item.references

    @property
    def scopes(self) -> Iterator[Scope]:
        yield self
        for item in self.items:
            if isinstance(item, Scope):
                yield from item.scopes


@dataclass(frozen=True)
class Program:
    kernel: Kernel
    launch: LaunchSizes
    root: Scope
    assumptions: tuple[str, ...] = ()
    number: Callable[[Expr], Num] | None = None  # of an expression, where sizes are free
    grid: Strides = (1, 1, 1)  # the launch, in the sizes where these are free
    block: Strides = (1, 1, 1)

    def in_sizes(self, expr: Expr) -> Num:
        assert self.number is not None
        return self.number(expr)

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(self.root.references)

    @property
    def is_affine(self) -> bool:
        """Whether all addresses and all active threads are known, for sizes that are bound."""
        return self.number is None and not self.unknown and not any(r.tile for r in self.references)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """Why the requests of warps are an estimate, for sizes that are bound."""
        parts: dict[object, Reference] = {}
        firsts = (
            (parts.setdefault((r.write, r.name, r.access.line, r.access.column, r.access.index), r), r)
            for r in self.references
        )
        apart = (
            f"line {r.access.line}: lanes that take different parts of a condition are counted apart"
            for first, r in firsts
            if first.access.id != r.access.id and first.guards != r.guards
        )
        return tuple(
            dict.fromkeys((*self.assumptions, *(text for r in self.references for text in _doubts(r)), *apart))
        )

    @cached_property
    def on_global(self) -> Scope:
        """The accesses to global memory alone."""
        return _only(self.root, lambda r: r.array.space == "global")

    @cached_property
    def through_l1(self) -> Scope:
        """Those that ask the first cache: the second one makes atomic updates."""
        return _only(self.on_global, lambda r: not r.access.atomic)


def each_draw(references: Iterable[Reference]) -> list[Reference]:
    """The references without those that touch what is drawn with another: ``x[j, 0]``, ``x[j, 1]`` with a random j."""
    found: dict[object, Reference] = {}
    for r in references:
        rests = [rest and rest.element for index, rest in zip_longest(r.access.index, r.access.rests) if index is None]
        apart = not r.scattered or r.tile or None in rests
        known = element_offset(r.access, r.array).constant if not apart else None
        place = None if known is None else known * r.size // TOGETHER
        found.setdefault(id(r) if place is None else (r.name, r.write, *rests, place, r.executions), r)
    return list(found.values())


def expr_of(size: Num) -> Expr:
    """Of a launch."""
    return (
        size.left
        if isinstance(size, SampledExpr) and isinstance(size.left, Expr)
        else Expr.of(Fraction(value_of(size)))
    )


def read_program(kernel: Kernel, values: Mapping[str, Number], symbolic: bool) -> Program:
    """``values`` gives every symbol a number; ``symbolic``: keep expressions beside the numbers. NotEvaluable where the
    launch has none."""
    return _Reader(kernel, values, symbolic).program()


def _doubts(reference: Reference) -> Iterator[str]:
    where = f"line {reference.access.line}: "
    if reference.access.atomic:
        yield f"{where}atomic updates of {reference.name} pass by the first cache"
    if not reference.guards.separable:
        yield f"{where}which threads are active is a share of them"
    if any(loop.uneven for loop, _ in reference.loops):
        yield f"{where}the trips of a loop are a mean over threads"


Address = tuple[str, tuple[Expr | None, ...], tuple[object, ...]]


@dataclass
class _State:
    """What holds at a place of the body."""

    loops: tuple[tuple[SerialLoop, Loop], ...] = ()
    guards: Guards = NO_GUARDS
    executions: Num = 0
    share: Num = 1  # of the lanes that take the branches on data around it
    known: dict[Address, None] = field(default_factory=dict)  # addresses whose value is in a register


class _Reader:
    def __init__(self, kernel: Kernel, values: Mapping[str, Number], symbolic: bool) -> None:
        one_by_one = kernel.decorator.kind != "triton"  # masks of a program cut its last iteration alone
        every = list(loops(kernel.body))
        places = {loop.var for loop in every if loop.axis is not None and one_by_one}
        kernel = replace(
            kernel, body=unrolled(kernel.body, values, partial(_guards_by, places, {} if symbolic else values))
        )
        kernel = kernel if symbolic or not one_by_one else in_parts(kernel, values)
        constant = {loop.var for loop in every if (loop.stop - loop.start).constant is not None}
        self._written = constant - kernel.bound_loops
        self._kernel = kernel
        self._symbolic = symbolic
        self._values = values
        self._places = ThreadPlaces(kernel, values, symbolic)
        chamber = Chamber(values, kernel.least_values)
        counts = ExecutionCounts(kernel, chamber)
        self._visits = {id(visit.body): visit for visit in counts.visits}
        self._counts = counts
        self._by_data = {s.name for s in kernel.symbols if s.kind in ("trips", "total", "length")}
        self._extents: dict[str, Num] = {}

    def program(self) -> Program:
        body, state = self._kernel.body, _State()
        while len(body) == 1 and isinstance(body[0], Loop) and body[0].axis is not None:
            body = body[0].body
        grid, block = self._launched()
        state.executions = prod((*grid, *block), start=1)
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
            barriers=found.barriers,
        )  # fmt: skip

    def _fill(self, found: _Body, body: Body, state: _State) -> None:
        here = self._executions(body, state)
        for node in body:
            if isinstance(node, Loop) and node.axis is not None and node.axis.part == "lane":
                found.items.append(self._tile(node, replace(state, executions=here)))
            elif isinstance(node, Loop):
                self._loop(found, node, replace(state, executions=here))
            elif isinstance(node, When):
                cut = self._guarded(state, node, here)
                self._fill(found, node.body, replace(cut, executions=here, known=dict(state.known)))
            elif isinstance(node, Branch):
                self._places.assumptions[f"line {node.line}: some lane of each warp takes the branch"] = None
                share = state.share * (self._number(node.share) or 1)
                self._fill(found, node.body, replace(state, executions=here, share=share, known=dict(state.known)))
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
        serial = SerialLoop(node.var, trips, not stops, uneven, node.var.partition(COPY)[0] in self._written)
        if stops or stores:
            state.known.clear()
        cuts = _with_cut(state.guards, entered)
        inner = _State(
            (*state.loops, (serial, node)), cuts, inside, state.share, {} if stops or stores else dict(state.known)
        )
        scope = self._scope(serial, node.body, inner)
        if not stops and not stores:
            scope, invariant = _hoisted(scope, serial, state.executions)
            found.items.extend(invariant)
        found.items.append(replace(scope, entries=state.executions, is_chain=bool(node.carried)))

    def _guarded(self, state: _State, node: When, executions: Num) -> _State:
        guards, variables = state.guards, {loop.var for loop, _ in state.loops}
        inside = self._executions(node.body, replace(state, executions=0))
        for condition in node.conditions:
            cut = self._places.cut(condition)
            if cut is True and variables & condition.expr.symbols and value_of(inside) != value_of(executions):
                self._places.assumptions[f"line {node.line}: all iterations alike pass the condition"] = None
            guards = _with_cut(guards, cut)
        return replace(state, guards=guards)

    def _executions(self, body: Body, state: _State) -> Num:
        """Of a body by all threads; those of the state where it holds nothing itself and is not counted. A warp runs a
        branch for all of its lanes if one of them takes it."""
        visit = self._visits.get(id(body))
        if visit is None:
            return state.executions
        counted = self._number(self._counts.of(visit))
        return counted if value_of(state.share) == 1 else _over(counted, state.share)

    def _trips(self, loop: Loop, state: _State) -> Num:
        """The mean, where they differ from thread to thread or between iterations of loops around."""
        visit = self._visits.get(id(loop.body))
        if visit is not None and (loop.total is not None or self._places.vary(loop)):
            return _over(self._number(self._counts.of(visit)), state.executions * state.share)
        start, stop, step = (self._places.at_origin(e) for e in (loop.start, loop.stop, loop.step))
        return self._number(ceil_div(stop - start, step)) if step.constant else self._quotient(stop - start, step)

    def _quotient(self, length: Expr, step: Expr) -> Num:
        number = length.evaluate(self._values) / step.evaluate(self._values)
        return max(0, ceil(number))

    def _number(self, expr: Expr) -> Num:
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
                self._places.assumptions[f"line {node.line}: {array.owner} is taken to lie in registers"] = None
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
        steps, scattered = self._places.strides(node, array, [*(loop for _, loop in state.loops), *lanes], state.guards)
        around = [s for s, _ in state.loops]
        around += [SerialLoop(lane.var, self._number(lane.stop - lane.start), False) for lane in lanes]
        loops = tuple((s, self._number(stride)) for s, stride in zip(around, steps.loops))
        return Reference(
            node, array, steps.base, self._triple(steps.thread), self._triple(steps.block), loops,
            state.guards, executions, scattered, self._extent(array), lanes=steps.lanes,
        )  # fmt: skip

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


def _guards_by(places: Set[str], values: Mapping[str, Number], loop: Loop) -> Sequence[int]:
    """The values of the variable of a loop of which each of a few iterations lets other threads pass a condition."""
    found = known_values(loop, values) if loop.axis is None else ()
    if len(found) > FEW_ITERATIONS:
        return ()
    tests = (c.expr.symbols for node in walk(loop.body) if isinstance(node, When) for c in node.conditions)
    return found if any(loop.var in symbols and not symbols.isdisjoint(places) for symbols in tests) else ()


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


def _only(scope: Scope, meant: Callable[[Reference], bool]) -> Scope:
    inner = ((_only(i, meant) if isinstance(i, Scope) else i) for i in scope.items)
    kept = (i for i in inner if (i.items if isinstance(i, Scope) else meant(i)))
    return replace(scope, items=tuple(kept))


def _hoisted(scope: Scope, loop: SerialLoop, executions: Num) -> tuple[Scope, list[Reference]]:
    """A scope without the reads that its loop does not move, and those."""
    kept: list[Reference | Scope] = []
    moved: list[Reference] = []
    for item in scope.items:
        if isinstance(item, Reference) and not item.write and not item.scattered and not item.moves_with(loop):
            outer = tuple((one, s) for one, s in item.loops if one.var != loop.var)
            moved.append(replace(item, loops=outer, executions=executions))
        else:
            kept.append(item)
    return replace(scope, items=tuple(kept)), moved
