"""The symbols of a kernel under construction, and what its report says: reasons, assumptions and their lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

from roofscan.ir.assumption import Assumption
from roofscan.ir.kernel import Reason
from roofscan.ir.kinds import ReasonEffect, SymbolKind
from roofscan.ir.symbols import Extent, ParameterTest, Symbol
from roofscan.ir.tree import Loop
from roofscan.symbolic.atoms import has_function
from roofscan.symbolic.expr import Expr, NotEvaluable, Number, symbol

MAX_EQUATIONS = 8  # how many equal sizes are followed from one to the next

_RESERVED = frozenset(
    "Min Max floor ceiling log Sum and or not if else for in is lambda None True False "
    "def class return import from as with while try pass del global assert raise yield break continue".split()
)
"""Names of an expression's own functions and of Python's grammar: no symbol may have them."""


class SymbolTable:
    def __init__(self) -> None:
        self.symbols: dict[str, Symbol] = {}
        self.loops: list[Loop] = []  # open loops, outermost first, still without their bodies
        self.shares: dict[tuple[object, ...], Expr] = {}  # symbols that are made once, by what they stand for
        self.reasons: dict[tuple[str, str], Reason] = {}
        self.assumptions: dict[str, str] = {}  # text -> the parameter that it is about
        self.default_scalars: dict[str, None] = {}  # parameters that are scalars because nothing says otherwise
        self.equal: dict[str, Expr] = {}  # sizes that equal others
        self.extents: set[str] = set()  # symbols that are only an extent of an array
        self.named_extents: set[str] = set()  # those that the source has a name for
        self.values: dict[str, Number] = {}  # sizes that facts give
        self.guesses: dict[str, int] = {}  # values for parameters where figures need one: their defaults
        self.held: set[str] = set()  # those whose value an assumption has stated
        self.defaults: dict[str, Any] = {}  # the values of default arguments that are constants
        self.given: dict[str, Any] = {}  # the values of scalar parameters at the start, by name
        self.elsewhere: tuple[str, int] | None = None  # another file, and the line that calls into it

    # -- lines --------------------------------------------------------------------------------
    @contextmanager
    def lines_of(self, file: str | None, call: int) -> Iterator[None]:
        """Lines are those of another file from here on: the kernel's nodes get the line of the call into it. ``file``
        None: lines are those of the analysed file again."""
        outer = self.elsewhere
        self.elsewhere = None if file is None else (file, self.line(call))
        try:
            yield
        finally:
            self.elsewhere = outer

    def line(self, line: int) -> int:
        """The line of the analysed file for ``line``."""
        return self.elsewhere[1] if self.elsewhere else line

    def _with_file(self, text: str, line: int) -> str:
        return f"{text} (line {line} of {self.elsewhere[0]})" if self.elsewhere else text

    # -- the report ---------------------------------------------------------------------------
    def reason(self, line: int, message: str, effect: ReasonEffect, about: Expr | None = None) -> None:
        """Report a reason; one ``about`` a symbol stands as long as the kernel has that symbol."""
        message = self._with_file(message, line)
        name = next(iter(about.symbols), "") if about is not None else ""
        self.reasons.setdefault((message, effect), Reason(self.line(line), message, effect, name))

    def assume(self, text: str, *, about: str = "") -> None:
        """Report an assumption; one ``about`` a parameter can be taken back."""
        self.assumptions[text] = about

    def assume_scalar(self, name: str) -> None:
        """Report that a parameter is a scalar because nothing says otherwise."""
        self.default_scalars[name] = None
        self.assume(Assumption(name, "scalar (default)"), about=name)

    def retract(self, about: str) -> None:
        """Take back what is assumed about a parameter."""
        self.default_scalars.pop(about, None)
        for text in [text for text, subject in self.assumptions.items() if subject == about]:
            del self.assumptions[text]

    # -- symbols ------------------------------------------------------------------------------
    def symbol(
        self, wanted: str, kind: SymbolKind, meaning: str, line: int, test: ParameterTest | None = None,
        extent: Extent | None = None,
    ) -> Expr:  # fmt: skip
        """A new symbol, by the wanted name if that is free."""
        name = self._free_name(wanted)
        made = Symbol(name, kind, self._with_file(meaning, line), self.line(line), test, extent)
        self.symbols[name] = replace(made, mean=kind in ("trips", "length") and bool(self.loops))
        return symbol(name)

    def means_in(self, expr: Expr) -> set[str]:
        """The symbols of an expression that are means of numbers that data choose."""
        return {name for name in expr.symbols if name in self.symbols and self.symbols[name].mean}

    def _free_name(self, wanted: str) -> str:
        base = re.sub(r"\W+", "_", wanted).strip("_") or "s"
        if base[0].isdigit():
            base = f"s{base}"
        name, count = base, 1
        while name in self.symbols or name in _RESERVED:
            count += 1
            name = f"{base}_{count}"
        return name

    def share(self, key: tuple[object, ...], meaning: str, line: int, test: ParameterTest | None = None) -> Expr:
        """The symbol for the share of executions that take a branch, a flag for a test on parameters; equal tests have
        one symbol."""
        if self.elsewhere:
            key = (*key, self.elsewhere[0])
        if key not in self.shares:
            number = sum(1 for s in self.symbols.values() if s.kind in ("share", "flag")) + 1
            self.shares[key] = self.symbol(f"p{number}", "flag" if test else "share", meaning, line, test)
        return self.shares[key]

    def usual_share(self, share: Expr, value: Fraction) -> None:
        """About the value of a share where data say nothing else."""
        for name in share.symbols:
            if share in (symbol(name), 1 - symbol(name)) and self.symbols[name].kind == "share":
                usual = value if share == symbol(name) else 1 - value
                self.symbols[name] = replace(self.symbols[name], usual=usual)

    def once(self, key: tuple[object, ...], wanted: str, kind: SymbolKind, meaning: str, line: int) -> Expr:
        """The symbol of that key, made when it is first asked for."""
        if key not in self.shares:
            self.shares[key] = self.symbol(wanted, kind, meaning, line)
        return self.shares[key]

    def chosen(self, key: tuple[object, ...], whole: Expr, meaning: str, line: int) -> Expr:
        """How many of ``whole`` elements the data choose."""
        length = self.once(key, f"len_{line}", "length", meaning, line)
        [name] = length.symbols
        self.symbols[name] = replace(self.symbols[name], whole=whole)
        return length

    # -- sizes --------------------------------------------------------------------------------
    def resolve(self, expr: Expr) -> Expr:
        """``expr`` with sizes that equal others replaced by these."""
        for _ in range(MAX_EQUATIONS):
            replaced = expr.subs(self.equal)
            if replaced == expr:
                break
            expr = replaced
        return expr

    def may_equate(self, name: str) -> bool:
        """Whether a symbol is an extent that may be replaced by what it must equal."""
        return name in self.extents

    def are_choices(self, names: Collection[str]) -> bool:
        """Whether names are integer parameters that facts give, and that are no sizes: modes, options."""
        return all(name in self.values and self.symbols[name].kind == "int" for name in names)

    def with_facts(self, expr: Expr) -> Expr:
        """``expr`` with the numbers that facts give, where it asks for common bits: their closed form needs one."""
        if not self.values or not has_function(expr, "and"):
            return expr
        return expr.subs({name: Expr.of(self.values[name]) for name in expr.symbols if name in self.values})

    def known_value(self, expr: Expr) -> Number | None:
        """The number that an expression is, by itself or by the sizes that facts give."""
        if expr.constant is not None:
            return expr.constant
        if not self.values or not expr.symbols <= self.values.keys():
            return None
        try:
            return expr.evaluate(self.values)
        except NotEvaluable:
            return None
