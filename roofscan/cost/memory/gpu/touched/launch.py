"""What the blocks of a launch touch of global memory: of waves, rows and slabs of blocks, and of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import cached_property

from roofscan.cost.memory.gpu.decisions import Decision, given, least, most
from roofscan.cost.memory.gpu.device import Device
from roofscan.cost.memory.gpu.programs.activity import ActiveClasses
from roofscan.cost.memory.gpu.programs.program import Program, Reference, each_draw
from roofscan.cost.memory.gpu.programs.spans import active_spans, step_of
from roofscan.cost.memory.gpu.random_addresses import drawn
from roofscan.cost.memory.gpu.threads.domain import BlockClass
from roofscan.cost.memory.gpu.touched.boxes import MIN_ACTIVE_SHARE, ActiveAlong, BlockBox, by_array
from roofscan.cost.memory.gpu.touched.first_reads import Fetched, loaded
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, ceil_to, total, value_of
from roofscan.ir.kinds import BlockGroup
from roofscan.ir.visitor import loops
from roofscan.memo import kept_by

WAVE: BlockGroup = "a wave of blocks"
ROW: BlockGroup = "a row of blocks"
SLAB: BlockGroup = "a slab of blocks"
ALL: BlockGroup = "all blocks"


class LaunchFootprint:
    """In whole granules, by array. ``writes``: by stores, by loads, or (None) by both."""

    def __init__(self, program: Program, device: Device, active: ActiveClasses) -> None:
        self._program = program
        self._device = device
        self._active = active
        self._references = [r for r in program.references if r.array.space == "global"]

    def whole(self, granule: int, writes: bool | None) -> Fetched:
        """By all blocks."""
        return self.of(self.boxes[-1], granule, writes)

    @cached_property
    def _extents(self) -> Mapping[str, Num]:
        """Of all loops, run to their ends."""
        return {s.loop.var: s.loop.trips for s in self._program.root.scopes if s.loop is not None}

    @kept_by(lambda box, granule, writes: (box.what, granule, writes))
    def of(self, box: BlockBox, granule: int, writes: bool | None) -> Fetched:
        """By the threads of a box of blocks, in the whole program."""
        extents = self._extents
        asked = by_array(r for r in self._references if writes is None or r.write == writes)

        def within(found: Sequence[Reference]) -> Num:
            whole = _whole(found, granule)
            gone = any(r.period for r in found) and value_of(whole) > self._device.l2  # before a place comes again
            every = box.bytes(found, extents, granule)
            return given(every, Decision(whole - self._device.l2)) if gone else least(every, whole)

        if writes is not False:
            return {name: within(found) for name, found in asked.items()}
        every = by_array(self._references)
        return {name: loaded(every[name], extents, within) for name in asked}

    @cached_property
    def boxes(self) -> list[BlockBox]:
        return list(self._growing_boxes())

    def _growing_boxes(self) -> Iterator[BlockBox]:
        """A wave, one block for each multiprocessor; a row, a slab, all blocks, as far as their threads are active."""
        x, y, z = self._active_blocks
        wave = self.box_of(self._device.multiprocessors).extents
        ends = ((WAVE, wave), (ROW, (x, wave[1], wave[2])), (SLAB, (x, y, wave[2])), (ALL, (x, y, z)))
        before: float = 0.0
        for what, extents in ends:
            box = BlockBox(extents, self._program.block, what, self._spans)
            if value_of(box.blocks) > before * (1 + 1e-9):
                before = value_of(box.blocks)
                yield box

    def box_of(self, blocks: Num) -> BlockBox:
        """So many blocks in the order of their launch."""
        sizes: list[Num] = []
        for extent in self._active_blocks:
            sizes.append(least(extent, blocks))
            blocks = most(1, blocks / extent)
        return BlockBox((sizes[0], sizes[1], sizes[2]), self._program.block, WAVE, self._spans)

    def _spans(self, reference: Reference) -> tuple[ActiveAlong, ActiveAlong, ActiveAlong]:
        """All places where those that conditions let through are not side by side."""
        program, activity = self._program, self._active.of(reference)[0]
        spans = active_spans(program, reference, activity)
        apart = any(reference.guards.strided) or not self._side_by_side(reference)
        x, y, z = (
            ActiveAlong(blocks * threads)
            if apart or not value_of(span)
            else ActiveAlong(span, _first(same, value_of(size)), _inside(same, size))
            for blocks, threads, span, same, size in zip(program.grid, program.block, spans, activity, program.block)
        )
        return x, y, z

    def _side_by_side(self, reference: Reference) -> bool:
        """Whether the active threads of a block are, along each direction."""
        activity = self._active.of(reference)[0]
        return all(step_of(c.threads) == 1 and not c.limits for classes in activity for c in classes if c.threads)

    @cached_property
    def _active_blocks(self) -> tuple[Num, Num, Num]:
        """Along each direction, as many as the active threads of the busiest statement would fill."""
        program = self._program
        found: list[Num] = [1, 1, 1]
        for reference in self._references:
            spans = active_spans(program, reference, self._active.of(reference)[0])
            for axis, span in enumerate(spans):
                filled = span / program.block[axis]
                if filled > found[axis]:
                    found[axis] = least(filled, program.grid[axis])
        return found[0], found[1], found[2]

    def at_least(self, granule: int, writes: bool) -> Fetched:
        """What the whole program touches."""
        touched = self.whole(granule, writes)
        again = {r.name: _whole([r], granule) for r in self._references if r.period}
        touched = {n: least(moved, again[n]) if n in again else moved for n, moved in touched.items()}
        touched.update((name, moved) for name, moved in self._in_rows.items() if name in touched)
        every = ((name, moved, self.draws(name, writes)) for name, moved in touched.items())
        return {name: drawn(*draws, granule) if draws else moved for name, moved, draws in every}

    @cached_property
    def _in_rows(self) -> Fetched:
        """The bytes of arrays that are walked row by row, in rows of unknown length that lie one behind another."""
        rows = {loop.var for loop in loops(self._program.kernel.body) if loop.total is not None}
        every = by_array(self._references).items()
        alone = {name: found for name, found in every if not any(r.write for r in found)}
        return {
            name: max((r.executions * r.size for r in found), key=value_of)
            for name, found in alone.items()
            if all(len(r.access.index) == 1 and str(r.access.index[0]) in rows for r in found)
        }

    def surely(self, granule: int, writes: bool) -> Fetched:
        """Of accesses at places that are known, which no data leave out; of reads, what nothing writes before."""
        totals = {loop.var for loop in loops(self._program.kernel.body) if loop.total is not None}
        known = by_array(r for r in self._references if r.write == writes and _is_certain(r, totals))
        loops_, program = self._extents, self._program
        box = BlockBox(program.grid, program.block, ALL, self._spans, few=Fraction(1))

        def within(found: Sequence[Reference]) -> Num:
            even = (self._side_by_side(r) and not any(loop.uneven for loop, _ in r.loops) for r in found)
            elements = total(r.executions * (granule if known else r.size) for r, known in zip(found, even))
            return min(box.bytes(found, loops_, granule), elements, _whole(found, granule), key=value_of)

        if writes:
            return {name: within(found) for name, found in known.items()}
        stores = by_array(r for r in self._references if r.write)
        return {
            name: loaded([*found, *stores.get(name, ())], loops_, within, surely=True) for name, found in known.items()
        }

    def together(self, *of_each: Fetched) -> Fetched:
        """What reads and writes touch, in sectors: where both are drawn, one of them touches what the other does."""
        touched = self.whole(self._device.sector, None)
        scattered = {r.name for r in self._references} - {r.name for r in self._references if not r.scattered}
        both = ((name, [each[name] for each in of_each if name in each]) for name in touched)
        found = {name: max(parts, key=value_of) if name in scattered else touched[name] for name, parts in both}
        return {**found, **self._in_rows}

    def draws(self, name: str, writes: bool) -> tuple[Num, Num] | None:
        """How often, and of how many bytes, an array is drawn from whose addresses all depend on data."""
        references = each_draw(r for r in self._references if r.name == name and r.write == writes)
        if not all(r.scattered for r in references):
            return None
        return total(r.executions for r in references), references[0].extent


def _first(classes: Sequence[BlockClass], size: float) -> int:
    """The first active place."""
    return round(next((c.first * size + c.threads[0] for c in classes if c.threads), 0))


def _inside(classes: Sequence[BlockClass], size: Num) -> tuple[int, int] | None:
    """The active threads, where those of nearly all blocks are the same part of the block."""
    active = [c for c in classes if c.threads]
    most = max(active, key=lambda c: c.count, default=None)
    if most is None or isinstance(size, SampledExpr) or len(most.threads) == size or len(active) != len(classes):
        return None
    return (
        (most.threads[0], most.threads[-1] + 1)
        if most.count >= MIN_ACTIVE_SHARE * sum(c.count for c in classes)
        else None
    )


def _whole(references: Sequence[Reference], granule: int) -> Num:
    """The array."""
    return ceil_to(max((r.extent for r in references), key=value_of), granule)


def _is_certain(reference: Reference, totals: Set[str]) -> bool:
    """``totals``: the variables of loops over rows that are known to lie one behind another."""
    in_rows = (rest is not None and not rest.expr.symbols.isdisjoint(totals) for rest in reference.access.rests)
    placed = reference.access.regular or (not reference.scattered and any(in_rows))
    even = not any(loop.uneven and loop.var not in totals for loop, _ in reference.loops)  # else some may have no trip
    return placed and even and reference.sure and reference.guards.separable and not reference.access.atomic
