"""The configurations that a tuner tries, side by side: what each moves, and how long it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofscan.cost.memory.gpu.traffic.movements import ArrayBytes
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.cost.memory.models import launch_of
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.launch import Configuration
from roofscan.machine.model import Machine
from roofscan.roofline.gpu.time import launched_with
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import NotEvaluable, Number

Values = Mapping[str, Number]


@dataclass(frozen=True)
class TimedConfiguration:
    configuration: Configuration
    time: TimePrediction
    bytes: tuple[float, float, float]  # from and to memory, the second cache, the first


def timed_configurations(cost: KernelCost, machine: Machine, values: Values) -> tuple[TimedConfiguration, ...]:
    """The fastest first, at these sizes; () where fewer than two can be compared."""
    launch = cost.kernel.launch
    if launch is None or len(launch.configurations) < 2 or machine.gpu is None:
        return ()
    found = [t for c in launch.configurations if (t := _timed(cost, machine, values, c)) is not None]
    return tuple(sorted(found, key=lambda t: t.time.expected)) if len(found) > 1 else ()


def _timed(cost: KernelCost, machine: Machine, values: Values, tried: Configuration) -> TimedConfiguration | None:
    model, launch = launch_of(cost), cost.kernel.launch
    if model is None or launch is None:
        return None
    changed = {**values, **dict(tried.constants)}
    try:
        changed |= {name: number(size, changed) for name, size in cost.kernel.values.items()}
        shared = launch.shared / launch.configurations[0].stages * tried.stages
        moved = model.relaunched(changed, replace(launch, block=tried.block, shared=shared))
        launched = launched_with(cost, moved, machine, changed)
        time = TimePrediction(launched.seconds, launched.least(), launched.shares, calibrated=True)
    except (NotEvaluable, ArithmeticError):
        return None
    sectors = sum(value_of(counts.sectors) for counts in moved.requests.values()) * launched.device.sector
    return TimedConfiguration(tried, time, (_all(moved.dram), _all(moved.l2), sectors))


def _all(moved: ArrayBytes) -> float:
    return sum(value_of(n) for n in (*moved.load.values(), *moved.store.values()))
