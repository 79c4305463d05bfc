"""Exact symbolic counts: an :class:`Expr` is a sum of monomials with rational coefficients, a monomial a product of
powers of atoms (powers may be negative: a Laurent polynomial), an atom a symbol (a plain ``str``) or a :class:`Func`
such as ``floor(n/2)``. Symbols that occur under a ``floor`` stand for integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, gcd, lcm
from typing import Union

from roofscan.budget import spend, uncounted
from roofscan.symbolic.numeric import NotEvaluable, Number, function_value, integer_if_whole, product, total
from roofscan.symbolic.printing import to_text
from roofscan.symbolic.terms import Atom, Func, Monomial, add_terms, merge_monomials, subtract_terms

__all__ = [
    "ONE", "ZERO", "Atom", "Expr", "Func", "Monomial", "NotEvaluable", "Number", "Operand", "apply", "ceil_div",
    "common_bits", "floor_div", "maximum", "minimum", "power_of", "sum_of", "symbol",
]  # fmt: skip

Operand = Union["Expr", int, Fraction]

MAX_SUM_LENGTH = 1_000_000  # the longest ``sum`` atom that is evaluated term by term
MAX_REMEMBERED = 4096  # the longest whose value is kept
FEW_TERMS = 256  # a sum of numbers with fewer is its value


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
        return _made({(): integer_if_whole(value)}) if value else ZERO

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
        return self._scaled(inverse, integer_if_whole(Fraction(coefficient.denominator, coefficient.numerator)))

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
        return floor_div(self, Expr.of(other))

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
                base = _atom_value(atom, values)
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
        return integer_if_whole(whole + sum(Fraction(top, bottom) for bottom, top in tops.items())) if tops else whole

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


@lru_cache(maxsize=1 << 12)
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


def _subs_constant(body: Expr, variable: Expr, k: int) -> Number | None:
    try:
        return body.subs(dict.fromkeys(variable.symbols, k)).constant
    except ZeroDivisionError:
        return None


def sum_expr(body: Expr, variable: Expr, lo: Expr, hi: Expr) -> Expr:
    """``Sum(body, (variable, lo, hi))``; a number where it is one of few terms."""
    first, last = lo.constant, hi.constant
    if first is not None and last is not None and last - first < FEW_TERMS and body.symbols <= variable.symbols:
        places = range(ceil(first), floor(last) + 1)
        terms = [_subs_constant(body, variable, k) for k in places]
        if None not in terms:
            return Expr.of(sum(term for term in terms if term is not None))
    return Expr.atom(Func("sum", (body, variable, lo, hi)))


def _subs_atom(atom: Atom, values: Mapping[str, Operand]) -> Expr:
    if isinstance(atom, str):
        return Expr.of(values.get(atom, symbol(atom)))
    if atom.name == "sum":
        variable = atom.args[1]
        values = {k: v for k, v in values.items() if k not in variable.symbols}
        body, lo, hi = (atom.args[i].subs(values) for i in (0, 2, 3))
        return sum_expr(body, variable, lo, hi)
    return apply(atom.name, [arg.subs(values) for arg in atom.args])


def _atom_value(atom: Atom, values: Mapping[str, Number]) -> Number:
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
    if len(variables) > MAX_REMEMBERED or not own <= values.keys() or _holds_sum(body):
        return sum((body.evaluate({**values, name: x}) for x in variables), start=0)
    spend(len(variables) * (1 + len(body.terms)))
    return _summed(body, name, variables, tuple((symbol, values[symbol]) for symbol in sorted(own)))


@lru_cache(maxsize=1 << 10)
@uncounted
def _summed(body: Expr, name: str, variables: range, values: tuple[tuple[str, Number], ...]) -> Number:
    """One sum is evaluated again and again at the same sizes."""
    return sum((body.evaluate({**dict(values), name: x}) for x in variables), start=0)


@lru_cache(maxsize=1 << 10)
def _holds_sum(expr: Expr) -> bool:
    return any(atom.name == "sum" or any(map(_holds_sum, atom.args)) for atom in expr.atoms)


def power_of(base: Expr, exponent: Expr) -> Expr:
    """base**exponent for a base of one term, the constant part of the exponent taken out: ``n*(n**k)``."""
    shift = floor(exponent.constant_term)
    rest = exponent - shift
    if not rest:
        return base**shift
    two = base == Expr.of(2)
    return base**shift * Expr.atom(Func("pow2", (rest,)) if two else Func("pow", (base, rest)))


def apply(name: str, args: list[Expr]) -> Expr:
    """The function atom in normal form: folded where the arguments are numbers."""
    if name == "floor":
        return floor_div(*args)
    if name == "and":
        return common_bits(args[0], args[1])
    if name in ("min", "max"):
        return _extremum(name, args)
    if name == "pow" and args[1].constant is not None and (len(args[0].terms) == 1 or args[1].constant in (0, 1)):
        return power_of(*args)
    numbers = [a.constant for a in args]
    if all(x is not None for x in numbers):
        return Expr.of(function_value(name, [x for x in numbers if x is not None]))
    return Expr.atom(Func(name, tuple(args)))


def minimum(*args: Operand) -> Expr:
    return _extremum("min", [Expr.of(a) for a in args])


def maximum(*args: Operand) -> Expr:
    return _extremum("max", [Expr.of(a) for a in args])


def _extremum(name: str, args: list[Expr]) -> Expr:
    """Min or max, flattened; arguments that differ by a number only are decided."""
    kept: dict[Expr, Number] = {}
    pick = min if name == "min" else max
    for arg in _flatten(name, args):
        base, offset = arg - arg.constant_term, arg.constant_term
        kept[base] = pick(kept[base], offset) if base in kept else offset
    parts = sorted((base + offset for base, offset in kept.items()), key=str)
    return parts[0] if len(parts) == 1 else Expr.atom(Func(name, tuple(parts)))


def _flatten(name: str, args: Iterable[Expr]) -> list[Expr]:
    flat: list[Expr] = []
    for arg in args:
        [(monomial, coefficient)] = arg.terms.items() if len(arg.terms) == 1 else [((), 0)]
        atom = monomial[0][0] if len(monomial) == 1 and coefficient == 1 else None
        if isinstance(atom, Func) and atom.name == name and monomial[0][1] == 1:
            flat.extend(atom.args)
        else:
            flat.append(arg)
    return flat


def floor_div(numerator: Expr, denominator: Expr) -> Expr:
    """floor(numerator/denominator), integer parts taken out; symbols stand for integers."""
    divisor = denominator.constant
    if divisor is None:
        return _floor_by_symbol(numerator, denominator)
    if not divisor:
        raise ZeroDivisionError("division by zero")
    scaled = numerator * (Fraction(1) / divisor)
    scale = lcm(*(Fraction(c).denominator for c in scaled.terms.values())) if scaled.terms else 1
    whole = Expr({m: int(c) if m else floor(c) for m, c in scaled.terms.items() if _is_integer_valued(m)})
    rest = (scaled - whole) * scale
    leading = [c for m, c in rest.terms.items() if m]
    is_whole = all(map(_is_integer_valued, rest.terms))
    if leading and leading[0] < 0 and is_whole:  # floor(-x/d) = -ceil(x/d)
        return whole - floor_div(scale - 1 - rest, Expr.of(scale))
    if not rest.terms or (rest.constant is not None and 0 <= rest.constant < scale):
        return whole
    common = gcd(scale, *(int(c) for m, c in rest.terms.items() if m))
    if common > 1 and is_whole:  # floor((k*x + c)/(k*d)) = floor((x + c//k)/d)
        rest = Expr({m: int(c) // common for m, c in rest.terms.items()})
        scale //= common
    if scale == 2 and rest.constant_term == 1 and is_whole:  # ceil(x/2) = x - floor(x/2)
        base = rest - 1
        return whole + base - Expr.atom(Func("floor", (base, Expr.of(2))))
    inner = _floored(rest) if is_whole else None
    if inner is not None:  # floor((y + floor(x/a))/b) = floor((a*y + x)/(a*b))
        return whole + floor_div(inner[0], Expr.of(inner[1] * scale))
    return whole + Expr.atom(Func("floor", (rest, Expr.of(scale))))


def _floored(expr: Expr) -> tuple[Expr, int] | None:
    """a*y + x and a of ``y + floor(x/a)``, for a positive number a and y without a floor."""
    floors = [atom for atom in expr.atoms if atom.name == "floor"]
    if len(floors) != 1 or expr.terms.get(((floors[0], 1),)) != 1:
        return None
    top, divisor = floors[0].args[0], floors[0].args[1].constant
    rest = expr - Expr.atom(floors[0])
    if not isinstance(divisor, int) or divisor <= 0 or floors[0] in rest.atoms:
        return None
    return divisor * rest + top, divisor


def _is_integer_valued(monomial: Monomial) -> bool:
    return all(power > 0 for _, power in monomial)


def _floor_by_symbol(numerator: Expr, denominator: Expr) -> Expr:
    if len(denominator.terms) == 1:
        quotient = numerator / denominator
        whole = Expr({m: c for m, c in quotient.terms.items() if _is_integer_valued(m) and c == floor(c)})
        numerator = numerator - whole * denominator
    else:
        whole = ZERO
        if numerator == denominator:
            return ONE
    if not numerator:
        return whole
    return whole + Expr.atom(Func("floor", (numerator, denominator)))


def remainder(value: Expr, modulus: Expr) -> Expr:
    return value - modulus * floor_div(value, modulus)


def common_bits(a: Expr, b: Expr, floor_of: Callable[[Expr, Expr], Expr] = floor_div) -> Expr:
    """``a & b``, by floors where one is a number."""
    if a == b:
        return a
    masks = [(other, mask.constant) for other, mask in ((a, b), (b, a)) if isinstance(mask.constant, int)]
    if not masks and (_is_below_bits_of(a, b) or _is_below_bits_of(b, a)):
        return ZERO
    if not masks:
        return Expr.atom(Func("and", (a, b) if str(a) < str(b) else (b, a)))
    value, mask = masks[0]
    if mask < 0:
        return value - common_bits(value, Expr.of(~mask), floor_of)
    found = ZERO
    for low in (bit for bit in range(mask.bit_length()) if mask >> bit & 1 and not (mask << 1) >> bit & 1):
        ones = ~(mask >> low) & (mask >> low) + 1  # above the run of ones that begins there
        for width, sign in ((1 << low, 1), (ones << low, -1)):
            found = found + sign * width * (floor_of(value, Expr.of(width)) if width > 1 else value)
    return found


def _is_below_bits_of(low: Expr, high: Expr) -> bool:
    """Whether one is a remainder by a power of two that all terms of the other are multiples of."""
    for atom in low.atoms:
        width = atom.args[-1].constant
        if atom.name == "floor" and isinstance(width, int) and width > 0 and not width & width - 1:
            if low == remainder(atom.args[0], Expr.of(width)):
                return all(_is_integer_valued(m) and c % width == 0 for m, c in high.terms.items())
    return False


def ceil_div(numerator: Operand, denominator: Operand) -> Expr:
    return -floor_div(-Expr.of(numerator), Expr.of(denominator))
