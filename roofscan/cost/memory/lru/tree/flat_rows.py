"""Rows worked out of flat subscripts: ``x[i*m + j]`` with 0 <= j < m walks rows of m elements. A flat buffer gets a
second dimension of stride m where every reference splits into multiples of m and a rest that stays within a row."""

from __future__ import annotations

from math import floor

from roofscan.cost.memory.lru.tree.affine import Affine
from roofscan.cost.memory.lru.tree.nodes import Buffer, LoopNode, Ref
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, magnitude, value_of

Spans = dict[str, tuple[float, float]]
MAX_FLATTENED_LOOPS = 4


def split_rows(root: LoopNode) -> None:
    """Gives the flat buffers of a tree their rows."""
    by_buffer: dict[int, list[Ref]] = {}
    for ref in root.refs:
        if not ref.irregular:
            by_buffer.setdefault(id(ref.buffer), []).append(ref)
    for refs in by_buffer.values():
        before = refs[0].buffer.strides
        for _ in range(MAX_FLATTENED_LOOPS):
            if not _split_last(refs[0].buffer, refs):
                break
        if refs[0].buffer.strides != before:
            _forget_spreads(root, refs[0].buffer)


def _forget_spreads(root: LoopNode, buffer: Buffer) -> None:
    """What places references in the same memory can have that depend on data is said in subscripts of the flat one."""
    for ref in root.refs:
        if ref.irregular and ref.buffer.base is buffer:
            ref.spread = ()


def _split_last(buffer: Buffer, refs: list[Ref]) -> bool:
    """Splits the last dimension by the longest row that fits all references."""
    forms = [r.subscripts[-1] for r in refs]
    if any(f.opaque for f in forms) or any(r.index_limits for r in refs) or not any(len(f.coefs) > 1 for f in forms):
        return False
    lengths = {abs(value_of(c)): magnitude(c) for f in forms for c in f.coefs.values() if abs(value_of(c)) > 1}
    for length in sorted(lengths, reverse=True):
        row = lengths[length]
        parts = [_divided(r, row) for r in refs]
        if all(p is not None for p in parts):
            for ref, part in zip(refs, parts):
                assert part is not None
                ref.subscripts = (*ref.subscripts[:-1], *part)
                ref.own_names = None
            buffer.strides = (*buffer.strides[:-1], row, 1)
            return True
    return False


def _divided(ref: Ref, row: Num) -> tuple[Affine, Affine] | None:
    """The last subscript as row number and place in the row, or None where the place may leave the row."""
    form, length = ref.subscripts[-1], value_of(row)
    whole: dict[str, Num] = {}
    rest: dict[str, Num] = {}
    for var, c in form.coefs.items():
        times = value_of(c) / length
        if abs(times - round(times)) < TOLERANCE and round(times):
            whole[var] = round(times)
        elif abs(value_of(c)) < length:
            rest[var] = c
        else:
            return None
    low, high = _span(Affine(form.constant, rest), _spans(ref))
    number = floor(low / length + TOLERANCE)
    if high - number * length > length - 1 + TOLERANCE:
        return None
    return Affine(number, whole), Affine(form.constant - number * row, rest, form.alignment)


def _spans(ref: Ref) -> Spans:
    spans: Spans = {}
    for loop in ref.loops:
        lows = [_span(f, spans)[0] for f in loop.lows]
        highs = [_span(f, spans)[1] for f in loop.highs]
        spans[loop.var] = (max(lows), max(max(lows), min(highs)))
    return spans


def _span(form: Affine, spans: Spans) -> tuple[float, float]:
    low = high = value_of(form.constant)
    for var, c in form.coefs.items():
        factor = value_of(c)
        ends = (factor * spans[var][0], factor * spans[var][1])
        low, high = low + min(ends), high + max(ends)
    return low, high
