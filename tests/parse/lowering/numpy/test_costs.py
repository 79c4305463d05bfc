"""What each function of NumPy costs, line by line: operations of n elements (rows by columns: n by m)."""

from __future__ import annotations

import pytest

from roofscan.cost.result import KernelCost
from tests.oracle.analysis import counted
from tests.oracle.trace import FLOP_WEIGHT

HEAD = "import numpy as np\nimport scipy.linalg\nimport scipy.special\n\n"
NAMES = "x, y, w, v, A, B, S, P, idx, n"
BIND = "x=f8[n] y=f8[n] w=f8[k] v=f8[m] A=f8[n,m] B=f8[m,k] S=f8[n,n] P=f8[n,3] idx=i8[q]"

ELEMENTWISE = {
    "add": "x + y; np.add(x, y)", "sub": "x - y", "mul": "x * y; np.square(x)",
    "div": "x / y; x // y; x % y; np.mod(x, y); np.fmod(x, y); np.reciprocal(x)", "sqrt": "np.sqrt(x); x ** 0.5",
    "special": "np.exp(x); np.expm1(x); np.log(x); np.log1p(x); np.log2(x); np.log10(x); np.sin(x); np.cos(x);"
    "np.tan(x); np.arcsin(x); np.arctan2(x, y); np.sinh(x); np.cosh(x); np.tanh(x); np.hypot(x, y); np.power(x, y);"
    "x ** 0.3; scipy.special.erf(x); scipy.special.gammaln(x)",
    "minmax": "np.maximum(x, y); np.minimum(x, y); np.fmax(x, y); np.fmin(x, y); np.clip(x, 0.0, None)",
    "": "np.negative(x); np.absolute(x); np.fabs(x); np.sign(x); x < y; np.isnan(x); np.isfinite(x); np.floor(x);"
    "np.logical_and(x, y); np.ceil(x); np.rint(x); np.round(x); np.trunc(x); x.astype(np.float32); "
    "np.where(x > y, x, y); np.select([x > y], [x], 0.0); np.copysign(x, y)",
}  # fmt: skip
MOVED = (
    "np.zeros(n); np.ones(n); np.full(n, 2.0); np.zeros_like(x); np.empty(n); x.copy(); A.ravel(); "
    "A.reshape(n * 1, -1); np.concatenate([x, y]); np.stack([x, y]); np.block([[A, A], [A, A]]); np.tile(x, 3);"
    "np.repeat(x, 3); np.roll(x, 1); np.pad(x, 3); np.flip(x); np.take(x, [1, 2]); np.arange(n); A.T; x[1:];"
    "x[:, None]; np.triu(S); np.diag(x); np.argmax(x); np.argmin(x); np.any(x); np.all(x); np.count_nonzero(x); x[idx]"
)
COUNTS = {
    "np.clip(x, 0.0, 1.0)": "minmax 2*n",
    "np.sum(x)": "add n", "np.prod(x)": "mul n", "np.max(x)": "minmax n", "np.amin(x)": "minmax n",
    "np.mean(x)": "add n, div 1", "np.mean(A, axis=0)": "add m*n, div m",
    "np.var(x)": "add 2*n, div 2, mul n, sub n", "np.std(x)": "add 2*n, div 2, mul n, sqrt 1, sub n",
    "np.std(A, axis=0)": "add 2*m*n, div 2*m, mul m*n, sqrt m, sub m*n",
    "np.linalg.norm(x)": "add n, mul n, sqrt 1",
    "np.cumsum(x)": "add n - 1", "np.cumprod(x)": "mul n - 1", "np.cumsum(A, axis=1)": "add m*n - n",
    "np.maximum.accumulate(x)": "minmax n - 1", "np.multiply.accumulate(A, 1)": "mul m*n - n",
    "np.diff(x)": "sub n - 1",
    "np.dot(x, y)": "add n, mul n", "np.inner(x, y)": "add n, mul n", "np.vdot(x, y)": "add n, mul n",
    "A @ v": "add m*n, mul m*n", "np.tensordot(A, B, 1)": "add k*m*n, mul k*m*n",
    "np.einsum('ij,jk->ik', A, B)": "add k*m*n, mul k*m*n",
    "np.outer(x, y)": "mul n**2", "np.einsum('i,j->ij', x, y)": "mul n**2",
    "np.linspace(0.0, 1.0, n)": "add n, mul n",
    "np.trapezoid(y, x)": "add 2*n - 2, div n - 1, mul n - 1, sub n - 1",
    "np.convolve(x, w)": "add k*n, mul k*n", "np.correlate(x, w)": "add k*n - k**2 + k, mul k*n - k**2 + k",
    "np.gradient(x)": "div n, sub n", "np.cross(P, P)": "mul 6*n, sub 3*n", "np.trace(S)": "add n",
    "np.cov(A)": "add m*n**2 + m*n, div n + 1, mul m*n**2 + n**2, sub m*n",
    "np.corrcoef(A)": "add m*n**2 + m*n, div 2*n**2 + n + 1, minmax 2*n**2, mul m*n**2 + n**2, sqrt n, sub m*n",
    "np.fromfunction(lambda i, j: i * 2.0 + j, (n, 3))": "add 3*n, mul 3*n",
    "sum(e * e for e in x)": "add n, mul n", "max(e * 2.0 for e in x)": "minmax n - 1, mul n",
    "min(x[i] for i in range(n))": "minmax n - 1",
}  # fmt: skip
FIGURES = {
    "np.linalg.cholesky(S)": "n**3/3", "np.linalg.solve(S, x)": "2*n**3/3 + 2*n**2", "np.linalg.inv(S)": "2*n**3",
    "scipy.linalg.lu(S)": "2*n**3/3", "np.linalg.qr(S)": "4*n**3/3", "np.linalg.eigh(S)": "9*n**3",
    "np.linalg.svd(S)": "22*n**3", "np.fft.fft(x)": "5*n*log(n, 2)",
}  # fmt: skip
BY_DATA = (
    "np.sort(x); np.argsort(x); np.searchsorted(x, y); np.unique(x); np.histogram(x, 9); np.bincount(idx);"
    "np.percentile(x, 50); np.median(x); x[x > 0.5]"
)


def _each(text: str) -> list[str]:
    return [expression.strip() for expression in text.split(";")]


def _cost(expression: str) -> KernelCost:
    return counted(f"{HEAD}def f({NAMES}):\n    return {expression}\n", "f", BIND).cost


def _counts(cost: KernelCost) -> str:
    found = {kind: str(count) for (kind, _), count in cost.operations.items() if kind in FLOP_WEIGHT}
    return ", ".join(f"{kind} {count}" for kind, count in sorted(found.items()) if count != "0")


@pytest.mark.parametrize("kind", ELEMENTWISE)
def test_elementwise_functions(kind: str) -> None:
    for expression in _each(ELEMENTWISE[kind]):
        cost = _cost(expression)
        assert (cost.status, _counts(cost)) == ("exact", f"{kind} n" if kind else ""), expression


def test_functions_that_move_elements() -> None:
    for expression in _each(MOVED):
        cost = _cost(expression)
        assert (cost.status, _counts(cost)) == ("exact", ""), expression


@pytest.mark.parametrize("expression", COUNTS)
def test_functions_that_count(expression: str) -> None:
    cost = _cost(expression)
    assert (cost.status, _counts(cost)) == ("exact", COUNTS[expression])


@pytest.mark.parametrize("expression", FIGURES)
def test_library_figures_are_bounds_with_their_names(expression: str) -> None:
    cost = _cost(expression)
    assert (cost.status, str(cost.flops)) == ("bounded", FIGURES[expression])
    assert any("library figure" in reason.message for reason in cost.kernel.reasons)


@pytest.mark.parametrize("expression", _each(BY_DATA))
def test_what_depends_on_data_is_not_exact(expression: str) -> None:
    if expression == "x[x > 0.5]":
        expression = "x[x > 0.5] * 2.0"
    cost = _cost(expression)
    assert cost.status in ("parametric", "bounded") and cost.kernel.reasons


def test_any_other_function_is_named() -> None:
    cost = _cost("np.unheard_of(x)")
    [reason] = [r for r in cost.kernel.reasons if r.effect == "lower"]
    assert cost.status == "bounded" and "unheard_of" in reason.message and reason.line == 6
