"""Elementwise functions: of one scalar, of two, and on every element of broadcast arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, replace

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import B1, BY_CODE, F4, F8, I8, DType
from roofscan.ir.kinds import OperationKind
from roofscan.parse.inference.operands import operands_of
from roofscan.parse.inference.rule import RankOf
from roofscan.parse.lowering import arithmetic
from roofscan.parse.lowering.calls.arguments import argument, dtype_of, out_view
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.number_kinds import as_least, doubt
from roofscan.parse.lowering.elements import as_scalar
from roofscan.parse.lowering.numpy.array_operations import as_operand, elementwise
from roofscan.parse.lowering.numpy.rule import NumpyRule, ResultType, result_type, rows
from roofscan.parse.lowering.values import Keywords, Scalar, Value, View, literal, unknown_integer
from roofscan.parse.syntax import Call

OnScalars = Callable[[Context, list[Scalar], int], Scalar]
"""Lowers one application to scalars, where that is more than a list of operations."""


@dataclass(frozen=True)
class Ufunc(NumpyRule):
    """A function of scalars, applied element by element, with ``out=``, ``where=`` and ``dtype=``."""

    operations: tuple[OperationKind, ...] = ()
    dtype: ResultType = "same"
    compute: OnScalars | None = None
    _: KW_ONLY
    operands: int = 1
    out_position: int = 1
    is_ufunc: bool = True
    is_elementwise: bool = True
    treats_elements_alike: bool = True

    @property
    def makes_real(self) -> bool:
        return self.dtype == "real"

    @property
    def makes_mask(self) -> bool:
        return self.dtype == "bool"

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        if len(args) < self.operands:
            return None
        out = out_view(args, keywords, self.out_position)
        said = keywords.get("dtype")
        dtype = None
        if said is not None and isinstance(args[0], (View, Scalar)):
            dtype = dtype_of(cx, said, args[0].dtype, line)
        return self.apply(cx, name, args[: self.operands], line, out, argument([], keywords, 0, "where"), dtype)

    def apply(
        self, cx: Context, name: str, args: list[Value], line: int, out: View | None = None,
        where: Value | None = None, dtype: DType | None = None,
    ) -> Value:  # fmt: skip
        """The function on scalars, or element by element; ``dtype`` is the type that it computes in."""
        operands = [as_operand(cx, a, line) for a in args]
        if not operands:
            return cx.unknown(line, f"{name} is called without operands")

        def compute(scalars: list[Scalar]) -> Scalar:
            if dtype is not None:
                scalars = [replace(s, dtype=dtype, weak=False) for s in scalars]
            return self.of_scalars(cx, name, scalars, line)

        if any(isinstance(a, View) and a.ndim for a in operands) or out is not None:
            return elementwise(cx, operands, line, compute, name, out, where)
        return compute([as_scalar(cx, a, line) for a in operands])

    def of_scalars(self, cx: Context, name: str, scalars: list[Scalar], line: int) -> Scalar:
        """One application to scalars; its operations are added to the kernel."""
        if self.compute is not None and len(scalars) >= self.operands:
            return self.compute(cx, scalars, line)
        operand = scalars[0]
        for other in scalars[1:]:
            dtype = arithmetic.result_type(cx, operand, other)
            operand = replace(operand, dtype=dtype, weak=operand.weak and other.weak)
        dtype = operand.dtype
        if not dtype.counts and self.dtype == "float":
            dtype = _float_of(dtype, weak=operand.weak)
        node = scalars[0].node
        for kind in self.operations if dtype.counts else ():
            function = name if kind == "special" else ""
            inputs, counts_on = tuple(s.node for s in scalars), arithmetic.may_change(*scalars)
            node = cx.builder.operation(kind, dtype, line, inputs, function=function, counts_on=counts_on)
        if self.makes_mask:
            return Scalar(B1, node=node, why_unknown=f"{name} of data")
        result = result_type(self.dtype, dtype)
        if not result.counts and not self.operations:
            return unknown_integer(f"{name} of integers", result)
        doubtful = any(s.least is not None for s in scalars) and all(as_least(s).is_integer for s in scalars)
        whole = doubtful and not result_type(self.dtype, I8).counts
        if whole and "div" in self.operations:
            doubt(cx, as_least(scalars[0]), line)
        least = I8 if whole else None
        return Scalar(result, node=node, weak=operand.weak, why_unknown=f"{name} of data", least=least)


@dataclass(frozen=True, kw_only=True)
class Unary(Ufunc):
    keeps_rank: bool = True


@dataclass(frozen=True)
class Binary(Ufunc):
    _: KW_ONLY
    operands: int = 2
    out_position: int = 2

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        return broadcast_rank(call, rank_of)


def broadcast_rank(call: Call, rank_of: RankOf) -> int | None:
    """The largest rank of up to three operands that broadcast; None where one is not known."""
    ranks = [rank_of(operand) for operand in operands_of(call)[:3]]
    known = [rank for rank in ranks if rank is not None]
    return max(known) if known and len(known) == len(ranks) else None


def map_elements(cx: Context, name: str, args: list[Value], line: int, out: View | None = None) -> Value:
    """A ufunc by name, on scalars or element by element."""
    return UFUNCS[name].apply(cx, name, args, line, out)


def _float_of(dtype: DType, *, weak: bool) -> DType:
    """The float type that NumPy computes a function of integers in."""
    if weak or dtype.size > 2:
        return F8
    return BY_CODE["f2"] if dtype.size == 1 else F4


def _operator(op: str) -> OnScalars:
    return lambda cx, s, line: arithmetic.binary(cx, op, s[0], s[1], line, tested=False)


def _extremum(which: str) -> OnScalars:
    return lambda cx, s, line: arithmetic.extremum(cx, which, s, line)


def _in_float(scalar: Scalar) -> Scalar:
    """An integer as a float of which only the type is known."""
    if not scalar.is_integer:
        return scalar
    return Scalar(_float_of(scalar.dtype, weak=scalar.weak), node=scalar.node, weak=scalar.weak)


COMPONENT = Unary((), "real")  # the real or the imaginary part of numbers that are not stored as complex ones

UFUNCS: dict[str, Ufunc] = {
    **rows("sqrt", Unary(("sqrt",), "float")),
    **rows("square", Unary(("mul",), compute=lambda cx, s, line: arithmetic.power(cx, s[0], literal(2), line))),
    **rows("radians deg2rad degrees rad2deg", Unary(("mul",), "float")),
    **rows("reciprocal", Unary(("div",))),
    **rows("negative neg", Unary(("neg",), compute=lambda cx, s, line: arithmetic.negate(cx, s[0], line))),
    **rows("abs absolute", Unary(("abs",), "real", compute=lambda cx, s, line: arithmetic.absolute(cx, s[0], line))),
    **rows(
        "fabs", Unary(("abs",), "float", compute=lambda cx, s, line: arithmetic.absolute(cx, _in_float(s[0]), line))
    ),
    **rows("sign positive conj conjugate sgn", Unary(("abs",)), methods="conj conjugate"),
    **rows("floor trunc", Unary(("convert",), rounding="down")),
    **rows("ceil", Unary(("convert",), rounding="up")),
    **rows("fix nan_to_num", Unary(("convert",))),
    **rows("round around round_", Unary(("convert",), out_position=2, rounding="nearest"), methods="round"),
    **rows("rint", Unary(("convert",), "float", rounding="nearest")),
    **rows("spacing", Unary(("convert",), "float")),
    **rows(
        "isnan isfinite isinf logical_not signbit iscomplex isreal isneginf isposinf not_", Unary(("compare",), "bool")
    ),
    **rows("invert bitwise_not bitwise_count", Unary()),
    **rows(
        "exp exp2 expm1 log log1p log2 log10 sin cos tan arcsin arccos arctan asin acos atan sinh cosh tanh arcsinh "
        "arccosh arctanh asinh acosh atanh erf erfc erfinv erfcinv erfcx gamma lgamma gammaln loggamma digamma psi "
        "cbrt sinc i0 i1 i0e i1e j0 j1 y0 y1 k0 k1 expit logit log_expit log_ndtr ndtr ndtri factorial zeta rgamma "
        "sindg cosdg tandg exp10 ellipk ellipe spence wofz dawsn log_sigmoid softplus sigmoid",
        Unary(("special",), "float"),
    ),
    **rows("angle", Unary(("special",), "real")),
    **rows("silu swish", Unary(("special", "mul"), "float")),
    **rows(
        "relu", Unary(("minmax",), compute=lambda cx, s, line: arithmetic.extremum(cx, "max", [*s, literal(0)], line))
    ),
    **rows("add", Binary(("add",), compute=_operator("+"))),
    **rows("subtract sub", Binary(("sub",), compute=_operator("-"))),
    **rows("multiply mul", Binary(("mul",), compute=_operator("*"))),
    **rows("divide true_divide truediv", Binary(("div",), "float", _operator("/"))),
    **rows("floor_divide floordiv", Binary(("div",), compute=_operator("//"))),
    **rows("mod fmod remainder", Binary(("div",), compute=_operator("%"))),
    **rows("maximum fmax", Binary(("minmax",), compute=_extremum("max"))),
    **rows("minimum fmin", Binary(("minmax",), compute=_extremum("min"))),
    **rows("power pow", Binary(("special",), compute=lambda cx, s, line: arithmetic.power(cx, s[0], s[1], line, True))),
    **rows(
        "float_power",
        Binary(
            ("special",), "float", compute=lambda cx, s, line: arithmetic.power(cx, _in_float(s[0]), s[1], line, True)
        ),
    ),
    **rows("copysign nextafter heaviside ldexp", Binary(("abs",), "float")),
    **rows(
        "greater greater_equal less less_equal equal not_equal isclose logical_and logical_or logical_xor lt le gt ge "
        "eq ne",
        Binary(("compare",), "bool"),
    ),
    **rows("bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm and_ or_ xor lshift rshift", Binary()),
    **rows(
        "hypot arctan2 atan2 logaddexp logaddexp2 beta betaln xlogy xlog1py kv iv jv yv jn kn gammainc gammaincc binom "
        "comb poch rel_entr kl_div entr boxcox",
        Binary(("special",), "float"),
    ),
}
