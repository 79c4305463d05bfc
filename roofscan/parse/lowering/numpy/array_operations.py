"""Whole-array operations: each is a nest over its broadcast shape that reads its operands and writes a fresh array."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import product

from roofscan.ir.dtypes import B1, DType, promote
from roofscan.ir.kernel import Array, Loop, Node, Operation
from roofscan.ir.kinds import OperationKind
from roofscan.parse.lowering.builder import c_strides
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar, element, read, write
from roofscan.parse.lowering.subscript_ranges import has_loop_variable, loop_variables
from roofscan.parse.lowering.values import Scalar, TupleValue, Unknown, Value, View, entire_view
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

Compute = Callable[[list[Scalar]], Scalar]

MAX_WRITTEN_OUT = 64
"""The longest list whose elements are written one by one in the tree."""


def as_operand(cx: Context, value: Value, line: int) -> Value:
    """A list of numbers in array arithmetic becomes an array; an extent that facts say to be 1 is one that repeats."""
    if isinstance(value, TupleValue):
        return from_items(cx, value, line) or value
    if isinstance(value, View) and any(e != ONE and cx.builder.known_value(e) == 1 for e in value.shape):
        return replace(value, shape=tuple(ONE if cx.builder.known_value(e) == 1 else e for e in value.shape))
    return value


def elementwise(
    cx: Context, operands: Sequence[Value], line: int, compute: Compute, name: str, out: View | None = None,
    where: Value | None = None,
) -> Value:  # fmt: skip
    """``compute`` on every element of the broadcast operands; the result is a fresh array, or goes to ``out``.

    ``where`` is a mask: an element is computed in the share of cases that it lets through.
    """
    unknown = next((o for o in operands if not isinstance(o, (Scalar, View))), None)
    if unknown is not None:
        why = unknown.why if isinstance(unknown, Unknown) else "something that is not a number or an array"
        cx.builder.reason(line, f"an array operation on {why}", "lower")
        operands = [o if isinstance(o, (Scalar, View)) else Scalar(B1, weak=True) for o in operands]
    views = [o for o in operands if isinstance(o, View) and o.ndim]
    if not views and out is None:
        return compute([_number(cx, o, line) for o in operands])
    shape = _common_shape(cx, operands, views, line)
    if out is not None:
        shape = out.shape if not views else broadcast(cx, [out.shape, shape], line)
    scalars = {k: _number(cx, o, line) for k, o in enumerate(operands) if not (isinstance(o, View) and o.ndim)}
    target: list[View] = [] if out is None else [out]
    mask = where if isinstance(where, View) and where.ndim else None
    share = mask_share(cx, line) if mask is not None else ONE

    def body(indices: list[Expr]) -> None:
        if mask is not None:
            read(cx, element(mask, indices), line)
        with guarded(cx, share, line):
            inputs = [
                read(cx, element(o, indices), line) if isinstance(o, View) and k not in scalars else scalars[k]
                for k, o in enumerate(operands)
            ]
            result = compute(inputs)
            if not target:
                target.append(temporary(cx, shape, result.dtype, line, outer))
            write(cx, element(target[0], indices), result, line)

    outer = cx.builder.open_variables
    nest(cx, shape, line, body)
    return target[0] if target else Unknown("an empty array operation")


def _common_shape(cx: Context, operands: Sequence[Value], views: Sequence[View], line: int) -> tuple[Expr, ...]:
    """What operands broadcast to; those that may be numbers or arrays broadcast into the others."""
    broadcast_sizes = cx.builder.broadcast_sizes
    names = broadcast_sizes.open_sources(o.node for o in operands if isinstance(o, Scalar))
    known = [v for v in views if v.array not in broadcast_sizes.arrays]
    shape = broadcast(cx, [v.shape for v in known or views], line)
    if known:
        broadcast_sizes.record_shape(names, shape)
    if any(v.ndim < len(cx.builder.arrays[v.array].shape) for v in known):  # rows and columns: one after the other
        broadcast_sizes.mark_scalars(names)
    return shape


def mask_share(cx: Context, line: int) -> Expr:
    """The symbol for the share of elements that a ``where=`` lets through."""
    cx.builder.reason(line, "how many elements a mask lets through depends on data", "parametric")
    meaning = f"share of the elements that the mask in line {line} lets through, from 0 to 1"
    return cx.builder.share(("mask", cx.frame.dotted, line), meaning, line)


def guarded(cx: Context, share: Expr, line: int) -> AbstractContextManager[None]:
    """What is added goes under a data branch of ``share``, if that is not 1."""
    return nullcontext() if share == ONE else cx.builder.when((), share, line)


def _number(cx: Context, value: Value, line: int) -> Scalar:
    return as_scalar(cx, value, line)


def nest(
    cx: Context, shape: Sequence[Expr], line: int, body: Callable[[list[Expr]], None], over: Collection[int] = ()
) -> None:
    """Loops over a shape, last dimension innermost, around what ``body`` adds for the indices.

    The loops of the dimensions ``over`` hand on what a reduction has so far.
    """
    builder = cx.builder
    loops = [
        replace(_element_loop(cx, extent, line), state=("reduction",) if d in over else ())
        for d, extent in enumerate(shape)
    ]

    def open_loop(depth: int) -> list[Node]:
        if depth == len(loops):
            with builder.inside() as innermost:
                body([symbol(loop.var) for loop in loops])
            return innermost
        with builder.in_loop(loops[depth]) as nodes:
            for node in open_loop(depth + 1):
                builder.add(node)
        return [replace(loops[depth], body=tuple(nodes))]

    for node in open_loop(0):
        builder.add(node)


def _element_loop(cx: Context, extent: Expr, line: int) -> Loop:
    """The loop over one dimension; rows of a CSR structure have a length whose total is known."""
    rows = cx.builder.row_total(extent)
    loop = Loop(cx.builder.loop_variable("e"), ZERO, extent, ONE, (), line, array_expression=True)
    return loop if rows is None else replace(loop, total=rows[0], total_over=rows[1])


def temporary(cx: Context, shape: Sequence[Expr], dtype: DType, line: int, outer: tuple[str, ...]) -> View:
    """A fresh array for the result of an expression."""
    sizes = tuple(shape)
    array = Array("~t", dtype, sizes, c_strides(sizes), "temporary", line, outer, live_out=False)
    return entire_view(cx.builder.array(array), temporary=True)


def allocate(cx: Context, shape: Sequence[Expr], dtype: DType, line: int) -> View:
    """A new array that nothing is written to yet."""
    return temporary(cx, shape, dtype, line, cx.builder.open_variables)


def rename(cx: Context, view: View, name: str) -> View:
    """Give a temporary the name that the source binds it to."""
    arrays = cx.builder.arrays
    old = arrays[view.array]
    if old.role == "temporary":
        cx.builder.names[old.name] = cx.builder.unused_name(name, taken=cx.builder.given_names)
        cx.builder.given_names[cx.builder.names[old.name]] = old.name
        arrays[old.name] = replace(old, role="local")
    return replace(view, temporary=False)


def fill(cx: Context, view: View, value: Scalar, line: int) -> None:
    """Write one value to every element."""
    nest(cx, view.shape, line, lambda indices: write(cx, element(view, indices), value, line))


def copy_into(cx: Context, target: View, value: Value, line: int) -> None:
    """``target[...] = value``: a slice store."""
    value = as_operand(cx, value, line)
    if isinstance(value, View) and value.ndim:
        source = value
        if source.ndim > target.ndim:
            cx.unknown(line, "an array stored into one of fewer dimensions")
            return
        broadcast(cx, [target.shape, source.shape], line)
        nest(
            cx,
            target.shape,
            line,
            lambda indices: write(cx, element(target, indices), read(cx, element(source, indices), line), line),
        )
    else:
        fill(cx, target, _number(cx, value, line), line)


def broadcast(cx: Context, shapes: Sequence[Sequence[Expr]], line: int) -> tuple[Expr, ...]:
    """The common shape by NumPy's rules; sizes that differ in name only are taken as equal, and said to be."""
    rank = max((len(s) for s in shapes), default=0)
    result: list[Expr] = []
    for position in range(-rank, 0):
        extents = [s[position] for s in shapes if len(s) >= -position]
        common = ONE
        for extent in extents:
            if common == ONE or cx.builder.known_value(common) == 1:
                common = extent
            elif extent not in (ONE, common) and cx.builder.known_value(extent) != 1:
                unify(cx, common, extent, line)
        result.append(common)
    return tuple(result)


def unify(cx: Context, a: Expr, b: Expr, line: int) -> None:
    """Two extents that must be equal: an assumption, unless one is a number and the other another number."""
    a, b = cx.builder.resolve(a), cx.builder.resolve(b)
    if a == b:
        return
    if len((a - b).terms) == 1 and not has_loop_variable(a - b):  # sizes are positive
        cx.builder.reason(line, f"the shapes do not match: {a} and {b}", "lower")
        return
    difference = a - b
    plain = [_plain_symbol(b), _plain_symbol(a)]

    def readable(name: str) -> tuple[bool, int, str]:
        """Names that the source gives stay, and so does what is written with fewer terms."""
        return name in cx.builder.named_extents, plain.index(name) if name in plain else 2, name

    for name in sorted(difference.symbols, key=readable):  # A_shape_0 - i against n - i
        factor = difference.coefficient(name).constant
        if factor in (1, -1) and difference.degree(name) == 1 and cx.builder.may_equate(name):
            value = (difference - symbol(name) * Expr.of(factor)) * -int(factor)
            free = name not in value.symbols and not loop_variables(value)
            if free and (value.constant is None or value.constant > 0):
                cx.builder.equal[name] = value
                cx.builder.assume(f"{name} equals {value} (line {line})")
                return
    if has_loop_variable(a) != has_loop_variable(b):
        cx.builder.reason(line, f"the shapes do not match in every turn: {a} and {b}", "lower")
        return
    cx.builder.assume(f"{a} equals {b} (line {line})")


def _plain_symbol(expr: Expr) -> str | None:
    names = expr.symbols
    if len(names) == 1:
        [name] = names
        return name if expr == symbol(name) else None
    return None


def row_of(view: View, index: Expr) -> View:
    """``view[index]``: the first dimension fixed."""
    axes = tuple(
        replace(a, offset=None if a.offset is None else a.offset + a.step * index, dim=None)
        if a.dim == 0
        else a if a.dim is None else replace(a, dim=a.dim - 1)
        for a in view.axes
    )  # fmt: skip
    return replace(view, shape=view.shape[1:], axes=axes, temporary=False)


def from_items(cx: Context, value: TupleValue, line: int) -> View | None:
    """``np.array([a, b, c])``: a small array, each element written once. None for anything but plain numbers."""
    shape = _nested_shape(value)
    items = list(_leaves(value))
    scalars = [i for i in items if isinstance(i, Scalar)]
    if shape is None or len(scalars) != len(items) or not items:
        return None
    dtype = scalars[0].dtype
    for scalar in scalars[1:]:
        dtype = promote(dtype, scalar.dtype)
    view = allocate(cx, [Expr.of(n) for n in shape], dtype, line)
    if len(items) > MAX_WRITTEN_OUT:
        fill(cx, view, Scalar(dtype), line)
        return view
    for place, scalar in zip(product(*(range(n) for n in shape)), scalars, strict=True):
        write(cx, element(view, [Expr.of(k) for k in place]), scalar, line)
    return view


def _nested_shape(value: Value) -> tuple[int, ...] | None:
    """The extents of nested lists of numbers, if they are regular."""
    if not isinstance(value, TupleValue):
        return ()
    inner = {_nested_shape(item) for item in value.items}
    [shape] = inner if len(inner) == 1 else [None]
    return None if shape is None else (len(value.items), *shape)


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, TupleValue):
        for item in value.items:
            yield from _leaves(item)
    else:
        yield value


def total(shape: Sequence[Expr]) -> Expr:
    """The number of elements of a shape."""
    elements = ONE
    for extent in shape:
        elements = elements * extent
    return elements


def library_work(
    cx: Context, kind: OperationKind, dtype: DType, line: int, count: Expr, library: str = ""
) -> int | None:
    """``count`` operations of one kind, done inside a library call; the id of what they make, if any is kept."""
    made = None
    if not dtype.counts:
        return made
    for mean in sorted(count.symbols & cx.builder.row_totals.keys()):
        if cx.builder.row_total(symbol(mean)) is None:
            continue
        if count.degree(mean) > 1:
            cx.builder.reason(line, "work that grows with the square of a row whose mean length is known", "lower")
            continue
        each = count.coefficient(mean)
        loop = _element_loop(cx, symbol(mean), line)
        work = Operation(cx.builder.new_id(), kind, dtype, line, (), each, library)
        cx.builder.add(replace(loop, body=(work,)))
        made = work.id
        count = count - each * symbol(mean)
    if count != ZERO:
        made = cx.builder.operation(kind, dtype, line, (), count, library)
    return made


def stream_read(cx: Context, view: View, line: int) -> None:
    """Read every element once, in C order."""
    nest(cx, view.shape, line, lambda indices: _read_only(cx, view, indices, line))


def _read_only(cx: Context, view: View, indices: list[Expr], line: int) -> None:
    read(cx, element(view, indices), line)


def read_arrays(cx: Context, args: Sequence[Value], line: int) -> None:
    """Every array among the arguments is read once."""
    for arg in args:
        if isinstance(arg, View) and arg.ndim:
            stream_read(cx, arg, line)
