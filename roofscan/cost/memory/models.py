"""The one place that chooses and makes memory models; and models reduced to the answers that they have given. A kernel
is modelled case by case (:mod:`roofscan.cost.cases`), and the cases are mixed by their weights: where every outcome is
0 or 1, the mixture is the case that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from roofscan.cost.cases import cases_of
from roofscan.cost.memory.base import (
    ALONE,
    NOTHING,
    Answers,
    MemoryModel,
    Movement,
    ReuseClass,
    Sharing,
    Traffic,
)  # fmt: skip
from roofscan.cost.memory.lru import ReuseAnalysis, ReuseModel, analyze_reuse
from roofscan.cost.memory.lru.attempt import PRECISIONS, Precision
from roofscan.cost.memory.lru.common_answers import CommonAnswers
from roofscan.cost.memory.lru.tree.unroll import sampled_rounds
from roofscan.cost.result import KernelCost
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import TrafficStatus
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import allocated_in
from roofscan.symbolic.expr import ONE, ZERO, Expr, Number, sum_of

if TYPE_CHECKING:
    from roofscan.cost.memory.gpu.device import Device
    from roofscan.cost.memory.gpu.host import HostModel
    from roofscan.cost.memory.gpu.model import LaunchModel


class MixedModel:
    """The models of all cases as one (a :class:`~roofscan.cost.memory.base.MemoryModel`)."""

    def __init__(self, cases: Sequence[tuple[Expr, MemoryModel]]) -> None:
        self._cases = cases
        self._traffic: dict[int, Traffic] = {}
        self._among: dict[Sharing, MixedModel] = {}
        self.line = cases[0][1].line

    @property
    def status(self) -> TrafficStatus:
        return worst(model.status for _, model in self._cases)

    @property
    def footprint(self) -> Expr:
        return sum_of(weight * model.footprint for weight, model in self._cases)

    @cached_property
    def classes(self) -> tuple[ReuseClass, ...]:
        """The classes of all cases. One that several cases have is listed once."""
        counts: dict[ReuseClass, Expr] = {}
        for weight, model in self._cases:
            for found in model.classes:
                key = replace(found, count=ZERO)
                counts[key] = counts.get(key, ZERO) + weight * found.count
        return tuple(replace(found, count=count) for found, count in counts.items() if count)

    @property
    def answers(self) -> Answers:
        asked = all(model.answers.classes is not None for _, model in self._cases)
        among = {sharing: model.answers for sharing, model in self._among.items()}
        return Answers(self.classes if asked else None, self._traffic, among)

    def among(self, sharing: Sharing) -> MixedModel:
        if sharing == ALONE:
            return self
        if sharing not in self._among:
            self._among[sharing] = MixedModel([(weight, model.among(sharing)) for weight, model in self._cases])
        return self._among[sharing]

    def traffic(self, capacity: int) -> Traffic:
        if capacity not in self._traffic:
            self._traffic[capacity] = self._mixed(capacity)
        return self._traffic[capacity]

    def _mixed(self, capacity: int) -> Traffic:
        found = [(weight, model.traffic(capacity)) for weight, model in self._cases]
        status = worst(traffic.status for _, traffic in found)
        return Traffic(
            capacity,
            Movement.total(traffic.total * weight for weight, traffic in found),
            {
                name: Movement.total(traffic.arrays.get(name, NOTHING) * weight for weight, traffic in found)
                for name in dict.fromkeys(name for _, traffic in found for name in traffic.arrays)
            },
            status,
            tuple(dict.fromkeys(text for _, traffic in found for text in traffic.conditions)),
            next((traffic.why for _, traffic in found if traffic.why), ""),
        )


def worst(statuses: Iterable[TrafficStatus]) -> TrafficStatus:
    """The status of a sum of figures with these statuses: a lower and an upper bound, or a bound and an estimate, make
    an estimate."""
    found = {*statuses} - {"exact"}
    if not found:
        return "exact"
    return "unknown" if "unknown" in found else next(iter(found)) if len(found) == 1 else "estimate"


OF_PAGES = tuple(replace(precision, fetches_only=True) for precision in PRECISIONS[1:])
"""For the pages that a walk misses: few strata tell them well enough, in a third of the time, and no page is written
back."""


def compulsory_model(kernel: Kernel, sample_point: Mapping[str, Number], line: int) -> MemoryModel | None:
    """The model without reuse classes, in a tenth of the time: its traffic is compulsory at every capacity. None where
    that takes long; NotEvaluable where the kernel has no model."""
    cases = []
    for weight, case in _cases(kernel):
        with ReuseAnalysis(case, sample_point, line) as analysis:
            cases.append((weight, analysis.compulsory()))
    known = [(weight, model) for weight, model in cases if model is not None]
    if len(known) < len(cases):
        return None
    return known[0][1] if len(known) == 1 else MixedModel(known)


def memory_model(
    kernel: Kernel,
    sample_point: Mapping[str, Number],
    line: int,
    precisions: Sequence[Precision] = PRECISIONS,
    common: CommonAnswers | None = None,
) -> MemoryModel:
    """The model of a kernel's memory accesses. ``sample_point`` gives every symbol a number, ``line`` is in bytes. Its
    status is ``unknown`` where the kernel has none. ``common``: what it has in common with others."""
    cases = _cases(kernel)
    if len(cases) == 1:
        return analyze_reuse(kernel, sample_point, line, precisions, common)
    return MixedModel([(weight, analyze_reuse(case, sample_point, line, precisions, common)) for weight, case in cases])


def rounds_of(cost: KernelCost) -> list[tuple[Loop, tuple[Expr, ...]]]:
    """The halving and doubling loops whose number of rounds the traffic takes from the sample point. Each comes with
    the conditions on free sizes under which it makes that many rounds: expressions that are at least 0."""
    kernel = cost.kernel
    if kernel.on_gpu or any(array.fresh_in for array in kernel.arrays):
        return []
    return [
        (loop, conditions)
        for loop, found in sampled_rounds(kernel.body, cost.sample_point)
        if (conditions := tuple(g for g in found if g.symbols & cost.free))
    ]


def launch_cost(cost: KernelCost, device: Device) -> KernelCost | None:
    """The cost of a CUDA kernel, or of array operations, with the traffic of its launches on a GPU; None where that is
    not known."""
    from roofscan.cost.memory.gpu.arrays import array_model  # fifty modules that few files need
    from roofscan.cost.memory.gpu.host import host_model
    from roofscan.cost.memory.gpu.model import launch_model

    kernel = cost.kernel
    if cost.status == "unsupported":
        return None
    make = host_model if kernel.is_host else launch_model if kernel.launch else array_model
    model = make(kernel, cost.sample_point, device, cost.free)
    return None if model is None else replace(cost, registers=model.requested, reuse=model)


def host_of(cost: KernelCost) -> HostModel | None:
    """The model of a host function, which launches kernels; None for any other kernel."""
    if _is_of_cpu(cost):
        return None
    from roofscan.cost.memory.gpu.host import HostModel  # of modules that few files need

    return cost.reuse if isinstance(cost.reuse, HostModel) else None


def launch_of(cost: KernelCost) -> LaunchModel | None:
    """The model of a kernel's launch; None where it has none."""
    if _is_of_cpu(cost):
        return None
    from roofscan.cost.memory.gpu.model import LaunchModel  # of modules that few files need

    return cost.reuse if isinstance(cost.reuse, LaunchModel) else None


def _is_of_cpu(cost: KernelCost) -> bool:
    return cost.reuse is None or isinstance(cost.reuse, (ReuseModel, MixedModel, RecordedModel))


def without_working_state(cost: KernelCost) -> KernelCost:
    """The same cost with the recorded answers of its memory model: the working state is some hundred thousand small
    objects per file."""
    if launch_of(cost) or host_of(cost):
        return cost
    reuse = _recorded(cost.reuse, cost) if cost.reuse else None
    return replace(cost, reuse=reuse, fused=without_working_state(cost.fused) if cost.fused else None)


class RecordedModel:
    """A memory model that gives the recorded answers, and is made again where it is asked for others."""

    def __init__(self, line: int, status: TrafficStatus, answers: Answers, make: Callable[[], MemoryModel]) -> None:
        self.line = line
        self.status = status
        self.answers = answers
        self._make = make

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

    def among(self, sharing: Sharing) -> MemoryModel:
        known = self.answers.among.get(sharing)
        if known is None:
            return self if sharing == ALONE else self._again.among(sharing)
        return RecordedModel(self.line, self.status, known, partial(self._remade, sharing))

    def _remade(self, sharing: Sharing) -> MemoryModel:
        return self._again.among(sharing)

    @cached_property
    def _again(self) -> MemoryModel:
        return self._make()


def _recorded(model: MemoryModel, cost: KernelCost) -> RecordedModel:
    make = partial(memory_model, cost.kernel, cost.sample_point, model.line)
    return RecordedModel(model.line, model.status, model.answers, make)


def _cases(kernel: Kernel) -> list[tuple[Expr, Kernel]]:
    """The kernel of each case, with its weight."""
    cases = cases_of(kernel)
    if len(cases) == 1:
        return [(ONE, kernel)]
    arms = ((case.weight, case.body) for case in cases)
    return [(w, replace(kernel, body=body, arrays=allocated_in(body, kernel.arrays))) for w, body in arms]
