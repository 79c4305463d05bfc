"""Transforms, sparse matrices and graphs as people write them."""

import numpy as np
import cmath
from numba import njit, prange, vectorize, guvectorize, float64, int64


@njit
def dft(x):
    """The definition."""
    N = len(x)
    X = np.zeros(N, dtype=np.complex128)
    for k in range(N):
        s = 0j
        for n in range(N):
            s += x[n] * np.exp(-2j * np.pi * k * n / N)
        X[k] = s
    return X
# oracle x=f8[48]
# oracle x=c16[40]


@njit
def fft_inplace(a):
    """Iterative radix 2 with bit reversal."""
    n = a.shape[0]
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            a[i], a[j] = a[j], a[i]
    length = 2
    while length <= n:
        ang = -2.0 * np.pi / length
        wl = complex(np.cos(ang), np.sin(ang))
        for i in range(0, n, length):
            w = 1.0 + 0.0j
            for k in range(length // 2):
                u = a[i + k]
                v = a[i + k + length // 2] * w
                a[i + k] = u + v
                a[i + k + length // 2] = u - v
                w *= wl
        length *= 2
# oracle a=c16[64]
# oracle a=c16[256]


@njit
def butterfly_stage(re, im, wr, wi, half):
    """One stage on split arrays."""
    n = re.shape[0]
    for start in range(0, n, 2 * half):
        for k in range(half):
            i = start + k
            j = i + half
            tr = wr[k] * re[j] - wi[k] * im[j]
            ti = wr[k] * im[j] + wi[k] * re[j]
            re[j] = re[i] - tr
            im[j] = im[i] - ti
            re[i] += tr
            im[i] += ti
# known traffic: lines at the ends of the two halves of a group come back in the other half and in the next group
# oracle re=f8[256] im=f8[256] wr=f8[16] wi=f8[16] half=16


@njit
def csr_matvec(data, indices, indptr, x):
    """CSR times vector."""
    n = len(indptr) - 1
    y = np.zeros(n)
    for i in range(n):
        for jj in range(indptr[i], indptr[i + 1]):
            y[i] += data[jj] * x[indices[jj]]
    return y
# oracle nnz=300 data=f8[nnz] indices=i4[nnz]<40 indptr=i4[61]^nnz x=f8[40]


@njit
def coo_matvec(row, col, val, x, y):
    """COO."""
    y[:] = 0
    for k in range(val.size):
        y[row[k]] += val[k] * x[col[k]]
# oracle row=i8[300]<50 col=i8[300]<40 val=f8[300] x=f8[40] y=f8[50]


@njit(parallel=True)
def ell_matvec(val, col, x, y):
    """ELL with padding -1."""
    n, w = val.shape
    for i in prange(n):
        s = 0.0
        for k in range(w):
            c = col[i, k]
            if c >= 0:
                s += val[i, k] * x[c]
        y[i] = s
# oracle val=f8[60,7] col=i8[60,7]<50 x=f8[50] y=f8[60]


@njit
def csr_to_dense(data, indices, indptr, shape0, shape1):
    """Scatter rows."""
    out = np.zeros((shape0, shape1), dtype=data.dtype)
    for i in range(shape0):
        for k in range(indptr[i], indptr[i + 1]):
            out[i, indices[k]] = data[k]
    return out
# oracle nnz=120 data=f4[nnz] indices=i4[nnz]<40 indptr=i4[31]^nnz shape0=30 shape1=40


@njit
def pagerank(indptr, indices, outdeg, d, tol, maxit):
    """Power iteration on incoming links."""
    n = len(indptr) - 1
    r = np.full(n, 1.0 / n)
    for it in range(maxit):
        new = np.full(n, (1.0 - d) / n)
        for v in range(n):
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if outdeg[u] > 0:
                    new[v] += d * r[u] / outdeg[u]
        err = np.abs(new - r).sum()
        r = new
        if err < tol:
            break
    return r
# oracle nnz=200 indptr=i8[51]^nnz indices=i8[nnz]<50 outdeg=i8[50] d=0.85 tol=0.0 maxit=4


@njit
def bfs(indptr, indices, source, dist):
    """Breadth first with an array as queue."""
    n = dist.shape[0]
    for i in range(n):
        dist[i] = -1
    queue = np.empty(n, dtype=np.int64)
    queue[0] = source
    dist[source] = 0
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                queue[tail] = v
                tail += 1
# oracle nnz=200 indptr=i8[51]^nnz indices=i8[nnz]<50 source=3 dist=i8[50]


@njit
def floyd_warshall(dist):
    """All pairs with a test."""
    n = dist.shape[0]
    for k in range(n):
        for i in range(n):
            if dist[i, k] == np.inf:
                continue
            for j in range(n):
                if dist[i, k] + dist[k, j] < dist[i, j]:
                    dist[i, j] = dist[i, k] + dist[k, j]
# oracle dist=f8[30,30]


def floyd_numpy(D):
    """All pairs in NumPy."""
    n = len(D)
    for k in range(n):
        D = np.minimum(D, D[:, k, None] + D[None, k, :])
    return D
# oracle D=f8[24,24]


@njit
def bellman_ford(src, dst, w, n, start):
    """Relax until nothing changes."""
    dist = np.full(n, np.inf)
    dist[start] = 0.0
    for it in range(n - 1):
        changed = False
        for e in range(len(src)):
            u, v = src[e], dst[e]
            if dist[u] + w[e] < dist[v]:
                dist[v] = dist[u] + w[e]
                changed = True
        if not changed:
            break
    return dist
# oracle src=i8[200]<40 dst=i8[200]<40 w=f8[200] n=40 start=0


@vectorize([float64(float64, float64)], nopython=True)
def soft_threshold(x, lam):
    """A ufunc with branches."""
    if x > lam:
        return x - lam
    elif x < -lam:
        return x + lam
    return 0.0


@njit
def ista_step(A, b, x, step, lam):
    """A ufunc on an array."""
    r = A @ x - b
    g = A.T @ r
    return soft_threshold(x - step * g, step * lam)
# oracle A=f8[30,20] b=f8[30] x=f8[20] step=0.01 lam=0.1


@njit
def power_method(A, v, iters):
    """Dominant eigenvalue."""
    lam = 0.0
    for _ in range(iters):
        w = np.dot(A, v)
        lam = np.sqrt(np.sum(w**2))
        v = w / lam
    return lam, v
# oracle A=f8[24,24] v=f8[24] iters=3


@njit
def mandelbrot(xmin, xmax, ymin, ymax, width, height, max_iter):
    """Escape times."""
    img = np.zeros((height, width), dtype=np.uint8)
    dx = (xmax - xmin) / width
    dy = (ymax - ymin) / height
    for py in range(height):
        ci = ymin + py * dy
        for px in range(width):
            c = complex(xmin + px * dx, ci)
            z = 0.0j
            for it in range(max_iter):
                z = z * z + c
                if z.real * z.real + z.imag * z.imag >= 4.0:
                    img[py, px] = it
                    break
    return img
# oracle xmin=-2.0 xmax=1.0 ymin=-1.0 ymax=1.0 width=24 height=16 max_iter=20


@njit
def julia_abs(c, n, maxit):
    """With abs and while."""
    out = np.empty((n, n), np.int32)
    for i in range(n):
        for j in range(n):
            z = complex(-1.5 + 3.0 * j / n, -1.5 + 3.0 * i / n)
            k = 0
            while abs(z) < 2.0 and k < maxit:
                z = z * z + c
                k += 1
            out[i, j] = k
    return out
# oracle c=0.3 n=16 maxit=12
