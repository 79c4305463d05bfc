"""Whether a kernel is certainly left of a ridge, as written and at compulsory traffic: the base of RFL101 to 103."""

from __future__ import annotations

from fractions import Fraction

from roofscan.cost.memory.base import Traffic
from roofscan.cost.result import KernelCost
from roofscan.ir.kernel import BELOW, MISSING, Kernel
from roofscan.ir.visitor import counts_at_worst, loops
from roofscan.machine.model import Machine
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.memory_bound_sizes import left_of
from roofscan.roofline.piecewise_bytes import everywhere
from roofscan.roofline.size_range import ALWAYS, NEVER, SOMETIMES, Scale, among_sizes_that_matter
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import ZERO, Expr

NEAR_RIDGE, NEAR_UNCERTAIN_RIDGE = 0.8, 0.7
"""Shares of the ridge from which on a kernel counts as balanced: faster memory or fewer bytes hardly help it. The
second applies where divisions, functions or a dependence chain limit the roof: machine files know those less well."""

COPY_BYTES_PER_FLOP = 64  # compulsory bytes for each operation from which on a kernel only moves data: a cache line

SEARCH_BYTES_PER_FLOP = 1024
"""Bytes for each operation, as written, from which on a kernel searches rather than computes."""


def left_of_ridge(point: RooflinePoint) -> InterfaceTraffic | None:
    """The interface left of whose ridge the kernel certainly is, for some sizes at least; None too for work that is too
    small to matter (helpers without a loop, constant sizes that fit the first cache), for copies, fills and searches,
    and for kernels whose loops are all in another file, which reports them."""
    if not point.cost.flops or point.target.roof is None or not counts_all_work(point.cost):
        return None
    if not has_loops(point.cost) or _only_calls(point.cost) or not _may_be_certain(point):
        return None
    interface = point.reported
    if interface is None or point.size_range.how == NEVER:
        return None
    if only_moves_data(point, interface) or not (
        may_be_bounded_below(point.cost.kernel) or _accesses_take_longest(point)
    ):
        return None
    return interface if _is_certain(point, interface) and not _is_trivial(point, interface) else None


def held_by_memory(point: RooflinePoint) -> InterfaceTraffic | None:
    """The same, where a core does not take most of the expected time: of that nothing is known at other sizes."""
    interface = left_of_ridge(point)
    if interface is None or not point.is_left(interface):
        return interface
    return None if point.held_by_core else interface


def is_left_at_best(point: RooflinePoint) -> bool:
    """Whether no loop order can take the kernel to memory's ridge, at any size that matters."""
    ridge, least = point.interfaces[-1].ridge, live_bytes(point.traffic_model)
    return ridge is not None and bool(least) and _always_left(point, least, ridge)


def is_near(share: float, point: RooflinePoint) -> bool:
    """Whether this share of the ridge is as good as the ridge."""
    limit = point.target.limit
    return share >= (NEAR_RIDGE if limit is not None and limit.at_full_rate else NEAR_UNCERTAIN_RIDGE)


def only_moves_data(point: RooflinePoint, interface: InterfaceTraffic | None = None) -> bool:
    """Whether the kernel does less than one operation for each compulsory line, or for many lines as written."""
    least = point.traffic_model.policy.of(point.traffic_model.traffic(UNLIMITED).total)
    flops, moved = (point.evaluation.value_or_none(e) for e in (point.cost.flops, least))
    if flops is None or moved is None:
        return False
    searches = interface is not None and interface.moved is not None and flops * SEARCH_BYTES_PER_FLOP < interface.moved
    return flops * COPY_BYTES_PER_FLOP < moved or searches


def live_bytes(traffic_model: TrafficModel) -> Expr:
    """Compulsory traffic of the arrays that are live in or live out; temporaries do not count."""
    arrays = traffic_model.traffic(UNLIMITED).arrays
    live = {a.owner for a in traffic_model.cost.kernel.arrays if a.is_live}
    return sum((traffic_model.policy.of(m) for name, m in arrays.items() if name in live), start=ZERO)


def _always_left(point: RooflinePoint, least: Expr, ridge: Fraction) -> bool:
    """Whether the kernel stays left of the ridge at these bytes, at every size that matters."""
    flops, evaluation = point.cost.flops, point.evaluation
    if evaluation.path.others != "grow":
        spare = evaluation.value_or_none(flops - least * ridge)
        return spare is not None and spare < 0
    bound_sizes = left_of(flops, ridge, everywhere(evaluation.path.restrict(least)), evaluation.path)
    scale = Scale(evaluation, point.machine, None)
    return bound_sizes is not None and among_sizes_that_matter(bound_sizes, scale).how == ALWAYS


# -- what is certain ------------------------------------------------------------------------------
def is_known_below(traffic: Traffic) -> bool:
    return traffic.status in ("exact", "estimate", "lower_bound")


def _is_certain(point: RooflinePoint, interface: InterfaceTraffic) -> bool:
    """Whether the true intensity is at most the one shown, whichever way the branches go."""
    return is_known_below(interface.traffic) and all(_left_with_shares(point, interface, share) for share in (0, 1))


def _may_be_certain(point: RooflinePoint) -> bool:
    """Whether the verdict may report an interface whose traffic is no upper bound, by that interface alone."""
    certain = [c for c in point.interfaces if c.counts and is_known_below(c.traffic)]
    if any(c is point.binding and point.size_range_at(c).how != NEVER for c in certain):
        return True
    return any(point.size_range_at(c).how == SOMETIMES for c in certain)


def _accesses_take_longest(point: RooflinePoint) -> bool:
    """Whether the loads and stores themselves take longer than compulsory traffic at the evaluation point, or are bound
    for some sizes."""
    registers, memory = point.interfaces[0], point.interfaces[-1]
    if not registers.counts or not is_known_below(registers.traffic):
        return False
    how = point.size_range_at(registers).how
    if how != ALWAYS:
        return how == SOMETIMES
    least = point.evaluation.value_or_none(point.traffic_model.bytes(UNLIMITED))
    assert registers.bandwidth and memory.bandwidth
    return (
        least is not None
        and registers.moved is not None
        and least / memory.bandwidth < registers.moved / registers.bandwidth
    )


def _left_with_shares(point: RooflinePoint, interface: InterfaceTraffic, share: int) -> bool:
    """Whether the kernel stays left of the ridge if all data-dependent branches go one way."""
    cost = point.cost
    shares = {s.name: share for s in cost.kernel.symbols if s.kind == "share" and s.name in cost.free}
    if not shares or point.size_range.how != ALWAYS:
        return True
    assert interface.bytes is not None and interface.ridge is not None
    spare = point.evaluation.value_or_none((cost.flops - interface.bytes * interface.ridge).subs(shares))
    return spare is not None and spare < 0


# -- necessary conditions on the kernel and its counts ------------------------------------------------
def in_source_symbols(kernel: Kernel, expr: Expr) -> bool:
    """Whether all symbols of an expression are named as in the source: those of mean lengths are made up."""
    return expr.symbols <= {s.name for s in kernel.symbols if s.kind in ("size", "tile", "int")}


def may_be_bounded_below(kernel: Kernel) -> bool:
    """Whether its traffic may be a figure or a lower bound, as RFL101 to 203 need it."""
    return _leaves_out(kernel) or not counts_at_worst(kernel)


def may_be_a_figure(kernel: Kernel) -> bool:
    """Whether its traffic may be a figure, as advice to fuse needs it. Missing accesses and upper bounds
    together make an estimate."""
    return _leaves_out(kernel) == counts_at_worst(kernel)


def _leaves_out(kernel: Kernel) -> bool:
    return any(reason.effect in MISSING for reason in kernel.reasons)


def may_be_scalar(kernel: Kernel) -> bool:
    """Whether the parameters of a compiled function may be scalars: where the source leaves it open, most are."""
    return kernel.decorator.compiled and any(reason.effect == "open" for reason in kernel.reasons)


def counts_all_work(cost: KernelCost) -> bool:
    open_flops = cost.free & cost.flops.symbols & {s.name for s in cost.kernel.symbols if s.kind == "cost"}
    return not open_flops and all(reason.effect not in BELOW for reason in cost.kernel.reasons)


def has_loops(cost: KernelCost) -> bool:
    """Whether a kernel has a loop, or calls a library function that has one."""
    return any(loops(cost.kernel.body)) or any(nest.library for nest in cost.nests)


def accesses_few(cost: KernelCost, machine: Machine) -> bool:
    """Whether a kernel accesses a constant number of bytes that fits the first cache, however long its arrays are."""
    accessed = cost.registers.total
    few = (accessed.load + accessed.writeback).constant
    return few is not None and few <= _first_capacity(machine)


def _is_trivial(point: RooflinePoint, interface: InterfaceTraffic) -> bool:
    if accesses_few(point.cost, point.machine):
        return True
    smallest = _first_capacity(point.machine)
    return not point.cost.kernel.symbols and interface.moved is not None and interface.moved <= smallest


def _first_capacity(machine: Machine) -> int:
    return min((level.capacity for level in machine.levels if level.capacity), default=0)


def _only_calls(cost: KernelCost) -> bool:
    """Whether all of a kernel's loops are those of functions that have findings of their own."""
    every = tuple(loops(cost.kernel.body))
    return bool(every) and all(loop.is_elsewhere for loop in every)
