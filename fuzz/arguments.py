"""Arguments for a function of which only the text is known: what its uses and defaults say, then what trial finds."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from roofscan.ir.arrays import Array
from roofscan.symbolic.expr import NotEvaluable, Number
from tests.oracle.analysis import Analysis
from tests.oracle.words import Words, read_expression

SIZES = (9, 11, 8, 7, 10, 12, 6)
"""Values of the free sizes of a first guess, in turn."""

Shape = tuple[int, ...]
Guess = "int | float | tuple[str, Shape, str]"  # a number, or the type, shape and content of an array
CONTENTS = ("small", "rising", "count")


def guesses(function: ast.FunctionDef, free: Analysis, seed: int, tries: int) -> Iterator[Words]:
    """Arguments to try: as the analysis reads the function, and then with one or two parameters drawn anew."""
    rng = random.Random(seed)
    given = _defaults(function)
    names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    wanted = [name for name in names if given.get(name, 0) is not None]
    pointers = _row_pointers(function)
    sizes = {s.name for s in free.kernel.symbols if s.kind in ("size", "tile")}
    for equal in (False, True):
        yield _words({name: _first(name, free, given, equal) for name in wanted}, seed, free, pointers)
    for number in range(tries):
        drawn = {name: _first(name, free, given, number % 2 == 0) for name in wanted}
        for name in rng.sample(wanted, min(len(wanted), rng.choice((1, 1, 2, 3)))):
            value = _drawn(rng)
            drawn[name] = max(1, int(value)) if isinstance(value, (int, float)) and name in sizes else value
        yield _words(drawn, seed + number, free, pointers)


def _row_pointers(function: ast.FunctionDef) -> set[str]:
    """Arrays of which two elements, by themselves or under a name, are the ends of a range or a slice: they rise."""
    nodes = list(ast.walk(function))
    ends = [(n.lower, n.upper) for n in nodes if isinstance(n, ast.Slice)]
    calls = (n for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func).endswith("range"))
    ends += [(call.args[0], call.args[1]) for call in calls if len(call.args) > 1]
    named: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named.setdefault(node.targets[0].id, set()).update(_subscripted(node.value))
    return {a for low, high in ends for a in _read(low, named) & _read(high, named)}


def _read(node: ast.expr | None, named: Mapping[str, set[str]]) -> set[str]:
    """The arrays of which an end of a range is an element."""
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)] if node is not None else []
    return _subscripted(node).union(*(named.get(name, set()) for name in names))


def _subscripted(node: ast.expr | None) -> set[str]:
    return {node.value.id} if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) else set()


def _defaults(function: ast.FunctionDef) -> dict[str, object]:
    """Defaults: a number, or None for one that is left to the function."""
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    pairs = list(zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True))
    pairs += [(arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if value is not None]
    return {arg.arg: _number(value) for arg, value in pairs}


def _number(node: ast.expr) -> object:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) in (int, float) else None


def _first(name: str, free: Analysis, given: dict[str, object], equal: bool) -> object:
    """What the uses of a parameter say of it."""
    if name in given:
        return given[name]
    array = next((a for a in free.kernel.arrays if a.name == name and a.role == "parameter"), None)
    values: dict[str, Number] = {
        s.name: 8 if equal else SIZES[k % len(SIZES)] for k, s in enumerate(free.kernel.symbols)
    }
    if array is not None:
        return (array.dtype.code, _shape(array, values), "small")
    kinds = {s.name: s.kind for s in free.kernel.symbols}
    return values[name] if kinds.get(name) in ("size", "int", "tile") else 1.5 if name not in kinds else 1


def _shape(array: Array, values: dict[str, Number]) -> Shape:
    try:
        return tuple(min(40, max(1, int(extent.evaluate(values)))) for extent in array.shape)
    except NotEvaluable:
        return (8,) * len(array.shape)


def _drawn(rng: random.Random) -> object:
    kind = rng.choice(("array", "array", "array", "array", "int", "float"))
    if kind == "int":
        return rng.choice((0, 1, 2, 3, 5, 8))
    if kind == "float":
        return rng.choice((0.5, 1.5, 2.0))
    shape = (8,) * rng.choice((1, 1, 2, 2, 3))
    if rng.random() < 0.3:
        shape = (*shape[:-1], rng.choice((2, 3, 4, 9)))
    return rng.choice(("f8", "f8", "f8", "i8", "c16", "f4")), shape, rng.choice(CONTENTS)


def _words(drawn: dict[str, object], seed: int, free: Analysis, pointers: set[str]) -> Words:
    scalars = {name: value for name, value in drawn.items() if isinstance(value, (int, float))}
    arrays = {
        name: _content(*value[:2], "rising" if name in pointers else value[2], np.random.default_rng(seed + k))
        for k, (name, value) in enumerate(drawn.items())
        if isinstance(value, tuple)
    }
    return Words(_totals(free, Words({}, scalars, arrays)), scalars, arrays)


def _totals(free: Analysis, words: Words) -> dict[str, int | Fraction]:
    """The symbols for all rows of an array of row pointers together, and for their mean length."""
    found: dict[str, int | Fraction] = {}
    for symbol in free.kernel.symbols:
        name, *ends = re.split(r"\[|\] - \w+\[|\]: ", symbol.meaning)[:3]
        pointers = words.arrays.get(name)
        if symbol.kind != "total" or len(ends) < 2 or pointers is None or pointers.dtype.kind != "i":
            continue
        try:
            last, first = (int(read_expression(end).evaluate({**words.symbols, **words.scalars})) for end in ends)
            found[symbol.name] = int(pointers[last] - pointers[first])
        except (ValueError, IndexError, TypeError, NotEvaluable):
            continue
        found[f"{symbol.name}_per_row"] = Fraction(found[symbol.name], max(1, last - first))
    return found


def _content(code: str, shape: Shape, content: str, rng: np.random.Generator) -> np.ndarray:
    dtype = np.dtype("f4" if code == "bf2" else "?" if code == "b1" else code)
    if dtype.kind in "iu":
        if content == "rising":
            return np.sort(rng.integers(0, 8, shape), axis=-1).astype(dtype)
        if content == "count":
            return np.broadcast_to(np.arange(shape[-1]), shape).astype(dtype, order="C")
        return rng.integers(0, 4, shape).astype(dtype)
    values = rng.random(shape) + 0.5
    if dtype.kind == "c":
        values = values + 1j * rng.random(shape)
    return (np.sort(values, axis=-1) if content == "rising" else values).astype(dtype)
