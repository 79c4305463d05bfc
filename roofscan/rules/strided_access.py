"""RFL201: an innermost loop has a stride, and the rest of each line is evicted before it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf

from roofscan.advice.gain import is_timed, with_blocks
from roofscan.advice.longer_rows import padding, sets_of_rows
from roofscan.advice.unit_stride import StrideRemedy, speedup_of, stride_remedy
from roofscan.finding import Finding, Subject
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import counts_at_worst
from roofscan.machine.model import Level
from roofscan.remedy import Remedy, do
from roofscan.roofline.left_of_ridge import in_source_symbols
from roofscan.roofline.memory_bound_sizes import MemoryBoundSizes, memory_bound_sizes
from roofscan.roofline.strides import LineUse, StridedAccess, fields_of, is_row_of_few, strided_accesses
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.traffic_curve import TrafficCurve
from roofscan.roofline.traffic_model import TrafficPolicy
from roofscan.roofline.verdict import RooflinePoint
from roofscan.rules.conditions import may_waste_lines
from roofscan.rules.lanes import across_lanes, on_gpu
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence
from roofscan.symbolic.intervals import describe

MAX_SHARE = Fraction(1, 2)  # the largest share of a line used that is worth a finding

SHARED_LINES_FACTOR = Fraction(3, 2)
"""How far above its share the use of an array's lines may be: rows share lines, others touch it too."""

SMALL_PART = 0.05  # of the iterations of innermost loops
FASTER = 1.25  # the least gain that is worth another storage or order
FASTER_BY_BLOCKS = 1.4  # the same of blocks: under 2,000 rows the blocks of a transposition measured 0.6 to 1.2

TRAVERSE_LINES_FIRST = do("traverse", "its arrays along their cache lines first")
"""The remedy of a verdict on a kernel of which this rule says what to change."""

FETCHED = TrafficPolicy(writeback=False)

CODE = Code(
    id="RFL201",
    title="most of each cache line is wasted",
    remedy="unit stride",
    location="access",
    meaning="""
        The innermost loop accesses this array with a stride, so it uses only a part of each cache line before the
        line is evicted. The message gives the share and the cache. The rest of the line is fetched again for
        another loop, or is never used. On a GPU, the 32 threads of a warp request more sectors of 32 bytes than
        their elements fill.""",
    why="""
        Memory moves entire lines. A loop that uses 12.5 % of each line needs eight times the bandwidth, and a strided
        innermost loop is not vectorized either.""",
    action="""
        Make the loop over the last axis of the array the innermost loop (over the first axis in Fortran order), or
        store elements contiguously that are used together: pass the array transposed, or a copy of the column. Where
        the message says to tile, as in C[i, j] = A[i, j] + B[j, i], let the outermost loop take views of 32 rows of B,
        and of 32 columns of the others. Measured under Numba, that is 1.4 to 2.3 times as fast for 8,000 rows, and no
        faster below 2,000. On a GPU, let neighbouring threads access neighbouring elements.""",
    bad="""
        from numba import njit

        @njit
        def decay(A, c):
            n, m = A.shape
            for j in range(m):
                level = 0.0
                for i in range(n):
                    level = c * level + A[i, j]
                    A[i, j] = level
        """,
    good="""
        import numpy as np
        from numba import njit

        @njit
        def decay(A, c):
            n, m = A.shape
            level = np.zeros(m)
            for i in range(n):
                for j in range(m):
                    level[j] = c * level[j] + A[i, j]
                    A[i, j] = level[j]
        """,
)


@dataclass(frozen=True)
class Loss:
    """A walk whose lines the first cache drops before they are used, and the sizes for which it does."""

    walk: StridedAccess
    use: LineUse
    cache: Level
    line: int
    sizes: MemoryBoundSizes

    @property
    def where(self) -> str:
        return "" if self.sizes.always else f" for {describe(self.sizes.path.symbol, self.sizes.ranges)}"

    def lines(self, context: RuleContext) -> tuple[int, ...]:
        return () if self.sizes.always else context.lines_of([self.sizes.path.symbol])


def may_apply(context: RuleContext) -> bool:
    return on_gpu(context) if context.kernel.on_gpu else may_waste_lines(context, MAX_SHARE)


def find(context: RuleContext) -> Sequence[Finding]:
    """Found once: other rules ask too."""
    if CODE.id not in context.found:
        context.found[CODE.id] = tuple(_found(context))
    return context.found[CODE.id]


def _found(context: RuleContext) -> Iterator[Finding]:
    if context.kernel.on_gpu:
        yield from across_lanes(context, CODE.id)
        return
    said: set[tuple[str, Remedy]] = set()
    for loss in _reported(context):
        remedy = stride_remedy(loss.walk, context.point.cost.kernel, loss.line)
        if remedy is None or (remedy.kind != "order" and not context.point.cost.flops):
            continue  # of a mere copy the storage of the result is the purpose; RFL521 knows when blocks pay
        change = (loss.walk.loop.var, remedy.words)
        if change in said or (remedy.kind == "store" and context.kernel.is_helper):  # its callers lay out its arrays
            continue
        least = FASTER_BY_BLOCKS if remedy.kind == "tile" else FASTER
        speedup = speedup_of(remedy, context.point, loss.walk, least)
        if speedup and (speedup.gain < least or _is_of_the_rows(context, loss, speedup)):
            continue
        if speedup or waits(context.point, loss):
            said.add(change)
            yield _finding(context, loss, remedy, speedup)


def _is_of_the_rows(context: RuleContext, loss: Loss, speedup: Speedup) -> bool:
    """Whether rows of another length gain as much (RFL522): the order of the loops may stay."""
    point = context.point
    if not sets_of_rows(loss.walk, point.cost, loss.line):
        return False
    _, padded = padding(point, loss.walk, loss.line)
    return padded is not None and padded.gain >= speedup.gain


def waits(point: RooflinePoint, loss: Loss) -> bool:
    """Whether a call waits for lines, or may take less time if a cache held what the walk loads again. Of a compiled
    function whose time is not known nothing is."""
    if not isinstance(point.time, TimePrediction):
        return not is_timed(point)
    return point.time.bound == "memory" or with_blocks(point, loss.cache.capacity or 0) is not None


def applies_to(context: RuleContext) -> bool:
    return bool(find(context))


def _reported(context: RuleContext) -> Iterator[Loss]:
    mended = {advice.line for advice in context.advice if advice.kind == "interchange"}

    def meant(walk: StridedAccess, use: LineUse) -> bool:
        if walk.loop.line in mended or fields_of(walk):  # RFL202 or RFL203 says what to do
            return False
        if walk.is_diagonal or walk.loop.is_elsewhere:  # nothing to mend; reported with the helper
            return False
        if is_row_of_few(walk, context.point.cost.kernel) or _is_small_part(context.point, walk.loop):
            return False
        return use.share <= MAX_SHARE

    return losses(context, meant)


def _finding(context: RuleContext, loss: Loss, remedy: StrideRemedy, speedup: Speedup | None) -> Finding:
    place, kernel = loss.walk.accesses[0], context.point.cost.kernel
    share = f"{float(loss.use.share) * 100:.3g} % of each line"
    used = f"{share} of {loss.walk.array.name} is used"
    message = sentence(context.name, speedup, remedy.words, f"{used}{loss.where}", used, share)
    figures = (("share", float(loss.use.share)), *(speedup.figures if speedup else ()))
    about = Subject("array", (loss.walk.array.name,))
    more = (
        f"A stride of {_step(loss.walk, kernel)}: "
        f"{loss.cache.name} evicts each {loss.line}-byte line before the rest of it is used."
    )
    return context.at(CODE.id, place.line, place.column, message, about, figures, loss.lines(context), more)


def _is_small_part(point: RooflinePoint, loop: Loop) -> bool:
    """Whether other innermost loops have most iterations by far, as beside the zeroth column of a triangle."""
    executions = {b.loop: point.evaluation.value_or_none(b.executions) or 0 for n in point.cost.nests for b in n.bodies}
    return executions.get(loop.var, inf) < SMALL_PART * sum(executions.values())


def losses(context: RuleContext, meant: Callable[[StridedAccess, LineUse], bool]) -> Iterator[Loss]:
    """The losses of these strided accesses, one per array in memory."""
    point = context.point
    reuse = point.cost.reuse
    first = next((level for level in point.machine.levels if level.capacity), None)
    if first is None or reuse is None or not point.target.has_time or point.cost.kernel.on_gpu:
        return
    reported: set[str] = set()
    for walk in strided_accesses(point.cost.kernel):
        use = LineUse.of(walk, point.cost.kernel, point.evaluation.values, reuse.line)
        if use is None or walk.array.memory in reported or not meant(walk, use):
            continue
        sizes = _lost_lines(context, walk, use, first)
        if sizes is not None:
            reported.add(walk.array.memory)
            yield Loss(walk, use, first, reuse.line, sizes)


def _lost_lines(context: RuleContext, walk: StridedAccess, use: LineUse, cache: Level) -> MemoryBoundSizes | None:
    cost = context.point.cost
    name, capacity = walk.array.owner, cache.capacity
    touched = cost.registers.arrays.get(name)
    if touched is None or cost.reuse is None or capacity is None:
        return None
    if context.point.traffic_model.traffic(capacity).status == "unknown" or counts_at_worst(cost.kernel):
        return None
    accessed = (touched.load + touched.writeback).constant
    if accessed is not None and accessed <= capacity:  # a few elements, however long the array is
        return None
    useful = (touched.load + touched.writeback) * use.fresh
    evaluation = context.point.evaluation
    fetched = TrafficCurve(evaluation.traffic_model.narrowed(FETCHED, name), evaluation.path)
    bound_sizes = memory_bound_sizes(useful, SHARED_LINES_FACTOR * use.share, fetched, capacity)
    if bound_sizes is None or not bound_sizes.ranges or bound_sizes.ranges[-1][1] is not None:
        return None
    start = bound_sizes.ranges[-1][0]
    if start > evaluation.position:
        return None
    tiny = (evaluation.data_at(start - 1) or 0) <= capacity  # smaller data fit the cache
    return replace(bound_sizes, ranges=(bound_sizes.domain if tiny else (start, None),))


def _step(walk: StridedAccess, kernel: Kernel) -> str:
    """``8*m bytes``; in words where the bytes depend on what has no name in the source."""
    if not in_source_symbols(kernel, walk.stride):
        return "more than one element"
    text = str(walk.stride)
    return f"{text.removeprefix('-') if len(walk.stride.terms) == 1 else text} bytes"
