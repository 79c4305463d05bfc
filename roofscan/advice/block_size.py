"""Another size for blocks that the source cuts: the one by which a call is expected to be over first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from roofscan.advice.gain import bytes_at, changed, speedup_at, speedup_to, with_blocks
from roofscan.cost.analyze import cost_kernel
from roofscan.cost.transform.blocks import Blocks
from roofscan.frozen import dataclass
from roofscan.roofline.evaluation_point import EvaluationPoint
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.traffic_model import TrafficModel
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import Expr, NotEvaluable

WORTHWHILE = 1.1  # how many times faster a call must become
MIN_BLOCK, MAX_BLOCK = 8, 512  # what users write
TRIALS = 4  # sizes in each direction
EQUAL_TIMES = 1.02  # times that differ by less are equals
EXPRESSION_TOLERANCE = 1.05  # by which factor expressions that hold for another size may be off


@dataclass(frozen=True)
class BlockSize:
    """``now``: the size in the source. ``cache``: the one that saves most time; "" where none is known."""

    now: int
    size: int
    speedup: Speedup
    cache: str


def better_size(point: RooflinePoint, blocks: Blocks) -> BlockSize | None:
    """Smaller sizes are tried first, then larger ones. None where no size is worth a change."""
    now = _now(point, blocks)
    near = point.machine.levels[0].capacity
    best_case = with_blocks(point, near) if near else None
    if now is None or best_case is None or best_case.gain < WORTHWHILE:
        return None
    smaller = (now >> n for n in range(1, TRIALS + 1))
    larger = (now << n for n in range(1, TRIALS + 1))
    found = _best(point, blocks, now, takewhile(lambda size: size >= MIN_BLOCK, smaller))
    found = found or _best(point, blocks, now, takewhile(lambda size: size <= MAX_BLOCK, larger))
    if found and blocks.parameter and found.speedup.gain * EXPRESSION_TOLERANCE >= WORTHWHILE:
        found = _derived(point, blocks, now, found.size)
    return found if found and found.speedup.gain >= WORTHWHILE else None


def _now(point: RooflinePoint, blocks: Blocks) -> int | None:
    value = point.evaluation.value_or_none(blocks.size)
    return int(value) if value is not None and value == int(value) else None


def _best(point: RooflinePoint, blocks: Blocks, now: int, sizes: Iterable[int]) -> BlockSize | None:
    """The first that is as good as the best; those after one that is slower than another are not tried."""
    trial, tried, most = _by_expressions if blocks.parameter else _counted, list[BlockSize](), 1.0
    for size in sizes:
        found = trial(point, blocks, now, size)
        if found is None or found.speedup.gain * EQUAL_TIMES < most:
            break
        tried.append(found)
        most = max(most, found.speedup.gain)
    return next((each for each in tried if each.speedup.gain * EQUAL_TIMES >= most and each.speedup.gain > 1.0), None)


def _by_expressions(point: RooflinePoint, blocks: Blocks, now: int, size: int) -> BlockSize | None:
    """By the expressions that hold for the size in the source, about: a hundredth of the time."""
    speedup = speedup_at(point, _at(point, blocks, size))
    return BlockSize(now, size, speedup, "") if speedup else None


def _at(point: RooflinePoint, blocks: Blocks, size: int) -> EvaluationPoint:
    path = point.evaluation.path
    return replace(point.evaluation, path=replace(path, values={**path.values, blocks.parameter: Expr.of(size)}))


def _derived(point: RooflinePoint, blocks: Blocks, now: int, size: int) -> BlockSize | None:
    """By expressions that are derived for the size, with the other sizes as free as they were."""
    kernel = point.cost.kernel
    cost = cost_kernel(
        replace(kernel, guesses={**kernel.guesses, blocks.parameter: size}),
        line=point.cost.reuse.line if point.cost.reuse else 64,
    )
    model = TrafficModel(cost, point.traffic_model.policy)
    speedup = speedup_at(point, replace(_at(point, blocks, size), traffic_model=model))
    return BlockSize(now, size, speedup, _cache(point, model)) if speedup else None


def _counted(point: RooflinePoint, blocks: Blocks, now: int, size: int) -> BlockSize | None:
    try:
        version = changed(point, blocks.resized(point.cost.kernel, size))
    except NotEvaluable:
        return None
    speedup = speedup_to(point, version)
    return BlockSize(now, size, speedup, _cache(point, version.traffic_model)) if speedup else None


def _cache(point: RooflinePoint, after: TrafficModel) -> str:
    """The cache with the misses that take most time less."""
    caches = ((cache.name, _saved(point, after, i)) for i in point.interfaces if (cache := i.interface.cache))
    saved = {name: seconds for name, seconds in caches if seconds > 0}
    return max(saved, key=lambda name: saved[name], default="")


def _saved(point: RooflinePoint, after: TrafficModel, interface: InterfaceTraffic) -> float:
    moved = bytes_at(point, after, interface.interface)
    if moved is None or interface.moved is None or not interface.bandwidth:
        return 0.0
    return (float(interface.moved) - moved) / interface.bandwidth
