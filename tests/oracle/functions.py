"""The functions that count: Python's, math's and NumPy's."""

from __future__ import annotations

import builtins
import cmath
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tests.oracle import creation, rules, whole_arrays
from tests.oracle.arrays import TracedArray, Unsupported
from tests.oracle.recorder import Recorder
from tests.oracle.scratch import is_literal, measured

Handler = Callable[..., Any]

_CLASS_OF = {
    "sqrt": "sqrt", "fabs": "abs", "sign": "abs", "copysign": "",
    "floor": "convert", "ceil": "convert", "trunc": "convert", "rint": "convert",
    "fmod": "div", "mod": "div", "remainder": "div", "reciprocal": "div", "floor_divide": "div",
    "logical_and": "compare", "logical_or": "compare", "logical_xor": "compare", "logical_not": "compare",
    "isnan": "compare", "isinf": "compare", "isfinite": "compare", "degrees": "mul",
    "radians": "mul", "deg2rad": "mul", "rad2deg": "mul", "signbit": "compare",
    **dict.fromkeys(
        "exp expm1 exp2 log log1p log2 log10 sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh "
        "arccosh arctanh asin acos atan atan2 asinh acosh atanh hypot erf erfc gamma lgamma cbrt angle".split(),
        "special",
    ),
}  # fmt: skip
"""Functions of one counted operation, by name; ``math`` and NumPy spell them alike."""


def handler(function: Any, args: Sequence[Any]) -> Handler | None:
    """The handler that counts a call of ``function``; None: it runs as it is (a helper, or a builtin without cost)."""
    try:
        found = HANDLERS.get(function)
    except TypeError:  # not hashable
        return None
    if found is None and _is_numpy(function) and any(map(_holds_array, args)):
        raise Unsupported(f"{function.__name__} of an array")
    return found


def _holds_array(value: Any) -> bool:
    return type(value) is TracedArray or (isinstance(value, (tuple, list)) and any(map(_holds_array, value)))


def _is_numpy(function: Any) -> bool:
    return isinstance(function, np.ufunc) or str(getattr(function, "__module__", "")).startswith("numpy")


def _scalar(kind: str, function: Any, recorder: Recorder, literal: Any, *args: Any, **keywords: Any) -> Any:
    if isinstance(function, np.ufunc) and any(isinstance(arg, list) for arg in args):
        args = tuple(creation.made(recorder, literal, arg) if isinstance(arg, list) else arg for arg in args)
    if any(type(arg) is TracedArray for arg in args):
        return whole_arrays.elementwise_call(recorder, function, kind, args, **keywords)
    result = measured(_narrow_again(args, function(*args, **keywords)))
    if kind and set("fc") & {rules.kind_of(value) for value in (*args, result)}:
        recorder.count({kind: 1}, rules.precision_of(result))
    return result


def _narrow_again(args: tuple[Any, ...], result: Any) -> Any:
    """``math.sqrt`` of a float32 stays a float32 under Numba; Python's own would widen it."""
    if type(result) is float and args and isinstance(args[0], np.float32):
        return np.float32(result)
    return result


def _operator(op: str, recorder: Recorder, literal: Any, left: Any, right: Any, *out: Any, **keywords: Any) -> Any:
    if out:
        keywords["out"] = out[0]
    if keywords:
        return whole_arrays.binary(recorder, op, left, right, False, **keywords)
    return recorder.binary(op, left, right, len(literal) > 1 and literal[1], recorder.line)


def _comparison(op: str, recorder: Recorder, literal: Any, left: Any, right: Any, **keywords: Any) -> Any:
    if keywords:
        return whole_arrays.binary(recorder, op, left, right, False, **keywords)
    return recorder.compare(op, left, right, recorder.line)


def _extremum(function: Any, recorder: Recorder, literal: Any, *args: Any, **keywords: Any) -> Any:
    """Python's min and max: one operation less than operands."""
    values = list(args[0]) if len(args) == 1 else list(args)
    kinds = "".join(map(rules.kind_of, values))
    if "c" in kinds:
        raise TypeError("complex numbers have no order")
    if recorder.compiled and "f" in kinds:
        values = [np.float64(v) if type(v) is float or rules.kind_of(v) == "i" else v for v in values]
    result = function(values, **keywords)
    recorder.count(rules.smaller_or_larger(kinds), rules.precision_of(result), len(values) - 1)
    return result


def _elementwise_extremum(function: Any, recorder: Recorder, literal: Any, a: Any, b: Any, **keywords: Any) -> Any:
    if type(a) is TracedArray or type(b) is TracedArray or keywords:
        return whole_arrays.elementwise_call(recorder, function, "minmax", (a, b), **keywords)
    result = function(a, b)
    kinds = rules.kind_of(a) + rules.kind_of(b)
    recorder.count(rules.smaller_or_larger(kinds), rules.precision_of(result))
    return result


def _absolute(function: Any, recorder: Recorder, literal: Any, value: Any, **keywords: Any) -> Any:
    if type(value) is TracedArray:
        return whole_arrays.unary(recorder, np.absolute, value, **keywords)
    recorder.count(rules.absolute(rules.kind_of(value)), rules.precision_of(value))
    return function(value)


def _negative(recorder: Recorder, literal: Any, value: Any, **keywords: Any) -> Any:
    if type(value) is TracedArray:
        return whole_arrays.unary(recorder, np.negative, value, **keywords)
    return recorder.negate(value, recorder.line)


def _square(recorder: Recorder, literal: Any, value: Any, **keywords: Any) -> Any:
    if type(value) is TracedArray:
        return whole_arrays.unary(recorder, np.square, value, **keywords)
    return recorder.binary("**", value, 2, True, recorder.line)


def _convert(function: Any, recorder: Recorder, literal: Any, *args: Any, **keywords: Any) -> Any:
    """``int``, ``float``, ``round``, ``np.float32`` …: a conversion where a float goes in."""
    if args and type(args[0]) is TracedArray:
        return whole_arrays.unary(recorder, function, args[0], **keywords)
    if args and rules.kind_of(args[0]) in ("f", "c"):
        recorder.count({"convert": 1}, rules.precision_of(args[0]))
    result = recorder.adopted(function(*args, **keywords), recorder.line)
    return result if is_literal(args) and set(literal) == {True} else measured(result)


def _fused(recorder: Recorder, literal: Any, a: Any, b: Any, c: Any) -> Any:
    product = recorder.binary("*", a, b, False, recorder.line)
    return recorder.binary("+", product, c, False, recorder.line)


def _length(recorder: Recorder, literal: Any, values: Any) -> int:
    return values.shape[0] if type(values) is TracedArray else len(values)


def _divmod(recorder: Recorder, literal: Any, a: Any, b: Any) -> Any:
    return tuple(recorder.binary(op, a, b, False, recorder.line) for op in ("//", "%"))


def _sum(recorder: Recorder, literal: Any, values: Any, start: Any = 0) -> Any:
    """Python's sum combines every value into an accumulator."""
    total = start
    for value in values:
        total = recorder.binary("+", total, value, False, recorder.line)
    return total


def _simple_functions() -> dict[Any, Handler]:
    table: dict[Any, Handler] = {}
    for module in (math, cmath, np):
        for name, kind in _CLASS_OF.items():
            function = getattr(module, name, None)
            if function is not None:
                table[function] = partial(_scalar, kind, function)
    return table


_OPERATORS = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.power: "**", math.pow: "**",
    builtins.pow: "**", np.float_power: "**",
}  # fmt: skip
_COMPARISONS = {
    np.less: "<", np.less_equal: "<=", np.greater: ">", np.greater_equal: ">=", np.equal: "==",
    np.not_equal: "!=",
}  # fmt: skip
_CONVERSIONS = [
    int, float, round, bool, np.float64, np.float32, np.float16, np.int64, np.int32, np.intp, np.uint32,
    np.round,
]  # fmt: skip

HANDLERS: dict[Any, Handler] = {
    **_simple_functions(),
    **{function: partial(_operator, op) for function, op in _OPERATORS.items()},
    **{function: partial(_comparison, op) for function, op in _COMPARISONS.items()},
    **{function: partial(_convert, function) for function in _CONVERSIONS},
    **{function: partial(_extremum, function) for function in (builtins.min, builtins.max)},
    **{f: partial(_elementwise_extremum, f) for f in (np.minimum, np.maximum, np.fmin, np.fmax)},
    **{f: partial(_absolute, f) for f in (builtins.abs, np.absolute)}, np.negative: _negative, np.square: _square,
    builtins.sum: _sum, builtins.divmod: _divmod, builtins.len: _length,
    **({math.fma: _fused} if hasattr(math, "fma") else {}),
    **whole_arrays.FUNCTIONS,
}  # fmt: skip

METHODS: dict[str, Handler] = whole_arrays.METHODS
