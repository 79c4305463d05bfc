"""RFL706: the lanes of a warp use one field each of neighbouring records."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.finding import Finding
from roofscan.rules.lanes import on_gpu, records_across_lanes
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext

CODE = Code(
    id="RFL706",
    title="lanes use fields of neighbouring records",
    remedy="split records",
    location="access",
    meaning="""
        The array is an array of structures: it has a structured dtype, or short last axes of fixed length. The lanes
        of a warp use the same field of neighbouring records, so a request covers as many sectors as the records fill.
        The message gives the sectors per request, and those for an array of that field alone.""",
    why="""
        Other fields of a sector may be read from L1 later. But memory and L2 move sectors of 32 bytes, and a request
        of 32 sectors takes eight times as long as one of four.""",
    action="""
        Store each field in an array of its own, or put the axis of the fields first: p[field, i].""",
    bad="""
        from numba import cuda, float32

        # roofscan: p=f4[33554432,8] e=f4[33554432] grid=(131072,) block=(256,)
        @cuda.jit
        def masses(p, e):
            i = cuda.grid(1)
            if i < e.size:
                e[i] = float32(2.0) * p[i, 7]
        """,
    good="""
        from numba import cuda, float32

        # roofscan: p=f4[8,33554432] e=f4[33554432] grid=(131072,) block=(256,)
        @cuda.jit
        def masses(p, e):
            i = cuda.grid(1)
            if i < e.size:
                e[i] = float32(2.0) * p[7, i]
        """,
)


def may_apply(context: RuleContext) -> bool:
    return on_gpu(context)


def find(context: RuleContext) -> Iterator[Finding]:
    yield from records_across_lanes(context, CODE.id)
