"""Negative subscripts count from the end: ``x[i - 1]`` at i = 0 is the last element. One that is negative in part of
its range becomes two accesses, each under its condition; one that is negative throughout is moved by the extent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.loop_names import is_loop_variable
from roofscan.ir.tree import Access, Block, Body, Loop, Node, When
from roofscan.ir.visitor import BLOCKS, conditions_of, loops_of, with_body
from roofscan.parse.lowering.subscript_ranges import (
    always_negative,
    can_be_negative,
    extent,
    never_negative,
    without_limits,
)
from roofscan.symbolic.expr import Expr


def resolve_negative_indices(
    body: Body, arrays: Mapping[str, Array], new_id: Callable[[], int], around: tuple[Block, ...] = ()
) -> Body:
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Access):
            nodes.extend(_resolved(node, arrays[node.array].shape, new_id, loops_of(around), conditions_of(around)))
        elif isinstance(node, BLOCKS):
            nodes.append(with_body(node, resolve_negative_indices(node.body, arrays, new_id, (*around, node))))
        else:
            nodes.append(node)
    return tuple(nodes)


def _resolved(
    access: Access,
    shape: Sequence[Expr],
    new_id: Callable[[], int],
    loops: Sequence[Loop],
    guards: Sequence[Condition],
    position: int = 0,
) -> list[Node]:
    """The access, with its subscripts from ``position`` on resolved one after the other."""
    for place in range(position, min(len(shape), len(access.index))):
        subscript, size = access.index[place], shape[place]
        if subscript is None or never_negative(subscript) or _only_rises(subscript, loops):
            continue
        if (free := without_limits(subscript, loops, guards)) != subscript:
            access, subscript = _moved(access, place, free), free
        lo, hi = extent(subscript, loops, guards)
        if always_negative(hi):
            access = _moved(access, place, subscript + size)
        elif can_be_negative(lo):
            inside, outside = Condition(subscript, "ge"), Condition(-subscript - 1, "ge")
            wrapped = replace(_moved(access, place, subscript + size), id=new_id())
            return [
                When(
                    (condition,),
                    tuple(_resolved(part, shape, new_id, loops, [*guards, condition], place + 1)),
                    part.line,
                )
                for condition, part in ((inside, access), (outside, wrapped))
            ]
    return [access]


def _only_rises(subscript: Expr, loops: Sequence[Loop]) -> bool:
    """Whether a subscript is a sum of sizes and of loop variables that are never negative."""
    upward = {loop.var for loop in loops if _counts_up(loop)}
    for monomial, coefficient in subscript.terms.items():
        if coefficient < 0:
            return False
        for atom, power in monomial:
            if not isinstance(atom, str) or power < 0 or (is_loop_variable(atom) and atom not in upward):
                return False
    return True


def _counts_up(loop: Loop) -> bool:
    step = loop.step.constant
    return step is not None and step > 0 and (loop.start.constant or 0) >= 0 and loop.start.constant is not None


def _moved(access: Access, position: int, subscript: Expr) -> Access:
    index = (*access.index[:position], subscript, *access.index[position + 1 :])
    return replace(access, index=index, written=access.written or access.index)
