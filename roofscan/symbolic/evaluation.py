"""The value of an atom where its symbols have values. An atom holds expressions, which are evaluated by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import floor
from typing import TYPE_CHECKING

from roofscan.budget import spend, uncounted
from roofscan.symbolic.numeric import NotEvaluable, Number, function_value
from roofscan.symbolic.terms import Atom, Func

if TYPE_CHECKING:  # an expression evaluates its atoms
    from roofscan.symbolic.expr import Expr

MAX_SUM_LENGTH = 1_000_000  # the longest ``sum`` atom that is evaluated term by term
MAX_REMEMBERED = 4096  # the longest whose value is kept


def atom_value(atom: Atom, values: Mapping[str, Number]) -> Number:
    if isinstance(atom, str):
        try:
            return values[atom]
        except KeyError:
            raise NotEvaluable(f"{atom} has no value") from None
    if atom.name == "sum":
        return _sum_value(atom, values)
    return function_value(atom.name, [arg.evaluate(values) for arg in atom.args])


def _sum_value(atom: Func, values: Mapping[str, Number]) -> Number:
    body, variable, lo, hi = atom.args
    [name] = variable.symbols
    first, last = lo.evaluate(values), hi.evaluate(values)
    if last - first > MAX_SUM_LENGTH:
        raise NotEvaluable(f"a sum of {last - first} terms")
    variables = range(floor(first), floor(last) + 1)
    own = body.symbols - {name}
    if len(variables) > MAX_REMEMBERED or not own <= values.keys() or holds_sum(body):
        return sum((body.evaluate({**values, name: x}) for x in variables), start=0)
    spend(len(variables) * (1 + len(body.terms)))
    return _summed(body, name, variables, tuple((symbol, values[symbol]) for symbol in sorted(own)))


@lru_cache(maxsize=1 << 10)
@uncounted
def _summed(body: Expr, name: str, variables: range, values: tuple[tuple[str, Number], ...]) -> Number:
    """One sum is evaluated again and again at the same sizes."""
    return sum((body.evaluate({**dict(values), name: x}) for x in variables), start=0)


@lru_cache(maxsize=1 << 10)
def holds_sum(expr: Expr) -> bool:
    """Whether a ``sum`` atom stands anywhere in it."""
    return any(atom.name == "sum" or any(map(holds_sum, atom.args)) for atom in expr.atoms)
