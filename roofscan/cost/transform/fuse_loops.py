"""Neighbouring loops over the same arrays that may become one loop.

Two loops over one range may be fused if no iteration of the second needs what a later iteration of the first does:
for every element that both touch, and one of them writes, the second must come to it in the same iteration or in a
later one (Kennedy and McKinley, "Maximizing loop parallelism and improving data locality via loop fusion and
distribution", LCPC 1993, section 2). Where subscripts do not show that by a fixed distance, the loops stay apart.
A number that one loop makes is ready for the next in the same iteration only if it is the reduction of a row.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from roofscan.cost.transform.fuse import accesses, nest_of
from roofscan.cost.transform.fuse_expressions import in_one_loop_each, only
from roofscan.ir.kernel import Access, Body, Branch, Kernel, Loop, Node, Operation, When
from roofscan.symbolic.expr import ONE, Expr, symbol


@dataclass(frozen=True)
class Neighbours:
    """Loops by themselves, in what stands around them: one after the other, and as one."""

    loops: frozenset[str]  # their variables
    lines: tuple[int, ...]
    shared: tuple[str, ...]  # the arrays that two of them touch
    written: Kernel
    fused: Kernel


@dataclass(frozen=True)
class _Run:
    """Neighbours found so far: the loops as they are, the one that they may become, and the numbers that operations
    between them make of theirs."""

    loops: tuple[Loop, ...]
    fused: Loop
    derived: frozenset[int] = frozenset()

    @property
    def made(self) -> frozenset[int]:
        return self.derived | made_in((self.fused,))


def neighbours(kernel: Kernel) -> tuple[Neighbours, ...]:
    """The runs of loops that may be fused and share arrays, in the order of the source."""
    statements = in_one_loop_each(kernel)
    touches = Tally(statements.array(a.array).memory for a in accesses(statements.body))
    return tuple(_found(statements, run, touches) for run in _runs(statements, statements.body))


def runs_of_loops(kernel: Kernel) -> tuple[tuple[str, ...], ...]:
    """The variables of the loops of each run, with every expression as one loop already."""
    statements = in_one_loop_each(kernel)
    return tuple(tuple(loop.var for loop in run.loops) for run in _runs(statements, statements.body))


def _found(kernel: Kernel, run: _Run, touches: Mapping[str, int]) -> Neighbours:
    """The run by itself; ``touches`` counts the accesses of the kernel by memory."""
    names = [{a.array for a in accesses((loop,))} for loop in run.loops]
    shared = {name for k, one in enumerate(names) for other in names[k + 1 :] for name in one & other}
    merged = _without_passed_on(kernel, run.fused, touches)
    fused = replace(kernel, body=_replaced(kernel.body, run, merged))
    lines = tuple(dict.fromkeys(loop.line for loop in run.loops))
    written = only(kernel, [loop.var for loop in run.loops])
    in_order = tuple(a.name for a in kernel.arrays if a.name in shared)
    return Neighbours(frozenset(loop.var for loop in run.loops), lines, in_order, written, only(fused, [run.fused.var]))


# -- which loops stand side by side -------------------------------------------------------------------


def _runs(kernel: Kernel, body: Body) -> Iterator[_Run]:
    run: _Run | None = None
    for node in body:
        if isinstance(node, Loop):
            merged = _merged(kernel, run.fused, node, run.made) if run else None
            if run and merged:
                run = _Run((*run.loops, node), merged, run.derived)
                continue
            yield from _told(run)
            run = _Run((node,), node)
            if not node.array_expression:
                yield from _runs(kernel, node.body)
        elif isinstance(node, (When, Branch)):
            yield from _told(run)
            run = None
            yield from _runs(kernel, node.body)
        elif run and isinstance(node, Operation) and not node.library:
            run = replace(run, derived=run.derived | ({node.id} if run.made & set(node.inputs) else set()))
        elif run and _depends(kernel, run, node):
            yield from _told(run)
            run = None
    yield from _told(run)


def _told(run: _Run | None) -> Iterator[_Run]:
    """A run of loops from several lines (those of one statement belong together already) that write something."""
    if run and len({loop.line for loop in run.loops}) > 1 and any(a.write for a in accesses((run.fused,))):
        yield run


def _depends(kernel: Kernel, run: _Run, node: Access | Operation) -> bool:
    """Whether a node between two loops keeps the first from moving down to the second."""
    if isinstance(node, Operation):
        return True
    memory = kernel.array(node.array).memory
    conflicts = (a for a in accesses((run.fused,)) if a.write or node.write)
    return bool(run.made & set(node.inputs)) or any(kernel.array(a.array).memory == memory for a in conflicts)


# -- whether two loops may become one -----------------------------------------------------------------


def _merged(
    kernel: Kernel, one: Loop, other: Loop, made: frozenset[int], kept: frozenset[tuple[int, int]] = frozenset()
) -> Loop | None:
    """The fused loop; None where it is not known to be legal, or nothing is shared.

    ``made`` are the numbers that the first loop makes, ``kept`` the pairs of accesses that a loop around these two
    keeps in order already.
    """
    taken = made & used_in((other,))
    if taken and not (_is_by_rows(one) and other.array_expression):
        return None
    if not _same_range(one, other) or not _is_whole(one) or not (_is_whole(other) or _is_result(other, taken)):
        return None
    second = renamed(other.body, {other.var: symbol(one.var)})
    pairs = list(_pairs(kernel, one.body, second))
    if not (pairs or taken):
        return None
    apart: set[tuple[int, int]] = set(kept)
    within = {node.var for node in _nodes((one, other)) if isinstance(node, Loop)}
    for a, b in pairs:
        if (a.id, b.id) not in kept and (a.write or b.write):
            distance = _distance(a, b, one.var, within)
            if distance is None or distance < 0 or (distance and one.parallel):
                return None
            if distance > 0:
                apart.add((a.id, b.id))
    inner = _inner(kernel, one.body, second, made, frozenset(apart))
    carried, state = (*one.carried, *other.carried), (*one.state, *other.state)
    return replace(one, body=inner, carried=carried, state=state)


def _inner(kernel: Kernel, first: Body, second: Body, made: frozenset[int], apart: frozenset[tuple[int, int]]) -> Body:
    """One body after the other, or, where each is one loop, these loops fused in their turn."""
    if len(first) == len(second) == 1 and isinstance(first[0], Loop) and isinstance(second[0], Loop):
        together = _merged(kernel, first[0], second[0], made, apart)
        if together is not None:
            return (together,)
    return (*first, *second)


def _same_range(one: Loop, other: Loop) -> bool:
    same = (one.start, one.stop, one.step, one.parallel) == (other.start, other.stop, other.step, other.parallel)
    return same and one.step == ONE and one.total is None and other.total is None


def _is_by_rows(loop: Loop) -> bool:
    """Whether each turn of a whole-array operation makes its own number, the reduction of a row, and needs no other."""
    return loop.array_expression and not loop.state and not loop.carried


def _is_whole(loop: Loop) -> bool:
    """Whether a loop surely runs to its end, calls no library, hands on no counter or flag, and is more than a fill
    or a library's walk over an operand."""
    for node in _nodes((loop,)):
        if isinstance(node, Loop) and (node.early_exit or (node.state and not node.array_expression)):
            return False
        if isinstance(node, Operation) and node.library:
            return False
    nest = nest_of(loop)
    if nest is None:
        return True
    return bool(nest.reads and (nest.operations or nest.writes or any(inner.state for inner in nest.loops)))


def _is_result(loop: Loop, taken: frozenset[int]) -> bool:
    """Whether a loop does nothing but store the numbers taken from the loop before it."""
    nest = nest_of(loop)
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
    """Iterations from ``a`` to ``b`` where they touch one element (0: or never); None where that is no fixed number.

    ``within`` names the loops that are to be fused, and those inside them.
    """
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


def _without_passed_on(kernel: Kernel, loop: Loop, touches: Mapping[str, int]) -> Loop:
    """A fused loop without the local arrays that only pass an element on within it: they become scalars."""
    inside: dict[str, list[Access]] = {}
    for access in accesses((loop,)):
        inside.setdefault(access.array, []).append(access)
    passed = set()
    for name, mine in inside.items():
        array = kernel.array(name)
        alone = touches[array.memory] == len(mine)
        if array.role != "parameter" and not array.live_out and alone and mine[0].write:
            if len({a.index for a in mine}) == 1 and mine[0].regular:
                passed.add(name)
    [left] = _without((loop,), passed, {}, {})
    assert isinstance(left, Loop)
    return left


def _without(body: Body, names: set[str], held: dict[str, tuple[int, ...]], same: dict[int, tuple[int, ...]]) -> Body:
    """A body without these arrays: ``held`` is the value that each would hold, ``same`` what a read stands for."""
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, (Loop, When, Branch)):
            nodes.append(replace(node, body=_without(node.body, names, held, same)))
            continue
        inputs = tuple(i for old in node.inputs for i in same.get(old, (old,)))
        if isinstance(node, Access) and node.array in names:
            if node.write:
                held[node.array] = inputs
            else:
                same[node.id] = held[node.array]
        else:
            nodes.append(replace(node, inputs=inputs))
    return tuple(nodes)


# -- trees --------------------------------------------------------------------------------------------


def _replaced(body: Body, run: _Run, fused: Loop) -> Body:
    """The fused loop in the place of the last of the run; the others are gone."""
    gone, last = {loop.var for loop in run.loops[:-1]}, run.loops[-1].var
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and node.var == last:
            nodes.append(fused)
        elif isinstance(node, Loop) and (node.array_expression or node.var in gone):
            nodes += [] if node.var in gone else [node]
        elif isinstance(node, (Loop, When, Branch)):
            nodes.append(replace(node, body=_replaced(node.body, run, fused)))
        else:
            nodes.append(node)
    return tuple(nodes)


def renamed(body: Body, names: Mapping[str, Expr]) -> Body:
    """A body with expressions in the place of loop variables."""
    return tuple(_renamed(node, names) for node in body)


def _renamed(node: Node, names: Mapping[str, Expr]) -> Node:
    if isinstance(node, Access):
        within = tuple(None if w is None else (w[0].subs(names), w[1].subs(names)) for w in node.within)
        return replace(node, index=tuple(None if e is None else e.subs(names) for e in node.index), within=within)
    if isinstance(node, Operation):
        return replace(node, count=node.count.subs(names))
    inner = renamed(node.body, names)
    if isinstance(node, When):
        return replace(node, conditions=tuple(replace(c, expr=c.expr.subs(names)) for c in node.conditions), body=inner)
    if isinstance(node, Branch):
        return replace(node, share=node.share.subs(names), body=inner)
    start, stop, step = (e.subs(names) for e in (node.start, node.stop, node.step))
    return replace(node, start=start, stop=stop, step=step, body=inner)


def _nodes(body: Body) -> Iterator[Node]:
    for node in body:
        yield node
        if isinstance(node, (Loop, When, Branch)):
            yield from _nodes(node.body)


def made_in(body: Body) -> frozenset[int]:
    """The ids of all values that a body makes."""
    return frozenset(node.id for node in _nodes(body) if isinstance(node, (Access, Operation)))


def used_in(body: Body) -> frozenset[int]:
    """The ids of all values that a body takes, of its own and of others."""
    inputs = frozenset(i for node in _nodes(body) if isinstance(node, (Access, Operation)) for i in node.inputs)
    carried = (c for node in _nodes(body) if isinstance(node, Loop) for c in node.carried)
    return inputs | {c.initial for c in carried if c.initial is not None}
