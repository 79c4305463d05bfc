"""RFL602: the threads of a prange loop write elements of one cache line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, prod

from roofscan.finding import Finding, Subject
from roofscan.ir.arrays import Array
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import accesses, loops_of, walk_with_blocks
from roofscan.remedy import do
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.rules.conditions import has_roofline
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times
from roofscan.rules.shared_element import parallel_loops
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number

HANDED = 3e-9  # seconds that a store to a shared line takes more: measured with two threads on Zen 5
OFTEN = 64  # stores of an iteration from which on handing the line from core to core takes longer than starting threads

CODE = Code(
    id="RFL602",
    title="threads write elements of one cache line",
    remedy="a line for each thread",
    location="statement",
    meaning="""
        A prange loop has few iterations, each thread stores to elements of its own over and over, and the elements of
        several threads lie in one cache line (false sharing). A core must own the line to write to it, so the line
        moves back and forth between the cores. The code is reported only where the number of iterations is known, and
        where the elements do not stay in registers.""",
    why="""
        Measured under Numba 0.68 with two threads: h[t, b[k]] += 1.0 with rows of 3 elements takes 3 to 4.5 times as
        long as with rows of 24 for 20,000 elements of b, and 2.7 to 4.3 times for 2 million.""",
    action="""
        Give each thread cache lines of its own: make the rows a multiple of 64 bytes long and use a part of them. Or
        count in an array that is made in the loop, and copy it at the end.""",
    bad="""
        from numba import njit, prange

        # roofscan: b=i8[2000000] h=f8[4,3]
        @njit(parallel=True)
        def histogram(b, h):
            for t in prange(4):
                for k in range(t * (len(b) // 4), (t + 1) * (len(b) // 4)):
                    h[t, b[k]] += 1.0
        """,
    good="""
        import numpy as np
        from numba import njit, prange

        # roofscan: b=i8[2000000] h=f8[4,3]
        @njit(parallel=True)
        def histogram(b, h):
            for t in prange(4):
                own = np.zeros(h.shape[1])
                for k in range(t * (len(b) // 4), (t + 1) * (len(b) // 4)):
                    own[b[k]] += 1.0
                for j in range(h.shape[1]):
                    h[t, j] += own[j]
        """,
)


def may_apply(context: RuleContext) -> bool:
    kernel = context.kernel
    compiled = kernel.decorator.compiled and not kernel.on_gpu and context.hardware.kind != "gpu"
    return compiled and has_roofline(context) and any(parallel_loops(kernel))


def find(context: RuleContext) -> Iterator[Finding]:
    counts = context.counts
    assert counts is not None
    seen = set[tuple[int, str]]()
    for loop in parallel_loops(counts.kernel):
        for store, inner in _stores(loop):
            shared = (store.line, store.array) not in seen and _shared_stores(context, loop, store, inner)
            if shared:
                seen.add((store.line, store.array))
                size = counts.kernel.array(store.array).dtype.size
                row = f"a row of {-(-context.line // size)} elements"
                remedy = do("give", f"each {loop.source_name} {row}, or its own array")
                speedup = _speedup(context, shared, loop, store)
                why = with_times(f"threads write to the same lines of {store.array}", speedup)
                message, about = sentence(context.name, speedup, remedy, *why), Subject("array", (store.array,))
                figures = speedup.figures if speedup else ()
                yield context.at(CODE.id, store.line, store.column, message, about, figures)


def _speedup(context: RuleContext, stores: float, loop: Loop, store: Access) -> Speedup | None:
    time = context.point.time
    if not isinstance(time, TimePrediction):
        return None
    alone, passing = float(time.expected), _passing(context, loop, store)
    return Speedup(alone + stores * max(HANDED, passing), alone + stores * passing)


def _passing(context: RuleContext, loop: Loop, store: Access) -> float:
    """Seconds that a sum takes more than is expected. Where data choose its element, it waits for the last sum of the
    element, which passes through memory: the fewer elements, the longer. Sums whose elements loops choose are timed."""
    machine, counts = context.hardware, context.counts
    read = any(a.array == store.array and not a.write for a in accesses(loop.body))
    if store.regular or not read or counts is None:
        return 0.0
    array = counts.kernel.array(store.array)
    elements = abs(float(number(_step(store, array, loop), counts.sample_point))) / array.dtype.size
    cycles = machine.timing.forward.value + machine.latency["add"].value
    return cycles / elements / machine.clock.value


def _stores(loop: Loop) -> Iterator[tuple[Access, tuple[Loop, ...]]]:
    """Those that the loop moves, each with the loops inside of it that make it again."""
    for node, around in walk_with_blocks(loop.body):
        if isinstance(node, Access) and node.write:
            inner = list(loops_of(around))
            while inner and node.regular and not _moved(node, inner[-1]) and not _stores_elsewhere(inner[-1], node):
                inner.pop()  # there it stays in a register
            yield node, tuple(inner)


def _moved(store: Access, loop: Loop) -> bool:
    return any(e is not None and loop.var in e.symbols for e in store.index)


def _stores_elsewhere(loop: Loop, store: Access) -> bool:
    return any(access.write and access.array != store.array for access in accesses(loop.body))


def _shared_stores(context: RuleContext, loop: Loop, store: Access, inner: tuple[Loop, ...]) -> float:
    """How often a thread stores to a line that it shares: 0 unless what it writes ends within a line, over and over."""
    counts = context.counts
    assert counts is not None
    array, values = counts.kernel.array(store.array), counts.sample_point
    if array.line >= loop.line and array.is_made:
        return 0.0
    if (loop.stop - loop.start).symbols & counts.free or not inner:
        return 0.0
    try:
        step = abs(float(number(_step(store, array, loop), values)))
        trips = _trips(loop, values)
        repeated = prod(_trips(each, {**values, loop.var: 1}) for each in inner)
    except NotEvaluable:
        return 0.0
    of_thread = ceil(trips / context.hardware.cores)
    shares = trips > 1 and 0 < step * of_thread < context.line and repeated >= OFTEN
    return float(of_thread * repeated) if shares else 0.0


def _step(store: Access, array: Array, loop: Loop) -> Expr:
    """Bytes from one iteration to the next, by the subscripts that are known."""
    known = ((e, stride) for e, stride in zip(store.index, array.strides, strict=False) if e is not None)
    return sum((e.coefficient(loop.var) * stride for e, stride in known), start=ZERO) * array.dtype.size


def _trips(loop: Loop, values: Mapping[str, Number]) -> float:
    return abs(float(number(loop.stop - loop.start, values) / number(loop.step, values)))
