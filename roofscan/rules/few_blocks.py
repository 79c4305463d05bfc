"""RFL702: a launch has too few blocks or threads to hide how long memory takes to answer."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.finding import Finding
from roofscan.rules.lanes import launched, on_gpu
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext

CODE = Code(
    id="RFL702",
    title="too few blocks to hide latency",
    remedy="more blocks",
    location="kernel",
    default=True,
    meaning="""
        The multiprocessors wait for memory most of the time: the launch has too few threads with loads in flight. The
        message gives the number of blocks and of multiprocessors.""",
    why="""
        A load from memory takes about a thousand cycles. Full bandwidth needs some 0.4 MB in flight per TB/s: many
        resident threads, or several independent loads in each.""",
    action="""
        Give each thread less to do and launch more blocks: split the loop over blocks, and add up the partial results
        (cuda.atomic.add, or a second kernel).""",
    bad="""
        from numba import cuda

        # roofscan: a=f4[16384,16384] s=f4[16384] grid=(64,) block=(256,)
        @cuda.jit
        def col_sum(a, s):
            j = cuda.grid(1)
            if j < a.shape[1]:
                acc = s[j]
                for i in range(a.shape[0]):
                    acc += a[i, j]
                s[j] = acc
        """,
    good="""
        from numba import cuda

        # roofscan: a=f4[16384,16384] s=f4[64,16384] grid=(64,64) block=(256,)
        @cuda.jit
        def col_sum(a, s):
            j, b = cuda.grid(2)
            if j < a.shape[1]:
                acc = s[b, j]
                for i in range(256):
                    acc += a[b * 256 + i, j]
                s[b, j] = acc
        """,
)

LEAST_GAIN = 1.5


def may_apply(context: RuleContext) -> bool:
    return on_gpu(context)


def find(context: RuleContext) -> Iterator[Finding]:
    found = launched(context)
    if found is None:
        return
    parts = dict(found.expected())
    latency = parts.pop("latency")
    gain = latency / max(parts.values())  # the start of a launch is never 0
    if gain < LEAST_GAIN:
        return
    launch, units = found.moved.program.launch, found.device.multiprocessors
    message = (
        f"{context.name} waits for memory: {launch.blocks} blocks of {launch.threads} threads on {units} "
        f"multiprocessors of {context.machine}; up to {gain:.2g}x by more blocks, or more independent loads a thread"
    )
    yield context.at_def(CODE.id, message, (("gain", gain), ("blocks", launch.blocks)))
