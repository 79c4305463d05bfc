"""The steps of an access: the bytes from one block, thread or iteration to the next."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import ceil, prod

from roofscan.cost.memory.gpu.place_expressions import (
    BLOCK,
    THREAD,
    alike_in_blocks,
    element_offset,
    in_the_mean,
    replaced,
    terms_of,
    with_each,
)
from roofscan.cost.memory.gpu.threads.domain import Guards
from roofscan.cost.memory.gpu.threads.lanes import MOST_PLACES, LaneOffsets, values_by_thread
from roofscan.cost.memory.gpu.threads.places import Exprs, ThreadPlaces, triple
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.data_subscripts import Rest
from roofscan.ir.launch import DIRECTIONS
from roofscan.ir.tree import Access, Loop
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, sum_of

WIDE = 8  # threads side by side that read whole sectors


@dataclass(frozen=True)
class Steps:
    """The bytes from one block, thread or iteration to the next."""

    base: int
    thread: Exprs
    block: Exprs
    loops: tuple[Expr, ...]
    lanes: LaneOffsets | None = None  # of the threads, where they have no strides
    period: int = 0  # bytes after which places begin anew (``table[i % m]``), though the steps go on
    origin: Expr = ZERO  # the base


class AccessSteps:
    def __init__(self, places: ThreadPlaces) -> None:
        self._places = places
        self._placed = places.placed

    def of(self, access: Access, array: Array, around: Sequence[Loop], guards: Guards) -> tuple[Steps, bool]:
        """The steps of an access, and whether they are a guess: its address depends on data, or on no sum."""
        scattered = not access.regular
        size = array.dtype.size
        if access.nearly:
            self._note(f"line {access.line}: a subscript of {array.owner} is a rounded number")
        names = (*BLOCK.values(), *THREAD.values(), *(loop.var for loop in around))
        beyond = self._beyond(access, array) if scattered else None
        offset = self._placed(element_offset(access, array)) if beyond is None else beyond
        if (beyond is not None or not scattered) and not offset.is_linear_in(names):
            as_written = self._places.symbolic and not scattered
            raw = element_offset(access, array).subs(self._places.at) if as_written else offset
            if (found := self._thread_by_thread(raw, array, around)) is not None:
                if scattered:
                    self._assume(access, array, True)
                return found, False
            offset = self._placed(offset, guards)
        floors = [atom for atom in offset.atoms if atom.name == "floor" and Expr.atom(atom).symbols & {*names}]
        offset, period = self._unrolled(offset, floors, names) if not scattered else (offset, ZERO)
        floors = [] if period else floors
        if period or (floors and not scattered):
            self._note(f"line {access.line}: rows of {array.owner} that begin inside a warp are left out")
        if floors and not scattered:
            alike = with_each(offset, floors, lambda atom: alike_in_blocks(atom, names))
            if (found := self._thread_by_thread(alike, array, around)) is not None:
                return found, False
        offset = with_each(offset, floors, lambda atom: in_the_mean(atom, names))
        if not offset.is_linear_in(names):
            offset, scattered = ZERO, True
        slopes = {name: offset.coefficient(name) * size for name in names}
        if scattered:
            linear = beyond is not None and beyond.is_linear_in(names)
            slopes, scattered = self._of_data(access, array, around, slopes if linear else None)
        return self._steps(offset, array, around, slopes, period=period), scattered

    def _of_data(
        self, access: Access, array: Array, around: Sequence[Loop], slopes: dict[str, Expr] | None
    ) -> tuple[dict[str, Expr], bool]:
        """The bytes by place where the address depends on data: the ``slopes``, of rows one behind another, or those of
        a band; none, and that it is scattered, where there are none of both."""
        slopes = slopes or self._banded(access, array, around) or {}
        scattered = not any(slopes.values())
        self._assume(access, array, not scattered)
        if access.along is not None and scattered:
            along = {loop.var: access.along.coefficient(loop.var) * array.dtype.size for loop in around}
            slopes = {**slopes, **along}
        return slopes, scattered

    def _steps(
        self,
        offset: Expr,
        array: Array,
        around: Sequence[Loop],
        slopes: Mapping[str, Expr],
        lanes: LaneOffsets | None = None,
        period: Expr = ZERO,
    ) -> Steps:
        """``offset``: in elements; ``slopes``: in bytes, by the name of the place."""
        size, places = array.dtype.size, (*BLOCK.values(), *THREAD.values(), *(loop.var for loop in around))
        origin = offset.subs(dict.fromkeys(places, 0)) * size + (array.record.offset if array.record else 0)
        thread, block = ([slopes.get(at[d], ZERO) for d in DIRECTIONS] for at in (THREAD, BLOCK))
        return Steps(
            ceil(origin.evaluate(self._places.values)), triple(thread), triple(block),
            tuple(slopes.get(loop.var, ZERO) for loop in around), lanes,
            ceil(period.evaluate(self._places.values) * size), origin,
        )  # fmt: skip

    def _note(self, assumption: str) -> None:
        self._places.assumptions[assumption] = None

    def _unrolled(self, offset: Expr, floors: Sequence[Func], names: Collection[str]) -> tuple[Expr, Expr]:
        """An offset by a remainder of places (``i % m``) without the division, and the elements after which it begins
        anew; the offset and 0 where it is none, or begins anew inside a block."""
        if len(floors) != 1 or not floors[0].args[0].is_linear_in(names):
            return offset, ZERO
        atom, top, bottom = floors[0], floors[0].args[0], floors[0].args[1].constant
        if not bottom:
            return offset, ZERO
        each = -(replaced(offset, atom, ONE) - replaced(offset, atom, ZERO)) / bottom
        rest = offset - each * (top - bottom * Expr.atom(atom))
        own = top.subs(dict.fromkeys({*names} - {*THREAD.values()}, 0))
        low, high = self._places.ranges.of(own, None) or (Fraction(0), Fraction(bottom))
        step = each.constant
        if not step or rest.symbols & top.symbols or high - low >= bottom:
            return offset, ZERO
        return each * top + rest, Expr.of(max(step, -step) * bottom)

    def _thread_by_thread(self, offset: Expr, array: Array, around: Sequence[Loop]) -> Steps | None:
        """The same with the offset of each thread, where blocks and sizes only shift it."""
        size = array.dtype.size
        threads, names = {*THREAD.values()}, (*BLOCK.values(), *(loop.var for loop in around))
        moved = terms_of(offset, threads).symbols
        loops = {v: self._places.extents[v] for v in names[3:] if v in moved}
        own = terms_of(offset, threads | loops.keys())
        rest = offset - own
        known = own.symbols - threads <= loops.keys() and rest.is_linear_in(names)
        if not self._places.by_lane or not known or prod((*self._places.launch.block, *loops.values())) > MOST_PLACES:
            return None
        found = values_by_thread(own * size, self._places.launch.block, [*THREAD.values()], loops)
        tables = tuple(tuple(map(int, table)) for table in found)
        if tables != found:
            return None
        slopes = {name: rest.coefficient(name) * size for name in names}
        return self._steps(rest, array, around, slopes, LaneOffsets(tuple(loops), tables))

    def _beyond(self, access: Access, array: Array) -> Expr | None:
        """The offset of ``x[start[row] + k]``: the rows fill the array one behind another, as long as the mean; and of
        ``x[index[row], k]``, whose k is that of the thread, as if each row were the next."""
        offset = ZERO
        for index, rest, stride, extent in zip(access.index, access.rests, array.strides, array.shape):
            if index is not None:
                offset = offset + self._placed(index) * stride
            elif rest is not None and rest.element is not None and len(rest.element[1]) == 1 and rest.expr.symbols:
                starts, [row] = rest.element
                offset = offset + self._row_by_row(self._places.arrays[starts], row, rest.expr, extent) * stride
            elif rest is not None and rest.element is not None and (drawn := self._drawn_row(rest)) is not None:
                offset = offset + drawn * stride
            else:
                return None
        return offset

    def _drawn_row(self, rest: Rest) -> Expr | None:
        """How many rows were drawn before; None where neighbouring threads draw rows of their own."""
        assert rest.element is not None
        indices, subscripts = self._places.arrays[rest.element[0]], rest.element[1]
        place = self._placed(sum_of(each * stride for each, stride in zip(subscripts, indices.strides)) + rest.expr)
        side_by_side = {THREAD["x"]} if self._places.block[0] >= WIDE else {*THREAD.values()}
        return None if place.symbols & side_by_side else place

    def _row_by_row(self, starts: Array, row: Expr, more: Expr, extent: Expr) -> Expr:
        mean = ceil(extent.evaluate(self._places.values)) // max(1, ceil(self._places.elements(starts)) - 1)
        return self._placed(row) * Expr.of(mean | 1) + self._placed(more)  # odd: rows begin anywhere in a line

    def _banded(self, access: Access, array: Array, around: Sequence[Loop]) -> dict[str, Expr] | None:
        """Steps of a gather by the columns of a sparse matrix's rows: neighbouring rows hold neighbouring columns, one
        row's columns are spread over the array."""
        rows = next((loop for loop in reversed(around) if loop.total is not None), None)
        if rows is None or rows.total_over not in self._places.at:
            return None
        element = next((rest.element for rest in access.rests if rest is not None and rest.element is not None), None)
        if element is None or not any(rows.var in subscript.symbols for subscript in element[1]):
            return None
        row = self._places.at[rows.total_over]
        size, names = array.dtype.size, (*BLOCK.values(), *THREAD.values())
        slopes = {name: row.coefficient(name) * size for name in names}
        for loop in around:
            trips = max(1, round(self._places.at_origin(loop.stop - loop.start).evaluate(self._places.values)))
            slopes[loop.var] = Expr.of((ceil(self._places.elements(array)) // trips | 1) * size)
        return slopes

    def _assume(self, access: Access, array: Array, in_rows: bool) -> None:
        rests = [rest for rest in access.rests if rest is not None and rest.element is not None]
        beyond = "consecutive rows" if any(rest.expr for rest in rests) else "random rows"
        how = beyond if self._beyond(access, array) is not None else "neighbouring rows have neighbouring elements"
        self._note(f"line {access.line}: {how if in_rows else 'random elements'} of {array.owner}")
