"""What library functions of scalars and elements cost: tables, one row a function.

A function of ``math``, ``numpy`` and their like is looked up by its last name. The operations are those of
one element; whole-array calls repeat them for each element of the result.
"""

from __future__ import annotations

import math

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "euler_gamma": 0.5772156649015329,
             "tau": math.tau, "PINF": math.inf, "NINF": -math.inf, "Inf": math.inf, "NaN": math.nan}  # fmt: skip

NUMERIC_MODULES = frozenset({
    "numpy", "math", "cmath", "cupy", "jax.numpy", "numpy.linalg", "scipy.special", "numba", "scipy.linalg",
    "cupy.linalg", "jax.numpy.linalg", "builtins", "numpy.fft", "operator", "jax.nn",
})  # fmt: skip


def _rows(kind: str, names: str) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(names.split(), (kind,))


UNARY: dict[str, tuple[str, ...]] = {
    **_rows("sqrt", "sqrt"),
    **_rows("mul", "square radians deg2rad degrees rad2deg"),
    **_rows("div", "reciprocal"),
    **_rows("neg", "negative neg"),
    **_rows(
        "abs",
        "abs absolute fabs sign positive conj conjugate real imag ascontiguousarray asarray float_power_0",
    ),
    **_rows("convert", "floor ceil rint round around fix trunc nan_to_num float64 float32 spacing"),
    **_rows("compare", "isnan isfinite isinf logical_not signbit iscomplex isreal isneginf isposinf"),
    **_rows(
        "special",
        "exp exp2 expm1 log log1p log2 log10 sin cos tan arcsin arccos arctan asin acos atan sinh cosh tanh arcsinh "
        "arccosh arctanh asinh acosh atanh erf erfc erfinv gamma lgamma gammaln digamma cbrt sinc i0 j0 j1 y0 y1 "
        "angle expit logit softplus sigmoid silu gelu factorial psi zeta ndtr ndtri",
    ),
}
"""One operand: the operations of one element."""

BINARY: dict[str, tuple[str, ...]] = {
    **_rows("add", "add"),
    **_rows("sub", "subtract sub"),
    **_rows("mul", "multiply mul"),
    **_rows("div", "divide true_divide truediv floor_divide mod fmod remainder"),
    **_rows("minmax", "maximum minimum fmax fmin"),
    **_rows("abs", "copysign nextafter heaviside"),
    **_rows(
        "compare",
        "greater greater_equal less less_equal equal not_equal isclose logical_and logical_or logical_xor",
    ),
    **_rows(
        "special",
        "hypot arctan2 atan2 logaddexp logaddexp2 pow power float_power beta betaln ldexp xlogy kv iv jv",
    ),
}
"""Two operands. ``power`` follows the rules of ``**``."""

REDUCTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...], int]] = {
    "sum": (("add",), (), 1),
    "nansum": (("add",), (), 1),
    "prod": (("mul",), (), 1),
    "max": (("minmax",), (), 1), "min": (("minmax",), (), 1), "amax": (("minmax",), (), 1),
    "amin": (("minmax",), (), 1), "nanmax": (("minmax",), (), 1), "nanmin": (("minmax",), (), 1),
    "ptp": (("minmax", "minmax"), ("sub",), 1),
    "argmax": ((), (), 1), "argmin": ((), (), 1), "any": ((), (), 1), "all": ((), (), 1),
    "count_nonzero": ((), (), 1), "nanargmin": ((), (), 1), "nanargmax": ((), (), 1),
    "mean": (("add",), ("div",), 1),
    "nanmean": (("add",), ("div",), 1),
    "var": (("add", "add", "sub", "mul"), ("div", "div"), 2),
    "std": (("add", "add", "sub", "mul"), ("div", "div", "sqrt"), 2),
    "norm": (("mul", "add"), ("sqrt",), 1),
}  # fmt: skip
"""Operations of each input element, of each result element, and how often the input is read."""

INTEGER_RESULTS = frozenset({"argmax", "argmin", "count_nonzero", "nanargmin", "nanargmax"})
BOOL_RESULTS = frozenset({"any", "all"}) | {n for n, k in {**UNARY, **BINARY}.items() if k == ("compare",)}

ALLOCATIONS = frozenset({"zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like",
                         "eye", "identity"})  # fmt: skip

COPIES = frozenset({"copy", "array", "asarray", "ascontiguousarray", "asfortranarray", "atleast_1d", "atleast_2d"})

PARAMETRIC = frozenset({"sort", "argsort", "searchsorted", "unique", "histogram", "bincount", "percentile", "median",
                        "nonzero", "flatnonzero", "argwhere", "digitize", "partition", "argpartition", "quantile",
                        "lexsort", "isin", "in1d"})  # fmt: skip
"""Library functions whose work is comparisons, or depends on the data."""

FREE = frozenset({
    "print", "isinstance", "str", "repr", "format", "seed", "set_num_threads", "get_num_threads", "get_thread_id",
    "ValueError", "IndexError", "TypeError", "RuntimeError", "Exception", "errstate", "warn", "type", "id", "hash",
    "literally", "literal_unroll", "set_parallel_chunksize", "NotImplementedError", "ZeroDivisionError", "issubdtype",
    "finfo", "iinfo", "may_share_memory", "shares_memory", "isscalar", "ndim", "_assert", "AssertionError",
})  # fmt: skip
"""Calls that do no numerical work."""
