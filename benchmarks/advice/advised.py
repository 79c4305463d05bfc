"""The same kernels, rewritten by hand as the messages say."""

from numba import njit


@njit
def product(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for kk in range(0, m, 128):
        for i in range(n):
            for k in range(kk, min(kk + 128, m)):
                a = A[i, k]
                c = C[i]
                b = B[k]
                for j in range(p):
                    c[j] += a * b[j]


@njit
def product_with_scalar(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for i in range(n):
        for j in range(p):
            C[i, j] = 0.0
    for kk in range(0, m, 128):
        for i in range(n):
            for k in range(kk, min(kk + 128, m)):
                a = A[i, k]
                c = C[i]
                b = B[k]
                for j in range(p):
                    c[j] += a * b[j]


@njit
def product_by_columns(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for kk in range(0, m, 128):
        for i in range(n):
            for k in range(kk, min(kk + 128, m)):
                a = A[i, k]
                c = C[i]
                b = B[k]
                for j in range(p):
                    c[j] += a * b[j]


@njit
def product_by_rows(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for kk in range(0, m, 128):
        for i in range(n):
            for k in range(kk, min(kk + 128, m)):
                a = A[i, k]
                c = C[i]
                b = B[k]
                for j in range(p):
                    c[j] += a * b[j]


@njit
def gram(A, C):
    m, n = A.shape
    for kk in range(0, m, 128):
        for i in range(n):
            for k in range(kk, min(kk + 128, m)):
                a = A[k, i]
                c = C[i]
                row = A[k]
                for j in range(n):
                    c[j] += a * row[j]


@njit
def batched(A, B, C):
    batch, n, m = A.shape
    p = B.shape[2]
    for b in range(batch):
        for i in range(n):
            for j in range(p):
                C[b, i, j] = 0.0
    for b in range(batch):
        for kk in range(0, m, 128):
            for i in range(n):
                for k in range(kk, min(kk + 128, m)):
                    a = A[b, i, k]
                    c = C[b, i]
                    row = B[b, k]
                    for j in range(p):
                        c[j] += a * row[j]


@njit
def column_sums(A, s):
    n, m = A.shape
    for i in range(n):
        a = A[i]
        for j in range(m):
            s[j] += a[j]


@njit
def column_means(A, s):
    n, m = A.shape
    for j in range(m):
        s[j] = 0.0
    for i in range(n):
        a = A[i]
        for j in range(m):
            s[j] += a[j]
    for j in range(m):
        s[j] /= n


@njit
def transposed_times_vector(A, x, y):
    n, m = A.shape
    for j in range(m):
        y[j] = 0.0
    for i in range(n):
        t = x[i]
        a = A[i]
        for j in range(m):
            y[j] += a[j] * t


@njit
def jacobi_by_columns(u, v):
    n, m = u.shape
    for i in range(1, n - 1):
        out = v[i]
        for j in range(1, m - 1):
            out[j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@njit
def heat_from_behind(u, v, c):
    nz, ny, nx = u.shape
    for k in range(1, nz - 1):
        for j in range(1, ny - 1):
            out = v[k, j]
            for i in range(1, nx - 1):
                out[i] = u[k, j, i] + c * (
                    u[k - 1, j, i] + u[k + 1, j, i] + u[k, j - 1, i] + u[k, j + 1, i]
                    + u[k, j, i - 1] + u[k, j, i + 1] - 6.0 * u[k, j, i]
                )  # fmt: skip


@njit
def weighted(A, B, w):
    n, m = A.shape
    for i in range(n):
        a = A[i]
        b = B[i]
        for j in range(m):
            b[j] = a[j] * w[j] + b[j]


@njit
def running_sums(A):
    n, m = A.shape
    for i in range(1, n):
        for j in range(m):
            A[i, j] += A[i - 1, j]
