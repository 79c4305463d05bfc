"""What the launches of a CUDA kernel say: ``kernel[grid, block, stream, shared](…)``, or ``kernel.forall(n, tpb)(…)``.
Sizes are worked out in the kernel's own symbols, by the arguments that a launch passes."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from roofscan.frozen import dataclass
from roofscan.ir.launch import MOST_ALONG, MOST_THREADS
from roofscan.parse.inference.collect import type_facts_in
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.context import Context, Frame
from roofscan.parse.lowering.launch_calls import LaunchCall, launch_calls
from roofscan.parse.lowering.values import Scalar, TupleValue, Unknown, Value, View, integer
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    Call,
    Expression,
    Function,
    Literal,
    Name,
    Sequence,
    Statement,
    Subscript,
)
from roofscan.parse.syntax_walk import dotted_path, target_names, walk
from roofscan.symbolic.expr import ZERO, Expr

TRANSFERS = frozenset(("to_device", "as_cuda_array", "asarray", "ascontiguousarray", "array"))
"""Calls that give the array that they are given, elsewhere."""
ALLOCATIONS = frozenset(
    ("zeros", "ones", "empty", "full", "arange", "device_array", "pinned_array", "random", "random_sample")
)
"""Calls that make an array of the shape that they are given."""
OF_EXTENTS = frozenset(("rand", "randn"))
"""The same, of extents each given alone."""
CONVERSIONS = frozenset(("astype", "copy"))
"""Methods that give an array of the same shape."""
DRIVERS_BLOCK = (Expr.of(1024),)
BY_DRIVER = "where forall takes the driver's block for 32 registers a thread"


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


def _items(sizes: Subscript | Call) -> tuple[Expression | None, ...]:
    """(grid, block, shared), the ``grid`` of ``forall`` being left to its work."""
    if isinstance(sizes, Subscript):
        grid, block, _, shared = (*sizes.items, None, None, None, None)[:4]
        return grid, block, shared
    told = {keyword.name: keyword.value for keyword in sizes.keywords}
    return None, sizes.args[1] if len(sizes.args) > 1 else told.get("tpb"), told.get("sharedmem")


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
            cx.block(tuple(_needed(host, node, items, passed.keys())))
            values = [None if item is None else cx.eval(item) for item in items]
    except Unsupported:
        values = [None, None, None]
    finally:
        cx.frames.pop()
        cx.restore(before)
    grid, block, shared = (_sizes(value, known) for value in values)
    place = found.place(cx.module)
    if isinstance(found.sizes, Call) and (items[1] is None or block == (ZERO,)):
        place, block = f"{place}, {BY_DRIVER}", DRIVERS_BLOCK
    return LaunchSite(place, possible("grid", grid), possible("block", block), shared[0] if shared else None)


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
            call = _made_by(host, name)
            source = call.args[0] if call is not None and call.args else None
            if isinstance(source, Name) and call is not None and _called(call) in TRANSFERS:
                name = source.id
                continue
            if call is not None and isinstance(value, View):
                sizes = zip(_extents(_allocation(call)), value.shape)
                made = {e.id: integer(n) for e, n in sizes if isinstance(e, Name)} | made
            break
    return {**made, **found}


def _allocation(call: Call) -> Call:
    """The call that makes an array, below those that move or convert it."""
    function, name = call.function, _called(call)
    inner: Expression | None = None
    if name in TRANSFERS and call.args:
        inner = call.args[0]
    elif name in CONVERSIONS and isinstance(function, Attribute):
        inner = function.base
    return _allocation(inner) if isinstance(inner, Call) else call


def _extents(call: Call) -> tuple[Expression, ...]:
    """Of the array that an allocation makes."""
    named = {keyword.name: keyword.value for keyword in call.keywords}
    shape = call.args[0] if call.args else named.get("shape", named.get("size"))
    if _called(call) in OF_EXTENTS:
        return tuple(call.args)
    if shape is None or _called(call) not in ALLOCATIONS:
        return ()
    return tuple(shape.items) if isinstance(shape, Sequence) else (shape,)


def _made_by(host: Function, name: str) -> Call | None:
    """The first call whose result a function gives this name."""
    for statement in walk(host.body):
        if isinstance(statement, Assign) and name in {n for t in statement.targets for n in target_names(t)}:
            return statement.value if isinstance(statement.value, Call) else None
    return None


def _called(call: Call) -> str:
    return call.function.name if isinstance(call.function, Attribute) else dotted_path(call.function) or ""


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
