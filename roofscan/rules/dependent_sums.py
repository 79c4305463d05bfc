"""RFL501: a sum or product that must be added up in order keeps the loop waiting for each addition."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.advice.loop_code import CodeChange, may_add_up, reordered_sums, stores_in_place
from roofscan.cost.result import KernelCost
from roofscan.finding import Finding
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Loop, Operation
from roofscan.ir.visitor import accesses, leaves, loops
from roofscan.remedy import Remedy, compile_with
from roofscan.rules.faster_code import NUMPY_ERRORS, faster, may_be_faster
from roofscan.rules.repeated_work import repeated_reductions
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.symbolic.expr import symbol

AT_BEST = 1.8
"""The least gain at the best of free sizes. Vectors are often shorter: what gained 1.5 for 10,000 elements gained 1.2
for 300, and nothing for 50."""
AT_MODEST = 1.6
"""Likewise at modest sizes, where vector code has few turns, and adds up its lanes at the end: what promised 1.65 to
2.2 there gained 1.3 to 1.5 (measured for six functions of 16 and 64 elements)."""

CODE = Code(
    id="RFL501",
    title="a chain of dependent additions limits the loop",
    remedy="fastmath",
    location="loop",
    meaning="""
        Each iteration adds to (or multiplies) the same scalar, and needs the result of the iteration before. Without
        fastmath the compiler must keep that order: the loop is not vectorized, and each iteration takes the latency of
        an addition. So does a sum, a mean, a product or a variance of a whole array: Numba compiles each as such a
        loop.""",
    why="""
        Measured under Numba 0.68, the reordered loop is faster: a dot product 3.6 times for 1,500 elements, 4.4 times
        for 60,000 and 1.4 times from memory; a sum 4.9, 14 and 2.9 times; a product 6.9, 27 and 5.9 times; matrix
        times vector 1.9 to 5.3 times. For 100,000 elements, x.sum() is 4.8 times as fast, np.mean(x) 7.7, x.var() 5.9,
        np.prod(x) 4.8 times; a column x[:, j], np.nansum(x) and sums along an axis are not.""",
    action="""
        Compile with fastmath={"reassoc", "nsz"}. Sums are then added in another order, and their last digits may
        differ; NaN and inf stay as they are. A loop that divides by what changes needs error_model="numpy", too: its
        tests for 0 keep it scalar in any order (a sum of x[i] / y[i] 4.3 times with both, 1.0 with one). Or keep four
        accumulators in the loop, and add them up after it, as `roofscan fix --unsafe --no-fastmath` writes them:
        measured 2.5 to 3.8 times for a sum, 1.5 to 2.0 times for a dot product, 1.0 to 1.8 times for rows of a
        matrix. Where sizes are free, the code is reported if it pays for 64 elements, or matrices of 32 rows, too: a
        call that makes arrays, or a recurrence beside the distance of two points, leaves little of it.""",
    bad="""
        from numba import njit

        @njit
        def total(x):
            s = 0.0
            for i in range(len(x)):
                s += x[i]
            return s
        """,
    good="""
        from numba import njit

        @njit(fastmath={"reassoc", "nsz"})
        def total(x):
            s = 0.0
            for i in range(len(x)):
                s += x[i]
            return s
        """,
)


def _change(cost: KernelCost) -> CodeChange | None:
    return reordered_sums(cost) if cost.kernel.decorator.kind in ("njit", "jit") else None


def _words(kernel: Kernel, change: CodeChange) -> tuple[Remedy, str]:
    fastmath = 'fastmath={"reassoc", "nsz"}'
    if "division" in change.faults:
        return compile_with(f"{fastmath} and {NUMPY_ERRORS}"), "a chain of additions, and zero tests"
    return compile_with(fastmath), "a chain of additions"


YIELDS_TO = ("RFL202", "RFL504", "RFL505")
"""Another order of the loops parts the additions; loops over elements, and `[::1]`, come first."""
may_apply = may_be_faster(_change, may_add_up)
_find = faster(CODE.id, _change, _words, AT_BEST, AT_MODEST)


def find(context: RuleContext) -> Iterator[Finding]:
    """Not of a sum that should be computed once, before a loop that repeats it (RFL503), or go on from one iteration of
    that loop to the next."""
    kernel = context.point.cost.kernel
    for finding in _find(context):
        repeated = {line for found in repeated_reductions(context) for line in found.lines}
        if finding.line not in repeated | set(_running_sums(kernel)):
            yield finding


def _running_sums(kernel: Kernel) -> Iterator[int]:
    """The lines of loops that begin anew what the turn before has added up but for its last: ``for k in range(j): r[j]
    += x[k]``, which is ``np.cumsum``."""
    for outer in loops(kernel.body):
        for inner in (node for node in outer.body if isinstance(node, Loop)):
            read = [a for a in accesses(inner.body) if not a.write]
            moves = [a for a in read if any(e is None or outer.var in e.symbols for e in a.index)]
            sums = {a.array for a in moves if stores_in_place(inner, a.array)}
            grows = (inner.stop - symbol(outer.var)).constant is not None and outer.var not in inner.start.symbols
            if grows and read and all(a.array in sums for a in moves) and _knows_operands(inner):
                yield inner.line


def _knows_operands(loop: Loop) -> bool:
    """Whether it computes with elements and numbers that it makes of them alone: not with counters."""
    operations = (node for node in leaves(loop.body) if isinstance(node, Operation))
    return all(len(op.inputs) == 2 for op in operations if op.kind in ("add", "sub", "mul", "div"))
