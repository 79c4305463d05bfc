"""Where the file launches a kernel: ``kernel[grid, block, stream, shared](…)``, or ``kernel.forall(n, tpb)(…)``. Sizes
are worked out in the kernel's own symbols, by the arguments that the launch passes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from roofscan.frozen import dataclass
from roofscan.parse.inference.collect import type_facts_in
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.context import Context, Frame
from roofscan.parse.lowering.values import Scalar, TupleValue, Unknown, Value
from roofscan.parse.syntax import Assign, Attribute, Call, Expression, Function, Name, Place, Statement, Subscript
from roofscan.parse.syntax_walk import target_names, walk
from roofscan.symbolic.expr import Expr

TRANSFERS = frozenset(("to_device", "as_cuda_array", "asarray", "ascontiguousarray", "array"))
"""Calls that give the array that they are given, elsewhere."""


@dataclass(frozen=True)
class LaunchSite:
    """What one launch says; None: not known in the kernel's symbols."""

    line: int
    grid: tuple[Expr, ...] | None
    block: tuple[Expr, ...] | None
    shared: Expr | None


def launch_sites(cx: Context, function: Function) -> list[LaunchSite]:
    """The launches of a kernel in its file."""
    if f"{function.name}[" not in cx.module.text and f"{function.name}.forall" not in cx.module.text:
        return []
    found = []
    for host in _hosts(cx, function.name):
        for node in walk(host.body):
            if isinstance(node, Call) and (items := _configuration(node, function.name)) is not None:
                found.append(_site(cx, function, host, node, items))
    return found


def _hosts(cx: Context, name: str) -> Iterator[Function]:
    """The outermost functions that name a kernel, and the statements of the file that do, each as one."""
    for definition in cx.module.definitions:
        lines = cx.module.lines[definition.first_line - 1 : definition.end_line]
        if definition.kind in ("class", "import") or definition.name == name or not any(name in line for line in lines):
            continue
        statements = cx.module.statements(definition)
        if definition.kind == "function":
            yield from (node for node in statements if isinstance(node, Function))
        else:
            place = Place(definition.line, 0, definition.end_line, 0)
            yield Function(place, "the file", (), (), statements, None, definition.line)


def _configuration(node: Call, name: str) -> tuple[Expression | None, ...] | None:
    """(grid, block, shared) of a launch of that kernel, the ``grid`` of ``forall`` being left to its work."""
    launched = node.function
    if isinstance(launched, Subscript) and isinstance(launched.base, Name) and launched.base.id == name:
        items = (*launched.items, None, None, None)
        return items[0], items[1], items[3]
    if isinstance(launched, Call) and isinstance(launched.function, Attribute) and launched.function.name == "forall":
        base, told = launched.function.base, {k.name: k.value for k in launched.keywords}
        block = launched.args[1] if len(launched.args) > 1 else told.get("tpb")
        return (None, block, told.get("sharedmem")) if isinstance(base, Name) and base.id == name else None
    return None


def _site(
    cx: Context, function: Function, host: Function, node: Call, items: tuple[Expression | None, ...]
) -> LaunchSite:
    """The sizes of a launch, worked out beside the kernel, which keeps nothing of it."""
    before, known = cx.snapshot(), frozenset(cx.builder.symbols)
    passed = _passed(cx, function, host, node)
    given = {p.name: Unknown("a parameter of the function that launches") for p in host.parameters}
    frame = Frame(
        f"{host.name} (launch)", type_facts_in(cx.module, host, cx.dispatcher.library), {}, {**given, **passed}
    )
    cx.frames.append(frame)
    try:
        with cx.builder.inside():
            cx.block(tuple(_needed(host, node, items, passed.keys())))
            values = [None if item is None else cx.eval(item) for item in items]
    except Unsupported:
        values = [None, None, None]
    finally:
        cx.frames.pop()
        cx.restore(before)
    grid, block, shared = (_sizes(value, known) for value in values)
    return LaunchSite(node.place.line, grid, block, shared[0] if shared else None)


def _passed(cx: Context, function: Function, host: Function, node: Call) -> dict[str, Value]:
    """The kernel's arguments by the names that the host has for them, on either side of a transfer."""
    found: dict[str, Value] = {}
    for argument, parameter in zip(node.args, function.parameters):
        name = argument.id if isinstance(argument, Name) else ""
        while name and name not in found:
            found[name] = cx.frame.names[parameter.name]
            name = _before_transfer(host, name)
    return found


def _before_transfer(host: Function, name: str) -> str:
    for statement in walk(host.body):
        if isinstance(statement, Assign) and name in {n for t in statement.targets for n in target_names(t)}:
            call = statement.value
            if isinstance(call, Call) and isinstance(call.function, Attribute) and call.function.name in TRANSFERS:
                source = call.args[0] if call.args else None
                return source.id if isinstance(source, Name) else ""
    return ""


def _needed(host: Function, node: Call, items: tuple[Expression | None, ...], have: Collection[str]) -> list[Statement]:
    """The assignments before a launch that its sizes depend on, in order."""
    wanted = {n.id for item in items if item is not None for n in walk(item) if isinstance(n, Name)}.difference(have)
    found: list[Statement] = []
    before = [s for s in walk(host.body) if isinstance(s, Assign) and s.place.line < node.place.line]
    for statement in sorted(before, key=lambda s: s.place.line, reverse=True):
        bound = {name for target in statement.targets for name in target_names(target)}
        if bound & wanted and statement.value is not None:
            found.insert(0, statement)
            wanted |= {n.id for n in walk(statement.value) if isinstance(n, Name)}.difference(have)
    return found


def _sizes(value: Value | None, known: frozenset[str]) -> tuple[Expr, ...] | None:
    items = value.items if isinstance(value, TupleValue) else (value,)
    exprs = [item.expr for item in items if isinstance(item, Scalar) and item.expr is not None]
    inside = all(expr.symbols <= known for expr in exprs)
    return tuple(exprs) if len(exprs) == len(items) and inside else None
