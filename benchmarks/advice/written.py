"""Kernels as people write them, with loops in an order that costs."""

from numba import njit


@njit
def product(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for i in range(n):
        for j in range(p):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]


@njit
def product_with_scalar(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for i in range(n):
        for j in range(p):
            acc = 0.0
            for k in range(m):
                acc += A[i, k] * B[k, j]
            C[i, j] = acc


@njit
def product_by_columns(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for j in range(p):
        for k in range(m):
            b = B[k, j]
            for i in range(n):
                C[i, j] += A[i, k] * b


@njit
def product_by_rows(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for i in range(n):
        for k in range(m):
            for j in range(p):
                C[i, j] += A[i, k] * B[k, j]


@njit
def gram(A, C):
    m, n = A.shape
    for i in range(n):
        for j in range(n):
            for k in range(m):
                C[i, j] += A[k, i] * A[k, j]


@njit
def batched(A, B, C):
    batch, n, m = A.shape
    p = B.shape[2]
    for b in range(batch):
        for i in range(n):
            for j in range(p):
                acc = 0.0
                for k in range(m):
                    acc += A[b, i, k] * B[b, k, j]
                C[b, i, j] = acc


@njit
def column_sums(A, s):
    n, m = A.shape
    for j in range(m):
        for i in range(n):
            s[j] += A[i, j]


@njit
def column_means(A, s):
    n, m = A.shape
    for j in range(m):
        total = 0.0
        for i in range(n):
            total += A[i, j]
        s[j] = total / n


@njit
def transposed_times_vector(A, x, y):
    n, m = A.shape
    for j in range(m):
        acc = 0.0
        for i in range(n):
            acc += A[i, j] * x[i]
        y[j] = acc


@njit
def jacobi_by_columns(u, v):
    n, m = u.shape
    for j in range(1, m - 1):
        for i in range(1, n - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@njit
def heat_from_behind(u, v, c):
    nz, ny, nx = u.shape
    for i in range(1, nx - 1):
        for j in range(1, ny - 1):
            for k in range(1, nz - 1):
                v[k, j, i] = u[k, j, i] + c * (
                    u[k - 1, j, i] + u[k + 1, j, i] + u[k, j - 1, i] + u[k, j + 1, i]
                    + u[k, j, i - 1] + u[k, j, i + 1] - 6.0 * u[k, j, i]
                )  # fmt: skip


@njit
def weighted(A, B, w):
    n, m = A.shape
    for j in range(m):
        for i in range(n):
            B[i, j] = A[i, j] * w[j] + B[i, j]


@njit
def running_sums(A):
    n, m = A.shape
    for j in range(m):
        for i in range(1, n):
            A[i, j] += A[i - 1, j]
