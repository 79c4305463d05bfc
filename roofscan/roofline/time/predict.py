"""The time of a kernel at its evaluation point, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from roofscan.cost.memory.base import Movement, Sharing
from roofscan.cost.result import KernelCost, NestCost
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import ReasonEffect, SymbolKind
from roofscan.ir.tree import Loop, Operation
from roofscan.ir.visitor import accesses, loops, walk
from roofscan.machine.model import Machine
from roofscan.roofline.evaluation_point import EvaluationPoint
from roofscan.roofline.interfaces import TrafficCurves
from roofscan.roofline.network import network_report, shared
from roofscan.roofline.target import ExecutionTarget
from roofscan.roofline.time.amount import Amount
from roofscan.roofline.time.demand import Demand
from roofscan.roofline.time.expected import ExpectedTime
from roofscan.roofline.time.library_functions import time_of
from roofscan.roofline.time.lines import MovedBytes
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.symbolic.expr import Expr, NotEvaluable

_BY_DATA: tuple[SymbolKind, ...] = ("trips", "total", "length", "cost")
"""Kinds of symbols that depend on data or on code that is not known."""

_MISSING: Mapping[ReasonEffect, str] = {
    "lower": "",  # their reasons say so
    "hidden": "",
    "unseen": "some of its accesses are not known",
    "uncounted": "some of its work is not arithmetic",
    "open": "some shapes are not known",
}


KnownTimes = dict[object, ExpectedTime]
"""By the identity of what they are of."""


def predicted_time(
    curves: TrafficCurves,
    machine: Machine,
    target: ExecutionTarget,
    nests: tuple[NestCost, ...] | None = None,
    translated: bool = True,
    even: bool = False,
    known: KnownTimes | None = None,
) -> TimePrediction | NoTime:
    """``nests``: other machine code for the same loops. Without ``translated``, address translations are free;
    ``even``: iterations fill vectors and threads. ``known``: what has been found of this time, for who asks again."""
    if machine.gpu is not None and target.has_time:
        from roofscan.roofline.gpu.time import launch_time  # of modules that few files need

        return launch_time(curves.cost, machine, curves.evaluation.values)
    cost = curves.cost if nests is None else replace(curves.cost, nests=nests)
    why = next(_obstacles(cost, machine, target), "")
    if why:
        return NoTime(why)
    try:
        time = _expected(known, curves, cost, machine, target, translated, even).prediction
    except NotEvaluable as problem:
        return NoTime(str(problem))
    network = network_report(cost, machine, target.roof, curves.evaluation.values)
    if network is None:
        return time
    if network.seconds is None:
        return NoTime(f"the data that nodes exchange are not known: {network.why}")
    return shared(time, network.nodes, network.seconds)


def seconds_between(
    curves: TrafficCurves, machine: Machine, target: ExecutionTarget, known: KnownTimes | None = None
) -> tuple[float, float] | None:
    """What the loops of a call take at least and at most, by a hundredth of the work of a prediction where translations
    matter. None where no time is known, or nodes share the work."""
    cost = curves.cost
    if machine.gpu is not None or machine.network is not None or any(_obstacles(cost, machine, target)):
        return None
    try:
        return _expected(known, curves, cost, machine, target).between
    except NotEvaluable:
        return None


def least_seconds(
    curves: TrafficCurves, machine: Machine, target: ExecutionTarget, nests: tuple[NestCost, ...] | None = None
) -> float:
    """What a call takes at least, by its operations alone: its traffic need not be known. 0 where that is not known.
    ``nests``: other machine code for the same loops."""
    if machine.gpu is not None or machine.network is not None:
        return 0.0
    cost = curves.cost if nests is None else replace(curves.cost, nests=nests)
    try:
        return _expected(None, curves, cost, machine, target).least_without_traffic
    except NotEvaluable:
        return 0.0


def most_seconds(
    curves: TrafficCurves, machine: Machine, target: ExecutionTarget, lines: Sequence[float]
) -> float | None:
    """What the loops of a call take at most where no more lines than these cross into each cache, nearest first. None
    where that is not known."""
    cost = curves.cost
    if machine.gpu is not None or machine.network is not None or any(_obstacles(cost, machine, target, False)):
        return None
    try:
        return _expected(None, curves, cost, machine, target).most(lines)
    except NotEvaluable:
        return None


def _expected(
    known: KnownTimes | None,
    curves: TrafficCurves,
    cost: KernelCost,
    machine: Machine,
    target: ExecutionTarget,
    translated: bool = True,
    even: bool = False,
) -> ExpectedTime:
    """What a time lies between and what it is have most in common."""
    place, known = (id(curves), id(cost), id(machine), id(target), translated, even), {} if known is None else known
    if place not in known:
        known[place] = ExpectedTime(_demand(curves, cost, machine, target), machine, target, translated, even)
    return known[place]


def _demand(curves: TrafficCurves, cost: KernelCost, machine: Machine, target: ExecutionTarget) -> Demand:
    page = int(machine.timing.page.value)

    def pages_at(capacity: int) -> tuple[float, Mapping[str, Movement]]:
        return _pages_at(curves, page, capacity)

    return Demand(cost, machine, curves.evaluation.values, _moved_at(curves), pages_at, target.split)


def _integers_left_out(kernel: Kernel, target: ExecutionTarget) -> Iterator[str]:
    """Where work on integers is all there is, it is known of compiled loops alone."""
    alone = target.why == "no work"
    if alone and not kernel.decorator.compiled:
        yield target.reason
    for loop in loops(kernel.body):
        if loop.recurring and not loop.integers.chains:
            yield f"a chain of integer operations is not counted: {loop.recurring[0]}, line {loop.line}"
        if alone and loop.integers.unknown:
            yield f"the integer operations of {loop.integers.unknown} are not counted, line {loop.line}"
        if alone and loop.array_expression and _reads_integers(kernel, loop):
            yield f"the integer operations of an array expression are not counted, line {loop.line}"


def _reads_integers(kernel: Kernel, loop: Loop) -> bool:
    reads = (node for node in accesses(loop.body) if not node.write)
    return any(kernel.array(read.array).dtype.kind in ("int", "bool") for read in reads)


def _moved_at(curves: TrafficCurves) -> Callable[[Sharing, int], MovedBytes]:
    def moved_at(sharing: Sharing, capacity: int) -> MovedBytes:
        known = curves.crossed
        if (sharing, capacity) not in known:
            known[sharing, capacity] = _moved(curves.evaluation, curves.among(sharing), capacity)
        return known[sharing, capacity]

    return moved_at


def _moved(evaluation: EvaluationPoint, curves: TrafficCurves, capacity: int) -> MovedBytes:
    model, main, position = curves.traffic_model, curves.main, evaluation.position
    found, moved = model.bytes(capacity), main.at(capacity, position)
    if evaluation.value_or_none(found) == moved:
        every = model.traffic(capacity).total
        parts = [evaluation.value(part) for part in (every.load, every.fill, every.writeback)]
        return MovedBytes(Amount.of(float(moved), lambda: found), *map(float, parts))
    kinds = [float(curve.at(capacity, position)) for curve in main.kinds]
    return MovedBytes(Amount.of(float(moved), lambda: main.expression(capacity, position)), *kinds)


def _pages_at(curves: TrafficCurves, page: int, capacity: int) -> tuple[float, Mapping[str, Movement]]:
    """The pages that are fetched where no more than ``capacity`` bytes of them are kept, and of which arrays."""
    curve = curves.at_line(page)
    traffic = curve.traffic_model.traffic(capacity)
    if traffic.status == "unknown":
        raise NotEvaluable("the number of TLB misses is not known")
    position = curves.evaluation.position
    moved = curve.at(capacity, position)

    def expr() -> Expr:
        found = curve.traffic_model.bytes(capacity)
        same = curves.evaluation.value_or_none(found) == moved
        return (found if same else curve.expression(capacity, position)) / page

    return Amount.of(float(moved) / page, expr), traffic.arrays


def _obstacles(cost: KernelCost, machine: Machine, target: ExecutionTarget, with_traffic: bool = True) -> Iterator[str]:
    if not target.has_roofline and target.why != "no work" and target.reason:
        yield target.reason
    if machine.kind == "gpu":
        yield "the machine file does not describe its multiprocessors"
    if not machine.timing.given:
        yield "the machine file has no [time]: `roofscan machine measure` writes one"
    if with_traffic and (cost.reuse is None or cost.reuse.status == "unknown"):
        yield "its traffic is not known"
    kinds = {s.name: s for s in cost.kernel.symbols if s.name in cost.free}
    for symbol in sorted(cost.flops.symbols | cost.registers.total.load.symbols):
        if symbol in kinds and kinds[symbol].kind in _BY_DATA:
            yield f"bind {symbol}, which depends on data: {kinds[symbol].meaning}"
    for reason in cost.kernel.reasons:
        if reason.effect in _MISSING:
            missing = _MISSING[reason.effect]
            yield f"{missing}: {reason.located}" if missing else reason.located
    yield from _integers_left_out(cost.kernel, target)
    shares = {s.name for s in cost.kernel.symbols if s.kind in ("share", "flag")}
    for line in sorted({node.line for node in _inside_libraries(cost.kernel) if node.count.symbols - shares}):
        yield f"the machine code of a library's function is not known, line {line}"


def _inside_libraries(kernel: Kernel) -> Iterator[Operation]:
    """What a function of NumPy computes in loops of its own, other than to finish the results of a reduction, or in a
    time that is known."""
    for node in walk(kernel.body, lambda block: not isinstance(block, Loop)):
        if isinstance(node, Operation) and not node.library and not node.inputs and time_of(kernel, node) is None:
            yield node
