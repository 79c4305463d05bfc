"""The same launch, changed: what another block, a tile in shared memory or another precision would make of its time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from math import prod

from roofscan.cost.memory.gpu.model import LaunchModel
from roofscan.cost.memory.gpu.programs.program import Reference, Scope
from roofscan.cost.memory.gpu.traffic.first_caches import OF_ONE
from roofscan.cost.memory.gpu.traffic.movements import ArrayBytes, Movements
from roofscan.cost.memory.gpu.warps.counts import RequestCounts
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.cost.memory.models import launch_of
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.visitor import loops
from roofscan.roofline.gpu.addresses import ITERATION, SHARED_WALK_ROW, WALK, is_gone, of_addresses
from roofscan.roofline.gpu.instructions import INTEGER_LOOP
from roofscan.roofline.gpu.resources import Launched
from roofscan.roofline.gpu.time import launched_with
from roofscan.symbolic.expr import Expr, NotEvaluable, Number

Block = tuple[int, ...]  # along x, y and, where the kernel has one, z
DEPTHS = (1, 2, 4, 8)  # threads of a block along z
WIDTHS = (32, 64, 128)  # threads of a block along x
MOST_THREADS = 1024
FEWEST_THREADS = 128  # of a block that is proposed
REUSED = 4  # times that blocks ask for a byte of an array, from which on a tile may pay
COALESCED = 1.5  # times the least, that requests to an array ask for at most
WIDTH = 128  # bytes of a wavefront


# -- another block ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class OtherBlock:
    """A launch with other blocks."""

    block: Block
    launched: Launched


@dataclass(frozen=True)
class _Layer:
    """A layer condition in the block: ``what`` needs so many bytes of a cache."""

    what: str
    cache: str
    spare: Expr

    def holds(self, block: Block, names: Sequence[str]) -> bool:
        return self.spare.evaluate(dict(zip(names, block))) >= 0


def other_blocks(cost: KernelCost, launched: Launched, values: Mapping[str, Number]) -> Iterator[OtherBlock]:
    """Blocks of as many dimensions with as many threads, of two with twice as many too, and those up to which or from
    which on a layer condition holds, of a kernel that sees its place in the grid alone."""
    launch, model = cost.kernel.launch, launch_of(cost)
    if launch is None or model is None or any(x.axis.part != "grid" for x in loops(cost.kernel.body) if x.axis):
        return
    names = [str(extent) for extent in launch.block if extent.symbols]
    here = launched.moved.program.launch.block[: len(names)]
    if len(names) < 2 or not values.keys() >= {*names}:
        return
    layers = list(_layers(model, launched, names, values)) if len(names) == 2 else []  # else sizes are few anyway
    threads = [n * max(prod(here), FEWEST_THREADS) for n in ((1, 2) if len(names) == 2 else (1,))]
    sizes = [(n, width) for n in threads for width in WIDTHS if width <= n <= MOST_THREADS]
    shapes: set[Block] = {(width, n // width) for n, width in sizes}
    shapes |= {(width, n) for width in WIDTHS for layer in layers for n in _ends(layer, width, names)}
    if len(names) > 2:
        shapes = {(width, n // width // depth, depth) for n, width in sizes for depth in DEPTHS if width * depth <= n}
    for block in sorted(shapes - {here}):
        changed = {**values, **dict(zip(names, block))}
        try:
            yield OtherBlock(block, launched_with(cost, model.relaunched(changed), launched.machine, changed))
        except (NotEvaluable, ArithmeticError):
            continue


def conditions_met(
    cost: KernelCost, launched: Launched, values: Mapping[str, Number], block: Block
) -> list[tuple[str, str]]:
    """The layer conditions that hold with that block alone: the data of what fit which cache."""
    launch, model = cost.kernel.launch, launch_of(cost)
    if launch is None or model is None:
        return []
    names = [str(extent) for extent in launch.block if extent.symbols]
    here = launched.moved.program.launch.block[: len(names)]
    layers = _layers(model, launched, names, values)
    with suppress(NotEvaluable, ArithmeticError):
        better = [(k.what, k.cache) for k in layers if k.holds(block, names) and not k.holds(here, names)]
        return list(dict.fromkeys(better))
    return []


def _layers(
    model: LaunchModel, launched: Launched, names: Sequence[str], values: Mapping[str, Number]
) -> Iterator[_Layer]:
    """The layer conditions of the launch, in its block alone."""
    free = LaunchModel(model.kernel, values, model.device, frozenset((*names, *model.kernel.values)))
    sizes = {name: Expr.of(value) for name, value in values.items() if name not in names}
    for level, capacity in zip(launched.machine.levels, (model.device.l1, model.device.l2)):
        for decision, _ in free.decisions(capacity):
            needs = free.expr(decision.needs).subs(sizes)
            of_level = (decision.what == OF_ONE) == (capacity == model.device.l1)
            if decision.what and of_level and needs.symbols and needs.symbols <= {*names}:
                yield _Layer(decision.what, level.name, capacity - needs)


def _ends(layer: _Layer, width: int, names: Sequence[str]) -> Iterator[int]:
    """The heights of blocks of two dimensions at which it begins or ceases to hold."""
    if len(names) > 2:
        return
    heights = [1 << k for k in range((MOST_THREADS // width).bit_length())]
    for low, high in pairwise(heights):
        try:
            before, after = (layer.holds((width, n), names) for n in (low, high))
        except (NotEvaluable, ArithmeticError):
            continue
        if before != after:
            yield low if before else high


# -- a tile in shared memory --------------------------------------------------------------------------
def tileable(launched: Launched) -> tuple[str, ...]:
    """The arrays that the threads of a block read again and again, coalesced."""
    moved = launched.moved
    return tuple(name for name in moved.arrays if _is_reused(launched, name))


def _is_reused(launched: Launched, name: str) -> bool:
    moved, counts = launched.moved, launched.moved.of(name, False)
    references = [r for r in moved.program.references if r.name == name]
    if any(r.write or r.scattered or r.array.space != "global" for r in references) or not counts.requests:
        return False
    executed = sum(value_of(r.executions) * r.size for r in references)
    asked, missed = value_of(counts.sectors) * launched.device.sector, value_of(moved.misses.get(name, 0))
    return asked <= COALESCED * max(executed, value_of(counts.requests) * launched.device.sector) and (
        asked >= REUSED * missed > 0
    )


def with_tiles(launched: Launched, names: Collection[str]) -> Launched:
    """Blocks load these arrays once into shared memory, and read them there."""
    moved = launched.moved
    requests, shared = dict(moved.requests), moved.shared
    for name in names:
        before, missed = requests[name, False], value_of(moved.misses[name])
        loads = missed / WIDTH
        requests[name, False] = RequestCounts(loads, missed / launched.device.sector, loads, loads)
        shared = replace(shared, data=value_of(shared.data) + value_of(before.data) + loads)
    saved = _saved(moved, names)
    copied = sum(value_of(moved.misses[name]) / WIDTH for name in names) * launched.device.warp
    more = copied * (WALK + SHARED_WALK_ROW) - saved
    now = launched.instructions
    instructions = replace(now, issued=now.issued + more, integer=max(0.0, now.integer + INTEGER_LOOP * more))
    return replace(launched, moved=replace(moved, requests=requests, shared=shared), instructions=instructions)


def _saved(moved: Movements, names: Collection[str]) -> float:
    """Instructions: a walk through shared memory has a constant length, and takes fewer for an address."""
    program = moved.program
    tiled = replace(program, root=_in_shared(program.root, names))
    before, after = (sum(of_addresses(p, moved.issued)) for p in (program, tiled))
    loops_ = (s for s in program.root.scopes if s.loop is not None and not is_gone(s))
    own = ((s, [r for r in s.items if isinstance(r, Reference) and r.array.space == "global"]) for s in loops_)
    innermost = (s for s, references in own if references and all(r.name in names for r in references))
    return before - after + ITERATION * sum(value_of(s.executions) for s in innermost)


def _in_shared(scope: Scope, names: Collection[str]) -> Scope:
    """The same, with these arrays in shared memory."""
    return replace(scope, items=tuple(_moved_item(item, names) for item in scope.items))


def _moved_item(item: Reference | Scope, names: Collection[str]) -> Reference | Scope:
    if isinstance(item, Scope):
        return _in_shared(item, names)
    return replace(item, array=replace(item.array, space="shared")) if item.name in names else item


# -- another precision --------------------------------------------------------------------------------
def in_single(launched: Launched) -> Launched:
    """Its double-precision operations in single precision."""
    floating = dict(launched.instructions.floating)
    floating["fp32"] = floating.get("fp32", 0.0) + floating.pop("fp64", 0.0)
    return replace(launched, instructions=replace(launched.instructions, floating=floating))


def without_caches(launched: Launched) -> Launched:
    """As if the first and the second caches took no time: no other block is faster."""
    moved = replace(launched.moved, requests={}, l2=ArrayBytes({}, {}), partial=0)
    return replace(launched, moved=moved)


# -- no waiting ---------------------------------------------------------------------------------------
def without_queue(launched: Launched) -> Launched:
    """Its atomic updates as if no two were of one sector."""
    return replace(launched, moved=replace(launched.moved, queue=0.0))
