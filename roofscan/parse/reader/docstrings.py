"""Types in docstrings: ``img : (H, W, 3) array of uint8`` tells the element type and the extents of a parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roofscan.ir.dtypes import DType, lookup
from roofscan.parse.reader.type_expressions import ParameterType
from roofscan.parse.syntax import ExpressionStatement, Function, Literal

_DTYPE = re.compile(r"\b(?:float|complex|u?int)(?:8|16|32|64|128)\b", re.ASCII)
_SHAPE = re.compile(r"[(\[]\s*(\w+\s*,(?:\s*\w+\s*,?)*)\s*[)\]]", re.ASCII)
_SAYS = r"[`*]*(?: is | are |\s*:+\s*|\s+--?\s+|\s*\()"
"""What stands between the name of a parameter and its description."""
_ARRAY = re.compile(r"\b(?:array|ndarray|vector|matrix|image|volume|tensor|grid)s?\b", re.ASCII | re.IGNORECASE)


def documented_types(function: Function) -> dict[str, ParameterType]:
    """The types that the docstring of a function gives its parameters, one line of it at a time."""
    text = _docstring(function)
    names = [p.name for p in function.parameters if not p.star]
    if not text or not names or not (_DTYPE.search(text) or _SHAPE.search(text)):
        return {}
    subject = re.compile(rf"(?<![\w.])[`*]*({'|'.join(map(re.escape, names))}){_SAYS}")
    found: dict[str, ParameterType] = {}
    for line in text.split("\n"):
        for name, said in _clauses(subject, line):
            kind = _type(said)
            if kind is not None:
                found.setdefault(name, kind)
    return found


def _docstring(function: Function) -> str:
    first = function.body[0] if function.body else None
    value = first.value if isinstance(first, ExpressionStatement) else None
    return value.value if isinstance(value, Literal) and isinstance(value.value, str) else ""


def _clauses(subject: re.Pattern[str], line: str) -> Iterator[tuple[str, str]]:
    """The parameters that a line speaks of, and what it says of each: up to the next one."""
    matches = list(subject.finditer(line))
    ends = [match.start() for match in matches[1:]] + [len(line)]
    for match, end in zip(matches, ends):
        opened = match[0].endswith("(")
        yield match[1], ("(" if opened else "") + line[match.end() : end]


def _type(said: str) -> ParameterType | None:
    """An array's type where the text names a shape or calls it an array; else None."""
    shape, dtype = _SHAPE.search(said), _dtype(said)
    dims = tuple(_dim(word.strip()) for word in shape[1].split(",") if word.strip()) if shape else ()
    if any(dim is None for dim in dims) or (shape is not None and _DTYPE.search(shape[1])):
        dims = ()
    known = tuple(dim for dim in dims if dim is not None)
    if known:
        return ParameterType("array", dtype, len(known), dims=known, documented=True)
    if dtype is None:
        return None
    return (
        ParameterType("array", dtype, documented=True)
        if _ARRAY.search(said)
        else ParameterType("unknown", dtype, documented=True)
    )


def _dtype(said: str) -> DType | None:
    named = _DTYPE.search(said)
    return lookup(named[0]) if named else None


def _dim(word: str) -> int | str | None:
    if word.isdigit():
        return int(word) if 0 < len(word) <= 9 and int(word) > 0 else None
    return word if word.isidentifier() and word.lower() not in ("optional", "default", "none") else None
