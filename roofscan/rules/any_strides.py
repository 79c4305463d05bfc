"""RFL505: a signature lets arrays have any strides, so that loops over them are scalar code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.advice.gain import counted
from roofscan.advice.loop_code import WORTHWHILE, CodeChange, speedup
from roofscan.advice.modest_sizes import pays_at_modest_sizes
from roofscan.finding import Finding
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.remedy import all_of, compile_with, do
from roofscan.roofline.time.speedup import Speedup
from roofscan.rules.conditions import has_roofline
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times

MAX_NAMED = 3  # arrays that a message names
FASTMATH = 'fastmath={"reassoc", "nsz"}'

CODE = Code(
    id="RFL505",
    title="a signature allows arrays of any strides",
    remedy="[::1]",
    location="kernel",
    meaning="""
        A signature such as f8[:] or f8[:, :] has Numba compile the function for arrays of any strides. The compiler
        does not know that neighbouring elements of a row are neighbours in memory, so loops over them are scalar code.
        The message gives the expected time before and after the change.""",
    why="""
        A vector instruction loads elements that are neighbours in memory. Measured under Numba 0.68 on 8,000 elements:
        y[i] = a*x[i] + y[i] takes 2.6 times as long with f8[:] as with f8[::1].""",
    action="""
        Write f8[::1] for f8[:] and f8[:, ::1] for f8[:, :], where all callers pass arrays in C order. Other arrays,
        such as columns and transposed matrices, then raise TypeError: pass copies of them, or keep the old signature
        in a list behind the new one. A chain of additions also needs fastmath={"reassoc", "nsz"}.""",
    bad="""
        from numba import njit

        @njit("void(f8[:], f8[:], f8)")
        def axpy(x, y, a):
            for i in range(len(x)):
                y[i] += a * x[i]
        """,
    good="""
        from numba import njit

        @njit("void(f8[::1], f8[::1], f8)")
        def axpy(x, y, a):
            for i in range(len(x)):
                y[i] += a * x[i]
        """,
)
YIELDS_TO = ("RFL202", "RFL504")  # a walk across rows is scalar code as it is; a loop over elements comes first


def may_apply(context: RuleContext) -> bool:
    kernel = context.kernel
    if kernel.decorator.kind not in ("njit", "jit") or kernel.is_helper or context.hardware.kind == "gpu":
        return False
    return has_roofline(context) and any(map(_may_be_contiguous, kernel.arrays))


def find(context: RuleContext) -> Iterator[Finding]:
    point = context.point
    for changed in _contiguous(point.cost.kernel):
        change = CodeChange((), frozenset(), counted(point, changed).cost.nests)
        found = speedup(point, change)
        if found and pays_at_modest_sizes(point, change, WORTHWHILE):
            yield _finding(context, found, changed.decorator.fastmath and not context.kernel.decorator.fastmath)
            return


def _finding(context: RuleContext, found: Speedup, with_fastmath: bool) -> Finding:
    names = [array.name for array in context.kernel.arrays if _may_be_contiguous(array)]
    arrays = f" for {' and '.join(names)}" if len(names) <= MAX_NAMED else ""
    written = do("write", f"[::1]{arrays} in the signature")
    remedy = all_of([written, compile_with(FASTMATH)][: 1 + with_fastmath])
    message = sentence(context.name, found, remedy, *with_times("[:] allows any strides", found))
    return context.at_def(CODE.id, message, found.figures, more=found.sizes)


def _contiguous(kernel: Kernel) -> Iterator[Kernel]:
    """The kernel with arrays in C order, then with sums in any order too."""
    arrays = (replace(a, any_stride=False) if _may_be_contiguous(a) else a for a in kernel.arrays)
    found = replace(kernel, arrays=tuple(arrays))
    yield found
    if not kernel.decorator.fastmath:
        yield replace(found, decorator=replace(kernel.decorator, fastmath=True))


def _may_be_contiguous(array: Array) -> bool:
    """Not where the layout "A" is written out: ``[:]`` is short for it, which few mean."""
    return array.any_stride and not array.for_views
