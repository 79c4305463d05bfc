"""RFL703: the start of a launch takes longer than its work."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.finding import Finding
from roofscan.rules.lanes import launched, on_gpu
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import Message

CODE = Code(
    id="RFL703",
    title="the launch takes longer than the work",
    remedy="fuse or batch launches",
    location="kernel",
    meaning="""
        The launch overhead is longer than the work of the launch. The gain is that of one launch in place of ten.""",
    why="""
        A GPU takes two to three microseconds from one kernel to the next, and Numba adds some for each array argument.
        In one microsecond the GPU moves megabytes.""",
    action="""
        Fuse the kernel with those before and after it, or batch several inputs in one launch, along another axis of
        the grid.""",
    bad="""
        from numba import cuda, float32

        # roofscan: x=f4[4096] y=f4[4096] grid=(16,) block=(256,)
        @cuda.jit
        def scale(x, y):
            i = cuda.grid(1)
            if i < x.size:
                y[i] = float32(2.0) * x[i]
        """,
    good="""
        from numba import cuda, float32

        # roofscan: x=f4[16777216] y=f4[16777216] grid=(65536,) block=(256,)
        @cuda.jit
        def scale(x, y):
            i = cuda.grid(1)
            if i < x.size:
                y[i] = float32(2.0) * x[i]
        """,
)

CALLS = 10  # launches in one


def may_apply(context: RuleContext) -> bool:
    return on_gpu(context)


def find(context: RuleContext) -> Iterator[Finding]:
    guessed = {s.name for s in context.kernel.symbols if s.kind == "launch"} & context.kernel.guesses.keys()
    found = launched(context) if not guessed else None
    parts = dict(found.expected()) if found is not None else {"launch": 0.0}
    start = parts.pop("launch")
    work = max(parts.values(), default=0.0)
    if start <= work:
        return
    gain = CALLS * start / max(start, CALLS * work)
    message = (
        f"{context.name}: {gain:.2g}x by {CALLS} calls in one launch; its work takes {work * 1e6:.2g} µs, "
        f"its start {start * 1e6:.2g} µs on {context.machine}"
    )
    yield context.at_def(
        CODE.id, Message(message, message, "always"), (("gain", gain), ("work", work), ("start", start))
    )
