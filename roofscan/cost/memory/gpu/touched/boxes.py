"""The bytes that references touch over parts of a launch: block by block, or over a box of blocks at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from math import prod
from typing import Any, Protocol

from roofscan.cost.memory.gpu.decisions import least
from roofscan.cost.memory.gpu.footprint import Dim, ReferenceGroup, footprint
from roofscan.cost.memory.gpu.programs.activity import ActiveClasses
from roofscan.cost.memory.gpu.programs.program import Program, Reference, each_draw
from roofscan.cost.memory.gpu.programs.spans import ActiveBlocks, BlocksAlike, step_of
from roofscan.cost.memory.gpu.random_addresses import drawn
from roofscan.cost.memory.gpu.threads.domain import BlockClass, Mask
from roofscan.cost.memory.gpu.threads.lanes import Tables, active_of, offsets_of
from roofscan.cost.memory.gpu.touched.hull import hull_of
from roofscan.cost.memory.gpu.touched.rows import Rows, as_rows
from roofscan.cost.memory.gpu.warps.tiles import tile_dims
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, total, value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import BlockGroup

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
    mask: Mask | None = None
    tables: Tables = ()

    @property
    def is_plain(self) -> bool:
        return not (self.scattered or self.tile or self.mask or self.tables)

    def draws(self, granule: int) -> Num:
        """The granules at random places that one execution touches."""
        if self.tile and not any(value_of(dim.stride) for dim in self.tile):
            return prod((dim.extent for dim in self.tile), start=1)
        return footprint((ReferenceGroup(self.size, (0,), self.tile),), granule) / granule


class EveryBlock:
    """All blocks, one after the other: the sum over them."""

    def __init__(self, active: ActiveClasses, program: Program) -> None:
        self._active = active
        self._program = program
        self._blocks = ActiveBlocks(program)
        self._known: dict[object, Num] = {}

    def bytes(self, references: Sequence[Reference], loops: Extents, granule: int) -> Num:
        kinds: dict[_Kind, dict[int, list[Reference]]] = {}
        for reference in each_draw(references):
            activity, _ = self._active.of(reference)
            kinds.setdefault(_kind(reference, loops), {}).setdefault(id(activity), []).append(reference)
        apart = total(self._of_kind(kind, [*found.values()], loops, granule) for kind, found in kinds.items())
        if len(kinds) > 1 and (united := self._united(kinds, granule)) is not None:
            apart = least(apart, united)
        return _within_hull(self, apart, references, loops, granule) if len(kinds) > 1 else apart

    def _united(self, kinds: Mapping[_Kind, Mapping[int, list[Reference]]], granule: int) -> Num | None:
        """Of kinds that the same threads touch, which blocks shift alike; None of others."""
        first = next(iter(kinds))
        [activity, *others] = dict.fromkeys(key for found in kinds.values() for key in found)
        alike = all(kind.is_plain and kind.steps[3:] == first.steps[3:] for kind in kinds)
        references = [r for found in kinds.values() for r in found[activity]] if alike and not others else []
        if not references or any(r.guards.strided != ("", "", "") for r in references):
            return None
        known, exact = self._active.of(references[0])
        if not exact:
            return None
        bases = {kind: _bases(found[activity]) for kind, found in kinds.items()}
        key = (*((kind, tuple(starts)) for kind, starts in bases.items()), activity, granule)
        if key not in self._known:
            self._known[key] = total(
                footprint([self._group(kind, starts, same) for kind, starts in bases.items()], granule) * same.blocks
                for same in self._blocks.of(references[0], known)
            )
        return self._known[key]

    def _of_kind(self, kind: _Kind, found: Sequence[list[Reference]], loops: Extents, granule: int) -> Num:
        """Where threads differ that make the references, no more than if those that make most made all."""
        apart = total(self._of(kind, same, granule) * _turns(same[0], loops) for same in found)
        if len(found) == 1 or kind.scattered:
            return apart
        most = max(found, key=lambda same: self._active.threads(same[0]))
        together = [*most, *(r for same in found if same is not most for r in same)]
        return least(apart, self._of(kind, together, granule) * _turns(most[0], loops))

    def _of(self, kind: _Kind, references: Sequence[Reference], granule: int) -> Num:
        bases = _bases(references)
        activity, exact = self._active.of(references[0])
        key = (kind, tuple(bases), id(activity), granule)
        if key not in self._known:
            every = self._blocks.of(references[0], activity)
            found = total(self._class(kind, bases, alike, granule) * alike.blocks for alike in every)
            if not exact or kind.tile:
                found = found * _share(references[0], self._active.threads(references[0]))
            self._known[key] = found
        return self._known[key]

    def _class(self, kind: _Kind, bases: Mapping[int, Num], alike: BlocksAlike, granule: int) -> Num:
        """By one block."""
        classes = alike.classes
        if kind.scattered:
            threads = active_of(self._program.launch.block, classes, kind.mask) if kind.mask else ()
            lanes = (len(threads) or prod(len(c.threads) for c in classes)) * len(bases)
            draws = prod((dim.extent for dim in kind.loops), start=lanes) * kind.draws(granule)
            return drawn(draws, kind.extent, granule)
        return self._footprint(self._group(kind, bases, alike), granule)

    def _footprint(self, group: ReferenceGroup, granule: int) -> Num:
        """That of any other whose places differ by whole granules is the same."""
        numbers = [n for dim in (*group.dims, *group.around) for n in (dim.stride, dim.extent)]
        if any(isinstance(n, SampledExpr) for n in numbers):
            return footprint((group,), granule)
        shift = group.offsets[0] // granule * granule
        offsets = tuple(offset - shift for offset in group.offsets)
        around = tuple(dim for dim in group.around if value_of(dim.stride) % granule)
        key = replace(group, offsets=offsets, around=around, origins=()), granule
        if key not in self._known:
            self._known[key] = footprint((key[0],), granule)
        return self._known[key]

    def _group(self, kind: _Kind, bases: Mapping[int, Num], alike: BlocksAlike) -> ReferenceGroup:
        classes = alike.classes
        shift = total(b * c.first for b, c in zip(kind.block, classes))
        around = (*(Dim(b, c.count) for b, c in zip(kind.block, classes)), *kind.around)
        inside = (*kind.tile, *kind.loops)
        if kind.tables or kind.mask:
            starts, dims = self._rows(kind, classes, inside)
        else:
            starts = (total(t * c.threads[0] for t, c in zip(kind.thread, classes)),)
            steps = (stride * step_of(c.threads) for stride, c in zip(kind.thread, classes))
            dims = (*map(Dim, steps, alike.threads), *inside)
        origins = tuple(origin + shift + start for origin in bases.values() for start in starts)
        return ReferenceGroup(kind.size, tuple(round(value_of(o)) for o in origins), dims, around, origins)

    def _rows(self, kind: _Kind, classes: Sequence[BlockClass], inside: Sequence[Dim]) -> Rows:
        block = self._program.launch.block
        active = active_of(block, classes, kind.mask)
        tables = kind.tables or (offsets_of(block, kind.thread),)
        return as_rows((table[t] for table in tables for t in active), inside)


def _within_hull(box: Box, apart: Num, references: Sequence[Reference], loops: Extents, granule: int) -> Num:
    whole = hull_of(references, loops)
    if whole is None:
        return apart
    return least(apart, box.bytes([whole], {loop.var: loop.trips for loop, _ in whole.loops}, granule))


def _turns(reference: Reference, loops: Extents) -> Num:
    """The share of the blocks of a loop that strides over the grid, where it runs so far."""
    strided = (loop for loop, _ in reference.loops if loop.var in reference.guards.strided)
    shares = ((loops.get(loop.var, 1), loop.trips) for loop in strided)
    return prod((n / (t if isinstance(t, SampledExpr) else Fraction(t)) for n, t in shares), start=1)


def _share(reference: Reference, threads: int) -> Num:
    """Of the threads that execute the reference, where conditions do not say which."""
    serial = (loop for loop, _ in reference.loops if loop.var not in reference.guards.strided)
    times = prod(max(1.0, value_of(loop.trips)) for loop in serial) * reference.elements
    return Fraction(min(1.0, value_of(reference.executions) / max(1.0, threads * times))).limit_denominator(1 << 20)


def _bases(references: Iterable[Reference]) -> Mapping[int, Num]:
    """Each once, with what it is in the sizes."""
    return {reference.base: reference.origin for reference in references}


def _kind(reference: Reference, loops: Extents) -> _Kind:
    strided = reference.guards.strided
    inside = tuple(_loop_dims(reference, {var: extent for var, extent in loops.items() if var not in strided}))
    around = ((loop, stride) for loop, stride in reference.loops if loop.var not in (*loops, *strided))
    outside = tuple(Dim(stride, loop.trips) for loop, stride in around)
    thread, block = reference.thread, reference.block
    steps = tuple(round(value_of(s)) for s in (*thread, *block))
    extent, tile = reference.extent if reference.scattered else 0, tuple(tile_dims(reference))
    tables = reference.lanes.while_running(loops) if reference.lanes else ()
    return _Kind(
        reference.size, steps, thread, block, inside, outside, reference.scattered, value_of(extent), extent, tile,
        reference.guards.mask, tables,
    )  # fmt: skip


MIN_ACTIVE_SHARE = Fraction(7, 8)  # of the places of a box: where fewer are active, the others are left out


@dataclass(frozen=True)
class ActiveAlong:
    """The ``places`` along a direction that conditions let through, one behind another, after so many ``before`` them;
    and the threads [first, end) of each block, where all blocks have the same."""

    places: Num
    before: int = 0
    threads: tuple[int, int] | None = None


Spans = Callable[[Reference], Sequence[ActiveAlong]]


class BlockBox:
    """So many blocks along x, y and z, all at once. ``spans``: which of their threads are active."""

    def __init__(
        self, extents: tuple[Num, Num, Num], threads: tuple[Num, Num, Num], what: BlockGroup,
        spans: Spans | None = None, few: Fraction = MIN_ACTIVE_SHARE,
    ) -> None:  # fmt: skip
        self.extents = extents
        self.what = what
        self._threads = threads
        self._spans = spans
        self._few = few  # of the places: where no more are active, the others are left out
        self._shape = tuple(round(value_of(extent)) for extent in threads)

    @property
    def blocks(self) -> Num:
        return self.extents[0] * self.extents[1] * self.extents[2]

    def bytes(self, references: Sequence[Reference], loops: Extents, granule: int) -> Num:
        kinds: dict[tuple[Any, ...], tuple[tuple[Dim, ...], dict[int, Num]]] = {}
        scattered: Num = 0
        for reference in each_draw(references):
            inside = (*tile_dims(reference), *_loop_dims(reference, loops))
            starts, dims = self._rows(reference, loops, inside)
            if reference.scattered:
                kind = _kind(reference, loops)
                lanes = self.blocks * prod(self._threads, start=1)
                draws = prod((dim.extent for dim in kind.loops), start=lanes) * kind.draws(granule)
                scattered = scattered + drawn(draws, kind.extent, granule)
            else:
                form = (reference.size, *((value_of(dim.stride), value_of(dim.extent)) for dim in dims))
                found = kinds.setdefault(form, (dims, {}))[1]
                for origin in (reference.origin + start for start in starts):
                    found.setdefault(round(value_of(origin)), origin)
        groups = [
            ReferenceGroup(form[0], tuple(found), dims, origins=(*found.values(),))
            for form, (dims, found) in kinds.items()
        ]
        apart = footprint(groups, granule) + scattered
        return _within_hull(self, apart, references, loops, granule) if len(kinds) > 1 else apart

    def _rows(self, reference: Reference, loops: Extents, inside: Sequence[Dim]) -> Rows:
        lanes, mask = reference.lanes, reference.guards.mask
        if lanes is None and mask is None:
            start, dims = self._dims(reference)
            return (start,), (*dims, *inside)
        tables = lanes.while_running(loops) if lanes else (offsets_of(self._shape, reference.thread),)
        addresses = (a for table in tables for t, a in enumerate(table) if mask is None or mask[t])
        return as_rows(addresses, (*map(Dim, reference.block, self.extents), *inside))

    def _active(self, reference: Reference) -> Sequence[ActiveAlong]:
        if self._spans is not None:
            return self._spans(reference)
        return [ActiveAlong(blocks * threads) for blocks, threads in zip(self.extents, self._threads)]

    def _dims(self, reference: Reference) -> tuple[Num, list[Dim]]:
        """The bytes from the first thread of a block to the first active one, and the directions."""
        start: Num = 0
        dims: list[Dim] = []
        sizes = zip(self._threads, self.extents, self._active(reference))
        for thread, block, (threads, blocks, active) in zip(reference.thread, reference.block, sizes):
            places = blocks * threads
            if active.threads is not None:
                first, end = active.threads
                start = start + thread * first
                dims += Dim(thread, end - first), Dim(block, blocks)
            elif round(value_of(block)) == round(value_of(thread)) * value_of(threads):
                few = value_of(active.places) < self._few * value_of(places)
                start = start + thread * active.before if few else start
                dims.append(Dim(thread, least(active.places, places) if few else places))
            elif value_of(active.places) < self._few * value_of(threads):  # of the first block alone
                dims.append(Dim(thread, least(active.places, threads)))
            else:
                dims += Dim(thread, threads), Dim(block, blocks)
        return start, dims
