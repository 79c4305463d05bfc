"""Linear algebra by the usual LAPACK counts (Golub and Van Loan, *Matrix Computations*; LAPACK Working Note 41), and
fast Fourier transforms: 5 N log2 N operations for N points (the FFTW convention), half of that for real input. Operands
are read once, results written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Literal

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import DType
from roofscan.parse.inference.operands import operands_of
from roofscan.parse.inference.rule import Constraint
from roofscan.parse.lowering.calls.arguments import argument, axes_of, axis_of, flag
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import shape_of, written
from roofscan.parse.lowering.numpy.array_operations import as_operand, library_work, stream_read, total
from roofscan.parse.lowering.numpy.rule import NumpyRule, ResultType, result_type, rows
from roofscan.parse.lowering.values import Keywords, Scalar, TupleValue, Unknown, Value, View
from roofscan.parse.syntax import Call
from roofscan.symbolic.expr import ONE, Expr, apply
from roofscan.symbolic.extrema import minimum


@dataclass(frozen=True)
class Transform(NumpyRule):
    """A transform along one axis, the last two axes, or all that ``axes=`` names."""

    axes: Literal["one", "two", "all"]
    dtype: ResultType = "complex"
    _: KW_ONLY
    is_real: bool = False  # of real input, or to real output
    inverse_of_real: bool = False
    takes_array: bool = True
    usual_ranks: tuple[int, ...] = (1,)

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        operands = [v for v in (as_operand(cx, a, line) for a in args[:2]) if isinstance(v, View) and v.ndim]
        return self._lower(cx, name, operands[0], args, keywords, line) if operands else None

    def _lower(self, cx: Context, name: str, view: View, args: list[Value], keywords: Keywords, line: int) -> Value:
        axes: list[int] | None
        if self.axes == "two":
            axes = list(range(view.ndim))[-2:]
        elif self.axes == "all":
            axes = axes_of(keywords.get("axes"), view.ndim)
        else:
            place = axis_of(argument(args, keywords, 2, "axis"), view.ndim, -1)
            axes = None if place is None else [place]
        size = argument(args, keywords, 1, "n") if self.axes == "one" else keywords.get("s")
        lengths = None if size is None else shape_of(cx, size, line)
        if axes is None or (lengths is not None and len(lengths) != len(axes)):
            return cx.unknown(line, f"the axes of {name} are unknown")
        shape = list(view.shape)
        for axis, length in zip(axes, lengths or ()):
            shape[axis] = length
        last = axes[-1]
        if self.inverse_of_real and lengths is None:
            shape[last] = (shape[last] - 1) * 2
        dtype = result_type(self.dtype, view.dtype)
        points = total([shape[a] for a in axes])
        logarithm = apply("log2", [points]) if points.constant != 0 else ONE
        work = total(shape) * logarithm * Fraction(5, 2 if self.is_real else 1)
        figure = "5*n*log2(n)/2" if self.is_real else "5*n*log2(n)"
        cx.builder.reason(line, f"{name} is counted by its library figure {figure}", "lower")
        for kind in ("mul", "add"):
            library_work(cx, kind, result_type("real", dtype), line, work / 2)
        stream_read(cx, view, line)
        if self.is_real and not self.inverse_of_real:
            shape[last] = shape[last] // 2 + 1
        return written(cx, shape, dtype, line)


FOURIER: dict[str, NumpyRule] = {
    **rows("fft ifft", Transform("one")),
    **rows("fft2 ifft2", Transform("two", usual_ranks=(2,))),
    **rows("fftn ifftn", Transform("all")),
    **rows("rfft hfft ihfft", Transform("one", is_real=True)),
    **rows("rfft2", Transform("two", is_real=True, usual_ranks=(2,))),
    **rows("rfftn", Transform("all", is_real=True)),
    **rows("irfft", Transform("one", "real", is_real=True, inverse_of_real=True)),
    **rows("irfft2", Transform("two", "real", is_real=True, inverse_of_real=True, usual_ranks=(2,))),
    **rows("irfftn", Transform("all", "real", is_real=True, inverse_of_real=True)),
}


Work = Callable[[Expr, Expr, Expr], Expr]
"""Operations on a matrix of m rows and n columns with ``rhs`` right-hand sides."""


@dataclass(frozen=True)
class Results:
    """What the results of a call are made of: stacks of ``batch`` matrices of ``m`` by ``n``, ``k`` the smaller one."""

    cx: Context
    line: int
    batch: tuple[Expr, ...]
    m: Expr
    n: Expr
    k: Expr
    dtype: DType
    real: DType
    args: list[Value]
    keywords: Keywords

    def array(self, *extents: Expr, dtype: DType | None = None) -> View:
        """A result array, written once."""
        return written(self.cx, (*self.batch, *extents), dtype or self.dtype, self.line)

    def arrays(self, shapes: str) -> Value:
        """Result arrays of the extents that letters name: ``"mk kn"`` for an m by k and a k by n matrix."""
        extents = {"m": self.m, "n": self.n, "k": self.k}
        made = tuple(self.array(*(extents[letter] for letter in shape)) for shape in shapes.split())
        return made[0] if len(made) == 1 else TupleValue(made)


@dataclass(frozen=True)
class Factorization(NumpyRule):
    """A factorization or a solver: half of its operations are products, half sums."""

    figure: str  # the work, as reported
    work: Work
    dtype: ResultType = "float"
    _: KW_ONLY
    results: str | Callable[[Results], Value] = "mn"  # shapes as for ``Results.arrays``, or what makes the results
    returns_residuals: bool = False
    solves: bool = False  # the second operand is a right-hand side
    is_rectangular: bool = False  # n columns; else the matrix is square
    ranks: tuple[int, ...] = (2,)

    def assumed_ranks(self, call: Call) -> Iterator[Constraint]:
        return ((operand, 1) for operand in operands_of(call)[1:2] if self.solves)

    def lower(self, cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
        operands = [v for v in (as_operand(cx, a, line) for a in args[:2]) if isinstance(v, View) and v.ndim]
        if not operands or operands[0].ndim < 2:
            return None
        matrix = operands[0]
        right = operands[1] if self.solves and len(operands) > 1 else None
        m, columns = matrix.shape[-2:]
        n = minimum(m, columns) if self.is_rectangular else m
        rhs = right.shape[-1] if right is not None and right.ndim > 1 else ONE
        dtype = result_type("float", matrix.dtype)
        _charge(cx, name, self.figure, dtype, self.work(m, n, rhs) * total(matrix.shape[:-2]), line)
        for view in operands if right is not None else [matrix]:
            stream_read(cx, view, line)
        result, (m, n) = result_type(self.dtype, dtype), matrix.shape[-2:]
        made = Results(
            cx, line, matrix.shape[:-2], m, n, minimum(m, n), result, result_type("real", result), args, keywords
        )
        if right is not None:
            return self._solution(made, right)
        return made.arrays(self.results) if isinstance(self.results, str) else self.results(made)

    def _solution(self, made: Results, right: View) -> Value:
        shape = (*made.batch, made.n, *right.shape[1:]) if right.ndim > 1 else (made.n,)
        solution = written(made.cx, shape, made.dtype, made.line)
        if not self.returns_residuals:
            return solution
        values = made.array(made.k, dtype=made.real)
        return TupleValue((solution, Unknown("residuals"), Unknown("a rank"), values))


def _charge(cx: Context, name: str, formula: str, dtype: DType, work: Expr, line: int) -> None:
    cx.builder.reason(line, f"{name} is counted by its library figure {formula}", "lower")
    scale = 4 if dtype.kind == "complex" else 1
    for kind in ("mul", "add"):
        library_work(cx, kind, dtype, line, work * scale / 2, "lapack")


def _unread(made: Results) -> Value:
    return Unknown("a solution without a right-hand side")


def _with_pivots(made: Results) -> Value:
    return TupleValue((made.array(made.m, made.n), Unknown("pivots")))


def _determinant(made: Results) -> Value:
    return made.array() if made.batch else Scalar(made.dtype)


def _sign_and_determinant(made: Results) -> Value:
    one = _determinant(made)
    return TupleValue((one, one))


def _real_values_and_vectors(made: Results) -> Value:
    return TupleValue((made.array(made.n, dtype=made.real), made.array(made.n, made.n)))


def _svd(made: Results) -> Value:
    """``u, s, vh``, thin or full, or the singular values alone."""
    full = made.keywords.get("full_matrices", made.args[1] if len(made.args) > 1 else None)
    thin = isinstance(full, Scalar) and full.number is False
    values = made.array(made.k, dtype=made.real)
    if isinstance(made.keywords.get("compute_uv"), Scalar) and not flag(made.keywords["compute_uv"]):
        return values
    left = made.array(made.m, made.k if thin else made.m)
    return TupleValue((left, values, made.array(made.k if thin else made.n, made.n)))


def _least_squares(m: Expr, n: Expr, rhs: Expr) -> Expr:
    return 2 * m * n**2 - n**3 * Fraction(2, 3)


def _two_thirds(m: Expr, n: Expr, rhs: Expr) -> Expr:
    return n**3 * Fraction(2, 3)


LINEAR_ALGEBRA: dict[str, NumpyRule] = {
    **rows("cholesky", Factorization("n**3/3", lambda m, n, rhs: n**3 / 3)),
    **rows("cho_factor", Factorization("n**3/3", lambda m, n, rhs: n**3 / 3, results=_with_pivots)),
    **rows("cho_solve lu_solve", Factorization(
        "2*n**2*rhs", lambda m, n, rhs: 2 * n**2 * rhs, solves=True, results=_unread,
    )),
    **rows("solve_triangular", Factorization("n**2*rhs", lambda m, n, rhs: n**2 * rhs, solves=True)),
    **rows("solve", Factorization(
        "2*n**3/3 + 2*n**2*rhs", lambda m, n, rhs: n**3 * Fraction(2, 3) + 2 * n**2 * rhs, solves=True,
    )),
    **rows("inv", Factorization("2*n**3", lambda m, n, rhs: 2 * n**3)),
    **rows("lu", Factorization("2*n**3/3", _two_thirds, results="mm mk kn")),
    **rows("lu_factor", Factorization("2*n**3/3", _two_thirds, results=_with_pivots)),
    **rows("det", Factorization("2*n**3/3", _two_thirds, results=_determinant)),
    **rows("slogdet", Factorization("2*n**3/3", _two_thirds, results=_sign_and_determinant)),
    **rows("qr", Factorization("2*m*n**2 - 2*n**3/3", _least_squares, results="mk kn", is_rectangular=True)),
    **rows("eigh", Factorization("9*n**3", lambda m, n, rhs: 9 * n**3, "same", results=_real_values_and_vectors)),
    **rows("eigvalsh", Factorization("4*n**3/3", lambda m, n, rhs: n**3 * Fraction(4, 3), "real", results="n")),
    **rows("eig", Factorization("25*n**3", lambda m, n, rhs: 25 * n**3, "complex", results="n nn")),
    **rows("eigvals", Factorization("10*n**3", lambda m, n, rhs: 10 * n**3, "complex", results="n")),
    **rows("svd", Factorization(
        "14*m*n**2 + 8*n**3", lambda m, n, rhs: 14 * m * n**2 + 8 * n**3, results=_svd, is_rectangular=True,
    )),
    **rows("pinv", Factorization(
        "14*m*n**2 + 8*n**3 + 2*m*n**2", lambda m, n, rhs: 16 * m * n**2 + 8 * n**3, results="nm",
        is_rectangular=True,
    )),
    **rows("lstsq", Factorization(
        "2*m*n**2 - 2*n**3/3", _least_squares, solves=True, returns_residuals=True, is_rectangular=True,
    )),
    **rows("expm", Factorization("20*n**3", lambda m, n, rhs: 20 * n**3)),
}  # fmt: skip
