"""Walks over the tree of a kernel in its order, outer nodes before inner ones, and trees made from trees, which keep a
node that does not change as the same object. A kind of node that is not known raises ``TypeError``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import is_

from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Barrier, Block, Body, Branch, Leaf, Loop, Node, Operation, When
from roofscan.symbolic.expr import Expr

BLOCKS = (Loop, When, Branch)
LEAVES = (Access, Operation)


def children(node: Node) -> Body:
    if isinstance(node, BLOCKS):
        return node.body
    if isinstance(node, (*LEAVES, Barrier)):
        return ()
    raise TypeError(f"not a node of a kernel: {type(node).__name__}")


# -- walks --------------------------------------------------------------------------------------------
def walk(body: Body, enter: Callable[[Block], bool] | None = None) -> Iterator[Node]:
    """All nodes below a body; blocks for which ``enter`` is false are yielded, but not what they hold."""
    stack = list(reversed(body))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, LEAVES):  # first: most nodes are leaves
            below = children(node)
            if isinstance(node, BLOCKS) and (enter is None or enter(node)):
                stack.extend(reversed(below))


def walk_with_blocks(body: Body, around: tuple[Block, ...] = ()) -> Iterator[tuple[Node, tuple[Block, ...]]]:
    """All nodes below a body, each with the loops, conditions and branches around it, outermost first."""
    for node in body:
        yield node, around
        if isinstance(node, BLOCKS):
            yield from walk_with_blocks(node.body, (*around, node))
        else:
            children(node)


def leaves(body: Body) -> Iterator[Leaf]:
    return (node for node in walk(body) if isinstance(node, LEAVES))


def accesses(body: Body) -> Iterator[Access]:
    return (node for node in walk(body) if isinstance(node, Access))


def scattered_arrays(kernel: Kernel) -> set[str]:
    """The owners of arrays with accesses whose places depend on data."""
    return {kernel.array(access.array).owner for access in accesses(kernel.body) if not access.regular}


def counts_at_worst(kernel: Kernel) -> bool:
    """Whether parts of its traffic are counted in full that may not occur."""
    return any(reason.effect == "upper" for reason in kernel.reasons) or bool(scattered_arrays(kernel))


def loops(body: Body) -> Iterator[Loop]:
    stack = list(reversed(body))
    while stack:
        node = stack.pop()
        if not isinstance(node, LEAVES):
            if isinstance(node, Loop):
                yield node
            stack.extend(reversed(children(node)))


def outermost_loops(body: Body) -> Iterator[Loop]:
    """The loops below a body that no other loop below it holds."""
    return (node for node in walk(body, lambda block: not isinstance(block, Loop)) if isinstance(node, Loop))


def innermost_loops(body: Body) -> Iterator[Loop]:
    return (loop for loop in loops(body) if next(loops(loop.body), None) is None)


def own_leaves(body: Body) -> Iterator[Leaf]:
    """The accesses and operations below a body that are in no loop below it."""
    return (node for node in walk(body, lambda block: not isinstance(block, Loop)) if isinstance(node, LEAVES))


def loops_of(around: Iterable[Block]) -> tuple[Loop, ...]:
    return tuple(block for block in around if isinstance(block, Loop))


def conditions_of(around: Iterable[Block]) -> tuple[Condition, ...]:
    return tuple(c for block in around if isinstance(block, When) for c in block.conditions)


def allocated_in(body: Body, arrays: Iterable[Array]) -> tuple[Array, ...]:
    """The arrays as allocated in the loops of a body: an array that another loop allocates is a single one behind
    it."""
    there = {loop.var for loop in loops(body)}
    return tuple(
        a if there.issuperset(a.fresh_in) else replace(a, fresh_in=tuple(var for var in a.fresh_in if var in there))
        for a in arrays
    )


def expressions(node: Node) -> Iterator[Expr]:
    """All expressions that a node itself holds: not those of the nodes below it."""
    if isinstance(node, Access):
        yield from (subscript for subscript in node.index if subscript is not None)
        yield from (subscript for subscript in node.written if subscript is not None)
        yield from (end for ends in node.within if ends is not None for end in ends)
        for rest in filter(None, node.rests):
            yield rest.expr
            yield from rest.element[1] if rest.element is not None else ()
            yield from rest.shift.parts if rest.shift is not None else ()
    elif isinstance(node, Operation):
        yield node.count
    elif isinstance(node, Loop):
        yield from (node.start, node.stop, node.step)
        if node.total is not None:
            yield node.total
    elif isinstance(node, When):
        yield from (condition.expr for condition in node.conditions)
    elif isinstance(node, Branch):
        yield node.share
    else:
        children(node)


# -- trees from trees ---------------------------------------------------------------------------------
def with_body(block: Block, body: Body) -> Block:
    if len(body) == len(block.body) and all(map(is_, body, block.body)):
        return block
    return replace(block, body=body)


def replace_nodes(body: Body, change: Callable[[Node], Body | None]) -> Body:
    """The body with each node replaced by the nodes that ``change`` gives for it; where it gives None, the nodes below
    it are replaced."""
    nodes: list[Node] = []
    for node in body:
        changed = change(node)
        if changed is not None:
            nodes.extend(changed)
        elif isinstance(node, BLOCKS):
            nodes.append(with_body(node, replace_nodes(node.body, change)))
        else:
            children(node)
            nodes.append(node)
    return tuple(nodes)


def map_leaves(body: Body, change: Callable[[Leaf], Leaf | None]) -> Body:
    """The body with each access and operation replaced by what ``change`` gives, or removed where that is None."""

    def changed(node: Node) -> Body | None:
        if not isinstance(node, LEAVES):
            return None
        leaf = change(node)
        return () if leaf is None else (leaf,)

    return replace_nodes(body, changed)


def substitute(body: Body, values: Mapping[str, Expr]) -> Body:
    """The body with expressions in the place of symbols, in every field of every node. A loop over one of the symbols
    is renamed: its value must then be a symbol."""
    return map_expressions(body, lambda e: e.subs(values), lambda v: str(values.get(v, v))) if values else body


def map_expressions(body: Body, change: Callable[[Expr], Expr], name: Callable[[str], str] = str) -> Body:
    """The body with every expression replaced by what ``change`` gives for it, every loop variable by ``name``."""
    return tuple([_mapped(node, change, name) for node in body])


def _mapped(node: Node, change: Callable[[Expr], Expr], name: Callable[[str], str]) -> Node:
    if isinstance(node, Access):
        index = tuple([None if e is None else change(e) for e in node.index])
        pointer = node.pointer and replace(node.pointer, loop=change(node.pointer.loop))
        if not node.within and node.along is None and not pointer and all(map(is_, index, node.index)):
            return node
        within = tuple(None if w is None else (change(w[0]), change(w[1])) for w in node.within)
        written = tuple([None if e is None else change(e) for e in node.written])
        rests = tuple(rest and rest.mapped(change) for rest in node.rests)
        along = node.along and change(node.along)
        return replace(node, index=index, within=within, written=written, rests=rests, along=along, pointer=pointer)
    if isinstance(node, Operation):
        count = change(node.count)
        return node if count is node.count else replace(node, count=count)
    if isinstance(node, Barrier):
        return node
    body = map_expressions(children(node), change, name)
    if isinstance(node, When):
        conditions = tuple(replace(c, expr=change(c.expr)) for c in node.conditions)
        return replace(node, conditions=conditions, body=body)
    if isinstance(node, Branch):
        return replace(node, share=change(node.share), body=body)
    return replace(
        node,
        var=name(node.var),
        start=change(node.start),
        stop=change(node.stop),
        step=change(node.step),
        total=None if node.total is None else change(node.total),
        total_over=name(node.total_over),
        most=None if node.most is None else change(node.most),
        body=body,
        device=node.device and node.device.mapped(change),
    )


def is_doubling(loop: Loop) -> bool:
    """Whether subscripts or bounds in a loop hold powers of two in its variable."""
    return any(_doubles(e, loop.var) for node in walk(loop.body) for e in expressions(node))


def _doubles(expr: Expr, var: str) -> bool:
    return any(
        (atom.name == "pow2" and var in Expr.atom(atom).symbols) or any(_doubles(a, var) for a in atom.args)
        for atom in expr.atoms
    )
