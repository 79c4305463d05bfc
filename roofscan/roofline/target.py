"""On what part of a machine a kernel runs, in what precision, and under which compute roof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roofscan.cost.result import KernelCost, NestCost
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import NoRoofline, Scope
from roofscan.ir.tree import FLOP_WEIGHT, Access, Loop, Node, Operation
from roofscan.ir.visitor import loops, walk
from roofscan.machine.model import Machine
from roofscan.roofline.roof import RoofLimit, compute_roof
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import NotEvaluable, Number

Values = Mapping[str, Number]

_WORDS: Mapping[NoRoofline, str] = {
    "unsupported": "outside the model",
    "interpreted": "interpreter-bound: compile it",
    "no GPU": "a GPU kernel: choose a GPU, as --machine h100-sxm",
    "no work": "no floating-point work",
    "not counted": "none of its work could be counted (see the reasons)",
    "no value": "its counts are sums too long to evaluate",
}


@dataclass(frozen=True)
class ExecutionTarget:
    """Where a kernel runs."""

    scope: Scope
    precision: str | None  # that of most of its FLOPs
    roof: float | None = None  # FLOP/s of all its nests together; None without FLOPs or machine
    limit: RoofLimit | None = None  # what holds the roof down
    seconds: float = 0.0  # that the operations take at the evaluation point
    why: NoRoofline | None = None  # it has no place under a roofline
    reason: str = ""  # the same in words
    split: bool = False  # threads on all cores run the iterations of parallel loops

    @property
    def has_roofline(self) -> bool:
        return self.why is None

    @property
    def has_time(self) -> bool:
        """Whether what runs it takes a time that is known: without floating-point work as well."""
        return self.why in (None, "no work")


def without_machine(cost: KernelCost, values: Values) -> ExecutionTarget:
    """Caches alone: one core's view, no roof."""
    why = why_no_roofline(cost, values)
    precision = None if why == "no value" else main_precision(cost, values)
    return ExecutionTarget("core", precision, why=why, reason=_words(cost, why))


def target_on(cost: KernelCost, machine: Machine, values: Values) -> ExecutionTarget:
    """The scope is that of the nest with most work; the roof is all FLOPs over all nests' seconds. ``values`` holds
    every symbol at the evaluation point."""
    why = why_no_roofline(cost, values) or ("no GPU" if cost.kernel.on_gpu and machine.kind != "gpu" else None)
    computing = computing_on(cost, machine, values)
    if cost.nests and not computing.known:
        why = why or "no value"
    scope, seconds, reason = computing.scope, computing.seconds, _words(cost, why)
    if why == "no value" or not computing.known:
        return ExecutionTarget(scope, None, why=why, reason=reason)
    flops, precision = float(number(cost.flops, values)), main_precision(cost, values)
    roof = flops / seconds if flops and seconds else None
    return ExecutionTarget(scope, precision, roof, computing.limit, seconds, why, reason, computing.split)


@dataclass(frozen=True)
class Computing:
    """The operations of all nests, on the part of the machine where most of them run."""

    scope: Scope
    seconds: float = 0.0
    split: bool = False
    limit: RoofLimit | None = None
    known: bool = True


def computing_on(cost: KernelCost, machine: Machine, values: Values) -> Computing:
    scopes = [scope_of(nest, machine) for nest in cost.nests]
    try:
        roofs = [compute_roof(nest, values, machine, s) for nest, s in zip(cost.nests, scopes, strict=True)]
    except NotEvaluable:
        roofs = []
    if not roofs:
        return Computing("device" if machine.kind == "gpu" else "core", known=False)
    work = [_work(nest, roof.seconds, values, machine) for nest, roof in zip(cost.nests, roofs, strict=True)]
    longest = max(range(len(roofs)), key=lambda i: work[i])
    split = scopes[longest] == "socket" and cost.nests[longest].split and not cost.kernel.on_gpu
    return Computing(scopes[longest], sum(roof.seconds for roof in roofs), split, roofs[longest].limit)


def _work(nest: NestCost, seconds: float, values: Values, machine: Machine) -> float:
    """The seconds that say which nest has most work. Of a BLAS-like call those of one core: its operands are large, and
    move on all cores long after its operations take less time than a serial loop over vectors."""
    on_one_core = nest.library and machine.kind != "gpu"
    return compute_roof(nest, values, machine, "core").seconds if on_one_core else seconds


def _words(cost: KernelCost, why: NoRoofline | None) -> str:
    unsupported = cost.kernel.unsupported
    if why == "unsupported" and unsupported is not None:
        return unsupported.message
    if why == "open":
        name = next(_open_operands(cost))
        return f"the source leaves open whether {name} is an array: if it is, --bind {name}=f8[n]"
    return _WORDS[why] if why else ""


def _open_operands(cost: KernelCost) -> Iterator[str]:
    """Parameters, perhaps numbers and perhaps arrays, whose elements are all that the FLOPs depend on."""
    sizes = {s.name: s.extent for s in cost.kernel.symbols if s.kind == "open" and s.name in cost.free}
    if cost.flops.symbols and cost.flops.symbols <= sizes.keys():
        owners = {array.partition(".")[0] for extent in sizes.values() if extent for array in extent.arrays}
        yield from (name for name in cost.kernel.parameters if name in owners)


def scope_of(nest: NestCost, machine: Machine) -> Scope:
    if machine.kind == "gpu":
        return "device"
    return "socket" if nest.parallel or nest.library else "core"


def main_precision(cost: KernelCost, values: Values) -> str | None:
    """The precision of most FLOPs, the wider one of two equals; None without FLOPs."""
    totals: dict[str, Number] = {}
    for (kind, precision), count in cost.operations.items():
        weight = FLOP_WEIGHT.get(kind, 0)
        totals[precision] = totals.get(precision, 0) + weight * number(count, values)
    best = max(totals, key=lambda p: (totals[p], p), default=None)
    return best if best is not None and totals[best] else None


def why_no_roofline(cost: KernelCost, values: Values) -> NoRoofline | None:
    if cost.status == "unsupported":
        return "unsupported"
    if not _has_value(cost, values):
        return "no value"
    if interpreted_loop(cost.kernel):
        return "interpreted"
    if any(_open_operands(cost)):
        return "open"
    return None if cost.flops or _moves_data(cost) else _without_work(cost)


def _moves_data(cost: KernelCost) -> bool:
    """Whether a kernel without FLOPs copies floating-point data: not where it sorts or searches, and not where all
    that it writes are integers."""
    kernel = cost.kernel
    touched = [node for node in walk(kernel.body) if isinstance(node, Access)]
    written = {kernel.array(access.array).dtype.kind for access in touched if access.write}
    total, open_trips = cost.registers.total, {s.name for s in kernel.symbols if s.kind == "trips"}
    uncounted = any(reason.effect == "uncounted" for reason in kernel.reasons)
    if uncounted or written == {"int"} or open_trips & (total.load + total.writeback).symbols:
        return False
    return any(kernel.array(access.array).dtype.counts for access in touched)


def without_work(cost: KernelCost) -> str:
    """What to say of 0 FLOPs: that there are none, or that all there may be is not counted."""
    return _WORDS[_without_work(cost)]


def _without_work(cost: KernelCost) -> NoRoofline:
    return "not counted" if cost.status == "bounded" else "no work"


def _has_value(cost: KernelCost, values: Values) -> bool:
    pairs = (count for nest in cost.nests for count in nest.fused_pairs.values())
    chains = (chain.iterations for nest in cost.nests for chain in nest.chains)
    try:
        for count in (cost.flops, *cost.operations.values(), *pairs, *chains):
            number(count, values)
    except NotEvaluable:
        return False
    return True


def interpreted_loop(kernel: Kernel) -> Loop | None:
    """The first loop over elements that Python runs: it has accesses, and no whole-array operation within. None in
    compiled functions."""
    for loop in () if kernel.decorator.compiled else loops(kernel.body):
        inside = tuple(walk(loop.body))
        vectors = any(_is_vector(node) for node in (loop, *inside))
        if not vectors and any(isinstance(node, Access) for node in inside):
            return loop
    return None


def _is_vector(node: Node) -> bool:
    """Whether it is a part of a whole-array operation or of a compiled function, which compiled code runs."""
    if isinstance(node, Loop):
        return node.array_expression or node.compiled
    return isinstance(node, Operation) and node.library != ""
