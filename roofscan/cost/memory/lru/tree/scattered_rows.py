"""Rows and records whose place the data choose: ``table[idx[i], k]`` touches a line for several k, not one for each."""

from __future__ import annotations

from collections.abc import Mapping, Set
from fractions import Fraction
from itertools import pairwise
from math import gcd

from roofscan.cost.memory.lru.tree.build_context import BuildContext
from roofscan.cost.memory.lru.tree.nodes import PointerWalk, Ref
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.data_subscripts import Rest
from roofscan.ir.kinds import TouchKind
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import accesses, loops
from roofscan.memo import kept_by
from roofscan.symbolic.expr import ONE, ZERO, Expr


@dataclass(frozen=True)
class _Seen:
    """An access of an iteration, and its place beside others."""

    offset: int
    ref: Ref

    def always_before(self, later: Ref) -> bool:
        """Whether it is executed wherever a later one of the iteration is."""
        guarded = frozenset(map(id, self.ref.guards)) <= frozenset(map(id, later.guards))
        return guarded and self.ref.arms <= later.arms and self.ref.share in (1, later.share)


class ScatteredRows:
    """Finds the accesses that share a row: those of one innermost loop that walks along it, and those at constant
    distances from each other in one iteration, as fields of a record are."""

    def __init__(self, loops: Mapping[str, Loop], line: int) -> None:
        self._loops = loops
        self._line = line
        self._seen: dict[tuple[object, ...], list[_Seen]] = {}

    def place(self, ref: Ref, node: Access, array: Array, context: BuildContext) -> None:
        loop = self._loops.get(context.loops[-1].var)
        ref.walk = self._walk(node, array, context)
        if loop is not None and self._counted(ref, node, array, loop):
            return
        written = None if loop is None else self._written_in(loop)
        if loop is None or written is None:
            return
        along = len(array.strides) - 1 - array.strides[::-1].index(ONE) if ONE in array.strides else None
        if _is_chosen_once(node, written):
            self._beside_others(ref, node, array, along, context)
        if not _is_chosen_outside(node, written):
            return
        known = [e if e is not None or rest is None else rest.expr for e, rest in _with_rests(node)]
        last = None if along is None else known[along]
        elements = (rest.element for rest in node.rests if rest is not None and rest.element is not None)
        chosen_in_loop = any(loop.var in e.symbols for _, place in elements for e in place)
        moved = any(e is not None and loop.var in e.symbols for e in known)
        ref.stands = not chosen_in_loop and not moved
        if last is not None:
            moves = [e for d, e in enumerate(known) if e is not None and d != along and loop.var in e.symbols]
            step = (last.coefficient(loop.var) * loop.step).constant if last.is_linear_in([loop.var]) else None
            ref.in_row = step in (1, -1) and not moves and not chosen_in_loop

    def _walk(self, node: Access, array: Array, context: BuildContext) -> PointerWalk | None:
        """The walk of the only subscript that moves in the loop of its pointer, or of those of a mask."""
        pointer, moving = node.pointer, [d for d, e in enumerate(node.index) if e is None]
        variables = [loop.var for loop in context.loops]
        own = [var for var in variables if pointer is not None and var in pointer.loop.symbols]
        if pointer is None or not own or not _in_order(array, moving):
            return None
        var = own[-1]  # of two, as of a loop over i // m and i % m, each run of the inner one
        inside = set(variables[variables.index(var) :])
        step = (array.strides[moving[-1]] * array.dtype.size).constant
        if step is None or inside & set(array.fresh_in) or any(e and e.symbols & inside for e in node.index):
            return None
        key = (array.owner, pointer.name, var, node.index, array.strides)
        return PointerWalk(
            key,
            context.loops[variables.index(var)].uid,
            pointer.back,
            pointer.most,
            pointer.descends,
            Fraction(step) / self._line,
        )

    def _counted(self, ref: Ref, node: Access, array: Array, loop: Loop) -> bool:
        """Whether a counter of the innermost loop alone moves it, by less than a line in an iteration."""
        moving = [(d, rest) for d, (e, rest) in enumerate(_with_rests(node)) if e is None or loop.var in e.symbols]
        rest = moving[0][1] if len(moving) == 1 else None
        if (
            rest is None
            or rest.counter is None
            or loop.var not in rest.counter.loop.symbols
            or loop.var in rest.expr.symbols
        ):
            return False
        step = (array.strides[moving[0][0]] * array.dtype.size * rest.counter.most).constant
        ref.stay = self._line // int(step) if step else 0
        if ref.stay:
            ref.series = (array.owner, rest.counter.name, rest.expr, node.index, array.strides, loop.var)
            ref.moves = (node.array, node.line) in rest.counter.moves
        return bool(ref.stay)

    @kept_by(lambda loop: loop.var)
    def _written_in(self, loop: Loop) -> frozenset[str] | None:
        """The arrays that an innermost loop writes; None: it holds others."""
        arrays = frozenset(access.array for access in accesses(loop.body) if access.write)
        return None if any(loops(loop.body)) else arrays

    def _beside_others(self, ref: Ref, node: Access, array: Array, along: int | None, context: BuildContext) -> None:
        """Whether the lines that others touched in the iteration hold the element: where subscripts are the same but
        for a constant in the one along the row, of elements of one array or of numbers that an iteration has once."""
        strides = tuple(stride * array.dtype.size for stride in array.strides)
        base, offset = list(node.index), array.record.offset if array.record else 0
        numbers = [None if rest is None else rest.element or (rest.origin, rest.loop) for _, rest in _with_rests(node)]
        added = [ZERO if rest is None else rest.expr for _, rest in _with_rests(node)]
        if along is not None:
            last = node.index[along]
            shift = (added[along] if last is None else last).constant_term
            offset += int(shift) * array.dtype.size
            if last is None:
                added[along] -= shift
            else:
                base[along] = last - shift
        steps = [stride.constant for stride, subscript in zip(strides, base) if subscript != ZERO]
        grid = gcd(self._line, *(array.dtype.size if step is None else int(step) for step in steps))
        near: set[TouchKind] = set()
        for kind in ("touch", "write") if node.write else ("touch",):
            seen = self._seen.setdefault(
                (kind, array.owner, strides, *numbers, *added, *base, context.loops[-1].uid), []
            )
            sure = {each.offset for each in seen if each.always_before(ref)}
            if self._lines({*sure, offset}, grid) == self._lines(sure, grid):
                near.add(kind)
            seen.append(_Seen(offset, ref))
        ref.near = frozenset(near)

    def _lines(self, offsets: Set[int], grid: int) -> int:
        """The most lines that elements so many bytes from a multiple of ``grid`` are on."""
        return max(len({(start + offset) // self._line for offset in offsets}) for start in range(0, self._line, grid))


def _is_chosen_outside(node: Access, written: frozenset[str]) -> bool:
    """Whether the loop leaves every unknown subscript alone, but for what it adds: a number that is computed outside,
    or an element of an array that the loop does not write."""
    return all(
        e is not None or (rest is not None and (rest.fixed or (rest.element and rest.element[0] not in written)))
        for e, rest in _with_rests(node)
    )


def _in_order(array: Array, moving: list[int]) -> bool:
    """Whether a step of one dimension goes further than all of the next."""
    pairs = pairwise(moving)
    return bool(moving) and all(array.strides[a] == array.strides[b] * array.shape[b] for a, b in pairs)


def _is_chosen_once(node: Access, written: frozenset[str]) -> bool:
    """Whether every unknown subscript is an element that the loop does not write, or a number of its own in each
    iteration."""
    rests = [rest for e, rest in _with_rests(node) if e is None]
    return all(rest and (rest.element[0] not in written if rest.element else rest.origin) for rest in rests)


def _with_rests(node: Access) -> list[tuple[Expr | None, Rest | None]]:
    return list(zip(node.index, node.rests or (None,) * len(node.index), strict=True))
