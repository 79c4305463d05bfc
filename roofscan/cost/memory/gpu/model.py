"""Traffic of a CUDA kernel on a GPU: warps ask the first caches for sectors, blocks fill these from the second, waves
of blocks fill that from memory. Stores pass through the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from roofscan.cost.memory.base import Answers, Movement, Requests, ReuseClass, Sharing, Traffic
from roofscan.cost.memory.gpu.device import Device
from roofscan.cost.memory.gpu.l1 import RequestCounts
from roofscan.cost.memory.gpu.movement import ArrayBytes, Movements, Mover
from roofscan.cost.memory.gpu.program import read_program
from roofscan.cost.memory.lru.tree.expressions import Expressions
from roofscan.ir.kernel import MISSING, Kernel
from roofscan.ir.kinds import TrafficStatus
from roofscan.ir.launch import Launch
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number, sum_of


class LaunchModel:
    """A launch on a GPU (a :class:`~roofscan.cost.memory.base.MemoryModel`). It knows the traffic into its own caches
    alone; any other capacity is taken for one that holds everything."""

    def __init__(self, kernel: Kernel, values: Mapping[str, Number], device: Device, symbolic: bool) -> None:
        self.kernel = kernel
        self.device = device
        self.line = device.sector
        self._values = values
        self._symbolic = symbolic
        self._at: dict[tuple[tuple[str, Number], ...], Movements] = {}
        self._expr = Expressions().of

    @cached_property
    def movements(self) -> Movements:
        """At the sample point."""
        return Mover(read_program(self.kernel, self._values, self._symbolic), self.device).movements()

    def movements_at(self, values: Mapping[str, Number]) -> Movements:
        """In numbers, at these sizes."""
        if not self._symbolic:
            return self.movements
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

    # -- the protocol ---------------------------------------------------------------------------------
    @property
    def status(self) -> TrafficStatus:
        return self._stated[0]

    @property
    def footprint(self) -> Expr:
        return sum_of(m.load + m.writeback for m in self._movement(self.movements.least).values())

    @property
    def classes(self) -> tuple[ReuseClass, ...]:
        return ()

    @property
    def answers(self) -> Answers:
        return Answers((), {}, {})

    def among(self, sharing: Sharing) -> LaunchModel:
        return self

    def traffic(self, capacity: int) -> Traffic:
        device, found = self.device, self.movements
        if capacity == 0:
            return self.requested
        moved, granule = {
            device.l1: (found.l2, device.sector), device.l2: (found.dram, device.granule)
        }.get(capacity, (found.least, device.sector))  # fmt: skip
        arrays = self._movement(moved)
        status, why = self._stated
        return Traffic(capacity, _sum(arrays), arrays, status, why=why, granule=granule)

    @cached_property
    def requested(self) -> Traffic:
        """What warps ask of the first caches: sectors."""
        sector, found = self.device.sector, self.movements
        arrays = {
            name: Movement(
                self._expr(found.of(name, False).sectors * sector), ZERO,
                self._expr(found.of(name, True).sectors * sector),
            )
            for name in found.arrays
        }  # fmt: skip
        counts, shared = sum(found.requests.values(), start=RequestCounts()), found.shared
        status, why = self._stated
        exact = status == "estimate" and found.program.is_affine
        why = "; ".join(found.program.unknown) if status == "estimate" else why
        requests = Requests(
            self._expr(counts.requests), self._expr(counts.sectors), self._expr(counts.wavefronts + shared.data),
            self._expr(shared.data),
        )  # fmt: skip
        return Traffic(
            0, _sum(arrays), arrays, "exact" if exact else status, why=why, granule=sector, requests=requests
        )

    @cached_property
    def _stated(self) -> tuple[TrafficStatus, str]:
        missing = next((r for r in self.kernel.reasons if r.effect in MISSING), None)
        if missing is not None:
            return "lower_bound", missing.located
        return "estimate", "; ".join(self.movements.program.assumptions)

    def _movement(self, moved: ArrayBytes) -> Mapping[str, Movement]:
        return {
            name: Movement(self._expr(moved.load.get(name, 0)), ZERO, self._expr(moved.store.get(name, 0)))
            for name in dict.fromkeys((*moved.load, *moved.store))
        }


def _sum(arrays: Mapping[str, Movement]) -> Movement:
    return Movement(sum_of(m.load for m in arrays.values()), ZERO, sum_of(m.writeback for m in arrays.values()))


def launch_model(kernel: Kernel, values: Mapping[str, Number], device: Device, symbolic: bool) -> LaunchModel | None:
    """None where the launch, or what its threads touch, is not known."""
    model = LaunchModel(kernel, values, device, symbolic)
    try:
        return model if model.movements else None
    except (NotEvaluable, ArithmeticError):
        return None
