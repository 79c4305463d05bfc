"""Traffic of a CUDA kernel on a GPU: warps ask the first caches for sectors, blocks fill these from the second, waves
of blocks fill that from memory. Stores pass through the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from roofscan.cost.memory.base import Movement, Requests, Traffic, WithoutReuse
from roofscan.cost.memory.gpu.decisions import Decision, decisions_of
from roofscan.cost.memory.gpu.device import Device
from roofscan.cost.memory.gpu.programs.reader import read_program
from roofscan.cost.memory.gpu.traffic.movements import ArrayBytes, Movements
from roofscan.cost.memory.gpu.traffic.mover import Mover
from roofscan.cost.memory.gpu.warps.counts import RequestCounts
from roofscan.cost.memory.lru.tree.expressions import Expressions
from roofscan.cost.memory.lru.tree.sampled_expr import Num, total
from roofscan.ir.kernel import MISSING, Kernel
from roofscan.ir.kinds import TrafficStatus
from roofscan.ir.launch import Launch
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number, sum_of
from roofscan.units import figure


class LaunchModel(WithoutReuse):
    """A launch on a GPU (a :class:`~roofscan.cost.memory.base.MemoryModel`). It knows the traffic into its own caches
    alone; any other capacity is taken for one that holds everything. ``free``: the symbols that are not bound; where
    there are any, its figures are expressions, for sizes that fill blocks."""

    def __init__(self, kernel: Kernel, values: Mapping[str, Number], device: Device, free: frozenset[str]) -> None:
        self.kernel = kernel
        self.device = device
        self.line = device.sector
        shares = {s.name for s in kernel.symbols if s.kind == "share"}  # a warp takes a branch if one lane does
        free = free if free - shares else frozenset()
        self.free = free
        self.values = filling(kernel, values, free) if free and kernel.launch is not None else values
        self._at: dict[tuple[tuple[str, Number], ...], Movements] = {}
        self.expr = Expressions(anywhere=True).of

    @cached_property
    def movements(self) -> Movements:
        """At the sample point."""
        return self._mover.movements()

    @cached_property
    def _mover(self) -> Mover:
        return Mover(read_program(self.kernel, self.values, bool(self.free)), self.device)

    def movements_at(self, values: Mapping[str, Number]) -> Movements:
        """In numbers, at these sizes."""
        if not self.free:
            return self.movements
        values = launched(self.kernel, values, self.free)
        key = tuple(sorted(values.items()))
        if key not in self._at:
            self._at[key] = self.relaunched(values)
        return self._at[key]

    def relaunched(self, values: Mapping[str, Number], launch: Launch | None = None) -> Movements:
        """In numbers, with any launch."""
        kernel = self.kernel if launch is None else replace(self.kernel, launch=launch)
        return Mover(read_program(kernel, values, False), self.device).movements()

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The symbols that its figures depend on."""
        totals = (self.traffic(c).total for c in (0, self.device.l1, self.device.l2))
        return frozenset(name for moved in totals for name in (moved.load + moved.writeback).symbols)

    def in_cache(self, capacity: int, held: int) -> Num:
        """The bytes that move into a cache of the device, if that held so many bytes of data."""
        moved = self._mover.from_l2(held) if capacity == self.device.l1 else self._mover.memory.moved(held)
        return total((*moved.load.values(), *moved.store.values()))

    def elsewhere(self, values: Mapping[str, Number]) -> LaunchModel:
        """The same, derived at other sizes."""
        return LaunchModel(self.kernel, values, self.device, self.free)

    def decisions(self, capacity: int) -> list[tuple[Decision, Expr]]:
        """Each with what is at least 0 where the expressions of a level hold."""
        return [(d, self.expr(d.margin)) for d in self.decided(capacity)]

    def decided(self, capacity: int) -> list[Decision]:
        """What the traffic of a level depends on."""
        found = self.movements
        moved = {self.device.l1: found.l2, self.device.l2: found.dram}.get(capacity)
        if capacity == 0:
            numbers = [counts.sectors for counts in found.requests.values()]
        else:
            numbers = [*moved.load.values(), *moved.store.values()] if moved is not None else []
        return decisions_of(numbers)

    # -- the protocol ---------------------------------------------------------------------------------
    @property
    def status(self) -> TrafficStatus:
        return self._stated[0]

    @property
    def footprint(self) -> Expr:
        return sum_of(map(self.expr, self.movements.touched.values()))

    def traffic(self, capacity: int) -> Traffic:
        device, found = self.device, self.movements
        if capacity == 0:
            return self.requested
        moved, granule = {
            device.l1: (found.l2, device.sector), device.l2: (found.dram, device.granule)
        }.get(capacity, (found.least, device.sector))  # fmt: skip
        arrays = self._movement(moved)
        status, why = self._stated
        return Traffic(capacity, Movement.total(arrays.values()), arrays, status, why=why, granule=granule)

    @cached_property
    def requested(self) -> Traffic:
        """What warps ask of the first caches: sectors."""
        sector, found = self.device.sector, self.movements
        arrays = {
            name: Movement(
                self.expr(found.of(name, False).sectors * sector), ZERO,
                self.expr(found.of(name, True).sectors * sector),
            )
            for name in found.arrays
        }  # fmt: skip
        counts, shared = sum(found.requests.values(), start=RequestCounts()), found.shared
        status, why = self._stated
        exact = status == "estimate" and found.program.is_affine
        why = "; ".join(found.program.unknown) if status == "estimate" else why
        requests = Requests(
            self.expr(counts.requests), self.expr(counts.sectors), self.expr(counts.wavefronts + shared.data),
            self.expr(shared.data),
        )  # fmt: skip
        total, status = Movement.total(arrays.values()), "exact" if exact else status
        return Traffic(0, total, arrays, status, why=why, granule=sector, requests=requests)

    @cached_property
    def _stated(self) -> tuple[TrafficStatus, str]:
        missing = next((r for r in self.kernel.reasons if r.effect in MISSING), None)
        if missing is not None:
            return "lower_bound", missing.located
        return "estimate", "; ".join((*self.movements.program.assumptions, *self._sampled))

    @property
    def _sampled(self) -> tuple[str, ...]:
        """The sizes at which expressions hold shares of random elements."""
        sizes = [f"{name} = {figure(float(self.values[name]))}" for name in growing(self.kernel, self.free)]
        if not sizes or not any(r.scattered for r in self.movements.program.references):
            return ()
        return (f"shares of random elements are those at {', '.join(sizes)}",)

    def _movement(self, moved: ArrayBytes) -> Mapping[str, Movement]:
        return {
            name: Movement(self.expr(moved.load.get(name, 0)), ZERO, self.expr(moved.store.get(name, 0)))
            for name in dict.fromkeys((*moved.load, *moved.store))
        }


def growing(kernel: Kernel, free: frozenset[str]) -> list[str]:
    """The free sizes that a caller chooses."""
    chosen = free - kernel.values.keys()
    return [
        s.name for s in kernel.symbols if s.name in chosen and s.kind in ("size", "int", "total", "length", "trips")
    ]


def filling(kernel: Kernel, values: Mapping[str, Number], free: frozenset[str]) -> dict[str, Number]:
    """Sizes that fill whole blocks, near these."""
    launch = kernel.launch
    assert launch is not None
    widest = max(round(e.evaluate(values)) for e in launch.block)
    sizes = {n: int(values[n]) // widest * widest for n in growing(kernel, free) if values[n] > widest > 1}
    return launched(kernel, {**values, **sizes}, free)


def launched(kernel: Kernel, values: Mapping[str, Number], free: frozenset[str]) -> dict[str, Number]:
    """These sizes, with the blocks that they need."""
    return {**values, **{name: e.evaluate(values) for name, e in kernel.values.items() if name in free}}


def launch_model(
    kernel: Kernel, values: Mapping[str, Number], device: Device, free: frozenset[str]
) -> LaunchModel | None:
    """None where the launch, or what its threads touch, is not known."""
    try:
        model = LaunchModel(kernel, values, device, free)
        return model if model.movements else None
    except (NotEvaluable, ArithmeticError):
        return None
