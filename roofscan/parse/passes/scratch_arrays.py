"""Scratch arrays: a small array of literal size that dies in the iteration that makes it has one place in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from roofscan.ir.arrays import Array
from roofscan.ir.tree import Access
from roofscan.ir.visitor import loops_of, walk, walk_with_blocks
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.array_operations import total
from roofscan.parse.lowering.values import arrays_in
from roofscan.symbolic.expr import ONE

MAX_BYTES = 4096  # the largest array whose block an allocator is taken to hand back at once


def reuse_scratch_arrays(cx: Context) -> None:
    """Let scratch arrays be the same memory in every iteration. The threads of a GPU have one each."""
    builder = cx.builder
    scratch = set() if cx.threads else set(_scratch(cx))
    if not scratch:
        return
    blocks = _blocks(cx, scratch)
    for array in list(builder.arrays.values()):
        if array.owner in scratch:
            block = blocks.get(array.owner, array.owner)
            buffer = array.buffer if block == array.owner else block
            builder.arrays[array.name] = replace(array, fresh_in=(), made_in=array.fresh_in, buffer=buffer)
            if not builder.window_lengths.isdisjoint(array.shape) and (array.fresh_in or block != array.owner):
                builder.reason(array.line, "a new array as long as a slice is taken to be one buffer", "traffic")
    builder.assume("a small array of literal size made in a loop is one buffer (allocators hand its block back)")


def _scratch(cx: Context) -> Iterator[str]:
    """The owners of memory of literal size that nothing uses outside the iteration that makes them."""
    arrays = cx.builder.arrays
    loops = {a.owner: a.fresh_in[-1] for a in arrays.values() if a.fresh_in and _is_small(a)}
    apart = {a.owner: ends for a in arrays.values() if not a.fresh_in and _is_small(a) if (ends := _end(cx, a.owner))}
    if not loops and not apart:
        return
    outlive = {*cx.builder.outliving, *(name for value in cx.frame.returns for name in arrays_in(value))}
    outside = {arrays[name].owner for name in outlive}
    outside.update(a.owner for a in arrays.values() if not _is_small(a) or _may_follow_a_fact(cx, a))
    for node, around in walk_with_blocks(tuple(cx.builder.body)):
        if isinstance(node, Access) and (owner := arrays[node.array].owner) not in outside:
            if owner in loops and all(loop.var != loops[owner] for loop in loops_of(around)):
                outside.add(owner)
            elif owner in apart and node.id > apart[owner]:
                outside.add(owner)
    yield from loops.keys() - outside
    kept = {_source(cx, owner) for owner in apart.keys() & outside}
    yield from (owner for owner in apart if owner not in outside and _source(cx, owner) not in kept)


def _may_follow_a_fact(cx: Context, array: Array) -> bool:
    """Whether an extent of 1 may be that of an argument, and no literal of the source."""
    return cx.builder.one_is_told and ONE in array.shape


def _end(cx: Context, owner: str) -> int:
    """The last id in the iteration that makes an array; 0 if none does."""
    turns = cx.builder.turns_of.get(owner, ())
    return cx.builder.turn_ends[turns[-1][1]] if turns else 0


def _source(cx: Context, owner: str) -> tuple[object, ...]:
    """What the arrays have in common that the parts of a loop make, which was taken apart."""
    array = cx.builder.arrays[owner]
    return tuple(line for line, _ in cx.builder.turns_of[owner]), array.line, array.dtype, array.shape


def _blocks(cx: Context, scratch: set[str]) -> dict[str, str]:
    """By owner, the first array that has its block: of those that the loops of the same lines make as the same one in
    an iteration (a loop that was taken apart makes one in each part), after the last access to that of the part
    before."""
    spans, turns = _spans(cx), cx.builder.turns_of
    made: Counter[object] = Counter()
    blocks: dict[object, dict[str, int]] = {}  # the last access to each
    found: dict[str, str] = {}
    for array in cx.builder.arrays.values():
        if array.owner == array.name and array.name in spans and array.name in scratch:
            begin, end = spans[array.name]
            source = (array.line, array.dtype, array.shape)
            made[turns[array.name], source] += 1
            around = tuple(line for line, _ in turns[array.name])
            known = blocks.setdefault((around, source, made[turns[array.name], source]), {})
            block = next((name for name, last in known.items() if last < begin), array.name)
            known[block] = end
            found[array.name] = block
    return found


def _spans(cx: Context) -> dict[str, tuple[int, int]]:
    """The first and the last access to each owner's memory, in the order of the source."""
    found: dict[str, tuple[int, int]] = {}
    for place, node in enumerate(walk(tuple(cx.builder.body))):
        if isinstance(node, Access):
            owner = cx.builder.arrays[node.array].owner
            found[owner] = found.get(owner, (place, place))[0], place
    return found


def _is_small(array: Array) -> bool:
    elements = total(array.shape).constant
    return elements is not None and elements * array.dtype.size <= MAX_BYTES
