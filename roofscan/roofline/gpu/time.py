"""The expected time of a launch: the resource that needs longest hides the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roofscan.cost.memory.gpu.host import HostModel
from roofscan.cost.memory.gpu.traffic.movements import Movements
from roofscan.cost.memory.models import host_of, launch_of
from roofscan.cost.result import KernelCost
from roofscan.ir.tree import Operation
from roofscan.ir.visitor import accesses, walk
from roofscan.machine.model import Machine
from roofscan.roofline.gpu.host_time import TimedStep, time_of, timed_steps
from roofscan.roofline.gpu.instructions import instructions_of
from roofscan.roofline.gpu.resources import Launched
from roofscan.roofline.gpu.tiles import TileProduct
from roofscan.roofline.roof import compute_roof
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import NotEvaluable, Number, sum_of


def launched_on(cost: KernelCost, machine: Machine, values: Mapping[str, Number]) -> Launched | None:
    """What the kernel's launch moves and issues at these sizes; None where that is not known."""
    model = launch_of(cost)
    if model is None or machine.gpu is None:
        return None
    return launched_with(cost, model.movements_at(values), machine, values)


def launched_with(cost: KernelCost, moved: Movements, machine: Machine, values: Mapping[str, Number]) -> Launched:
    pairs = sum(float(number(n, values)) for nest in cost.nests for n in nest.fused_pairs.values())
    launch = cost.kernel.launch
    tiles = [TileProduct(*(round(number(e, values)) for e in sizes)) for sizes in (launch.products if launch else ())]
    return Launched(moved, instructions_of(moved, pairs), machine, tuple(tiles))


def launch_time(cost: KernelCost, machine: Machine, values: Mapping[str, Number]) -> TimePrediction | NoTime:
    """At these sizes, of repeated calls: data that the second cache holds stay there, unless cold."""
    model, host = launch_of(cost), host_of(cost)
    try:
        launched = launched_on(cost, machine, values)
        if launched is None or model is None:
            return time_of(_steps(cost, machine, values), host.symbols if host is not None else None)
    except (NotEvaluable, ArithmeticError) as problem:
        return NoTime(str(problem))
    return TimePrediction(launched.seconds, launched.least(), launched.shares, calibrated=True, sizes=model.symbols)


def device_work(cost: KernelCost, machine: Machine, values: Mapping[str, Number]) -> tuple[TimedStep, ...]:
    """The launches and transfers of a function of the host, or of array expressions; () where it does none, or a time
    is not known."""
    try:
        return tuple(_steps(cost, machine, values)) if machine.gpu is not None and launch_of(cost) is None else ()
    except (NotEvaluable, ArithmeticError):
        return ()


def _steps(cost: KernelCost, machine: Machine, values: Mapping[str, Number]) -> list[TimedStep]:
    host = host_of(cost)
    if host is None:
        on_gpu = cost.kernel.on_gpu
        raise NotEvaluable("its launch is not known: bind grid and block" if on_gpu else "it is not an array operation")
    return timed_steps(host, machine, values, list(_products(cost, host, machine, values)))


def _products(cost: KernelCost, host: HostModel, machine: Machine, values: Mapping[str, Number]) -> Iterator[float]:
    """The seconds that products need in one execution of each step, by its share of their operations."""
    whole = sum(compute_roof(nest, values, machine, "device").seconds for nest in cost.nests if nest.library)
    made = {o.id: o.count for o in walk(cost.kernel.body) if isinstance(o, Operation) and o.library} if whole else {}
    own = [[made[i] for a in accesses((s.loop,)) if a.write for i in a.inputs if i in made] for s in host.steps]
    asked = [float(number(sum_of(counts), values)) for counts in own]
    every = sum(each * float(number(step.times, values)) for step, each in zip(host.steps, asked))
    yield from (whole * each / every if each else 0.0 for each in asked)
