"""RFL504: a loop makes arrays, or sets up statements on whole arrays, in each of its iterations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from roofscan.advice.gain import changed
from roofscan.advice.loop_code import near_sizes
from roofscan.advice.modest_sizes import modest_sizes
from roofscan.cost.transform.fuse_expressions import expression_fusions, fused_expressions
from roofscan.finding import Finding, Subject
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.symbols import is_constant_where_sizes_are_equal
from roofscan.ir.tree import Access, Loop, Operation
from roofscan.ir.visitor import innermost_loops, loops_of, walk
from roofscan.machine.model import Machine
from roofscan.remedy import Remedy, all_of, do
from roofscan.roofline.interfaces import TrafficCurves
from roofscan.roofline.target import target_on
from roofscan.roofline.time.call import allocation_seconds
from roofscan.roofline.time.predict import least_seconds, predicted_time
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.time.row_setup import RowSetup
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.time.statements import cycles_of, setups
from roofscan.roofline.verdict import RooflinePoint
from roofscan.rules.conditions import has_roofline
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times
from roofscan.rules.shared_element import DATA
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ONE, Expr, Number
from roofscan.transformation import LoopRecord, TransformationRecord

LEAST_GAIN = 1.4  # loops over elements are longer to read than a statement
LEAST_GAIN_ELSEWHERE = 2.0  # in called functions, at the best of free sizes: they do more with their rows than that
MAX_NAMED = 2  # arrays, and lines, that a message names

CODE = Code(
    id="RFL504",
    title="arrays are made, or statements on short rows set up, in each iteration",
    remedy="plain loops",
    location="loop",
    meaning="""
        Each iteration of the loop allocates an array and frees it, or runs a statement on whole arrays. Compiled code
        sets up views and shapes for such a statement, and makes a temporary array for its result. On short rows that
        takes longer than the arithmetic.""",
    why="""
        Measured under Numba 0.68 on Zen 5: an array that a loop makes costs 65 cycles per iteration, 195 beyond 928
        bytes; each row in an expression 38, another statement on rows 55, a minimum or maximum 90, np.dot 220, np.where
        400. A[i] = 2.0 * B[i] on rows of 16 elements takes 32 ns per row, the loop over its elements 1.5 ns;
        np.empty(3) in a loop makes it 23 times as slow.""",
    action="""
        Write the statement as a loop over its elements. Make the array once, before the loop, and pass it to helpers
        that fill it; use scalars in place of arrays of two or three elements. Where sizes are free, the code is
        reported if it pays for rows of 32 elements.""",
    bad="""
        import numpy as np
        from numba import njit

        # roofscan: A=f8[100000,8] B=f8[100000,8]
        @njit
        def scale(A, B):
            for i in range(A.shape[0]):
                A[i] = 2.0 * B[i] + 1.0
        """,
    good="""
        from numba import njit

        # roofscan: A=f8[100000,8] B=f8[100000,8]
        @njit
        def scale(A, B):
            for i in range(A.shape[0]):
                for j in range(A.shape[1]):
                    A[i, j] = 2.0 * B[i, j] + 1.0
        """,
)


def may_apply(context: RuleContext) -> bool:
    if context.hardware.kind == "gpu" or not context.hardware.timing.given or not has_roofline(context):
        return False
    return next(setups(context.kernel), None) is not None


def find(context: RuleContext) -> Iterator[Finding]:
    """Where the kernel is judged or, where its sizes are free, with all data in the second cache."""
    point, machine, kernel = context.point, context.hardware, context.point.cost.kernel
    by_loop: dict[str, list[RowSetup]] = {}
    for setup in filter(partial(_may_be_kept, kernel), setups(kernel)):
        by_loop.setdefault(_loop(setup).var, []).append(setup)
    if not by_loop or not point.interfaces or not isinstance(point.time, TimePrediction):
        return
    judged = point.interfaces[0].curves
    for curves in (judged, *near_sizes(judged, machine)):
        cycles, dearest = _dearest(by_loop.values(), curves.evaluation.values, _latency(kernel, machine))
        if all(_is_of_any_length(kernel, setup) for setup in dearest):
            continue
        loop = _loop(dearest[0])
        if not loop.source_name or loop.is_elsewhere:
            return
        speedup = _speedup(point, curves, machine, cycles / machine.clock.value)
        elsewhere = curves.evaluation.path.symbol and any(_is_elsewhere(kernel, setup) for setup in dearest)
        least = LEAST_GAIN_ELSEWHERE if elsewhere else LEAST_GAIN
        if speedup and speedup.gain >= least and _pays_at_modest_sizes(point, by_loop.values()):
            speedup = _as_loops(point, curves, loop, dearest, speedup)
            remedy, why, lines = _words(kernel, loop, dearest)
            message = sentence(context.name, speedup, remedy, *with_times(why, speedup), "short rows")
            subject, more = Subject("loop", (loop.source_name,)), speedup.sizes
            finding = context.at(CODE.id, loop.line, 0, message, subject, speedup.figures, lines, more)
            yield replace(finding, transformation=_change(lines))
            return


def _may_be_kept(kernel: Kernel, setup: RowSetup) -> bool:
    """Whether a loop could do without: not where the data say how long an array is in each iteration, or something may
    keep the array of one (``if error < least: best = trial``), or a library's product takes the matrix; nor in place of
    a product of a length that is a guess, or of the one element that is left where the rank of ``x.reshape(n, -1)`` is
    guessed, or all sizes are taken for equal."""
    if setup.array and kernel.array(setup.array).live_out:
        return False
    lengths = {symbol.name for symbol in kernel.symbols if symbol.kind in DATA}
    if setup.array and not setup.size.symbols.isdisjoint(lengths):
        return False
    if not setup.products and any(kernel.array(name).line == setup.line for name in _operands(kernel)):
        return False
    products = setup.products
    if products == ONE or is_constant_where_sizes_are_equal(products):
        return False
    return products.symbols.isdisjoint(kernel.guesses)


def _operands(kernel: Kernel) -> set[str]:
    """The matrices of any size that the function makes for products of a library: what it reads in loops without any
    work."""
    if not any(isinstance(node, Operation) and node.library for node in walk(kernel.body)):
        return set()
    reads = (loop.body for loop in innermost_loops(kernel.body) if loop.array_expression)
    alone = (body[0] for body in reads if len(body) == 1 and isinstance(body[0], Access) and not body[0].write)
    made = (kernel.array(access.array) for access in alone if len(access.index) > 1)
    return {array.name for array in made if array.is_made and any(extent.symbols for extent in array.shape)}


def _is_of_any_length(kernel: Kernel, setup: RowSetup) -> bool:
    """Whether it is an array of any length that a called function makes: all that the function does with its elements
    takes longer (measured 1.1 times without three of 2,000 elements)."""
    return bool(setup.array and setup.size.symbols) and _is_elsewhere(kernel, setup)


def _is_elsewhere(kernel: Kernel, setup: RowSetup) -> bool:
    return not kernel.line <= setup.line <= kernel.end_line


def _latency(kernel: Kernel, machine: Machine) -> float:
    """Cycles of a product in a loop that adds up in order, where a library adds up in any."""
    return 0.0 if kernel.decorator.fastmath else machine.latency["add"].value


def _dearest(
    loops: Iterable[list[RowSetup]], values: Mapping[str, Number], latency: float
) -> tuple[float, list[RowSetup]]:
    """The set-up of the loop that takes most cycles for it, and those cycles."""

    def amount(expr: Expr) -> float:
        return float(number(expr, values))

    def saved(setup: RowSetup) -> float:
        share = 1 - latency * amount(setup.products) / setup.cycles if setup.products else 1.0
        return cycles_of(setup, amount) * max(0.0, share)

    paying = ([setup for setup in found if saved(setup)] for found in loops)
    return max(
        ((sum(map(saved, found)), found) for found in paying if found), key=lambda each: each[0], default=(0.0, [])
    )


def _speedup(point: RooflinePoint, curves: TrafficCurves, machine: Machine, seconds: float) -> Speedup | None:
    """Of a call without so many seconds, at the evaluation point of these curves; None where it has no time."""
    evaluation, time, at = curves.evaluation, point.time, ""
    if curves is not point.interfaces[0].curves:
        time = predicted_time(curves, machine, target_on(point.cost, machine, evaluation.values))
        at = f"{evaluation.path.symbol} = {evaluation.position}"
    if not isinstance(time, TimePrediction):
        return None
    before = float(time.expected)
    return Speedup(before, max(before - seconds, float(time.at_least)), at)


def _pays_at_modest_sizes(point: RooflinePoint, loops: Collection[list[RowSetup]]) -> bool:
    """Whether rows of some length, where sizes are free, leave enough of the gain."""
    curves, cost, machine = modest_sizes(point), point.cost, point.machine
    if curves is None:
        return True
    values = curves.evaluation.values
    made = allocation_seconds(cost.kernel, machine)
    before = least_seconds(curves, machine, target_on(cost, machine, values)) + made
    saved = _dearest(loops, values, _latency(cost.kernel, machine))[0] / machine.clock.value
    return before >= LEAST_GAIN * (before - saved)


def _as_loops(
    point: RooflinePoint, curves: TrafficCurves, loop: Loop, found: Sequence[RowSetup], without_setup: Speedup
) -> Speedup:
    """Also without the temporaries of the statements, where that time is known."""
    kernel, lines = point.cost.kernel, {setup.line for setup in found if not setup.array}
    inside = frozenset(var for each in expression_fusions(kernel) if each.line in lines for var in each.loops)
    if not inside:
        return without_setup
    here, evaluation = replace(point, evaluation=curves.evaluation), curves.evaluation
    version = changed(here, fused_expressions(kernel, inside))
    left = (setup for setup in setups(version.kernel) if _loop(setup).var == loop.var)
    cycles = sum(cycles_of(setup, lambda e: float(number(e, evaluation.values))) for setup in left)
    time = version.expected_time(here)
    if not isinstance(time, TimePrediction):
        return without_setup
    after = max(float(time.expected) - cycles / point.machine.clock.value, float(time.at_least))
    return replace(without_setup, after=min(after, without_setup.after))


def _loop(setup: RowSetup) -> Loop:
    return loops_of(setup.around)[-1]


def _words(kernel: Kernel, loop: Loop, found: Sequence[RowSetup]) -> tuple[Remedy, str, tuple[int, ...]]:
    """What to do, why, and the lines of the statements. An array that such a line makes goes with it."""
    lines = tuple(sorted({s.line for s in found if not s.array}))
    local = [kernel.array(s.array) for s in found if s.array]
    made = sorted({_shown(kernel, array) for array in local if array.role == "local" and array.line not in lines})
    remedies = [do("make", f"{_named(made, 'its arrays')} before the loop")] if made else []
    own = {array.line for array in local if kernel.line <= array.line <= kernel.end_line}
    at = lines or (() if made else tuple(sorted(own)))
    remedies += [do("write", f"{_at_lines(at) or 'its array statements'} as a loop over elements")] if at else []
    each = f"each {loop.source_name}"
    why = f"{each} sets up arrays and views" if lines else f"{each} allocates an array"
    return all_of(remedies or [do("reuse", "its temporaries")]), why, lines


def _at_lines(lines: Sequence[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"lines {_named(lines, '')}" if len(lines) <= MAX_NAMED else ""


def _shown(kernel: Kernel, array: Array) -> str:
    """Its name in the source: another array has it too, in this function or in one that it calls, or ``x = x * y`` made
    it anew. The line then tells which it is."""
    name, _, count = array.name.rpartition("_")
    return f"{name} (line {array.line})" if count.isdigit() and name in kernel.array_named else array.name


def _named(items: Sequence[object], all_: str) -> str:
    """Each of them, or what they are where they are many."""
    return " and ".join(map(str, items)) if len(items) <= MAX_NAMED else all_


def _change(lines: Sequence[int]) -> TransformationRecord | None:
    """What another code may advise too."""
    return TransformationRecord("fuse_expression", tuple(LoopRecord("", line) for line in lines)) if lines else None
