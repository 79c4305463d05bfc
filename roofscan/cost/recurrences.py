"""Dependence chains, which serialize operations, and pairs that one fused multiply-add does. A chain runs from one
iteration of an innermost loop into the next, through a carried scalar or an element that an earlier iteration wrote.
Its time is the latency of the longest path of operations from where the value comes in to where it goes out."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from roofscan.cost.counts import ExecutionCounts, StatementDomain
from roofscan.cost.result import Chain
from roofscan.cost.stored_elements import may_alias, stored_before, under_tests
from roofscan.cost.transform.array_operation import ArrayOperation, array_operations
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import PrecisionName
from roofscan.ir.tree import Access, Body, Branch, Loop, Node, Operation, When
from roofscan.ir.visitor import innermost_loops, leaves, loops, own_leaves, walk
from roofscan.symbolic.expr import ONE, ZERO, Expr

_LATENCY = {"add": 4, "sub": 4, "mul": 4, "minmax": 4, "div": 13, "sqrt": 18, "special": 40, "complex_div": 30}
"""About how many cycles each kind takes: enough to tell which of two paths is the longer."""

_REDUCING = ("add", "mul", "minmax")
_ACCUMULATED = {"add": "sum", "mul": "product", "minmax": "extremum"}
_MAX_ITERATION_DISTANCE = 64  # iterations; a chain that skips more leaves room for everything else


@dataclass(frozen=True)
class _Link:
    """A value that leaves an iteration as ``exit`` and enters the one ``distance`` later as ``entry``."""

    name: str
    line: int
    entry: int
    exit: int
    distance: int
    writes: int = 0  # how often an accumulator's value is stored in an iteration (-1: each one elsewhere)
    moved_by: frozenset[str] | None = None  # an array element: the variables of its subscripts; None: a scalar
    reloaded: bool = False
    is_tested: bool = False  # an array element that only some iterations store: LLVM leaves such sums in order
    goes_on: Expr = ONE  # the share of iterations that it does so in
    others: tuple[int, ...] = ()  # as what it leaves the other arms of a condition

    def is_carried_by(self, loop: Loop) -> bool:
        """Whether a loop around the innermost one carries the value on."""
        if self.moved_by is None:
            return any(carried.name == self.name for carried in loop.carried)
        return loop.var not in self.moved_by


# -- chains ---------------------------------------------------------------------------------------
def chains(
    kernel: Kernel, executions: ExecutionCounts, domains: Iterable[StatementDomain], body: Body
) -> tuple[Chain, ...]:
    """The chains of the innermost loops in ``body``, whose domains are given."""
    found: list[Chain] = []
    home_of = {n.id: v for v in domains for n in v.body if isinstance(n, Operation)}
    in_threads = {loop.var for outer in loops(body) if outer.parallel for loop in loops((outer,))}
    stored = stored_before(body, in_threads)
    for loop in innermost_loops(body):
        nodes = {node.id: node for node in own_leaves(loop.body)}
        uses = Tally(i for node in nodes.values() for i in node.inputs)
        scalar_links = (
            _Link(c.name, loop.line, c.entry, c.exit, 1, goes_on=c.goes_on, others=c.others) for c in loop.carried
        )
        for link in (*scalar_links, *_array_links(loop, stored[loop.var], loop.var in in_threads)):
            ways = [way for exit_ in (link.exit, *link.others) if (way := _longest_path(link, exit_, nodes))]
            path = max(ways, key=_latency, default=_selection(link, nodes))
            if path:
                home = home_of[path[-1].id]
                times = _times(executions, path, ways or [path], home_of)
                made = _chain(kernel, loop, link, path, _is_reduction(link, ways or [path], uses, loop, kernel), times)
                fused = _fused(path, nodes) if kernel.reorders(loop) else (0, 0)
                runs = _runs(executions, home, loop, link)
                arms = [home_of[n.id] for n in nodes.values() if isinstance(n, Operation) and link.entry in n.inputs]
                share = _share(home) if all(arm is home for arm in arms) else None
                found.append(replace(made, loop=loop.var, runs=runs, fused=fused[0], merged=fused[1], share=share))
    for nest in array_operations(body):
        if nest.operations and all(loop.state for loop in nest.loops):
            found.append(_of_reduction(kernel, executions, home_of[nest.operations[-1].id], nest))
    return tuple(found)


def _times(
    executions: ExecutionCounts,
    path: Sequence[Operation],
    ways: Iterable[Sequence[Operation]],
    home_of: Mapping[int, StatementDomain],
) -> Expr:
    """How often the longest path is walked; the ways through other arms of a condition count by their share of it."""
    arms = {id(home): (home, _latency(way)) for way in ways for home in (home_of[way[-1].id],)}
    return sum((executions.of(home) * Fraction(each, _latency(path)) for home, each in arms.values()), start=ZERO)


def _of_reduction(kernel: Kernel, executions: ExecutionCounts, home: StatementDomain, nest: ArrayOperation) -> Chain:
    """The accumulator of a whole-array reduction, its last operation; Numba compiles it to the plain loop. A variance
    adds up twice, in two passes; a minimum and a maximum are taken side by side."""
    last = nest.operations[-1]
    inner = nest.loops[-1]
    sums = 1 if last.kind == "minmax" else sum(operation.kind == last.kind for operation in nest.operations)
    return Chain(
        name=f"the {_ACCUMULATED.get(last.kind, 'reduction')} of {''.join(read.array for read in nest.reads[-1:])}",
        line=last.line,
        precision=last.dtype.precision or "fp64",
        kinds={last.kind: sums},
        iterations=executions.of(home),
        reduction=True,
        reorderable=_may_reorder(kernel, inner, last) or not kernel.compiles(inner),
        loop=inner.var,
        runs=executions.entries(home, len(home.loops) - len(nest.loops)),
        beside=len(nest.operations) - sums if nest.is_variance else 0,
    )


def _share(home: StatementDomain) -> Expr | None:
    """Of the branch on data that holds a statement, if one does."""
    branch = home.domain.path[-1] if home.domain and home.domain.path else None
    return branch.share if isinstance(branch, Branch) else None


def _may_reorder(kernel: Kernel, loop: Loop, operation: Operation) -> bool:
    """Whether Numba may reorder a reduction; it leaves minima and maxima in order."""
    return kernel.reorders(loop) and operation.kind != "minmax"


def _runs(executions: ExecutionCounts, home: StatementDomain, loop: Loop, link: _Link) -> Expr | None:
    """How often the outermost of the loops that carry the value on is entered."""
    depth = next(n for n, around in enumerate(home.loops) if around.var == loop.var)
    while depth and (link.is_carried_by(home.loops[depth - 1]) or _is_awaited(home.loops[depth - 1], loop, link.exit)):
        depth -= 1
    return executions.entries(home, depth)


def _is_awaited(outer: Loop, inner: Loop, result: int) -> bool:
    """Whether each iteration of a loop stores, from the result of a chain, what the chain of the next one reads, as
    weights that each sample corrects."""
    found = {result}

    def elements(body: Iterable[Node], write: bool) -> Iterator[Access]:
        places = (n for n in body if isinstance(n, Access) and n.write is write and n.regular)
        return (a for a in places if all(e is None or outer.var not in e.symbols for e in a.index))

    read = {access.array for access in elements(own_leaves(inner.body), False)}
    written = {access.id for access in elements(leaves(outer.body), True) if access.array in read}
    for node in leaves(outer.body) if written else ():
        if isinstance(node, (Access, Operation)) and not found.isdisjoint(node.inputs):
            found.add(node.id)
    return not found.isdisjoint(written)


def _chain(kernel: Kernel, loop: Loop, link: _Link, path: list[Operation], reduction: bool, times: Expr) -> Chain:
    precision = next((op.dtype.precision for op in path if op.dtype.precision), None) or "fp64"
    reduction = reduction and (link.reloaded or not link.is_tested)
    free = _may_reorder(kernel, loop, path[-1]) or (loop.array_expression and not kernel.compiles(loop))
    return Chain(
        name=link.name,
        line=link.line,
        precision=precision,
        kinds=dict(Tally(op.kind for op in path)),
        iterations=times * link.goes_on / link.distance,
        reduction=reduction,
        reorderable=reduction and free and not link.reloaded,
        moves=link.moved_by is not None and loop.var in link.moved_by,
        reloaded=link.reloaded,
    )


def _fused(path: Sequence[Operation], nodes: Mapping[int, Access | Operation]) -> tuple[int, int]:
    """The sums of a path that LLVM makes one instruction with a product, and how many of these are on the path: of two
    products that are added it takes the other one, of two that are subtracted the first."""
    on_path = {op.id for op in path}
    products = {n.id for n in nodes.values() if isinstance(n, Operation) and n.kind == "mul"}
    sums = [(op.kind, [i for i in op.inputs if i in products]) for op in path if op.kind in ("add", "sub")]
    merged = (used[0] in on_path for kind, used in sums if len(used) == 1 or (kind == "sub" and used))
    return sum(bool(used) for _, used in sums), sum(merged)


def _is_reduction(link: _Link, ways: Sequence[list[Operation]], uses: Tally[int], loop: Loop, kernel: Kernel) -> bool:
    """Whether the chain is ``s = s op x`` and nothing reads s in between (or ``s = s - x``), in each arm of a test that
    stays the same: LLVM takes it out of the loop."""
    if link.distance != 1 or any(len(way) != 1 for way in ways):
        return False
    last = [op for [op] in ways]
    if len(last) > 1 and not (len({op.kind for op in last}) == 1 and _are_chosen_once(last, loop, kernel)):
        return False
    return uses[link.entry] == len(last) and all(_accumulates(link, op) and uses[op.id] == link.writes for op in last)


def _accumulates(link: _Link, op: Operation) -> bool:
    right_kind = op.kind in _REDUCING or (op.kind == "sub" and op.inputs[:1] == (link.entry,))
    return right_kind and op.inputs.count(link.entry) == 1


def _are_chosen_once(operations: Sequence[Operation], loop: Loop, kernel: Kernel) -> bool:
    """Whether each is in an arm of its own, whose test no iteration changes."""
    fixed = [n for n in loop.body if isinstance(n, (When, Branch)) and stays_the_same(n, loop, kernel)]
    return all(any(op in arm.body for arm in fixed) for op in operations)


def stays_the_same(test: When | Branch, loop: Loop, kernel: Kernel) -> bool:
    """Whether all iterations of a loop take one arm."""
    if isinstance(test, When):
        return all(loop.var not in condition.expr.symbols for condition in test.conditions)
    return test.share.symbols <= {s.name for s in kernel.symbols if s.kind == "flag"}


def _array_links(loop: Loop, stored: Sequence[Access], in_threads: bool = False) -> Iterator[_Link]:
    """Reads of elements that an earlier iteration of the loop wrote. Numba tells LLVM that the arrays of a parallel
    loop do not overlap. ``stored``: elements whose values are at hand before the loop."""
    accesses = [n for n in own_leaves(loop.body) if isinstance(n, Access) and n.regular]
    tested = under_tests(loop)
    for read in (a for a in accesses if not a.write):
        for written in (a for a in accesses if a.write and a.inputs and a.array == read.array):
            distance = _iteration_distance(written, read, loop)
            if distance is not None:
                moved_by = frozenset[str]().union(*(x.symbols for x in read.index if x is not None))
                moves = loop.var in moved_by
                is_tested = not moves and written.id in tested
                at_hand = any(a.array == read.array and a.index == read.index for a in stored)
                overlap = any(a.write and may_alias(a, read, in_threads) for a in accesses)
                reloaded = not moves and ((is_tested and not at_hand) or overlap)
                writes = -1 if moves else 1
                yield _Link(
                    read.array, read.line, read.id, written.inputs[0], distance, writes, moved_by, reloaded, is_tested
                )  # fmt: skip


def has_reloads(kernel: Kernel) -> bool:
    stored = stored_before(kernel.body, ())
    return any(link.reloaded for loop in innermost_loops(kernel.body) for link in _array_links(loop, stored[loop.var]))


def _iteration_distance(written: Access, read: Access, loop: Loop) -> int | None:
    """How many iterations after the write the read of that element comes, if it is a fixed integer."""
    found: set[int] = set()
    for w, r in zip(written.index, read.index):
        if w is None or r is None or not w.is_linear_in([loop.var]):
            return None
        step = (w.coefficient(loop.var) * loop.step).constant
        distance = (w - r).constant  # equal linear parts: the rest is a number
        if step is None or distance is None or (distance % step if step else distance):
            return None
        if step:
            found.add(int(distance // step))
    iterations = min(found, default=1)
    return iterations if len(found) < 2 and 1 <= iterations <= _MAX_ITERATION_DISTANCE else None


def _latency(path: Iterable[Operation]) -> int:
    return sum(_LATENCY.get(op.kind, 1) for op in path)


def _longest_path(link: _Link, end: int, nodes: Mapping[int, Access | Operation]) -> list[Operation]:
    """The operations on the slowest way from ``entry`` to ``end`` through ``inputs``; [] if there is none."""
    known: dict[int, tuple[int, list[Operation]] | None] = {link.entry: (0, [])}
    for number, node in nodes.items():  # in evaluation order: inputs come first
        if number == link.entry:
            continue
        ways = [way for i in node.inputs if (way := known.get(i)) is not None]
        if ways and isinstance(node, Operation):
            latency, path = max(ways, key=lambda way: way[0])
            known[number] = latency + _LATENCY.get(node.kind, 1), [*path, node]
        elif ways and isinstance(node, Access) and not node.write:
            known[number] = max(ways, key=lambda way: way[0])
    found = known.get(end)
    return found[1] if found is not None else []


def _selection(link: _Link, nodes: Mapping[int, Access | Operation]) -> list[Operation]:
    """The comparison of a scalar that is replaced where it fails (``if x[i] > m: m = x[i]``), which compiles to a
    selection."""
    if link.moved_by is not None or link.exit == link.entry:
        return []
    tests = (n for n in nodes.values() if isinstance(n, Operation) and n.kind == "compare" and link.entry in n.inputs)
    return [*tests][:1]


# -- pairs ----------------------------------------------------------------------------------------
def fused_pairs(
    executions: ExecutionCounts, domains: Iterable[StatementDomain], uses: Tally[int]
) -> dict[PrecisionName, Expr]:
    """By precision: multiplications whose only use is one addition or subtraction in the same body."""
    pairs: dict[PrecisionName, Expr] = {}
    for domain in domains:
        products = {n.id: n for n in domain.body if isinstance(n, Operation) and n.kind == "mul" and uses[n.id] == 1}
        for node in domain.body:
            if isinstance(node, Operation) and node.kind in ("add", "sub"):
                factor = next((products[i] for i in node.inputs if i in products), None)
                precision = node.dtype.precision
                if factor is not None and factor.dtype == node.dtype and precision is not None:
                    if factor.count == node.count:
                        count = executions.of(domain, node.count)
                        pairs[precision] = pairs.get(precision, ZERO) + count
    return pairs


def uses_of(body: Body) -> Tally[int]:
    """How often each value is taken by an operation, a write, or the next iteration."""
    found: Tally[int] = Tally()
    for node in walk(body):
        if isinstance(node, (Access, Operation)):
            found.update(node.inputs)
        elif isinstance(node, Loop):
            found.update(c.exit for c in node.carried)
            found.update(c.initial for c in node.carried if c.initial is not None)
    return found
