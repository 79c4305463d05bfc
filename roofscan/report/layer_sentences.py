"""A layer condition as a sentence: ``three rows of u and one of v fit in L2 while m ≤ 32,768``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from roofscan import units
from roofscan.cost.memory.base import ALONE
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kinds import ONE_GROUP
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import loops, walk
from roofscan.report import formatting
from roofscan.report.figures import bound_values, ratio_text, ratio_value, value_of
from roofscan.roofline.layer_conditions import iterations_of, leading
from roofscan.roofline.model import CacheFit, KernelReport, LayerCondition, Ratio, TableReport
from roofscan.symbolic.expr import ONE, Expr
from roofscan.symbolic.intervals import describe_in_report

PART = 0.03  # the smallest share of a reuse distance with which an array is named
WHOLE, NEAR = 0.03, 0.12
"""A number this near to an integer, relatively or absolutely, is rounded to it: borders are left out."""
NEEDS_WIDTH = 34
RATE_WIDTH = 12
COUNT_WIDTH = 14
NEARLY_ALL = 0.98  # a step with such a share of the traffic leaves next to nothing
DATA = "data"  # the place of reuse through an index that the data hold: its distance is unknown, so it is the farthest
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SHARES = {
    Fraction(1): "all of", Fraction(1, 2): "half of", Fraction(1, 3): "a third of", Fraction(2, 3): "two thirds of",
    Fraction(1, 4): "a quarter of", Fraction(3, 4): "three quarters of",
}  # fmt: skip
_SINGULAR = ("one", "all of", "half of", "a third of", "a quarter of")  # counts that take a verb in the singular
MOST_NAMED = 4  # arrays that are named one by one


def formatter_on(report: KernelReport) -> LayerFormatter:
    cost = report.cost.fused or report.cost
    return LayerFormatter(cost, iterations_of(cost), cost.reuse.line if cost.reuse else 0)


def page_formatter_on(report: KernelReport, table: TableReport) -> LayerFormatter:
    return replace(formatter_on(report), line=table.page, unit="page")


@dataclass(frozen=True)
class LayerFormatter:
    cost: KernelCost
    iterations: Expr | None  # how often its innermost body runs
    line: int  # bytes of a cache line
    unit: str = "line"  # what they are called

    @property
    def _counted(self) -> tuple[Expr, str]:
        """The bytes of what sentences count, and its name: pages of tables of address translations."""
        return (Expr.of(self.line), "pages") if self.unit == "page" else (ONE, "B")

    def _amount(self, number: float) -> str:
        size, name = self._counted
        return units.si(number, name) if size == ONE else f"{units.digits(number / self.line)} {name}"

    def sentence(self, step: LayerCondition) -> str:
        """What must fit, while it does, and the traffic that follows."""
        return f"{self.subject(step)} ({self.needs(step)}) {self._fit(step)}{self._follows(step)}"

    def needs(self, step: LayerCondition) -> str:
        number = value_of(step.needs, bound_values(self.cost))
        most = "up to about " if step.is_spread else ""
        if number is not None:
            return most + self._amount(round(number))
        size, name = self._counted
        shown = formatting.simpler(step.needs / size) if step.is_spread else formatting.readable(step.needs / size)
        said = formatting.brief(shown, self.cost.sample_point, NEEDS_WIDTH)
        approximate = formatting.is_approximate(shown, {}, self.cost.sample_point, NEEDS_WIDTH)
        return f"{'up to ' if step.is_spread and approximate else most}{said} {name}"

    def rate(self, moved: Expr) -> str:
        """Traffic of one iteration, without the unit; "" where iterations say nothing short."""
        if self.iterations is None:
            return ""
        moved = moved / self._counted[0]
        number = ratio_value(Ratio(moved, self.iterations), bound_values(self.cost))
        if number is None:
            large = self.cost.sample_point
            ratio = Ratio(leading(moved, large), leading(self.iterations, large))
            text = ratio_text(ratio)
            number = ratio_value(ratio, bound_values(self.cost))
            if number is None or "." not in text:
                return text if len(text) <= RATE_WIDTH else ""
        return units.digits(number).removesuffix(".00").removesuffix(".0")

    def _in_bytes(self, step: LayerCondition) -> str:
        """All traffic where it fits and where it does not; nothing where that takes too many words."""
        then, otherwise = self.moved(step.then), self.moved(step.otherwise)
        hidden = not step.then or not step.otherwise or then == otherwise
        if hidden or any(map(self._is_approximate, (step.then, step.otherwise))):
            return ""
        return f": {then} in all, else {'up to ' if step.loop == DATA else ''}{otherwise}"

    def moved(self, moved: Expr) -> str:
        number = value_of(moved, bound_values(self.cost))
        if number is not None:
            return self._amount(number)
        size, name = self._counted
        large = leading(moved, self.cost.sample_point) / size
        return f"{formatting.brief(formatting.readable(large), self.cost.sample_point, NEEDS_WIDTH)} {name}"

    def _is_approximate(self, moved: Expr) -> bool:
        if value_of(moved, bound_values(self.cost)) is not None:
            return False
        large = leading(moved, self.cost.sample_point) / self._counted[0]
        return formatting.is_approximate(large, {}, self.cost.sample_point, NEEDS_WIDTH)

    # -- what must fit ----------------------------------------------------------------------------
    def subject(self, step: LayerCondition) -> str:
        said = self._parts(step)
        if step.what:
            again = f"in an iteration of {self.loop_name(step)}" if step.loop else ""
            return f"what {step.what} touch{'es' * (step.what in ONE_GROUP)} {again}".rstrip()
        return _list(list(_short(said))) if said else f"what lies between two {self._between(step)}"

    def _parts(self, step: LayerCondition) -> list[tuple[str, str, str]]:
        """What must fit, as parts of arrays (see :meth:`_part`); nothing where that takes too many words."""
        total = abs(value_of(step.needs, self.cost.sample_point) or 0)
        parts = [(a, e) for a, e in step.between if (value_of(e, self.cost.sample_point) or 0) >= PART * total]
        said = [self._part(step, array, expr) for array, expr in parts]
        known = 0 < len(said) <= MOST_NAMED and all(len(count) <= COUNT_WIDTH for count, _, _ in said)
        return said if known and (step.needs.symbols or not self.cost.free) else []

    def loop_name(self, step: LayerCondition) -> str | None:
        """The variable, as the source names it, of the loop that carries the reuse."""
        loop = self._loop(step)
        return None if loop is None or loop.array_expression else loop.name

    def _between(self, step: LayerCondition) -> str:
        loop = self._loop(step)
        if loop is None or loop.array_expression:
            more = len(step.arrays) - MOST_NAMED
            return f"uses of {_list(step.arrays if more <= 1 else (*step.arrays[:MOST_NAMED], f'{more} more'))}"
        return f"iterations of {loop.short_title}"

    def _part(self, step: LayerCondition, array: str, size: Expr) -> tuple[str, str, str]:
        """How many of which unit of an array these bytes are: ("three", "rows", "u")."""
        bound = bound_values(self.cost)
        size = leading(size.subs(bound), self.cost.sample_point)
        shown = self.cost.kernel.array_named.get(array)
        if shown is None:
            return f"{size} B", "", array
        units = [(Expr.of(self.line), f"{self.unit}s")] if self._across(step, shown) else _units(shown)
        for unit, name in units:
            unit = leading(unit.subs(bound), self.cost.sample_point)
            count = size / unit if len(unit.terms) == 1 else None
            if count is None or any(power < 0 for m in count.terms for _, power in m):
                continue
            said = _count(count, name)
            if said:
                return said, name, array
        return f"{formatting.brief(formatting.readable(size), self.cost.sample_point, NEEDS_WIDTH)} B", "", array

    def _loop(self, step: LayerCondition) -> Loop | None:
        return next((loop for loop in loops(self.cost.kernel.body) if loop.var == step.loop), None)

    def _across(self, step: LayerCondition, array: Array) -> bool:
        """Whether the loops inside the one that carries the reuse walk across the rows of an array."""
        carrier = self._loop(step)
        if carrier is None or len(array.shape) < 2:
            return False
        inside = {loop.var for loop in loops(carrier.body)}
        accesses = [n for n in walk(carrier.body) if isinstance(n, Access) and n.array == array.name and n.regular]
        dense = next((d for d, stride in enumerate(array.strides) if stride == ONE), len(array.shape) - 1)
        along = any(a.index[dense].symbols & inside for a in accesses)  # type: ignore[union-attr]
        return bool(accesses) and not along

    # -- where it fits, and what follows ------------------------------------------------------------
    def _fit(self, step: LayerCondition) -> str:
        verb = "fits" if self._is_one(step) else "fit"
        holding = [fit for fit in step.fits if fit.ranges]
        never = [_cache(fit) for fit in step.fits if not fit.ranges]
        if not holding and step.sharing != ALONE:
            return f"{'does' if self._is_one(step) else 'do'} not fit in {_list(never, 'or')}"
        if not holding:
            return f"{verb} in no {'table' if self.unit == 'page' else 'cache'}"
        if all(fit.always for fit in holding):
            said = f"in {_list([_cache(fit) for fit in holding])}"
            return f"{verb} {said}" + (f", not in {_list(never, 'or')}" if never else "")
        said = ", ".join(f"in {_cache(fit)} while {describe_in_report(fit.symbol, fit.ranges)}" for fit in holding)
        given = ", ".join(f"{name} = {value}" for name, value in holding[0].also)
        return f"{verb} {said}" + (f" ({given})" if given else "")

    def _is_one(self, step: LayerCondition) -> bool:
        parts = self._parts(step)
        return not parts or (len(parts) == 1 and parts[0][0] in _SINGULAR)

    def _follows(self, step: LayerCondition) -> str:
        then, otherwise, name = self.rate(step.then), self.rate(step.otherwise), self._counted[1]
        if not then and otherwise and step.share > NEARLY_ALL:
            return f": next to nothing, else {otherwise} {name} per iteration"
        if not then or not otherwise or step.loop == DATA:
            return self._in_bytes(step)
        unit, then, otherwise = "per iteration", f"{then} {name}", f"{otherwise} {name}"
        if not any(fit.ranges for fit in step.fits):
            return f": {otherwise} {unit} ({then} if it did)"
        return f": {then} {unit}, else {otherwise}"


def _cache(fit: CacheFit) -> str:
    return fit.cache or units.capacity(fit.capacity)


def _units(array: Array) -> Iterator[tuple[Expr, str]]:
    whole = Expr.of(array.dtype.size)
    for extent in array.shape:
        whole = whole * extent
    yield whole, ""
    strides = [(s * array.dtype.size, n) for n, s in enumerate(array.strides)]
    by_rows = array.strides[-1:] == (ONE,)
    names = ("rows" if by_rows else "columns", "planes", "blocks")
    outer = strides[:-1] if by_rows else strides[:0:-1]
    for position, (size, _) in enumerate(outer):
        yield size, names[min(len(outer) - 1 - position, 2)]
    yield Expr.of(array.dtype.size), "elements"


def _count(count: Expr, unit: str) -> str:
    """A number of units in words; "" where another unit says it better."""
    constant = count.constant
    if constant is None:
        return "" if not unit or len(count.terms) > 2 else str(count) if len(count.terms) == 1 else f"({count})"
    number = float(constant)
    if not unit:
        return next((text for share, text in _SHARES.items() if abs(number - share) <= WHOLE * share), "")
    near = round(number)
    if near > 0 and abs(number - near) <= max(WHOLE * near, NEAR):
        return _NUMBERS[near] if near < len(_NUMBERS) else f"{near:,}"
    return units.digits(number) if number > 1 else ""


def _short(parts: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """``three rows of u``, ``one of v``; ``all of x``, ``y``: nothing is said twice."""
    before = ("", "")
    for count, unit, array in parts:
        if (count, unit) == before and not unit:
            yield array
        elif unit and unit != before[1]:
            yield f"{count} {unit[:-1] if count == 'one' else unit} of {array}"
        else:
            yield f"{count.removesuffix(' of')} of {array}"
        before = (count, unit)


def _list(parts: Sequence[str], last: str = "and") -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
