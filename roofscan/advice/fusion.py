"""What fewer passes over the same arrays would bring: advice of the kind ``fuse``, with both intensities. A change is
reported where it saves a tenth of the kernel's time and the arrays are too large for the last cache: below that,
temporaries stay in a cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from roofscan.advice.change import Change, Figures, PieceCosts
from roofscan.advice.fusion_words import advice_on, on_neighbours, on_passes, on_temporaries
from roofscan.advice.gain import WORTHWHILE_GAIN, as_written, is_timed
from roofscan.advice.most_moved import may_gain, most_moved
from roofscan.cost.transform.fuse_expressions import FuseExpression, expression_fusions, temporaries
from roofscan.cost.transform.fuse_loops import FuseLoops, loop_fusions
from roofscan.cost.transform.fuse_passes import FusePasses, pass_fusions
from roofscan.finding import Subject
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Body, Loop, Node
from roofscan.ir.visitor import accesses, innermost_loops, loops, replace_nodes
from roofscan.roofline.model import Advice
from roofscan.roofline.size_paths import free_sizes
from roofscan.roofline.streaming import last_cache, size_of_arrays, streamed
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import NotEvaluable

MIN_GAIN = 1.15  # how many times faster one loop in place of several must be: the change is small too
MIN_SHARE_SAVED = 0.1  # of the kernel's time, what a change must save to be reported
LEAST_GAIN, LEAST_GAIN_OF_NUMPY = 1.25, 1 / (1 - MIN_SHARE_SAVED)  # of the kernel, compiled or not
LEAST_GAIN_NEAR, LARGE_GAIN = 1.1, 1.5
"""With all data in the second cache, unless data at memory gain as much as that: as a mean and a variance in one pass
must, too, of which shifted sums are harder to read and lose digits."""
MIN_BYTES_SPARED = 0.05  # of the bytes at the outermost interface, what a change must spare to be reported

MAX_CANDIDATES = 4
"""How many expressions, runs of loops and arrays of a kernel are looked at, those that stream most first."""


def fusing_advice(point: RooflinePoint) -> tuple[Advice, ...]:
    """The changes that pay, in the order of the source. None for a kernel that memory does not hold back, or whose
    loops and array statements Numba fuses by itself (``parallel=True``)."""
    if not point.target.has_roofline or not point.interfaces or point.cost.reuse is None or not point.cost.flops:
        return ()
    written = as_written(point)
    kernel = point.cost.kernel
    if written.bound == written.computing or kernel.decorator.parallel or is_of_rows(kernel) or takes_numbers(kernel):
        return ()
    return tuple(changes_that_pay(point, written.bound.seconds))


def is_of_rows(kernel: Kernel) -> bool:
    """Whether others call it for vector after vector, of which it makes a number, or hand it rows: such rows stay in a
    cache, and it is not bytes at memory that one loop in place of two spares. What ``inline="always"`` puts into its
    callers is such."""
    if not is_called_for_vectors(kernel):
        return False
    written = [kernel.array(access.array) for access in accesses(kernel.body) if access.write]
    return all(array.is_made if kernel.gets_rows else not array.is_live for array in written)


def is_called_for_vectors(kernel: Kernel) -> bool:
    """Whether others call it for vector after vector, or hand it rows."""
    given = [array for array in kernel.arrays if array.role == "parameter"]
    called = kernel.gets_rows or kernel.is_helper or kernel.decorator.inlined
    return called and bool(given) and all(len(array.shape) == 1 for array in given)


def takes_numbers(kernel: Kernel) -> bool:
    """Whether a compiled function makes arrays of all that it gets, as ``np.atleast_1d(x)``: its callers have numbers
    and single rows, not arrays that exceed the last cache."""
    given = {array.name for array in kernel.arrays if array.role == "parameter"}
    return kernel.decorator.compiled and bool(given) and given <= kernel.made_arrays


def changes_that_pay(point: RooflinePoint, seconds: float) -> Iterator[Advice]:
    kernel, known = point.cost.kernel, PieceCosts(point)
    left = seconds
    for change, advice in _of_expressions(known, seconds):
        left -= change.saved
        yield advice
    diagonal: list[FuseLoops] = []
    for run, advice in _of_neighbours(known, left, loop_fusions(kernel)):
        diagonal.append(run)
        yield advice
    passes = [p for p in pass_fusions(kernel) if not _is_elsewhere(p.fused, p.run) and _is_large(point, p.fused)][
        :MAX_CANDIDATES
    ]
    passes = [found for found in passes if not any(found.loops <= run.loops for run in diagonal)]
    yield from _of_passes(known, left, passes)


def _is_elsewhere(kernel: Kernel, run: Iterable[Loop]) -> bool:
    return _of_one_call(run) or any(loop.file for loop in loops(kernel.body))


def _crosses_a_call(run: Iterable[Loop]) -> bool:
    """Whether some come from a called function, and others from this one; or all from one call."""
    calls = {loop.callee for loop in run}
    return (len(calls) > 1 and "" in calls) or _of_one_call(run)


def _of_one_call(run: Iterable[Loop]) -> bool:
    """Whether all come from one call of a function, which has findings of its own."""
    calls = {loop.callee for loop in run}
    return len(calls) == 1 and "" not in calls


def _of_expressions(known: PieceCosts, seconds: float) -> Iterator[tuple[Change, Advice]]:
    kernel = known.point.cost.kernel
    for expression in _worth_a_look(known.point, expression_fusions(kernel)):
        try:
            change = _change(known, expression.written, expression.fused, seconds)
            if change and change.flops:
                words, subject = on_temporaries(change, expression, kernel), Subject("statement", _named(expression))
                yield change, advice_on("RFL301", change, expression.record, expression.line, words, subject)
        except NotEvaluable:
            continue


def _of_neighbours(known: PieceCosts, seconds: float, runs: Sequence[FuseLoops]) -> Iterator[tuple[FuseLoops, Advice]]:
    point = known.point
    apart = (run for run in runs if len(run.lines) > 1 and not _crosses_a_call(run.run) and _in_memory(run))
    worth = (run for run in apart if _is_large(point, run.fused))
    for run in islice(worth, MAX_CANDIDATES):
        try:
            change = _change(known, run.written, run.fused, seconds, MIN_GAIN, run.with_temporaries())
            if change:
                line, subject = _own_line(point, run.lines), Subject("array", _in_source(point, run))
                yield run, advice_on("RFL302", change, run.record, line, on_neighbours(change, run), subject, run.lines)
        except NotEvaluable:
            continue


def _in_memory(run: FuseLoops) -> bool:
    """Whether the loops stream arrays that all threads of a GPU see: others never leave its multiprocessors."""
    arrays = run.written.array_named
    return not run.shared or any(name not in arrays or arrays[name].space == "global" for name in run.shared)


def _own_line(point: RooflinePoint, lines: Sequence[int]) -> int:
    """The first of the later loops' lines, or of all, in the function itself, not in one that it calls."""
    own = range(point.cost.kernel.line, point.cost.kernel.end_line + 1)
    return next((line for line in (*lines[1:], lines[0]) if line in own), lines[1])


def _in_source(point: RooflinePoint, run: FuseLoops) -> tuple[str, ...]:
    made = temporaries(point.cost.kernel)
    return tuple(name for name in run.shared if name not in made)


def _of_passes(known: PieceCosts, seconds: float, found: Sequence[FusePasses]) -> Iterator[Advice]:
    for passes in found:
        try:
            change = _change(known, passes.written, passes.fused, seconds, MIN_GAIN)
            if change and not _is_harder_than_worth(change, passes):
                words, subject = on_passes(change, passes), Subject("array", (passes.array,))
                yield advice_on("RFL303", change, passes.record, passes.lines[-1], words, subject, passes.lines)
        except NotEvaluable:
            continue


def _is_harder_than_worth(change: Change, passes: FusePasses) -> bool:
    """Whether compiled code would add up shifted numbers for little."""
    shifts = passes.shifts and passes.written.decorator.compiled
    return shifts and change.speedup is not None and change.speedup.gain < LARGE_GAIN


def _change(
    known: PieceCosts,
    written: Kernel,
    fused: Kernel,
    seconds: float,
    least: float = WORTHWHILE_GAIN,
    source: Kernel | None = None,
) -> Change | None:
    """A change that pays in a kernel that takes so many seconds. The traffic after it is not worked out where it would
    not pay without any, nor that before it where it would not pay with the most. ``source``: with more that goes, but
    is not what makes it pay."""
    point = known.point
    counted, at_best = known.counted(written), known.counted(_compiled(fused))
    moved = most_moved(point, counted)
    if moved is not None:
        longest = replace(counted, seconds=max(counted.seconds, moved.seconds))
        if not _is_faster(Change(point, longest, at_best), seconds, least):
            return None
        if not may_gain(point, counted, moved, at_best, _least_gain(point)):
            return None
        if not _is_faster(Change(point, longest, known.moving(at_best)), seconds, least):
            return None
    return _change_from(known, known.moving(counted), at_best, seconds, least, source)


def _change_from(
    known: PieceCosts, before: Figures, at_best: Figures, seconds: float, least: float, source: Kernel | None
) -> Change | None:
    """The same from what its piece takes now. ``at_best``: the piece after the change, without its traffic."""
    point = known.point
    if at_best.seconds and not _is_faster(Change(point, before, at_best), seconds, least):
        return None
    change = Change(point, before, known.moving(at_best))
    if source is not None and source != before.kernel and _is_faster(change, seconds, least):
        change = Change(point, known.moving(known.counted(source)), change.after)
    return change if pays(change, seconds, least) else None


def _compiled(kernel: Kernel) -> Kernel:
    """With loops as Numba compiles them: NumPy has none that could be one."""
    if kernel.decorator.compiled:
        return kernel

    def changed(node: Node) -> Body | None:
        if not isinstance(node, Loop):
            return None
        return (
            replace(node, body=replace_nodes(node.body, changed), array_expression=False, compiled=True, fastmath=True),
        )

    return replace(kernel, body=replace_nodes(kernel.body, changed))


def _is_faster(change: Change, seconds: float, least: float) -> bool:
    return change.gain >= least and change.saved >= MIN_SHARE_SAVED * seconds


def _is_large(point: RooflinePoint, kernel: Kernel) -> bool:
    try:
        return size_of_arrays(kernel, point.evaluation.values) > last_cache(point)
    except NotEvaluable:
        return False


def pays(change: Change, seconds: float, least: float = WORTHWHILE_GAIN) -> bool:
    """Whether a change is worth reporting in a kernel that takes so many seconds: its message refers to the bytes that
    need not move, and a gain in the caches alone is not theirs."""
    if not _is_faster(change, seconds, least) or change.spared < MIN_BYTES_SPARED:
        return False
    timed, least_gain = is_timed(change.point), _least_gain(change.point)
    if not change.may_gain(least_gain):
        return False
    if change.speedup is None:
        return not timed or isinstance(change.point.time, TimePrediction)  # integers alone have no time
    return change.speedup.gain >= least_gain and not (timed and _gains_at_memory_alone(change, change.speedup.gain))


def _least_gain(point: RooflinePoint) -> float:
    return LEAST_GAIN if is_timed(point) else LEAST_GAIN_OF_NUMPY


def _gains_at_memory_alone(change: Change, gain: float) -> bool:
    """Whether vectors that a cache holds gain nothing that is known, where sizes are free, and those at memory little:
    few are so long. Images and grids are larger, and so is what threads share. Nor is little gained that is known where
    the kinds and ranks of parameters are assumed: ``N @ c`` may be one number."""
    kernel = change.point.cost.kernel
    if gain >= LARGE_GAIN:
        return False
    if kernel.readings:
        return True
    if change.point.target.scope == "socket" or any(len(array.shape) > 1 for array in kernel.arrays):
        return False
    near = change.speedup_near
    return near.gain < LEAST_GAIN_NEAR if near is not None else bool(free_sizes(change.point.cost))


def _named(expression: FuseExpression) -> tuple[str, ...]:
    return tuple(a.name for a in expression.written.arrays if a.role != "temporary")


def _worth_a_look(point: RooflinePoint, found: Sequence[FuseExpression]) -> list[FuseExpression]:
    """Those that stream enough for the exact look to be worth its time, in the order of the source."""
    values = point.evaluation.values
    moved = point.interfaces[-1].moved
    saved: dict[int, float] = {}
    for number_, expression in enumerate(found):
        if (
            moved is None
            or _is_elsewhere(expression.fused, innermost_loops(expression.written.body))
            or not _is_large(point, expression.fused)
        ):
            continue
        before, after = (streamed(k, values) for k in (expression.written, expression.fused))
        if before >= WORTHWHILE_GAIN * after and before - after >= MIN_SHARE_SAVED / 2 * moved:
            saved[number_] = before - after
    best = sorted(saved, key=lambda n: -saved[n])[:MAX_CANDIDATES]
    return [found[n] for n in sorted(best)]
