"""Whether there may be something to say of a kernel, told from its counts: most have nothing, and need no cache model.

Every rule here is a condition that a finding in :mod:`roofscan.rules` needs, so what is ruled out would not
have been found.
"""

from __future__ import annotations

from collections.abc import Mapping

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
from roofscan.machine.model import Machine
from roofscan.roofline.knowable import may_be_a_figure, may_be_bounded_below
from roofscan.roofline.left_of_ridge import accesses_few, counts_all_work, has_loops, is_known_below, may_be_scalar
from roofscan.roofline.strides import LineUse, strided_accesses
from roofscan.roofline.target import interpreted_loop
from roofscan.rules import array_of_structures, strided_access
from roofscan.symbolic.expr import Number


def hinges_on_counts(kernel: Kernel, machine: Machine) -> bool:
    """Whether a finding may come of a kernel once its operations are counted."""
    if kernel.unsupported is not None:
        return True
    if not _may_be_judged(kernel, machine):
        return False
    return bool(widenings(kernel)) or (any(map(_is_flop, walk(kernel.body))) and not may_be_scalar(kernel))


def _is_flop(node: Node) -> bool:
    return isinstance(node, Operation) and node.dtype.precision is not None and node.kind in FLOP_WEIGHT


def hinges_on_traffic(cost: KernelCost, machine: Machine, line: int) -> bool:
    """Whether a finding may come of a counted kernel once its traffic, in lines of so many bytes, is known."""
    kernel = cost.kernel
    if cost.status == "unsupported" or not _may_be_judged(kernel, machine):
        return False
    if widenings(kernel):
        return True
    if not cost.flops or may_be_scalar(kernel):
        return False
    return (
        may_be_left(cost, machine)
        or may_waste_lines(cost, cost.sample_point, line)
        or may_be_reordered(cost, machine)
        or may_be_fused(kernel)
    )


def _may_be_judged(kernel: Kernel, machine: Machine) -> bool:
    """As ``scope.why_not_judged``, as far as it does not depend on counts and sizes."""
    if kernel.on_gpu and machine.kind != "gpu":
        return False
    return kernel.decorator.compiled or interpreted_loop(kernel.body) is None


# -- what each kind of finding needs ------------------------------------------------------------------
def may_be_left(cost: KernelCost, machine: Machine) -> bool:
    """RFL101 to 103; a helper is judged in its callers, but for changes to its own loops. Loads and stores, which may
    bind themselves, are known without a cache model."""
    if not counts_all_work(cost) or not has_loops(cost) or accesses_few(cost, machine):
        return False
    if cost.kernel.is_helper and not any(perfect_nests(cost.kernel)):
        return False
    return may_be_bounded_below(cost.kernel) or is_known_below(cost.registers)


def may_waste_lines(cost: KernelCost, values: Mapping[str, Number], line: int) -> bool:
    """RFL201 and RFL203, where the sizes are ``values``."""
    if not may_be_bounded_below(cost.kernel):
        return False
    most = max(strided_access.MOST, array_of_structures.MOST)
    uses = (LineUse.of(walk, values, line) for walk in strided_accesses(cost.kernel))
    return any(use is not None and use.share <= most for use in uses)


def may_be_reordered(cost: KernelCost, machine: Machine) -> bool:
    """RFL202, and RFL101 by it."""
    kernel = cost.kernel
    if machine.kind == "gpu" or not kernel.decorator.compiled or kernel.on_gpu:
        return False
    return any(nest.strided_innermost for nest in cost.nests) and any(
        _has_dense_order(kernel, perfect.nest) for perfect in perfect_nests(kernel)
    )


def _has_dense_order(kernel: Kernel, nest: Nest) -> bool:
    return any(
        not order.as_written and not strided(kernel, nest, order.positions[-1]) for order in legal_orders(kernel, nest)
    )


def may_be_fused(kernel: Kernel) -> bool:
    """RFL301 to 303."""
    if kernel.decorator.parallel:
        return False
    return any(
        may_be_a_figure(change.written) and may_be_a_figure(change.fused)
        for find in (expression_fusions, loop_fusions, pass_fusions)
        for change in find(kernel)
    )
