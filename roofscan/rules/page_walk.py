"""RFL521: a loop walks through more pages than the tables of translations hold."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.advice.denser import denser_walks, speedup_by
from roofscan.finding import Finding, Subject
from roofscan.ir.kernel import Kernel
from roofscan.machine.model import Machine
from roofscan.roofline.strides import stride_of
from roofscan.roofline.time.page_walks import PageWalk, page_walks
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.rules.conditions import has_roofline, may_be_stored
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times

WORTHWHILE = 2.0  # how many times faster a call must become: blocks promised 1.9 were measured at 0.8 to 1.0

CODE = Code(
    id="RFL521",
    title="a walk over many pages misses the TLB",
    location="loop",
    meaning="""
        Each iteration of the loop accesses another page of memory, and returns to none of them before its translation
        has been evicted from the TLB, which holds some thousand pages. The prefetcher does not follow from page to
        page either. The message gives the expected time before and after the change.""",
    why="""
        On a TLB miss the processor reads the translation from memory in several dependent steps. That may take longer
        than a line from L3, even where the data themselves are in a nearer cache. Measured under Numba 0.68: scaling
        rows of 16 elements takes 4.6 times as long as in storage order if the inner loop goes through 4000 pages, and
        4.0 times through 8000.""",
    action="""
        Make the change that the message names: make the loop over the last axis the innermost; or cut the walk
        into blocks of a few dozen rows, and finish one block before the next; or store the array with the walked
        axis last. Where none of these is possible, large pages help (on Linux NumPy requests them where the
        system allows it).""",
    bad="""
        from numba import njit

        # roofscan: A=f8[8000,8000] B=f8[8000,8000]
        @njit
        def transpose(A, B):
            for i in range(A.shape[0]):
                for j in range(A.shape[1]):
                    B[j, i] = A[i, j]
        """,
    good="""
        from numba import njit

        # roofscan: A=f8[8000,8000] B=f8[8000,8000]
        @njit
        def transpose(A, B):
            for jj in range(0, A.shape[1], 32):
                for i in range(A.shape[0]):
                    for j in range(jj, min(jj + 32, A.shape[1])):
                        B[j, i] = A[i, j]
        """,
    remedy="fewer pages",
)
YIELDS_TO = ("RFL201", "RFL202", "RFL203")  # which walk the same elements otherwise


def may_apply(context: RuleContext) -> bool:
    kernel, machine, counts = context.kernel, context.hardware, context.counts
    if machine.kind == "gpu" or not machine.timing.given or not kernel.decorator.compiled or kernel.on_gpu:
        return False
    if not has_roofline(context) or counts is None:
        return has_roofline(context)
    return any(page_walks(kernel, counts.sample_point, *_table(machine)))


def find(context: RuleContext) -> Iterator[Finding]:
    point, time = context.point, context.point.time
    if not isinstance(time, TimePrediction) or time.bound != "memory":
        return
    kernel, tried = point.cost.kernel, list[Kernel]()
    for walk in page_walks(kernel, point.evaluation.values, *_table(context.hardware)):
        if walk.loop.source_name and not walk.loop.is_elsewhere:
            found = next(_remedied(context, walk, tried), None)
            if found is not None:
                yield found
                return


def _table(machine: Machine) -> tuple[float, float]:
    return machine.timing.page.value, machine.timing.tlb2_pages.value


def _remedied(context: RuleContext, walk: PageWalk, tried: list[Kernel]) -> Iterator[Finding]:
    """``tried``: kernels that other walks of the same loops would change to, which gained nothing."""
    stride = stride_of(walk.access, walk.array, walk.loop)
    for denser in denser_walks(context.point, walk):
        if denser.transformation is None and not may_be_stored(context, stride):
            continue
        if denser.kernel in tried:
            continue
        tried.append(denser.kernel)
        speedup = speedup_by(context.point, denser.kernel, WORTHWHILE)
        if speedup and speedup.gain >= WORTHWHILE:
            held = int(context.hardware.timing.tlb2_pages.value)
            why = f"{walk.loop.name} walks from page to page"
            message = sentence(context.name, speedup, denser.remedy, *with_times(why, speedup))
            about = Subject("loop", (walk.loop.source_name,))
            more = f"It accesses more pages than the {held:,} whose translations the TLB holds."
            yield context.at(CODE.id, walk.loop.line, 0, message, about, speedup.figures, more=more)
