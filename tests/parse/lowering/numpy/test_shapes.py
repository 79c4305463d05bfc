"""Shapes and element types of NumPy's functions, expression by expression, as NumPy itself makes them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from roofscan.ir.dtypes import lookup
from tests.oracle.analysis import counted
from tests.oracle.words import read_words

WORDS = read_words(
    "A=f8[4,6] B=f8[6,4] C=f8[4,6] F=f4[4,6] x=f8[6] y=f8[4] w=f8[6] f=f4[6] i=i8[6]<4 j=i8[4]<4 b=i1[6]<2 z=c16[4] "
    "Z=c8[4,6] T=f8[3,4,6] S=f8[5,5] q=i4[6]<9 o=f8[1] P=f8[4,1] e=f8[2,3,4,6]"
)

EXPRESSIONS = """
np.sqrt(A); np.sqrt(i); np.exp(f); np.square(i); np.reciprocal(f); np.negative(i); np.abs(z); np.absolute(Z)
np.fabs(i); np.sign(i); np.conj(Z); np.conjugate(x); np.floor(x); np.ceil(i); np.rint(i); np.round(x, 2)
np.around(f); np.fix(x); np.trunc(x); np.nan_to_num(x); np.spacing(x); np.isnan(A); np.isfinite(z)
np.logical_not(x); np.signbit(x); np.invert(i); np.angle(z); np.radians(f); np.cbrt(i); np.sinc(x)
np.add(A, x); np.subtract(F, x); np.multiply(P, x); np.divide(i, i); np.true_divide(q, 2)
np.floor_divide(i, 2); np.mod(i, 3); np.fmod(x, 2); np.remainder(q, i); np.minimum(F, x); np.fmax(i, q)
np.power(x, 3); np.power(i, 2); np.float_power(i, 2); np.copysign(i, -1); np.heaviside(x, 0.5)
np.greater(A, x); np.isclose(A, A); np.logical_and(x > 1, w); np.bitwise_and(i, 3); np.left_shift(i, 2)
np.gcd(i, q); np.hypot(f, f); np.arctan2(y, 1); np.logaddexp(x, w); np.ldexp(x, i); np.sum(A)
np.sum(A, axis=0); np.sum(A, axis=-1, keepdims=True); np.sum(T, axis=(0, 2))
np.sum(T, axis=(0, -1), keepdims=True); np.sum(b); np.sum(b, axis=0); np.sum(q, axis=0, dtype=np.float32)
np.sum(F, axis=1, dtype=np.float64); np.prod(q); np.prod(T, axis=1); np.amin(A, 1); np.ptp(A, axis=0)
np.argmax(A, axis=1); np.argmin(A); np.count_nonzero(A, axis=0); np.any(A > 1, axis=0); np.all(A > 1)
np.mean(A, axis=0); np.mean(q); np.mean(F, axis=1); np.mean(Z, axis=0); np.average(A, axis=0)
np.average(A, axis=1, weights=x); np.average(x, weights=w); np.var(A, axis=0); np.var(Z, axis=0)
np.std(A, axis=0, ddof=1); np.std(F, axis=1, keepdims=True); np.nanmean(A, axis=0); np.nansum(A, axis=0)
np.linalg.norm(A); np.linalg.norm(A, axis=1); np.linalg.norm(A, axis=1, keepdims=True); np.linalg.norm(x, 1)
np.linalg.norm(x, np.inf); np.linalg.norm(x, ord=1); np.linalg.norm(A, 'fro'); np.linalg.norm(A, 1, axis=0)
np.linalg.norm(z); np.cumsum(A); np.cumsum(A, axis=0); np.cumsum(q); np.cumsum(b); np.cumprod(T, axis=1)
np.cumsum(A, 1); np.dot(A, B); np.dot(A, x); np.dot(x, w); np.dot(T, B); np.dot(T, x); np.dot(A, 2.0)
np.dot(x, B); A @ B; x @ B; A @ x; T @ x; x @ T.transpose(0, 2, 1); np.inner(x, w); np.inner(A, C)
np.inner(T, x); np.vdot(A, C); np.vdot(z, z); np.outer(x, y); np.outer(A, y); np.kron(x, y); np.kron(A, B)
np.einsum('ij,jk->ik', A, B); np.einsum('ij,jk', A, B); np.einsum('ij->j', A); np.einsum('ii->i', S)
np.einsum('ii', S); np.einsum('ij,j->i', A, x); np.einsum('i,j->ij', x, y); np.einsum('...j,j->...', T, x)
np.einsum('bij,bjk->bik', T, T.transpose(0, 2, 1)); np.einsum('ij,ij->', A, C); np.einsum('ij->ji', A)
np.einsum('ba', A); np.tensordot(A, B, axes=1); np.tensordot(A, B, 1); np.tensordot(A, C, axes=2)
np.tensordot(A, C); np.tensordot(T, A, axes=([1, 2], [0, 1])); np.tensordot(T, x, axes=(2, 0))
np.tensordot(x, y, axes=0); np.tensordot(T, B, axes=([2], [0])); np.linalg.matrix_power(S, 3); np.zeros((3, 4))
np.zeros(5, dtype=np.int32); np.zeros((2, 3), 'f4'); np.zeros([2, 3], float); np.zeros(3, dtype='complex64')
np.zeros(3, bool); np.zeros(A.shape); np.zeros(A.shape[0]); np.zeros(A.shape[1:]); np.zeros((2,) + A.shape)
np.zeros(A.shape + (3,)); np.zeros(A.shape[::-1]); np.zeros_like(F); np.zeros_like(F, dtype=float)
np.zeros_like(A, shape=(3,)); np.ones((3, 2), dtype=A.dtype); np.ones_like(x, dtype=int); np.full((3, 2), 7)
np.full((3, 2), 7.0); np.full(3, 1 + 2j); np.full(3, 7, dtype=np.float32); np.full_like(x, 2)
np.full_like(i, 2.5); np.eye(4); np.eye(4, 5); np.eye(3, dtype=np.float32); np.eye(4, k=1); np.identity(3)
np.tri(4); np.tri(3, 5); np.arange(5); np.arange(5.0); np.arange(2, 10); np.arange(2, 10, 3)
np.arange(0, 1, 0.1); np.arange(10, 0, -3); np.arange(len(x)); np.arange(5, dtype=np.float32)
np.linspace(0, 1, 11); np.linspace(0, 1, num=7); np.linspace(0, 1); np.linspace(0, 1, 5, endpoint=False)
np.linspace(0, 1, 5, dtype=np.float32); np.linspace(0, 1, 5, retstep=True)[0]; np.logspace(0, 1, 5)
np.geomspace(1, 10, 5); np.indices((3, 4)); np.meshgrid(x, y)[0]; np.meshgrid(x, y, indexing='ij')[1]
np.mgrid[0:3, 0:5]; np.mgrid[0:3, 0:5][0]; np.mgrid[0:3]; np.mgrid[0:6:2, 1:4]; np.mgrid[0:1:5j]
np.ogrid[0:3, 0:5][0]; np.ogrid[0:3, 0:5][1]; np.array([1, 2, 3]); np.array([1.0, 2])
np.array([[1, 2], [3, 4]]); np.array([x, w]); np.array([x[0], 2.0]); np.array((1, 2j)); np.array(5.0)
np.array([1, 2], dtype=np.float32); np.array(x, dtype=np.float32); np.asarray(F, dtype=float)
np.asarray([1, 2, 3]); np.ascontiguousarray(A.T); np.atleast_2d(x); np.atleast_3d(A); np.atleast_1d(x)
np.copy(A.T); A.copy(); A.astype(np.float32); A.astype('f4'); A.astype(int); A.astype(complex)
np.reshape(A, (2, 12)); A.reshape(2, 12); A.reshape((3, 8)); A.reshape(-1); A.reshape(-1, 3)
A.reshape(2, -1, 3); A.reshape(A.shape[0], -1); A.reshape(*A.shape, 1); A.T.reshape(2, 12)
A.reshape(8, 3, order='F'); A.ravel(); A.T.ravel(); A.flatten(); np.ravel(T); np.transpose(T)
T.transpose(2, 0, 1); np.transpose(T, (1, 0, 2)); np.transpose(T, axes=[1, 0, 2]); T.T; T.transpose()
np.swapaxes(T, 0, 2); T.swapaxes(-1, 0); np.moveaxis(T, 0, -1); np.moveaxis(T, -1, 0)
np.moveaxis(T, [0, 1], [-1, -2]); np.squeeze(P); np.squeeze(P, axis=1); P.squeeze(); np.squeeze(T[0:1])
np.expand_dims(x, 0); np.expand_dims(A, -1); np.expand_dims(A, (0, 2)); np.broadcast_to(x, (4, 6))
np.broadcast_to(x, A.shape); np.flip(A); np.flip(A, 0); np.fliplr(A); np.flipud(A); np.diagonal(S)
np.diagonal(A, 1); np.diagonal(A, -1); np.diagonal(T, axis1=1, axis2=2); S.diagonal(); np.diag(S); np.diag(x)
np.diag(x, 1); np.diag(A, -2); np.trace(S); np.trace(T); np.split(x, 3)[0]; np.split(x, [2, 4])[1]
np.array_split(x, 4)[0]; np.array_split(x, 4)[3]; np.hsplit(A, 2)[1]; np.vsplit(A, 2)[1]
np.split(A, 2, axis=1)[0]; np.real(z); np.imag(z); z.real; Z.imag; np.real(x); np.concatenate((x, y))
np.concatenate([A, C], axis=1); np.concatenate([A, C]); np.concatenate((x, i)); np.concatenate((F, A), axis=-1)
np.concatenate((A, C), axis=None); np.hstack((x, y)); np.hstack((A, C)); np.hstack((P, P)); np.vstack((x, w))
np.vstack((A, x)); np.dstack((A, C)); np.column_stack((x, w)); np.column_stack((A, y)); np.append(x, 1.0)
np.append(x, y); np.append(A, C, axis=0); np.append(A, C); np.stack((x, w)); np.stack((x, w), axis=1)
np.stack([A, C], axis=-1); np.tile(x, 3); np.tile(x, (2, 3)); np.tile(A, 2); np.tile(A, (2, 1, 1))
np.repeat(x, 3); np.repeat(A, 2); np.repeat(A, 2, axis=0); np.repeat(A, 3, axis=-1); x.repeat(2); np.roll(x, 1)
np.roll(A, 1, axis=0); np.roll(A, (1, 2), axis=(0, 1)); np.rot90(A); np.rot90(A, 2); np.triu(A); np.tril(A, -1)
np.pad(x, 2); np.pad(x, (1, 2)); np.pad(A, 1); np.pad(A, ((1, 1), (2, 0)))
np.pad(A, ((1, 1), (2, 0)), mode='constant'); np.pad(A, (1, 2), 'edge')
np.pad(T, ((0, 0), (1, 1), (1, 1)), 'constant', constant_values=0); np.take(x, i); np.take(A, j, axis=0)
np.take(A, j, axis=1); np.take(A, 2, axis=0); np.take(A, i); np.where(A > 1, A, 0); np.where(x > 1, x, A)
np.where(x > 1, 1, 0); np.where(F > 1, F, 0.0); np.select([x > 2, x > 1], [x, w], 0.0); np.choose(b, [x, w])
np.clip(A, 0, 1); np.clip(F, 0, 1); np.clip(i, 0, 2); np.clip(x, None, 1); A.clip(0.5); A.clip(min=0.5)
np.diff(x); np.diff(A); np.diff(A, axis=0); np.diff(A, n=2); np.diff(x, 2); np.ediff1d(x); np.gradient(x)
np.gradient(x, 0.5); np.gradient(A)[0]; np.gradient(A, axis=1); np.gradient(A, 0.1, 0.2)[1]; np.trapezoid(x)
np.trapezoid(A, axis=0); np.trapezoid(A, dx=0.1); np.trapezoid(x, w); np.convolve(x, y)
np.convolve(x, y, 'same'); np.convolve(x, y, mode='valid'); np.correlate(x, y); np.correlate(x, y, 'full')
np.cross(A[:, :3], C[:, :3]); np.cross(x[:3], w[:3]); np.polyval(x, y)
np.polyval([1.0, 2.0, 3.0], y); np.sort(x); np.sort(A, axis=0); np.argsort(A); np.argsort(x)[::-1]
np.partition(x, 3); np.searchsorted(x, y); np.searchsorted(x, 0.5); np.isin(i, q); np.array_equal(x, w)
np.size(A); np.shape(A); np.add.reduce(A); np.add.reduce(A, axis=1); np.add.accumulate(x)
np.multiply.accumulate(A, axis=1); np.add.outer(x, y); np.subtract.outer(A, x)
np.maximum.accumulate(A, axis=1); np.minimum.accumulate(i); np.fmax.accumulate(f); np.add.reduceat(i, [0, 2])
np.minimum.reduceat(f, [0, 1, 3])
np.logical_or.reduce(A > 1, axis=0); A[j]; A[:, j]; A[j, j]; A[j, 2:4]; A[2:3, j]; T[:, j, 0]; T[0, j]
T[0, :, i]; A[None]; A[:, None]; A[..., None]; A[..., 0]; T[..., ::2]; T[::-1, 1:-1, ::-2]; A[-1]; A[-2:]
A[:-1, 1:]; A[3:1]; A[3:1:-1]; A[10:]; A[:10]; A[-10:2]; x[::3]; x[-1:-4:-1]; x[4::-2]; x[:0]; x[2:2]; x[-2:1]
[x, w][1]; x[i]; x[[0, 2]]; A[[0, 1], [2, 3]]; A[[0, 1]]; A[:, [0, 1, 1]]; A[(0, 1)]; A[1][2]; A[1][2:4]; -A
+A; ~i; abs(A); A ** 2; i ** 2; i ** -1.0; 2 ** i; 2.0 ** x; A // 2; A % 2; divmod(A, 2)[0]; i / 2; i // 2
i * 2.0; F * 2.0; F * np.float64(2.0); F * np.float32(2.0); F + i; F + q; f + b; q + i; q * 1; b + b; b * 2
Z * 2.0; Z * x; F * 1j; i * 1j; (x > 1) * x; (x > 1) + (w > 1); (x > 1) & (w > 1); ~(x > 1); (x > 1) * 2
x == w; x[:, None] + y; x[:, np.newaxis] - x; P + x; A + o; T + A; T * x[None, None, :]; np.add(F, 1.0)
np.multiply(i, 0.5); np.arange(3)[:, None] * x; np.ones(3) * 2; np.round(A).astype(int); np.float32(2.0) * x
np.float32(2.0) * f; np.sum(x) * f; x.sum() * f; np.sum(f) * x; f.mean() * f; x[0] * f; f[0] * f
f[0] * 2.0 * f; int(x[0]) * f; float(f[0]) * f; np.pi * f; len(x) * f; x.size * f; x.max() - f
A.mean(axis=0) - F; A.sum(0); A.sum(1, keepdims=True); A.T @ A; A.dot(B); A.dot(x); x.dot(w)
A.max(axis=(0, 1)); A.min(); A.argmax(); A.prod(axis=0); A.cumsum(); A.std(axis=0); A.round(2); A.conj()
A.repeat(2, axis=1); A.take(j, axis=0); A.any(axis=1); A.all(); A.flat[3]; A.view(); A.sum(axis=0).sum()
np.sum(A, axis=0, initial=1.0); np.log(A, dtype=np.float32); np.add(x, w, dtype=np.float32)
np.mean(x, dtype=np.float32); np.linalg.norm(A - C); np.atleast_2d(x).T; np.empty((3, 2)).shape
np.ndarray((3, 2)); np.ndarray(shape=(3, 2), dtype=np.float32); np.nanmax(A, axis=0); np.exp2(i); np.i0(x)
np.flip(x)[:3]; np.nancumsum(x); np.isreal(z); np.floor(x).astype(np.int64); np.true_divide(f, 2)
np.square(f) + np.square(x); sum([x, w]); sum(x); max(x); min(x[0], x[1]); list(x); [a * 2 for a in x]
np.array([a * 2 for a in x]); np.array([k ** 2 for k in range(5)]); np.dot(x[:3], w[3:]); np.split(A, 2)
"""


def expressions() -> list[str]:
    return [part.strip() for line in EXPRESSIONS.strip().splitlines() for part in line.split(";")]


def value_of(expression: str) -> Any:
    with np.errstate(all="ignore"):
        return np.array(eval(expression, {"np": np, **{name: array.copy() for name, array in WORDS.arrays.items()}}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, len(expressions()), 20))
def test_shapes_and_types(first: int) -> None:
    """Twenty expressions per kernel, without those that give a number."""
    chosen = expressions()[first : first + 20]
    names = [name for name in WORDS.arrays if any(re.search(rf"\b{name}\b", text) for text in chosen)]
    lines = "".join(f"    r{k} = np.array({text})\n" for k, text in enumerate(chosen))
    returned = ", ".join(f"r{k}" for k in range(len(chosen)))
    source = f"import numpy as np\ndef kernel({', '.join(names)}):\n{lines}    return {returned}\n"
    bind = " ".join(word for word in WORDS.bind.split() if word.partition("=")[0] in names)
    analysis = counted(source, "kernel", bind)
    made = {array.name: array for array in analysis.kernel.arrays}
    for k, text in enumerate(chosen):
        expected = value_of(text)
        if expected.ndim or f"r{k}" in made:
            array = made[f"r{k}"]
            shape = tuple(extent.evaluate(analysis.values(WORDS.symbols)) for extent in array.shape)
            assert (text, shape, array.dtype) == (text, expected.shape, lookup(expected.dtype.str[1:]))
