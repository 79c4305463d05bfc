"""Who touches an element first: what a thread, or its block before a barrier, has written is not loaded to be read. A
block is followed step by step through the accesses to the arrays that the kernel both reads and writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import field
from itertools import product
from math import floor

from roofscan.budget import Budget, BudgetExceeded
from roofscan.cost.memory.gpu.device import Triple
from roofscan.cost.memory.gpu.place_expressions import element_offset
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import DIRECTIONS
from roofscan.ir.tree import Access, Barrier, Body, Branch, Loop, Operation, When
from roofscan.ir.visitor import accesses, loops, walk
from roofscan.symbolic.expr import Expr, NotEvaluable, Number

MOST_TOUCHES = 3000  # of all threads that are followed
MOST_TRIPS = (0, 5, 2)  # of each loop, from one try to the next; 0: all of them
Place = tuple[tuple[str, int], ...]  # the iteration of each loop around


@dataclass(frozen=True)
class ReadsFirst:
    """Of the reads of an access. ``some``: one of them touches its element first. ``sure``: all do, or those in the
    iterations ``only`` of loops. ``after``: where none does, the accesses, by their ``id``, that wrote before."""

    some: bool = True
    sure: bool = True
    only: tuple[tuple[str, int], ...] = ()
    after: frozenset[int] = frozenset()


ALWAYS = ReadsFirst()


def reads_first(kernel: Kernel, values: Mapping[str, Number], grid: Triple, block: Triple) -> Mapping[int, ReadsFirst]:
    """By the ``id()`` of reads; others touch all of their elements first."""
    mixed = _read_and_written(kernel)
    if not mixed or any(loop.axis is not None and loop.axis.part == "lane" for loop in loops(kernel.body)):
        return {}
    waits = any(isinstance(node, Barrier) for node in walk(kernel.body))
    threads = [*product(*map(range, block[::-1]))] if waits else [tuple(n // 2 for n in block[::-1])]
    apart = _certainly_fresh(kernel, mixed)
    reads = (a for a in accesses(kernel.body) if a.array in mixed and not a.write)
    unseen = {id(read): ReadsFirst(True, id(read) in apart) for read in reads}
    for most in MOST_TRIPS:
        followed = _Followed(kernel, mixed, values, most)
        if followed.run([_start(kernel, values, grid, block, thread[::-1]) for thread in threads]):
            return {**unseen, **followed.firsts(apart, whole=not most)}
    return unseen


def _read_and_written(kernel: Kernel) -> frozenset[str]:
    """Arrays in global memory, by name."""
    spaces = {a.name: a.space for a in kernel.arrays}
    found: dict[bool, set[str]] = {False: set(), True: set()}
    for access in accesses(kernel.body):
        if spaces.get(access.array, "global") == "global" and not access.atomic:
            found[access.write].add(kernel.array(access.array).owner)
    both = found[False] & found[True]
    return frozenset(a.name for a in kernel.arrays if a.owner in both)


def _certainly_fresh(kernel: Kernel, arrays: frozenset[str]) -> frozenset[int]:
    """The reads that come before all writes to their array, which are all of the same element."""
    order = [(a, kernel.array(a.array).owner) for a in accesses(kernel.body) if a.array in arrays]
    found = set()
    for at, (access, owner) in enumerate(order):
        writes = [(k, other) for k, (other, own) in enumerate(order) if other.write and own == owner]
        same = all((o.regular, o.array, o.index) == (True, access.array, access.index) for _, o in writes)
        if not access.write and access.regular and same and all(k > at for k, _ in writes):
            found.add(id(access))
    return frozenset(found)


def _start(
    kernel: Kernel, values: Mapping[str, Number], grid: Triple, block: Triple, thread: tuple[int, ...]
) -> dict[str, Number]:
    """Where a thread of the middle block is: of two the first, which is whole."""
    where = dict(values)
    for loop in loops(kernel.body):
        if loop.axis is not None:
            k = DIRECTIONS.index(loop.axis.direction)
            at = (grid[k] - 1) // 2
            where[loop.var] = {"grid": at * block[k] + thread[k], "block": at}.get(loop.axis.part, thread[k])
    return where


@dataclass
class _Reads:
    """What an access has read so far, and which of that nothing had touched before."""

    elements: dict[object, list[Place]] = field(default_factory=lambda: defaultdict(list))
    first: dict[object, list[Place]] = field(default_factory=lambda: defaultdict(list))
    after: set[int] = field(default_factory=set)


class _Followed:
    """``most``: iterations of a loop that are looked at; 0: all."""

    def __init__(self, kernel: Kernel, arrays: frozenset[str], values: Mapping[str, Number], most: int) -> None:
        self._kernel = kernel
        self._arrays = arrays
        self._most = most
        self._budget = Budget(MOST_TOUCHES)
        self._written: dict[object, bool] = {}  # whether the first touch of an element was a write
        self._writers: dict[object, set[int]] = defaultdict(set)
        self._reads: MutableMapping[int, _Reads] = defaultdict(_Reads)
        self._offsets: dict[int, Expr | None] = {}
        self._cut = False

    def run(self, threads: list[dict[str, Number]]) -> bool:
        """Whether that is not too much to follow. Threads wait for each other at barriers."""
        running = [self._body(self._kernel.body, where, ()) for where in threads]
        try:
            while running:
                running = [thread for thread in running if next(thread, None) is not None]
        except BudgetExceeded as stop:
            if stop.budget is not self._budget:
                raise
            return False
        except (NotEvaluable, ArithmeticError):
            return False
        return True

    def firsts(self, apart: frozenset[int], *, whole: bool) -> Mapping[int, ReadsFirst]:
        return {key: self._of(reads, (whole and not self._cut) or key in apart) for key, reads in self._reads.items()}

    def _of(self, reads: _Reads, known: bool) -> ReadsFirst:
        fresh = {e for e in reads.elements if not self._written[e]}
        if len(fresh) == len(reads.elements):
            return ReadsFirst(True, known)
        if not fresh:
            return ReadsFirst(False, known, after=frozenset(reads.after))
        at = [place for e in fresh for place in reads.first[e]]
        iterations = [{place[k] for place in at} for k in range(len(at[0]))] if at else []
        only = dict(next(iter(iteration)) for iteration in iterations if len(iteration) == 1)
        inside = {e for e, places in reads.elements.items() for p in places if only.items() <= dict(p).items()}
        return ReadsFirst(True, known and inside == fresh, tuple(only.items()) if inside == fresh else ())

    # -- one thread -----------------------------------------------------------------------------------
    def _body(self, body: Body, where: dict[str, Number], iterations: Place) -> Iterator[bool]:
        for node in body:
            if isinstance(node, Loop):
                yield from self._loop(node, where, iterations)
            elif isinstance(node, When):
                if all(c.holds(c.expr.evaluate(where)) for c in node.conditions):
                    yield from self._body(node.body, where, iterations)
            elif isinstance(node, Branch):
                yield from self._body(node.body, where, iterations)
            elif isinstance(node, Barrier):
                yield True
            elif not isinstance(node, Operation) and node.array in self._arrays:
                self._touch(node, where, iterations)

    def _loop(self, loop: Loop, where: dict[str, Number], iterations: Place) -> Iterator[bool]:
        if loop.axis is not None:
            yield from self._body(loop.body, where, iterations)
            return
        if not any(
            isinstance(n, Barrier) or (isinstance(n, Access) and n.array in self._arrays) for n in walk((loop,))
        ):
            return
        start, stop, step = (e.evaluate(where) for e in (loop.start, loop.stop, loop.step))
        trips = max(0, -floor((start - stop) / step))
        self._cut |= 0 < self._most < trips
        for iteration in range(min(trips, self._most or trips)):
            where[loop.var] = start + step * iteration
            yield from self._body(loop.body, where, (*iterations, (loop.var, iteration)))

    def _touch(self, access: Access, where: Mapping[str, Number], iterations: Place) -> None:
        self._budget.spend()
        element = self._element(access, where)
        if access.write:
            self._written.setdefault(element, True)
            self._writers[element].add(access.id)
            return
        reads = self._reads[id(access)]
        reads.after |= self._writers[element]
        reads.elements[element].append(iterations)
        if element not in self._written:
            self._written[element] = False
            reads.first[element].append(iterations)

    def _element(self, access: Access, where: Mapping[str, Number]) -> object:
        """One of its own where its place depends on data."""
        if id(access) not in self._offsets:
            offset = element_offset(access, self._kernel.array(access.array)) if access.regular else None
            self._offsets[id(access)] = offset
        found = self._offsets[id(access)]
        if found is None:
            self._cut = True
            return object()
        array = self._kernel.array(access.array)
        return array.owner, array.record and array.record.offset, found.evaluate(where)
