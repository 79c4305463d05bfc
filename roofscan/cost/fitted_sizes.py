"""Free sizes that fit together: loops run, and subscripts stay inside their arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from math import isqrt

from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Branch, Loop, When
from roofscan.ir.visitor import accesses, is_doubling, loops
from roofscan.symbolic.atoms import replace_atom
from roofscan.symbolic.expr import Atom, Expr, NotEvaluable, Number, symbol
from roofscan.symbolic.polynomial_signs import bisect

_FEW_TRIPS = 8  # loops of more that may end early do so before their last iteration, so that other loops reach further
SIZE_MULTIPLE = 64  # sizes are multiples of a cache line even for 1-byte elements
_JUST_ABOVE = 16  # elements: two lines of 8 bytes each
_MAX_ROUNDS = 8


class Fitting:
    """Changes free sizes until loops run and subscripts stay inside their arrays, in a few rounds at most."""

    def __init__(self, kernel: Kernel, sample_point: dict[str, Number], free: Mapping[str, str]) -> None:
        self._kernel = kernel
        self._sample_point = sample_point
        self._free = free
        self._arrays = {a.name: a for a in kernel.arrays}
        self._launched = {s.name for s in kernel.symbols if s.kind == "launch"}

    def fit(self) -> None:
        for name, expr in self._kernel.values.items():
            if name in self._free and (value := self._value(expr)) is not None:
                self._sample_point[name] = value
        self._obey()
        self._run_to_the_end()
        for _ in range(_MAX_ROUNDS):
            if not self._round():
                break
        for ranges, node in _walk(self._kernel.body, {}):
            if isinstance(node, Loop) and node.total is not None:
                self._balance(node, node.total, ranges.get(node.total_over))

    def _obey(self) -> None:
        """Shrinks sizes that are too large for a call to do its work, all to about one."""
        broken = [g.expr for g in self._kernel.guards if g.relation == "ge" and (self._value(g.expr) or 0) < 0]
        names = sorted({name for expr in broken for name in expr.symbols if self._free.get(name) == "size"})
        before = {name: int(self._sample_point[name]) for name in names}

        def breaks(most: int) -> bool:
            self._sample_point.update((name, min(size, most)) for name, size in before.items())
            return any((self._value(expr) or 0) < 0 for expr in broken)

        first = bisect(breaks, 1, max(before.values(), default=1))
        self._sample_point.update(before)
        if first is None or first < 2:
            return
        step = SIZE_MULTIPLE if first > len(names) * 4 * SIZE_MULTIPLE else 1
        for rank, name in enumerate(names):
            self._sample_point[name] = min(before[name], max(1, (first - 1) // step - rank) * step)

    def _run_to_the_end(self) -> None:
        """Gives loops that double, or halve, and may end early all their rounds: the work is in the last, or the first,
        and no few rounds tell what more of them do."""
        for loop in loops(self._kernel.body):
            name = next(iter(loop.stop.symbols), "") if len(loop.stop.symbols) == 1 else ""
            if loop.most is not None and self._free.get(name) == "trips" and is_doubling(loop):
                self._sample_point[name] = self._value(loop.most) or self._sample_point[name]

    def _balance(self, loop: Loop, total: Expr, rows: tuple[Expr, Expr] | None) -> None:
        """Makes a total the mean times the number of rows, by changing whichever of the two is free; a free total is
        what the arrays along which it runs hold, where that is known."""
        trips = None if rows is None else self._value(rows[1] - rows[0] + 1)
        names = [next(iter(x.symbols), "") if len(x.symbols) == 1 else "" for x in (total, loop.stop)]
        held = min(self._held(loop), default=None)
        if held is not None and names[0] in self._free:
            self._sample_point[names[0]] = held + _JUST_ABOVE  # all of these arrays is touched, and little besides
        whole, mean = (self._sample_point.get(name) for name in names)
        if trips and trips > 0 and whole is not None and mean is not None:
            if names[0] in self._free and held is None:
                self._sample_point[names[0]] = trips * mean
            elif names[1] in self._free:
                self._sample_point[names[1]] = Fraction(whole) / trips

    def _held(self, loop: Loop) -> Iterator[int]:
        """The known extents that a loop's variable walks along."""
        for access in accesses(loop.body):
            for subscript, extent in zip(access.index, self._arrays[access.array].shape):
                if subscript == symbol(loop.var) and self._free.keys().isdisjoint(extent.symbols):
                    if (value := self._value(extent)) and value > 0:
                        yield int(value)

    def _round(self) -> bool:
        """One pass over the tree; whether it changed a size."""
        moved = False
        for ranges, node in _walk(self._kernel.body, {}, self._may_run):
            if isinstance(node, Loop):
                moved |= self._run(node, ranges) or self._exit(node, ranges)
                moved |= self._fill(node, ranges)
            else:
                moved |= self._inside(node, ranges)
        return moved

    def _may_run(self, node: When) -> bool:
        """Whether no condition on sizes alone keeps a body from running at these values."""
        plain = (c for c in node.conditions if c.relation == "ge" and c.expr.symbols <= self._sample_point.keys())
        return all((self._value(c.expr) or 0) >= 0 for c in plain)

    def _fill(self, loop: Loop, ranges: Mapping[str, tuple[Expr, Expr]]) -> bool:
        """Changes sizes until no range runs backwards: grows that of a slice (``A[i:]`` for i up to another size), or
        ends a loop around it sooner (``for j in range(k, n)``, for k up to the trips)."""
        backwards = loop.start - loop.stop if (loop.step.constant or 1) > 0 else loop.stop - loop.start
        most = largest(backwards, ranges)
        missing = None if most is None else self._value(most)
        if most is None or missing is None or missing <= 0:
            return False
        for name in sorted(most.symbols & self._free.keys()) if loop.array_expression else ():
            if self._free[name] == "size" and most.coefficient(name) == -1:
                return self._move(name, int(self._sample_point[name] + missing))
        return self._end_sooner(most, int(missing))

    def _run(self, loop: Loop, ranges: Mapping[str, tuple[Expr, Expr]]) -> bool:
        """Shrinks a size that is subtracted from the trip count of a loop that would not run."""
        sign = -1 if (loop.step.constant or 1) < 0 else 1
        most = largest((loop.stop - loop.start) * sign, ranges)
        trips = None if most is None else self._value(most)
        if most is None or trips is None or trips > 0:
            return trips is not None and most is not None and trips < 1 and self._divide(most)
        less = [atom for m, c in most.terms.items() if c < 0 for atom, _ in m]
        more = {name for m, c in most.terms.items() if c > 0 for atom, _ in m for name in _names_in(atom)}
        plain = [atom for atom in less if isinstance(atom, str)]
        hidden = [name for atom in less if not isinstance(atom, str) for name in _names_in(atom) if name not in more]
        for name in (*plain, *hidden):
            if self._free.get(name) in ("size", "tile", "int"):
                return self._move(name, max(2, int(self._sample_point[name]) // 8))
        return False

    def _exit(self, loop: Loop, ranges: Mapping[str, tuple[Expr, Expr]]) -> bool:
        """Shrinks a number of trips beyond which a loop ends without its early exit."""
        most = None if loop.most is None or is_doubling(loop) else largest(loop.most, ranges)
        trips = None if most is None else self._value(most)
        free = [name for name in loop.stop.symbols & self._free.keys() if self._free[name] == "trips"]
        if trips is None or trips < 1 or len(free) != 1 or self._sample_point[free[0]] < trips:
            return False
        return self._move(free[0], int(trips) - 1 if trips > _FEW_TRIPS else int(trips))

    def _divide(self, trips: Expr) -> bool:
        """Makes a free divisor the square root of what it divides: ``x.reshape(-1, k)`` then has many rows."""
        for m in trips.terms:
            over = [atom for atom, power in m if power < 0 and isinstance(atom, str) and atom in self._free]
            under = [atom for atom, power in m if power > 0 and isinstance(atom, str)]
            if len(over) == len(under) == 1 and self._free[over[0]] in ("size", "tile", "int"):
                whole = int(self._sample_point[under[0]])
                width = max(SIZE_MULTIPLE, isqrt(whole) // SIZE_MULTIPLE * SIZE_MULTIPLE)
                if under[0] in self._free:
                    self._sample_point[under[0]] = max(1, whole // width) * width
                return self._move(over[0], width)
        return False

    def _inside(self, access: Access, ranges: Mapping[str, tuple[Expr, Expr]]) -> bool:
        """Grows the extents of an array that an access exceeds."""
        moved = False
        for subscript, extent in zip(access.index, self._arrays[access.array].shape):
            last = None if subscript is None else largest(subscript, ranges)
            excess = None if last is None else self._value(last + 1 - extent)
            if last is None and subscript is not None:
                moved |= self._end_below_floors(subscript, extent, ranges)
            if excess is None or excess <= 0 or (last is not None and self._launched & last.symbols):
                continue  # guards keep threads inside
            for name in [n for n in self._free if n in extent.symbols]:
                slope = extent.coefficient(name).constant
                grows = self._free[name] == "size" and slope is not None and slope > 0
                if grows and last is not None and name not in last.symbols:
                    steps = -(-int(excess) // (int(slope or 1) * SIZE_MULTIPLE))
                    moved |= self._move(name, int(self._sample_point[name]) + steps * SIZE_MULTIPLE)
                    break
            else:
                moved |= last is not None and self._end_sooner(last, int(excess))
        for subscript in filter(None, access.index):
            moved |= self._end_at_zero(subscript, ranges)
        return moved

    def _end_at_zero(self, subscript: Expr, ranges: Mapping[str, tuple[Expr, Expr]]) -> bool:
        """Shrinks a free number of trips in which a subscript runs down below 0, from the middle of what is around."""
        for name in [n for n in list(ranges)[::-1] if n in subscript.symbols]:
            slope = subscript.coefficient(name).constant
            end = ranges[name][0 if slope is not None and slope > 0 else 1]
            trips = [s for s in end.symbols & self._free.keys() if self._free[s] == "trips"]
            if slope not in (1, -1) or len(trips) != 1 or end.coefficient(trips[0]) != -slope:
                continue
            last = subscript.subs({name: end})
            for var, (low, high) in list(ranges.items())[::-1]:  # inner ranges may end at outer variables
                last = last.subs({var: (low + high) * Fraction(1, 2)}) if var in last.symbols else last
            below = self._value(-last)
            if below is not None and 0 < below < self._sample_point[trips[0]]:
                return self._move(trips[0], int(self._sample_point[trips[0]] - below))
            if below is not None and below > 0 and self._end_before(-last, trips[0], below):
                return True
        return False

    def _end_before(self, below: Expr, trips: str, now: Number) -> bool:
        """The same where a counter falls by the trips in each iteration around: a stack pops what was pushed."""
        slope = self._value(below.coefficient(trips)) if below.is_linear_in([trips]) else None
        most = self._sample_point[trips] - Fraction(now) / Fraction(slope) if slope and slope > 0 else 0
        return most > 0 and self._move(trips, most * Fraction(3, 4))

    def _end_below_floors(self, subscript: Expr, extent: Expr, ranges: Mapping[str, tuple[Expr, Expr]]) -> bool:
        """The same for trips in a subscript with remainders (``k % m + m * t``), by the most that these are."""
        last = largest(_without_floors(subscript), ranges) if subscript.atoms else None
        excess = None if last is None else self._value(last + 1 - extent)
        return last is not None and excess is not None and self._end_sooner(last, int(excess))

    def _end_sooner(self, last: Expr, excess: int) -> bool:
        """Shrinks a free number of trips by which a subscript exceeds an array of known size, to within it: what goes
        through all of the array reaches further."""
        for name in sorted(last.symbols & self._free.keys()):
            slope = self._value(last.coefficient(name)) if last.is_linear_in([name]) else None
            if self._free[name] == "trips" and slope and self._sample_point[name] * slope > excess > 0:
                whole = self._sample_point[name] - Fraction(excess) / slope
                others = sorted(last.coefficient(name).symbols)
                most = max(whole * Fraction(3, 4), Fraction(0) if others else min(whole, Fraction(1)))
                long = [s for s in others if self._is_long(s)]
                return self._move(long[0], _FEW_TRIPS) if most < 1 and long else self._move(name, most)
        return False

    def _is_long(self, name: str) -> bool:
        return self._free.get(name) == "trips" and self._sample_point[name] > _FEW_TRIPS

    def _move(self, name: str, value: Number) -> bool:
        if self._sample_point[name] == value:
            return False
        self._sample_point[name] = value
        return True

    def _value(self, expr: Expr) -> Number | None:
        try:
            return expr.evaluate(self._sample_point)
        except NotEvaluable:
            return None


def _walk(
    body: Body, ranges: dict[str, tuple[Expr, Expr]], runs: Callable[[When], bool] = lambda node: True
) -> Iterator[tuple[dict[str, tuple[Expr, Expr]], Loop | Access]]:
    """Loops and accesses that may run, in order, with the first and last value of each variable around them."""
    for node in body:
        if isinstance(node, Access):
            yield ranges, node
        elif isinstance(node, Loop):
            yield ranges, node
            yield from _walk(node.body, {**ranges, node.var: ends(node)}, runs)
        elif isinstance(node, Branch) or (isinstance(node, When) and runs(node)):
            yield from _walk(node.body, ranges, runs)


def ends(loop: Loop) -> tuple[Expr, Expr]:
    """The smallest and the largest value of its variable, one step more where that is not 1."""
    down = (loop.step.constant or 1) < 0
    return (loop.stop + 1, loop.start) if down else (loop.start, loop.stop - 1)


def largest(expr: Expr, ranges: Mapping[str, tuple[Expr, Expr]]) -> Expr | None:
    """``expr`` with each loop variable at the end of its range that makes it largest, inner ones first."""
    for name in reversed(list(ranges)):
        if name in expr.symbols:
            signs = {c > 0 for c in expr.coefficient(name).terms.values()}  # of symbols that are not negative
            if len(signs) != 1 or not expr.is_linear_in([name]):
                return None
            expr = expr.subs({name: ranges[name][1 if True in signs else 0]})
    return expr


def _without_floors(expr: Expr) -> Expr:
    """At least ``expr``, with quotients in the place of floors."""
    for atom in expr.atoms:
        signs = {c > 0 for m, c in expr.terms.items() if (atom, 1) in m}
        top, bottom = atom.args[0], atom.args[-1]
        if atom.name == "floor" and len(signs) == len(bottom.terms) == 1:
            expr = replace_atom(expr, atom, (top if True in signs else top - bottom + 1) / bottom)
    return expr


def _names_in(atom: Atom) -> Iterable[str]:
    return (atom,) if isinstance(atom, str) else sorted({name for arg in atom.args for name in arg.symbols})
