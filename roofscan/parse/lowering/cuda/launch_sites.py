"""What the launches of a CUDA kernel say: ``kernel[grid, block, stream, shared](…)``, the same by
``kernel.configure(grid, block, stream, shared)``, or ``kernel.forall(n, tpb)(…)``.
Sizes are worked out in the kernel's own symbols, by the arguments that a launch passes."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from roofscan.frozen import dataclass
from roofscan.ir.launch import MOST_ALONG, MOST_THREADS
from roofscan.parse.inference.collect import type_facts_in
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.context import Context, Frame
from roofscan.parse.lowering.cuda.class_sizes import class_size, method_name
from roofscan.parse.lowering.cuda.host_arrays import TRANSFERS, called, extents, made_by, passed_type, source
from roofscan.parse.lowering.launch_calls import LaunchCall, launch_calls
from roofscan.parse.lowering.values import Scalar, TupleValue, Unknown, Value, View, integer
from roofscan.parse.reader.type_expressions import ParameterType
from roofscan.parse.syntax import Assign, Attribute, Call, Expression, Function, Literal, Name, Statement, Subscript
from roofscan.parse.syntax_walk import dotted_path, target_names, walk
from roofscan.symbolic.expr import ZERO, Expr

DRIVERS_BLOCK = (Expr.of(1024),)
CONFIGURED = ("griddim", "blockdim", "stream", "sharedmem")
"""The parameters of ``configure``."""
BY_DRIVER = "where forall takes the driver's block for 32 registers per thread"


@dataclass(frozen=True)
class LaunchSite:
    """What one launch says; None: not known in the kernel's symbols."""

    place: str = ""  # the line, and the file if it is another one
    grid: tuple[Expr, ...] | None = None
    block: tuple[Expr, ...] | None = None
    shared: Expr | None = None


def launch_sites(cx: Context, function: Function) -> list[LaunchSite]:
    """The launches of a kernel in its file and its package."""
    return [_site(cx, function, found, _items(found.sizes)) for found in launch_calls(cx.module, function.name)]


def launched_types(cx: Context, function: Function) -> dict[str, tuple[ParameterType, str]]:
    """The types of the parameters that the launches of a kernel tell, each with the place of the first that does."""
    found: dict[str, tuple[ParameterType, str]] = {}
    for launch in launch_calls(cx.module, function.name):
        for argument, parameter in zip(launch.call.args, function.parameters):
            stated = passed_type(launch.module, launch.host, argument)
            if stated is not None and parameter.name not in found:
                dtype, is_array = stated
                kind = ParameterType("array", dtype) if is_array else ParameterType("scalar", dtype, 0)
                found[parameter.name] = kind, launch.place(cx.module)
    return found


def _items(sizes: Subscript | Call) -> tuple[Expression | None, ...]:
    """(grid, block, shared), the ``grid`` of ``forall`` being left to its work."""
    if isinstance(sizes, Subscript):
        grid, block, _, shared = (*sizes.items, None, None, None, None)[:4]
        return grid, block, shared
    stated = {keyword.name: keyword.value for keyword in sizes.keywords}
    if not _is_forall(sizes):
        stated.update(zip(CONFIGURED, sizes.args))
        grid, block, _, shared = (stated.get(name) for name in CONFIGURED)
        return grid, block, shared
    return None, sizes.args[1] if len(sizes.args) > 1 else stated.get("tpb"), stated.get("sharedmem")


def _is_forall(sizes: Call) -> bool:
    return called(sizes) == "forall"


def _site(cx: Context, function: Function, found: LaunchCall, items: tuple[Expression | None, ...]) -> LaunchSite:
    """The sizes of a launch, worked out beside the kernel, which keeps nothing of it."""
    before, known = cx.snapshot(), frozenset(cx.builder.symbols)
    host, node = found.host, found.call
    passed = _passed(cx, function, host, node)
    given = {p.name: Unknown("a parameter of the function that launches") for p in host.parameters}
    facts = type_facts_in(found.module, host, cx.dispatcher.library)
    elsewhere = found.module if found.module is not cx.module else None
    frame = Frame(f"{host.name} (launch)", facts, {}, {**given, **passed}, module=elsewhere)
    cx.frames.append(frame)
    try:
        with cx.builder.inside():
            for parameter in host.parameters:
                if isinstance(parameter.default, Literal) and parameter.name not in passed:
                    frame.names[parameter.name] = cx.eval(parameter.default)
            frame.names.update(_class_sizes(found))
            cx.block(tuple(_needed(host, node, items, passed.keys())))
            values = [None if item is None else cx.eval(item) for item in items]
    except Unsupported:
        values = [None, None, None]
    finally:
        cx.frames.pop()
        cx.restore(before)
    grid, block, shared = (_sizes(value, known) for value in values)
    place = found.place(cx.module)
    if isinstance(found.sizes, Call) and _is_forall(found.sizes) and (items[1] is None or block == (ZERO,)):
        place, block = f"{place}, {BY_DRIVER}", DRIVERS_BLOCK
    return LaunchSite(place, possible("grid", grid), possible("block", block), shared[0] if shared else None)


def _class_sizes(found: LaunchCall) -> dict[str, Value]:
    """The attributes of a method's object in the function that launches, that its class says."""
    module, host = found.module, found.host
    method = method_name(module, host)
    attributes = {n.name for n in walk(host.body) if isinstance(n, Attribute) and dotted_path(n) == f"self.{n.name}"}
    said = {name: class_size(module, method, name) for name in attributes} if method else {}
    return {f"self.{name}": integer(Expr.of(size)) for name, size in said.items() if size is not None}


def _passed(cx: Context, function: Function, host: Function, node: Call) -> dict[str, Value]:
    """The kernel's arguments by the names that the host has for them, on either side of a transfer, and the sizes that
    it has made them with."""
    found: dict[str, Value] = {}
    made: dict[str, Value] = {}
    for argument, parameter in zip(node.args, function.parameters):
        name = argument.id if isinstance(argument, Name) else ""
        value = cx.frame.names[parameter.name]
        while name and name not in found:
            found[name] = value
            call = made_by(host, name)
            inner = source(call) if call is not None and called(call) in TRANSFERS else None
            if isinstance(inner, Name):
                name = inner.id
                continue
            if call is not None and isinstance(value, View):
                sizes = zip(extents(call), value.shape)
                made = {e.id: integer(n) for e, n in sizes if isinstance(e, Name)} | made
            break
    return {**made, **found}


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


def possible(word: str, sizes: tuple[Expr, ...] | None) -> tuple[Expr, ...] | None:
    """The grid, or the block; None for one that no launch has."""
    most = MOST_ALONG[word]
    constants = [size.constant for size in sizes or ()]
    whole = all(n is None or (isinstance(n, int) and 1 <= n <= limit) for n, limit in zip(constants, most))
    threads = prod(n for n in constants if n is not None) if word == "block" else 1
    return sizes if 0 < len(constants) <= len(most) and whole and threads <= MOST_THREADS else None
