"""The expected time of a function of the host: its launches and transfers follow one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofscan.cost.memory.gpu.host import DeviceStep, HostModel
from roofscan.cost.memory.gpu.program import Program
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.frozen import dataclass
from roofscan.ir.launch import LaunchWork
from roofscan.machine.model import Machine
from roofscan.roofline.gpu.instructions import instructions_of
from roofscan.roofline.gpu.resources import Launched
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import NotEvaluable, Number

Values = Mapping[str, Number]


@dataclass(frozen=True)
class TimedStep:
    """A launch or a transfer, which is done so many ``times``. ``seconds``, ``least`` and ``bytes`` (over the link, or
    of the device's memory) are those of one."""

    step: DeviceStep
    times: float
    seconds: float
    least: float
    bytes: float
    shares: Mapping[str, float]


def timed_steps(model: HostModel, machine: Machine, values: Values) -> list[TimedStep]:
    """The launches and transfers of a function of the host, in its order. NotEvaluable where a time is not known."""
    return [
        _transfer(step, machine, values) if step.launch is None else _launch(step, machine, values)
        for step in model.steps
    ]


def time_of(steps: Sequence[TimedStep], sizes: frozenset[str] | None) -> TimePrediction:
    """Of launches and transfers that follow one another."""
    whole = sum(step.times * step.seconds for step in steps)
    parts: dict[str, float] = {}
    for step in steps:
        for name, share in step.shares.items():
            parts[name] = parts.get(name, 0.0) + step.times * step.seconds * share / (whole or 1.0)
    least = sum(step.times * step.least for step in steps)
    return TimePrediction(whole, least, parts, calibrated=True, sizes=sizes)


def _transfer(step: DeviceStep, machine: Machine, values: Values) -> TimedStep:
    figures = machine.gpu or {}
    link, start = figures["host_link"], figures["host_start"].value
    if not link.value:
        raise NotEvaluable("the machine file has no bandwidth for the link to the host")
    moved = float(number(step.bytes, values))
    seconds, least = start + moved / link.value, moved / (link.nameplate or link.value)
    shares = {"launch": start / seconds, "link": 1 - start / seconds}
    return TimedStep(step, float(number(step.times, values)), seconds, least, moved, shares)


def _launch(step: DeviceStep, machine: Machine, values: Values) -> TimedStep:
    """As long as the device needs, or as the host needs to launch the next."""
    assert step.launch is not None and isinstance(step.loop.device, LaunchWork)
    moved, figures = step.launch.movements_at(values), machine.gpu or {}
    launched = Launched(moved, instructions_of(moved.program, _pairs(moved.program)), machine)
    dispatch = figures["dispatch"].value + figures["dispatch_array"].value * step.loop.device.arrays
    bytes_ = sum(value_of(n) for n in (*moved.dram.load.values(), *moved.dram.store.values()))
    waits = dispatch > launched.seconds
    return TimedStep(
        step, float(number(step.times, values)), max(dispatch, launched.seconds), launched.least(), bytes_,
        {"launch": 1.0} if waits else launched.shares,
    )  # fmt: skip


def _pairs(program: Program) -> float:
    """The multiplications and additions of a body that one instruction may do together."""
    found = 0.0
    for scope in program.root.scopes:
        mul, add, sub = (sum(value_of(n) for o, n in scope.operations if o.kind == k) for k in ("mul", "add", "sub"))
        found += min(mul, add + sub)
    return found
