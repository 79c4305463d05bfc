"""Where the expressions of a level hold, and what moves elsewhere. The expressions of a launch hold where all that was
decided on the way to them comes out the same. Derived again at sizes that no region has yet, they give the next."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from math import floor, gcd, prod

from roofscan.budget import Budget
from roofscan.cost.memory.base import Traffic
from roofscan.cost.memory.gpu.model import LaunchModel, filling, growing
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.visitor import loops
from roofscan.symbolic.chamber import common_factor, is_obvious, with_integer_coefficients
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, NotEvaluable, Number, symbol

MAX_REGIONS = 16
MAX_STEPS = 50_000  # for one level; nothing further is derived after these
MAX_CONDITIONS = 24  # that are compared with each other
UNIT = 64  # sizes are tried that fill lines and blocks
SIZE_RATIO = 4  # from one size that is tried to the next
MOST_THREADS = 1024  # of a block
MAX_TEXT = 2000  # characters of the functions in an expression: more would be unreadable


@dataclass(frozen=True)
class Region:
    """What moves where each expression of ``when`` is at least 0."""

    when: tuple[Expr, ...]
    traffic: Traffic


class Regions:
    """Of one launch, by the capacity of the cache; that of the sample point comes last."""

    def __init__(self, model: LaunchModel) -> None:
        self._model = model
        self._facts = _Facts(model.kernel)
        self._found: dict[int, tuple[Region, ...]] = {}
        self._budget = Budget()
        self._models: dict[tuple[tuple[str, Number], ...], LaunchModel] = {}

    def at(self, capacity: int) -> tuple[Region, ...]:
        """Levels are explored in one order, so that what one leaves in memory for the next is always the same."""
        device = self._model.device
        for each in itertools.takewhile(lambda _: capacity not in self._found, (0, device.l1, device.l2, capacity)):
            if each not in self._found:
                self._found[each] = tuple(self._explored(each))
        return self._found[capacity]

    def here(self, capacity: int) -> Region:
        """That of the sample point."""
        return self._region(self._model, capacity)

    def _explored(self, capacity: int) -> Iterator[Region]:
        last = self.here(capacity)
        found, enough = [last], self._budget.spent + MAX_STEPS
        for point in self._points() if last.when else ():
            if any(_holds(region.when, point) for region in found):
                continue
            if self._budget.spent > enough or len(found) == MAX_REGIONS:
                break
            with self._budget.in_force(), suppress(NotEvaluable, ArithmeticError):
                region = self._region(self._elsewhere(point), capacity)
                moved = region.traffic.total
                if _holds(region.when, point) and is_readable(*region.when, moved.load, moved.writeback):
                    found.append(region)
        yield from (*found[1:], last)

    def _elsewhere(self, point: Mapping[str, Number]) -> LaunchModel:
        key = tuple(sorted(point.items()))
        if key not in self._models:
            self._models[key] = self._model.elsewhere(point)
        return self._models[key]

    def _region(self, model: LaunchModel, capacity: int) -> Region:
        return Region(self._facts.needed(e for _, e in model.decisions(capacity)), model.traffic(capacity))

    def _points(self) -> Iterator[Mapping[str, Number]]:
        """All sizes smaller together, then one of them, then one beside the others, then other blocks."""
        kernel, values = self._model.kernel, self._model.values
        sizes = growing(kernel, self._model.free)
        blocks = [s.name for s in kernel.symbols if s.name in self._model.free and s.kind == "tile"]
        rungs = range(1, 1 + max((_rungs(values[n]) for n in sizes), default=0))
        groups = [sizes, *([name] for name in sizes if len(sizes) > 1)]
        groups += [[name for name in sizes if name != one] for one in sizes if len(sizes) > 2]
        for names in groups:
            yield from (self._point({n: _lowered(values[n], rung) for n in names}) for rung in rungs)
        for widths in itertools.product(*([32, 64, 128, 256, 512] for _ in blocks)):
            if len(blocks) < 3 and 32 <= prod(widths) <= MOST_THREADS:
                yield self._point(dict(zip(blocks, widths)))

    def _point(self, changed: Mapping[str, Number]) -> Mapping[str, Number]:
        return filling(self._model.kernel, {**self._model.values, **changed}, self._model.free)


def is_readable(*exprs: Expr) -> bool:
    return all(sum(len(a.key) for m in e.terms for a, _ in m if isinstance(a, Func)) <= MAX_TEXT for e in exprs)


def _rungs(size: Number) -> int:
    return max(0, int(size) // UNIT).bit_length() // 2 + 1


def _lowered(size: Number, rung: int) -> Number:
    return max(UNIT, int(size) // SIZE_RATIO**rung // UNIT * UNIT) if size > UNIT else size


def _holds(when: Iterable[Expr], point: Mapping[str, Number]) -> bool:
    return all(expr.evaluate(point) >= 0 for expr in when)


class _Facts:
    """What is known of a launch: sizes are positive, a grid has whole blocks, and a block at most so many threads."""

    def __init__(self, kernel: Kernel) -> None:
        self._least = kernel.least_values
        launch = kernel.launch
        assert launch is not None
        self._blocks = {name for e in launch.block for name in e.symbols}
        self._whole: dict[str, Expr] = {}
        for loop in loops(kernel.body):
            if loop.axis is not None and loop.axis.part == "grid":
                size = launch.block["xyz".index(loop.axis.direction)]
                self._whole |= {name: symbol(name) * size for name in loop.stop.symbols}

    def needed(self, conditions: Iterable[Expr]) -> tuple[Expr, ...]:
        """Those that do not follow from the others, nor from what is known."""
        kept = [e for e in dict.fromkeys(map(_simple, conditions)) if not self._obvious(e)]
        for each in tuple(kept) if len(kept) <= MAX_CONDITIONS else ():
            others = [other for other in kept if other is not each]
            if any(self._obvious(each - other) for other in others):
                kept = others
        return tuple(sorted(kept, key=str))

    def _obvious(self, expr: Expr) -> bool:
        if expr.constant is not None:
            return expr.constant >= 0
        if expr.symbols <= self._blocks and len(expr.symbols) < 4:
            corners = itertools.product(*([(name, 1), (name, MOST_THREADS)] for name in sorted(expr.symbols)))
            if all(expr.degree(name) <= 1 for name in expr.symbols) and all(
                expr.evaluate(dict(corner)) >= 0 for corner in corners
            ):
                return True
        return is_obvious(with_integer_coefficients(expr.subs(self._whole)), self._least)


def _simple(expr: Expr) -> Expr:
    """The same condition without factors that are positive."""
    if expr.constant is not None:
        return expr
    for atom in expr.atoms:
        if atom.name == "pow" and atom.args[1] == -ONE:
            expr = _cleared(expr, atom)
    expr = expr / common_factor(expr) if expr else expr
    rest = expr - expr.constant_term
    step = gcd(*(Fraction(c).numerator for c in rest.terms.values()))
    whole = step > 1 and all(Fraction(c).denominator == 1 for c in expr.terms.values())
    return rest / step + floor(Fraction(expr.constant_term) / step) if whole else expr


def _cleared(expr: Expr, reciprocal: Func) -> Expr:
    """The expression times what a reciprocal is of."""
    most = max(dict(monomial).get(reciprocal, 0) for monomial in expr.terms)
    found = ZERO
    for monomial, coefficient in expr.terms.items():
        rest = tuple(factor for factor in monomial if factor[0] != reciprocal)
        found = found + Expr({rest: coefficient}) * reciprocal.args[0] ** (most - dict(monomial).get(reciprocal, 0))
    return found
