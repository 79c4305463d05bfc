"""Elements of arrays whose values a compiler has at hand, as it has stored them and nothing since may have changed
them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from roofscan.ir.tree import Access, Body, Branch, Loop, Node, When
from roofscan.ir.visitor import LEAVES, accesses, children, leaves

Known = tuple[Access, ...]


def stored_before(body: Body, in_threads: Collection[str]) -> dict[str, Known]:
    """By the variable of each loop, the stores whose elements still have these values where the loop starts. Of the
    loops ``in_threads`` the arrays do not overlap."""
    return dict(_at_loops(body, (), in_threads))


def _at_loops(body: Body, known: Known, in_threads: Collection[str]) -> Iterator[tuple[str, Known]]:
    for node in body:
        if not isinstance(node, LEAVES):
            apart = isinstance(node, Loop) and node.var in in_threads
            known = _without(known, accesses((node,)), apart)
            if isinstance(node, Loop):
                yield node.var, known
            yield from _at_loops(children(node), known, in_threads)
        elif isinstance(node, Access) and node.write:
            known = (*_without(known, (node,), False), node)


def _without(known: Known, touched: Iterable[Access], apart: bool) -> Known:
    """Those that none of these stores may change."""
    written = [access for access in touched if access.write] if known else ()
    return tuple(k for k in known if not any(may_alias(w, k, apart) for w in written))


def may_alias(written: Access, element: Access, apart: bool = False) -> bool:
    """Whether a store to another element may change this one for all that LLVM knows. ``apart``: arrays do not
    overlap."""
    if written.array != element.array:
        return not apart
    pairs = zip(written.index, element.index, strict=True)
    return any(w is None or e is None or (w - e).constant is None for w, e in pairs)


def under_tests(loop: Loop) -> set[int]:
    """What only some iterations do. LLVM keeps no element in a register that it may have to leave alone, if it would
    have to load it first."""
    blocks: Iterator[Node] = (node for node in loop.body if isinstance(node, (When, Branch)))
    return {leaf.id for block in blocks for leaf in leaves(children(block))}
