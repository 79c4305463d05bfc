"""Sums, products and powers of numbers and names, as facts write them: a grammar of their own, never eval."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from fractions import Fraction

from roofscan.symbolic.expr import ONE, Expr, symbol

MAX_DIGITS = 18  # integers stay well inside 64 bits
MAX_POWER = 8

_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?(e[0-9]{1,2})?")


class Unreadable(ValueError):
    """A text that is no such expression; the message says why, where that is not plain."""


class ExpressionReader:
    """Reads one expression from tokens and stops before the first that does not belong to it, ``at``."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.next()
        self.at += 1
        return token

    def sum(self) -> Expr:
        total = self._product()
        while self.next() in ("+", "-"):
            total = total + self._product() if self.take() == "+" else total - self._product()
        return total

    def _product(self) -> Expr:
        product = ONE * self._signed()
        while self.next() in ("*", "/"):
            product = product * self._signed() if self.take() == "*" else product / self._divisor()
        return product

    def _signed(self) -> Expr:
        if self.next() in ("+", "-"):
            return -self._signed() if self.take() == "-" else self._signed()
        base = self._factor()
        if self.next() != "**":
            return base
        self.take()
        exponent = self._factor().constant
        if exponent is None or exponent != int(exponent) or not 0 <= exponent <= MAX_POWER:
            raise Unreadable(f"write powers from 0 to {MAX_POWER}")
        return base ** int(exponent)

    def _divisor(self) -> Fraction:
        divisor = self._signed().constant
        if not divisor:
            raise Unreadable("divide by numbers alone")
        return Fraction(divisor)

    def _factor(self) -> Expr:
        token = self.take()
        if token == "(":
            inner = self.sum()
            if self.take() != ")":
                raise Unreadable
            return inner
        if _NUMBER.fullmatch(token):
            if len(token) > MAX_DIGITS:
                raise Unreadable(f"a number has more than {MAX_DIGITS} digits")
            return Expr.of(Fraction(token))
        if token.isidentifier() and not keyword.iskeyword(token):
            return symbol(token)
        raise Unreadable
