"""How many elements the rows have that callers hand a function: ``distance(F[y, x], B[y, x])`` gets three where the
caller stores a vector of three in such a row, ``F[y, x] = mean`` after ``mean = np.zeros(3)``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from roofscan.parse.inference.added_rows import short_vector
from roofscan.parse.reader.given_arguments import calls_by_user
from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import Assign, Expression, Function, Name, Slice, Subscript
from roofscan.parse.syntax_walk import dotted_path

Row = tuple[str, int]  # of an array, by the number of its subscripts


def row_lengths(module: Module, dotted: str, function: Function) -> Mapping[str, int]:
    """By parameter, as far as all compiled functions of the file that call it say the same."""
    found: dict[str, set[int]] = {}
    for nodes, calls in calls_by_user(module, dotted):
        known = _lengths(nodes)
        for call in calls:
            for parameter, argument in zip(function.parameters, call.args, strict=False):
                found.setdefault(parameter.name, set()).add(known.get(_row(argument), 0))
    every = {name: next(iter(lengths)) for name, lengths in found.items() if len(lengths) == 1}
    return {name: length for name, length in every.items() if length}


def _lengths(nodes: list[Any]) -> dict[Row | None, int]:
    """Of the rows in which a function stores vectors of its own."""
    bound: dict[str, list[Expression]] = {}
    stored: list[tuple[Row, str]] = []
    for node in nodes:
        for target in node.targets if isinstance(node, Assign) and node.value is not None else ():
            if isinstance(target, Name):
                bound.setdefault(target.id, []).append(node.value)
            elif (row := _row(target)) is not None and isinstance(node.value, Name):
                stored.append((row, node.value.id))
    found: dict[Row | None, set[int]] = {}
    for row, name in stored:
        found.setdefault(row, set()).update(_of_values(bound.get(name, ()), row))
    return {row: next(iter(lengths)) for row, lengths in found.items() if len(lengths) == 1}


def _of_values(values: Collection[Expression], row: Row) -> Iterator[int]:
    """The elements of what a name stands for: vectors that the function makes, and the row itself; 0 for all else."""
    yield from (short_vector(value) for value in values if _row(value) != row)
    if not values:
        yield 0


def _row(node: Expression) -> Row | None:
    """``A[i, j]``, each subscript one place."""
    if not isinstance(node, Subscript) or any(isinstance(item, Slice) for item in node.items):
        return None
    base = dotted_path(node.base)
    return (base, len(node.items)) if base is not None else None
