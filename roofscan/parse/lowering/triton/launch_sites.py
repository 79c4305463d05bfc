"""What the launches of a Triton kernel say: ``kernel[grid](x, n, BLOCK=1024)``. The grid is a tuple, or a function of
the kernel's constants: ``lambda meta: (triton.cdiv(n, meta["BLOCK"]),)``. Sizes are in the kernel's parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roofscan.frozen import dataclass
from roofscan.parse.lowering.launch_calls import LaunchCall, launch_calls
from roofscan.parse.lowering.triton.configurations import OPTIONS
from roofscan.parse.reader.module import Module
from roofscan.parse.syntax import (
    Assign,
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
from roofscan.symbolic.expr import Expr, ceil_div, floor_div, symbol


@dataclass(frozen=True)
class ProgramsLaunched:
    """What one launch says; None: not known in the kernel's parameters."""

    place: str
    grid: tuple[Expr | None, ...] | None
    constants: Mapping[str, int]
    options: tuple[tuple[str, int], ...]


def program_launches(module: Module, function: Function) -> list[ProgramsLaunched]:
    """The launches of a kernel in its file and its package."""
    return [
        _launch(found, found.sizes, function, module)
        for found in launch_calls(module, function.name)
        if isinstance(found.sizes, Subscript)
    ]


def _launch(found: LaunchCall, sizes: Subscript, function: Function, home: Module) -> ProgramsLaunched:
    node, around = found.call, found.host.body
    given = {p.name: arg for p, arg in zip(function.parameters, node.args)}
    given.update({k.name: k.value for k in node.keywords if k.name})
    own = {p.name for p in function.parameters}
    passed = {arg.id: symbol(name) for name, arg in given.items() if isinstance(arg, Name) and name in own}
    written = {name: _assigned(arg, around, node.place.line) for name, arg in given.items()}
    known = {
        name: arg.value for name, arg in written.items()
        if isinstance(arg, Literal) and isinstance(arg.value, int) and not isinstance(arg.value, bool)
    }  # fmt: skip
    grid = _assigned(sizes.items[0], around, node.place.line) if len(sizes.items) == 1 else None
    body = grid.body if isinstance(grid, Lambda) else grid
    items = body.items if isinstance(body, Sequence) else sizes.items  # x[(a,)] has one item, as x[a]
    return ProgramsLaunched(
        found.place(home), tuple(_size(item, passed, own) for item in items),
        {name: value for name, value in known.items() if name in own},
        tuple((name, known[name]) for name in OPTIONS if name in known),
    )  # fmt: skip


def _assigned(node: Expression, around: tuple[Statement, ...], line: int) -> Expression:
    """What a name was bound to last before a line: a value, or what a function of that name returns."""
    values = list(_values(node, around, line)) if isinstance(node, Name) else []
    return values[-1] if values else node


def _values(node: Name, around: tuple[Statement, ...], line: int) -> Iterator[Expression]:
    for statement in walk_all(around):
        if isinstance(statement, Assign) and statement.value is not None and statement.place.line < line:
            if any(isinstance(target, Name) and target.id == node.id for target in statement.targets):
                yield statement.value
        elif isinstance(statement, Function) and statement.name == node.id and statement.body:
            last = statement.body[-1]
            if isinstance(last, Return) and last.value is not None:
                yield last.value


def _size(node: Expression, passed: Mapping[str, Expr], own: set[str]) -> Expr | None:
    """A size in the parameters of the kernel."""
    if isinstance(node, Literal) and isinstance(node.value, int):
        return Expr.of(node.value)
    if isinstance(node, Name):
        return passed.get(node.id)
    if isinstance(node, Subscript) and len(node.items) == 1 and isinstance(node.items[0], Literal):
        name = node.items[0].value
        return symbol(name) if isinstance(name, str) and name in own else None
    parts: tuple[Expression, ...] = ()
    op = node.op if isinstance(node, Binary) else ""
    if isinstance(node, Binary):
        parts = (node.left, node.right)
    elif isinstance(node, Call) and (dotted_path(node.function) or "").endswith("cdiv") and len(node.args) == 2:
        parts, op = node.args, "cdiv"
    sizes = [size for part in parts if (size := _size(part, passed, own)) is not None]
    if len(sizes) != 2:
        return None
    a, b = sizes
    return {"+": a + b, "-": a - b, "*": a * b, "//": floor_div(a, b), "cdiv": ceil_div(a, b)}.get(op)
