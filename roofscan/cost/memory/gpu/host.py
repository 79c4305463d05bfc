"""Traffic of a function of the host: that of its launches, one after the other, each from memory. What transfers copy
crosses the link to the host alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod

from roofscan.cost.counts import ExecutionCounts
from roofscan.cost.memory.base import Answers, Movement, Requests, ReuseClass, Sharing, Traffic
from roofscan.cost.memory.gpu.device import Device
from roofscan.cost.memory.gpu.model import LaunchModel, launch_model
from roofscan.frozen import dataclass
from roofscan.ir.dtypes import F8
from roofscan.ir.kernel import Body, Kernel, Loop, Node, Operation
from roofscan.ir.kinds import TrafficStatus
from roofscan.ir.launch import LaunchWork
from roofscan.ir.visitor import accesses, loops, replace_nodes, substitute, walk_with_blocks
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import ONE, ZERO, Expr, Number, sum_of

NOTHING = Movement(ZERO, ZERO, ZERO)


@dataclass(frozen=True)
class DeviceStep:
    """A launch, or a transfer of ``bytes``, that is done so many ``times``."""

    loop: Loop
    times: Expr
    array: str = ""  # that is copied
    bytes: Expr = ZERO
    launch: LaunchModel | None = None


class HostModel:
    """The launches and transfers of a function (a :class:`~roofscan.cost.memory.base.MemoryModel`)."""

    def __init__(
        self, kernel: Kernel, device: Device, steps: Sequence[DeviceStep], values: Mapping[str, Number]
    ) -> None:
        self.kernel = kernel
        self.device = device
        self.line = device.sector
        self.steps = tuple(steps)
        self._values = values

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The symbols that its figures depend on."""
        own = frozenset(name for step in self.steps for name in (step.times + step.bytes).symbols)
        return own.union(*(step.launch.symbols for step in self.steps if step.launch is not None))

    # -- the protocol ---------------------------------------------------------------------------------
    @property
    def status(self) -> TrafficStatus:
        return "estimate"

    @property
    def footprint(self) -> Expr:
        moved = self.traffic(-1).total
        return moved.load + moved.writeback

    @property
    def classes(self) -> tuple[ReuseClass, ...]:
        return ()

    @property
    def answers(self) -> Answers:
        return Answers((), {}, {})

    def among(self, sharing: Sharing) -> HostModel:
        return self

    def traffic(self, capacity: int) -> Traffic:
        """Of all launches together; what must move at least does so once."""
        found = [(step.times, step.launch.traffic(capacity)) for step in self.steps if step.launch is not None]
        every = capacity in (0, self.device.l1, self.device.l2)
        arrays: dict[str, Movement] = {}
        for times, traffic in found:
            for name, moved in traffic.arrays.items():
                each = _each(moved, times) if every else moved
                arrays[name] = self._joined(arrays.get(name, NOTHING), each, every)
        total = Movement(sum_of(m.load for m in arrays.values()), ZERO, sum_of(m.writeback for m in arrays.values()))
        why = "; ".join(dict.fromkeys(traffic.why for _, traffic in found if traffic.why))
        granule = next((traffic.granule for _, traffic in found), 0)
        return Traffic(capacity, total, arrays, "estimate", why=why, granule=granule, requests=_requests(found))

    @property
    def requested(self) -> Traffic:
        return self.traffic(0)

    def _joined(self, a: Movement, b: Movement, together: bool) -> Movement:
        """The sum, or the larger."""
        if together:
            return Movement(a.load + b.load, ZERO, a.writeback + b.writeback)
        load, store = (
            max(e, key=lambda e: e.evaluate(self._values)) for e in ((a.load, b.load), (a.writeback, b.writeback))
        )
        return Movement(load, ZERO, store)


def _each(moved: Movement, times: Expr) -> Movement:
    return Movement(moved.load * times, ZERO, moved.writeback * times)


def _requests(found: Sequence[tuple[Expr, Traffic]]) -> Requests | None:
    known = [(times, traffic.requests) for times, traffic in found if traffic.requests is not None]
    if not known:
        return None
    return Requests(
        sum_of(times * r.requests for times, r in known), sum_of(times * r.sectors for times, r in known),
        sum_of(times * r.wavefronts for times, r in known), sum_of(times * r.shared_wavefronts for times, r in known),
    )  # fmt: skip


def host_model(kernel: Kernel, values: Mapping[str, Number], device: Device, free: frozenset[str]) -> HostModel | None:
    """None where one of its launches, or what its threads touch, is not known."""
    steps: list[DeviceStep] = []
    for loop, times in executions_of(kernel, values, lambda loop: loop.device is not None):
        step = DeviceStep(loop, times)
        if isinstance(loop.device, LaunchWork):
            alone = replace(kernel, body=_alone(kernel, loop), launch=loop.device.launch, values={})
            model = launch_model(alone, values, device, free)
            if model is None:
                return None
            steps.append(replace(step, launch=model))
        else:
            array = kernel.array(next(accesses((loop,))).array)
            steps.append(replace(step, array=array.name, bytes=elements_of(loop) * array.dtype.size))
    return HostModel(kernel, device, steps, values)


def executions_of(
    kernel: Kernel, values: Mapping[str, Number], is_step: Callable[[Loop], bool]
) -> list[tuple[Loop, Expr]]:
    """The loops that are launches, transfers or operations, and how often each is done."""
    found: list[Loop] = []

    def marked(node: Node) -> Body | None:
        if not isinstance(node, Loop) or not is_step(node):
            return None
        found.append(node)
        return (Operation(-len(found), "add", F8, node.line),)

    counts = ExecutionCounts(
        replace(kernel, body=replace_nodes(kernel.body, marked)), Chamber(values, kernel.least_values)
    )
    times = {node.id: counts.of(visit) for visit in counts.visits for node in visit.body if isinstance(node, Operation)}
    return [(loop, times[-number]) for number, loop in enumerate(found, 1)]


def _alone(kernel: Kernel, launch: Loop) -> Body:
    """A launch as in the first iterations of the loops around it."""
    around = next(around for node, around in walk_with_blocks(kernel.body) if node is launch)
    body: Body = (replace(launch, device=None),)
    for loop in reversed([block for block in around if isinstance(block, Loop)]):
        body = substitute(body, {loop.var: loop.start})
    return body


def elements_of(nest: Loop) -> Expr:
    """Of a nest that takes each element once."""
    return prod((loop.stop - loop.start for loop in loops((nest,))), start=ONE)
