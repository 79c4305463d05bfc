"""Which model of memory a kernel has: the one place where models are made; and their answers without working state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from roofscan.cost.cases import cases_of, open_flags
from roofscan.cost.memory.alternatives import MixedAnalysis, MixedModel
from roofscan.cost.memory.base import MemoryAnalysis, MemoryModel, ReuseClass, Traffic
from roofscan.cost.memory.lru import ReuseAnalysis, analyze_reuse
from roofscan.cost.result import KernelCost
from roofscan.ir.kernel import Kernel
from roofscan.symbolic.expr import ONE, Expr, Number


def memory_analysis(kernel: Kernel, sample_point: Mapping[str, Number], line: int) -> MemoryAnalysis:
    """The analysis of a kernel's memory accesses. ``sample_point`` gives every symbol a number, ``line`` is in bytes.
    NotEvaluable where the kernel has no model."""
    cases = _cases(kernel)
    if len(cases) == 1:
        return ReuseAnalysis(kernel, sample_point, line)
    return MixedAnalysis([(weight, ReuseAnalysis(case, sample_point, line)) for weight, case in cases])


def memory_model(kernel: Kernel, sample_point: Mapping[str, Number], line: int) -> MemoryModel:
    """The whole model, likewise; its status is ``unknown`` where the kernel has none."""
    cases = _cases(kernel)
    if len(cases) == 1:
        return analyze_reuse(kernel, sample_point, line)
    return MixedModel([(weight, analyze_reuse(case, sample_point, line)) for weight, case in cases])


def without_working_state(cost: KernelCost) -> KernelCost:
    """The same cost, whose memory model holds its answers alone: a model has some hundred thousand small objects for a
    file of array code, and a finished report needs only what the model has answered."""
    reuse = RecordedModel(cost.reuse, cost.kernel, cost.sample_point) if cost.reuse else None
    return replace(cost, reuse=reuse, fused=without_working_state(cost.fused) if cost.fused else None)


class RecordedModel:
    """A memory model that gives the recorded answers, and is made again where it is asked for others."""

    def __init__(self, model: MemoryModel, kernel: Kernel, sample_point: Mapping[str, Number]) -> None:
        self.line = model.line
        self.status = model.status
        self.answers = model.answers
        self._kernel = kernel
        self._sample_point = sample_point

    @property
    def footprint(self) -> Expr:
        return self._again.footprint

    @property
    def classes(self) -> tuple[ReuseClass, ...]:
        known = self.answers.classes
        return self._again.classes if known is None else known

    def traffic(self, capacity: int) -> Traffic:
        known = self.answers.traffic.get(capacity)
        return self._again.traffic(capacity) if known is None else known

    @cached_property
    def _again(self) -> MemoryModel:
        return memory_model(self._kernel, self._sample_point, self.line)


def _cases(kernel: Kernel) -> list[tuple[Expr, Kernel]]:
    """The kernel of each case of the open flags, with its weight; where they are too many, the kernel as it stands."""
    cases = cases_of(kernel) if open_flags(kernel, kernel.body) else None
    if cases is None:
        return [(ONE, kernel)]
    return [(case.weight, replace(kernel, body=case.body)) for case in cases]
