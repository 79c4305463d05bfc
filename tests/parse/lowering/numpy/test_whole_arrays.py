"""Whole-array expressions: their shapes and element types are NumPy's, their operations the table's."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

from roofscan.cost.result import KernelCost
from roofscan.ir.arrays import Array
from roofscan.ir.dtypes import lookup
from roofscan.ir.kernel import Kernel
from tests.oracle import run
from tests.oracle.analysis import counted
from tests.oracle.words import Words, read_words

WORDS = (
    "x=f8[6] y=f8[6] A=f8[4,6] B=f8[6,5] S=f8[4,4] T=f8[3,4,6] f=f4[6] h=f2[6] F=f4[4,6] i=i8[6]<4 j=i4[6]<4 "
    "s=i2[6]<4 u=u1[6]<4 z=c16[6] w=c8[6] C=c16[4,6] n=6 k=2 alpha=1.5"
)
"""The operands that the expressions below may name."""


def source_of(expression: str, words: Words) -> str:
    used = [name for name in words.arguments if name in _names(expression)]
    return f"import numpy as np\n\n\ndef kernel({', '.join(used)}):\n    result = {expression}\n    return result\n"


def _names(expression: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}


def analysis_of(expression: str) -> tuple[Kernel, KernelCost, str, Words]:
    words = read_words(WORDS)
    source = source_of(expression, words)
    used = _names(expression)
    bind = " ".join(word for word in words.bind.split() if word.partition("=")[0] in used)
    analysis = counted(source, "kernel", bind)
    chosen = Words(
        words.sizes,
        {k: v for k, v in words.scalars.items() if k in used},
        {k: v for k, v in words.arrays.items() if k in used},
    )
    return analysis.kernel, analysis.cost, source, chosen


def extents(array: Array, words: Words) -> tuple[int, ...]:
    return tuple(int(extent.evaluate(words.symbols)) for extent in array.shape)


def by_numpy(expression: str, words: Words) -> Any:
    with np.errstate(all="ignore"):
        return eval(expression, {"np": np, **words.arguments})


SHAPES = """
x + y | x[:, None] * y | A * x | A + A[0] | T * A | T[:, 1] - x | A[1:3] | A[..., None] | A[:, ::2]
x[::-1] | x[4:1:-1] | x[-3:] | x[:-2] | A[-1] | A[1:, -2:] | T[..., 0] | T[:, None, ..., 1:]
x[1:5:2] | x[5::-2] | A[:, 1:1] | x[2:100] | x[-100:3] | A.T | A.T[2] | T.transpose(2, 0, 1)
np.transpose(T, (1, 0, 2)) | T.swapaxes(0, 2) | np.moveaxis(T, 0, -1) | A.reshape(3, 8)
A.reshape(-1) | A.ravel() | A.T.ravel() | A.flatten() | T.reshape(3, -1) | np.reshape(x, (2, 3))
np.squeeze(A[:1]) | np.expand_dims(x, 0) | np.expand_dims(A, (0, 3)) | np.broadcast_to(x, (4, 6))
np.flip(x) | np.flip(A, 1) | np.fliplr(A) | np.diag(S) | np.diag(x) | np.diag(S, 1)
np.diagonal(S, -1) | np.atleast_2d(x) | x[i] | A[:, i] | A[i, 1:3] | T[1, i % 4] | np.sum(A, axis=0)
A.sum(axis=1) | A.sum(axis=-1, keepdims=True) | T.max(axis=(0, 2)) | np.mean(T, axis=1)
A.std(axis=0) | A.var(axis=1) | np.argmax(A, axis=0) | np.any(A > 1, axis=1)
np.linalg.norm(A, axis=1) | np.prod(A, axis=0) | np.ptp(A, axis=0) | np.cumsum(A)
np.cumsum(A, axis=1) | np.cumprod(x) | np.diff(x) | np.diff(A, axis=0) | np.diff(x, n=2)
np.average(A, axis=0) | A @ B | A @ x | x @ B | np.dot(A, B) | T @ B
np.matmul(T, T.swapaxes(1, 2)) | np.inner(A, A) | np.outer(x, y) | np.kron(x, y) | np.dot(T, B)
np.einsum('ij,jk->ik', A, B) | np.einsum('ij->j', A) | np.einsum('ij,j->i', A, x)
np.einsum('i,j', x, y) | np.einsum('...j,j->...', T, x) | np.tensordot(A, B, 1)
np.tensordot(T, A, axes=([1, 2], [0, 1])) | np.tensordot(A, T, ([1], [2])) | np.concatenate((x, y))
np.concatenate([A, A], axis=1) | np.concatenate((A, T[0]), axis=-1) | np.stack([x, y])
np.stack((A, A), axis=-1) | np.vstack((x, y)) | np.vstack((A, x)) | np.hstack((x, y))
np.hstack((A, A)) | np.column_stack((x, y)) | np.dstack((A, A)) | np.append(x, y)
np.append(x, 1.0) | np.tile(x, 3) | np.tile(A, (2, 1)) | np.repeat(x, 2) | np.repeat(A, 3, axis=1)
np.roll(A, 1, axis=0) | np.pad(x, 1) | np.pad(A, ((1, 1), (2, 0))) | np.pad(x, (1, 2)) | np.triu(S)
np.tril(A, -1) | np.take(x, i) | np.take(A, [0, 2], axis=0) | np.where(A > 1, A, 0)
np.where(x > y, x, y) | np.select([x > 1, y > 1], [x, y]) | np.clip(x, 0, 1) | np.clip(A, None, x)
x.clip(0.5, 1) | np.maximum(A, 0) | np.minimum(x, y) | np.add.outer(x, y) | np.multiply.outer(A, x)
np.add.reduce(A) | np.maximum.reduce(A, axis=1) | np.add.accumulate(x) | np.gradient(x)
np.maximum.accumulate(A, axis=1) | np.add.reduceat(x, [0, 2])
np.convolve(x, y) | np.convolve(x, y[:3], 'same') | np.convolve(x, y[:2], mode='valid')
np.correlate(x, y[:3]) | np.interp(x, y, y) | np.cross(A[:, :3], A[:, 3:]) | np.zeros((2, 3))
np.ones(n) | np.full((n, 2), 1.5) | np.zeros_like(A) | np.empty(4) | np.eye(3) | np.eye(3, 5)
np.identity(n) | np.arange(n) | np.arange(1, n, 2) | np.arange(0.0, 1.0, 0.25)
np.linspace(0, 1, 7) | np.array([1.0, 2.0]) | np.array([[1, 2], [3, 4]]) | np.array([x, y])
np.copy(A) | np.asarray(A) | np.indices((2, 3)) | np.mgrid[0:2, 0:3] | np.meshgrid(x, y[:3])[0]
np.meshgrid(x, y[:3], indexing='ij')[1] | np.sort(x) | np.argsort(A) | np.searchsorted(x, y)
np.linalg.inv(S) | np.linalg.solve(S, S[:, :2]) | np.linalg.solve(S, S[0]) | np.linalg.cholesky(S)
np.linalg.qr(A.T)[0] | np.linalg.qr(A.T)[1] | np.linalg.svd(A, full_matrices=False)[0]
np.linalg.svd(A)[2] | np.linalg.svd(A)[1] | np.linalg.eigh(S)[0] | np.linalg.eigh(S)[1]
np.linalg.pinv(A) | np.fft.fft(x) | np.fft.rfft(x) | np.fft.irfft(z) | np.fft.fft2(A)
np.fft.fft(A, axis=0) | np.fft.fft(x, 8) | np.histogram(x, 5)[0] | np.histogram(x, 5)[1]
np.median(A, axis=1) | np.percentile(A, 50, axis=0) | np.percentile(x, [25, 75]) | np.polyval(x, y)
np.split(A, 2)[1]
"""

TYPES = """
x + 1 | f + 1 | f + 1.5 | f * alpha | f + 2j | x + 2j | h + 1 | h * 1.5 | h + 1j | f + x | f * i
h * j | h + s | h + u | i + 1 | i + 1.5 | j + 1 | j * 2.5 | s + u | u + 1 | s * 2 | s / 2 | u / u
j // 2 | i / 2 | i ** 2 | f ** 2 | f ** 0.5 | j ** 0.5 | -f | -j | +w | z * f | w * f | w * x
w + 1 | w * 1.5 | w + 1j | abs(z) | abs(w) | np.abs(j) | z.real | w.imag | np.real(z) | np.conj(w)
np.angle(w) | np.sqrt(f) | np.sqrt(i) | np.sqrt(s) | np.sqrt(u) | np.exp(j) | np.sin(h)
np.floor(f) | np.sign(j) | np.isnan(f) | f > 1 | (f > 1) & (x > 1) | ~(f > 1) | np.logical_and(f, x)
np.maximum(f, 0) | np.maximum(f, x) | np.maximum(j, 1.5) | np.where(f > 1, f, 0)
np.where(f > 1, f, 0.0) | np.where(f > 1, f, x) | np.where(f > 1, 1, 0) | np.clip(f, 0, 1)
np.clip(j, 0, 2) | np.arctan2(f, x) | np.hypot(f, f) | np.hypot(j, j) | np.power(f, 3)
np.power(j, 2) | np.divide(j, j) | np.mod(f, 2) | np.mod(j, 2) | np.square(j) | np.copysign(f, x)
np.reciprocal(f) | f.astype(np.float64) | x.astype(np.float32) | i.astype('f4') | F.sum(axis=0)
np.sum(F > 1, axis=0) | F.mean(axis=1) | np.mean(F, axis=0, dtype=np.float64)
np.sum(F, axis=0, dtype='f8') | np.cumsum(j) | np.cumsum(u) | np.cumsum(f) | np.cumsum(f > 1)
np.prod(F, axis=1) | np.max(F, axis=0) | C.std(axis=0) | C.mean(axis=0) | np.linalg.norm(C, axis=0)
np.linalg.norm(F, axis=1) | np.argmin(F, axis=0) | F @ f | F @ x | F @ B | C @ z | C @ x
np.outer(f, j) | np.dot(j, B) | np.einsum('i,i->i', f, x) | np.zeros(3, dtype=np.float32)
np.zeros(3, np.complex64) | np.zeros(3, int) | np.full(3, 1) | np.full(3, 2.0) | np.full_like(f, 1)
np.ones_like(j) | np.zeros_like(f, dtype=np.float64) | np.empty_like(w) | np.arange(4)
np.arange(4.0) | np.arange(4, dtype=np.float32) | np.eye(3, dtype=np.float32) | np.array([1, 2])
np.array([1, 2.5]) | np.array([1.0, 2.0], dtype=np.float32) | np.asarray(f, dtype=np.float64)
np.concatenate((f, x)) | np.concatenate((f, j)) | np.stack([f, h]) | np.diff(f) | np.diff(j)
np.gradient(f) | np.roll(f, 1) | np.sort(f) | np.argsort(f) | f[i] | f * np.float64(2)
f * np.float32(2) | f * np.sqrt(2.0) | f * np.sum(f) | f * np.sum(x) | f * x[0] | f * f[0]
h * np.pi | f * len(x) | j * 2 + f | np.fft.fft(f) | np.fft.rfft(x) | np.linalg.inv(F[:, :4])
np.add(f, f, dtype=np.float64) | 1 / f | 2.0 - f | 2 ** f | x % 2 | 1 / j | f if n > 3 else x
np.float32(1.5) * f | (f + x) * h | np.exp(2j * f) | np.exp(-1j * x)
"""


def listed(text: str) -> list[str]:
    return [part.strip() for row in text.strip().splitlines() for part in row.split(" | ")]


@pytest.mark.parametrize("expression", listed(SHAPES) + listed(TYPES))
def test_shape_and_type_are_those_of_numpy(expression: str) -> None:
    """The expression is copied, so that a view becomes an array of its own."""
    kernel, _, _, words = analysis_of(f"np.copy({expression})")
    made = next(a for a in kernel.arrays if a.name == "result")
    expected = by_numpy(expression, words)
    assert extents(made, words) == expected.shape
    assert made.dtype == lookup(expected.dtype.str[1:])


COUNTED = """
x + y * 2 | A * x + 1 | (x - y) ** 2 | x ** 3 | x ** -2 | x ** 0.5 | x ** alpha | x / y | x // 2.0
x % y | -x | abs(x) | abs(z) | z * z | z + x | z / z | z * 2 | i + i | i / 2 | i * x | np.sqrt(x)
np.exp(-x) * np.sin(y) | np.maximum(x, 0) | np.where(x > 1, x + 1, y) | np.clip(x, 0, 1)
np.clip(x, 0, None) | np.square(x) | np.power(x, 3) | np.hypot(x, y) | np.sum(A) | A.sum(axis=1)
A.sum(axis=0, keepdims=True) | np.mean(A, axis=1) | A.mean() | np.var(A, axis=0) | A.std()
np.max(A) | A.min(axis=1) | np.prod(x) | np.sum(z) | np.argmax(x) | np.linalg.norm(x)
np.linalg.norm(A, axis=0) | np.cumsum(x) | np.cumsum(A, axis=1) | np.cumprod(x) | np.diff(x) | A @ B
A @ x | x @ y | z @ z | A @ B @ np.ones(5) | np.dot(x, y) | np.outer(x, y) | np.inner(A, A) | T @ B
np.einsum('ij,jk->ik', A, B) | np.concatenate((x, y)) * 2 | np.stack([x, y]).sum(axis=0)
np.zeros(6) + x | np.full(6, 2.0) * x | np.ones((4, 6)) @ x | x[1:] - x[:-1] | A[1:, ::2] * 2
A.T @ A | A.T * 2 | A.reshape(8, 3) + 1 | A.T.reshape(3, 8) * 2 | x[i] * 2 | np.roll(x, 1) - x
np.repeat(x, 2) * 2 | np.flip(x) + x | A[:, 1] * A[2, 3] | np.add.outer(x, y) * 2
(A - A.mean(axis=0)) / A.std(axis=0) | np.exp(A - np.max(A, axis=-1, keepdims=True))
np.sqrt(np.sum((x - y) ** 2)) | f * 2.0 + 1 | np.sum(f * f) | np.mod(x, 2) | np.tile(x, 3) + 1
np.copy(x) * x
"""


@pytest.mark.parametrize("expression", listed(COUNTED))
def test_operations_are_those_of_a_run(expression: str) -> None:
    _, cost, source, words = analysis_of(expression)
    trace = run(source, "kernel", words.arguments)
    counts: dict[str, int] = {}
    for (kind, _), number in cost.operations.items():
        counts[kind] = counts.get(kind, 0) + int(number.evaluate(words.symbols))
    assert {kind: number for kind, number in sorted(counts.items()) if number} == trace.all_classes
    assert cost.status == "exact"
