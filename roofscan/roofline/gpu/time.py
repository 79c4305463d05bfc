"""The expected time of a launch: the resource that needs longest hides the others."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.cost.memory.models import launch_of
from roofscan.cost.result import KernelCost
from roofscan.machine.model import Machine
from roofscan.roofline.gpu.instructions import instructions_of
from roofscan.roofline.gpu.resources import Launched
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import NotEvaluable, Number


def launch_time(cost: KernelCost, machine: Machine, values: Mapping[str, Number]) -> TimePrediction | NoTime:
    """At these sizes, from a cold start: the data are in memory."""
    model = launch_of(cost)
    if model is None:
        return NoTime("its launch is not known: bind grid and block")
    try:
        pairs = sum(float(number(n, values)) for nest in cost.nests for n in nest.fused_pairs.values())
        moved = model.movements_at(values)
    except (NotEvaluable, ArithmeticError) as problem:
        return NoTime(str(problem))
    launched = Launched(moved, instructions_of(moved.program, pairs), machine)
    parts = launched.expected()
    whole = sum(parts.values())
    start = parts["launch"]
    longest = max(seconds for name, seconds in parts.items() if name != "launch")
    return TimePrediction(
        max(longest, start) + (start if longest > start else 0.0),
        launched.least(),
        {name: seconds / whole for name, seconds in parts.items() if seconds},
        calibrated=True,
        sizes=model.symbols,
    )
