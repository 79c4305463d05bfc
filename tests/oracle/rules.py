"""The counting rules for one operation on scalars: which classes it adds to, and how often.

A value is of kind ``i`` (integers and truth values), ``f``, ``c`` (complex) or ``r`` (a record). Whole-array operations
follow the same rules, once an element.
"""

from __future__ import annotations

import math

import numpy as np

Counts = dict[str, int]

WIDER = "ifc"
"""The kinds of numbers, each wider than those before it."""

CONVERTED: dict[str, type] = {"f": float, "c": complex}

_KINDS: dict[type, str] = {bool: "i", int: "i", float: "f", complex: "c"}
_LETTERS = {"b": "i", "i": "i", "u": "i", "f": "f", "c": "c", "V": "r"}
_PRECISIONS = {"e": "fp16", "f": "fp32", "d": "fp64", "g": "fp64", "F": "fp32", "D": "fp64", "G": "fp64"}
_REAL: dict[str, Counts] = {
    "+": {"add": 1}, "-": {"sub": 1}, "*": {"mul": 1}, "/": {"div": 1}, "//": {"div": 1}, "%": {"div": 1},
}  # fmt: skip
_COMPLEX: dict[str, Counts] = {
    "+": {"add": 2}, "-": {"sub": 2}, "*": {"mul": 4, "add": 1, "sub": 1}, "/": {"complex_div": 1},
}  # fmt: skip


def kind_of(value: object) -> str:
    """``i``, ``f`` or ``c``; empty for a value that is not a number."""
    kind = _KINDS.get(type(value))
    return kind_of_type(type(value)) if kind is None else kind


def kind_of_type(of: type) -> str:
    if of not in _KINDS:
        letter = np.dtype(of).kind if issubclass(of, np.generic) else "i" if issubclass(of, int) else ""
        _KINDS[of] = _LETTERS.get(letter, "")
    return _KINDS[of]


def wider(one: str, other: str) -> str:
    return max(one, other, key=WIDER.index)


def kind_of_dtype(dtype: np.dtype[np.generic]) -> str:
    return _LETTERS[dtype.kind]


def precision_of(value: object) -> str:
    """The precision that an operation with this result runs in (``fp64`` for Python's own numbers)."""
    return _PRECISIONS.get(value.dtype.char, "fp64") if isinstance(value, np.generic) else "fp64"


def precision_of_dtype(dtype: np.dtype[np.generic]) -> str:
    return _PRECISIONS.get(dtype.char, "fp64")


def arithmetic(operator: str, kinds: str) -> Counts:
    """``kinds`` holds the kinds of both operands: ``ff``, ``if``, ``cc``, …"""
    if "c" in kinds:
        return _COMPLEX[operator]
    if "f" in kinds or operator == "/":
        return _REAL[operator]
    return {}


def power(base: str, exponent: str, literal: object) -> Counts:
    """``literal`` is the exponent's value where the source spells it out, else None."""
    if base == "i" and exponent == "i":
        return {}
    if not isinstance(literal, (int, float)):
        return {"special": 1}
    if literal == 0.5:
        return {"sqrt": 1}
    if literal != math.floor(literal) or abs(literal) > 64:
        return {"special": 1}
    return _whole_power("f" if (base, exponent) == ("i", "f") else base, int(literal))


def _whole_power(base: str, exponent: int) -> Counts:
    """By repeated squaring: floor(log2 |e|) + popcount(|e|) - 1 multiplications; a division where e < 0."""
    size = abs(exponent)
    counts: Counts = {}
    multiplications = size.bit_length() - 1 + bin(size).count("1") - 1 if size else 0
    if multiplications:
        counts = {k: v * multiplications for k, v in arithmetic("*", base).items()}
    if exponent < 0:
        counts["complex_div" if base == "c" else "div"] = 1
    return counts


def absolute(kind: str) -> Counts:
    return {"i": {}, "f": {"abs": 1}, "c": {"mul": 2, "add": 1, "sqrt": 1}}[kind]


def negation(kind: str) -> Counts:
    return {} if kind == "i" else {"neg": 1}


def comparison(kinds: str) -> Counts:
    return {"compare": 1} if "f" in kinds or "c" in kinds else {}


def smaller_or_larger(kinds: str) -> Counts:
    return {"minmax": 1} if "f" in kinds or "c" in kinds else {}
