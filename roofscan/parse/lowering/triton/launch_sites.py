"""What the launches of a Triton kernel say: ``kernel[grid](x, n, BLOCK=1024)``. The grid is a tuple, or a function of
the kernel's constants: ``lambda meta: (triton.cdiv(n, meta["BLOCK"]),)``. Sizes are in the kernel's parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Union

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import DType
from roofscan.parse.lowering.launch_calls import LaunchCall, calls_of, launch_calls
from roofscan.parse.lowering.triton.configurations import OPTIONS
from roofscan.parse.lowering.triton.tensors import MAX_STEPS, element_type, extents
from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    Expression,
    Function,
    Lambda,
    Literal,
    Name,
    Return,
    Sequence,
    Statement,
    Subscript,
)
from roofscan.parse.syntax_walk import dotted_path, walk_all
from roofscan.parse.unparse import UNKNOWN, unparse
from roofscan.symbolic.expr import ONE, Expr, symbol
from roofscan.symbolic.floors import ceil_div, floor_div

Choice = Union[bool, int, str, None]


@dataclass(frozen=True)
class ProgramsLaunched:
    """What one launch says; None: not known in the kernel's parameters."""

    place: str
    grid: tuple[Expr | None, ...] | None
    constants: Mapping[str, int]
    choices: Mapping[str, Choice]  # flags
    types: Mapping[str, DType]  # of the elements of tensors
    strides: Mapping[str, Expr]  # of tensors without gaps
    options: tuple[tuple[str, int], ...]


def program_launches(module: Module, function: Function) -> list[ProgramsLaunched]:
    """The launches of a kernel in its file and its package."""
    return [
        _launch(found, found.sizes, function, module)
        for found in launch_calls(module, function.name)
        if isinstance(found.sizes, Subscript)
    ]


def _launch(found: LaunchCall, sizes: Subscript, function: Function, home: Module) -> ProgramsLaunched:
    node, host = found.call, _Host(found.module, found.host)
    bound = host.bound
    given = {p.name: arg for p, arg in zip(function.parameters, node.args)}
    given.update({k.name: k.value for k in node.keywords if k.name})
    own = {p.name for p in function.parameters}
    passed = {t: symbol(n) for n, arg in given.items() for a in (bound(arg), arg) if n in own and (t := _text(a))}
    written = {name: value.value for name, arg in given.items() if isinstance(value := bound(arg), Literal)}
    sizes_given = {name: _size(arg, {}, set(), bound) for name, arg in given.items()}
    known = {n: int(e.constant) for n, e in sizes_given.items() if e is not None and e.constant is not None}
    types = {name: element_type(arg, host) for name, arg in given.items() if name in own and name not in written}
    grid = bound(sizes.items[0]) if len(sizes.items) == 1 else None
    body = grid.body if isinstance(grid, Lambda) else grid
    items = body.items if isinstance(body, Sequence) else sizes.items  # x[(a,)] has one item, as x[a]
    return ProgramsLaunched(
        found.place(home), tuple(_size(item, passed, own, bound) for item in items),
        {name: value for name, value in known.items() if name in own},
        {n: v for n, v in written.items() if n in own and (v is None or isinstance(v, (bool, str)))},
        {name: dtype for name, dtype in types.items() if dtype is not None},
        _strides(given, passed, own, host),
        tuple((name, known[name]) for name in OPTIONS if name in known),
    )  # fmt: skip


def _text(node: Expression) -> str:
    """Text that means one value; "" where it may mean others."""
    if isinstance(node, Literal) or any(isinstance(n, Call) and n.keywords for n in walk_all(node)):
        return ""
    text = unparse(node)
    return "" if UNKNOWN in text else text


@dataclass(frozen=True)
class _Host:
    """A function that launches, or that calls one that does."""

    module: Module
    function: Function

    def bound(self, node: Expression) -> Expression:
        """What a name was bound to last before its line, in the function or in the file: a value, or what a function
        of that name returns."""
        for _ in range(MAX_STEPS):
            if not isinstance(node, Name):
                break
            values = list(_values(node, self.function.body))
            if not values and not self._given(node):
                values = [v for v in self.module.assignments(node.id) if v.place.line < node.place.line]
            if not values:
                break
            node = values[-1]
        return node

    def value(self, node: Expression) -> tuple[Expression, _Host]:
        """The same; of a parameter, what the first call in the file passes."""
        node = self.bound(node)
        position = self._given(node) - 1 if isinstance(node, Name) else -1
        if position >= 0:
            for caller, call in calls_of(self.module, self.function.name):
                if position < len(call.args):
                    there = _Host(self.module, caller)
                    return there.bound(call.args[position]), there
        return node, self

    def _given(self, name: Name) -> int:
        """The number of the parameter of that name, from 1; 0: there is none."""
        names = [p.name for p in self.function.parameters]
        return names.index(name.id) + 1 if name.id in names else 0

    def extents(self, tensor: Expression) -> tuple[Expression, ...]:
        """``m, n = x.shape``, or those that a tensor is made with."""
        text = unparse(tensor)
        for statement in walk_all(self.function.body):
            if isinstance(statement, Assign) and statement.value is not None and len(statement.targets) == 1:
                [target] = statement.targets
                if isinstance(target, Sequence) and unparse(statement.value) in (f"{text}.shape", f"{text}.size()"):
                    return target.items
        return extents(tensor, self)


def _strides(
    given: Mapping[str, Expression], passed: Mapping[str, Expr], own: set[str], host: _Host
) -> dict[str, Expr]:
    """What ``x.stride(0)`` is of a tensor without gaps, in the parameters of the kernel."""
    asked: dict[str, tuple[Expression, int]] = {}
    for name, arg in given.items():
        call = host.bound(arg)
        if name in own and isinstance(call, Call) and isinstance(call.function, Attribute) and len(call.args) == 1:
            of = _size(call.args[0], {}, set(), host.bound)
            if call.function.name == "stride" and of is not None and of.constant is not None:
                asked[name] = call.function.base, int(of.constant)
    found: dict[str, Expr] = {}
    for name, (tensor, dimension) in asked.items():
        of_same = {d for other, d in asked.values() if unparse(other) == unparse(tensor)}
        sizes = host.extents(tensor)
        rank = len(sizes) or (max(of_same) + 1 if len(of_same) > 1 else 0)
        inner = [_size(size, passed, own, host.bound) for size in sizes[dimension % rank + 1 :]] if rank else []
        known = [size for size in inner if size is not None]
        if rank and (dimension % rank == rank - 1 or len(known) == len(inner) > 0):
            found[name] = prod(known, start=ONE)
    return found


def _values(node: Name, around: tuple[Statement, ...]) -> Iterator[Expression]:
    for statement in walk_all(around):
        if isinstance(statement, Assign) and statement.value is not None and statement.place.line < node.place.line:
            if any(isinstance(target, Name) and target.id == node.id for target in statement.targets):
                yield statement.value
        elif isinstance(statement, Function) and statement.name == node.id and statement.body:
            last = statement.body[-1]
            if isinstance(last, Return) and last.value is not None:
                yield last.value


def _size(
    node: Expression, passed: Mapping[str, Expr], own: set[str], bound: Callable[[Expression], Expression]
) -> Expr | None:
    """A size in the parameters of the kernel."""
    if (text := _text(node)) in passed:
        return passed[text]
    if isinstance(node, Literal):
        return Expr.of(node.value) if type(node.value) is int else None
    if isinstance(node, Name):
        return None if (value := bound(node)) is node else _size(value, passed, own, bound)
    if isinstance(node, Subscript) and len(node.items) == 1 and isinstance(node.items[0], Literal):
        name = node.items[0].value
        return symbol(name) if isinstance(name, str) and name in own else None
    parts: tuple[Expression, ...] = ()
    op = node.op if isinstance(node, Binary) else ""
    if isinstance(node, Binary):
        parts = (node.left, node.right)
    elif isinstance(node, Call) and (dotted_path(node.function) or "").endswith("cdiv") and len(node.args) == 2:
        parts, op = node.args, "cdiv"
    sizes = [size for part in parts if (size := _size(part, passed, own, bound)) is not None]
    if len(sizes) != 2:
        return None
    a, b = sizes
    return {"+": a + b, "-": a - b, "*": a * b, "//": floor_div(a, b), "cdiv": ceil_div(a, b)}.get(op)
