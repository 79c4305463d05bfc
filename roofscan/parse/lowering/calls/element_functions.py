"""Functions of one element: ``@vectorize`` and ``@stencil`` apply them to arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Sequence as SequenceOf
from dataclasses import replace

from roofscan.ir.arrays import Array
from roofscan.ir.dtypes import F8
from roofscan.ir.kinds import DecoratorKind
from roofscan.ir.tree import Loop
from roofscan.parse.lowering.builder import Unsupported, c_strides
from roofscan.parse.lowering.calls.inline import inline, result_of
from roofscan.parse.lowering.calls.signatures import converted, take_signature
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.elements import as_scalar, element, read, write
from roofscan.parse.lowering.numpy.array_operations import elementwise, in_loops, nest, temporary
from roofscan.parse.lowering.parameters import describe
from roofscan.parse.lowering.values import Axis, FunctionRef, Keywords, NoneValue, Scalar, Value, View, entire_view
from roofscan.parse.reader.decorators import compiler_of, constant
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.type_expressions import UNKNOWN, ParameterType
from roofscan.parse.syntax import Expression, Function, Literal, Sequence, Subscript, Unary
from roofscan.parse.syntax_walk import dotted_path, subscript_chain, walk
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol


def lower_vectorize(cx: Context, function: Function, signatures: Iterable[Expression]) -> None:
    """A ufunc: its body runs for each of n elements, reads the operands and writes the result."""
    line = function.place.line
    cx.builder.assume("every argument is an array of the same length")
    views: dict[str, View] = {}
    for parameter in function.parameters:
        views[parameter.name] = _vector(cx, parameter.name, line, next(iter(views.values()), None))
    length = next(iter(views.values())).shape[0] if views else ONE

    def body(indices: list[Expr]) -> None:
        for name, view in views.items():
            cx.frame.names[name] = read(cx, element(view, indices), line)
        kind = take_signature(cx, function, signatures, cx.frame.names, line, cx.module, ufunc=True, inside=False)
        cx.block(function.body)
        _write_result(cx, (length,), indices, line, kind)

    nest(cx, (length,), line, body)


def _vector(cx: Context, name: str, line: int, like: View | None) -> View:
    """One operand of a ufunc as a vector; its element type is that of the scalar in the signature."""
    value = describe(cx, name, line)
    if isinstance(value, View) and value.ndim != 1:
        raise Unsupported(line, f"{name} has {value.ndim} dimensions in a function of single elements")
    if isinstance(value, View):
        return value
    dtype = value.dtype if isinstance(value, Scalar) else F8
    cx.builder.symbols.pop(name, None)
    length = like.shape[0] if like is not None else cx.builder.symbol("n", "size", "elements of the result", line)
    return entire_view(cx.builder.array(Array(name, dtype, (length,), (ONE,), "parameter", line)))


def _write_result(
    cx: Context, shape: tuple[Expr, ...], indices: list[Expr], line: int, kind: ParameterType = UNKNOWN
) -> None:
    returned = converted(cx, result_of(cx, cx.frame.returns, line), kind, line)
    value = Scalar(F8) if isinstance(returned, NoneValue) else as_scalar(cx, returned, line)
    result = Array("result", value.dtype, shape, c_strides(shape), "parameter", line)
    write(cx, element(entire_view(cx.builder.array(result)), indices), value, line)


def lower_stencil(cx: Context, function: Function) -> None:
    """A Numba stencil: the body runs at every element that has all neighbours; subscripts are relative."""
    line = function.place.line
    described = {p.name: describe(cx, p.name, line) for p in function.parameters}
    arrays = {name: value for name, value in described.items() if isinstance(value, View)}
    first = next(iter(arrays.values()), None)
    cx.frame.names.update(described)
    if first is None:
        cx.block(function.body)
        return

    def body(places: list[Expr]) -> None:
        for name, view in arrays.items():
            cx.frame.names[name] = _centred(view, places)
        cx.block(function.body)
        _write_result(cx, first.shape, places, line)

    _at_inner_points(cx, first.shape, _reach(function, arrays, cx.module), line, body)


def _at_inner_points(
    cx: Context, shape: SequenceOf[Expr], reach: list[tuple[int, int]], line: int, body: Callable[[list[Expr]], None]
) -> None:
    """The body at every element that has all the neighbours within reach."""
    loops = [
        Loop(cx.builder.loop_variable("e"), Expr.of(-lo), extent - hi, ONE, (), line, array_expression=True)
        for extent, (lo, hi) in zip(shape, [*reach, *[(0, 0)] * len(shape)], strict=False)
    ]
    loops[:1] = [replace(loop, parallel=cx.splits_arrays) for loop in loops[:1]]
    in_loops(cx.builder, loops, lambda: body([symbol(loop.var) for loop in loops]))


def call_function(cx: Context, called: FunctionRef, args: list[Value], keywords: Keywords, line: int) -> Value:
    """A call of a known function: with arrays, ``@vectorize`` runs per element, ``@stencil`` per inner point."""
    arrays = [arg for arg in args if isinstance(arg, View) and arg.ndim]
    kind = _element_kind(called, cx.module) if arrays and isinstance(called.function, Function) else None
    if kind is None:
        return inline(cx, called, args, keywords, line)
    if keywords or (kind == "stencil" and any(arg.ndim != arrays[0].ndim for arg in arrays)):
        cx.builder.reason(line, f"the call of {called.dotted} is counted for one element", "lower")
        return inline(cx, called, args, keywords, line)
    if kind == "vectorize":

        def compute(items: list[Scalar]) -> Scalar:
            return as_scalar(cx, inline(cx, called, [*items], {}, line), line)

        return elementwise(cx, args, line, compute, called.dotted, ufunc=False)
    return _stencil_call(cx, called, args, line)


def _element_kind(called: FunctionRef, module: Module) -> DecoratorKind | None:
    assert isinstance(called.function, Function)
    compilers = (compiler_of(decorator, called.module or module) for decorator in called.function.decorators)
    return next((c.kind for c in compilers if c is not None and c.kind in ("vectorize", "stencil")), None)


def _stencil_call(cx: Context, called: FunctionRef, args: list[Value], line: int) -> Value:
    """A stencil called by a compiled function: the result is a fresh array of the shape of the first array."""
    assert isinstance(called.function, Function)
    arrays = {p.name: a for p, a in zip(called.function.parameters, args, strict=False) if isinstance(a, View)}
    shape = next(view.shape for view in arrays.values() if view.ndim)
    outer = cx.builder.open_variables
    target: list[View] = []

    def body(places: list[Expr]) -> None:
        centred = [_centred(arg, places) if isinstance(arg, View) and arg.ndim else arg for arg in args]
        value = as_scalar(cx, inline(cx, called, centred, {}, line), line)
        target.append(temporary(cx, shape, value.dtype, line, outer))
        write(cx, element(target[0], places), value, line)

    _at_inner_points(cx, shape, _reach(called.function, arrays, called.module or cx.module), line, body)
    return target[0]


def _centred(view: View, places: list[Expr]) -> Value:
    """The array as the body of a stencil sees it: subscript 0 is the current element."""
    axes = tuple(Axis(ZERO + places[d], d) if d < len(places) else axis for d, axis in enumerate(view.axes))
    return replace(view, axes=axes, relative=True)


def _reach(function: Function, arrays: dict[str, View], module: Module) -> list[tuple[int, int]]:
    """``neighborhood=((-2, 2),)``, else the least and the greatest constant subscript of each dimension (at least 0
    apart from the centre)."""
    reach = _neighborhood(function, module)
    if reach:
        return reach
    for node in walk(function.body):
        if isinstance(node, Subscript) and dotted_path(subscript_chain(node)[0]) in arrays:
            for d, item in enumerate(subscript_chain(node)[1]):
                offset = _constant(item)
                if len(reach) <= d:
                    reach.append((0, 0))
                reach[d] = (min(reach[d][0], offset), max(reach[d][1], offset))
    return reach


def _neighborhood(function: Function, module: Module) -> list[tuple[int, int]]:
    compilers = (compiler_of(decorator, module) for decorator in function.decorators)
    written = (constant(c.keywords["neighborhood"], module) for c in compilers if c and "neighborhood" in c.keywords)
    pairs = [pair for given in written if isinstance(given, Sequence) for pair in given.items]
    ends = [pair.items for pair in pairs if isinstance(pair, Sequence) and len(pair.items) == 2]
    return [(_constant(low), _constant(high)) for low, high in ends]


def _constant(item: object) -> int:
    if isinstance(item, Literal) and isinstance(item.value, int):
        return item.value
    if isinstance(item, Unary) and item.op == "-":
        return -_constant(item.operand)
    return 0
