"""RFL522: the rows of an array are a power of two long, so that a walk down its columns falls into few cache sets."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.advice.longer_rows import padding, sets_of_rows
from roofscan.finding import Finding, Subject
from roofscan.ir.visitor import accesses
from roofscan.remedy import do
from roofscan.roofline.strides import StridedAccess, strided_accesses
from roofscan.roofline.time.conflicts import SETS
from roofscan.rules import strided_access
from roofscan.rules.conditions import has_roofline
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times
from roofscan.units import digits

WORTHWHILE = 1.5  # how many times faster a call must become

CODE = Code(
    id="RFL522",
    title="rows of a power of two cause conflict misses",
    location="loop",
    meaning="""
        The loop walks down the columns of an array whose rows are a multiple of 1,024 bytes long. The address of a line
        determines its cache set, so these accesses use one set in 16, or one in 64. Their lines evict one another
        although the cache has room for all. The code is reported only where the sizes are known, and where another
        order of the loops (RFL201) would not gain more.""",
    why="""
        Measured under Numba 0.68: A[i, j] *= s[j] down the columns of 1000 rows takes 25 times as long for 512 columns
        as with 8 more in each row, 23 times for 1024 and 11 times for 2048; with 2000 rows 24, 19 and 10 times.""",
    action="""
        Make the rows longer by a cache line and use a part of them: A = np.empty((n, 1024 + 8))[:, :1024]. Or make the
        loop over the rows the outer loop, where that is legal.""",
    bad="""
        from numba import njit

        # roofscan: A=f8[1000,1024]
        @njit
        def decay(A, c):
            for j in range(A.shape[1]):
                level = 0.0
                for i in range(A.shape[0]):
                    level = c * level + A[i, j]
                    A[i, j] = level
        """,
    good="""
        from numba import njit

        # roofscan: A=f8[1000,1032]
        @njit
        def decay(A, c):
            for j in range(A.shape[1] - 8):
                level = 0.0
                for i in range(A.shape[0]):
                    level = c * level + A[i, j]
                    A[i, j] = level
        """,
    remedy="longer rows",
)
YIELDS_TO = ("RFL202",)  # another order of the loops has no such walk


def may_apply(context: RuleContext) -> bool:
    kernel, machine, counts = context.kernel, context.hardware, context.counts
    if machine.kind == "gpu" or not machine.timing.given or not kernel.decorator.compiled or kernel.on_gpu:
        return False
    return has_roofline(context) and (counts is None or any(_crowded(context)))


def find(context: RuleContext) -> Iterator[Finding]:
    point, seen = context.point, set[str]()
    for walk, skipped in _crowded(context):
        name = walk.array.name
        pad, speedup = (0, None) if name in seen else padding(point, walk, context.line)
        seen.add(name)
        if speedup and speedup.gain >= max(WORTHWHILE, _told_of_strides(context, walk)):
            step = digits(float(point.evaluation.value(walk.stride)))
            why = f"steps of {step} B use {SETS // skipped} of {SETS} cache sets"
            message = sentence(
                context.name,
                speedup,
                do("make", f"the rows of {name} {pad} elements longer"),
                *with_times(why, speedup),
            )
            about = Subject("array", (name,))
            more = f"Allocate longer rows of {name} and use a part of them."
            yield context.at(CODE.id, walk.loop.line, 0, message, about, speedup.figures, more=more)


def _told_of_strides(context: RuleContext, walk: StridedAccess) -> float:
    """The gain of another walk of the same loop that RFL201 names: longer rows would be for the walk that goes."""
    lines = {access.line for access in accesses(walk.loop.body)}
    return max((found.gain or 0.0 for found in strided_access.find(context) if found.line in lines), default=0.0)


def _crowded(context: RuleContext) -> Iterator[tuple[StridedAccess, int]]:
    counts = context.counts
    assert counts is not None
    for walk in strided_accesses(counts.kernel):
        if not walk.loop.is_elsewhere and (skipped := sets_of_rows(walk, counts, context.hardware.levels[0].line)):
            yield walk, skipped
