"""The values that expressions in places take over the threads of a launch: floors, minima and maxima that are one sum
for all threads, or for nearly all, are replaced by it."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from fractions import Fraction

from roofscan.cost.memory.gpu.place_expressions import BLOCK, THREAD, replaced
from roofscan.cost.memory.gpu.threads.domain import Guards
from roofscan.ir.launch import DIRECTIONS
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, Number

NEGLIGIBLE_SHARE = Fraction(1, 8)  # of the places: what is left of the last blocks


class PlaceRanges:
    def __init__(
        self,
        values: Mapping[str, Number],
        extents: Mapping[str, int],
        grid: Sequence[int],
        block: Sequence[int],
        assumptions: MutableMapping[str, None],
    ) -> None:
        """``extents``: of blocks, threads and loops, which are added while the kernel is read."""
        self._values = values
        self._extents = extents
        self._grid = grid
        self._block = block
        self._assumptions = assumptions

    def simplify(self, expr: Expr, guards: Guards | None) -> Expr:
        """The same, without functions that are one sum for all threads, or, within ``guards``, for nearly all."""
        for atom in expr.atoms:
            found = self._sum_for(atom, [self.simplify(arg, guards) for arg in atom.args], guards)
            if found is not None:
                expr = replaced(expr, atom, found)
        return expr

    def _sum_for(self, atom: Func, args: Sequence[Expr], guards: Guards | None) -> Expr | None:
        shares: dict[Expr, Fraction] = {}
        if atom.name in ("min", "max"):
            sign = 1 if atom.name == "max" else -1
            for arg in args:
                over = [self.of((arg - other) * sign, guards) for other in args if other != arg]
                if None not in over:
                    shares[arg] = min((_above(ends) for ends in over if ends), default=Fraction(1))
        elif atom.name == "floor" and not args[1].symbols & self._extents.keys():
            divisor = Fraction(args[1].evaluate(self._values))
            low, high = self.of(args[0], guards) or (Fraction(0), 3 * divisor)
            for value in {low // divisor, low // divisor + 1, high // divisor}:
                inside = min(high, (value + 1) * divisor - 1) - max(low, value * divisor) + 1
                shares[Expr.of(value)] = inside / (high - low + 1)
        expr, share = max(shares.items(), key=lambda each: each[1], default=(None, Fraction(0)))
        if share < 1 and (guards is None or share < 1 - NEGLIGIBLE_SHARE):
            return None
        if share < 1:
            self._assumptions["indices that few threads wrap around or clamp are counted like the others"] = None
        return expr

    def of(self, expr: Expr, guards: Guards | None) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest value of a sum, for the threads within the guards; bounds of those of a sum of
        rounded numbers."""
        moving = expr.symbols & self._extents.keys()
        expr, under, over = _without_floors(expr)
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
        low, high = low + sum(min(0, end) for end in last.values()), high + sum(max(0, end) for end in last.values())
        return low + under, high + over


def _without_floors(expr: Expr) -> tuple[Expr, Fraction, Fraction]:
    """With quotients in place of their floors, and how far the sum may be below it and above it."""
    under = over = Fraction(0)
    for atom in expr.atoms:
        divisor = atom.args[1].constant if atom.name == "floor" else None
        times = (replaced(expr, atom, ONE) - replaced(expr, atom, ZERO)).constant if divisor else None
        if not divisor or times is None:
            continue
        expr = replaced(expr, atom, atom.args[0] / divisor)
        lost = Fraction(times) * (1 - Fraction(1, divisor))  # at most, by rounding down
        under, over = under - max(lost, Fraction(0)), over - min(lost, Fraction(0))
    return expr, under, over


def _above(ends: tuple[Fraction, Fraction]) -> Fraction:
    """The share of the integers between two that are at least 0."""
    low, high = ends
    return max(Fraction(0), high + 1 - max(Fraction(0), low)) / (high + 1 - low)
