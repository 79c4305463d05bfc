"""Stores that are made together. No load stands between them: the first cache passes those of one warp to one sector on
together, and compilers move loads before stores where they know that these are of other elements. Both parts of a
condition end with them: compilers put one behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from operator import attrgetter

from roofscan.cost.memory.gpu.l1 import RequestCounter
from roofscan.cost.memory.gpu.program import Program, Reference, Scope
from roofscan.ir.tree import Access, Body, Branch, Node, Operation, When
from roofscan.ir.visitor import BLOCKS, with_body
from roofscan.symbolic.expr import ONE

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


# -- both parts of a condition ------------------------------------------------------------------------
def with_common_stores(body: Body) -> Body:
    """One store behind a condition for those of the same element that both of its parts end with."""
    found: list[Node] = []
    for node in body:
        if isinstance(node, BLOCKS):
            node = with_body(node, with_common_stores(node.body))
        found.append(node)
        if len(found) > 1:
            found[-2:] = _apart(found[-2], found[-1])
    return tuple(found)


def _apart(first: Node, second: Node) -> list[Node]:
    """Two nodes, and what both end with."""
    if not _exclude(first, second):
        return [first, second]
    assert isinstance(first, (When, Branch)) and isinstance(second, (When, Branch))
    one, other, common = first.body, second.body, list[Node]()
    while (store := _last_store(one)) and (same := _last_store(other)) and _same_element(store, same):
        common.insert(0, store)
        one, other = (tuple(n for n in body if n is not last) for body, last in ((one, store), (other, same)))
    return [with_body(first, one), with_body(second, other), *common] if common else [first, second]


def _exclude(first: Node, second: Node) -> bool:
    """Whether one of the two runs, and not both."""
    if isinstance(first, Branch) and isinstance(second, Branch):
        return first.share + second.share == ONE
    if not isinstance(first, When) or not isinstance(second, When):
        return False
    return len(first.conditions) == 1 and second.conditions == (first.conditions[0].negated,)


def _last_store(body: Body) -> Access | None:
    last = next((node for node in reversed(body) if not isinstance(node, Operation)), None)
    return last if isinstance(last, Access) and last.write and not last.atomic else None


def _same_element(one: Access, other: Access) -> bool:
    return one.regular and (one.array, one.index) == (other.array, other.index)
