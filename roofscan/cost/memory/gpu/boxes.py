"""The bytes that references touch over parts of a launch: block by block, or over a box of blocks at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from math import prod
from typing import Protocol

from roofscan.cost.memory.gpu.decisions import least
from roofscan.cost.memory.gpu.domain import active_threads
from roofscan.cost.memory.gpu.footprint import Dim, ReferenceGroup, footprint
from roofscan.cost.memory.gpu.l1 import RequestCounter, tile_dims
from roofscan.cost.memory.gpu.program import Program, Reference
from roofscan.cost.memory.gpu.random_addresses import drawn
from roofscan.cost.memory.gpu.spans import ActiveBlocks, BlocksAlike, step_of
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, total, value_of
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
    steps: tuple[int, ...]  # of threads and blocks, in numbers
    thread: tuple[Num, ...] = field(compare=False)
    block: tuple[Num, ...] = field(compare=False)
    loops: tuple[Dim, ...]
    around: tuple[Dim, ...]
    scattered: bool
    within: float  # bytes of a scattered one's array
    extent: Num = field(compare=False)  # the same
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
        self._blocks = ActiveBlocks(program)
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
            every = self._blocks.of(references[0], activity)
            found = total(self._class(kind, bases, alike, granule) * alike.blocks for alike in every)
            whole = exact and not kind.tile
            self._known[key] = found if whole else found * _share(references[0], active_threads(activity))
        return self._known[key]

    def _class(self, kind: _Kind, bases: Sequence[int], alike: BlocksAlike, granule: int) -> Num:
        """By one block."""
        classes = alike.classes
        if kind.scattered:
            lanes = prod(len(c.threads) for c in classes) * len(bases)
            draws = prod((dim.extent for dim in kind.loops), start=lanes) * kind.draws(granule)
            return drawn(draws, kind.extent, granule)
        steps = zip(kind.steps, kind.steps[3:], classes)
        shift = sum(b * c.first + t * c.threads[0] for t, b, c in steps)
        threads = tuple(
            Dim(stride * step_of(c.threads), extent) for stride, c, extent in zip(kind.thread, classes, alike.threads)
        )
        around = (*(Dim(b, c.count) for b, c in zip(kind.block, classes)), *kind.around)
        group = ReferenceGroup(
            kind.size, tuple(base + shift for base in bases), (*threads, *kind.tile, *kind.loops), around
        )
        return footprint((group,), granule)


def _turns(reference: Reference, loops: Extents) -> Num:
    """The share of the blocks of a loop that strides over the grid, where it runs so far."""
    strided = (loop for loop, _ in reference.loops if loop.var in reference.guards.strided)
    shares = ((loops.get(loop.var, 1), loop.trips) for loop in strided)
    return prod((n / (t if isinstance(t, SampledExpr) else Fraction(t)) for n, t in shares), start=1)


def _share(reference: Reference, threads: int) -> Num:
    """Of the threads that execute the reference, where conditions do not say which."""
    times = prod(max(1.0, value_of(loop.trips)) for loop, _ in reference.loops) * reference.elements
    return Fraction(min(1.0, value_of(reference.executions) / max(1.0, threads * times))).limit_denominator(1 << 20)


def _kind(reference: Reference, loops: Extents) -> _Kind:
    strided = reference.guards.strided
    inside = tuple(_loop_dims(reference, {var: extent for var, extent in loops.items() if var not in strided}))
    around = ((loop, stride) for loop, stride in reference.loops if loop.var not in (*loops, *strided))
    outside = tuple(Dim(stride, loop.trips) for loop, stride in around)
    thread, block = reference.thread, reference.block
    steps = tuple(round(value_of(s)) for s in (*thread, *block))
    extent, tile = reference.extent if reference.scattered else 0, tuple(tile_dims(reference))
    return _Kind(
        reference.size, steps, thread, block, inside, outside, reference.scattered, value_of(extent), extent, tile
    )  # fmt: skip


class BlockBox:
    """So many blocks along x, y and z, all at once."""

    def __init__(self, extents: tuple[Num, Num, Num], threads: tuple[Num, Num, Num], what: str) -> None:
        self.extents = extents
        self.what = what
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
                lanes = self.blocks * prod(self._threads, start=1)
                draws = prod((dim.extent for dim in kind.loops), start=lanes) * kind.draws(granule)
                scattered = scattered + drawn(draws, kind.extent, granule)
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
            if round(value_of(block)) == round(value_of(thread)) * value_of(threads):
                yield Dim(thread, blocks * threads)
            else:
                yield Dim(thread, threads)
                yield Dim(block, blocks)
