"""Another size for blocks that the source cuts: the one by which a call is expected to be over first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from roofscan.advice.gain import bytes_at, changed, speedup_at, speedup_to, with_blocks
from roofscan.cost.transform.blocks import Blocks
from roofscan.frozen import dataclass
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.traffic_model import TrafficModel
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import Expr, NotEvaluable

WORTHWHILE = 1.1  # how many times faster a call must become
LEAST, MOST = 8, 512  # what users write
TRIALS = 4  # sizes in each direction
EQUAL = 1.02  # times that differ by less are equals
ABOUT = 1.05  # by which factor expressions that hold for another size may be off


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
    found = _best(point, blocks, now, takewhile(lambda size: size >= LEAST, smaller))
    found = found or _best(point, blocks, now, takewhile(lambda size: size <= MOST, larger))
    if found and blocks.parameter and found.speedup.gain * ABOUT >= WORTHWHILE:
        found = _counted(point, blocks, now, found.size)
    return found if found and found.speedup.gain >= WORTHWHILE else None


def _now(point: RooflinePoint, blocks: Blocks) -> int | None:
    value = point.evaluation.value_or_none(blocks.size)
    return int(value) if value is not None and value == int(value) else None


def _best(point: RooflinePoint, blocks: Blocks, now: int, sizes: Iterable[int]) -> BlockSize | None:
    """The first that is as good as the best; those after one that is slower than another are not tried."""
    trial, tried, most = _by_expressions if blocks.parameter else _counted, list[BlockSize](), 1.0
    for size in sizes:
        found = trial(point, blocks, now, size)
        if found is None or found.speedup.gain * EQUAL < most:
            break
        tried.append(found)
        most = max(most, found.speedup.gain)
    return next((each for each in tried if each.speedup.gain * EQUAL >= most and each.speedup.gain > 1.0), None)


def _by_expressions(point: RooflinePoint, blocks: Blocks, now: int, size: int) -> BlockSize | None:
    """By the expressions that hold for the size in the source, about: a hundredth of the time."""
    path = point.evaluation.path
    evaluation = replace(point.evaluation, path=replace(path, values={**path.values, blocks.parameter: Expr.of(size)}))
    speedup = speedup_at(point, evaluation)
    return BlockSize(now, size, speedup, "") if speedup else None


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
