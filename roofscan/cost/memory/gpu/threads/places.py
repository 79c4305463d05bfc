"""Where a thread is: every subscript in the numbers of its block, of the thread in it, and of the iterations of its
loops, all from 0 on. A loop over the grid holds blocks and threads; rows of unknown length lie one behind another."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, prod
from random import Random
from typing import TypeVar, Union

from roofscan.cost.memory.gpu.device import LaunchSizes
from roofscan.cost.memory.gpu.place_expressions import BLOCK, LAUNCHED, THREAD, divisors, floors_of_threads, terms_of
from roofscan.cost.memory.gpu.threads.domain import (
    NO_GUARDS,
    AxisCondition,
    Guards,
    Mask,
    without_floor,
    without_multiples,
)
from roofscan.cost.memory.gpu.threads.lanes import values_by_thread
from roofscan.cost.memory.gpu.threads.ranges import PlaceRanges
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import DIRECTIONS, MOST_REGISTERS, MOST_THREADS, Launch, LaunchAxis
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import expressions, loops, walk
from roofscan.symbolic.expr import ONE, ZERO, Expr, NotEvaluable, Number, symbol

DEFAULT_REGISTERS = 32  # of a thread
BESIDE_TILES = 40  # registers of a thread for all but its share of the tiles
DRAWS = 256  # places of threads, for the share that a condition lets through
ROWS = "rows of a block"  # of threads that the source takes apart
Exprs = tuple[Expr, Expr, Expr]
T = TypeVar("T")


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
        self.values = values
        self.assumptions: dict[str, None] = {}
        self._grid = tuple(map(self._size, kernel.launch.grid))
        self.block: tuple[int, ...] = tuple(map(self._size, kernel.launch.block))
        if prod(self.block) > MOST_THREADS:
            raise NotEvaluable(f"a block of {prod(self.block)} threads; a block has at most {MOST_THREADS}")
        self._sizes = {name: Expr.of(value) for name, value in values.items()}
        axes = {loop.var: loop.axis for loop in loops(kernel.body) if loop.axis is not None}
        tiled, axes = "lane" in {a.part for a in axes.values()}, {v: a for v, a in axes.items() if a.part != "lane"}
        self._rows, self._width = 0, kernel.launch.block[0]
        if not tiled and symbolic:
            self._rows = self._taken_apart(kernel)
        if self._rows:
            self.block = (self._rows, self.block[0] // self._rows, 1)
            self.values = {**values, ROWS: self.block[1]}
            self._sizes[ROWS] = Expr.of(self.block[1])
        shared, sharers = self._shared(kernel), 1
        if tiled:
            sharers, self.block = prod(self.block), (1, 1, 1)
        registers = kernel.launch.registers or self._registers(kernel.launch, sharers)
        self.launch = LaunchSizes(triple(self._grid), triple(self.block), registers, shared, sharers)
        self.arrays = kernel.array_named
        self.extents = {THREAD[d]: b for d, b in zip(DIRECTIONS, self.block)}
        self.extents |= {BLOCK[d]: b for d, b in zip(DIRECTIONS, self._grid)}
        self.ranges = PlaceRanges(self.values, self.extents, self._grid, self.block, self.assumptions)
        block = kernel.launch.block
        self.at = {var: self._of_axis(axis, block) for var, axis in axes.items()}
        self.by_lane = not tiled and not (symbolic and any(size.symbols for size in block))
        self.symbolic = symbolic
        self._masks: dict[Condition, Mask] = {}

    def _size(self, expr: Expr) -> int:
        return max(1, ceil(expr.evaluate(self.values)))

    def _registers(self, launch: Launch, threads: int) -> int:
        """Of a thread, with its share of the tiles."""
        own = self._size(launch.held) // threads
        return min(MOST_REGISTERS, own + BESIDE_TILES) if launch.held else DEFAULT_REGISTERS

    def _shared(self, kernel: Kernel) -> int:
        assert kernel.launch is not None
        arrays = [a for a in kernel.arrays if a.space == "shared" and not a.buffer]
        sizes = (ceil(self.elements(a)) * a.dtype.size for a in arrays)
        return sum(sizes) + ceil(kernel.launch.shared.evaluate(self.values))

    def elements(self, array: Array) -> Number:
        return prod(array.shape, start=ONE).evaluate(self.values)

    def _taken_apart(self, kernel: Kernel) -> int:
        """The width of the rows in which the source sees the threads of a block along x (``t // 32``, ``t % 32``); 0
        where it does not: they are threads of a block of two dimensions, in the same order."""
        if self.block[1] > 1 or self.block[2] > 1:
            return 0
        assert kernel.launch is not None
        places = {loop.var: self._of_axis(loop.axis, kernel.launch.block) for loop in loops(kernel.body) if loop.axis}
        for node in walk(kernel.body):
            for expr in expressions(node):
                for top, width in floors_of_threads(expr.subs(places).subs(self._sizes)) if expr.atoms else ():
                    inside = top.coefficient(THREAD["x"]) == ONE and 1 < width < self.block[0]
                    whole = (Expr.of(self.block[0]) / width, top.coefficient(BLOCK["x"]) / width)
                    if inside and all(isinstance(e.constant, int) for e in whole):
                        return width
        return 0

    def _of_axis(self, axis: LaunchAxis, block: Exprs) -> Expr:
        direction = axis.direction
        of_block, of_thread = symbol(BLOCK[direction]), symbol(THREAD[direction])
        if self._rows and direction == "x":
            of_thread = of_thread + self._rows * symbol(THREAD["y"])
        apart = self._rows and direction == "x"
        size = self._rows * symbol(ROWS) if apart else block[DIRECTIONS.index(direction)]
        whole = of_block * size + of_thread
        return {"grid": whole, "block": of_block, "thread": of_thread}[axis.part]

    def in_sizes(self, expr: Expr) -> Expr:
        """In the sizes of the kernel alone."""
        return expr.subs({ROWS: self._width / self._rows}) if ROWS in expr.symbols else expr

    # -- loops ----------------------------------------------------------------------------------------
    def vary(self, loop: Loop) -> bool:
        """Whether its ends are not the same for all threads, in all iterations of the loops around."""
        ends = (loop.start, loop.stop, loop.step)
        if all(e.symbols.isdisjoint(self.at) for e in ends):
            return False
        return self.symbolic or any(self.placed(e).symbols & self.extents.keys() for e in ends)

    def vary_by_thread(self, loop: Loop) -> bool:
        ends = (self.placed(e) for e in (loop.start, loop.stop, loop.step))
        return any(e.symbols & LAUNCHED for e in ends)

    def enter(self, loop: Loop, trips: Fraction) -> Cut:
        """Takes a loop of so many trips into the places; the condition that its end puts on threads, or whether it puts
        none."""
        self.extents[loop.var] = max(1, ceil(trips))
        if loop.total is not None:
            around = self.at.get(loop.total_over)
            row = max(1, round(trips))  # whole elements, so that they are aligned
            self.at[loop.var] = symbol(loop.var) + (around * row if around is not None else ZERO)
            return True
        return self._entered(loop, None) or self._entered(loop, NO_GUARDS)

    def _entered(self, loop: Loop, guards: Guards | None) -> Cut:
        """``guards``: as in ``placed``."""
        start, stop, step = (self.placed(e, guards) for e in (loop.start, loop.stop, loop.step))
        self.at[loop.var] = start + step * symbol(loop.var)
        if not (start.symbols | stop.symbols | step.symbols) & LAUNCHED:
            return True
        left = stop - 1 - self.at[loop.var] if step.evaluate(self._somewhere) > 0 else self.at[loop.var] - stop - 1
        return self._cut(Condition(left, "ge"), loop.var)

    @property
    def _somewhere(self) -> Mapping[str, Number]:
        return {**self.values, **dict.fromkeys(LAUNCHED, 0)}

    def placed(self, expr: Expr, guards: Guards | None = None) -> Expr:
        """``guards``: of the threads, where an index that few of them wrap around or clamp may be like the others."""
        expr = expr.subs(self.at)
        return self.ranges.simplify(expr.subs(self._numbers(expr)), guards) if expr.atoms else expr

    def _numbers(self, expr: Expr) -> Mapping[str, Expr]:
        """The sizes that become numbers where an expression has functions: those that something is divided by."""
        divided_by = set(divisors(expr))
        return {name: size for name, size in self._sizes.items() if name in divided_by or not self.symbolic}

    def at_origin(self, expr: Expr) -> Expr:
        """For the first thread, in the first iterations."""
        return expr.subs(self.at).subs(dict.fromkeys((*LAUNCHED, *self.at), 0))

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
        moving = expr.symbols & (LAUNCHED | self.at.keys())
        if not moving & LAUNCHED:
            return True
        blocks, threads = ([k for k, d in enumerate(DIRECTIONS) if at[d] in moving] for at in (BLOCK, THREAD))
        axis, across = (blocks or threads)[0], (threads or blocks)[0]
        own = {BLOCK[DIRECTIONS[axis]], THREAD[DIRECTIONS[across]], strided}
        several = len(blocks) > 1 or len(threads) > 1 or (axis != across and (self.symbolic or strided in moving))
        if several or moving - own or not expr.is_linear_in(moving):
            return self._always(condition, moving) or self._masked(condition, moving)
        slopes = {name: round(expr.coefficient(name).evaluate(self.values)) for name in own if name}
        block, thread = slopes[BLOCK[DIRECTIONS[axis]]], slopes[THREAD[DIRECTIONS[across]]]
        if strided in moving and slopes[strided] != block * self._grid[axis]:
            return self._always(condition, moving)
        constant = expr.subs(dict.fromkeys(moving, 0))
        base = int(constant.evaluate(self.values))
        test, other = Condition(ZERO, condition.relation, condition.modulus), None if axis == across else across
        cut = AxisCondition(test, block, thread, base, constant, other)
        return CutAlong(axis, cut, strided if strided in moving else "")

    def _masked(self, condition: Condition, moving: Collection[str]) -> Mask | bool:
        """The threads that a condition on them alone lets through."""
        if not self.by_lane or not set(moving) <= {*THREAD.values()}:
            return False
        if condition not in self._masks:
            self._masks[condition] = tuple(map(condition.holds, self.by_thread(condition.expr)))
        return self._masks[condition]

    def by_thread(self, expr: Expr) -> Sequence[Number]:
        """The values of an expression in threads alone."""
        [values] = values_by_thread(expr.subs(self._sizes), self.launch.block, [*THREAD.values()], {})
        return values

    def drawn_share(self, condition: Condition) -> Fraction:
        """Of the threads and iterations, those that a condition lets through: of places drawn at random."""
        expr = self.placed(condition.expr)
        names = sorted(expr.symbols & self.extents.keys())
        draws = Random(0)
        points = [{name: draws.randrange(int(self.extents[name])) for name in names} for _ in range(DRAWS)]
        found = [condition.holds(expr.evaluate({**self.values, **point})) for point in points]
        return Fraction(max(1, sum(found)), DRAWS)

    def _always(self, condition: Condition, moving: Set[str]) -> bool:
        """Whether it holds for all threads, in all iterations."""
        expr, least = condition.expr, Fraction(0)
        if not expr.is_linear_in(moving) and self.by_lane:
            own = terms_of(expr, [*THREAD.values()])
            if own.symbols & moving <= {*THREAD.values()}:
                expr, least = expr - own, Fraction(min(self.by_thread(own)))
        if condition.relation != "ge" or condition.modulus or not expr.is_linear_in(moving):
            return False
        slopes = [(expr.coefficient(name).evaluate(self.values), self.extents[name] - 1) for name in moving]
        base = expr.subs(dict.fromkeys(moving, 0)).evaluate(self.values)
        return least + base + sum(min(0, slope * last) for slope, last in slopes) >= 0

    def share_of(self, lane: Loop, masks: Sequence[Condition]) -> Fraction:
        """Of a tile's dimension, what masks let through in all blocks and iterations alike; 1 where that differs."""
        tests = [self.placed(mask.expr) for mask in masks if mask.relation == "ge" and not mask.modulus]
        others = {name for test in tests for name in test.symbols & (LAUNCHED | self.extents.keys())} - {lane.var}
        origin, extent = dict.fromkeys(others, 0), int(self.extents[lane.var])
        corners = (origin, *({**origin, name: int(self.extents[name]) - 1} for name in others))
        found = {self._let_through(tests, corner, lane.var, extent) for corner in corners}
        return Fraction(found.pop(), extent) if len(found) == 1 and len(tests) == len(masks) else Fraction(1)

    def _let_through(self, tests: Sequence[Expr], at: Mapping[str, int], lane: str, extent: int) -> int:
        low, high = 0, extent
        for expr in tests:
            here = {**self.values, **at}
            slope, base = expr.coefficient(lane).evaluate(here), expr.subs({lane: 0}).evaluate(here)
            if slope < 0:
                high = min(high, floor(base / -slope) + 1)
            elif slope > 0:
                low = max(low, ceil(-base / slope))
            elif base < 0:
                return 0
        return max(0, high - low)


def triple(values: Sequence[T]) -> tuple[T, T, T]:
    return values[0], values[1], values[2]
