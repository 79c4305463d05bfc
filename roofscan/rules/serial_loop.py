"""RFL603: the iterations of an outermost loop are independent, and one core runs them all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.advice.gain import changed, speedup_to
from roofscan.cost.dependence import dependences
from roofscan.cost.transform.nest import Nest
from roofscan.finding import Finding, Subject
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import accesses, loops
from roofscan.remedy import compile_with, do
from roofscan.roofline.left_of_ridge import counts_all_work
from roofscan.roofline.time.balance import imbalance
from roofscan.roofline.time.predict import predicted_time
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.rules.conditions import computes_on_arrays
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence

PARALLEL = "parallel=True"
WORTHWHILE = 2.0  # how many times faster all cores must be
LEAST_SECONDS = 1e-4  # of a call: threads start in some ten microseconds, and other code may run beside it

CODE = Code(
    id="RFL603",
    title="an outermost loop is independent and serial",
    location="loop",
    default=False,
    meaning="""
        The outermost loop, which holds other loops, has independent iterations: none reads or writes an element that
        another one writes, and no variable carries a value from one to the next. All cores could share the loop, but
        Numba runs it on one. Arguments are assumed not to overlap.""",
    why="""
        The message gives the expected time on one core and on all cores of the machine. The compute roof grows with the
        cores; the memory bandwidth grows to that of the socket, a few times that of one core. Measured under Numba
        0.68 on two cores: the forces of 2,000 bodies 2.0 times as fast, y += a*x of 4 million elements 2.2 times.""",
    action="""
        Compile with parallel=True and write prange for range in that loop. Leave the loop serial if calls of the
        function already run concurrently, or are shorter than the start of the threads (about ten microseconds).""",
    bad="""
        from math import sqrt

        from numba import njit

        @njit
        def gravity(x, y, m, out):
            for i in range(len(out)):
                s = 0.0
                for j in range(len(x)):
                    s += m[j] / sqrt(1.0 + (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2)
                out[i] = s
        """,
    good="""
        from math import sqrt

        from numba import njit, prange

        @njit(parallel=True)
        def gravity(x, y, m, out):
            for i in prange(len(out)):
                s = 0.0
                for j in range(len(x)):
                    s += m[j] / sqrt(1.0 + (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2)
                out[i] = s
        """,
    remedy="prange",
)


YIELDS_TO = ("RFL101", "RFL202")  # one core comes first


def may_apply(context: RuleContext) -> bool:
    kernel = context.kernel
    if kernel.is_helper or kernel.on_gpu or context.hardware.kind == "gpu" or context.hardware.cores < 2:
        return False
    options = kernel.decorator
    if options.kind not in ("njit", "jit") or options.parallel or options.has_unread:
        return False
    return computes_on_arrays(context) and serial_loop(kernel) is not None


def find(context: RuleContext) -> Iterator[Finding]:
    kernel = context.point.cost.kernel
    loop = serial_loop(kernel)
    if loop is None or not counts_all_work(context.point.cost):
        return
    speedup = _speedup(context, loop)
    if speedup is not None and speedup.gain >= WORTHWHILE and speedup.before >= LEAST_SECONDS:
        remedy = do("make", f"{loop.name} a prange ({PARALLEL})")
        if loop.is_prange:  # the option alone is missing, or a decorator hides it
            remedy = compile_with(PARALLEL)
        why = "independent iterations"
        times = f"{why} ({speedup.times} on {context.hardware.cores} cores)"
        message = sentence(context.name, speedup, remedy, times, why)
        about = Subject("loop", (loop.source_name,))
        yield context.at(CODE.id, loop.line, 0, message, about, speedup.figures, more=speedup.sizes)


def serial_loop(kernel: Kernel) -> Loop | None:
    """The one outermost loop of the kernel that holds others, if it is independent."""
    found = [node for node in kernel.body if isinstance(node, Loop) and any(loops(node.body))]
    if len(found) != 1 or any(reason.effect in ("lower", "unsupported") for reason in kernel.reasons):
        return None
    [loop] = found
    own = loop.source_name and not loop.is_elsewhere and not loop.array_expression
    return loop if own and _is_independent(kernel, loop) else None


def _is_independent(kernel: Kernel, loop: Loop) -> bool:
    inside = (loop, *loops(loop.body))
    if loop.carried or loop.is_while or any(each.early_exit or each.state for each in inside[:1]):
        return False
    made = {a.name for a in kernel.arrays if a.is_made and _is_made_in(kernel, loop, a.line)}
    touched = tuple(accesses(loop.body))
    if not any(a.write and a.array not in made for a in touched):
        return False
    if any(a.write and (not a.regular or None in a.index) for a in touched if a.array not in made):
        return False
    own = (a for a in touched if a.array in made)
    return not dependences(kernel, Nest((loop,), loop.body), own)


def _is_made_in(kernel: Kernel, loop: Loop, line: int) -> bool:
    """Whether each iteration makes the array for itself, perhaps in a function that it calls."""
    return loop.line <= line <= loop.end_line or not kernel.line <= line <= kernel.end_line


def _speedup(context: RuleContext, loop: Loop) -> Speedup | None:
    """From the time of one core to that of all, which is not shorter by more than their number; None where a time is
    not known. Where all sizes are known, and the loop can be changed, the cores share their caches."""
    found = _with_misses_of_one(context, loop) if context.point.cost.free else _on_all_cores(context, loop)
    if found is None:
        return None
    cores = context.hardware.cores
    slowest = found.before / cores * imbalance(replace(loop, parallel=True), context.point.evaluation.values, cores)
    return replace(found, after=max(found.after, slowest))


def _on_all_cores(context: RuleContext, loop: Loop) -> Speedup | None:
    kernel = context.point.cost.kernel
    body = tuple(replace(node, parallel=True) if node is loop else node for node in kernel.body)
    shared = replace(kernel, decorator=replace(kernel.decorator, parallel=True), body=body)
    return speedup_to(context.point, changed(context.point, shared))


def _with_misses_of_one(context: RuleContext, loop: Loop) -> Speedup | None:
    """Without counting other traffic."""
    point = context.point
    nests = tuple(replace(n, parallel=True, split=True) if n.line == loop.line else n for n in point.cost.nests)
    target = replace(point.target, scope="socket")
    after = predicted_time(point.interfaces[0].curves, point.machine, target, nests) if point.interfaces else None
    if not isinstance(point.time, TimePrediction) or not isinstance(after, TimePrediction) or not after.expected:
        return None
    return Speedup(float(point.time.expected), float(after.expected), _at(context))


def _at(context: RuleContext) -> str:
    evaluation = context.point.evaluation
    return f"{evaluation.path.symbol} = {evaluation.position}" if evaluation.path.symbol else ""
