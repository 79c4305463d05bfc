"""The configurations of ``@triton.autotune(configs=[triton.Config({"BLOCK": 256}, num_warps=4), ...])``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from roofscan.ir.launch import Configuration
from roofscan.ir.tree import Access, Body
from roofscan.ir.visitor import loops, walk
from roofscan.parse.lowering.context import Context
from roofscan.parse.reader.decorators import constant
from roofscan.parse.syntax import Call, Expression, Function, Literal, Name
from roofscan.parse.syntax_walk import dict_items, dotted_path
from roofscan.parse.syntax_walk import walk as walk_source
from roofscan.symbolic.expr import Expr

OPTIONS = ("num_warps", "num_stages")
Pairs = tuple[tuple[str, int], ...]


def configurations_of(cx: Context, function: Function) -> tuple[Configuration, ...]:
    """In the order of the source; () where the user binds a constant of one."""
    written = [_read(node) for decorator in function.decorators for node in _written(cx, decorator)]
    read = tuple(c for c in written if c is not None)
    if any(name in cx.facts.scalars for c in read for name, _ in c.constants):
        return ()
    if len(read) < len(written):
        cx.builder.assume(
            f"configurations whose values are not integer literals are left out: {len(written) - len(read)}"
        )
    return read


def _written(cx: Context, decorator: Expression) -> Iterator[Call]:
    for node in walk_source(decorator):
        if isinstance(node, Name) and (value := constant(node, cx.module)) is not node:
            yield from _written(cx, value)
        elif isinstance(node, Call) and (dotted_path(node.function) or "").rpartition(".")[2] == "Config" and node.args:
            yield node


def _read(node: Call) -> Configuration | None:
    pairs, place = dict_items(node.args[0]), node.args[0].place
    if not pairs and place.end_column - place.column != len("{}"):
        return None
    constants = _integers((_text(key), value) for key, value in pairs)
    given = (*zip(OPTIONS, node.args[1:]), *((k.name, k.value) for k in node.keywords if k.name in OPTIONS))
    options = _integers(given)
    return None if constants is None or options is None else Configuration(constants, options)


def _integers(pairs: Iterable[tuple[str | None, Expression]]) -> Pairs | None:
    found = []
    for name, value in pairs:
        if name is None or not isinstance(value, Literal) or type(value.value) is not int:
            return None
        found.append((name, value.value))
    return tuple(found)


def _text(key: Expression) -> str | None:
    return key.value if isinstance(key, Literal) and isinstance(key.value, str) else None


def share_work_out(body: Body, configurations: Sequence[Configuration]) -> bool:
    """Whether the constants say how much one program does, so that the same programs do other work with others."""
    names = {name for c in configurations for name, _ in c.constants}
    programs = [loop.var for loop in loops(body) if loop.axis is not None]
    places = (index for node in walk(body) if isinstance(node, Access) for index in node.index if index is not None)
    return any(names & _step(place, var) for place in places for var in programs if var in place.symbols)


def _step(place: Expr, var: str) -> frozenset[str]:
    """The symbols of the distance from one program to the next."""
    return frozenset((place.coefficient(var) if place.is_linear_in([var]) else place).symbols)
