"""Conditions that findings need, for the ``may_apply`` of rules, by what is known after each stage: yes as long as
nothing rules the finding out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import wraps

from roofscan.advice.fusion import changes_that_pay
from roofscan.advice.gain import as_written
from roofscan.cost.precision import widenings
from roofscan.cost.result import KernelCost
from roofscan.cost.transform.fuse_expressions import expression_fusions
from roofscan.cost.transform.fuse_loops import loop_fusions
from roofscan.cost.transform.fuse_passes import pass_fusions
from roofscan.cost.transform.interchange import legal_orders, strided
from roofscan.cost.transform.nest import Nest
from roofscan.cost.transform.perfect_nests import perfect_nests
from roofscan.ir.kernel import FLOP_WEIGHT, Kernel, Node, Operation
from roofscan.ir.visitor import walk
from roofscan.roofline.left_of_ridge import (
    accesses_few,
    counts_all_work,
    has_loops,
    is_known_below,
    may_be_a_figure,
    may_be_bounded_below,
    may_be_scalar,
    only_moves_data,
)
from roofscan.roofline.size_range import ALWAYS, SOMETIMES
from roofscan.roofline.strides import LineUse, strided_accesses
from roofscan.roofline.target import interpreted_loop
from roofscan.roofline.verdict import RooflinePoint
from roofscan.rules.rule_context import RuleContext
from roofscan.symbolic.expr import NotEvaluable

Condition = Callable[[RuleContext], bool]


def _once(condition: Condition) -> Condition:
    """The condition, worked out once a stage however many rules ask it."""

    @wraps(condition)
    def answer(context: RuleContext) -> bool:
        if condition not in context.answers:
            context.answers[condition] = condition(context)
        return context.answers[condition]

    return answer


@_once
def has_roofline(context: RuleContext) -> bool:
    kernel = context.kernel
    if kernel.unsupported is not None or (context.counts is not None and context.counts.status == "unsupported"):
        return False
    if kernel.on_gpu and context.hardware.kind != "gpu":
        return False
    return kernel.decorator.compiled or interpreted_loop(kernel.body) is None


@_once
def computes_on_arrays(context: RuleContext) -> bool:
    if not has_roofline(context) or may_be_scalar(context.kernel):
        return False
    return any(map(_is_flop, walk(context.kernel.body))) if context.counts is None else bool(context.counts.flops)


def _is_flop(node: Node) -> bool:
    return isinstance(node, Operation) and node.dtype.precision is not None and node.kind in FLOP_WEIGHT


@_once
def may_be_widened(context: RuleContext) -> bool:
    return has_roofline(context) and bool(widenings(context.kernel))


@_once
def may_be_left_of_ridge(context: RuleContext) -> bool:
    """The kernel is left of a ridge. Where the traffic of caches is at most what is said, only by loads and stores
    themselves, which are known without a cache model and must take longer than compulsory traffic."""
    if not computes_on_arrays(context):
        return False
    counts = context.counts
    if counts is not None and not _may_be_left(counts, context):
        return False
    return context.compulsory is None or any(_may_be_left_at(point, context) for point in _rooflines(context))


def _may_be_left(cost: KernelCost, context: RuleContext) -> bool:
    if not counts_all_work(cost) or not has_loops(cost) or accesses_few(cost, context.hardware):
        return False
    if cost.kernel.is_helper and not any(perfect_nests(cost.kernel)):  # judged in its callers, but for its own loops
        return False
    return may_be_bounded_below(cost.kernel) or is_known_below(cost.registers)


def _may_be_left_at(point: RooflinePoint, context: RuleContext) -> bool:
    if point.target.roof is None or not _may_be_left(point.cost, context) or only_moves_data(point):
        return False
    if may_be_bounded_below(point.cost.kernel):
        return True
    registers = point.interfaces[0]
    if not registers.counts or not is_known_below(registers.traffic):
        return False
    how = point.size_range_at(registers).how
    return how == SOMETIMES or (how == ALWAYS and point.slowest is registers)


def _rooflines(context: RuleContext) -> Iterator[RooflinePoint]:
    return (point for point in context.compulsory or () if point.target.has_roofline)


def may_waste_lines(context: RuleContext, largest_share: Fraction) -> bool:
    if not computes_on_arrays(context):
        return False
    if context.counts is None:
        return True
    points = [(context.counts, context.counts.sample_point)]
    if context.compulsory is not None:
        points = [(point.cost, dict(point.evaluation.values)) for point in _rooflines(context)]
    for cost, values in points:
        if may_be_bounded_below(cost.kernel):
            uses = (LineUse.of(walk, cost.kernel, values, context.line) for walk in strided_accesses(cost.kernel))
            if any(use is not None and use.share <= largest_share for use in uses):
                return True
    return False


@_once
def may_be_reordered(context: RuleContext) -> bool:
    if not computes_on_arrays(context):
        return False
    kernel, counts = context.kernel, context.counts
    if context.hardware.kind == "gpu" or not kernel.decorator.compiled or kernel.on_gpu:
        return False
    if counts is None:
        return True
    if context.compulsory is not None and not any(_rooflines(context)):
        return False
    return any(nest.strided_innermost for nest in counts.nests) and any(
        _has_dense_order(kernel, perfect.nest) for perfect in perfect_nests(kernel)
    )


def _has_dense_order(kernel: Kernel, nest: Nest) -> bool:
    return any(
        not order.as_written and not strided(kernel, nest, order.positions[-1]) for order in legal_orders(kernel, nest)
    )


@_once
def fusing_may_pay(context: RuleContext) -> bool:
    """Whether expressions, loops or passes may become one, with a gain over operations and compulsory traffic."""
    if not computes_on_arrays(context) or context.kernel.decorator.parallel:
        return False
    if context.counts is None:
        return True
    if context.compulsory is None:
        return _may_be_fused(context.kernel)
    return any(
        _may_wait(point) and any(changes_that_pay(point, as_written(point).bound.seconds))
        for point in _rooflines(context)
    )


def _may_be_fused(kernel: Kernel) -> bool:
    return any(
        may_be_a_figure(change.written) and may_be_a_figure(change.fused)
        for find in (expression_fusions, loop_fusions, pass_fusions)
        for change in find(kernel)
    )


def _may_wait(point: RooflinePoint) -> bool:
    """Whether moving data may take longer than its operations: if each access moved a line of its own."""
    seconds = point.target.seconds
    try:
        most = point.evaluation.value(point.traffic_model.ceiling)
    except NotEvaluable:
        return True
    for interface in point.interfaces:
        moved = interface.moved if not interface.capacity else most
        if moved is None or not interface.bandwidth or moved > seconds * interface.bandwidth:
            return True
    return False
