"""Exact counts in the sizes of a kernel. An :class:`Expr` is a sum of terms. A term is a rational coefficient times a
monomial, which is a product of powers of atoms; powers may be negative (a Laurent polynomial). An atom is a symbol (a
plain ``str``) or a function of expressions (:class:`~roofscan.symbolic.terms.Func`) such as ``floor(n/2)``. Symbols
under a ``floor`` stand for integers. A number has no unit of its own: whoever counts says FLOPs, bytes or iterations.

An Expr is immutable, and equal where its terms are. Operators leave out terms that cancel, and each function has a
normal form (:func:`normal_form`; ``floors``, ``extrema``, ``powers``, ``bits``, ``sums``), so that most equal counts
have equal terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar, Union

from roofscan.budget import spend
from roofscan.symbolic.evaluation import atom_value
from roofscan.symbolic.numeric import NotEvaluable, Number, function_value, integer_if_integral, product, total
from roofscan.symbolic.printing import to_text
from roofscan.symbolic.terms import Atom, Func, Monomial, add_terms, merge_monomials, subtract_terms

__all__ = [
    "ONE", "ZERO", "Atom", "Expr", "Func", "Monomial", "NotEvaluable", "Number", "Operand", "apply", "folded",
    "normal_form", "sum_of", "symbol",
]  # fmt: skip

Operand = Union["Expr", int, Fraction]


def _made(terms: dict[Monomial, Number]) -> Expr:
    """The Expr that owns ``terms``, of which none is zero."""
    expr = Expr.__new__(Expr)
    expr.terms = terms
    expr._hash = expr._symbols = None
    return expr


class Expr:
    """An immutable Laurent polynomial over atoms, with exact rational coefficients."""

    __slots__ = ("_hash", "_symbols", "terms")

    def __init__(self, terms: Mapping[Monomial, Number] | None = None) -> None:
        self.terms: dict[Monomial, Number] = {m: c for m, c in (terms or {}).items() if c}
        self._hash: int | None = None
        self._symbols: frozenset[str] | None = None

    # -- making -------------------------------------------------------------------------------
    @staticmethod
    def of(value: Operand | str) -> Expr:
        """An Expr of a number or a symbol's name (a name is taken as it stands, never parsed)."""
        if isinstance(value, Expr):
            return value
        if isinstance(value, str):
            return _made({((value, 1),): 1})
        return _made({(): integer_if_integral(value)}) if value else ZERO

    @staticmethod
    def atom(func: Func) -> Expr:
        return _made({((func, 1),): 1})

    # -- arithmetic ---------------------------------------------------------------------------
    def __add__(self, other: Operand) -> Expr:
        if not isinstance(other, Expr):
            if not other:
                return self
            other = Expr.of(other)
        if not other.terms:
            return self
        if not self.terms:
            return other
        spend(1 + len(other.terms) + len(self.terms) // 16)
        terms = dict(self.terms)
        add_terms(terms, other.terms)
        return _made(terms)

    __radd__ = __add__

    def __neg__(self) -> Expr:
        return _made({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Operand) -> Expr:
        if not isinstance(other, Expr):
            return self + -other
        if not other.terms:
            return self
        spend(1 + len(other.terms) + len(self.terms) // 16)
        terms = dict(self.terms)
        subtract_terms(terms, other.terms)
        return _made(terms)

    def __rsub__(self, other: Operand) -> Expr:
        return (-self) + other

    def __mul__(self, other: Operand) -> Expr:
        if not isinstance(other, Expr):
            return self._scaled((), other) if other else ZERO
        if len(other.terms) == 1:
            [(monomial, coefficient)] = other.terms.items()
            return self._scaled(monomial, coefficient)
        if len(self.terms) == 1:
            [(monomial, coefficient)] = self.terms.items()
            return other._scaled(monomial, coefficient)
        spend(len(self.terms) * len(other.terms))
        terms: dict[Monomial, Number] = {}
        for m1, c1 in self.terms.items():
            for m2, c2 in other.terms.items():
                monomial = merge_monomials(m1, m2) if m1 and m2 else m1 or m2
                terms[monomial] = total(terms.get(monomial, 0), product(c1, c2))
        return Expr(terms)

    def _scaled(self, monomial: Monomial, factor: Number) -> Expr:
        """This times one term, which keeps the terms apart."""
        if factor == 1 and not monomial:
            return self
        terms = self.terms
        spend(len(terms))
        if monomial:
            terms = {merge_monomials(m, monomial) if m else monomial: c for m, c in terms.items()}
        if type(factor) is not int:
            return _made({m: product(c, factor) for m, c in terms.items()})
        if factor != 1:
            terms = {m: c * factor if type(c) is int else product(c, factor) for m, c in terms.items()}
        return _made(terms)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Expr:
        """Exact division by a number or by a single term; ValueError for any other divisor."""
        divisor = Expr.of(other)
        if len(divisor.terms) != 1:
            raise ValueError(f"cannot divide by the sum {divisor}")
        [(monomial, coefficient)] = divisor.terms.items()
        inverse = tuple([(atom, -power) for atom, power in monomial])
        return self._scaled(inverse, integer_if_integral(Fraction(coefficient.denominator, coefficient.numerator)))

    def __pow__(self, power: int) -> Expr:
        if power < 0:
            return ONE / (self**-power)
        result, base = ONE, self
        while power:
            if power & 1:
                result = result * base
            base = base * base
            power >>= 1
        return result

    def __floordiv__(self, other: Operand) -> Expr:
        return apply("floor", [self, Expr.of(other)])

    # -- comparing ----------------------------------------------------------------------------
    def __eq__(self, other: object) -> bool:
        if isinstance(other, Expr):
            return self.terms == other.terms
        return isinstance(other, (int, Fraction)) and self.terms == Expr.of(other).terms

    def __hash__(self) -> int:
        if self._hash is None:
            # not of the coefficients themselves: hashing a Fraction takes longer than all the rest
            self._hash = hash(frozenset([(m, c.numerator, c.denominator) for m, c in self.terms.items()]))
        return self._hash

    def __bool__(self) -> bool:
        return bool(self.terms)

    # -- looking in ---------------------------------------------------------------------------
    @property
    def constant(self) -> Number | None:
        """The number that this is, or None where a symbol is in it."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and () in self.terms:
            return self.terms[()]
        return None

    @property
    def constant_term(self) -> Number:
        return self.terms.get((), 0)

    @property
    def symbols(self) -> frozenset[str]:
        """All free symbols, those inside function atoms included."""
        if self._symbols is None:
            found: set[str] = set()
            for monomial in self.terms:
                for atom, _ in monomial:
                    if isinstance(atom, str):
                        found.add(atom)
                    else:
                        found |= _func_symbols(atom)
            self._symbols = frozenset(found)
        return self._symbols

    @property
    def atoms(self) -> tuple[Func, ...]:
        """The outermost function atoms, in the order of the terms."""
        found = [a for m in self.terms for a, _ in m if not isinstance(a, str)]
        return tuple(dict.fromkeys(found)) if found else ()

    def degree(self, symbol: str) -> int:
        """The highest power of ``symbol`` outside function atoms."""
        return max((p for m in self.terms for a, p in m if a == symbol), default=0)

    def coefficient(self, symbol: str, power: int = 1) -> Expr:
        """The factor of ``symbol**power`` (function atoms are not looked into)."""
        terms: dict[Monomial, Number] = {}
        for monomial, c in self.terms.items():
            rest = tuple([f for f in monomial if f[0] != symbol])
            here = 0 if len(rest) == len(monomial) else dict(monomial)[symbol]
            if here == power:
                terms[rest] = c
        return _made(terms)

    def is_linear_in(self, symbols: Iterable[str]) -> bool:
        """Whether this is affine in ``symbols`` together (coefficients may hold other symbols)."""
        wanted = set(symbols)
        for monomial in self.terms:
            degree = 0
            for atom, power in monomial:
                if isinstance(atom, str):
                    if atom in wanted:
                        degree += power if power > 0 else 2
                elif _func_symbols(atom) & wanted:
                    return False
            if degree > 1:
                return False
        return True

    # -- replacing and evaluating -------------------------------------------------------------
    def subs(self, values: Mapping[str, Operand]) -> Expr:
        """This with symbols replaced, all at once."""
        if not self.symbols & values.keys():
            return self
        spend(5 * len(self.terms))
        terms: dict[Monomial, Number] = {}
        for monomial, coefficient in self.terms.items():
            term = Expr.of(coefficient)
            for atom, power in monomial:
                factor = _subs_atom(atom, values)
                term = term * (factor if power == 1 else _raised(factor, power))
            add_terms(terms, term.terms)
        return _made(terms)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """The exact number at ``values``; NotEvaluable where a symbol is free."""
        spend(1 + len(self.terms) // 4)
        tops: dict[int, int] = {}  # numerators by denominator: there are few, and integers are fast
        for monomial, coefficient in self.terms.items():
            top, bottom = coefficient.numerator, coefficient.denominator
            for atom, power in monomial:
                base = atom_value(atom, values)
                if type(base) is int and power > 0:
                    top *= base**power
                elif power > 0:
                    top, bottom = top * base.numerator**power, bottom * base.denominator**power
                elif base:
                    top, bottom = top * base.denominator**-power, bottom * base.numerator**-power
                else:
                    raise NotEvaluable(f"division by zero in {self}")
            tops[bottom] = tops.get(bottom, 0) + top
        whole = tops.pop(1, 0)
        return (
            integer_if_integral(whole + sum(Fraction(top, bottom) for bottom, top in tops.items())) if tops else whole
        )

    @property
    def size(self) -> int:
        """Names, numbers and atoms in its text: atoms in atoms can have a text that is beyond all bounds."""
        return sum(1 + sum(1 if isinstance(atom, str) else atom.size for atom, _ in m) for m in self.terms)

    def __str__(self) -> str:
        return to_text(self)

    def __repr__(self) -> str:
        return f"Expr({self})"


def sum_of(parts: Iterable[Expr]) -> Expr:
    """Their sum, made in one go."""
    terms: dict[Monomial, Number] = {}
    for part in parts:
        add_terms(terms, part.terms)
    return _made(terms)


ZERO = Expr()
ONE = Expr({(): 1})


@lru_cache(maxsize=1 << 9)
def symbol(name: str) -> Expr:
    return Expr.of(name)


def _func_symbols(func: Func) -> set[str]:
    if func.name == "sum":
        body, variable, lo, hi = func.args
        return set((body.symbols - variable.symbols) | lo.symbols | hi.symbols)
    return {s for arg in func.args for s in arg.symbols}


def _raised(base: Expr, power: int) -> Expr:
    """``base**power``; what a sum (or nothing) divides is an atom."""
    if power < 0 and len(base.terms) != 1:
        return Expr.atom(Func("pow", (base, Expr.of(power))))
    return base**power


def _subs_atom(atom: Atom, values: Mapping[str, Operand]) -> Expr:
    if isinstance(atom, str):
        return Expr.of(values.get(atom, symbol(atom)))
    if atom.name == "sum":
        body, variable, lo, hi = atom.args
        values = {k: v for k, v in values.items() if k not in variable.symbols}
        return apply("sum", [body.subs(values), variable, lo.subs(values), hi.subs(values)])
    return apply(atom.name, [arg.subs(values) for arg in atom.args])


# -- functions ------------------------------------------------------------------------------------
_Form = TypeVar("_Form", bound=Callable[..., Expr])
_NORMAL_FORMS: dict[str, Callable[..., Expr]] = {}


def normal_form(name: str) -> Callable[[_Form], _Form]:
    """Registers what makes the atom of a function in normal form from its arguments."""

    def register(form: _Form) -> _Form:
        _NORMAL_FORMS[name] = form
        return form

    return register


def apply(name: str, args: Sequence[Expr]) -> Expr:
    """The function of the arguments, in normal form."""
    form = _NORMAL_FORMS.get(name)
    return folded(name, *args) if form is None else form(*args)


def folded(name: str, *args: Expr) -> Expr:
    """The function's value where the arguments are numbers, else its atom."""
    numbers = [number for arg in args if (number := arg.constant) is not None]
    if len(numbers) == len(args):
        return Expr.of(function_value(name, numbers))
    return Expr.atom(Func(name, args))
