"""RFL103: left of the ridge for some sizes only."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.report.code import Code
from roofscan.report.extent import SOMETIMES
from roofscan.report.findings import strided_walk
from roofscan.report.findings.subject import NEAR, Subject, figure, left_of_ridge, pair, place_and_sizes
from roofscan.report.intervals import complement
from roofscan.report.levels import Crossing
from roofscan.report.model import Finding
from roofscan.report.paths import free_sizes
from roofscan.report.ranges import Solved

CODE = Code(
    id="RFL103",
    title="memory-bound for some sizes",
    stands_at="kernel",
    default=True,
    meaning="""
        For the sizes in the message the kernel does fewer FLOPs for each byte than the machine's ridge;
        for other sizes it computes at full speed. From some size on the data that it reuses no longer
        fit a cache, or a dimension (a batch, a tile) is too small for the work to outweigh the traffic.""",
    why="""
        A benchmark at one size says nothing about the other side of the threshold. The range tells
        which sizes to avoid, or from where on another loop structure pays.""",
    action="""
        If the range has no end, block the loops so that what they reuse stays in a cache. If it ends,
        make the named size at least that large: batch small problems together. If your sizes are on the
        good side, say so in a pragma: # roofscan: n=256 above the def.""",
    bad="""
        from numba import njit

        @njit(fastmath=True)
        def matmul(A, B, C):
            n, m = A.shape
            p = B.shape[1]
            for i in range(n):
                for k in range(m):
                    for j in range(p):
                        C[i, j] += A[i, k] * B[k, j]
        """,
    good="""
        from numba import njit

        # roofscan: n=256 m=256 p=256
        @njit(fastmath=True)
        def matmul(A, B, C):
            n, m = A.shape
            p = B.shape[1]
            for i in range(n):
                for k in range(m):
                    for j in range(p):
                        C[i, j] += A[i, k] * B[k, j]
        """,
)


def find(subject: Subject) -> Iterator[Finding]:
    crossing = left_of_ridge(subject)
    extent = subject.judged.extent
    if crossing is None or extent.how != SOMETIMES or extent.solved is None or crossing.ridge is None:
        return
    if subject.judged.cost.kernel.is_helper:  # how large its data is, and where it lies, its callers know
        return
    ridge = float(crossing.ridge)
    if NEAR * ridge <= subject.judged.intensity(crossing) < ridge:
        return
    figures, remedy = _advise(subject, crossing, extent.solved, ridge)
    yield subject.at_def(CODE.id, f"{subject.name} is {place_and_sizes(subject)}: {figures}; {remedy}")


def _advise(subject: Subject, crossing: Crossing, solved: Solved, ridge: float) -> tuple[str, str]:
    """The figures that tell most, and what to do: it depends on which end of the sizes is the slow one."""
    under = f"AI under the ridge of {figure(ridge)} FLOP/B"
    if solved.path.others == "fixed":
        return under, _keep_within(solved)
    if solved.ranges[-1][1] is None:
        ai, limit = pair(subject.judged.intensity(crossing), ridge)
        return f"AI {ai} FLOP/B, ridge {limit}", _keep_in_cache(subject)
    several = len(free_sizes(subject.judged.cost)) > 1
    return under, "batch small problems into larger ones" if several else _keep_within(solved)


def _keep_within(solved: Solved) -> str:
    """The good side of the sizes, as an order."""
    lo, hi = complement(solved.ranges, (1, None))[0]
    if hi is None:
        return f"make {solved.path.symbol} at least {lo}"
    return f"keep {solved.path.symbol} below {hi + 1}" if lo == 1 else f"keep {solved.path.symbol} in {lo}..{hi}"


def _keep_in_cache(subject: Subject) -> str:
    if strided_walk.stands_on(subject):
        return strided_walk.FIRST
    return "block its loops so that what they reuse stays in cache"
