"""The words of an oracle line (``n=8 A=f8[n,n]F idx=i8[n]<m``) as arguments for a run.

They are the words of ``--bind`` with sizes that may name each other, and with the contents of an index array:
``<m`` integers from 0 to m - 1, ``^total`` a rising list from 0 to total. An element type may be a structured one of
the kernel's module: ``p=particle[n]``.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from roofscan.symbolic.expr import Expr, apply, symbol
from roofscan.symbolic.floors import ceil_div, floor_div

_ARRAY = re.compile(r"(?P<dtype>\w+)\[(?P<dims>[^]]*)\](?P<fortran>F?)(?P<content>(?:[<^].+)?)")
_OPERATORS: dict[type, Callable[[Expr, Expr], Expr]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: floor_div,
}


Types = Mapping[str, np.dtype[Any]]
"""Structured types of a module, by name."""


@dataclass(frozen=True)
class Words:
    """By name: ``sizes`` are integers, ``scalars`` are arguments that are numbers, ``arrays`` the other arguments."""

    sizes: dict[str, int | Fraction]
    scalars: dict[str, int | float]
    arrays: dict[str, np.ndarray[Any, Any]]
    records: dict[str, str] = field(default_factory=dict)  # the types of arrays of records, by their names

    @property
    def arguments(self) -> dict[str, object]:
        return {**self.scalars, **self.arrays}

    @property
    def symbols(self) -> dict[str, int | Fraction]:
        """Every size by the name that a report gives it: ``n``, else ``A_shape_0``, or ``A_size`` at any rank."""
        extents = {
            f"{name}_shape_{axis}": extent
            for name, array in self.arrays.items()
            for axis, extent in enumerate(array.shape)
        }
        wholes = {f"{name}_size": array.size for name, array in self.arrays.items()}
        return {**extents, **wholes, **self.sizes}

    @property
    def bind(self) -> str:
        """The same as text for ``--bind``: extents as numbers, without the contents."""
        words = [f"{name}={value}" for name, value in self.scalars.items()]
        for name, array in self.arrays.items():
            fortran = "F" if array.ndim > 1 and not array.flags.c_contiguous else ""
            extents = ",".join(map(str, array.shape))
            words.append(f"{name}={self.records.get(name, array.dtype.str[1:])}[{extents}]{fortran}")
        return " ".join(words)


def read_words(text: str, parameters: tuple[str, ...] | None = None, types: Types | None = None) -> Words:
    """Reads the words; with ``parameters``, numbers that name none of them are sizes only."""
    types = types or {}
    pairs = [word.partition("=")[::2] for word in text.split()]
    numbers = {name: _number(value) for name, value in pairs if "[" not in value}
    sizes = {name: value for name, value in numbers.items() if isinstance(value, int)}
    arrays = {name: _array(value, sizes, seed, types) for seed, (name, value) in enumerate(pairs) if "[" in value}
    scalars = {n: v for n, v in numbers.items() if parameters is None or n in parameters}
    records = {name: value.partition("[")[0] for name, value in pairs if value.partition("[")[0] in types}
    return Words(sizes, scalars, arrays, records)


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def _array(text: str, sizes: Mapping[str, int], seed: int, types: Types) -> np.ndarray[Any, Any]:
    match = _ARRAY.fullmatch(text)
    if match is None:
        raise ValueError(f"not an array: {text}")
    shape = tuple(_size(part, sizes) for part in match["dims"].split(","))
    dtype = types.get(match["dtype"]) or np.dtype(match["dtype"])
    values = _content(dtype, shape, match["content"], sizes, seed)
    return np.asfortranarray(values) if match["fortran"] else values


def _content(
    dtype: np.dtype[Any], shape: tuple[int, ...], content: str, sizes: Mapping[str, int], seed: int
) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    if dtype.names is not None:
        return _records(dtype, shape, seed)
    if content.startswith("^"):
        total = _size(content[1:], sizes)
        inner = np.sort(random.integers(0, total + 1, shape[0] - 2))
        return np.concatenate([[0], inner, [total]]).astype(dtype)
    if dtype.kind in "iu":
        return random.integers(0, _size(content[1:], sizes) if content else 5, shape).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    values = random.random(shape) + 0.5
    if len(shape) == 2 and shape[0] == shape[1]:
        values += 2 * shape[0] * np.eye(shape[0])  # well conditioned: factorizations need no pivoting
    return values.astype(dtype)


def _records(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> np.ndarray[Any, Any]:
    made = np.zeros(shape, dtype)
    for number, name in enumerate(dtype.names or ()):
        part = made[name]
        part[...] = _content(part.dtype, part.shape, "", {}, 100 * seed + number)
    return made


def _size(text: str, sizes: Mapping[str, int]) -> int:
    return int(read_expression(text).evaluate(sizes))


def read_expression(text: str) -> Expr:
    """``2*n**3/3 - n//2 + min(n, m)`` as an Expr. ValueError for anything but arithmetic on names."""
    return _expression(ast.parse(text, mode="eval").body)


def _expression(node: ast.expr) -> Expr:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Expr.of(node.value)
    if isinstance(node, ast.Name):
        return symbol(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_expression(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
        return _expression(node.left) ** int(str(node.right.value))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_expression(node.left), _expression(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _function(node.func.id, node.args)
    raise ValueError(f"not an expression of sizes: {ast.unparse(node)}")


def _function(name: str, args: list[ast.expr]) -> Expr:
    """``min(n, m)``; and as reports print them ``Min(n, m)``, ``floor(n/2)``, ``ceiling(n/2)``."""
    if name in ("min", "max", "Min", "Max", "ilog2"):
        return apply(name.lower(), [_expression(arg) for arg in args])
    [quotient] = args
    if name not in ("floor", "ceiling") or not isinstance(quotient, ast.BinOp):
        raise ValueError(f"not a function of sizes: {name}")
    if not isinstance(quotient.op, ast.Div):
        raise ValueError(f"not a quotient: {ast.unparse(quotient)}")
    round_to_whole = floor_div if name == "floor" else ceil_div
    return round_to_whole(_expression(quotient.left), _expression(quotient.right))
