"""Numbers of which it is not known whether they are integers, floating or complex. Plain Python gives a name whatever
is bound to it on a path, and an item of a list may be anything. Such a number counts as the widest type that it may
have, and ``Scalar.least`` is the narrowest: work that this would change is an upper bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.ir.dtypes import B1, BY_CODE, C8, F8, DType, promote, weak_type
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import Scalar

_RANK = {"bool": 0, "int": 0, "float": 1, "complex": 2}
_LEAST = {"bool": B1, "int": BY_CODE["i1"], "float": BY_CODE["f2"], "complex": C8}


def as_least(number: Scalar) -> Scalar:
    """The number as the narrowest type that it may have."""
    return number if number.least is None else replace(number, dtype=number.least, least=None)


def narrower(dtype: DType, other: DType) -> DType | None:
    """``other`` where a value that counts as ``dtype`` may be narrower than it."""
    if not {dtype.kind, other.kind} <= _RANK.keys():
        return None
    return other if _width(other) < _width(dtype) else None


def _width(dtype: DType) -> tuple[int, int]:
    return _RANK[dtype.kind], dtype.size


def common_type(cx: Context, one: Scalar, other: Scalar) -> DType:
    """The type of a number that is one of two."""
    if cx.compiled or one.weak == other.weak:
        return promote(one.dtype, other.dtype)
    weak, strong = (one, other) if one.weak else (other, one)
    return weak_type(weak.dtype, strong.dtype)


def narrowest(cx: Context, dtype: DType, numbers: Sequence[Scalar]) -> DType | None:
    """What a value of type ``dtype`` is at least, which is one of the numbers. Compiled code gives them one type. A
    Python number beside NumPy's leaves an array as narrow as it is."""
    mixed = not cx.compiled and len({number.weak for number in numbers}) > 1
    types = [as_least(number).dtype for number in numbers]
    if any(each.kind not in _RANK for each in types):
        return None
    types = [_LEAST[t.kind] if mixed and number.weak else t for t, number in zip(types, numbers, strict=True)]
    least = types[0]
    for each in types[1:]:
        least = promote(least, each) if cx.compiled else narrower(least, each) or least
    return narrower(dtype, least)


def in_any_iteration(cx: Context, begun: Scalar, ended: Scalar) -> Scalar:
    """The type of a number at the start of an iteration, where it is ``begun`` before the loop and ``ended`` after an
    iteration: the widest."""
    dtype, weak = begun.dtype, begun.weak and (cx.compiled or ended.weak)
    if not cx.compiled and begun.weak != ended.weak and {begun.dtype.kind, ended.dtype.kind} <= _RANK.keys():
        dtype = common_type(cx, begun, ended)
    elif _RANK.get(ended.dtype.kind, 0) > _RANK.get(begun.dtype.kind, 0):
        dtype = F8 if ended.dtype.kind == "float" else ended.dtype
        if begun.dtype.counts and not begun.weak:
            dtype = promote(begun.dtype, dtype)
    least = narrowest(cx, dtype, (begun, ended))
    same = (dtype, least, weak) == (begun.dtype, begun.least, begun.weak)
    return begun if same else replace(begun, dtype=dtype, least=least, weak=weak)


def doubt(cx: Context, least: Scalar, line: int) -> None:
    """Says that work is counted on a number that may be of the narrower type of ``least``."""
    kinds = ("real", "complex") if least.dtype.kind == "float" else ("an integer", "floating-point")
    cx.builder.reason(line, f"a number that may be {kinds[0]} is counted as a {kinds[1]} number", "wider")
