"""RFL701: lanes of a warp ask one bank of shared memory for many words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roofscan.finding import Finding, Subject
from roofscan.rules.faster_code import element
from roofscan.rules.lanes import launched, on_gpu
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext

if TYPE_CHECKING:
    from roofscan.roofline.gpu.coalescing import Wasteful

LEAST_GAIN, MANY = 1.01, 4  # below both, conflicts are hidden by what else the launch waits for

CODE = Code(
    id="RFL701",
    title="bank conflicts in shared memory",
    remedy="pad rows by one",
    location="access",
    meaning="""
        Shared memory serves one word from each of its 32 banks at a time. Here many of the words that the lanes of a
        warp access are in the same bank, and the warp waits for one after the other.""",
    why="""
        32 lanes in one bank take 32 times as long. A row of 32 words puts a column into one bank; a row of 33 words
        spreads it over all.""",
    action="""
        Pad the rows of the shared array by one element.""",
    bad="""
        from numba import cuda, float32

        # roofscan: a=f4[16384,16384] b=f4[16384,16384] grid=(512,512) block=(32,32)
        @cuda.jit
        def transpose(a, b):
            tile = cuda.shared.array((32, 32), float32)
            x, y = cuda.threadIdx.x, cuda.threadIdx.y
            tile[y, x] = a[cuda.blockIdx.y * 32 + y, cuda.blockIdx.x * 32 + x]
            cuda.syncthreads()
            b[cuda.blockIdx.x * 32 + y, cuda.blockIdx.y * 32 + x] = tile[x, y]
        """,
    good="""
        from numba import cuda, float32

        # roofscan: a=f4[16384,16384] b=f4[16384,16384] grid=(512,512) block=(32,32)
        @cuda.jit
        def transpose(a, b):
            tile = cuda.shared.array((32, 33), float32)
            x, y = cuda.threadIdx.x, cuda.threadIdx.y
            tile[y, x] = a[cuda.blockIdx.y * 32 + y, cuda.blockIdx.x * 32 + x]
            cuda.syncthreads()
            b[cuda.blockIdx.x * 32 + y, cuda.blockIdx.y * 32 + x] = tile[x, y]
        """,
)


def may_apply(context: RuleContext) -> bool:
    return on_gpu(context) and any(array.space == "shared" for array in context.kernel.arrays)


def find(context: RuleContext) -> Iterator[Finding]:
    from roofscan.roofline.gpu.coalescing import bank_conflicts  # of modules that few files need

    found = launched(context)
    worst: dict[str, Wasteful] = {}
    for waste in bank_conflicts(found) if found is not None else ():
        known = worst.setdefault(waste.reference.name, waste)
        worst[waste.reference.name] = max(known, waste, key=lambda w: w.gain)
    for name, waste in worst.items():
        if waste.gain < LEAST_GAIN and waste.asked < MANY * waste.least:
            continue
        access = waste.reference.access
        padded = f"the rows of {name} have {waste.row + 1} elements instead of {waste.row}"
        remedy = padded if waste.row else "neighbouring threads take neighbouring elements"
        message = (
            f"{element(context.kernel, access)}: lanes of a warp share banks, {waste.asked:.3g} wavefronts per "
            f"request; {waste.least:.3g} if {remedy}"
        )
        figures = (("gain", waste.gain), ("wavefronts", waste.asked), ("wavefronts_padded", waste.least))
        yield context.at(CODE.id, access.line, access.column, message, Subject("array", (name,)), figures)
