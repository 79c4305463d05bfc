"""Terms: monomials over symbols and function atoms, each with its coefficient."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Union

from roofscan.frozen import dataclass
from roofscan.symbolic.numeric import Number, total

if TYPE_CHECKING:  # an atom's arguments are expressions again
    from roofscan.symbolic.expr import Expr

Atom = Union[str, "Func"]
Monomial = tuple[tuple[Atom, int], ...]


@dataclass(frozen=True)
class Func:
    """A function atom. ``floor(p, q)`` is the floor of p/q; ``min`` and ``max`` take any number of arguments;
    ``ilog2(p)`` is the floor of the base-2 logarithm, ``log2(p)`` the logarithm to a float's digits; ``pow2(p)`` is 2
    to the p, ``pow(b, p)`` b to the p; ``and(p, q)`` the bits that two integers have in common; ``sum(body, var, lo,
    hi)`` is the sum of ``body`` for var = lo, …, hi (the variable is an Expr of one symbol)."""

    name: str
    args: tuple[Expr, ...]

    @cached_property
    def key(self) -> str:
        return f"{self.name}({', '.join(str(a) for a in self.args)})"

    @cached_property
    def size(self) -> int:
        """Names, numbers and atoms in its text."""
        return 1 + sum(argument.size for argument in self.args)

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.args))

    def __hash__(self) -> int:
        return self._hash


def is_integer_valued(monomial: Monomial) -> bool:
    """Whether it is an integer where all its atoms are."""
    return all(power > 0 for _, power in monomial)


def _atom_key(atom: Atom) -> tuple[int, str]:
    return (0, atom) if isinstance(atom, str) else (1, atom.key)


@lru_cache(maxsize=1 << 14)
def merge_monomials(a: Monomial, b: Monomial) -> Monomial:
    powers: dict[Atom, int] = dict(a)
    for atom, power in b:
        power += powers.get(atom, 0)
        if power:
            powers[atom] = power
        else:
            del powers[atom]
    return tuple(sorted(powers.items(), key=lambda item: _atom_key(item[0])))


def add_terms(terms: dict[Monomial, Number], more: Mapping[Monomial, Number]) -> None:
    """Add terms to terms; those that cancel are removed."""
    for monomial, coefficient in more.items():
        before = terms.get(monomial)
        if before is None:
            terms[monomial] = coefficient
        elif left := total(before, coefficient):
            terms[monomial] = left
        else:
            del terms[monomial]


def subtract_terms(terms: dict[Monomial, Number], less: Mapping[Monomial, Number]) -> None:
    """Take terms away from terms, likewise."""
    for monomial, coefficient in less.items():
        before = terms.get(monomial)
        if before is None:
            terms[monomial] = -coefficient
        elif left := total(before, -coefficient):
            terms[monomial] = left
        else:
            del terms[monomial]
