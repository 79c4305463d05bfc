"""The bytes that references touch over parts of a launch: block by block, or over a box of blocks at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, prod
from typing import Protocol

from roofscan.cost.memory.gpu.domain import BlockClass, active_threads
from roofscan.cost.memory.gpu.footprint import Dim, ReferenceGroup, footprint, least
from roofscan.cost.memory.gpu.l1 import RequestCounter, tile_dims
from roofscan.cost.memory.gpu.program import Program, Reference
from roofscan.cost.memory.gpu.random_addresses import distinct_share
from roofscan.cost.memory.gpu.spans import active_spans
from roofscan.cost.memory.lru.tree.sampled_expr import Num, total, value_of
from roofscan.frozen import dataclass

Extents = Mapping[str, Num]  # the iterations of loops that are looked at, by variable


class Box(Protocol):
    def bytes(self, references: Sequence[Reference], loops: Extents, granule: int) -> Num:
        """Distinct granules of one array, where these loops run so far inside the box and all others stand still."""


def by_array(references: Iterable[Reference]) -> Mapping[str, list[Reference]]:
    found: dict[str, list[Reference]] = {}
    for reference in references:
        found.setdefault(reference.name, []).append(reference)
    return found


def _loop_dims(reference: Reference, loops: Extents) -> Iterator[Dim]:
    for loop, stride in reference.loops:
        if loop.var in loops:
            yield Dim(stride, loops[loop.var])


@dataclass(frozen=True)
class _Kind:
    """What references have in common that differ by their offsets alone."""

    size: int
    thread: tuple[int, ...]
    block: tuple[int, ...]
    loops: tuple[Dim, ...]
    around: tuple[Dim, ...]
    scattered: bool
    extent: float  # of a scattered one's array
    tile: tuple[Dim, ...] = ()

    def draws(self, granule: int) -> Num:
        """The granules at random places that one execution touches."""
        if self.tile and not any(value_of(dim.stride) for dim in self.tile):
            return prod((dim.extent for dim in self.tile), start=1)
        return footprint((ReferenceGroup(self.size, (0,), self.tile),), granule) / granule


class EveryBlock:
    """All blocks, one after the other: the sum over them."""

    def __init__(self, counter: RequestCounter, program: Program) -> None:
        self._counter = counter
        self._program = program
        self._known: dict[object, Num] = {}

    def bytes(self, references: Sequence[Reference], loops: Extents, granule: int) -> Num:
        kinds: dict[_Kind, dict[int, list[Reference]]] = {}
        for reference in references:
            activity, _ = self._counter.activity(reference)
            kinds.setdefault(_kind(reference, loops), {}).setdefault(id(activity), []).append(reference)
        return total(self._of_kind(kind, [*found.values()], loops, granule) for kind, found in kinds.items())

    def _of_kind(self, kind: _Kind, found: Sequence[list[Reference]], loops: Extents, granule: int) -> Num:
        """Where threads differ that make the references, no more than if those that make most made all."""
        apart = total(self._of(kind, same, granule) * _turns(same[0], loops) for same in found)
        if len(found) == 1 or kind.scattered:
            return apart
        most = max(found, key=lambda same: active_threads(self._counter.activity(same[0])[0]))
        together = [*most, *(r for same in found if same is not most for r in same)]
        return least(apart, self._of(kind, together, granule) * _turns(most[0], loops))

    def _of(self, kind: _Kind, references: Sequence[Reference], granule: int) -> Num:
        bases = tuple(dict.fromkeys(reference.base for reference in references))
        activity, exact = self._counter.activity(references[0])
        key = (kind, bases, id(activity), granule)
        if key not in self._known:
            found = (
                self._in_sizes(kind, references[0], bases, granule)
                if self._program.number
                else total(self._class(kind, bases, classes, granule) for classes in product(*activity))
            )
            whole = exact and not kind.tile
            self._known[key] = found if whole else found * _share(references[0], active_threads(activity))
        return self._known[key]

    def _in_sizes(self, kind: _Kind, reference: Reference, bases: Sequence[int], granule: int) -> Num:
        """As if all blocks were those of the largest class."""
        activity, _ = self._counter.activity(reference)
        classes = [max(axis, key=lambda c: c.count * len(c.threads)) for axis in activity]
        found = self._class(kind, bases, classes, granule) / max(1, prod(c.count for c in classes))
        for span, c in zip(active_spans(self._program, reference, activity), classes):
            found = found * (span / max(1, len(c.threads)))
        return found

    def _class(self, kind: _Kind, bases: Sequence[int], classes: Sequence[BlockClass], granule: int) -> Num:
        blocks = prod(c.count for c in classes)
        if not all(c.threads for c in classes):
            return 0
        if kind.scattered:
            lanes = prod(len(c.threads) for c in classes) * len(bases)
            draws = prod((dim.extent for dim in kind.loops), start=lanes) * kind.draws(granule)
            return _at_random(draws, kind.extent, granule) * blocks
        shift = sum(b * c.first + t * c.threads[0] for b, t, c in zip(kind.block, kind.thread, classes))
        threads = tuple(_threads(stride, c.threads) for stride, c in zip(kind.thread, classes))
        around = (*(Dim(b, c.count) for b, c in zip(kind.block, classes)), *kind.around)
        group = ReferenceGroup(
            kind.size, tuple(base + shift for base in bases), (*threads, *kind.tile, *kind.loops), around
        )
        return footprint((group,), granule) * blocks


def _at_random(draws: Num, extent: float, granule: int) -> Num:
    return draws * granule * distinct_share(extent / granule, value_of(draws))


def _turns(reference: Reference, loops: Extents) -> Num:
    """The share of the blocks of a loop that strides over the grid, where it runs so far."""
    strided = (loop for loop, _ in reference.loops if loop.var in reference.guards.strided)
    return prod((Fraction(value_of(loops.get(loop.var, 1))) / ceil(value_of(loop.trips)) for loop in strided), start=1)


def _threads(stride: int, active: tuple[int, ...]) -> Dim:
    step = active[1] - active[0] if len(active) > 1 else 1
    return Dim(stride * step, len(active))


def _share(reference: Reference, threads: int) -> Num:
    """Of the threads that execute the reference, where conditions do not say which."""
    times = prod(max(1.0, value_of(loop.trips)) for loop, _ in reference.loops) * reference.elements
    return Fraction(min(1.0, value_of(reference.executions) / max(1.0, threads * times))).limit_denominator(1 << 20)


def _kind(reference: Reference, loops: Extents) -> _Kind:
    strided = reference.guards.strided
    inside = tuple(_loop_dims(reference, {var: extent for var, extent in loops.items() if var not in strided}))
    around = ((loop, stride) for loop, stride in reference.loops if loop.var not in (*loops, *strided))
    outside = tuple(Dim(stride, loop.trips) for loop, stride in around)
    thread = tuple(round(value_of(s)) for s in reference.thread)
    block = tuple(round(value_of(s)) for s in reference.block)
    extent, tile = value_of(reference.extent) if reference.scattered else 0.0, tuple(tile_dims(reference))
    return _Kind(reference.size, thread, block, inside, outside, reference.scattered, extent, tile)


class BlockBox:
    """So many blocks along x, y and z, all at once."""

    def __init__(self, extents: tuple[Num, Num, Num], threads: tuple[int, int, int]) -> None:
        self.extents = extents
        self._threads = threads

    @property
    def blocks(self) -> Num:
        return self.extents[0] * self.extents[1] * self.extents[2]

    def bytes(self, references: Sequence[Reference], loops: Extents, granule: int) -> Num:
        kinds: dict[tuple[tuple[float, float], ...], tuple[tuple[Dim, ...], list[Reference]]] = {}
        scattered: Num = 0
        for reference in references:
            dims = (*self._dims(reference), *tile_dims(reference), *_loop_dims(reference, loops))
            if reference.scattered:
                kind = _kind(reference, loops)
                lanes = self.blocks * prod(self._threads)
                draws = prod((dim.extent for dim in kind.loops), start=lanes) * kind.draws(granule)
                scattered = scattered + _at_random(draws, kind.extent, granule)
            else:
                form = tuple((value_of(dim.stride), value_of(dim.extent)) for dim in dims)
                kinds.setdefault(form, (dims, []))[1].append(reference)
        groups = [
            ReferenceGroup(found[0].size, tuple(dict.fromkeys(r.base for r in found)), dims)
            for dims, found in kinds.values()
        ]
        return footprint(groups, granule) + scattered

    def _dims(self, reference: Reference) -> Iterator[Dim]:
        for thread, block, threads, blocks in zip(reference.thread, reference.block, self._threads, self.extents):
            if round(value_of(block)) == round(value_of(thread)) * threads:
                yield Dim(thread, blocks * threads)
            else:
                yield Dim(thread, threads)
                yield Dim(block, blocks)
