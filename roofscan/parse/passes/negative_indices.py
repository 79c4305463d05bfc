"""Subscripts that go below zero count from the end: ``x[i - 1]`` at i = 0 is the last element.

A last pass, when every loop's range is known: a subscript that is negative in part of its range becomes two
accesses, each under its condition; one that is negative throughout is moved by the extent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from roofscan.ir.kernel import Access, Array, Body, Branch, Condition, Loop, Node, Operation, When
from roofscan.parse.lowering.subscript_ranges import can_be_negative, extent, never_negative, surely_below_zero
from roofscan.symbolic.expr import Expr


def wrapped_body(
    body: Body,
    arrays: Mapping[str, Array],
    new_id: Callable[[], int],
    loops: Sequence[Loop] = (),
    guards: Sequence[Condition] = (),
) -> Body:
    """``body`` with negative subscripts resolved."""
    nodes: list[Node] = []
    for node in body:
        if isinstance(node, Access):
            nodes.extend(_access(node, arrays, new_id, loops, guards))
        elif isinstance(node, Loop):
            inner = wrapped_body(node.body, arrays, new_id, [*loops, node], guards)
            nodes.append(replace(node, body=inner))
        elif isinstance(node, When):
            inner = wrapped_body(node.body, arrays, new_id, loops, [*guards, *node.conditions])
            nodes.append(replace(node, body=inner))
        elif isinstance(node, Branch):
            nodes.append(replace(node, body=wrapped_body(node.body, arrays, new_id, loops, guards)))
        else:
            assert isinstance(node, Operation)
            nodes.append(node)
    return tuple(nodes)


def _access(
    access: Access,
    arrays: Mapping[str, Array],
    new_id: Callable[[], int],
    loops: Sequence[Loop],
    guards: Sequence[Condition],
    position: int = 0,
) -> list[Node]:
    """The access, its subscripts from ``position`` on resolved one after the other."""
    shape = arrays[access.array].shape
    for place in range(position, min(len(shape), len(access.index))):
        subscript, size = access.index[place], shape[place]
        if subscript is None or never_negative(subscript) or _only_rises(subscript, loops):
            continue
        lo, hi = extent(subscript, loops, guards)
        if surely_below_zero(hi):
            access = _moved(access, place, subscript + size)
        elif can_be_negative(lo):
            inside, outside = Condition(subscript, "ge"), Condition(-subscript - 1, "ge")
            turned = replace(_moved(access, place, subscript + size), id=new_id())
            return [
                When(
                    (condition,),
                    tuple(_access(part, arrays, new_id, loops, [*guards, condition], place + 1)),
                    part.line,
                )
                for condition, part in ((inside, access), (outside, turned))
            ]
    return [access]


def _only_rises(subscript: Expr, loops: Sequence[Loop]) -> bool:
    """Whether a subscript is made of sizes and loop variables that are never negative, all added up."""
    upward = {loop.var for loop in loops if _counts_up(loop)}
    for monomial, coefficient in subscript.terms.items():
        if coefficient < 0:
            return False
        for atom, power in monomial:
            if not isinstance(atom, str) or power < 0 or ("#" in atom and atom not in upward):
                return False
    return True


def _counts_up(loop: Loop) -> bool:
    step = loop.step.constant
    return step is not None and step > 0 and (loop.start.constant or 0) >= 0 and loop.start.constant is not None


def _moved(access: Access, position: int, subscript: Expr) -> Access:
    return replace(access, index=(*access.index[:position], subscript, *access.index[position + 1 :]))
