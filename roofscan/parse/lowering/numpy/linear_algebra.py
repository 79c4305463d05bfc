"""Linear algebra whose work is a figure of the literature: operands read once, results written once.

The figures are the usual LAPACK counts (Golub and Van Loan, *Matrix Computations*; LAPACK Working Note 41).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction

from roofscan.ir.dtypes import DType
from roofscan.parse.inference.operands import operands_of
from roofscan.parse.inference.rule import Constraint
from roofscan.parse.lowering.calls.arguments import flag
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import written
from roofscan.parse.lowering.numpy.array_operations import as_operand, library_work, stream_read, total
from roofscan.parse.lowering.numpy.rule import NumpyRule, ResultType, result_type, rows
from roofscan.parse.lowering.values import Keywords, Scalar, TupleValue, Unknown, Value, View
from roofscan.parse.syntax import Call
from roofscan.symbolic.expr import ONE, Expr, minimum

Work = Callable[[Expr, Expr, Expr], Expr]
"""Operations on a matrix of m rows and n columns with ``rhs`` right-hand sides."""


@dataclass(frozen=True)
class Factorization(NumpyRule):
    """A factorization or a solver: half of its operations are products, half sums."""

    figure: str  # the work, as reported
    work: Work
    dtype: ResultType = "float"
    _: KW_ONLY
    solves: bool = False  # the second operand is a right-hand side
    is_rectangular: bool = False  # n columns; else the matrix is square
    constrains_ranks: bool = True

    def operand_ranks(self, call: Call) -> Iterator[Constraint]:
        return ((operand, 2) for operand in operands_of(call)[:1])

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
        return _results(cx, name, result_type(self.dtype, dtype), matrix, right, args, keywords, line)


def _charge(cx: Context, name: str, formula: str, dtype: DType, work: Expr, line: int) -> None:
    cx.builder.reason(line, f"{name} is counted by its library figure {formula}", "lower")
    scale = 4 if dtype.kind == "complex" else 1
    for kind in ("mul", "add"):
        library_work(cx, kind, dtype, line, work * scale / 2, "lapack")


def _results(
    cx: Context, name: str, result: DType, matrix: View, right: View | None, args: list[Value], keywords: Keywords,
    line: int,
) -> Value:  # fmt: skip
    """The results of a call, each array written once."""
    shape, (m, n) = matrix.shape, matrix.shape[-2:]
    batch, k = shape[:-2], minimum(m, n)
    dtype, real = result, result_type("real", result)

    def made(*extents: Expr, of: DType = dtype) -> View:
        return written(cx, (*batch, *extents), of, line)

    if right is not None:
        solution = written(cx, (*batch, n, *right.shape[1:]) if right.ndim > 1 else (n,), dtype, line)
        return (
            TupleValue((solution, Unknown("residuals"), Unknown("a rank"), made(k, of=real)))
            if name == "lstsq"
            else solution
        )
    if name in ("cho_solve", "lu_solve"):
        return Unknown(f"a result of {name}")
    if name in ("det", "slogdet"):
        one = Scalar(dtype) if not batch else made()
        return one if name == "det" else TupleValue((one, one))
    if name in ("eigh", "eig"):
        return TupleValue((made(n, of=real if name == "eigh" else dtype), made(n, n)))
    if name in ("eigvalsh", "eigvals"):
        return made(n, of=dtype)
    if name == "qr":
        return TupleValue((made(m, k), made(k, n)))
    if name == "svd":
        full = keywords.get("full_matrices", args[1] if len(args) > 1 else None)
        thin = isinstance(full, Scalar) and full.number is False
        values = made(k, of=real)
        if isinstance(keywords.get("compute_uv"), Scalar) and not flag(keywords["compute_uv"]):
            return values
        return TupleValue((made(m, k if thin else m), values, made(k if thin else n, n)))
    if name == "lu":
        return TupleValue((made(m, m), made(m, k), made(k, n)))
    if name in ("lu_factor", "cho_factor"):
        return TupleValue((made(m, n), Unknown("pivots")))
    return made(n, m) if name == "pinv" else made(m, n)


LINEAR_ALGEBRA: dict[str, NumpyRule] = {
    **rows("cholesky cho_factor", Factorization("n**3/3", lambda m, n, rhs: n**3 / 3)),
    **rows("cho_solve lu_solve", Factorization("2*n**2*rhs", lambda m, n, rhs: 2 * n**2 * rhs, solves=True)),
    **rows("solve_triangular", Factorization("n**2*rhs", lambda m, n, rhs: n**2 * rhs, solves=True)),
    **rows("solve", Factorization(
        "2*n**3/3 + 2*n**2*rhs", lambda m, n, rhs: n**3 * Fraction(2, 3) + 2 * n**2 * rhs, solves=True,
    )),
    **rows("inv", Factorization("2*n**3", lambda m, n, rhs: 2 * n**3)),
    **rows("lu lu_factor det slogdet", Factorization("2*n**3/3", lambda m, n, rhs: n**3 * Fraction(2, 3))),
    **rows("qr", Factorization("2*m*n**2 - 2*n**3/3", lambda m, n, rhs: _least_squares(m, n), is_rectangular=True)),
    **rows("eigh", Factorization("9*n**3", lambda m, n, rhs: 9 * n**3, "same")),
    **rows("eigvalsh", Factorization("4*n**3/3", lambda m, n, rhs: n**3 * Fraction(4, 3), "real")),
    **rows("eig", Factorization("25*n**3", lambda m, n, rhs: 25 * n**3, "complex")),
    **rows("eigvals", Factorization("10*n**3", lambda m, n, rhs: 10 * n**3, "complex")),
    **rows("svd", Factorization(
        "14*m*n**2 + 8*n**3", lambda m, n, rhs: 14 * m * n**2 + 8 * n**3, is_rectangular=True,
    )),
    **rows("pinv", Factorization(
        "14*m*n**2 + 8*n**3 + 2*m*n**2", lambda m, n, rhs: 16 * m * n**2 + 8 * n**3, is_rectangular=True,
    )),
    **rows("lstsq", Factorization(
        "2*m*n**2 - 2*n**3/3", lambda m, n, rhs: _least_squares(m, n), solves=True, is_rectangular=True,
    )),
    **rows("expm", Factorization("20*n**3", lambda m, n, rhs: 20 * n**3)),
}  # fmt: skip


def _least_squares(m: Expr, n: Expr) -> Expr:
    return 2 * m * n**2 - n**3 * Fraction(2, 3)
