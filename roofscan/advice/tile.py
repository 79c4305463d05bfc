"""Blocks of the loop that carries the reuse, so that what the loops around it walk again is still in a cache.

Only a loop outside the innermost one is cut: the innermost keeps its unit stride, its whole length and its start,
which is what Numba's vector code needs. The size of a block is the one that moves least by the model; among equals
the smallest, which fits a nearer cache too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

from roofscan.advice.codegen import Block
from roofscan.advice.gain import ENOUGH, Version, bytes_at, measured
from roofscan.cost.dependence import dependences
from roofscan.cost.memory.lru import analyze_reuse
from roofscan.cost.transform.interchange import hoisted, is_tilable
from roofscan.cost.transform.nest import Nest, with_replaced
from roofscan.cost.transform.tile import carrier, may_be_tiled, tiled
from roofscan.ir.kernel import Body, Kernel, Loop, Symbol
from roofscan.roofline.interfaces import Interface
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import Expr, NotEvaluable, Number

SIZES = (8, 16, 32, 64, 128, 256, 512)
"""What users write."""

SLACK = 1.02
"""Blocks whose traffic differs by less are equals."""

_SIZE = "block#"


@dataclass(frozen=True)
class Tiling:
    """A loop of a nest in blocks, and the kernel with it."""

    nest: Nest
    block: Block
    interface: Interface  # where it moves less
    version: Version


@dataclass(frozen=True)
class Site:
    """A nest and where it stands: ``tree`` makes what takes the place of the loop ``top`` in ``version``."""

    version: Version
    top: Loop
    nest: Nest
    tree: Callable[[Nest], Body]


def tilings(point: RooflinePoint, site: Site) -> Iterator[Tiling]:
    """The best block for the nest, if one pays."""
    nest, now = site.nest, site.version
    found = (t for cut in _cuts(now.kernel, nest) if (t := _best(point, site, cut)))
    best = min(found, key=lambda t: t.version.bound.seconds, default=None)
    if best is not None and best.version.bound.seconds * ENOUGH <= now.bound.seconds:
        yield best


def _cuts(kernel: Kernel, nest: Nest) -> Iterator[Block]:
    """Loops, neither outermost nor innermost, over rows that a loop around them walks again; blocks of no size yet."""
    signs = dependences(kernel, nest)
    for position in range(1, len(nest.loops) - 1):
        outside = carrier(nest, position)
        if outside is not None and may_be_tiled(nest, position) and is_tilable(signs, position):
            yield Block(position, outside, 0)


def _best(point: RooflinePoint, site: Site, cut: Block) -> Tiling | None:
    """The size that moves least where the nest waits, by one analysis with a symbol for it."""
    now, sizes = site.version, _sizes(point, site.nest.loops[cut.position])
    waits = now.waits_at
    if waits is None or not sizes:
        return None
    symbolic = _traffic_model(point, site, cut)
    found = [Blocked(symbolic, size, point.evaluation.values, _cut(site, cut, size)) for size in sizes]
    moved = {traffic_model.size: bytes_at(point, traffic_model, waits) for traffic_model in found}
    known = {size: amount for size, amount in moved.items() if amount is not None}
    if symbolic.outer or not known:
        return None
    least = min(known.values())
    best = next(traffic_model for traffic_model in found if known.get(traffic_model.size, inf) <= least * SLACK)
    version = measured(point, best, now)
    return None if version is None else Tiling(site.nest, replace(cut, size=best.size), waits, version)


def _sizes(point: RooflinePoint, loop: Loop) -> list[int]:
    """Blocks of which there are at least two."""
    try:
        trips = (loop.stop - loop.start).evaluate(point.evaluation.values) / loop.step.evaluate(point.evaluation.values)
    except NotEvaluable:
        return []
    return [size for size in SIZES if 2 * size <= trips]


def _traffic_model(point: RooflinePoint, site: Site, cut: Block) -> TrafficModel:
    """What the kernel moves with the loop in blocks of a symbol's size."""
    before = site.version.cost
    kernel = _cut(site, cut, _SIZE)
    kernel = replace(kernel, symbols=(*kernel.symbols, Symbol(_SIZE, "tile", "a block", site.top.line)))
    sample_point: dict[str, Number] = {**point.evaluation.values, _SIZE: SIZES[len(SIZES) // 2]}
    assert before.reuse is not None
    reuse = analyze_reuse(kernel, sample_point, before.reuse.line)
    return TrafficModel(
        replace(before, kernel=kernel, reuse=reuse, sample_point=sample_point), point.traffic_model.policy
    )


def _cut(site: Site, cut: Block, size: int | str) -> Kernel:
    """The kernel with the loop in blocks."""
    kernel = site.version.kernel
    nest = hoisted(kernel, tiled(site.nest, cut.position, Expr.of(size), cut.outside, exact=True))
    return with_replaced(kernel, site.top, site.tree(nest))


class Blocked(TrafficModel):
    """The books of a kernel with a symbol for the size of its blocks, at one size."""

    def __init__(self, symbolic: TrafficModel, size: int, values: Mapping[str, Number], kernel: Kernel) -> None:
        super().__init__(replace(symbolic.cost, kernel=kernel), symbolic.policy)
        self.size = size
        self._symbolic = symbolic
        self._values = {**values, _SIZE: size}

    def bytes(self, capacity: int) -> Expr:
        """By the reuse classes: what must move, and what comes again from farther than the cache reaches."""
        if not capacity:
            return super().bytes(capacity)
        total = self._symbolic.bytes(UNLIMITED)
        for distance, count in self._symbolic.classes.items():
            if number(distance, self._values) > capacity:
                total = total + count
        return total.subs({_SIZE: self.size})
