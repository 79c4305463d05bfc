"""RFL507: a loop calls ``pow`` where an integer exponent makes products of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from roofscan.advice.gain import counted
from roofscan.advice.loop_code import CodeChange, speedup
from roofscan.finding import Finding, Subject
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import INTEGER_POWER, INVERSE_ROOT_POWER, POWER_CALL, ROOT_POWER
from roofscan.ir.tree import Access, Leaf, Operation
from roofscan.ir.visitor import leaves, loops_of, map_leaves, walk_with_blocks
from roofscan.remedy import Remedy, do
from roofscan.rules.conditions import has_roofline
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times
from roofscan.symbolic.expr import Expr

ROOTS: Mapping[str, int] = {ROOT_POWER: 1, INVERSE_ROOT_POWER: 2}
"""Roots that take as long as what is written for them: a quotient takes about as long as one."""

CODE = Code(
    id="RFL507",
    title="a loop calls pow where products do",
    remedy="integer exponent",
    location="statement",
    meaning="""
        The exponent of a power in a loop is a whole number or half of one, but floating: x ** 3.0, np.power(x, 3) or
        r2 ** -1.5. Numba calls pow for it, one element after the other. An integer exponent, x ** 3, becomes products,
        which are vector code. Only squares (x ** 2.0) and roots (x ** 0.5) are no calls in any case.""",
    why="""
        Measured under Numba 0.68 for 10,000 elements: x ** 3.0 takes 204 microseconds and x ** 3 3.1; np.power(x, 3)
        takes 287 to 357; x ** 1.5 takes 284 and np.sqrt(x) ** 3 13; r2 ** -1.5 takes 311 and np.sqrt(r2) ** -3 33. All
        of fastmath (fastmath=True) opens such calls, too.""",
    action="""
        Write whole exponents without a point, x ** 3, and half ones as powers of a root, np.sqrt(x) ** 3 and
        np.sqrt(x) ** -3, as `roofscan fix --unsafe` does: the last digit may differ, and powers of integers are
        integers.""",
    bad="""
        from numba import njit

        @njit
        def attract(x, r2, out):
            for i in range(len(x)):
                out[i] = x[i] * r2[i] ** -1.5
        """,
    good="""
        import numpy as np
        from numba import njit

        @njit
        def attract(x, r2, out):
            for i in range(len(x)):
                out[i] = x[i] * np.sqrt(r2[i]) ** -3
        """,
)


def may_apply(context: RuleContext) -> bool:
    kernel = context.kernel
    if not kernel.decorator.compiled or kernel.on_gpu or context.hardware.kind == "gpu":
        return False
    return has_roofline(context) and next(_called(kernel), None) is not None


def find(context: RuleContext) -> Iterator[Finding]:
    point = context.point
    kernel = point.cost.kernel
    called = {operation.id: operation for operation in _called(kernel)}
    if not called:
        return
    body = map_leaves(kernel.body, lambda leaf: _opened(leaf) if leaf.id in called else leaf)
    change = CodeChange((), frozenset(), counted(point, replace(kernel, body=body)).cost.nests)
    found = speedup(point, change)
    if found:
        lines = tuple(sorted({operation.line for operation in called.values()}))
        remedy = _remedy({operation.function for operation in called.values()})
        message = sentence(context.name, found, remedy, *with_times(f"line {lines[0]} calls pow", found))
        about = Subject("kernel")
        yield context.at(CODE.id, lines[0], 0, message, about, found.figures, lines, found.sizes)


def _remedy(functions: set[str]) -> Remedy:
    if POWER_CALL in functions:
        return do("write", "whole exponents without a point" if len(functions) == 1 else "exponents as integers")
    return do("write", "half powers as powers of np.sqrt")


def _called(kernel: Kernel) -> Iterator[Operation]:
    """The powers in loops that the function itself writes, of floating-point numbers in double precision."""
    if kernel.decorator.approximates:
        return
    double = {leaf.id for leaf in leaves(kernel.body) if _is_double(kernel, leaf)}
    for node, around in walk_with_blocks(kernel.body):
        if isinstance(node, Operation) and node.function in (POWER_CALL, *ROOTS) and node.dtype.code == "f8":
            loops = loops_of(around)
            own = bool(loops) and bool(loops[-1].source_name) and not loops[-1].is_elsewhere
            if own and kernel.line <= node.line <= kernel.end_line and double.issuperset(node.inputs):
                yield node


def _is_double(kernel: Kernel, leaf: Leaf) -> bool:
    dtype = kernel.array(leaf.array).dtype if isinstance(leaf, Access) else getattr(leaf, "dtype", None)
    return dtype is not None and dtype.code == "f8"


def _opened(leaf: Leaf) -> Leaf:
    if not isinstance(leaf, Operation):
        return leaf
    if leaf.function in ROOTS:
        return replace(leaf, kind="sqrt", function="", count=Expr.of(ROOTS[leaf.function]))
    return replace(leaf, function=INTEGER_POWER)
