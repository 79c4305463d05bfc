"""Fills of new arrays that a loop stores again, before anything reads them: the loop, or stores into the border that it
leaves, can do without a pass of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from roofscan.cost.transform.perfect_nests import is_plain
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import BELOW, MISSING, Kernel
from roofscan.ir.tree import Access, Body, Branch, Loop, Node, When
from roofscan.ir.visitor import accesses, children, leaves, loops, replace_nodes, walk
from roofscan.symbolic.expr import ONE, Expr, Number

MAX_PLACES = 16  # of an axis that are stored one by one
MAX_BORDER = 8  # places at an end of an axis that a loop leaves

Left = Literal["nothing", "branch", "border"]
"""What the loop leaves to the fill: nothing, elements by a condition, or the ends of axes."""
Subscripts = tuple[Expr | None, ...]
Ends = tuple[int, int]  # how many places at the start and at the end of an axis are left


@dataclass(frozen=True)
class DropFill:
    """``fill`` gives the elements of a new array one number; ``stores`` is the loop that then stores them."""

    array: Array
    fill: Loop
    stores: Loop
    left: Left
    border: tuple[Ends, ...] = ()  # of each axis

    def apply(self, kernel: Kernel) -> Kernel:
        """The kernel without the pass; elements of a branch are filled by the loop, a border moves nothing."""

        def changed(node: Node) -> Body | None:
            if isinstance(node, Loop) and node.var == self.fill.var:
                return ()
            if isinstance(node, Loop) and node.var == self.stores.var and self.left == "branch":
                return (replace(node, body=_filled_in(node.body, self.array.name)),)
            return None

        return replace(kernel, body=replace_nodes(kernel.body, changed))


def dropped_fills(kernel: Kernel) -> Iterator[DropFill]:
    """In the order of the source."""
    if any(reason.effect in (*BELOW, *MISSING, "unsupported") for reason in kernel.reasons):
        return
    viewed = {array.buffer for array in kernel.arrays}
    for body in (kernel.body, *(children(node) for node in walk(kernel.body))):
        for position, node in enumerate(body):
            array = _filled(kernel, node) if isinstance(node, Loop) else None
            if isinstance(node, Loop) and array is not None and array.name not in viewed:
                yield from _with(array, node, body[position + 1 :])


def _filled(kernel: Kernel, loop: Loop) -> Array | None:
    """The new array that a statement fills with one number."""
    parts = list(leaves((loop,)))
    if not loop.array_expression or len(parts) != 1 or loop.is_elsewhere:
        return None
    [store] = parts
    if not isinstance(store, Access) or not store.write:
        return None
    array, reached = kernel.array(store.array), _reached(store, tuple(loops((loop,))), kernel.array(store.array))
    own = array.role == "local" and not array.buffer and kernel.line <= array.line <= kernel.end_line
    return array if own and reached == ((0, 0),) * len(array.shape) else None


def _with(array: Array, fill: Loop, rest: Sequence[Node]) -> Iterator[DropFill]:
    """The fill with the loop of the source that touches the array first, if a loop does."""
    stores = next((node for node in rest if any(a.array == array.name for a in accesses((node,)))), None)
    if not isinstance(stores, Loop) or stores.array_expression or not stores.source_name or stores.is_elsewhere:
        return
    if not _reads_after_stores((stores,), array.name, frozenset()):
        return
    found = list(_stores((stores,), array.name, (), False))
    sure = [_reached(store, around, array) for store, around, by_branch in found if not by_branch]
    whole = ((0, 0),) * len(array.shape)
    if whole in sure or _are_all(array, found):
        yield DropFill(array, fill, stores, "nothing")
    elif sure and len(found) == 1 and sure[0] is not None:
        yield DropFill(array, fill, stores, "border", sure[0])
    elif found and all(by_branch and _reached(store, around, array) == whole for store, around, by_branch in found):
        yield DropFill(array, fill, stores, "branch")


Store = tuple[Access, tuple[Loop, ...], bool]


def _stores(body: Body, array: str, around: tuple[Loop, ...], by_branch: bool) -> Iterator[Store]:
    """Each store into the array with the loops around it, and whether a condition decides on it. One that may be left
    out by the end of a loop has no loops."""
    for node in body:
        if isinstance(node, Access) and node.write and node.array == array:
            yield node, around, by_branch
        elif isinstance(node, Loop):
            plain = is_plain(node) and not node.is_while and node.step == ONE
            yield from _stores(node.body, array, (*around, node) if plain else (), by_branch)
        elif isinstance(node, (When, Branch)):
            yield from _stores(node.body, array, around, True)


def _reads_after_stores(body: Body, array: str, stored: frozenset[Subscripts]) -> bool:
    """Whether each read of the array is of an element that was stored just before, in the same iteration."""
    for node in body:
        if isinstance(node, Access) and node.array == array:
            if node.write and node.regular:
                stored |= {node.index}
            elif not node.write and node.index not in stored:
                return False
        elif not _reads_after_stores(children(node), array, stored):
            return False
    return True


def _reached(store: Access, around: Sequence[Loop], array: Array) -> tuple[Ends, ...] | None:
    """What a store leaves of each axis; None where one loop of its own does not go through it, or a loop around the
    store that may have no iterations goes through none."""
    left, ends = {loop.var: loop for loop in around}, list[Ends]()
    for subscript, extent in zip(store.index, array.shape, strict=True):
        var = next((name for name in left if subscript is not None and name in subscript.symbols), "")
        if subscript is None or not var:
            return None
        loop, shift = left.pop(var), subscript - Expr.of(var)
        found = _ends(loop.start + shift, extent - loop.stop - shift)
        if found is None:
            return None
        ends.append(found)
    return None if left else tuple(ends)


def _ends(before: Expr, behind: Expr) -> Ends | None:
    one, other = before.constant, behind.constant
    if one is None or other is None or not (0 <= one <= MAX_BORDER and 0 <= other <= MAX_BORDER):
        return None
    return int(one), int(other)


def _are_all(array: Array, found: Sequence[Store]) -> bool:
    """Whether they store each place of one short axis, and all of the others: ``p[i, 0]``, ``p[i, 1]``."""
    for axis, extent in enumerate(array.shape):
        length = extent.constant
        if length is None or not 0 < length <= MAX_PLACES:
            continue
        others = replace(array, shape=(*array.shape[:axis], *array.shape[axis + 1 :]))
        places: set[Number | None] = set()
        for store, around, by_branch in found:
            at, rest = store.index[axis], replace(store, index=(*store.index[:axis], *store.index[axis + 1 :]))
            if at is not None and not by_branch and _reached(rest, around, others) == ((0, 0),) * len(others.shape):
                places.add(at.constant)
        if places.issuperset(range(int(length))):
            return True
    return False


def _filled_in(body: Body, array: str) -> Body:
    """The body with a store of the number before each condition that decides on a store."""
    nodes: list[Node] = []
    for node in body:
        stores = [a for a in accesses((node,)) if a.array == array and a.write]
        if isinstance(node, (When, Branch)) and stores:
            nodes.append(replace(stores[0], inputs=()))
        elif isinstance(node, Loop) and stores:
            node = replace(node, body=_filled_in(node.body, array))
        nodes.append(node)
    return tuple(nodes)
