"""Where a thread is: every subscript in the numbers of its block, of the thread in it, and of the iterations of its
loops, all from 0 on. A loop over the grid holds blocks and threads; rows of unknown length lie one behind another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, prod
from random import Random
from typing import TypeVar, Union

from roofscan.cost.memory.gpu.device import LaunchSizes
from roofscan.cost.memory.gpu.domain import NO_GUARDS, AxisCondition, Guards, Mask, without_floor, without_multiples
from roofscan.cost.memory.gpu.lanes import MOST_PLACES, LaneOffsets, values_by_thread
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Access, Array, Condition, Kernel, Loop, Rest
from roofscan.ir.launch import DIRECTIONS, MOST_REGISTERS, MOST_THREADS, Launch, LaunchAxis
from roofscan.ir.visitor import expressions, loops, walk
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, NotEvaluable, Number, floor_div, sum_of, symbol

DEFAULT_REGISTERS = 32  # of a thread
BESIDE_TILES = 40  # registers of a thread for all but its share of the tiles
WARP = 32
DRAWS = 256  # places of threads, for the share that a condition lets through
WIDE = 8  # threads side by side that read whole sectors
FEW = Fraction(1, 8)  # of the places: what is left of the last blocks
BLOCK = {d: f"block {d}" for d in DIRECTIONS}  # symbols: no name of a source has a space
THREAD = {d: f"thread {d}" for d in DIRECTIONS}
LAUNCHED = frozenset((*BLOCK.values(), *THREAD.values()))
Exprs = tuple[Expr, Expr, Expr]
T = TypeVar("T")


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


@dataclass(frozen=True)
class CutAlong:
    """A condition along one direction. ``strided``: the loop whose iterations continue the grid there."""

    axis: int
    cut: AxisCondition
    strided: str = ""


Cut = Union[CutAlong, Mask, bool]  # which threads a condition lets through, or whether it lets all through


class ThreadPlaces:
    def __init__(self, kernel: Kernel, values: Mapping[str, Number], symbolic: bool) -> None:
        if kernel.launch is None:
            raise NotEvaluable("its launch is not known")
        self._values = values
        self.assumptions: dict[str, None] = {}
        self._grid = tuple(map(self._size, kernel.launch.grid))
        self._block: tuple[int, ...] = tuple(map(self._size, kernel.launch.block))
        if prod(self._block) > MOST_THREADS:
            raise NotEvaluable(f"a block of {prod(self._block)} threads; a block has at most {MOST_THREADS}")
        self._sizes = {name: Expr.of(value) for name, value in values.items()}
        axes = {loop.var: loop.axis for loop in loops(kernel.body) if loop.axis is not None}
        tiled, axes = "lane" in {a.part for a in axes.values()}, {v: a for v, a in axes.items() if a.part != "lane"}
        self._rows = 0
        if not tiled and symbolic:
            self._rows = self._taken_apart(kernel)
        if self._rows:
            self._block = (self._rows, self._block[0] // self._rows, 1)
        shared, sharers = self._shared(kernel), 1
        if tiled:
            sharers, self._block = prod(self._block), (1, 1, 1)
        registers = kernel.launch.registers or self._registers(kernel.launch, sharers)
        self.launch = LaunchSizes(_triple(self._grid), _triple(self._block), registers, shared, sharers)
        self._arrays = kernel.array_named
        self._extents = {THREAD[d]: b for d, b in zip(DIRECTIONS, self._block)}
        self._extents |= {BLOCK[d]: b for d, b in zip(DIRECTIONS, self._grid)}
        block = kernel.launch.block
        self._at = {var: self._of_axis(axis, block) for var, axis in axes.items()}
        self._by_lane = not tiled and not (symbolic and any(size.symbols for size in block))
        self._symbolic = symbolic
        self._masks: dict[Condition, Mask] = {}

    def _size(self, expr: Expr) -> int:
        return max(1, ceil(expr.evaluate(self._values)))

    def _registers(self, launch: Launch, threads: int) -> int:
        """Of a thread, with its share of the tiles."""
        own = self._size(launch.held) // threads
        return min(MOST_REGISTERS, own + BESIDE_TILES) if launch.held else DEFAULT_REGISTERS

    def _shared(self, kernel: Kernel) -> int:
        assert kernel.launch is not None
        arrays = [a for a in kernel.arrays if a.space == "shared" and not a.buffer]
        sizes = (ceil(self._elements(a)) * a.dtype.size for a in arrays)
        return sum(sizes) + ceil(kernel.launch.shared.evaluate(self._values))

    def _elements(self, array: Array) -> Number:
        count = ONE
        for extent in array.shape:
            count = count * extent
        return count.evaluate(self._values)

    def _taken_apart(self, kernel: Kernel) -> int:
        """The width of the rows in which the source sees the threads of a block along x (``t // 32``, ``t % 32``); 0
        where it does not: they are threads of a block of two dimensions, in the same order."""
        if self._block[1] > 1 or self._block[2] > 1:
            return 0
        assert kernel.launch is not None
        places = {loop.var: self._of_axis(loop.axis, kernel.launch.block) for loop in loops(kernel.body) if loop.axis}
        for node in walk(kernel.body):
            for expr in expressions(node):
                for top, width in _floors(expr.subs(places).subs(self._sizes)) if expr.atoms else ():
                    inside = top.coefficient(THREAD["x"]) == ONE and 1 < width < self._block[0]
                    whole = (Expr.of(self._block[0]) / width, top.coefficient(BLOCK["x"]) / width)
                    if inside and all(isinstance(e.constant, int) for e in whole):
                        return width
        return 0

    def _of_axis(self, axis: LaunchAxis, block: Exprs) -> Expr:
        direction = axis.direction
        of_block, of_thread = symbol(BLOCK[direction]), symbol(THREAD[direction])
        if self._rows and direction == "x":
            of_thread = of_thread + self._rows * symbol(THREAD["y"])
        whole = of_block * block[DIRECTIONS.index(direction)] + of_thread
        return {"grid": whole, "block": of_block, "thread": of_thread}[axis.part]

    # -- loops ----------------------------------------------------------------------------------------
    def vary(self, loop: Loop) -> bool:
        """Whether its ends are not the same for all threads, in all iterations of the loops around."""
        ends = (loop.start, loop.stop, loop.step)
        if all(e.symbols.isdisjoint(self._at) for e in ends):
            return False
        return self._symbolic or any(self.placed(e).symbols & self._extents.keys() for e in ends)

    def vary_by_thread(self, loop: Loop) -> bool:
        ends = (self.placed(e) for e in (loop.start, loop.stop, loop.step))
        return any(e.symbols & LAUNCHED for e in ends)

    def enter(self, loop: Loop, trips: Fraction) -> Cut:
        """Takes a loop of so many trips into the places; the condition that its end puts on threads, or whether it puts
        none."""
        self._extents[loop.var] = max(1, ceil(trips))
        if loop.total is not None:
            around = self._at.get(loop.total_over)
            row = max(1, round(trips))  # whole elements, so that they are aligned
            self._at[loop.var] = symbol(loop.var) + (around * row if around is not None else ZERO)
            return True
        return self._entered(loop, None) or self._entered(loop, NO_GUARDS)

    def _entered(self, loop: Loop, guards: Guards | None) -> Cut:
        """``guards``: as in ``placed``."""
        start, stop, step = (self.placed(e, guards) for e in (loop.start, loop.stop, loop.step))
        self._at[loop.var] = start + step * symbol(loop.var)
        if not (start.symbols | stop.symbols | step.symbols) & LAUNCHED:
            return True
        left = stop - 1 - self._at[loop.var] if step.evaluate(self._somewhere) > 0 else self._at[loop.var] - stop - 1
        return self._cut(Condition(left, "ge"), loop.var)

    @property
    def _somewhere(self) -> Mapping[str, Number]:
        return {**self._values, **dict.fromkeys(LAUNCHED, 0)}

    def placed(self, expr: Expr, guards: Guards | None = None) -> Expr:
        """``guards``: of the threads, where an index that few of them wrap around or clamp may be like the others."""
        expr = expr.subs(self._at)
        return self._settled(expr.subs(self._numbers(expr)), guards) if expr.atoms else expr

    def _numbers(self, expr: Expr) -> Mapping[str, Expr]:
        """The sizes that become numbers where an expression has functions: those that something is divided by."""
        divisors = set(_divisors(expr))
        return {name: size for name, size in self._sizes.items() if name in divisors or not self._symbolic}

    def at_origin(self, expr: Expr) -> Expr:
        """For the first thread, in the first iterations."""
        return expr.subs(self._at).subs(dict.fromkeys((*LAUNCHED, *self._at), 0))

    # -- conditions -----------------------------------------------------------------------------------
    def cut(self, condition: Condition) -> Cut:
        """As it stands, or else where indices that few threads wrap around count as those of the others."""
        forms = dict.fromkeys(self.placed(condition.expr, guards) for guards in (None, NO_GUARDS))
        found = (self._cut(replace(condition, expr=expr)) for expr in forms)
        return next((cut for cut in found if cut is not False), False)

    def _cut(self, condition: Condition, strided: str = "") -> Cut:
        """Along which direction a condition on places cuts, or whether it cuts no threads."""
        condition = without_multiples(without_floor(condition))
        expr = condition.expr
        moving = expr.symbols & (LAUNCHED | self._at.keys())
        if not moving & LAUNCHED:
            return True
        blocks, threads = ([k for k, d in enumerate(DIRECTIONS) if at[d] in moving] for at in (BLOCK, THREAD))
        axis, across = (blocks or threads)[0], (threads or blocks)[0]
        own = {BLOCK[DIRECTIONS[axis]], THREAD[DIRECTIONS[across]], strided}
        several = len(blocks) > 1 or len(threads) > 1 or (axis != across and (self._symbolic or strided in moving))
        if several or moving - own or not expr.is_linear_in(moving):
            return self._always(condition, moving) or self._masked(condition, moving)
        slopes = {name: round(expr.coefficient(name).evaluate(self._values)) for name in own if name}
        block, thread = slopes[BLOCK[DIRECTIONS[axis]]], slopes[THREAD[DIRECTIONS[across]]]
        if strided in moving and slopes[strided] != block * self._grid[axis]:
            return self._always(condition, moving)
        constant = expr.subs(dict.fromkeys(moving, 0))
        base = int(constant.evaluate(self._values))
        test, other = Condition(ZERO, condition.relation, condition.modulus), None if axis == across else across
        cut = AxisCondition(test, block, thread, base, constant, other)
        return CutAlong(axis, cut, strided if strided in moving else "")

    def _masked(self, condition: Condition, moving: Collection[str]) -> Mask | bool:
        """The threads that a condition on them alone lets through."""
        if not self._by_lane or not set(moving) <= {*THREAD.values()}:
            return False
        if condition not in self._masks:
            self._masks[condition] = tuple(map(condition.holds, self._by_thread(condition.expr)))
        return self._masks[condition]

    def _by_thread(self, expr: Expr) -> Sequence[Number]:
        """The values of an expression in threads alone."""
        [values] = values_by_thread(expr.subs(self._sizes), self.launch.block, [*THREAD.values()], {})
        return values

    def drawn_share(self, condition: Condition) -> Fraction:
        """Of the threads and iterations, those that a condition lets through: of places drawn at random."""
        expr = self.placed(condition.expr)
        names = sorted(expr.symbols & self._extents.keys())
        draws = Random(0)
        points = [{name: draws.randrange(int(self._extents[name])) for name in names} for _ in range(DRAWS)]
        found = [condition.holds(expr.evaluate({**self._values, **point})) for point in points]
        return Fraction(max(1, sum(found)), DRAWS)

    def _always(self, condition: Condition, moving: Set[str]) -> bool:
        """Whether it holds for all threads, in all iterations."""
        expr, least = condition.expr, Fraction(0)
        if not expr.is_linear_in(moving) and self._by_lane:
            own = _terms_of(expr, [*THREAD.values()])
            if own.symbols & moving <= {*THREAD.values()}:
                expr, least = expr - own, Fraction(min(self._by_thread(own)))
        if condition.relation != "ge" or condition.modulus or not expr.is_linear_in(moving):
            return False
        slopes = [(expr.coefficient(name).evaluate(self._values), self._extents[name] - 1) for name in moving]
        base = expr.subs(dict.fromkeys(moving, 0)).evaluate(self._values)
        return least + base + sum(min(0, slope * last) for slope, last in slopes) >= 0

    # -- addresses ------------------------------------------------------------------------------------
    def strides(self, access: Access, array: Array, around: Sequence[Loop], guards: Guards) -> tuple[Steps, bool]:
        """The steps of an access, and whether they are a guess: its address depends on data, or on no sum."""
        scattered = not access.regular
        size = array.dtype.size
        if access.nearly:
            self.assumptions[f"line {access.line}: a subscript of {array.owner} is a rounded number"] = None
        names = (*BLOCK.values(), *THREAD.values(), *(loop.var for loop in around))
        beyond = self._beyond(access, array) if scattered else None
        offset = self.placed(element_offset(access, array)) if beyond is None else beyond
        if (beyond is not None or not scattered) and not offset.is_linear_in(names):
            raw = element_offset(access, array).subs(self._at) if self._symbolic and not scattered else offset
            if (found := self._thread_by_thread(raw, array, around)) is not None:
                if scattered:
                    self._assume(access, array, True)
                return found, False
            offset = self.placed(offset, guards)
        floors = [atom for atom in offset.atoms if atom.name == "floor" and Expr.atom(atom).symbols & {*names}]
        offset, period = self._unrolled(offset, floors, names) if not scattered else (offset, ZERO)
        if period:
            floors = []
            self.assumptions[f"line {access.line}: rows of {array.owner} that begin inside a warp are left out"] = None
        if floors and not scattered:
            self.assumptions[f"line {access.line}: rows of {array.owner} that begin inside a warp are left out"] = None
            alike = _with_each(offset, floors, lambda atom: _alike_in_blocks(atom, names))
            if (found := self._thread_by_thread(alike, array, around)) is not None:
                return found, False
        offset = _with_each(offset, floors, lambda atom: _in_the_mean(atom, names))
        if not offset.is_linear_in(names):
            offset, scattered = ZERO, True
        origin = offset.subs(dict.fromkeys(names, 0)) * size + (array.record.offset if array.record else 0)
        base = ceil(origin.evaluate(self._values))
        slopes = {name: offset.coefficient(name) * size for name in names}
        if scattered:
            linear = beyond is not None and beyond.is_linear_in(names)
            slopes = slopes if linear else self._banded(access, array, around) or {}
            scattered = not any(slopes.values())
            self._assume(access, array, not scattered)
            slopes = slopes or dict.fromkeys(names, ZERO)
        if access.along is not None and scattered:
            slopes |= {loop.var: access.along.coefficient(loop.var) * size for loop in around}
        return Steps(
            base, _triple([slopes[THREAD[d]] for d in DIRECTIONS]), _triple([slopes[BLOCK[d]] for d in DIRECTIONS]),
            tuple(slopes[loop.var] for loop in around), period=ceil(period.evaluate(self._values) * size),
            origin=origin,
        ), scattered  # fmt: skip

    def _unrolled(self, offset: Expr, floors: Sequence[Func], names: Collection[str]) -> tuple[Expr, Expr]:
        """An offset by a remainder of places (``i % m``) without the division, and the elements after which it begins
        anew; the offset and 0 where it is none, or begins anew inside a block."""
        if len(floors) != 1 or not floors[0].args[0].is_linear_in(names):
            return offset, ZERO
        atom, top, bottom = floors[0], floors[0].args[0], floors[0].args[1].constant
        if not bottom:
            return offset, ZERO
        each = -(_replaced(offset, atom, ONE) - _replaced(offset, atom, ZERO)) / bottom
        rest = offset - each * (top - bottom * Expr.atom(atom))
        own = top.subs(dict.fromkeys({*names} - {*THREAD.values()}, 0))
        low, high = self._range(own, None) or (Fraction(0), Fraction(bottom))
        step = each.constant
        if not step or rest.symbols & top.symbols or high - low >= bottom:
            return offset, ZERO
        return each * top + rest, Expr.of(max(step, -step) * bottom)

    def _thread_by_thread(self, offset: Expr, array: Array, around: Sequence[Loop]) -> Steps | None:
        """The same with the offset of each thread, where blocks and sizes only shift it."""
        size = array.dtype.size
        threads, names = {*THREAD.values()}, (*BLOCK.values(), *(loop.var for loop in around))
        moved = _terms_of(offset, threads).symbols
        loops = {v: self._extents[v] for v in names[3:] if v in moved}
        own = _terms_of(offset, threads | loops.keys())
        rest = offset - own
        known = own.symbols - threads <= loops.keys() and rest.is_linear_in(names)
        if not self._by_lane or not known or prod((*self.launch.block, *loops.values())) > MOST_PLACES:
            return None
        found = values_by_thread(own * size, self.launch.block, [*THREAD.values()], loops)
        tables = tuple(tuple(map(int, table)) for table in found)
        if tables != found:
            return None
        slopes = {name: rest.coefficient(name) * size for name in names}
        origin = rest.subs(dict.fromkeys(names, 0)) * size + (array.record.offset if array.record else 0)
        return Steps(
            ceil(origin.evaluate(self._values)), (ZERO, ZERO, ZERO),
            _triple([slopes[BLOCK[d]] for d in DIRECTIONS]), tuple(slopes[loop.var] for loop in around),
            LaneOffsets(tuple(loops), tables), origin=origin,
        )  # fmt: skip

    def _beyond(self, access: Access, array: Array) -> Expr | None:
        """The offset of ``x[start[row] + k]``: the rows fill the array one behind another, as long as the mean; and of
        ``x[index[row], k]``, whose k is that of the thread, as if each row were the next."""
        offset = ZERO
        for index, rest, stride, extent in zip(access.index, access.rests, array.strides, array.shape):
            if index is not None:
                offset = offset + self.placed(index) * stride
            elif rest is not None and rest.element is not None and len(rest.element[1]) == 1 and rest.expr.symbols:
                starts, [row] = rest.element
                offset = offset + self._row_by_row(self._arrays[starts], row, rest.expr, extent) * stride
            elif rest is not None and rest.element is not None and (drawn := self._drawn_row(rest)) is not None:
                offset = offset + drawn * stride
            else:
                return None
        return offset

    def _drawn_row(self, rest: Rest) -> Expr | None:
        """How many rows were drawn before; None where neighbouring threads draw rows of their own."""
        assert rest.element is not None
        indices, subscripts = self._arrays[rest.element[0]], rest.element[1]
        place = self.placed(sum_of(each * stride for each, stride in zip(subscripts, indices.strides)) + rest.expr)
        side_by_side = {THREAD["x"]} if self._block[0] >= WIDE else {*THREAD.values()}
        return None if place.symbols & side_by_side else place

    def _row_by_row(self, starts: Array, row: Expr, more: Expr, extent: Expr) -> Expr:
        mean = ceil(extent.evaluate(self._values)) // max(1, ceil(self._elements(starts)) - 1)
        return self.placed(row) * Expr.of(mean | 1) + self.placed(more)  # odd: rows begin anywhere in a line

    def _banded(self, access: Access, array: Array, around: Sequence[Loop]) -> dict[str, Expr] | None:
        """Steps of a gather by the columns of a sparse matrix's rows: neighbouring rows hold neighbouring columns, one
        row's columns are spread over the array."""
        rows = next((loop for loop in reversed(around) if loop.total is not None), None)
        if rows is None or rows.total_over not in self._at:
            return None
        element = next((rest.element for rest in access.rests if rest is not None and rest.element is not None), None)
        if element is None or not any(rows.var in subscript.symbols for subscript in element[1]):
            return None
        row = self._at[rows.total_over]
        size, names = array.dtype.size, (*BLOCK.values(), *THREAD.values())
        slopes = {name: row.coefficient(name) * size for name in names}
        for loop in around:
            trips = max(1, round(self.at_origin(loop.stop - loop.start).evaluate(self._values)))
            slopes[loop.var] = Expr.of((ceil(self._elements(array)) // trips | 1) * size)
        return slopes

    def _assume(self, access: Access, array: Array, in_rows: bool) -> None:
        rests = [rest for rest in access.rests if rest is not None and rest.element is not None]
        beyond = "consecutive rows" if any(rest.expr for rest in rests) else "random rows"
        how = beyond if self._beyond(access, array) is not None else "neighbouring rows have neighbouring elements"
        self.assumptions[f"line {access.line}: {how if in_rows else 'random elements'} of {array.owner}"] = None

    def share_of(self, lane: Loop, masks: Sequence[Condition]) -> Fraction:
        """Of a tile's dimension, what masks let through in all blocks and iterations alike; 1 where that differs."""
        tests = [self.placed(mask.expr) for mask in masks if mask.relation == "ge" and not mask.modulus]
        others = {name for test in tests for name in test.symbols & (LAUNCHED | self._extents.keys())} - {lane.var}
        origin, extent = dict.fromkeys(others, 0), int(self._extents[lane.var])
        corners = (origin, *({**origin, name: int(self._extents[name]) - 1} for name in others))
        found = {self._let_through(tests, corner, lane.var, extent) for corner in corners}
        return Fraction(found.pop(), extent) if len(found) == 1 and len(tests) == len(masks) else Fraction(1)

    def _let_through(self, tests: Sequence[Expr], at: Mapping[str, int], lane: str, extent: int) -> int:
        low, high = 0, extent
        for expr in tests:
            here = {**self._values, **at}
            slope, base = expr.coefficient(lane).evaluate(here), expr.subs({lane: 0}).evaluate(here)
            if slope < 0:
                high = min(high, floor(base / -slope) + 1)
            elif slope > 0:
                low = max(low, ceil(-base / slope))
            elif base < 0:
                return 0
        return max(0, high - low)

    # -- floors, minima and maxima --------------------------------------------------------------------
    def _settled(self, expr: Expr, guards: Guards | None) -> Expr:
        """The same, without functions that are one sum for all threads, or, within ``guards``, for nearly all."""
        for atom in expr.atoms:
            found = self._sum_for(atom, [self._settled(arg, guards) for arg in atom.args], guards)
            if found is not None:
                expr = _replaced(expr, atom, found)
        return expr

    def _sum_for(self, atom: Func, args: Sequence[Expr], guards: Guards | None) -> Expr | None:
        shares: dict[Expr, Fraction] = {}
        if atom.name in ("min", "max"):
            sign = 1 if atom.name == "max" else -1
            for arg in args:
                over = [self._range((arg - other) * sign, guards) for other in args if other != arg]
                if None not in over:
                    shares[arg] = min((_above(ends) for ends in over if ends), default=Fraction(1))
        elif atom.name == "floor" and not args[1].symbols & self._extents.keys():
            divisor = Fraction(args[1].evaluate(self._values))
            low, high = self._range(args[0], guards) or (Fraction(0), 3 * divisor)
            for value in {low // divisor, low // divisor + 1, high // divisor}:
                inside = min(high, (value + 1) * divisor - 1) - max(low, value * divisor) + 1
                shares[Expr.of(value)] = inside / (high - low + 1)
        expr, share = max(shares.items(), key=lambda each: each[1], default=(None, Fraction(0)))
        if share < 1 and (guards is None or share < 1 - FEW):
            return None
        if share < 1:
            self.assumptions["indices that few threads wrap around or clamp are counted like the others"] = None
        return expr

    def _range(self, expr: Expr, guards: Guards | None) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest value of a sum, for the threads within the guards."""
        moving = expr.symbols & self._extents.keys()
        if not expr.is_linear_in(moving):
            return None
        slopes = {name: expr.coefficient(name).evaluate(self._values) for name in moving}
        low = high = Fraction(expr.subs(dict.fromkeys(moving, 0)).evaluate(self._values))
        for axis, direction in enumerate(DIRECTIONS):
            block, thread = BLOCK[direction], THREAD[direction]
            slope = slopes.get(thread, 0)
            if guards is not None and slope and slopes.get(block) == slope * self._block[axis]:
                del slopes[block], slopes[thread]
                ends = [slope * place for place in guards.reach(axis, self._grid[axis], self._block[axis])]
                low, high = low + min(ends), high + max(ends)
        last = {name: slope * (self._extents[name] - 1) for name, slope in slopes.items()}
        return low + sum(min(0, end) for end in last.values()), high + sum(max(0, end) for end in last.values())


def _in_the_mean(atom: Func, names: Collection[str]) -> Expr:
    """A floor as the quotient, which is the same for all lanes of a warp where it grows slowly."""
    top, bottom = atom.args
    if not top.is_linear_in(names) or not bottom.constant:
        return Expr.atom(atom)
    slopes = [(top.coefficient(name) * WARP / bottom).constant for name in THREAD.values()]
    slow = all(slope is not None and -1 <= slope <= 1 for slope in slopes)
    moving = dict.fromkeys(names, 0)
    still = dict.fromkeys(THREAD.values() if slow else (), 0)
    return (top.subs(still) - top.subs(moving)) / bottom + floor_div(top.subs(moving), bottom)


def _alike_in_blocks(atom: Func, names: Collection[str]) -> Expr:
    """A floor of threads as in the first block and iterations; the others only shift it, by the quotient."""
    top, bottom = atom.args
    if not top.is_linear_in(names) or not bottom.constant:
        return Expr.atom(atom)
    shift = _terms_of(top, {*names} - {*THREAD.values()})
    return floor_div(top - shift, bottom) + shift / bottom


def _above(ends: tuple[Fraction, Fraction]) -> Fraction:
    """The share of the integers between two that are at least 0."""
    low, high = ends
    return max(Fraction(0), high + 1 - max(Fraction(0), low)) / (high + 1 - low)


def _terms_of(expr: Expr, symbols: Collection[str]) -> Expr:
    return Expr({m: c for m, c in expr.terms.items() if not Expr({m: c}).symbols.isdisjoint(symbols)})


def element_offset(access: Access, array: Array) -> Expr:
    """From the beginning of the array, without subscripts that are not known."""
    return sum_of(index * stride for index, stride in zip(access.index, array.strides) if index is not None)


def _floors(expr: Expr) -> Iterator[tuple[Expr, int]]:
    """Of places of threads: what is divided, and by what number."""
    for atom in expr.atoms:
        for part in atom.args:
            yield from _floors(part)
        width = atom.args[1].constant if atom.name == "floor" else None
        if isinstance(width, int) and atom.args[0].is_linear_in(LAUNCHED) and atom.args[0].symbols & LAUNCHED:
            yield atom.args[0], width


def _divisors(expr: Expr) -> Iterator[str]:
    """The symbols that floors in an expression divide by."""
    for atom in expr.atoms:
        yield from atom.args[1].symbols if atom.name == "floor" else ()
        for arg in atom.args:
            yield from _divisors(arg)


def _with_each(expr: Expr, atoms: Iterable[Func], of: Callable[[Func], Expr]) -> Expr:
    for atom in atoms:
        expr = _replaced(expr, atom, of(atom))
    return expr


def _replaced(expr: Expr, atom: Func, value: Expr) -> Expr:
    found = ZERO
    for monomial, coefficient in expr.terms.items():
        term = Expr.of(coefficient)
        for factor, power in monomial:
            term = term * (value**power if factor == atom else Expr({((factor, power),): 1}))
        found = found + term
    return found


def _triple(values: Sequence[T]) -> tuple[T, T, T]:
    return values[0], values[1], values[2]
