"""Numbers of which it is not known whether they are integers, floating or complex. Plain Python gives a name whatever
is bound to it on a path, and an item of a list may be anything. Such a number counts as the widest type that it may
have, and ``Scalar.least`` is the narrowest: work that this would change is an upper bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.ir.dtypes import F8, DType, promote
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import Scalar

_RANK = {"bool": 0, "int": 0, "float": 1, "complex": 2}


def as_least(number: Scalar) -> Scalar:
    """The number as the narrowest type that it may have."""
    return number if number.least is None else replace(number, dtype=number.least, least=None)


def narrower(dtype: DType, other: DType) -> DType | None:
    """``other`` where a value that counts as ``dtype`` may be narrower than it."""
    if not {dtype.kind, other.kind} <= _RANK.keys():
        return None
    return other if _RANK[other.kind] < _RANK[dtype.kind] else None


def narrowest(cx: Context, dtype: DType, numbers: Sequence[Scalar]) -> DType | None:
    """What a value of type ``dtype`` is at least, which is one of the numbers. Compiled code gives them one type."""
    types = [as_least(number).dtype for number in numbers]
    if any(each.kind not in _RANK for each in types):
        return None
    least = types[0]
    for each in types[1:]:
        least = promote(least, each) if cx.compiled else narrower(least, each) or least
    return narrower(dtype, least)


def in_any_iteration(cx: Context, begun: Scalar, ended: Scalar) -> Scalar:
    """The type of a number at the start of an iteration, where it is ``begun`` before the loop and ``ended`` after an
    iteration: the widest."""
    dtype = begun.dtype
    if narrower(ended.dtype, begun.dtype):
        dtype = F8 if ended.dtype.kind == "float" else ended.dtype
        if begun.dtype.counts and not begun.weak:
            dtype = promote(begun.dtype, dtype)
    least = narrowest(cx, dtype, (begun, ended))
    return begun if (dtype, least) == (begun.dtype, begun.least) else replace(begun, dtype=dtype, least=least)


def doubt(cx: Context, least: Scalar, line: int) -> None:
    """Says that work is counted on a number that may be of the narrower type of ``least``."""
    kinds = ("real", "complex") if least.dtype.kind == "float" else ("an integer", "floating-point")
    cx.builder.reason(line, f"a number that may be {kinds[0]} is counted as a {kinds[1]} number", "wider")
