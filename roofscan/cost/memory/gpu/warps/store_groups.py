"""Stores that are made together. No load stands between them: the first cache passes those of one warp to one sector on
together, and compilers move loads before stores where they know that these are of other elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from operator import attrgetter

from roofscan.cost.memory.gpu.programs.program import Program, Reference, Scope
from roofscan.cost.memory.gpu.warps.counter import RequestCounter

WAITING_LINES = 2.0  # of one warp's store, with which the first cache waits for the next one (measured on an H200)


def passed_on(program: Program, counter: RequestCounter) -> Mapping[int, Fraction]:
    """The share of a store's sectors that the second cache sees, by the id of its access; of most, all."""
    alone = ([r] for r in program.references if r.write and r.array.dtype.kind == "complex" and _is_plain(r))
    return {
        store.access.id: share
        for group in (*alone, *(group for scope in program.root.scopes for group in _groups(scope)))
        if group[0].array.space == "global" and (share := _passed(group, counter)) < 1
        for store in group
    }


def _passed(group: list[Reference], counter: RequestCounter) -> Fraction:
    """The first cache waits with a line or two: of stores that touch more, a part is united with the next."""
    waiting = Fraction(WAITING_LINES / counter.lines_of(group[0])).limit_denominator(1 << 12)
    parts = 2 if group[0].array.dtype.kind == "complex" else 1
    return 1 - (1 - counter.united(group) / parts) * min(Fraction(1), waiting)


def _groups(scope: Scope) -> Iterator[list[Reference]]:
    """Stores to one array that differ by constants. A load ends a group unless it differs from it by a constant too."""
    found: list[list[Reference]] = []
    for item in (*scope.items, None):
        if isinstance(item, Reference) and (item.array.space != "global" or (item.write and not _is_plain(item))):
            continue
        same = [group for group in found if isinstance(item, Reference) and _alike(group[0], item)]
        if not isinstance(item, Reference) or not item.write:
            yield from (group for group in found if len(group) > 1 and group not in same)
            found = same
        elif same:
            same[0].append(item)
        else:
            found.append([item])


def _is_plain(store: Reference) -> bool:
    return not (store.access.atomic or store.scattered or store.lanes or store.tile)


_WALK = attrgetter("name", "size", "thread", "block", "loops", "guards")


def _alike(a: Reference, b: Reference) -> bool:
    return bool(_WALK(a) == _WALK(b))
