"""The cache model of a kernel that has been reported: its figures, without the state that they were worked out from.

That state is a few hundred thousand small objects for a file of array code, and a report reads none of them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from roofscan.cost.result import KernelCost, Reuse, ReuseClass, Traffic
from roofscan.ir.kernel import Kernel
from roofscan.symbolic.expr import Expr, Number


def frozen(cost: KernelCost) -> KernelCost:
    """The same cost, with all the figures of its cache model and none of its working state."""
    reuse = FrozenReuse(cost.reuse, cost.kernel, cost.sample_point) if cost.reuse else None
    return replace(cost, reuse=reuse, fused=frozen(cost.fused) if cost.fused else None)


class FrozenReuse:
    """A :class:`~roofscan.cost.result.Reuse` that knows what the model was asked before, and works the model out again
    if more is asked of it."""

    def __init__(self, reuse: Reuse, kernel: Kernel, sample_point: Mapping[str, Number]) -> None:
        self.line = reuse.line
        self.status = reuse.status
        self.asked = reuse.asked
        self._kernel = kernel
        self._sample_point = sample_point

    @property
    def footprint(self) -> Expr:
        """Bytes of distinct lines."""
        return self._again.footprint

    @property
    def classes(self) -> tuple[ReuseClass, ...]:
        """As of the model."""
        known = self.asked.classes
        return self._again.classes if known is None else known

    def traffic(self, capacity: int) -> Traffic:
        """As of the model."""
        known = self.asked.traffic.get(capacity)
        return self._again.traffic(capacity) if known is None else known

    @cached_property
    def _again(self) -> Reuse:
        from roofscan.cost.memory.lru import analyze_reuse

        return analyze_reuse(self._kernel, self._sample_point, self.line)
