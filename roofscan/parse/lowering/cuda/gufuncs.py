"""Generalized ufuncs for ``cuda``: each thread runs the body for one element of the loop dimensions. They come first in
every array."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.parse.lowering.builder import c_strides
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.cuda.launch_sites import BY_DRIVER, DRIVERS_BLOCK
from roofscan.parse.lowering.cuda.launches import StatedLaunch, set_launch
from roofscan.parse.lowering.cuda.threads import launch_loop
from roofscan.parse.lowering.elements import read
from roofscan.parse.lowering.values import Axis, Scalar, Value, View
from roofscan.parse.syntax import Function
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol


def lower_gufunc(cx: Context, function: Function, stated: StatedLaunch) -> None:
    """The body once for each thread that has an element."""
    line, names = function.place.line, cx.frame.names
    core = {name: cx.frame.types[name].ndim or 0 for name in names if name in cx.frame.types}
    given = (v.shape[: v.ndim - core.get(n, v.ndim)] for n, v in names.items() if isinstance(v, View))
    rows = next((prod(shape, start=ONE) for shape in given if shape), None)
    if rows is None:
        rows = cx.builder.symbol("rows", "size", "elements of the loop dimensions", line)
    loop = launch_loop(cx, "grid", "x", function)
    place = symbol(loop.var)
    with cx.builder.in_loop(loop) as body, cx.builder.when((Condition(rows - 1 - place, "ge"),), ONE, line):
        for name, value in names.items():
            names[name] = _of_thread(cx, name, value, core.get(name, 0), rows, place, line)
        cx.block(function.body)
    launched = replace(loop, body=tuple(body))
    cx.builder.add(launched)
    if stated.block is None:
        stated = replace(stated, block=DRIVERS_BLOCK, place=f"a gufunc, {BY_DRIVER}")
    set_launch(cx, stated, (launched,), 1)


def _of_thread(cx: Context, name: str, value: Value, core: int, rows: Expr, place: Expr, line: int) -> Value:
    """What a thread sees of an argument."""
    if isinstance(value, Scalar):
        cx.builder.symbols.pop(name, None)
        made = cx.builder.array(Array(name, value.dtype, (rows,), (ONE,), "parameter", line))
        return read(cx, View(made.name, value.dtype, (), (Axis(place),)), line)
    if not isinstance(value, View):
        return value
    inner, array = value.shape[value.ndim - core :], cx.builder.arrays[value.array]
    shape = (rows, *inner)
    cx.builder.arrays[array.name] = replace(array, shape=shape, strides=c_strides(shape))
    return replace(value, shape=inner, axes=(Axis(place), *(Axis(ZERO, d) for d in range(core))))
