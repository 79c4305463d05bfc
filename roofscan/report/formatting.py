"""Expressions and sizes as people read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

from roofscan.ir.assumption import Assumption
from roofscan.report.figures import Values, bound_values, ratio_text, ratio_value, shown_sizes, value_of
from roofscan.report.short_names import length
from roofscan.roofline.model import KernelReport, Ratio, Span, SymbolRanges
from roofscan.symbolic.chamber import condition_text
from roofscan.symbolic.collected import by_sizes, collected_text, positive_first
from roofscan.symbolic.expr import Expr, Monomial, Number, symbol
from roofscan.symbolic.factoring import product_text
from roofscan.symbolic.floors import floor_div
from roofscan.units import digits, figure, si

_SURE = {"exact": "", "estimate": "~ ", "lower_bound": "≥ ", "upper_bound": "≤ "}
MORE = " + …"
EXPRESSION_WIDTH = 60
FEW_TERMS = 3  # a sum as short as this reads well as it is
TRAFFIC_WIDTH = 22
RATIO_WIDTH = 13
SIZES_WIDTH = 32
BEYOND = 12  # so much longer may an expression of one term be
MANY = 10_000
DENOMINATORS = (1, 2, 3, 4, 8, 16)
ROUNDING_SHARE, INTEGERS_FROM = 0.02, 25
"""By how much a coefficient of an estimate or a bound may be rounded; from there on to an integer."""
_ROUNDED: Mapping[str, Callable[[Fraction], int]] = {"estimate": round, "lower_bound": floor, "upper_bound": ceil}


def brief(expr: Expr, large: Values, width: int = EXPRESSION_WIDTH) -> str:
    """The expression; where it is long its leading terms at large sizes, or (≈) its value there. JSON has all of it."""
    return _shown(expr, large, width)[0]


def is_approximate(expr: Expr, values: Values, large: Values, width: int = EXPRESSION_WIDTH) -> bool:
    return value_of(expr, values) is None and _shown(expr, large, width)[1]


def _shown(expr: Expr, large: Values, width: int) -> tuple[str, bool]:
    """The text of :func:`brief`, and whether it is the value at large sizes."""
    parts = by_sizes(expr)
    text = _shortest(expr, parts)
    if length(text) <= width or (len(expr.terms) < 2 and length(text) <= width + BEYOND):
        return text, False
    parts.sort(key=lambda part: (-abs(value_of(part, large) or 0), str(part)))
    kept = collected_text(parts[:1])
    if length(kept) > width + BEYOND or kept.startswith("-"):  # unreadable, or far more than the entire sum
        return _at_large(expr, large), True
    for number in range(2, len(parts) + 1):
        longer = collected_text(parts[:number])
        if length(longer) > width - len(MORE):
            return f"{kept}{MORE}", False
        kept = longer
    return kept, False


def _shortest(expr: Expr, parts: Sequence[Expr]) -> str:
    """The entire sum, or a product of the same value, where one is shorter; a sum that begins with what it adds."""
    texts = [str(expr)]
    if len(expr.terms) > FEW_TERMS and (product := product_text(expr)):
        texts.append(product)
    if len(parts) < len(expr.terms):
        texts.append(collected_text(parts))
    texts.append(positive_first(expr))
    return min(texts, key=lambda text: (text.startswith("-"), length(text)))


def simpler(expr: Expr, status: str = "estimate") -> Expr:
    """With small fractions in place of long ones that are within two percent, and whole bytes beside sizes: of an
    estimate the nearest, of a bound those on its side. An exact sum stays as it is."""
    if status not in _ROUNDED:
        return expr
    to_integer, alone, nearest = _ROUNDED[status], len(expr.terms) == 1, status == "estimate"
    if not nearest and any(c < 0 and not _is_of_sizes(monomial) for monomial, c in expr.terms.items()):
        return expr
    return Expr(
        {
            monomial: _near(Fraction(c), to_integer) if monomial or alone else to_integer(Fraction(c))
            for monomial, c in expr.terms.items()
            if nearest or _is_of_sizes(monomial)
        }
        | {monomial: c for monomial, c in expr.terms.items() if not nearest and not _is_of_sizes(monomial)}
    )


def readable(expr: Expr) -> Expr:
    """As it is, or :func:`simpler` where a fraction of it is long."""
    parts = (part for c in expr.terms.values() if (f := Fraction(c)).denominator > 1 for part in f.as_integer_ratio())
    return simpler(expr) if any(abs(part) >= MANY for part in parts) else expr


def _is_of_sizes(monomial: Monomial) -> bool:
    """Whether it is sure not to be negative."""
    return all(isinstance(atom, str) for atom, _ in monomial)


def _near(number: Fraction, to_integer: Callable[[Fraction], int]) -> Fraction:
    if abs(number) >= INTEGERS_FROM:
        return Fraction(to_integer(number))
    if number.denominator <= DENOMINATORS[-1]:
        return number
    tried = [Fraction(to_integer(number * d), d) for d in DENOMINATORS]
    turned = to_integer(1 / number) if to_integer is round else -to_integer(-1 / number)  # a reciprocal falls
    tried += [Fraction(1, turned)] if turned else []
    return next((near for near in tried if abs(near - number) <= abs(number) * ROUNDING_SHARE), number)


def _at_large(expr: Expr, large: Values) -> str:
    number = value_of(expr, large)
    if number is None:
        return "a long expression"
    return f"≈ {digits(number)}" if number < MANY else f"≈ {figure(number)}"


def with_value(expr: Expr, values: Values, large: Values, unit: str = "") -> str:
    """``2*n**3 = 2.00 G`` where the binding gives a number, else the expression alone."""
    number = value_of(expr, values)
    text, approximate = _shown(expr, large, EXPRESSION_WIDTH)
    if number is None or (expr.constant == number and isinstance(number, int) and 0 <= number < 10_000):
        return f"{text} {unit}".rstrip()
    return si(number, unit) if expr.constant is not None or approximate else f"{text} = {si(number, unit)}"


def sureness(status: str) -> str:
    return _SURE.get(status, "? ")


def brief_with_status(status: str, expr: Expr, large: Values, width: int) -> str:
    """:func:`brief` with the sign of its status, unless it has a sign of its own."""
    text, approximate = _shown(simpler(expr, status), large, width)
    return text if approximate else sureness(status) + text


def intensity(report: KernelReport, ratio: Ratio | None, judged: Span | None = None) -> str:
    """FLOPs per byte: a number, a short expression, or (≈) the number at the sizes of the verdict: ``judged``, where
    the verdict has it."""
    if ratio is None:
        return "–"
    number = ratio_value(ratio, bound_values(report.cost))
    if number is not None:
        return digits(number)
    text = ratio_text(ratio)
    if length(text) <= RATIO_WIDTH:
        return text
    number = judged.low if judged and judged.is_known else ratio_value(ratio, shown_sizes(report))
    return "?" if number is None else f"≈ {digits(number)}"


def sizes(when: Sequence[Expr], long: str = "large sizes") -> str:
    """Conditions ``g >= 0`` as ranges: ``2047 ≤ n ≤ 466032``; ``m = n`` where both signs are given. What is ``long``
    is summed up."""
    ends: dict[str, tuple[int, int | None]] = {}
    others: list[str] = []
    for position, g in enumerate(when):
        [name] = g.symbols if len(g.symbols) == 1 else [""]
        lowest, last = ends.get(name, (1, None))
        if g == symbol(name) + g.constant_term:
            ends[name] = (max(lowest, -int(g.constant_term)), last)
        elif g == g.constant_term - symbol(name):
            most = int(g.constant_term)
            ends[name] = (lowest, most if last is None else min(last, most))
        elif -g not in when[:position]:
            others.append(_multiple(g) or condition_text(g, *("==" if -g in when else ("≤", "≥"))))
    texts = [*(_range(name, *span) for name, span in sorted(ends.items())), *others]
    return ", ".join(texts) if length(", ".join(texts)) <= SIZES_WIDTH else long


def conditions(when: Sequence[Expr]) -> list[str]:
    """Conditions ``g >= 0``, one line each; both signs of one are an equation."""
    kept = [g for n, g in enumerate(when) if -g not in when[:n]]
    return [_multiple(g) or condition_text(g, *(("==", "==") if -g in when else ("≤", "≥"))) for g in kept]


def _multiple(g: Expr) -> str:
    """``block_x a multiple of 32`` for ``32*floor(block_x/32) >= block_x``, "" for others."""
    floors = [atom.args for atom in g.atoms if atom.name == "floor"]
    return next((f"{p} a multiple of {q}" for p, q in floors if floor_div(p, q) * q - p == g), "")


def ranges(holds: SymbolRanges) -> str:
    return " or ".join(_range(holds.symbol, lo, hi) for lo, hi in holds.ranges) or f"no {holds.symbol}"


def _range(symbol: str, lo: int, hi: int | None) -> str:
    if hi is None:
        return f"{symbol} ≥ {_size(lo)}" if lo > 1 else f"every {symbol}"
    if lo <= 1:
        return f"{symbol} ≤ {_size(hi)}"
    return f"{symbol} = {_size(lo)}" if lo == hi else f"{_size(lo)} ≤ {symbol} ≤ {_size(hi)}"


def _size(number: int) -> str:
    return str(number) if number < 10_000_000 else figure(number)


def equal_sizes(values: Values, most: int | None = None) -> str:
    """``m = n = 3521``: names of one value together, ``most`` of the values."""
    names: dict[Number, list[str]] = {}
    for name, value in values.items():
        names.setdefault(value, []).append(name)
    said = [f"{' = '.join(equal)} = {_size(round(value))}" for value, equal in names.items()]
    return ", ".join(said[:most]) + (f" and {len(said[most:])} more" if most and said[most:] else "")


def together(sentences: Sequence[str]) -> list[str]:
    """Those that say the same of several, as one: ``A, B are float64 (default)``."""
    subjects: dict[str, list[str]] = {}
    for sentence in sentences:
        if isinstance(sentence, Assumption):
            subjects.setdefault(sentence.says, []).append(sentence.subject)
        else:
            subjects.setdefault(sentence, [])
    return [_joined(names, what) for what, names in subjects.items()]


def _joined(names: Sequence[str], what: str) -> str:
    if not names:
        return what
    if len(names) == 1:
        return f"{names[0]} is {what}"
    return f"{', '.join(names)} are {what.replace(' its ', ' their ')}"
