"""The order in which programs run. A program that divides its number (``pid // n``, ``pid % n``) has digits: each is a
direction of the launch, the fastest first. Groups of rows are such digits too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.loop_names import is_loop_variable
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import has_loop_variable
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.floors import ceil_div

MOST_DIGITS = 3  # of all numbers of a program: the directions of a launch


@dataclass(frozen=True)
class Digit:
    var: str
    extent: Expr


@dataclass(frozen=True)
class Split:
    """What the program divides: a digit of its number along an axis, by ``divisor``."""

    axis: int
    digit: int
    divisor: Expr


@dataclass
class ProgramNumber:
    """The number of a program along an axis in its digits, the slowest first."""

    number: Expr
    launched: str  # the symbol of the programs along the axis
    programs: Expr
    digits: list[Digit]
    parts: dict[tuple[Expr, Expr], tuple[Expr, Expr]] = field(default_factory=dict)  # quotient and remainder
    conditions: list[Condition] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)  # the symbols of the rows of a group

    @staticmethod
    def of(cx: Context, axis: int, name: str, programs: Expr, splits: Sequence[Split]) -> ProgramNumber:
        var, [launched] = cx.builder.loop_variable(name), programs.symbols
        found = ProgramNumber(symbol(var), launched, programs, [Digit(var, programs)])
        for split in splits:
            if split.axis == axis:
                found._divide(cx, name, split.digit, split.divisor)
        return found

    def divided(self, a: Expr, b: Expr) -> tuple[Expr, Expr] | None:
        return self.parts.get((a, b))

    def to_split(self, a: Expr, b: Expr) -> int | None:
        """The digit that is divided."""
        for k, digit in enumerate(self.digits):
            if a == symbol(digit.var):
                slower = {other.var for other in self.digits[:k]}
                radix = _radix(b, digit.extent, slower)
                inside = set(filter(is_loop_variable, b.symbols)) <= slower
                return k if inside and radix is not None and b != ONE else None
        return None

    def _divide(self, cx: Context, name: str, k: int, divisor: Expr) -> None:
        digit = self.digits[k]
        slow, fast = (cx.builder.loop_variable(name) for _ in range(2))
        slower = {other.var for other in self.digits[:k]}
        radix = _radix(divisor, digit.extent, slower)
        assert radix is not None
        quotient, remainder = symbol(slow), symbol(fast)
        value = quotient * radix.extent + remainder
        if radix.rows is None:
            rounds = ceil_div(digit.extent, radix.extent)
            if k or not self.conditions:  # those of the whole number hold for no slower digit beyond its own
                self.conditions.append(Condition(digit.extent - 1 - value, "ge"))
        else:
            rounds = digit.extent / radix.extent
            self.groups |= radix.extent.symbols
            groups = next(n for n, other in enumerate(self.digits) if other.var == radix.over)
            self.conditions = [c for c in self.conditions if radix.over not in c.expr.symbols]
            self.conditions.append(Condition(radix.rows - radix.extent * symbol(radix.over) - 1 - remainder, "ge"))
            self.digits[groups] = Digit(radix.over, ceil_div(radix.rows, radix.extent))
            self.programs = radix.rows * rounds
        self._put(digit.var, value)
        self.parts[symbol(digit.var).subs({digit.var: value}), divisor] = quotient, remainder
        self.digits[k : k + 1] = [Digit(slow, rounds), Digit(fast, radix.extent)]

    def _put(self, var: str, value: Expr) -> None:
        """Writes a digit in its own digits."""
        self.number = self.number.subs({var: value})
        written = {var: value}
        self.parts = {(a.subs(written), b): (q.subs(written), r.subs(written)) for (a, b), (q, r) in self.parts.items()}
        self.conditions = [Condition(c.expr.subs({var: value}), c.relation) for c in self.conditions]


@dataclass(frozen=True)
class _Radix:
    """A divisor. ``rows``: it is ``min(rows - extent*over, extent)``, the rows of a group."""

    extent: Expr
    rows: Expr | None = None
    over: str = ""


def _radix(divisor: Expr, extent: Expr, slower: set[str]) -> _Radix | None:
    if not has_loop_variable(divisor):
        return _Radix(divisor)
    atoms = [atom for atom in divisor.atoms if atom.name == "min"]
    if len(atoms) != 1 or divisor != Expr.atom(atoms[0]) or len(atoms[0].args) != 2:
        return None
    for size, rest in (atoms[0].args, atoms[0].args[::-1]):
        names = [name for name in slower if name in rest.symbols]
        if size.symbols & slower or len(names) != 1 or not rest.is_linear_in(names):
            continue
        rows = rest.subs({names[0]: ZERO})
        whole = extent / size
        if rest.coefficient(names[0]) == -size and not any(atom.name == "pow" for atom in whole.atoms):
            return _Radix(size, rows, names[0])
    return None
