"""How far an iteration of a loop walks through an array."""

from __future__ import annotations

from roofscan.cost.counts import ExecutionCounts
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Loop
from roofscan.ir.visitor import innermost_loops, own_leaves
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable

_VARYING = 1 << 30  # the stride of a subscript such as i*j


def has_strided_innermost(kernel: Kernel, executions: ExecutionCounts, body: Body) -> bool:
    """Whether an innermost loop walks an array by a step other than 0, 1 or -1 elements: no vector code."""
    return any(
        stride_of(kernel, executions, loop, node) not in (0, 1, -1)
        for loop in innermost_loops(body)
        for node in own_leaves(loop.body)
        if isinstance(node, Access) and node.regular
    )


def stride_of(kernel: Kernel, executions: ExecutionCounts, loop: Loop, access: Access) -> int:
    """Elements that an iteration moves on, at the sample point; 0 also where the subscript is not affine."""
    try:
        return int(executions.chamber.value(stride(kernel, loop, access)))
    except NotEvaluable:
        return _VARYING


def stride(kernel: Kernel, loop: Loop, access: Access) -> Expr:
    """The same for all sizes."""
    moved = ZERO
    for subscript, elements in zip(access.index, kernel.array(access.array).strides):
        if subscript is not None and subscript.is_linear_in([loop.var]):
            moved = moved + subscript.coefficient(loop.var) * elements
    return moved * loop.step
