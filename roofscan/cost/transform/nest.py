"""A loop nest by itself: loops that hold nothing but each other, and the body of the innermost. A change to loops is an
object, made only where it is legal; its ``record`` in plain data is what findings, caches and source fixes hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cached_property

from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Branch, Loop, Node, When
from roofscan.ir.visitor import accesses, allocated_in, loops, replace_nodes, substitute
from roofscan.symbolic.expr import Expr
from roofscan.transformation import LoopRecord


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
        return frozenset(loop.var for loop in loops(self.body))

    def tree(self) -> Body:
        body = self.body
        for loop in reversed(self.loops):
            body = (replace(loop, body=body),)
        return body


def renamed(nest: Nest, suffix: str) -> Nest:
    """A copy whose loop variables, which are unique in a kernel, end with a suffix."""
    body = nest.tree()
    body = substitute(body, {loop.var: Expr.of(loop.var + suffix) for loop in loops(body)})
    copies: list[Loop] = []
    for _ in nest.loops:
        [loop] = body
        assert isinstance(loop, Loop)
        copies.append(loop)
        body = loop.body
    return Nest(tuple(copies), body)


def with_replaced(kernel: Kernel, old: Loop, new: Body) -> Kernel:
    return replace(
        kernel,
        body=replace_nodes(kernel.body, lambda node: new if isinstance(node, Loop) and node.var == old.var else None),
    )


def only(kernel: Kernel, variables: Collection[str]) -> Kernel:
    """The kernel with the loops over these variables alone, in the loops and conditions around them."""
    body = _only(kernel.body, variables)
    used = {name for access in accesses(body) for name in (access.array, kernel.array(access.array).owner)}
    return replace(kernel, body=body, arrays=allocated_in(body, (a for a in kernel.arrays if a.name in used)))


def _only(body: Body, variables: Collection[str]) -> Body:
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Loop) and node.var in variables:
            nodes.append(node)
        elif isinstance(node, (When, Branch)) or (isinstance(node, Loop) and not node.array_expression):
            inside = _only(node.body, variables)
            if inside and isinstance(node, Loop):
                nodes.append(replace(node, body=inside, carried=()))
            elif inside:
                nodes.append(replace(node, body=inside))
    return tuple(nodes)


def stride(access: Access, array: Array, loop: Loop) -> Expr | None:
    """Elements from one iteration of the loop to the next; None where that is not a fixed number."""
    total = Expr()
    for subscript, step in zip(access.index, array.strides):
        if subscript is None or not subscript.is_linear_in((loop.var,)):
            return None
        total = total + subscript.coefficient(loop.var) * step
    return total * loop.step


def loop_records(loops: Iterable[Loop]) -> tuple[LoopRecord, ...]:
    """The records of loops; those of one line and name once."""
    return tuple(dict.fromkeys(LoopRecord(loop.source_name, loop.line) for loop in loops))
