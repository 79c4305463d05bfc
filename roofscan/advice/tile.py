"""Blocks of the loop that carries the reuse, so that what the loops around it walk again is still in a cache. Only
loops outside the innermost one are tiled: that one keeps its unit stride, its length and its start for vector code. The
size is the one that moves least by the model; among equals the smallest, which fits a nearer cache too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import inf

from roofscan.advice.gain import (
    WORTHWHILE_GAIN,
    Version,
    bytes_at,
    changed,
    may_pay,
    measured,
    speedup_to,
    without_caches,
)  # fmt: skip
from roofscan.cost.memory.base import MemoryModel, Sharing
from roofscan.cost.memory.models import memory_model
from roofscan.cost.transform.perfect_nests import Perfect
from roofscan.cost.transform.tile import Tile, legal_tilings
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.symbols import Symbol
from roofscan.ir.tree import Loop
from roofscan.roofline.interfaces import Interface
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import Expr, NotEvaluable, Number

SIZES = (8, 16, 32, 64, 128, 256, 512)  # what users write
EQUAL_TRAFFIC = 1.02  # blocks whose traffic differs by less are equals

_SIZE = "block#"


@dataclass(frozen=True)
class Tiling:
    transformation: Tile
    interface: Interface  # where it moves less
    version: Version
    speedup: Speedup | None = None  # from the kernel as written


def tilings(point: RooflinePoint, now: Version, perfect: Perfect) -> Iterator[Tiling]:
    """The best blocks for a nest of a version of the kernel, if they pay."""
    if not may_pay(point, now, without_caches(point, now)):
        return
    found = (t for tile in legal_tilings(now.kernel, perfect) if (t := _best(point, now, tile)))
    best = min(found, key=lambda t: t.version.bound.seconds, default=None)
    if best is not None and best.version.bound.seconds * WORTHWHILE_GAIN <= now.bound.seconds:
        kernel = best.transformation.modelled(now.kernel, best.transformation.size)
        yield replace(best, speedup=speedup_to(point, changed(point, kernel)))


def _best(point: RooflinePoint, now: Version, tile: Tile) -> Tiling | None:
    """The size that moves least where the nest waits, by one analysis with a symbol for it."""
    waits, sizes = now.waits_at, _sizes(point, tile.loop)
    if waits is None or not sizes:
        return None
    symbolic = _traffic_model(point, now, tile)
    found = [Blocked(symbolic, size, point.evaluation.values, tile.modelled(now.kernel, size)) for size in sizes]
    moved = {model.size: bytes_at(point, model, waits) for model in found}
    known = {size: amount for size, amount in moved.items() if amount is not None}
    if not known:
        return None
    least = min(known.values())
    best = next(model for model in found if known.get(model.size, inf) <= least * EQUAL_TRAFFIC)
    version = measured(point, best, now)
    return None if version is None else Tiling(replace(tile, size=best.size), waits, version)


def _sizes(point: RooflinePoint, loop: Loop) -> list[int]:
    try:
        trips = (loop.stop - loop.start).evaluate(point.evaluation.values) / loop.step.evaluate(point.evaluation.values)
    except NotEvaluable:
        return []
    return [size for size in SIZES if 2 * size <= trips]


def _traffic_model(point: RooflinePoint, now: Version, tile: Tile) -> TrafficModel:
    kernel = tile.modelled(now.kernel, Expr.of(_SIZE))
    kernel = replace(kernel, symbols=(*kernel.symbols, Symbol(_SIZE, "tile", "a block", tile.perfect.top.line)))
    sample_point: dict[str, Number] = {**point.evaluation.values, _SIZE: SIZES[len(SIZES) // 2]}
    assert now.cost.reuse is not None
    reuse = memory_model(kernel, sample_point, now.cost.reuse.line)
    return TrafficModel(
        replace(now.cost, kernel=kernel, reuse=reuse, sample_point=sample_point), point.traffic_model.policy
    )


class Blocked(TrafficModel):
    """The traffic of a kernel with a symbol for the size of its blocks, at one size."""

    def __init__(self, symbolic: TrafficModel, size: int, values: Mapping[str, Number], kernel: Kernel) -> None:
        super().__init__(replace(symbolic.cost, kernel=kernel), symbolic.policy)
        self.size = size
        self._symbolic = symbolic
        self._values = {**values, _SIZE: size}

    def _made_among(self, reuse: MemoryModel, sharing: Sharing) -> Blocked:
        return Blocked(self._symbolic.among(sharing), self.size, self._values, self.cost.kernel)

    def bytes(self, capacity: int) -> Expr:
        """By the reuse classes: what must move, and what comes again from farther than the cache reaches."""
        if not capacity:
            return super().bytes(capacity)
        total = self._symbolic.bytes(UNLIMITED)
        for distance, count in self._symbolic.classes.items():
            if number(distance, self._values) > capacity:
                total = total + count
        return total.subs({_SIZE: self.size})
