"""Numbers out of expressions, the same for every output format."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from math import gcd, isfinite
from typing import Any

from roofscan.cost.memory.base import Movement
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.kinds import TrafficStatus
from roofscan.machine.model import Machine
from roofscan.roofline.model import KernelReport, LevelReport, Ratio, Verdict
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.symbolic.expr import ZERO, Atom, Expr, Monomial, NotEvaluable, Number

Json = dict[str, Any]
Values = Mapping[str, Number]
_LARGEST_BITS = 3000  # beyond it no float, and soon no decimal text


def bound_values(cost: KernelCost) -> dict[str, Number]:
    """The bound symbols: the sample point without the symbols that are still free."""
    return {name: value for name, value in cost.sample_point.items() if name not in cost.free}


def shown_sizes(report: KernelReport) -> Values:
    """The sizes at which numbers stand for long expressions: those of the verdict, so that a report refers to one size;
    what the verdict leaves open is at the sample point."""
    return {**report.cost.sample_point, **report.verdict.sizes}


def value_of(expr: Expr, values: Values) -> int | float | None:
    """The number of ``expr``: an int where it is an integer, else a float; None where a symbol is free."""
    try:
        return plain_number(expr.evaluate(values))
    except (NotEvaluable, ZeroDivisionError, OverflowError):
        return None


def ratio_value(ratio: Ratio, values: Values) -> int | float | None:
    """FLOPs per byte as a number; None where a symbol is free or nothing moves."""
    if not ratio.bytes:
        return None
    top, bottom = _reduced(ratio)
    try:
        flops, traffic = top.evaluate(values), bottom.evaluate(values)
        return plain_number(Fraction(flops) / Fraction(traffic)) if traffic else None
    except (NotEvaluable, ZeroDivisionError, OverflowError):
        return None


def plain_number(number: Number | float) -> int | float | None:
    """A number that JSON can hold: an int, a finite float, or None."""
    if isinstance(number, int):
        return number if number.bit_length() <= _LARGEST_BITS else None
    if isinstance(number, Fraction) and number.denominator == 1:
        return plain_number(number.numerator)
    approximate = float(number)
    if not isfinite(approximate):
        return None
    return approximate


def finite(number: float | None) -> int | float | None:
    return None if number is None else plain_number(number)


def amount(expr: Expr | None, values: Values) -> Json:
    """An expression as JSON has it, with its value where the sizes are bound."""
    if expr is None:
        return {"expr": None, "value": None}
    return {"expr": str(expr), "value": value_of(expr, values)}


def moved(movement: Movement, machine: Machine | None) -> Expr:
    """Bytes that cross an interface: fills count where a write miss fetches its line."""
    total = movement.load + movement.writeback
    return total + movement.fill if machine is not None and machine.write_allocate else total


def ratio_text(ratio: Ratio) -> str:
    """FLOPs / bytes as one quotient without common factors: ``n/12``, ``2*n/(3*n + 8)``."""
    if not ratio.flops or not ratio.bytes:
        return "0"
    top, bottom = _reduced(ratio)
    if len(bottom.terms) == 1:
        return str(top / bottom)
    numerator = str(top) if len(top.terms) == 1 else f"({top})"
    return f"{numerator}/({bottom})"


def time_at_binding(report: KernelReport) -> TimePrediction | NoTime | None:
    """Of a call at the sizes that are bound; that of the verdict is at large sizes where some are free."""
    free = sorted(report.verdict.sizes)
    return NoTime(f"sizes are free: bind {', '.join(free)}") if free else report.time


@dataclass(frozen=True)
class Rates:
    """Of the expected time of a call: FLOP/s, and bytes/s across one interface; 0 where they are not known."""

    flops: float = 0.0
    bytes: float = 0.0
    level: str = ""


def expected_rates(report: KernelReport) -> Rates:
    verdict, time = report.verdict, report.time
    if not isinstance(time, TimePrediction) or not time.expected:
        return Rates()
    flops = value_of(report.cost.flops, {**bound_values(report.cost), **verdict.sizes}) or 0
    wanted = (verdict.limit, verdict.level)
    level = next((each for name in wanted for each in report.levels if each.name == name), None)
    moved_ = _bytes_there(level, flops, verdict)
    fastest = verdict.roof / level.ridge if level and verdict.roof and level.ridge else None
    stays = level is not None and level.name != time.limit and (fastest is None or moved_ / time.expected > fastest)
    if level is None or not moved_ or stays:  # data that stay in a nearer cache do not cross it
        return Rates(flops / time.expected)
    return Rates(flops / time.expected, moved_ / time.expected, level.name)


def _bytes_there(level: LevelReport | None, flops: float, verdict: Verdict) -> float:
    if flops:
        return flops / level.judged.low if level and level.judged and level.judged.is_known and level.judged.low else 0
    return verdict.bandwidth * verdict.seconds if verdict.bandwidth and verdict.seconds else 0


def compulsory_bytes(report: KernelReport) -> Expr | None:
    return moved(report.compulsory.total, report.machine) if report.compulsory else None


def live_bytes(report: KernelReport) -> Expr | None:
    """The part of compulsory traffic that is not of temporaries."""
    if report.compulsory is None:
        return None
    live = {array.owner for array in report.cost.kernel.arrays if array.is_live}
    moves = (m for name, m in report.compulsory.arrays.items() if name in live)
    return sum((moved(m, report.machine) for m in moves), start=ZERO)


def compulsory_status(report: KernelReport) -> TrafficStatus:
    """That of the footprint, too."""
    return report.compulsory.status if report.compulsory else "unknown"


def by_class(cost: KernelCost) -> dict[str, Expr]:
    counts: dict[str, Expr] = {}
    for (kind, _), count in sorted(cost.operations.items()):
        counts[kind] = counts[kind] + count if kind in counts else count
    return {kind: count for kind, count in counts.items() if count}


def _reduced(ratio: Ratio) -> tuple[Expr, Expr]:
    common = _content([*ratio.flops.terms.items(), *ratio.bytes.terms.items()])
    return ratio.flops / common, ratio.bytes / common


def _content(terms: list[tuple[Monomial, Number]]) -> Expr:
    """The largest monomial (with a rational coefficient) that divides every term."""
    fractions = [Fraction(c) for _, c in terms]
    top = reduce(gcd, (abs(f.numerator) for f in fractions))
    scale = reduce(lambda a, b: a * b // gcd(a, b), (f.denominator for f in fractions))
    powers = [dict(monomial) for monomial, _ in terms]
    atoms: set[Atom] = {atom for monomial in powers for atom in monomial}
    lowest = {atom: min(m.get(atom, 0) for m in powers) for atom in atoms}
    monomial = tuple((atom, power) for atom, power in _ordered(lowest) if power)
    return Expr({monomial: Fraction(top, scale)})


def _ordered(powers: Mapping[Atom, int]) -> list[tuple[Atom, int]]:
    return sorted(powers.items(), key=lambda item: (0, item[0]) if isinstance(item[0], str) else (1, item[0].key))
