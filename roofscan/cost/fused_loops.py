"""Neighbouring loops over the same arrays that may become one loop.

Two loops over one range may be fused if no iteration of the second needs what a later iteration of the first does:
for every element that both touch, and one of them writes, the second must come to it in the same iteration or in a
later one (Kennedy and McKinley, "Maximizing loop parallelism and improving data locality via loop fusion and
distribution", LCPC 1993, section 2). Where subscripts do not show that by a fixed distance, the loops stay apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from roofscan.cost.fused_expressions import in_one_loop_each, only
from roofscan.cost.fusion import accesses, nest_of
from roofscan.ir.expr import ONE, Expr, symbol
from roofscan.ir.kernel import Access, Body, Branch, Kernel, Loop, Node, Operation, When


@dataclass(frozen=True)
class Neighbours:
    """Loops by themselves, in what stands around them: one after the other, and as one."""

    lines: tuple[int, ...]
    shared: tuple[str, ...]  # the arrays that two of them touch
    written: Kernel
    fused: Kernel


@dataclass(frozen=True)
class _Run:
    """Neighbours found so far: the loops as they are, and the one that they may become."""

    loops: tuple[Loop, ...]
    fused: Loop


def neighbours(kernel: Kernel) -> tuple[Neighbours, ...]:
    """The runs of loops that may be fused and share arrays, in the order of the source."""
    statements = in_one_loop_each(kernel)
    return tuple(_found(statements, run) for run in _runs(statements, statements.body))


def runs_of_loops(kernel: Kernel) -> tuple[tuple[str, ...], ...]:
    """The variables of the loops of each run, with every expression as one loop already."""
    statements = in_one_loop_each(kernel)
    return tuple(tuple(loop.var for loop in run.loops) for run in _runs(statements, statements.body))


def _found(kernel: Kernel, run: _Run) -> Neighbours:
    names = [{a.array for a in accesses((loop,))} for loop in run.loops]
    shared = {name for k, one in enumerate(names) for other in names[k + 1 :] for name in one & other}
    merged = _without_passed_on(kernel, run.fused)
    fused = replace(kernel, body=_replaced(kernel.body, run, merged))
    lines = tuple(dict.fromkeys(loop.line for loop in run.loops))
    written = only(kernel, [loop.var for loop in run.loops])
    in_order = tuple(a.name for a in kernel.arrays if a.name in shared)
    return Neighbours(lines, in_order, written, only(fused, [run.fused.var]))


# -- which loops stand side by side -------------------------------------------------------------------


def _runs(kernel: Kernel, body: Body) -> Iterator[_Run]:
    run: _Run | None = None
    for node in body:
        if isinstance(node, Loop):
            may_go_on = run is not None and all(_is_plain(loop) for loop in run.loops)
            merged = _merged(kernel, run.fused, node, frozenset()) if run and may_go_on else None
            if run and merged:
                run = _Run((*run.loops, node), merged)
                continue
            yield from _told(run)
            run = _Run((node,), node)
            yield from _runs(kernel, node.body)
        elif isinstance(node, (When, Branch)):
            yield from _told(run)
            run = None
            yield from _runs(kernel, node.body)
        elif run and _depends(kernel, run.fused, node):
            yield from _told(run)
            run = None
    yield from _told(run)


def _told(run: _Run | None) -> Iterator[_Run]:
    """A run of loops from several lines: those of one statement belong together already."""
    if run and len({loop.line for loop in run.loops}) > 1:
        yield run


def _depends(kernel: Kernel, loop: Loop, node: Access | Operation) -> bool:
    """Whether a node between two loops keeps the second from moving up to the first."""
    if isinstance(node, Operation):
        return bool(node.library) or not made_in((loop,)).isdisjoint(node.inputs)
    memory = kernel.array(node.array).memory
    return any(kernel.array(a.array).memory == memory and (a.write or node.write) for a in accesses((loop,)))


# -- whether two loops may become one -----------------------------------------------------------------


def _merged(kernel: Kernel, one: Loop, other: Loop, kept: frozenset[tuple[int, int]]) -> Loop | None:
    """The fused loop; None where it is not known to be legal, or nothing is shared.

    ``kept`` holds the pairs of accesses that a loop around these two keeps in order already.
    """
    if not _same_range(one, other) or not (_is_whole(one) and _is_whole(other)):
        return None
    if not made_in((one,)).isdisjoint(used_in((other,))):
        return None
    second = renamed(other.body, {other.var: symbol(one.var)})
    pairs = list(_pairs(kernel, one.body, second))
    if not pairs:
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
    inner = _inner(kernel, one.body, second, frozenset(apart))
    return replace(one, body=inner, carried=(*one.carried, *other.carried))


def _inner(kernel: Kernel, first: Body, second: Body, apart: frozenset[tuple[int, int]]) -> Body:
    """One body after the other, or, where each is one loop, these loops fused in their turn."""
    if len(first) == len(second) == 1 and isinstance(first[0], Loop) and isinstance(second[0], Loop):
        together = _merged(kernel, first[0], second[0], apart)
        if together is not None:
            return (together,)
    return (*first, *second)


def _same_range(one: Loop, other: Loop) -> bool:
    same = (one.start, one.stop, one.step, one.parallel) == (other.start, other.stop, other.step, other.parallel)
    return same and one.step == ONE and one.total is None and other.total is None


def _is_plain(loop: Loop) -> bool:
    """Whether all that a loop leaves behind stands in arrays: no sums, no scalars of its last iteration."""
    if loop.carried or (nest_of(loop) is not None and not any(a.write for a in accesses((loop,)))):
        return False
    return all(_is_plain(node) for node in loop.body if isinstance(node, Loop))


def _is_whole(loop: Loop) -> bool:
    """Whether a loop surely runs to its end and calls no library, and is more than a fill or a library's operand."""
    for node in _nodes((loop,)):
        if (isinstance(node, Loop) and node.early_exit) or (isinstance(node, Operation) and node.library):
            return False
    nest = nest_of(loop)
    return nest is None or bool(nest.reads and (nest.operations or nest.writes))


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


def _without_passed_on(kernel: Kernel, loop: Loop) -> Loop:
    """A fused loop without the local arrays that only pass an element on within it: they become scalars."""
    inside = list(accesses((loop,)))
    every = list(accesses(kernel.body))
    passed = set()
    for array in kernel.arrays:
        mine = [a for a in inside if a.array == array.name]
        alone = len([a for a in every if kernel.array(a.array).memory == array.memory]) == len(mine)
        if array.role != "parameter" and not array.live_out and alone and mine and mine[0].write:
            if len({a.index for a in mine}) == 1 and mine[0].regular:
                passed.add(array.name)
    [left] = _without((loop,), passed)
    assert isinstance(left, Loop)
    return left


def _without(body: Body, names: set[str]) -> Body:
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, (Loop, When, Branch)):
            nodes.append(replace(node, body=_without(node.body, names)))
        elif not (isinstance(node, Access) and node.array in names):
            nodes.append(node)
    return tuple(nodes)


# -- trees --------------------------------------------------------------------------------------------


def _replaced(body: Body, run: _Run, fused: Loop) -> Body:
    """The fused loop in the place of the last of the run; the others are gone."""
    gone, last = {loop.var for loop in run.loops[:-1]}, run.loops[-1].var
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and node.var == last:
            nodes.append(fused)
        elif isinstance(node, (Loop, When, Branch)):
            if not (isinstance(node, Loop) and node.var in gone):
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


def made_in(body: Body) -> set[int]:
    """The ids of all values that a body makes."""
    return {node.id for node in _nodes(body) if isinstance(node, (Access, Operation))}


def used_in(body: Body) -> set[int]:
    """The ids of all values that a body takes, of its own and of others."""
    inputs = {i for node in _nodes(body) if isinstance(node, (Access, Operation)) for i in node.inputs}
    carried = (c for node in _nodes(body) if isinstance(node, Loop) for c in node.carried)
    return inputs | {c.initial for c in carried if c.initial is not None}
