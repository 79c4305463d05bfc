"""Another order of the loops, where one is legal, walks the arrays element by element, and pays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from roofscan.advice.gain import WORTHWHILE_GAIN, Version, counted, may_pay, moving, speedup_to
from roofscan.cost.transform.interchange import Interchange, Order, leaves_lines, legal_orders, strided
from roofscan.cost.transform.nest import Nest, stride
from roofscan.cost.transform.perfect_nests import perfect_nests
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import accesses
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import ZERO, NotEvaluable, Number

SHORTEST = 8  # trips that an innermost loop must have for vector code to matter


@dataclass(frozen=True)
class ProfitableOrder:
    transformation: Interchange
    version: Version
    denser: bool  # the written order has longer strides; else rows are reused sooner
    to_unit_stride: bool
    speedup: Speedup | None  # from the kernel as written


def profitable_orders(point: RooflinePoint, start: Version) -> Iterator[ProfitableOrder]:
    """One for each nest that gains by it, each applied after those before."""
    now = start
    for perfect in perfect_nests(start.kernel):
        values = point.evaluation.values
        order = _best_order(start.kernel, perfect.nest, values)
        if order is None or _is_of_callee(perfect.nest, order):
            continue
        denser = _is_denser(start.kernel, perfect.nest, order, values)
        if not denser and not _keeps_rows_longer(perfect.nest, order, now):
            continue
        interchange = Interchange(perfect, order)
        after = counted(point, interchange.apply(now.kernel))
        if not may_pay(point, now, after.bound.seconds):
            continue
        after = moving(point, after)
        if after.bound.seconds * WORTHWHILE_GAIN <= now.bound.seconds:
            unit_stride = denser and not strided(start.kernel, perfect.nest, order.positions[-1])
            yield ProfitableOrder(interchange, after, denser, unit_stride, speedup_to(point, after))
            now = after


def _is_denser(kernel: Kernel, nest: Nest, order: Order, values: Mapping[str, Number]) -> bool:
    """Whether the innermost loop gets unit stride, or takes several elements of a line where each was in its own."""
    written, then = len(nest.loops) - 1, order.positions[-1]
    if not strided(kernel, nest, then):
        return bool(strided(kernel, nest, written))
    return leaves_lines(kernel, nest, written, values) and not leaves_lines(kernel, nest, then, values)


def _is_of_callee(nest: Nest, order: Order) -> bool:
    """Whether only loops of a called function move, whose findings say so."""
    return all(loop.callee for n, loop in enumerate(nest.loops) if order.positions[n] != n)


def _keeps_rows_longer(nest: Nest, order: Order, now: Version) -> bool:
    """Whether the order changes fewer rows in its second innermost loop, where that is what the kernel waits for."""
    return now.waits_at is not None and streams(nest, order) < streams(nest, _as_written(nest))


def _best_order(kernel: Kernel, nest: Nest, values: Mapping[str, Number]) -> Order | None:
    found = [
        order
        for order in legal_orders(kernel, nest)
        if not leaves_lines(kernel, nest, order.positions[-1], values)
        and _is_long(nest.loops[order.positions[-1]], values)
        and not (_counts(kernel, nest, order) and not _is_chain(kernel, nest, _as_written(nest)))
    ]
    jumps = [jump(kernel, nest, loop, values) for loop in nest.loops]

    def rank(order: Order) -> tuple[object, ...]:
        inside_out = tuple(jumps[i] for i in reversed(order.positions))
        has_strides = bool(strided(kernel, nest, order.positions[-1]))
        return (
            order.reordered,
            has_strides,
            _is_chain(kernel, nest, order),
            streams(nest, order),
            inside_out,
            order.positions,
        )

    best = min(found, key=rank, default=None)
    return None if best is None or best.as_written else best


def jump(kernel: Kernel, nest: Nest, loop: Loop, values: Mapping[str, Number]) -> float:
    """How far the loop moves through memory in one iteration, all accesses together, in elements. A loop over blocks
    moves as far as the loop in a block that begins where it stands."""
    steps = (stride(access, kernel.array(access.array), loop) for access in accesses(nest.body))
    inner = (other for other in nest.loops if loop.var in other.start.symbols)
    try:
        own = sum(abs(float(step.evaluate(values))) for step in steps if step is not None)
        size = abs(float(loop.step.evaluate(values)))
    except NotEvaluable:
        return inf
    return own + size * sum(jump(kernel, nest, other, values) for other in inner)


def streams(nest: Nest, order: Order) -> int:
    """How many rows the second innermost loop changes: a row that stays is read from the nearest cache."""
    row, outer = (nest.loops[i].var for i in (order.positions[-1], order.positions[-2]))
    return sum(
        any(e is not None and row in e.symbols for e in access.index)
        and any(e is None or outer in e.symbols for e in access.index)
        for access in accesses(nest.body)
    )


def _as_written(nest: Nest) -> Order:
    return Order(tuple(range(len(nest.loops))))


def _counts(kernel: Kernel, nest: Nest, order: Order) -> bool:
    """Whether the innermost iterations count in one element of integers, each through memory: short loops of a test
    and a count measured 0.89 to 1.2 of the walk that skips from element to element."""
    written = (access for access in accesses(nest.body) if access.write)
    return any(kernel.array(a.array).dtype.kind == "int" for a in written) and _is_chain(kernel, nest, order)


def _is_chain(kernel: Kernel, nest: Nest, order: Order) -> bool:
    """Whether an element is written again in each innermost iteration, which then waits for the one before."""
    innermost = nest.loops[order.positions[-1]]
    steps = (stride(a, kernel.array(a.array), innermost) for a in accesses(nest.body) if a.write)
    return any(step == ZERO for step in steps)


def _is_long(loop: Loop, values: Mapping[str, Number]) -> bool:
    """Whether it has enough trips for vector code, as far as that can be known."""
    try:
        length, step = (loop.stop - loop.start).evaluate(values), loop.step.evaluate(values)
        return abs(float(length)) >= SHORTEST * abs(float(step))
    except NotEvaluable:
        return True
