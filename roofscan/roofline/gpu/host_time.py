"""The expected time of a function of the host: its launches and transfers follow one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roofscan.cost.memory.gpu.host import DeviceStep, HostModel, StepRound
from roofscan.cost.memory.gpu.model import LaunchModel
from roofscan.cost.memory.gpu.programs.program import Program
from roofscan.cost.memory.gpu.traffic.movements import ArrayBytes
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


def timed_steps(model: HostModel, machine: Machine, values: Values, products: Sequence[float]) -> list[TimedStep]:
    """The launches and transfers of a function of the host, in its order. ``products``: the seconds that matrix units
    need for each. NotEvaluable where a time is not known."""
    rounds: dict[int, list[tuple[float, list[Launched]]]] = {}
    for round_ in model.rounds(values, again=not machine.cold):
        step = model.steps[round_.step]
        found = [_launched(launch, round_, machine, values, step) for launch in step.launches]
        rounds.setdefault(round_.step, []).append((float(number(round_.times, values)), found))
    return [
        _launch(step, machine, values, rounds[k], products[k])
        if step.launches else _transfer(step, machine, values)
        for k, step in enumerate(model.steps)
    ]  # fmt: skip


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


_TimedRound = tuple[float, Sequence[Launched]]  # its times, and its parts


def _launched(launch: LaunchModel, round_: StepRound, machine: Machine, values: Values, step: DeviceStep) -> Launched:
    """A launch that finds in the second cache what launches before it left there."""
    moved, kept = launch.movements_at(values), round_.kept
    load = {name: value_of(bytes_) * kept[name].loaded for name, bytes_ in moved.dram.load.items()}
    store = {name: value_of(bytes_) * (1 - kept[name].stays) for name, bytes_ in moved.written.items()}
    at_best = {name: launch.device.l2 if found.may_hit else 0 for name, found in kept.items()}  # a part may be there
    least, surely = (
        {name: max(0.0, value_of(bytes_) * kept[name].loaded - at_best[name]) for name, bytes_ in by.load.items()}
        for by in (moved.least, moved.surely)
    )
    moved = replace(
        moved, dram=ArrayBytes(load, store), least=ArrayBytes(least, moved.least.store),
        surely=ArrayBytes(surely, moved.surely.store),
    )  # fmt: skip
    held = not any((*load.values(), *store.values()))
    tuned = step.loop.array_expression and launch.kernel.decorator.kind != "vectorize"
    instructions = instructions_of(moved, _pairs(moved.program))
    return Launched(moved, instructions, machine, held=held, tuned=tuned)


def _launch(
    step: DeviceStep, machine: Machine, values: Values, rounds: Sequence[_TimedRound], product: float
) -> TimedStep:
    """As long as the device needs, or as the host needs to launch the next."""
    work, figures, times = step.loop.device, machine.gpu or {}, float(number(step.times, values))
    assert isinstance(work, LaunchWork)
    dispatch = figures["dispatch"].value + figures["dispatch_array"].value * work.arrays
    whole = least = bytes_ = 0.0
    for often, parts in rounds:
        share = often / times if times else 0.0
        seconds = parts[0].seconds + sum(part.work_seconds for part in parts[1:])
        whole += share * max(dispatch, seconds, product)
        least += share * sum(part.least() for part in parts)
        bytes_ += share * sum(
            value_of(n) for p in parts for n in (*p.moved.dram.load.values(), *p.moved.dram.store.values())
        )
    longest = max((part for _, parts in rounds for part in parts), key=lambda part: part.seconds)
    limits = {"launch": dispatch, "vector": product}
    limit = max(limits, key=lambda name: limits[name])
    shares = {limit: 1.0} if limits[limit] > longest.seconds else longest.shares
    return TimedStep(step, times, whole, least, bytes_, shares)


def _pairs(program: Program) -> float:
    """The multiplications and additions of a body that one instruction may do together."""
    found = 0.0
    for scope in program.root.scopes:
        mul, add, sub = (sum(value_of(n) for o, n in scope.operations if o.kind == k) for k in ("mul", "add", "sub"))
        found += min(mul, add + sub)
    return found
