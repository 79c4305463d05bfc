"""RFL526: blocks of a size that the source sets miss the cache that they are meant for."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.advice.block_size import better_size
from roofscan.cost.transform.blocks import blocks
from roofscan.finding import Finding, Subject
from roofscan.remedy import do
from roofscan.rules.conditions import computes_on_arrays
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times

CODE = Code(
    id="RFL526",
    title="blocks are too large for the cache, or too small",
    remedy="another block size",
    location="loop",
    meaning="""
        The loops are cut into blocks so that a block stays in a cache while it is reused; the block size is a constant
        or a parameter. By the model, a block of this size is evicted before it is reused, or is so small that its data
        are loaded more often than necessary. The message names the size with the shortest expected time among the
        given size multiplied or divided by powers of two.""",
    why="""
        Blocks whose data just fill a cache evict each other: three blocks of 64 by 64 doubles take 96 KiB, and an L1
        cache of 32 or 48 KiB holds three of 32 by 32 at most.""",
    action="""
        Set the constant to the size in the message, and measure: neighbouring sizes differ little. Where the block
        size is a parameter, the message is about its default or bound value.""",
    bad="""
        from numba import njit

        # roofscan: n=2000
        @njit
        def product(A, B, C):
            n = A.shape[0]
            for kk in range(0, n, 64):
                for jj in range(0, n, 64):
                    for i in range(n):
                        for k in range(kk, min(kk + 64, n)):
                            c, b = C[i, jj : min(jj + 64, n)], B[k, jj : min(jj + 64, n)]
                            for j in range(len(c)):
                                c[j] += A[i, k] * b[j]
        """,
    good="""
        from numba import njit

        # roofscan: n=2000
        @njit
        def product(A, B, C):
            n = A.shape[0]
            for kk in range(0, n, 32):
                for jj in range(0, n, 32):
                    for i in range(n):
                        for k in range(kk, min(kk + 32, n)):
                            c, b = C[i, jj : min(jj + 32, n)], B[k, jj : min(jj + 32, n)]
                            for j in range(len(c)):
                                c[j] += A[i, k] * b[j]
        """,
)


def may_apply(context: RuleContext) -> bool:
    kernel = context.kernel
    if kernel.on_gpu or context.hardware.kind == "gpu" or not kernel.decorator.compiled:
        return False
    return computes_on_arrays(context) and any(blocks(kernel))


def find(context: RuleContext) -> Iterator[Finding]:
    point = context.point
    for found in blocks(point.cost.kernel):
        better = better_size(point, found)
        if better is not None and better.cache:
            names = ", ".join(dict.fromkeys(loop.source_name for loop in found.over))
            block = f"{found.parameter} = {better.now}" if found.parameter else str(better.now)
            fault = "misses" if better.size < better.now else "leaves room in"
            message = sentence(
                context.name,
                better.speedup,
                do("use", f"blocks of {better.size} over {names}"),
                *with_times(f"{block} {fault} {better.cache}", better.speedup),
            )
            about = Subject("loop", tuple(loop.source_name for loop in found.over))
            figures, line = better.speedup.figures, found.over[0].line
            yield context.at(CODE.id, line, 0, message, about, figures, more=better.speedup.sizes)
