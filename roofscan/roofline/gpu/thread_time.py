"""How long a thread of a launch takes by itself: the steps from instruction to instruction, and the waits for loads."""

from __future__ import annotations

from collections import Counter

from roofscan.cost.memory.gpu.programs.program import Reference, Scope
from roofscan.cost.memory.gpu.traffic.movements import Movements
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.frozen import dataclass
from roofscan.machine.model import Machine
from roofscan.roofline.gpu.instructions import ROOTS, Instructions

STEP_CYCLES, STEP_CYCLES_OF_64 = 3.9, 8.0  # from one instruction of a warp to its next, and to that after one of fp64
ROOT_OF_64 = 80.0  # cycles more of a division or a root of fp64, for its first guess and its tests
IN_FLIGHT = 4  # loads of a loop that wait together
"""From the counters of 120 kernels on an H200 (see ``benchmarks/README.md``)."""


@dataclass(frozen=True)
class ThreadTime:
    """Cycles of one thread. ``sector``: bytes; ``is_held``: whether the second cache holds all data of the launch."""

    moved: Movements
    instructions: Instructions
    machine: Machine
    sector: int
    is_held: bool

    @property
    def steps(self) -> float:
        """Cycles that a thread needs from instruction to instruction."""
        launch, asked = self.moved.program.launch, self.instructions
        of_64 = asked.floating.get("fp64", 0.0)
        steps = STEP_CYCLES * (asked.issued - of_64) + STEP_CYCLES_OF_64 * of_64 + ROOT_OF_64 * asked.roots_of_64
        return steps / (launch.blocks * launch.threads)

    @property
    def waits(self) -> float:
        """Cycles that a thread waits for its loads."""
        return self._waits(self.moved.program.root)

    def _waits(self, scope: Scope) -> float:
        """Cycles of one thread in one execution of the scope's body: the loads of a body wait together, those whose
        address is loaded after them; compiled code has the loads of some iterations in flight at once."""
        own = [r for r in scope.items if isinstance(r, Reference) and not r.write]
        inner = 0.0
        for item in scope.items:
            if isinstance(item, Scope) and item.loop is not None:
                trips = value_of(item.loop.trips)
                together = self._in_flight(item, trips)
                inner += trips / together * self._group(item, together)
        return inner + (0.0 if scope.loop is not None else self._stage(own, 1.0))

    def _in_flight(self, scope: Scope, trips: float) -> float:
        """The iterations whose loads wait together: those that compiled code merges, as long as they have few loads."""
        merged = min(self._figure("unroll"), max(1.0, trips)) if _are_merged(scope) else 1.0
        loads = sum(isinstance(r, Reference) and not r.write and r.array.space == "global" for r in scope.items)
        return max(1.0, min(merged, IN_FLIGHT / max(1, loads)))

    def _group(self, scope: Scope, together: float) -> float:
        own = [r for r in scope.items if isinstance(r, Reference) and not r.write]
        return self._stage(own, together) + self._waits(scope)

    def _stage(self, loads: list[Reference], together: float) -> float:
        of_array = Counter((r.name, r.access.regular) for r in loads)
        each = [(r, self._of_load(r, together * of_array[r.name, r.access.regular])) for r in loads]
        return sum(max((w for r, w in each if r.access.regular == direct), default=0.0) for direct in (True, False))

    def _of_load(self, reference: Reference, together: float) -> float:
        """The mean wait for so many loads at once: one that misses holds up all."""
        near = self._figure("latency_l1")
        if reference.array.space != "global":
            return near
        sectors = value_of(self.moved.of(reference.name, False).sectors) * self.sector
        missed = value_of(self.moved.misses.get(reference.name, 0))
        fetched = value_of(self.moved.dram.load.get(reference.name, 0))
        miss = min(1.0, together * missed / sectors) if sectors else 0.0
        far = min(1.0, fetched / missed) if missed and not self.is_held else 0.0
        beyond = far * self._figure("latency_dram") + (1 - far) * self._figure("latency_l2")
        return near + miss * max(0.0, beyond - near)

    def _figure(self, key: str) -> float:
        assert self.machine.gpu is not None
        return self.machine.gpu[key].value


def _are_merged(scope: Scope) -> bool:
    """Whether loads of several iterations are in flight at once. A division or a root has a branch for rare numbers:
    loads of global memory are not moved across it."""
    assert scope.loop is not None
    asks = any(isinstance(item, Reference) and item.array.space == "global" for item in scope.items)
    return scope.loop.unrolled and not (asks and any(o.kind in ROOTS for o, _ in scope.operations))
