"""Conditions that findings need, for the ``may_apply`` of rules, by what is known after each stage: yes as long as
nothing rules the finding out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import wraps

from roofscan.advice.fusion import is_of_rows
from roofscan.cost.precision import widenings
from roofscan.cost.result import KernelCost
from roofscan.cost.transform.fuse_expressions import expression_fusions
from roofscan.cost.transform.fuse_loops import loop_fusions
from roofscan.cost.transform.fuse_passes import pass_fusions
from roofscan.cost.transform.interchange import leaves_lines, legal_orders
from roofscan.cost.transform.nest import Nest
from roofscan.cost.transform.perfect_nests import perfect_nests
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import MATRIX
from roofscan.ir.tree import FLOP_WEIGHT, Node, Operation
from roofscan.ir.visitor import loops, walk
from roofscan.roofline.left_of_ridge import (
    accesses_few,
    counts_all_work,
    has_loops,
    is_known_below,
    may_be_a_figure,
    may_be_bounded_below,
    may_be_scalar,
)
from roofscan.roofline.size_paths import free_sizes
from roofscan.roofline.strides import LineUse, strided_accesses
from roofscan.roofline.target import interpreted_loop
from roofscan.rules.rule_context import RuleContext
from roofscan.symbolic.expr import Expr, Number

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
    return interpreted_loop(kernel) is None


@_once
def computes_on_arrays(context: RuleContext) -> bool:
    if not has_roofline(context) or may_be_scalar(context.kernel):
        return False
    return any(map(_is_flop, walk(context.kernel.body))) if context.counts is None else bool(context.counts.flops)


@_once
def works_on_arrays(context: RuleContext) -> bool:
    """The same for loops that copy, compare or count as well: what an order of loops costs does not depend on FLOPs."""
    return has_roofline(context) and not may_be_scalar(context.kernel)


def _is_flop(node: Node) -> bool:
    return isinstance(node, Operation) and node.dtype.precision is not None and node.kind in FLOP_WEIGHT


@_once
def may_be_widened(context: RuleContext) -> bool:
    if context.counts is not None and accesses_few(context.counts, context.hardware):
        return False
    return has_roofline(context) and bool(widenings(context.kernel))


@_once
def may_be_left_of_ridge(context: RuleContext) -> bool:
    """The kernel is left of a ridge. Where the traffic of caches is at most what is said, only by loads and stores
    themselves, which are known without a cache model."""
    if not computes_on_arrays(context) or (context.kernel.on_gpu and _multiplies_integers(context.kernel)):
        return False
    return context.counts is None or _may_be_left(context.counts, context)


def _multiplies_integers(kernel: Kernel) -> bool:
    """Whether matrix units do most of its work, on integers, which count as no FLOPs."""
    nodes = (node for node in walk(kernel.body) if isinstance(node, Operation))
    return any(node.function == MATRIX and node.dtype.precision is None for node in nodes)


def _may_be_left(cost: KernelCost, context: RuleContext) -> bool:
    if not counts_all_work(cost) or not has_loops(cost) or accesses_few(cost, context.hardware):
        return False
    if cost.kernel.is_helper and not any(perfect_nests(cost.kernel)):  # judged in its callers, but for its own loops
        return False
    return may_be_bounded_below(cost.kernel) or is_known_below(cost.registers)


def may_waste_lines(context: RuleContext, largest_share: Fraction) -> bool:
    if not works_on_arrays(context):
        return False
    cost = context.counts
    if cost is None:
        return True
    if not may_be_bounded_below(cost.kernel):
        return False
    walks = strided_accesses(cost.kernel)
    uses = (LineUse.of(walk, cost.kernel, cost.sample_point, context.line) for walk in walks)
    return any(use is not None and use.share <= largest_share for use in uses)


@_once
def may_be_reordered(context: RuleContext) -> bool:
    if not works_on_arrays(context):
        return False
    kernel, counts = context.kernel, context.counts
    if context.hardware.kind == "gpu" or not kernel.decorator.compiled or kernel.on_gpu:
        return False
    if counts is None:
        return True
    return any(nest.strided_innermost for nest in counts.nests) and any(
        _has_dense_order(kernel, perfect.nest, counts.sample_point) for perfect in perfect_nests(kernel)
    )


def _has_dense_order(kernel: Kernel, nest: Nest, values: Mapping[str, Number]) -> bool:
    return any(
        not order.as_written and not leaves_lines(kernel, nest, order.positions[-1], values)
        for order in legal_orders(kernel, nest)
    )


@_once
def fusing_may_pay(context: RuleContext) -> bool:
    """Whether expressions, loops or passes may become one."""
    if not computes_on_arrays(context) or context.kernel.decorator.parallel or is_of_rows(context.kernel):
        return False
    return context.counts is None or _may_be_fused(context.kernel)


def _may_be_fused(kernel: Kernel) -> bool:
    return any(
        may_be_a_figure(change.written) and may_be_a_figure(change.fused)
        for find in (expression_fusions, loop_fusions, pass_fusions)
        for change in find(kernel)
    )


def may_be_stored(context: RuleContext, stride: Expr) -> bool:
    """Whether another layout of an array is known to help a walk with this stride: the callers of a helper lay out its
    arrays, and a row of which the kernel takes one place, ``X[i, column]``, may be short."""
    kernel = context.point.cost.kernel
    walked = {name for loop in loops(kernel.body) for name in loop.start.symbols | loop.stop.symbols}
    return not (context.kernel.is_helper or stride.symbols & set(free_sizes(context.point.cost)) - walked)
