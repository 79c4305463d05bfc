"""Rows that are added up in a short vector: after ``c = np.zeros(3)``, ``c += m[i] * pos[i]`` adds a row of ``pos``,
not one number to all three elements. Which of the operands is the row is known where all others give numbers
elsewhere: ``total += m[i]``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from roofscan.parse.inference.operands import called
from roofscan.parse.syntax import (
    Assign,
    AugAssign,
    Binary,
    Call,
    Expression,
    Literal,
    Name,
    Sequence,
    Slice,
    Subscript,
)
from roofscan.parse.syntax_walk import dotted_path, walk

FACTORIES = frozenset(("zeros", "ones", "empty", "full"))
LONGEST = 16  # elements of a vector that no array of numbers is for


def added_rows(nodes: list[Any], subscripted: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Names of matrices, each with the line that says so."""
    vectors, numbers = _vectors(nodes), set(_numbers(nodes))
    for node in nodes:
        if isinstance(node, AugAssign) and isinstance(node.target, Name) and node.target.id in vectors:
            operands = {path for path in _factors(node.value) if subscripted.get(path) == 1}
            rows = operands - numbers
            if node.op in ("+", "-") and len(rows) == 1 and rows < operands:  # ``c += x[i]`` may add numbers
                yield rows.pop(), node.place.line


def _vectors(nodes: list[Any]) -> set[str]:
    """Names that stand for a new vector of a few elements alone."""
    bound = [(t.id, n.value) for n in nodes if isinstance(n, Assign) for t in n.targets if isinstance(t, Name)]
    return {name for name, _ in bound} - {name for name, value in bound if not short_vector(value)}


def short_vector(value: Expression | None) -> int:
    """The elements of a new vector of a few; 0 for anything else."""
    if not isinstance(value, Call) or called(value) not in FACTORIES or not value.args:
        return 0
    shape = value.args[0]
    if isinstance(shape, Sequence) and len(shape.items) == 1:
        shape = shape.items[0]
    literal = shape.value if isinstance(shape, Literal) else None
    return literal if type(literal) is int and 1 < literal <= LONGEST else 0


def _factors(value: Expression) -> Iterator[str]:
    """The arrays whose elements, or rows, an expression of sums and products is made of."""
    if isinstance(value, Binary) and value.op in ("+", "-", "*", "/"):
        yield from (*_factors(value.left), *_factors(value.right))
    elif isinstance(value, Subscript) and len(value.items) == 1 and not isinstance(value.items[0], (Slice, Sequence)):
        path = dotted_path(value.base)
        if path is not None:
            yield path


def _numbers(nodes: list[Any]) -> Iterator[str]:
    """Arrays whose elements are numbers: they are added to a number."""
    started = (n for n in nodes if isinstance(n, Assign) and _is_number(n.value))
    scalars = {target.id for node in started for target in node.targets if isinstance(target, Name)}
    for node in nodes:
        if isinstance(node, AugAssign) and isinstance(node.target, Name) and node.target.id in scalars:
            yield from (path for part in walk(node.value) for path in _factors(part))


def _is_number(value: Expression | None) -> bool:
    return isinstance(value, Literal) and isinstance(value.value, (int, float, complex))
