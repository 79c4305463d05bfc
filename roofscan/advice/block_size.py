"""Another size for blocks that the source cuts: the one by which a call is expected to be over first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from roofscan.advice.gain import Version, bytes_at, changed, speedup_to, with_blocks
from roofscan.advice.loop_code import WORTHWHILE
from roofscan.cost.transform.blocks import Blocks
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import NotEvaluable

LEAST, MOST = 8, 512  # what users write
TRIALS = 4  # sizes in each direction
EQUAL = 1.02  # times that differ by less are equals


@dataclass(frozen=True)
class BlockSize:
    """``now``: the size in the source. ``cache``: the one that saves most time; "" where none is known."""

    now: int
    size: int
    version: Version
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
    return found if found and found.speedup.gain >= WORTHWHILE else None


def _now(point: RooflinePoint, blocks: Blocks) -> int | None:
    value = point.evaluation.value_or_none(blocks.size)
    return int(value) if value is not None and value == int(value) else None


def _best(point: RooflinePoint, blocks: Blocks, now: int, sizes: Iterable[int]) -> BlockSize | None:
    """The first that is as good as the best; those after one that is slower than now are not tried."""
    tried: list[BlockSize] = []
    for size in sizes:
        found = _with(point, blocks, now, size)
        if found is None or found.speedup.gain * EQUAL < 1.0:
            break
        tried.append(found)
    least = min((each.speedup.after for each in tried), default=0.0)
    return next((each for each in tried if each.speedup.after <= EQUAL * least and each.speedup.gain > 1.0), None)


def _with(point: RooflinePoint, blocks: Blocks, now: int, size: int) -> BlockSize | None:
    try:
        version = changed(point, blocks.resized(point.cost.kernel, size))
    except NotEvaluable:
        return None
    speedup = speedup_to(point, version)
    return BlockSize(now, size, version, speedup, _cache(point, version)) if speedup else None


def _cache(point: RooflinePoint, version: Version) -> str:
    """The cache with the misses that take most time less."""
    caches = ((cache.name, _saved(point, version, i)) for i in point.interfaces if (cache := i.interface.cache))
    saved = {name: seconds for name, seconds in caches if seconds > 0}
    return max(saved, key=lambda name: saved[name], default="")


def _saved(point: RooflinePoint, version: Version, interface: InterfaceTraffic) -> float:
    after = bytes_at(point, version.traffic_model, interface.interface)
    if after is None or interface.moved is None or not interface.bandwidth:
        return 0.0
    return (float(interface.moved) - after) / interface.bandwidth
