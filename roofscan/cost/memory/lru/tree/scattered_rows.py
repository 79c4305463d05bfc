"""Rows whose place the data choose: ``table[idx[i], k]`` touches a line for several k, not one for each."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from roofscan.cost.memory.lru.tree.build_context import BuildContext
from roofscan.cost.memory.lru.tree.nodes import Ref
from roofscan.ir.kernel import Access, Array, Loop
from roofscan.ir.kinds import TouchKind
from roofscan.ir.visitor import accesses, loops
from roofscan.symbolic.expr import ONE, Expr


class ScatteredRows:
    """Finds the accesses that share a row: those of one innermost loop that walks along it, and those at constant
    distances from each other in one iteration."""

    def __init__(self, loops: Mapping[str, Loop]) -> None:
        self._loops = loops
        self._seen: dict[tuple[object, ...], set[int]] = {}
        self._written: dict[str, frozenset[str] | None] = {}  # by innermost loop; None: it holds others

    def place(self, ref: Ref, node: Access, array: Array, context: BuildContext) -> None:
        loop = self._loops.get(context.loops[-1].var)
        written = None if loop is None else self._written_in(loop)
        if loop is None or written is None or ONE not in array.strides or not _is_chosen_outside(node, written):
            return
        along = len(array.strides) - 1 - array.strides[::-1].index(ONE)
        last = node.index[along]
        if last is None:
            return
        moves = [e for d, e in enumerate(node.index) if e is not None and d != along and loop.var in e.symbols]
        chosen_in_loop = any(loop.var in e.symbols for _, place in filter(None, node.elements) for e in place)
        step = (last.coefficient(loop.var) * loop.step).constant if last.is_linear_in([loop.var]) else None
        ref.in_row = step in (1, -1) and not moves and not chosen_in_loop and ref.share == 1
        if not ref.in_row:
            self._beside_others(ref, node, along, last, context)

    def _written_in(self, loop: Loop) -> frozenset[str] | None:
        if loop.var not in self._written:
            arrays = frozenset(access.array for access in accesses(loop.body) if access.write)
            self._written[loop.var] = None if any(loops(loop.body)) else arrays
        return self._written[loop.var]

    def _beside_others(self, ref: Ref, node: Access, along: int, last: Expr, context: BuildContext) -> None:
        """Whether the lines of the row that others touched in the iteration hold one more element."""
        base = (*node.index[:along], last - last.constant_term, *node.index[along + 1 :])
        kinds: list[TouchKind] = ["touch", "write"] if node.write else ["touch"]
        near: set[TouchKind] = set()
        for kind in kinds:
            key = (kind, node.array, node.elements, base, context.loops[-1].uid, context.guards, ref.share)
            seen = self._seen.setdefault(key, set())
            before = _lines(seen, ref.buffer.per_line)
            seen.add(int(last.constant_term))
            if _lines(seen, ref.buffer.per_line) == before:
                near.add(kind)
        ref.near = frozenset(near)


def _is_chosen_outside(node: Access, written: frozenset[str]) -> bool:
    """Whether every unknown subscript is an element of an array that the loop does not write."""
    pairs = zip(node.index, node.elements or (None,) * len(node.index), strict=True)
    return all(e is not None or (element is not None and element[0] not in written) for e, element in pairs)


def _lines(offsets: set[int], per_line: int) -> int:
    """The most lines that elements at these places of a row are on."""
    return min(len(offsets), 1 + ceil((max(offsets) - min(offsets)) / per_line)) if offsets else 0
