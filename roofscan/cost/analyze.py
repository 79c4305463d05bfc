"""The cost of a kernel: counts, dependence chains and memory model, with their status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from roofscan.cost.bindings import block_problems, put_in, resolve_values
from roofscan.cost.cases import outcomes
from roofscan.cost.counts import ExecutionCounts, as_traffic, flops, operations, register_traffic
from roofscan.cost.decided_tests import with_decided_tests
from roofscan.cost.memory.base import NOTHING, Traffic
from roofscan.cost.memory.lru.common_answers import CommonAnswers
from roofscan.cost.memory.models import memory_model, rounds_of
from roofscan.cost.nests import nests_of
from roofscan.cost.overruns import overruns
from roofscan.cost.piecewise_counts import piecewise
from roofscan.cost.result import KernelCost
from roofscan.cost.sample_point import choose_sample_point
from roofscan.cost.transform.fuse import fused_by_numba
from roofscan.ir.facts import Facts
from roofscan.ir.kernel import ABOVE, BELOW, MISSING, Kernel, Reason
from roofscan.ir.kinds import KernelStatus, SymbolKind, TrafficStatus
from roofscan.ir.visitor import loops
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number

_PARAMETRIC: tuple[SymbolKind, ...] = ("trips", "total", "share", "flag", "length", "cost")


def cost_kernel(kernel: Kernel, facts: Facts | None = None, line: int = 64) -> KernelCost:
    """The cost of a kernel at the sizes that ``facts`` bind; ``line`` in bytes. What cannot be counted raises nothing:
    the status and the reasons of the result's kernel say so."""
    return with_traffic(count_kernel(kernel, facts), kernel, line)


def count_kernel(kernel: Kernel, facts: Facts | None = None) -> KernelCost:
    """FLOPs, nests and chains of a kernel, without its memory model (``reuse`` is None)."""
    values, _ = resolve_values(kernel, facts or Facts())
    kernel = with_decided_tests(kernel, values)
    sample_point = choose_sample_point(kernel, values)
    free = frozenset(sample_point) - values.keys()
    kernel = put_in(kernel, values)
    if any(s.kind == "flag" for s in kernel.symbols):
        assumed = outcomes(kernel, sample_point)
        kernel = replace(kernel, assumptions=tuple(dict.fromkeys((*kernel.assumptions, *assumed))))
    if kernel.unsupported:
        return _unsupported(kernel, sample_point, free)
    if problems := block_problems(kernel, sample_point):
        return _refused(kernel, problems[0], sample_point, free)
    extents_given = facts is not None and bool(facts.arrays or facts.extents)
    try:
        return _counted(kernel, sample_point, free, extents_given and not kernel.on_gpu)  # no access ends a thread
    except NotEvaluable as problem:
        return _refused(kernel, str(problem), sample_point, free)


def with_traffic(cost: KernelCost, kernel: Kernel, line: int) -> KernelCost:
    """A counted cost of ``kernel`` with its memory model, and the cost of the loops into which Numba fuses it."""
    if cost.status == "unsupported":
        return cost
    fused, cost = fused_by_compiler(cost, kernel), with_reuse(cost, line)
    if fused is None or cost.reuse is None:
        return cost
    fused = with_reuse(fused, line)
    return replace(cost, fused=fused) if fused.reuse else cost


def fused_by_compiler(cost: KernelCost, kernel: Kernel) -> KernelCost | None:
    """The counted cost of the loops into which Numba fuses ``kernel``, with the FLOPs of the source. None where it
    fuses nothing, or they cannot be counted."""
    fused = fused_by_numba(kernel) if kernel.decorator.compiled and cost.status != "unsupported" else None
    if fused is None:
        return None
    bound = {name: value for name, value in cost.sample_point.items() if name not in cost.free}
    fused = replace(put_in(with_decided_tests(fused, bound), bound), assumptions=cost.kernel.assumptions)
    try:
        found = _counted(fused, cost.sample_point, cost.free)
    except NotEvaluable:
        return None
    return replace(found, status=cost.status, flops=cost.flops, operations=cost.operations)


# -- counting -------------------------------------------------------------------------------------
def _counted(
    kernel: Kernel, sample_point: Mapping[str, Number], free: frozenset[str], with_overruns: bool = False
) -> KernelCost:
    """The counts, with bounds of one side only: the sum of an upper and a lower bound bounds nothing. An access outside
    an array of a size that the user gives is a reason (``with_overruns``)."""
    below = any(r.effect in BELOW for r in kernel.reasons)
    executions = ExecutionCounts(kernel, Chamber(sample_point, kernel.least_values), "lower" if below else "upper")
    if with_overruns:
        outside = dict.fromkeys(overrun.reason for overrun in overruns(executions, free))
        kernel = replace(kernel, reasons=(*kernel.reasons, *outside))
    cost = _attempt(kernel, executions, free)
    effects = {r.effect for r in cost.kernel.reasons}
    if not below and not effects.isdisjoint(ABOVE) and not effects.isdisjoint(BELOW):
        return _attempt(kernel, ExecutionCounts(kernel, Chamber(sample_point, kernel.least_values), "lower"), free)
    return cost


def _attempt(kernel: Kernel, executions: ExecutionCounts, free: frozenset[str]) -> KernelCost:
    chamber = executions.chamber
    counted = operations(executions, executions.domains)
    nests = tuple(nests_of(kernel, executions))
    moved = register_traffic(executions, executions.domains)
    conditions = chamber.conditions()
    everywhere = piecewise(executions, free, counted, moved)
    if everywhere is not None:
        counted, moved, conditions = everywhere
    found = tuple(Reason(line, why, effect) for (line, why), effect in executions.problems.items())
    kernel = replace(kernel, reasons=(*kernel.reasons, *found))
    total = flops(counted)
    return KernelCost(
        kernel=kernel,
        status=_status(kernel, total, conditions),
        sample_point=chamber.sample_point,
        free=free,
        conditions=conditions,
        flops=total,
        operations=counted,
        nests=nests,
        registers=replace(as_traffic(moved), status=_traffic_status(kernel)),
        reuse=None,
    )


def _status(kernel: Kernel, total: Expr, conditions: Iterable[Expr]) -> KernelStatus:
    """Of a total that holds under these conditions: what holds for some data only is not exact."""
    if any(r.effect in (*ABOVE, *BELOW) for r in kernel.reasons):
        return "bounded"
    on_data = {s.name for s in kernel.symbols if s.kind in _PARAMETRIC}
    always = {loop.most - loop.stop for loop in loops(kernel.body) if loop.most is not None}
    conditions = [e for e in conditions if e not in always]
    by_data = any(r.effect == "uncounted" for r in kernel.reasons)
    return "parametric" if by_data or any(on_data & e.symbols for e in (total, *conditions)) else "exact"


def _traffic_status(kernel: Kernel) -> TrafficStatus:
    effects = {r.effect for r in kernel.reasons}
    if effects.isdisjoint(MISSING) and "open" in effects:
        return "estimate"
    if effects.isdisjoint(MISSING):
        return "upper_bound" if "upper" in effects else "exact"
    return "lower_bound" if effects.isdisjoint({"upper", "open"}) else "estimate"


# -- memory -------------------------------------------------------------------------------------
def with_reuse(cost: KernelCost, line: int, common: CommonAnswers | None = None) -> KernelCost:
    """The cost with its memory model; loops that are nested too deeply for it leave the traffic unknown."""
    cost = _with_rounds(cost)
    try:
        return replace(cost, reuse=memory_model(cost.kernel, cost.sample_point, line, common=common))
    except (RecursionError, MemoryError):
        deep = Reason(cost.kernel.line, "the traffic is unknown: its loops are nested too deeply", "traffic")
        return replace(cost, kernel=replace(cost.kernel, reasons=(*cost.kernel.reasons, deep)))


def _with_rounds(cost: KernelCost) -> KernelCost:
    """The cost, where free sizes decide the rounds of a loop that the model unrolls, with that as a reason."""
    said = "the traffic is for {} iterations; bind {} for another number"
    found = tuple(
        Reason(loop.line, said.format(int(loop.stop.evaluate(cost.sample_point)), ", ".join(sorted(names))), "traffic")
        for loop, conditions in rounds_of(cost)
        for names in [{name for g in conditions for name in g.symbols & cost.free}]
    )
    if not found or set(found) <= set(cost.kernel.reasons):
        return cost
    return replace(cost, kernel=replace(cost.kernel, reasons=(*cost.kernel.reasons, *found)))


def _refused(kernel: Kernel, why: str, sample_point: Mapping[str, Number], free: frozenset[str]) -> KernelCost:
    reason = Reason(kernel.line, f"cannot be counted: {why}", "unsupported")
    return _unsupported(replace(kernel, reasons=(*kernel.reasons, reason)), sample_point, free)


def _unsupported(kernel: Kernel, sample_point: Mapping[str, Number], free: frozenset[str]) -> KernelCost:
    why = kernel.unsupported
    nothing = Traffic(0, NOTHING, {}, "unknown", why=why.located if why else "")
    return KernelCost(kernel, "unsupported", sample_point, free, (), ZERO, {}, (), nothing, None)
