"""Loop fusion: neighbouring loops over one range as one. For every element that both touch, and one of them writes, the
second must reach it in the same iteration or in a later one (Kennedy and McKinley, "Maximizing loop parallelism and
improving data locality via loop fusion and distribution", LCPC 1993, section 2); loops without a fixed distance are not
fused. A number that one loop makes is ready for the next in the same iteration only if it is the reduction of a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.cost.dataflow import made_in, used_in
from roofscan.cost.transform.array_operation import array_operation
from roofscan.cost.transform.forwarded import filled_by, without_forwarded
from roofscan.cost.transform.fuse_expressions import fused_expressions, groups_of_loops
from roofscan.cost.transform.nest import loop_records, only
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Barrier, Body, Branch, Loop, Node, Operation, When
from roofscan.ir.visitor import accesses, leaves, loops, replace_nodes, substitute
from roofscan.symbolic.expr import ONE, symbol
from roofscan.transformation import TransformationRecord


@dataclass(frozen=True)
class FuseLoops:
    """Neighbouring loops as one; ``written`` and ``fused`` are these loops by themselves, before and after, in the
    loops and conditions around them. Each of their expressions is one loop already, but in ``source``, the whole
    kernel."""

    source: Kernel
    run: tuple[Loop, ...]
    shared: tuple[str, ...]  # the arrays that two of them touch
    written: Kernel
    fused: Kernel
    fills: tuple[str, ...] = ()  # loops before them that fill what the one loop has no more

    @property
    def loops(self) -> frozenset[str]:
        return frozenset(loop.var for loop in self.run)

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(loop.line for loop in self.run))

    def with_temporaries(self) -> Kernel:
        """The loops by themselves as in the source: with what their expressions make on the way."""
        return only(self.source, _with_their_expressions(self.source, self.loops | {*self.fills}))

    @property
    def record(self) -> TransformationRecord:
        return TransformationRecord("fuse_loops", loop_records(self.run), arrays=self.shared)

    def apply(self, kernel: Kernel) -> Kernel:
        [fused] = (loop for loop in loops(self.fused.body) if loop.var == self.run[0].var)
        before = fused_expressions(kernel, _with_their_expressions(kernel, self.loops))
        return _with_loop(before, self.run, fused, self.fills)


@dataclass(frozen=True)
class _Run:
    """Neighbours found so far: the loops, the one that they may become, and the numbers made between them."""

    loops: tuple[Loop, ...]
    fused: Loop
    derived: frozenset[int] = frozenset()

    @property
    def made(self) -> frozenset[int]:
        return self.derived | made_in((self.fused,))


def loop_fusions(kernel: Kernel) -> tuple[FuseLoops, ...]:
    statements = fused_expressions(kernel)
    return tuple(_fusion(kernel, statements, run) for run in _runs(statements, statements.body))


def runs_of_loops(kernel: Kernel) -> tuple[tuple[str, ...], ...]:
    """The variables of the loops of each run, with every expression as one loop already."""
    statements = fused_expressions(kernel)
    return tuple(tuple(loop.var for loop in run.loops) for run in _runs(statements, statements.body))


def _fusion(source: Kernel, kernel: Kernel, run: _Run) -> FuseLoops:
    names = [{a.array for a in accesses((loop,))} for loop in run.loops]
    shared = {name for k, one in enumerate(names) for other in names[k + 1 :] for name in one & other}
    merged = without_forwarded(kernel, run.fused)
    fused = _with_loop(kernel, run.loops, merged.loop)
    written = only(kernel, [*merged.fills, *(loop.var for loop in run.loops)])
    in_order = tuple(a.name for a in kernel.arrays if a.name in shared)
    return FuseLoops(source, run.loops, in_order, written, only(fused, [run.fused.var]), merged.fills)


# -- which loops are neighbours -------------------------------------------------------------------------
def _runs(kernel: Kernel, body: Body) -> Iterator[_Run]:
    run: _Run | None = None
    for node in body:
        if isinstance(node, Loop):
            merged = _merged(kernel, run.fused, node, run.made) if run else None
            if run and merged:
                run = _Run((*run.loops, node), merged, run.derived)
                continue
            if run and _may_come_before(kernel, run, node):
                continue
            yield from _if_worth_fusing(run)
            run = _Run((node,), node)
            if not node.array_expression:
                yield from _runs(kernel, node.body)
        elif isinstance(node, (When, Branch)):
            yield from _if_worth_fusing(run)
            run = None
            yield from _runs(kernel, node.body)
        elif run and isinstance(node, Operation) and not node.library:
            run = replace(run, derived=run.derived | ({node.id} if run.made & set(node.inputs) else set()))
        elif run and (isinstance(node, Barrier) or _depends(kernel, run, node)):
            yield from _if_worth_fusing(run)
            run = None
    yield from _if_worth_fusing(run)


def _if_worth_fusing(run: _Run | None) -> Iterator[_Run]:
    """A run of loops that write something and are of several lines: those of one statement are fused already."""
    if run and len({loop.line for loop in run.loops}) > 1 and any(a.write for a in accesses((run.fused,))):
        yield run


def _depends(kernel: Kernel, run: _Run, node: Access | Operation) -> bool:
    """Whether a node between two loops keeps the first from moving behind it."""
    if isinstance(node, Operation):
        return True
    memory = kernel.array(node.array).memory
    conflicts = (a for a in accesses((run.fused,)) if a.write or node.write)
    return bool(run.made & set(node.inputs)) or any(kernel.array(a.array).memory == memory for a in conflicts)


def _may_come_before(kernel: Kernel, run: _Run, node: Loop) -> bool:
    """Whether a loop fills an array that those before it do not touch: it may be filled before them."""
    filled = filled_by(node)
    return bool(filled) and not any(_depends(kernel, run, access) for access in accesses((node,)))


# -- whether two loops may become one -----------------------------------------------------------------
def _merged(
    kernel: Kernel, one: Loop, other: Loop, made: frozenset[int], kept: frozenset[tuple[int, int]] = frozenset()
) -> Loop | None:
    """The fused loop; None where it is not known to be legal, or nothing is shared. ``made`` are the numbers that the
    first loop makes, ``kept`` the pairs of accesses that a loop around these two keeps in order already."""
    taken = made & used_in((other,))
    if taken and not (_is_by_rows(one) and other.array_expression):
        return None
    may_follow = _may_fuse(other) or _only_stores(other, taken) or _counts_alone(one, other)
    if not _same_range(one, other) or not _may_fuse(one) or not may_follow:
        return None
    second = substitute(other.body, {other.var: symbol(one.var)})
    pairs = list(_pairs(kernel, one.body, second))
    if not (pairs or taken):
        return None
    apart: set[tuple[int, int]] = set(kept)
    within = {loop.var for loop in loops((one, other))}
    for a, b in pairs:
        if (a.id, b.id) not in kept and (a.write or b.write):
            distance = _distance(a, b, one.var, within)
            if distance is None or distance < 0 or (distance and one.parallel):
                return None
            if distance > 0:
                apart.add((a.id, b.id))
    return _together(one, other, _inner(kernel, one.body, second, made, frozenset(apart)))


def _together(one: Loop, other: Loop, body: Body) -> Loop:
    """The first loop with the body of both, and with what both pass on."""
    return replace(
        one,
        body=body,
        carried=(*one.carried, *other.carried),
        state=(*one.state, *other.state),
        recurring=(*one.recurring, *other.recurring),
        mentions=one.mentions | other.mentions,
        integers=one.integers.and_then(other.integers),
    )


def _inner(kernel: Kernel, first: Body, second: Body, made: frozenset[int], apart: frozenset[tuple[int, int]]) -> Body:
    """One body after the other, or, where each is one loop, these loops fused too."""
    if len(first) == len(second) == 1 and isinstance(first[0], Loop) and isinstance(second[0], Loop):
        together = _merged(kernel, first[0], second[0], made, apart)
        if together is not None:
            return (together,)
    return (*first, *second)


def _same_range(one: Loop, other: Loop) -> bool:
    same = (one.start, one.stop, one.step, one.parallel) == (other.start, other.stop, other.step, other.parallel)
    return same and one.step == ONE and one.total is None and other.total is None


def _is_by_rows(loop: Loop) -> bool:
    """Whether each iteration of a whole-array operation reduces a row of its own, and needs no other iteration."""
    return loop.array_expression and not loop.state and not loop.carried


def _counts_alone(one: Loop, other: Loop) -> bool:
    """Whether what the second loop counts, or notes, has no name that the first one has."""
    if any(loop.array_expression or loop.is_while or loop.is_elsewhere for loop in loops((one, other))):
        return False
    counted = {name for loop in loops((other,)) for name in loop.state}
    return _may_fuse(other, counts=True) and bool(one.mentions) and counted.isdisjoint(one.mentions)


def _may_fuse(loop: Loop, counts: bool = False) -> bool:
    """Whether a loop surely runs to its end, calls no library, carries no counter or flag, and is more than a fill or
    a library's pass over an operand."""
    if any(inner.early_exit or (inner.state and not (inner.array_expression or counts)) for inner in loops((loop,))):
        return False
    if any(isinstance(leaf, Operation) and leaf.library for leaf in leaves((loop,))):
        return False
    nest = array_operation(loop)
    if nest is None:
        return True
    return bool(nest.reads and (nest.operations or nest.writes or any(inner.state for inner in nest.loops)))


def _only_stores(loop: Loop, taken: frozenset[int]) -> bool:
    """Whether a loop does nothing but store the numbers taken from the loop before it."""
    nest = array_operation(loop)
    if nest is None or nest.reads:
        return False
    return all(write.inputs and taken >= set(write.inputs) for write in nest.writes)


def _pairs(kernel: Kernel, first: Body, second: Body) -> Iterator[tuple[Access, Access]]:
    """The accesses of both to one and the same memory."""
    later = list(accesses(second))
    for a in accesses(first):
        memory = kernel.array(a.array).memory
        yield from ((a, b) for b in later if kernel.array(b.array).memory == memory)


def _distance(a: Access, b: Access, var: str, within: set[str]) -> int | None:
    """Iterations from ``a`` to ``b`` where they touch one element (0: or never); None where that is not a fixed number.
    ``within`` names the loops that are to be fused, and those inside them."""
    if a.array != b.array or not (a.regular and b.regular):
        return None
    for one, other in zip(a.index, b.index, strict=True):
        assert one is not None and other is not None
        gap = (one - other).constant
        if gap is None or one.atoms:
            continue
        if gap and not within & one.symbols:
            return 0
        if one.degree(var) == 1 and one.coefficient(var) == ONE and gap == int(gap):
            return int(gap)
    return None


# -- trees --------------------------------------------------------------------------------------------
def _with_loop(kernel: Kernel, run: tuple[Loop, ...], fused: Loop, gone: tuple[str, ...] = ()) -> Kernel:
    """The kernel with the fused loop, and without some others; arrays that were allocated in another loop of the run
    are allocated in it."""
    names = dict(_merged_variables(run, fused))
    values = {old: symbol(new) for old, new in names.items()}
    arrays = tuple(
        replace(
            array,
            shape=tuple(e.subs(values) for e in array.shape),
            strides=tuple(e.subs(values) for e in array.strides),
            fresh_in=tuple(names.get(var, var) for var in array.fresh_in),
        )
        for array in kernel.arrays
    )
    return replace(kernel, body=_replaced(kernel.body, run, fused, gone), arrays=arrays)


def _merged_variables(run: tuple[Loop, ...], fused: Loop) -> Iterator[tuple[str, str]]:
    """The variable of each loop that became part of another, with that of the other."""
    left = {loop.var for loop in loops((fused,))}
    for other in run[1:]:
        pair: tuple[Node, Node] = (run[0], other)
        while isinstance(pair[0], Loop) and isinstance(pair[1], Loop) and pair[1].var not in left:
            yield pair[1].var, pair[0].var
            pair = pair[0].body[0], pair[1].body[0]


def _replaced(body: Body, run: tuple[Loop, ...], fused: Loop, without: tuple[str, ...]) -> Body:
    """The fused loop in the place of the last of the run, without the others."""
    gone, last = {*without, *(loop.var for loop in run[:-1])}, run[-1].var

    def changed(node: Node) -> Body | None:
        if not isinstance(node, Loop):
            return None
        if node.var == last:
            return (fused,)
        return () if node.var in gone else (node,) if node.array_expression else None

    return replace_nodes(body, changed)


def _with_their_expressions(kernel: Kernel, variables: frozenset[str]) -> frozenset[str]:
    """The outermost loops of all operations of the expressions that end in these loops."""
    groups = (group for group in groups_of_loops(kernel) if variables & set(group))
    return variables.union(*groups)
