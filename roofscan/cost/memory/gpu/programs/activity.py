"""Which threads of which blocks make an access: classes of blocks that conditions cut alike."""

from __future__ import annotations

from itertools import product
from math import ceil, prod

from roofscan.cost.memory.gpu.device import LaunchSizes
from roofscan.cost.memory.gpu.programs.program import Reference
from roofscan.cost.memory.gpu.threads.domain import Activity, active_threads, narrowed, whole
from roofscan.cost.memory.gpu.threads.lanes import active_of
from roofscan.cost.memory.lru.tree.sampled_expr import value_of


class ActiveClasses:
    """The classes of blocks, of every reference."""

    def __init__(self, launch: LaunchSizes) -> None:
        self._launch = launch
        self._activities: dict[object, Activity | None] = {}
        self._whole: dict[tuple[int, ...], Activity] = {}

    def of(self, reference: Reference) -> tuple[Activity, bool]:
        """The classes of blocks, and whether they are exact."""
        blocks, threads = self.extents(reference), self._launch.block
        guards = reference.guards
        found = guards.activity(blocks, threads, self._activities) if guards.separable else None
        if found is not None:
            return found, True
        return self._whole.setdefault(blocks, whole(blocks, threads)), False

    def extents(self, reference: Reference) -> tuple[int, ...]:
        """The blocks along each direction, with the iterations of a loop that strides over the grid."""
        trips = {loop.var: max(1, ceil(value_of(loop.trips))) for loop, _ in reference.loops}
        return tuple(g * trips.get(var, 1) for g, var in zip(self._launch.grid, reference.guards.strided))

    def threads(self, reference: Reference) -> int:
        activity, mask = self.of(reference)[0], reference.guards.mask
        if mask is None:
            return active_threads(activity)
        return sum(
            len(active_of(self._launch.block, narrowed(classes), mask)) * prod(c.count for c in classes)
            for classes in product(*activity)
        )
