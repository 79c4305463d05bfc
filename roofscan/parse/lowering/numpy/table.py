"""What library functions cost: one table, one row a function (or a list of functions that cost the same).

A function of ``numpy``, ``math`` and their like is looked up by its last name. A row names the rule that shapes
its result (a function of ``library``), the rule of its element type, and its operations; whole-array calls repeat
those of one element for each element of the result. Library figures are the usual LAPACK counts (Golub and Van
Loan, *Matrix Computations*; LAPACK Working Note 41) and 5 n log2 n for a transform (the FFTW convention).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from roofscan.ir.kinds import OPERATION_KINDS, OperationKind

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "euler_gamma": 0.5772156649015329,
             "tau": math.tau, "PINF": math.inf, "NINF": -math.inf, "Inf": math.inf, "NaN": math.nan}  # fmt: skip

NUMERIC_PACKAGES = frozenset({"numpy", "math", "cmath", "cupy", "cupyx", "scipy", "jax", "operator", "builtins"})
"""The packages whose functions the table knows."""


@dataclass(frozen=True)
class Row:
    """A function's costs.

    ``rule`` names how the result is shaped and what is read and written. ``each`` lists the operations of one
    element (of the result for maps, of the input for reductions), ``result`` those of one element of a reduced
    result. ``dtype`` is the rule of the result's element type: that of the operands (``same``), a float of it
    (``float``), ``bool``, ``int``, the real part's (``real``), or a sum's (``sum``: small whole numbers widen).
    ``reads`` says how often the input is read, ``figure`` names a library figure.
    """

    rule: str
    each: tuple[OperationKind, ...] = ()
    dtype: str = "same"
    result: tuple[OperationKind, ...] = ()
    reads: int = 1
    figure: str = ""


def _rows(
    names: str, rule: str, each: str = "", dtype: str = "same", result: str = "", reads: int = 1
) -> dict[str, Row]:
    return dict.fromkeys(names.split(), Row(rule, _kinds(each), dtype, _kinds(result), reads))


def _kinds(text: str) -> tuple[OperationKind, ...]:
    return tuple(OPERATION_KINDS[kind] for kind in text.split())


def _figure(names: str, figure: str, dtype: str = "float") -> dict[str, Row]:
    return dict.fromkeys(names.split(), Row("figure", dtype=dtype, figure=figure))


_MAPS = {
    **_rows("sqrt", "map", "sqrt", "float"),
    **_rows("square", "map", "mul"),
    **_rows("radians deg2rad degrees rad2deg", "map", "mul", "float"),
    **_rows("reciprocal", "map", "div"),
    **_rows("negative neg", "map", "neg"),
    **_rows("abs absolute", "map", "abs", "real"),
    **_rows("fabs", "map", "abs", "float"),
    **_rows("sign positive conj conjugate sgn", "map", "abs"),
    **_rows("floor ceil round around round_ fix trunc nan_to_num", "map", "convert"),
    **_rows("rint spacing", "map", "convert", "float"),
    **_rows(
        "isnan isfinite isinf logical_not signbit iscomplex isreal isneginf isposinf not_", "map", "compare", "bool"
    ),
    **_rows("invert bitwise_not bitwise_count", "map"),
    **_rows(
        "exp exp2 expm1 log log1p log2 log10 sin cos tan arcsin arccos arctan asin acos atan sinh cosh tanh arcsinh "
        "arccosh arctanh asinh acosh atanh erf erfc erfinv erfcinv erfcx gamma lgamma gammaln loggamma digamma psi "
        "cbrt sinc i0 i1 i0e i1e j0 j1 y0 y1 k0 k1 expit logit log_expit log_ndtr ndtr ndtri factorial zeta rgamma "
        "sindg cosdg tandg exp10 ellipk ellipe spence wofz dawsn log_sigmoid softplus sigmoid",
        "map", "special", "float",
    ),
    **_rows("angle", "map", "special", "real"),
    **_rows("silu swish", "map", "special mul", "float"),
    **_rows("relu", "map", "minmax"),
}  # fmt: skip

_MAPS_OF_TWO = {
    **_rows("add", "map2", "add"),
    **_rows("subtract sub", "map2", "sub"),
    **_rows("multiply mul", "map2", "mul"),
    **_rows("divide true_divide truediv", "map2", "div", "float"),
    **_rows("floor_divide floordiv mod fmod remainder", "map2", "div"),
    **_rows("maximum minimum fmax fmin", "map2", "minmax"),
    **_rows("power pow", "map2", "special"),
    **_rows("float_power", "map2", "special", "float"),
    **_rows("copysign nextafter heaviside ldexp", "map2", "abs", "float"),
    **_rows(
        "greater greater_equal less less_equal equal not_equal isclose logical_and logical_or logical_xor lt le gt ge "
        "eq ne",
        "map2", "compare", "bool",
    ),
    **_rows("bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm and_ or_ xor lshift rshift", "map2"),
    **_rows(
        "hypot arctan2 atan2 logaddexp logaddexp2 beta betaln xlogy xlog1py kv iv jv yv jn kn gammainc gammaincc binom "
        "comb poch rel_entr kl_div entr boxcox",
        "map2", "special", "float",
    ),
}  # fmt: skip

_REDUCTIONS = {
    **_rows("sum nansum", "reduce", "add", "sum"),
    **_rows("prod product nanprod", "reduce", "mul", "sum"),
    **_rows("max min amax amin nanmax nanmin", "reduce", "minmax"),
    **_rows("ptp", "reduce", "minmax minmax", "same", "sub"),
    **_rows("argmax argmin nanargmax nanargmin count_nonzero", "reduce", "", "int"),
    **_rows("any all", "reduce", "", "bool"),
    **_rows("mean nanmean", "reduce", "add", "float", "div"),
    **_rows("average", "average", "add", "float", "div"),
    **_rows("var nanvar", "reduce", "add add sub mul", "real", "div div", reads=2),
    **_rows("std nanstd", "reduce", "add add sub mul", "real", "div div sqrt", reads=2),
    **_rows("norm", "norm", "mul add", "real", "sqrt"),
    **_rows("logsumexp", "reduce", "minmax sub special add", "float", "special add", reads=2),
    **_rows("cumsum nancumsum cumulative_sum", "cumulate", "add", "sum"),
    **_rows("cumprod nancumprod cumulative_prod", "cumulate", "mul", "sum"),
}

_PRODUCTS = {
    **_rows("dot", "dot"),
    **_rows("matmul", "matmul"),
    **_rows("inner", "inner"),
    **_rows("vdot", "vdot"),
    **_rows("multi_dot", "multi_dot"),
    **_rows("outer", "outer"),
    **_rows("kron", "kron"),
    **_rows("einsum", "einsum"),
    **_rows("tensordot", "tensordot"),
    **_rows("matrix_power", "matrix_power"),
}

_MAKING = {
    **_rows("zeros ones full zeros_like ones_like full_like eye identity tri", "allocate"),
    **_rows("empty empty_like ndarray", "allocate"),
    **_rows("array copy", "copy"),
    **_rows("asarray asanyarray ascontiguousarray asfortranarray require atleast_1d atleast_2d atleast_3d", "as_array"),
    **_rows("arange", "arange"),
    **_rows("linspace", "linspace", "mul add"),
    **_rows("logspace geomspace", "linspace", "mul add special"),
    **_rows("indices", "indices"),
    **_rows("meshgrid", "meshgrid"),
    **_rows("fromfunction", "fromfunction"),
    **_rows("fromiter frombuffer", "data_array"),
    **_rows(
        "rand randn random random_sample uniform normal standard_normal exponential standard_exponential poisson "
        "binomial lognormal laplace",
        "random",
    ),
    **_rows("randint integers", "random", "", "int"),
    **_rows("hanning hamming blackman bartlett", "data_array"),
    **_rows("vander", "data_array"),
}  # fmt: skip

_VIEWS = {
    **_rows("reshape", "reshape"),
    **_rows("ravel", "ravel"),
    **_rows("flatten", "flatten"),
    **_rows("transpose permute_dims matrix_transpose", "transpose"),
    **_rows("swapaxes", "swapaxes"),
    **_rows("moveaxis rollaxis", "moveaxis"),
    **_rows("squeeze", "squeeze"),
    **_rows("expand_dims", "expand_dims"),
    **_rows("broadcast_to", "broadcast_to"),
    **_rows("flip fliplr flipud", "flip"),
    **_rows("diagonal", "diagonal"),
    **_rows("diag", "diag"),
    **_rows("split array_split hsplit vsplit", "split"),
    **_rows("real imag", "part", "", "real"),
    **_rows("real_if_close", "view"),
}

_MOVING = {
    **_rows("concatenate concat hstack vstack dstack column_stack row_stack append", "join"),
    **_rows("stack", "stack"),
    **_rows("block", "block"),
    **_rows("tile", "tile"),
    **_rows("repeat", "repeat"),
    **_rows("roll rot90", "rearrange"),
    **_rows("triu tril", "rearrange"),
    **_rows("pad", "pad"),
    **_rows("take take_along_axis", "take"),
    **_rows("delete insert compress extract", "data_array"),
    **_rows("where", "where"),
    **_rows("select", "select"),
    **_rows("choose", "choose"),
    **_rows("clip", "clip", "minmax"),
    **_rows("copyto", "copyto"),
    **_rows("fill_diagonal", "fill_diagonal"),
}

_BY_DEFINITION = {
    **_rows("diff ediff1d", "diff"),
    **_rows("gradient", "gradient"),
    **_rows("trapezoid trapz", "trapezoid"),
    **_rows("convolve correlate", "convolve"),
    **_rows("interp", "interp"),
    **_rows("cross", "cross"),
    **_rows("trace", "trace", "add"),
    **_rows("polyval", "polyval"),
    **_rows("cov corrcoef", "covariance"),
    **_rows("softmax", "softmax", "minmax sub special add div"),
}

_FIGURES = {
    **_figure("cholesky cho_factor", "n**3/3"),
    **_figure("cho_solve lu_solve", "2*n**2*rhs"),
    **_figure("solve_triangular", "n**2*rhs"),
    **_figure("solve", "2*n**3/3 + 2*n**2*rhs"),
    **_figure("inv", "2*n**3"),
    **_figure("lu lu_factor", "2*n**3/3"),
    **_figure("det slogdet", "2*n**3/3"),
    **_figure("qr", "2*m*n**2 - 2*n**3/3"),
    **_figure("eigh", "9*n**3", "same"),
    **_figure("eigvalsh", "4*n**3/3", "real"),
    **_figure("eig", "25*n**3", "complex"),
    **_figure("eigvals", "10*n**3", "complex"),
    **_figure("svd", "14*m*n**2 + 8*n**3"),
    **_figure("pinv", "14*m*n**2 + 8*n**3 + 2*m*n**2"),
    **_figure("lstsq", "2*m*n**2 - 2*n**3/3"),
    **_figure("expm", "20*n**3"),
    **_figure("fft ifft fft2 ifft2 fftn ifftn", "5*n*log2(n)", "complex"),
    **_figure("rfft rfft2 rfftn hfft ihfft", "5*n*log2(n)/2", "complex"),
    **_figure("irfft irfft2 irfftn", "5*n*log2(n)/2", "real"),
}

_SORTING = {
    **_rows("sort partition msort", "sort"),
    **_rows("argsort argpartition lexsort", "sort", "", "int"),
    **_rows("searchsorted digitize", "search", "", "int"),
    **_rows("isin in1d", "sort", "", "bool"),
    **_rows("unique intersect1d union1d setdiff1d", "by_data"),
    **_rows("nonzero flatnonzero argwhere", "by_data", "", "int"),
    **_rows("histogram", "histogram"),
    **_rows("bincount", "by_data", "", "int"),
    **_rows("percentile median quantile nanmedian nanpercentile nanquantile", "order_statistic", "", "float"),
}

TABLE: dict[str, Row] = {
    **_MAPS, **_MAPS_OF_TWO, **_REDUCTIONS, **_PRODUCTS, **_MAKING, **_VIEWS, **_MOVING, **_BY_DEFINITION, **_FIGURES,
    **_SORTING,
    **_rows("ndindex", "ndindex"),
    **_rows("dtype", "dtype"),
    **_rows("shape", "shape"),
    **_rows("size", "size"),
    **_rows("allclose array_equal", "equal"),
}  # fmt: skip
"""Every function that is known, by its last name."""

MOVERS = frozenset(
    name for name, row in TABLE.items()
    if row.rule in ("allocate", "copy", "as_array", "split", "join", "stack", "tile", "repeat", "take")
    or (name in _VIEWS and row.rule != "part")
)  # fmt: skip
"""Functions that compute nothing, in whatever form they are called."""

UFUNC_METHODS = frozenset({"outer", "reduce", "accumulate", "at"})

ARRAY_METHODS = frozenset({
    "reshape", "ravel", "flatten", "transpose", "swapaxes", "squeeze", "dot", "clip", "copy", "conj", "conjugate",
    "round", "diagonal", "trace", "repeat", "take", "argsort", "argpartition", "searchsorted", "nonzero", "compress",
    "choose", *(name for name, row in _REDUCTIONS.items() if row.rule in ("reduce", "cumulate")),
})  # fmt: skip
"""The functions that are methods of arrays too."""

FREE = frozenset({
    "print", "isinstance", "str", "repr", "format", "seed", "set_num_threads", "get_num_threads", "get_thread_id",
    "ValueError", "IndexError", "TypeError", "RuntimeError", "Exception", "errstate", "warn", "type", "id", "hash",
    "literally", "literal_unroll", "set_parallel_chunksize", "NotImplementedError", "ZeroDivisionError", "issubdtype",
    "finfo", "iinfo", "may_share_memory", "shares_memory", "isscalar", "to_fixed_tuple", "_assert", "AssertionError",
    "seterr", "block_until_ready", "set_printoptions", "hasattr", "callable",
})  # fmt: skip
"""Calls that do no numerical work."""
