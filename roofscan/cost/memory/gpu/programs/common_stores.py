"""Both parts of a condition end with the same store: compilers put one behind it."""

from __future__ import annotations

from roofscan.ir.tree import Access, Body, Branch, Node, Operation, When
from roofscan.ir.visitor import BLOCKS, with_body
from roofscan.symbolic.expr import ONE


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
