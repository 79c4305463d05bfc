"""Symbols: what the source of a kernel does not say. A figure is an expression in them."""

from __future__ import annotations

from fractions import Fraction

from roofscan.frozen import dataclass
from roofscan.ir.kinds import SymbolKind
from roofscan.symbolic.expr import Expr, symbol


@dataclass(frozen=True)
class ParameterTest:
    """A test on scalar parameters, which has one outcome in a call."""

    text: str  # "mode == 0"
    parameters: tuple[str, ...]
    equals: float | str | None = None  # the constant of an equality test of one parameter, which excludes all others
    negated: bool = False  # the flag is 1 where the test does not hold
    by_default: bool | None = None  # whether it holds for the default arguments


@dataclass(frozen=True)
class Extent:
    """What a size is of an array: its elements along ``dimension``; where its rank is left open, along all of them, or
    all but one (None). Several arrays: those that broadcast together."""

    arrays: tuple[str, ...]
    dimension: int | None


@dataclass(frozen=True)
class Symbol:
    name: str
    kind: SymbolKind
    meaning: str  # for people: "A.shape[0]", "share of iterations where r2 < cutoff2 (line 12)"
    line: int
    test: ParameterTest | None = None  # of a flag
    extent: Extent | None = None  # whose expression ``meaning`` is
    usual: Fraction | None = None  # of a share: about its value, where its test says so
    whole: Expr | None = None  # of a length: how many elements these are chosen from
    mean: bool = False  # of a number that data choose anew in each iteration of a loop


def is_constant_where_sizes_are_equal(span: Expr) -> bool:
    """Of two sizes or more: ``n - w + 1``, ``n/m``."""
    if len(span.symbols) < 2:
        return False
    try:
        return span.subs(dict.fromkeys(span.symbols, symbol("n"))).constant is not None
    except ZeroDivisionError:  # of a quotient by their difference
        return False
