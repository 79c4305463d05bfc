"""What a kernel's threads do, as the model reads it: references with their strides by thread, block and loop, in the
tree of the loops of one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from math import prod

from roofscan.cost.memory.gpu.device import LaunchSizes
from roofscan.cost.memory.gpu.place_expressions import element_offset
from roofscan.cost.memory.gpu.programs.reads_first import ALWAYS, ReadsFirst
from roofscan.cost.memory.gpu.threads.domain import Guards
from roofscan.cost.memory.gpu.threads.lanes import LaneOffsets
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, value_of
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Operation
from roofscan.symbolic.expr import Expr

TOGETHER = 64  # bytes that are fetched together
UNROLLED_AWAY = 64  # iterations of a loop of constant length that leave no loop
Strides = tuple[Num, Num, Num]


@dataclass(frozen=True)
class SerialLoop:
    """A loop of each thread. ``uneven``: its trips are a mean over threads."""

    var: str
    trips: Num
    unrolled: bool  # whether compiled code merges iterations
    uneven: bool = False
    constant: bool = False  # its length is a number of the source
    ended_by_data: bool = False  # they may end it after any iteration

    @property
    def is_gone(self) -> bool:
        """Whether compiled code has no such loop."""
        return self.constant and value_of(self.trips) <= UNROLLED_AWAY


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
    sure: bool = True  # whether no branch on data may leave it out
    period: int = 0  # bytes after which its places begin anew, though its steps go on; 0: they do not
    first: ReadsFirst = ALWAYS  # of a read: whether it touches its elements before the writes do
    tested: frozenset[str] = frozenset()  # the loops whose iterations the conditions around it tell apart
    origin: Num = 0  # the base, in the sizes where these are free

    @property
    def elements(self) -> float:
        """Of the tile."""
        return prod(value_of(extent) for _, extent in self.tile)

    def is_read_alike(self, loop: SerialLoop) -> bool:
        """Whether all iterations of a loop around it read the same: compilers then read it once, before. What only
        some iterations read they leave where it is, since it may lie outside of the array."""
        return not (self.write or self.scattered or loop.var in self.tested or self.moves_with(loop))

    def moves_with(self, loop: SerialLoop) -> bool:
        by_lanes = self.lanes is not None and loop.var in self.lanes.loops
        return by_lanes or any(value_of(stride) for one, stride in self.loops if one.var == loop.var)

    def at_first(self, loops: Mapping[str, Num]) -> Reference:
        """In the iterations in which it touches elements first, where all of those loops run to their ends."""
        only = dict(self.first.only)
        if not only or not all(loop.var in loops and loops[loop.var] >= loop.trips for loop, _ in self.loops):
            return self
        shift = sum((stride * only[loop.var] for loop, stride in self.loops if only.get(loop.var)), start=self.origin)
        kept = tuple((loop, stride) for loop, stride in self.loops if loop.var not in only)
        return replace(self, base=round(value_of(shift)), origin=shift, loops=kept)

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
    tests: tuple[tuple[int, Num], ...] = ()  # in the body itself: wide comparisons of each, and its executions

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

    @cached_property
    def global_references(self) -> tuple[Reference, ...]:
        return tuple(r for r in self.references if r.array.space == "global")

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
            f"line {r.access.line}: lanes that take different branches of a condition are counted separately"
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


def _doubts(reference: Reference) -> Iterator[str]:
    where = f"line {reference.access.line}: "
    if reference.access.atomic:
        yield f"{where}atomic updates of {reference.name} bypass L1"
    if reference.array.dtype.kind == "complex" and not reference.tile:
        yield f"{where}the two parts of a complex number are requested separately where both are used"
    if not reference.guards.separable:
        yield f"{where}only the share of active threads is known"
    if any(loop.uneven for loop, _ in reference.loops):
        yield f"{where}the trip count of a loop is a mean over threads"


def _only(scope: Scope, meant: Callable[[Reference], bool]) -> Scope:
    inner = ((_only(i, meant) if isinstance(i, Scope) else i) for i in scope.items)
    kept = (i for i in inner if (i.items if isinstance(i, Scope) else meant(i)))
    return replace(scope, items=tuple(kept))


def hoisted(scope: Scope, loop: SerialLoop, executions: Num) -> tuple[Scope, list[Reference | Scope]]:
    """A scope without the reads that its loop does not move, and those, also in loops unrolled away with it."""
    kept: list[Reference | Scope] = []
    moved: list[Reference | Scope] = []
    for item in scope.items:
        if isinstance(item, Scope) and loop.is_gone and item.loop is not None and item.loop.is_gone:
            inner, invariant = hoisted(item, loop, _once(item.executions, loop))
            kept.append(inner)
            if invariant:
                moved.append(replace(item, items=tuple(invariant), operations=(), tests=()))
        elif isinstance(item, Reference) and item.is_read_alike(loop):
            outer = tuple((one, s) for one, s in item.loops if one.var != loop.var)
            sure = item.sure and not loop.uneven  # else some threads may have no iteration
            all_ = value_of(item.executions) == value_of(scope.executions)  # else a condition stands around it
            times = executions if all_ else _once(item.executions, loop)
            moved.append(replace(item, loops=outer, executions=times, sure=sure))
        else:
            kept.append(item)
    return replace(scope, items=tuple(kept)), moved


def _once(executions: Num, loop: SerialLoop) -> Num:
    """Of a body, for all iterations of the loop together."""
    trips = loop.trips if isinstance(loop.trips, SampledExpr) else Fraction(loop.trips)
    return executions / trips if trips else executions
