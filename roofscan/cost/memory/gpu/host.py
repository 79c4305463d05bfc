"""The traffic of a host function: that of its launches, one after the other. L2 keeps data from one launch to the next.
Transfers load the link between host and device alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from math import prod

from roofscan.cost.counts import ExecutionCounts
from roofscan.cost.memory.base import NOTHING, Movement, Requests, Traffic, WithoutReuse
from roofscan.cost.memory.gpu.device import Device
from roofscan.cost.memory.gpu.model import LaunchModel, launch_model
from roofscan.cost.memory.gpu.traffic.movements import Movements
from roofscan.cost.memory.gpu.traffic.second_cache import Kept, LaunchBytes, kept_between
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.frozen import dataclass
from roofscan.ir.dtypes import F8
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import TrafficStatus
from roofscan.ir.launch import LaunchWork
from roofscan.ir.tree import Body, Loop, Node, Operation
from roofscan.ir.visitor import accesses, loops, replace_nodes, substitute, walk_with_blocks
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import ONE, ZERO, Expr, Number, sum_of

BESIDE = "only launches and transfers are counted, not the other work of the function"
DENOMINATOR = 1 << 20  # of a share


@dataclass(frozen=True)
class DeviceStep:
    """A launch, or a transfer of ``bytes``, that is done so many ``times``. An array operation is one launch whose
    parts read its operands and write its result."""

    loop: Loop
    times: Expr
    array: str = ""  # that is copied
    bytes: Expr = ZERO
    launches: tuple[LaunchModel, ...] = ()


@dataclass(frozen=True)
class StepRound:
    """A launch that starts from one state of L2; it runs ``times`` times from that state."""

    step: int
    times: Expr
    kept: Mapping[str, Kept]


class HostModel(WithoutReuse):
    """The launches and transfers of a function (a :class:`~roofscan.cost.memory.base.MemoryModel`)."""

    def __init__(
        self, kernel: Kernel, device: Device, steps: Sequence[DeviceStep], values: Mapping[str, Number],
        assumed: Iterable[str] = (), status: TrafficStatus = "estimate",
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.device = device
        self.line = device.sector
        self.steps = tuple(steps)
        self._values = values
        self.assumed = tuple(assumed)
        self.status = status

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The symbols that its figures depend on."""
        own = frozenset(name for step in self.steps for name in (step.times + step.bytes).symbols)
        return own.union(*(launch.symbols for step in self.steps for launch in step.launches))

    # -- the protocol ---------------------------------------------------------------------------------
    @property
    def footprint(self) -> Expr:
        moved = self.traffic(-1).total
        return moved.load + moved.writeback

    def traffic(self, capacity: int) -> Traffic:
        """Of all launches together; what must move at least does so once."""
        found = [(step.times, launch.traffic(capacity)) for step in self.steps for launch in step.launches]
        arrays: dict[str, Movement] = {}
        for name, moved in self._moved(capacity, found):
            before = arrays.get(name, NOTHING)
            if capacity in self._caches:
                arrays[name] = Movement.total((before, moved))
            elif name not in arrays:
                arrays[name] = moved
            else:
                load = self._larger(before.load, moved.load) if before.load else ZERO
                arrays[name] = Movement(load, ZERO, self._larger(before.writeback, moved.writeback))
        total = Movement.total(arrays.values())
        decided = self._decided if capacity == self.device.l2 else ()
        reasons = (*self.assumed, *decided, *(traffic.why for _, traffic in found if traffic.why))
        why = "; ".join(dict.fromkeys(reasons))
        granule = next((traffic.granule for _, traffic in found), 0)
        return Traffic(capacity, total, arrays, self.status, why=why, granule=granule, requests=_requests(found))

    @property
    def _decided(self) -> tuple[str, ...]:
        """The sizes that say what the second cache keeps between launches, where they are free."""
        launches = [launch for step in self.steps for launch in step.launches]
        free = sorted({name for launch in launches for name in launch.free & launch.symbols})
        kept = (each for round_ in self.rounds(self._values, again=False) for each in round_.kept.values())
        if not free or not any(each.may_hit for each in kept):
            return ()
        sizes = ", ".join(f"{name} = {self._values[name]}" for name in free)
        return (f"the contents of L2 between launches are derived at {sizes}",)

    @property
    def _caches(self) -> tuple[int, int, int]:
        return 0, self.device.l1, self.device.l2

    def _moved(self, capacity: int, found: Sequence[tuple[Expr, Traffic]]) -> Iterator[tuple[str, Movement]]:
        """By each launch, of each array."""
        if capacity == self.device.l2:
            for round_ in self.rounds(self._values, again=False):
                for launch in self.steps[round_.step].launches:
                    yield from _from_memory(launch, round_)
            return
        for times, traffic in found:
            for name, moved in traffic.arrays.items():
                yield name, moved * times if capacity in self._caches else moved

    def rounds(self, values: Mapping[str, Number], *, again: bool) -> list[StepRound]:
        """The launches in order, with what L2 keeps at these sizes. A loop has three rounds: its first iteration, all
        between, and its last."""
        order = list(_in_rounds(self.steps, values))
        moved = [_round([launch.movements_at(values) for launch in self.steps[k].launches]) for k, _ in order]
        kept = kept_between(moved, self.device.l2, again=again)
        return [StepRound(step, times, found) for (step, times), found in zip(order, kept)]

    @property
    def requested(self) -> Traffic:
        return self.traffic(0)

    def _larger(self, a: Expr, b: Expr) -> Expr:
        return max(a, b, key=lambda e: e.evaluate(self._values))


def _in_rounds(steps: Sequence[DeviceStep], values: Mapping[str, Number]) -> Iterator[tuple[int, Expr]]:
    """The number of each launch in the order of the run, and how often it runs. Neighbours that run equally often are
    the body of one loop."""
    launches = [(k, step.times) for k, step in enumerate(steps) if step.launches]
    for times, group in groupby(launches, key=lambda launch: launch[1]):
        found = [k for k, _ in group]
        many = times.evaluate(values)
        rounds = (ONE, times - 2, ONE)[:: 1 if many > 2 else 2] if many >= 2 else (times,)
        yield from ((k, each) for each in rounds for k in found)


def _round(parts: Sequence[Movements]) -> dict[str, LaunchBytes]:
    found: dict[str, LaunchBytes] = {}
    for moved in parts:
        for name in moved.arrays:
            load, store = (value_of(by.get(name, 0)) for by in (moved.dram.load, moved.written))
            extent = max(value_of(by.get(name, 0)) for by in (moved.least.load, moved.least.store))
            found[name] = LaunchBytes(load, store, extent)
    return found


def _from_memory(launch: LaunchModel, round_: StepRound) -> Iterator[tuple[str, Movement]]:
    found = launch.movements
    for name in found.arrays:
        kept, times = round_.kept[name], round_.times
        load, store = (launch.expr(by.get(name, 0)) for by in (found.dram.load, found.written))
        left = 1 - Fraction(kept.stays).limit_denominator(DENOMINATOR)
        loaded = Fraction(kept.loaded).limit_denominator(DENOMINATOR)
        yield name, Movement(load * loaded * times, ZERO, store * left * times)


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
            model = launch_model(_launched_alone(kernel, loop, loop.device), values, device, free)
            if model is None:
                return None
            steps.append(replace(step, launches=(model,)))
        else:
            array = kernel.array(next(accesses((loop,))).array)
            steps.append(replace(step, array=array.name, bytes=elements_of(loop) * array.dtype.size))
    inside = {access.id for step in steps for access in accesses((step.loop,))}
    if any(access.id not in inside for access in accesses(kernel.body)):
        return HostModel(kernel, device, steps, values, (BESIDE,), "lower_bound")
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
    times = {
        node.id: counts.of(domain) for domain in counts.domains for node in domain.body if isinstance(node, Operation)
    }
    return [(loop, times[-number]) for number, loop in enumerate(found, 1)]


def _launched_alone(kernel: Kernel, loop: Loop, work: LaunchWork) -> Kernel:
    """The kernel of a launch, with its sizes, as in the first iterations of the loops around it."""
    first = first_iterations(kernel, loop)
    launch = work.launch.mapped(lambda e: e.subs(first))
    return replace(kernel, body=alone_in(kernel, loop), launch=launch, values={})


def alone_in(kernel: Kernel, launch: Loop) -> Body:
    """A launch as in the first iterations of the loops around it."""
    return substitute((replace(launch, device=None),), first_iterations(kernel, launch))


def first_iterations(kernel: Kernel, launch: Loop) -> Mapping[str, Expr]:
    """The variables of the loops around a launch, where these begin."""
    around = next(around for node, around in walk_with_blocks(kernel.body) if node is launch)
    found: dict[str, Expr] = {}
    for loop in (block for block in around if isinstance(block, Loop)):
        found[loop.var] = loop.start.subs(found)
    return found


def elements_of(nest: Loop) -> Expr:
    """Of a nest that takes each element once."""
    return prod((loop.stop - loop.start for loop in loops((nest,))), start=ONE)
