"""Layer conditions of a launch: what the resident blocks, a wave or a row of blocks touch, the caches that hold it, and
what follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import ceil

from roofscan.cost.memory.gpu.decisions import Decision
from roofscan.cost.memory.gpu.model import LaunchModel
from roofscan.cost.memory.gpu.regions import MOST_THREADS, is_readable
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.cost.memory.models import launch_of
from roofscan.ir.kinds import BlockGroup
from roofscan.ir.visitor import loops
from roofscan.roofline.layer_conditions import fits_of, steps_of
from roofscan.roofline.model import EVERYWHERE, CacheFit, KernelReport, LayerCondition, LevelReport
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import Expr, NotEvaluable
from roofscan.symbolic.intervals import intersect


def conditions_of(report: KernelReport) -> tuple[LayerCondition, ...]:
    """The steps of a kernel's traffic at the caches of its report, largest distance first."""
    model = launch_of(report.cost)
    if model is None:
        return steps_of(report)
    found: list[LayerCondition] = []
    for inner, level in pairwise(report.levels):
        found += _at(report, model, inner.name, level)
    return tuple(sorted(found, key=lambda step: -_value(step.needs, model)))


def _at(report: KernelReport, model: LaunchModel, cache: str, level: LevelReport) -> Iterator[LayerCondition]:
    said: dict[tuple[BlockGroup, str, Expr], Decision] = {}
    for decision in model.decided(level.capacity):
        if decision.what:
            said.setdefault((decision.what, decision.loop, model.expr(decision.needs)), decision)
    for (what, loop, needs), decision in said.items():
        step = _step(model, level.capacity, what, loop, needs, ceil(value_of(decision.needs)))
        if step is None or not is_readable(step.then, step.otherwise):
            continue
        fits = fits_of(step, report.cost, [(cache, level.capacity)])
        yield replace(step, fits=tuple(_of_blocks(fit, model) for fit in fits))


def _of_blocks(fit: CacheFit, model: LaunchModel) -> CacheFit:
    """Without blocks that no launch may have."""
    launch = model.kernel.launch
    if launch is None or not any(fit.symbol in extent.symbols for extent in launch.block):
        return fit
    ranges = intersect(fit.ranges, ((1, MOST_THREADS),))
    return replace(fit, ranges=EVERYWHERE if ranges == ((1, MOST_THREADS),) else ranges)


def _step(
    model: LaunchModel, capacity: int, what: BlockGroup, loop: str, needs: Expr, size: int
) -> LayerCondition | None:
    """None where nothing moves less."""
    moved = [model.in_cache(capacity, held) for held in (size, size - 1)]
    some, whole = map(value_of, moved)
    if some == whole:
        return None
    then, otherwise = map(model.expr, moved)
    saved, share = otherwise - then, (whole - some) / whole
    line = next((found.line for found in loops(model.kernel.body) if found.var == loop), model.kernel.line)
    arrays = tuple(sorted({r.name for r in model.movements.program.references}))
    return LayerCondition(loop, line, needs, needs, (), arrays, saved, then, otherwise, share, what=what)


def _value(expr: Expr, model: LaunchModel) -> float:
    try:
        return float(number(expr, model.values))
    except (NotEvaluable, ZeroDivisionError):
        return 0.0
