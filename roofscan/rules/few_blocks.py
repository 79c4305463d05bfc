"""RFL702: a launch has too few blocks or threads to hide how long memory takes to answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from roofscan.finding import Finding
from roofscan.rules.lanes import launched, on_gpu
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import Message
from roofscan.units import counted, figure

if TYPE_CHECKING:
    from roofscan.roofline.gpu.resources import Launched

CODE = Code(
    id="RFL702",
    title="too few blocks to hide latency",
    remedy="more blocks",
    location="kernel",
    meaning="""
        The multiprocessors wait for memory most of the time: the launch has too few threads with loads in flight. Or
        there are fewer blocks than multiprocessors, and the others are idle. The message gives both numbers.""",
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
OF_MULTIPROCESSORS = ("wavefronts", "issue", "vector", "function")


def may_apply(context: RuleContext) -> bool:
    return on_gpu(context)


def find(context: RuleContext) -> Iterator[Finding]:
    found = launched(context)
    if found is None:
        return
    launch, units = found.moved.program.launch, found.device.multiprocessors
    busy = min(1.0, launch.blocks / units)
    parts = dict(found.expected())
    latency = parts.pop("latency")
    own = max(parts.pop(name) for name in OF_MULTIPROCESSORS)
    gain = max(latency, own if busy < 1 else 0.0) / max(own * busy, *parts.values())  # a start is never 0
    if gain < LEAST_GAIN:
        return
    what, remedy = ("waits for memory", _remedy(found)) if latency >= own else ("leaves units idle", "more blocks")
    blocks = f"{counted(launch.blocks, 'block')} of {launch.threads} threads"
    message = (
        f"{context.name} {what}: {blocks} on {units} multiprocessors of {context.machine}; "
        f"up to {figure(gain, 2)}x by {remedy}"
    )
    yield context.at_def(CODE.id, Message(message, message, "always"), (("gain", gain), ("blocks", launch.blocks)))


def _remedy(found: Launched) -> str:
    """Where the launch has more blocks than are resident: what lets more threads be."""
    from roofscan.cost.memory.gpu.device import resident_blocks  # of modules that few files need

    launch, device = found.moved.program.launch, found.device
    resident = resident_blocks(launch, device)
    if launch.blocks <= resident * device.multiprocessors:
        return "more blocks, or more independent loads per thread"
    threads = f"{resident * launch.threads} of {device.threads} threads are resident"
    if resident == device.blocks:
        return f"larger blocks: {threads}"
    if launch.shared and resident_blocks(replace(launch, shared=0), device) > resident:
        return f"less shared memory per block: {threads}"
    return f"more independent loads per thread: {threads}"
