"""Bytes as a function of the position on a path, in pieces, and where they exceed what a roof allows."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from roofscan.frozen import dataclass
from roofscan.roofline.size_paths import POSITION
from roofscan.symbolic.bounded_evaluation import ValuesAlong, number
from roofscan.symbolic.expr import ZERO, Expr, Number
from roofscan.symbolic.intervals import Range, Ranges, clip, merge
from roofscan.symbolic.polynomial_signs import (
    Polynomial,
    negative_where,
    negative_with_floors,
    polynomial,
    without_zeros,
)


@dataclass(frozen=True)
class BytesPiece:
    """On the positions of ``span`` the bytes are ``expr`` (in the position) / ``unit``."""

    span: Range
    expr: Expr
    unit: int = 1

    @cached_property
    def powers(self) -> Polynomial | None:
        return polynomial(self.expr, POSITION)

    def at(self, x: int) -> Number:
        return Fraction(number(self.expr, {POSITION: x})) / self.unit


PiecewiseBytes = tuple[BytesPiece, ...]


def everywhere(expr: Expr) -> PiecewiseBytes:
    """One expression for all positions."""
    return (BytesPiece((1, None), expr),)


def at(pieces: PiecewiseBytes, x: int) -> Number:
    return next(piece.at(x) for piece in pieces if piece.span[1] is None or x <= piece.span[1])


def negative_positions(expr: Expr, span: Range = (1, None), values: ValuesAlong | None = None) -> Ranges:
    return negative_with_floors(expr, POSITION, span, values)


def below_where(
    flops: Expr, ridge: Number, pieces: PiecewiseBytes, span: Range = (1, None), values: ValuesAlong | None = None
) -> Ranges:
    """The positions at which flops < ridge * bytes: piece by piece, exact but for what has to be sampled."""
    values = values or ValuesAlong(POSITION)
    work = {unit: _Work.of(flops * (unit * ridge.denominator)) for unit in {piece.unit for piece in pieces}}
    parts = ((piece, part) for piece in pieces for part in clip(piece.span, span))
    return merge(r for piece, part in parts for r in _below(work[piece.unit], ridge, piece, part, values))


class _Work(NamedTuple):
    """The FLOPs in the units of a piece; ``powers``: as a polynomial, whose arithmetic is fast, where they are one."""

    expr: Expr
    powers: Polynomial | None

    @staticmethod
    def of(expr: Expr) -> _Work:
        return _Work(expr, polynomial(expr, POSITION))


def _below(work: _Work, ridge: Number, piece: BytesPiece, span: Range, values: ValuesAlong) -> Ranges:
    """Where the work is less than the ridge times the bytes."""
    if work.powers is not None and piece.powers is not None:
        pairs = zip_longest(work.powers, piece.powers, fillvalue=0)
        return negative_where(without_zeros(tuple([w - p * ridge.numerator for w, p in pairs])), span)
    return negative_positions(work.expr - piece.expr * ridge.numerator, span, values)


def positive_from(flops: Expr, pieces: PiecewiseBytes, values: ValuesAlong | None = None) -> int:
    """The first position from which on there are always FLOPs and bytes: smaller sizes hold no work."""
    found = (*negative_positions(-flops, values=values), *below_where(ZERO, 1, pieces, values=values))
    return max((lo for lo, hi in found if hi is None), default=1)
