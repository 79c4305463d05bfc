"""A loop nest on its own: loops that hold nothing but each other, and the body of the innermost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from roofscan.ir.kernel import Access, Array, Body, Branch, Kernel, Loop, Node, Operation, When
from roofscan.symbolic.expr import Expr


@dataclass(frozen=True)
class Nest:
    """Loops, outermost first (their own bodies do not count), around ``body``."""

    loops: tuple[Loop, ...]
    body: Body

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(loop.var for loop in self.loops)

    @cached_property
    def inner(self) -> frozenset[str]:
        """The variables of loops within the body."""
        return frozenset(loop.var for loop in loops_in(self.body))

    def tree(self) -> Body:
        """The nest as a piece of a kernel's tree."""
        body = self.body
        for loop in reversed(self.loops):
            body = (replace(loop, body=body),)
        return body


def loops_in(body: Body) -> Iterator[Loop]:
    """All loops below a body, outer ones first."""
    for node in body:
        if isinstance(node, Loop):
            yield node
        if isinstance(node, (Loop, When, Branch)):
            yield from loops_in(node.body)


def leaves(body: Body) -> Iterator[Access | Operation]:
    """All accesses and operations below a body, in order."""
    for node in body:
        if isinstance(node, (Access, Operation)):
            yield node
        else:
            yield from leaves(node.body)


def accesses(body: Body) -> Iterator[Access]:
    return (node for node in leaves(body) if isinstance(node, Access))


def with_replaced(kernel: Kernel, old: Loop, new: Body) -> Kernel:
    """The kernel with other nodes in the place of one of its loops."""
    return replace(kernel, body=_replaced(kernel.body, old.var, new))


def _replaced(body: Body, var: str, new: Body) -> Body:
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and node.var == var:
            nodes += new
        elif isinstance(node, (Access, Operation)):
            nodes.append(node)
        else:
            nodes.append(replace(node, body=_replaced(node.body, var, new)))
    return tuple(nodes)


def renamed(nest: Nest, suffix: str) -> Nest:
    """A copy with loop variables of its own (they are unique in a kernel)."""
    names = {loop.var: Expr.of(loop.var + suffix) for loop in (*nest.loops, *loops_in(nest.body))}
    [tree] = _substituted(nest.tree(), names) if nest.loops else [None]
    loops: list[Loop] = []
    body = _substituted(nest.body, names)
    node: Node | None = tree
    for _ in nest.loops:
        assert isinstance(node, Loop)
        loops.append(node)
        body = node.body
        node = body[0] if body else None
    return Nest(tuple(loops), body)


def _substituted(body: Body, names: Mapping[str, Expr]) -> Body:
    return tuple(_with(node, names) for node in body)


def _with(node: Node, names: Mapping[str, Expr]) -> Node:
    if isinstance(node, Access):
        index = tuple(None if e is None else e.subs(names) for e in node.index)
        within = tuple(None if w is None else (w[0].subs(names), w[1].subs(names)) for w in node.within)
        return replace(node, index=index, within=within)
    if isinstance(node, Operation):
        return replace(node, count=node.count.subs(names))
    inner = _substituted(node.body, names)
    if isinstance(node, When):
        conditions = tuple(replace(c, expr=c.expr.subs(names)) for c in node.conditions)
        return replace(node, conditions=conditions, body=inner)
    if isinstance(node, Branch):
        return replace(node, body=inner)
    bounds = {part: getattr(node, part).subs(names) for part in ("start", "stop", "step")}
    return replace(node, var=str(names.get(node.var, node.var)), body=inner, **bounds)


def stride(access: Access, array: Array, loop: Loop) -> Expr | None:
    """Elements from one iteration of the loop to the next; None where that is no fixed number."""
    total = Expr()
    for subscript, step in zip(access.index, array.strides, strict=True):
        if subscript is None or not subscript.is_linear_in((loop.var,)):
            return None
        total = total + subscript.coefficient(loop.var) * step
    return total * loop.step
