"""Loops over slices with clamped ends (``x[max(0, i - w) : i + 1]``), run over the subscripts themselves. A slice is
lowered as a loop from 0 whose variable is added to the start of the slice. Where the start is a ``max`` or a ``min``,
that subscript is not affine; a loop from the start to the end has the bounds of a written one. A loop that also fills
memory of its iteration's own stays: that memory begins on a line, and is most of what such a loop touches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import replace

from roofscan.ir.tree import Access, Body, Loop, Node
from roofscan.ir.visitor import BLOCKS, accesses, substitute, with_body
from roofscan.symbolic.expr import ZERO, Expr, Func, symbol


def over_subscripts(body: Body, fresh: Container[str]) -> Body:
    """The body with each such loop moved by the start that most of its subscripts share; ``fresh``: the arrays that
    iterations have of their own."""
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, BLOCKS):
            node = with_body(node, over_subscripts(node.body, fresh))
        nodes.append(_moved(node, fresh) if isinstance(node, Loop) else node)
    return tuple(nodes)


def _moved(loop: Loop, fresh: Container[str]) -> Loop:
    starts = Counter(start for _, start in _starts(loop))
    own = any(start == ZERO and access.array in fresh for access, start in _starts(loop))
    if own or loop.total is not None or not starts.keys() - {ZERO}:
        return loop
    [(start, _), *_] = starts.most_common(1)
    if start == ZERO:
        return loop
    body = substitute(loop.body, {loop.var: symbol(loop.var) - start})
    return replace(loop, start=loop.start + start, stop=loop.stop + start, body=body)


def _starts(loop: Loop) -> Iterator[tuple[Access, Expr]]:
    """What is clamped in each subscript in which the variable of the loop stands with a factor of 1."""
    for access in accesses(loop.body):
        for subscript in access.index:
            if subscript is not None and subscript.terms.get(((loop.var, 1),)) == 1:
                clamps = {m: c for m, c in subscript.terms.items() if any(_is_clamp(a, loop.var) for a, _ in m)}
                yield access, Expr(clamps)


def _is_clamp(atom: str | Func, var: str) -> bool:
    return isinstance(atom, Func) and atom.name in ("min", "max") and var not in Expr.atom(atom).symbols
