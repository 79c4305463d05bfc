"""Parallel loops: what threads share and what each has for itself (``tests/test_threads.py``)."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def product(A, B, C):
    """All threads read the whole of B."""
    for i in prange(A.shape[0]):
        for k in range(A.shape[1]):
            for j in range(B.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
# oracle A=f8[32,24] B=f8[24,40] C=f8[32,40]


@njit(parallel=True)
def product_by_dots(A, B, C):
    """The same, element by element: B by columns."""
    for i in prange(A.shape[0]):
        for j in range(B.shape[1]):
            s = 0.0
            for k in range(A.shape[1]):
                s += A[i, k] * B[k, j]
            C[i, j] = s
# oracle n=28 A=f8[n,n] B=f8[n,n] C=f8[n,n]


@njit(parallel=True)
def forces(pos, acc, eps):
    """All pairs: one array is read by row, and whole."""
    n = pos.shape[0]
    for i in prange(n):
        ax = 0.0
        ay = 0.0
        for j in range(n):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            w = 1.0 / (dx * dx + dy * dy + eps) ** 1.5
            ax += w * dx
            ay += w * dy
        acc[i, 0] = ax
        acc[i, 1] = ay
# oracle n=96 pos=f8[n,2] acc=f8[n,2] eps=0.01


@njit(parallel=True)
def assign_clusters(X, centers, label):
    """All threads read the centers."""
    n, d = X.shape
    for i in prange(n):
        best = np.inf
        for c in range(centers.shape[0]):
            dist = 0.0
            for k in range(d):
                diff = X[i, k] - centers[c, k]
                dist += diff * diff
            if dist < best:
                best = dist
                label[i] = c
# oracle X=f8[48,16] centers=f8[24,16] label=i8[48]
# known traffic: a store that a branch seldom reaches counts as part of each iteration


@njit(parallel=True)
def distances(X, Y, D):
    """Every row of X against every row of Y."""
    for i in prange(X.shape[0]):
        for j in range(Y.shape[0]):
            s = 0.0
            for k in range(X.shape[1]):
                t = X[i, k] - Y[j, k]
                s += t * t
            D[i, j] = s
# oracle X=f8[32,8] Y=f8[48,8] D=f8[32,48]


@njit(parallel=True)
def spmv(indptr, indices, data, x, y):
    """Rows of a sparse matrix: all threads gather from x."""
    for i in prange(y.shape[0]):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * x[indices[k]]
        y[i] = s
# oracle nnz=1600 indptr=i8[129]^nnz indices=i8[nnz]<128 data=f8[nnz] x=f8[128] y=f8[128]


@njit(parallel=True)
def matvec(A, x, y):
    """All threads read x."""
    for i in prange(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j] * x[j]
        y[i] = s
# oracle A=f8[64,200] x=f8[200] y=f8[64]


@njit(parallel=True)
def row_sums(A, out):
    """Threads share nothing."""
    for i in prange(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j]
        out[i] = s
# oracle A=f8[64,96] out=f8[64]


@njit(parallel=True)
def five_points(u, v):
    """Rows of a stencil."""
    n, m = u.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
# oracle u=f8[66,64] v=f8[66,64]


@njit(parallel=True)
def sweeps(u, v, steps):
    """Sweeps of a stencil, there and back."""
    n, m = u.shape
    for _ in range(steps):
        for i in prange(1, n - 1):
            for j in range(1, m - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        for i in prange(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1])
# oracle u=f8[34,32] v=f8[34,32] steps=3


@njit(parallel=True)
def lower_product(L, x, y):
    """Rows of a triangle: threads do unequal work."""
    for i in prange(L.shape[0]):
        s = 0.0
        for j in range(i + 1):
            s += L[i, j] * x[j]
        y[i] = s
# oracle n=120 L=f8[n,n] x=f8[n] y=f8[n]


@njit(parallel=True)
def covariance(X, C):
    """Pairs of columns, half of them."""
    n, m = X.shape
    for i in prange(m):
        for j in range(i, m):
            s = 0.0
            for k in range(n):
                s += X[k, i] * X[k, j]
            C[i, j] = s
# oracle X=f8[8,64] C=f8[64,64]


@njit(parallel=True)
def column_sums(A, out):
    """Threads walk down columns that lie side by side."""
    n, m = A.shape
    for j in prange(m):
        s = 0.0
        for i in range(n):
            s += A[i, j]
        out[j] = s
# oracle A=f8[48,128] out=f8[128]


@njit(parallel=True)
def filter_rows(image, weights, out):
    """A short filter that all threads read."""
    n, m = image.shape
    w = weights.shape[0]
    for i in prange(n):
        for j in range(m - w + 1):
            s = 0.0
            for k in range(w):
                s += image[i, j + k] * weights[k]
            out[i, j] = s
# oracle image=f8[24,48] weights=f8[9] out=f8[24,40]


@njit(parallel=True)
def batched(A, B, C):
    """A product for each entry of a batch, with one right-hand side for all."""
    for b in prange(A.shape[0]):
        for i in range(A.shape[1]):
            for k in range(A.shape[2]):
                for j in range(B.shape[1]):
                    C[b, i, j] += A[b, i, k] * B[k, j]
# oracle A=f8[8,8,12] B=f8[12,16] C=f8[8,8,16]


@njit(parallel=True)
def power_iteration(A, x, y, steps):
    """Products in a loop: a second parallel loop takes the result back."""
    n = x.shape[0]
    for _ in range(steps):
        for i in prange(n):
            s = 0.0
            for j in range(n):
                s += A[i, j] * x[j]
            y[i] = s
        for i in prange(n):
            x[i] = y[i]
# oracle n=64 A=f8[n,n] x=f8[n] y=f8[n] steps=3


@njit(parallel=True)
def evaluate_polynomials(c, x, out):
    """A table for each point, in blocks of rows."""
    rows = x.shape[0] // 4
    for b in prange(4):
        for i in range(b * rows, (b + 1) * rows):
            for t in range(x.shape[1]):
                s = 0.0
                for k in range(c.shape[0]):
                    s = s * x[i, t] + c[k]
                out[i, t] = s
# oracle c=f8[16] x=f8[16,32] out=f8[16,32]


@njit(parallel=True)
def weighted(x, y, w):
    """A serial pass between parallel ones."""
    for i in prange(x.shape[0]):
        y[i] = w * x[i]
    s = 0.0
    for i in range(x.shape[0]):
        s += y[i]
    for i in prange(x.shape[0]):
        y[i] = y[i] / s
# oracle x=f8[600] y=f8[600] w=0.5
