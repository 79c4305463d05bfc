"""Expressions as SymPy objects, made the way they are printed: ``sympy.sympify(str(expr))`` of our own text equals
``to_sympy(expr)``, which parses no text. Symbols carry no assumptions, so that ``.subs({"n": 1000})`` finds them by
name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from roofscan.symbolic.expr import Atom, Expr, Func, Number
from roofscan.symbolic.printing import as_ceiling

if TYPE_CHECKING:
    import sympy


def to_sympy(expr: Expr, symbols: Mapping[str, Any] | None = None) -> sympy.Expr:
    """The same expression in SymPy; ``symbols`` gives the objects of some names (default: plain symbols)."""
    return _Bridge(symbols or {}).expression(expr)


def piecewise_to_sympy(pieces: Iterable[tuple[Iterable[Expr], Expr]], ratio_of: Expr | None = None) -> sympy.Expr:
    """Each expression where its conditions, by which expressions are at least 0, hold; not a number elsewhere. With
    ``ratio_of``, that over the expressions. SymPy simplifies nothing, which takes it minutes."""
    import sympy

    bridge = _Bridge({})
    known: dict[Expr, Any] = {}

    def holds(g: Expr) -> Any:
        if g not in known:
            known[g] = bridge.expression(g) >= 0
        return known[g]

    rows = []
    for expr, neighbours in groupby(pieces, key=itemgetter(1)):
        cases = [sympy.And(*map(holds, when), evaluate=False) for when, _ in neighbours]
        figure = bridge.expression(expr) if ratio_of is None else bridge.expression(ratio_of) / bridge.expression(expr)
        rows.append((figure, sympy.Or(*cases, evaluate=False) if len(cases) > 1 else cases[0]))
    return sympy.Piecewise(*rows, evaluate=False)


class _Bridge:
    def __init__(self, symbols: Mapping[str, Any]) -> None:
        import sympy

        self._sympy: Any = sympy
        self._symbols = symbols
        self._functions: Mapping[str, Callable[..., Any]] = {
            "min": sympy.Min,
            "max": sympy.Max,
            "and": sympy.Function("bitand"),
            "ilog2": lambda x: sympy.floor(sympy.log(x, 2)),
            "log2": lambda x: sympy.log(x, 2),
            "pow2": lambda x: sympy.Integer(2) ** x,
            "pow": lambda base, exponent: base**exponent,
            "sum": lambda body, variable, lo, hi: sympy.Sum(body, (variable, lo, hi)),
        }

    def expression(self, expr: Expr) -> Any:
        return self._sympy.Add(*(self._term(m, c) for m, c in expr.terms.items()))

    def _term(self, monomial: tuple[tuple[Atom, int], ...], coefficient: Number) -> Any:
        exact = Fraction(coefficient)
        factors = [self._atom(atom) ** power for atom, power in monomial]
        return self._sympy.Mul(self._sympy.Rational(exact.numerator, exact.denominator), *factors)

    def _atom(self, atom: Atom) -> Any:
        if isinstance(atom, str):
            return self._symbols.get(atom) or self._sympy.Symbol(atom)
        if atom.name == "floor":
            return self._floor(atom)
        return self._functions[atom.name](*(self.expression(arg) for arg in atom.args))

    def _floor(self, atom: Func) -> Any:
        """A floor, or the ceiling that it is printed as."""
        ceiling, below = as_ceiling(atom), self.expression(atom.args[1])
        if ceiling is None:
            return self._sympy.floor(self.expression(atom.args[0]) / below)
        numerator, negated = ceiling
        found = self._sympy.ceiling(self.expression(numerator) / below)
        return -found if negated else found
