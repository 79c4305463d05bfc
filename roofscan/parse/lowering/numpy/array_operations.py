"""Array operations: a loop nest over the broadcast shape that reads the operands and writes a fresh array."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import reduce
from itertools import product
from math import prod

from roofscan.ir.arrays import Array
from roofscan.ir.dtypes import B1, BY_CODE, DType, promote
from roofscan.ir.kinds import OperationKind
from roofscan.ir.tree import Loop, Operation
from roofscan.parse.lowering.arithmetic import parts_of
from roofscan.parse.lowering.builder import Builder, c_strides
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar, element, read, write
from roofscan.parse.lowering.numpy.broadcasting import broadcast
from roofscan.parse.lowering.values import Scalar, TupleValue, Unknown, Value, View, entire_view
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

Compute = Callable[[list[Scalar]], Scalar]

MAX_UNROLLED_ITEMS = 64  # the longest list whose elements become single stores; a longer one becomes a loop


def as_operand(cx: Context, value: Value, line: int) -> Value:
    """The operand as an array where it is a list of numbers. An extent that is bound to 1 becomes one that
    broadcasts."""
    if isinstance(value, TupleValue):
        return from_items(cx, value, line) or value
    if isinstance(value, View) and any(e != ONE and cx.builder.known_value(e) == 1 for e in value.shape):
        cx.builder.one_is_told = True
        return replace(value, shape=tuple(ONE if cx.builder.known_value(e) == 1 else e for e in value.shape))
    return value


def elementwise(
    cx: Context, operands: Sequence[Value], line: int, compute: Compute, name: str, out: View | None = None,
    where: Value | None = None, ufunc: bool = True,
) -> Value:  # fmt: skip
    """``compute`` on every element of the broadcast operands; the result is a fresh array, or goes to ``out``.
    ``where`` is a mask: an element is computed in the share of cases that it selects."""
    unknown = next((o for o in operands if not isinstance(o, (Scalar, View))), None)
    if unknown is not None:
        why = unknown.why if isinstance(unknown, Unknown) else "something that is not a number or an array"
        cx.builder.reason(line, f"an operand of an array operation is unknown: {why}", "lower")
        operands = [o if isinstance(o, (Scalar, View)) else Scalar(B1, weak=True) for o in operands]
    views = [o for o in operands if isinstance(o, View) and o.ndim]
    if not views and out is None:
        return compute([as_scalar(cx, o, line) for o in operands])
    shape = _common_shape(cx, operands, views, line)
    if out is not None:
        shape = out.shape if not views else broadcast(cx, [out.shape, shape], line)
    scalars = {k: as_scalar(cx, o, line) for k, o in enumerate(operands) if not (isinstance(o, View) and o.ndim)}
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
            result = compute(beside_floats(inputs) if ufunc and cx.compiled else inputs)
            if not target:
                if result.least is not None:
                    cx.builder.reason(line, "elements of a new array may be of a narrower type", "traffic")
                target.append(temporary(cx, shape, result.dtype, line, outer))
            write(cx, element(target[0], indices), result, line)

    outer = cx.builder.open_variables
    nest(cx, shape, line, body, parallel=cx.splits_arrays)
    return target[0] if target else Unknown("an empty array operation")


def beside_floats(inputs: list[Scalar]) -> list[Scalar]:
    """The inputs as Numba's ufuncs take them: integers of any size become the floating-point type beside them."""
    if not any(s.dtype.counts for s in inputs):
        return inputs
    return [replace(s, dtype=BY_CODE["i1"]) if s.is_integer else s for s in inputs]


def _common_shape(cx: Context, operands: Sequence[Value], views: Sequence[View], line: int) -> tuple[Expr, ...]:
    """The broadcast shape. Operands that may be scalars or arrays do not extend the shape of the others."""
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
    """The symbol for the share of elements that a ``where=`` mask selects."""
    cx.builder.reason(line, "the number of elements that a mask selects depends on data", "parametric")
    meaning = f"share of the elements that the mask in line {line} selects, from 0 to 1"
    return cx.builder.share(("mask", cx.frame.dotted, line), meaning, line)


def guarded(cx: Context, share: Expr, line: int) -> AbstractContextManager[None]:
    """A data-dependent branch of ``share`` around what is added, unless the share is 1."""
    return nullcontext() if share == ONE else cx.builder.when((), share, line)


def nest(
    cx: Context, shape: Sequence[Expr], line: int, body: Callable[[list[Expr]], None], over: Collection[int] = (), *,
    parallel: bool = False,
) -> None:  # fmt: skip
    """A loop nest over a shape, last dimension innermost, around what ``body`` adds. The loops ``over`` carry a
    reduction."""
    loops = [
        replace(_element_loop(cx, extent, line), state=("reduction",) if d in over else (), parallel=parallel and not d)
        for d, extent in enumerate(shape)
    ]
    in_loops(cx.builder, loops, lambda: body([symbol(loop.var) for loop in loops]))


def in_loops(builder: Builder, loops: Sequence[Loop], body: Callable[[], None]) -> None:
    """Loops inside each other, outermost first, around what ``body`` adds."""
    if not loops:
        body()
        return
    with builder.in_loop(loops[0]) as nodes:
        in_loops(builder, loops[1:], body)
    builder.add(replace(loops[0], body=tuple(nodes)))


def _element_loop(cx: Context, extent: Expr, line: int) -> Loop:
    """The loop over one dimension. The lengths of the rows of a CSR structure have a known total."""
    rows = cx.builder.row_total(extent)
    loop = Loop(
        cx.builder.loop_variable("e"),
        ZERO,
        extent,
        ONE,
        (),
        line,
        array_expression=True,
        part_of=cx.builder.library_call,
    )
    return loop if rows is None else replace(loop, total=rows[0], total_over=rows[1])


def temporary(cx: Context, shape: Sequence[Expr], dtype: DType, line: int, outer: tuple[str, ...]) -> View:
    sizes = tuple(shape)
    array = Array("~t", dtype, sizes, c_strides(sizes), "temporary", line, outer, live_out=False)
    return entire_view(cx.builder.array(array), temporary=True)


def allocate(cx: Context, shape: Sequence[Expr], dtype: DType, line: int) -> View:
    return temporary(cx, shape, dtype, line, cx.builder.open_variables)


def rename(cx: Context, view: View, name: str) -> View:
    arrays = cx.builder.arrays
    old = arrays[view.array]
    if old.role == "temporary":
        cx.builder.names[old.name] = cx.builder.unused_name(name, taken=cx.builder.given_names)
        cx.builder.given_names[cx.builder.names[old.name]] = old.name
        arrays[old.name] = replace(old, role="local")
    return replace(view, temporary=False)


def fill(cx: Context, view: View, value: Scalar, line: int) -> None:
    def body(indices: list[Expr]) -> None:
        write(cx, element(view, indices), value, line)

    nest(cx, view.shape, line, body, parallel=cx.splits_arrays)


def copy_into(cx: Context, target: View, value: Value, line: int) -> None:
    """``target[...] = value``: a slice store."""
    value = as_operand(cx, value, line)
    if not isinstance(value, View) or not value.ndim:
        fill(cx, target, as_scalar(cx, value, line), line)
    elif value.ndim > target.ndim:
        cx.unknown(line, "the stored array has more dimensions than its target")
    else:
        source = value
        broadcast(cx, [target.shape, source.shape], line)

        def body(indices: list[Expr]) -> None:
            write(cx, element(target, indices), read(cx, element(source, indices), line), line)

        nest(cx, target.shape, line, body, parallel=cx.splits_arrays)


def row_of(view: View, index: Expr) -> View:
    axes = tuple(
        replace(a, offset=None if a.offset is None else a.offset + a.step * index, dim=None)
        if a.dim == 0
        else a if a.dim is None else replace(a, dim=a.dim - 1)
        for a in view.axes
    )  # fmt: skip
    return replace(view, shape=view.shape[1:], axes=axes, temporary=False)


def from_items(cx: Context, value: TupleValue, line: int) -> View | None:
    """``np.array([a, b, c])``: a small array, each element written once. None where an item is no scalar."""
    shape = _nested_shape(value)
    items = list(_leaves(value))
    scalars = [i for i in items if isinstance(i, Scalar)]
    if shape is None or len(scalars) != len(items) or not items:
        return None
    dtype = reduce(promote, (scalar.dtype for scalar in scalars))
    view = allocate(cx, [Expr.of(n) for n in shape], dtype, line)
    if len(items) > MAX_UNROLLED_ITEMS:
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
    return prod(shape, start=ONE)


def library_work(
    cx: Context, kind: OperationKind, dtype: DType, line: int, count: Expr, library: str = ""
) -> int | None:
    """Adds ``count`` operations of one kind inside a library call; the id of the operation, if it counts."""
    made = None
    if not dtype.counts:
        return made
    for mean in sorted(count.symbols & cx.builder.row_totals.keys()):
        if cx.builder.row_total(symbol(mean)) is None:
            continue
        if count.degree(mean) > 1:
            cx.builder.reason(
                line, "the work grows with the square of a row length of which only the mean is known", "lower"
            )
            continue
        each = count.coefficient(mean)
        loop = _element_loop(cx, symbol(mean), line)
        work = Operation(cx.builder.new_id(), kind, dtype, line, (), each, library, part_of=cx.builder.library_call)
        cx.builder.add(replace(loop, body=(work,)))
        made = work.id
        count = count - each * symbol(mean)
    if count != ZERO:
        made = cx.builder.operation(kind, dtype, line, (), count, library, part_of=cx.builder.library_call)
    return made


def library_arithmetic(cx: Context, op: str, dtype: DType, line: int, count: Expr, library: str = "") -> int | None:
    """Adds ``count`` operations of an operator (one of + - * /) inside a library call."""
    made = None
    for kind, each in parts_of(op, dtype):
        made = library_work(cx, kind, dtype, line, count * each, library)
    return made


def stream_read(cx: Context, view: View, line: int) -> None:
    """Reads every element once, in C order."""

    def body(indices: list[Expr]) -> None:
        read(cx, element(view, indices), line)

    nest(cx, view.shape, line, body)


def read_arrays(cx: Context, args: Sequence[Value], line: int) -> None:
    for arg in args:
        if isinstance(arg, View) and arg.ndim:
            stream_read(cx, arg, line)
