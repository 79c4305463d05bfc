"""Bytes that reads fetch, of data that other accesses of the same threads may have brought or written before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from roofscan.cost.memory.gpu.decisions import Decision, given
from roofscan.cost.memory.gpu.programs.program import Reference
from roofscan.cost.memory.gpu.touched.boxes import Extents
from roofscan.cost.memory.lru.tree.sampled_expr import Num

Fetched = Mapping[str, Num]  # bytes by array
NO_BYTES: Num = 0


def loaded(
    references: Sequence[Reference],
    extents: Extents,
    bytes_of: Callable[[Sequence[Reference]], Num],
    *,
    before: Sequence[Reference] = (),
    surely: bool = False,
) -> Num:
    """Of one array, what reads touch first; of what they find written, the rest of the granules. ``before``: what is
    there already. ``surely``: no more than that, whatever is not known."""
    writes, reads = ([r for r in references if r.write == write] for write in (True, False))
    first = [r for r in reads if _is_first(r, writes, surely)]
    late = [r for r in reads if r not in first]
    known, found = list(before), NO_BYTES
    for new, there in (([r.at_first(extents) for r in first], ()), (late, writes)):
        known += there
        if new:
            found = found + _more(known, new, bytes_of)
            known += new
    return found


def _is_first(read: Reference, writes: Sequence[Reference], surely: bool) -> bool:
    """Before these writes: others may have written what it reads long before."""
    if read.first.after:
        return read.first.after.isdisjoint(w.access.id for w in writes)
    return read.first.some and (read.first.sure or not surely)


def _more(known: Sequence[Reference], new: Sequence[Reference], bytes_of: Callable[[Sequence[Reference]], Num]) -> Num:
    if not known:
        return bytes_of(new)
    whole, before = bytes_of([*known, *new]), bytes_of(known)
    return given(whole - before, Decision(whole - before)) if whole > before else 0
