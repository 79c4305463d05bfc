"""Kernels as different people write them: whole arrays, reductions, drivers, functions that others make."""

from math import sqrt, exp

import numpy as np
from numba import njit, prange, stencil, vectorize
from numpy.lib.stride_tricks import sliding_window_view

GAMMA = 1.4
TAPS = [0.25, 0.5, 0.25]
CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
W9 = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
star = np.dtype([("x", "f8"), ("y", "f8"), ("flux", "f4"), ("band", "i4")])


@njit
def pic_deposit_1d(x, q, rho, dx):
    n = len(rho)
    for p in range(len(x)):
        s = x[p] / dx
        c = int(s)
        w = s - c
        rho[c % n] += q * (1.0 - w)
        rho[(c + 1) % n] += q * w
# oracle x=f8[400] q=0.5 rho=f8[64] dx=0.1


@njit
def kmeans_inertia(X, C, labels):
    """X: (n, d), C: (k, d); returns the sum of squared distances to the nearest centre."""
    total = 0.0
    for i in range(X.shape[0]):
        best = np.inf
        arg = -1
        for k in range(C.shape[0]):
            d = 0.0
            for j in range(X.shape[1]):
                diff = X[i, j] - C[k, j]
                d += diff * diff
            if d < best:
                best = d
                arg = k
        labels[i] = arg
        total += best
    return total
# oracle X=f8[100,4] C=f8[6,4] labels=i8[100]
# oracle X=f8[50,16] C=f8[20,16] labels=i8[50]


@njit
def basket_call(S0, mu, sigma, T, K, r, n_paths=1000):
    acc = 0.0
    m = len(S0)
    for p in range(n_paths):
        s = 0.0
        for a in range(m):
            z = np.random.normal()
            s += S0[a] * exp(mu[a] * T + sigma[a] * sqrt(T) * z)
        acc += max(s / m - K, 0.0)
    return exp(-r * T) * acc / n_paths
# oracle S0=f8[5] mu=f8[5] sigma=f8[5] T=1.0 K=1.0 r=0.05 n_paths=50
# oracle S0=f8[20] mu=f8[20] sigma=f8[20] T=1.0 K=1.0 r=0.05 n_paths=30


@njit
def edit_window(a, b, gap=2, mismatch=1):
    """Integer dynamic programme in two rows."""
    m, n = len(a), len(b)
    prev = np.arange(n + 1) * gap
    cur = np.zeros(n + 1, dtype=np.int64)
    for i in range(1, m + 1):
        cur[0] = i * gap
        for j in range(1, n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else mismatch
            cur[j] = min(prev[j - 1] + cost, prev[j] + gap, cur[j - 1] + gap)
        prev, cur = cur, prev
    return prev[n]
# oracle a=u1[40] b=u1[50]
# oracle a=u1[31] b=u1[200]
# known traffic: rows of odd length that swap: write-backs of the last lines


@stencil
def _diag(a):
    return 0.25 * (a[-1, -1] + a[-1, 1] + a[1, -1] + a[1, 1])


@njit
def diagonal_smooth(a, steps):
    for _ in range(steps):
        a = _diag(a)
    return a
# oracle a=f8[30,40] steps=3
# oracle a=f8[64,64] steps=2


@njit(parallel=True)
def saxpy_norm(a, x, y):
    z = a * x + y
    return np.sqrt((z * z).sum())
# oracle a=2.0 x=f8[500] y=f8[500]
# oracle a=2.0 x=f8[3000] y=f8[3000]


@vectorize
def _leaky(x, slope):
    return x if x > 0 else slope * x


@njit
def leaky_bias(x, bias, out):
    """A ufunc of one's own on rows."""
    for i in range(x.shape[0]):
        out[i] = _leaky(x[i] + bias[i], 0.01)
# oracle x=f8[20,50] bias=f8[20] out=f8[20,50]
# oracle x=f8[8,300] bias=f8[8] out=f8[8,300]


@njit
def zscore(A):
    m = A.mean()
    s = A.std()
    n = A.size
    B = np.empty(A.shape)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            B[i, j] = (A[i, j] - m) / s
    return B
# oracle A=f8[30,40]
# oracle A=f8[100,70]


def upwind_numpy(u, c, nt):
    for _ in range(nt):
        flux = np.where(c > 0, u * c, np.roll(u, -1) * c)
        u = u - (flux - np.roll(flux, 1))
    return u
# oracle u=f8[400] c=f8[400] nt=3
# oracle u=f8[1000] c=f8[1000] nt=2


def center_rows_norm(X):
    """Rows centred, with unit norm."""
    Xc = X - X.mean(axis=1, keepdims=True)
    Xc /= np.linalg.norm(Xc, axis=1, keepdims=True)
    return Xc
# oracle X=f8[40,30]
# oracle X=f8[12,200]


def attention_scores(q, k, scale):
    s = np.einsum("bhid,bhjd->bhij", q, k) * scale
    s -= s.max(axis=-1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=-1, keepdims=True)
    return s
# oracle q=f8[2,3,8,4] k=f8[2,3,10,4] scale=0.5
# oracle q=f8[1,2,16,8] k=f8[1,2,16,8] scale=0.5


def palindrome_energy(x):
    """Negative steps and halves."""
    half = len(x) // 2
    front = x[:half]
    back = x[:-half - 1:-1]
    e = (front - back) ** 2
    return e.sum() / half
# oracle x=f8[501]
# oracle x=f8[2000]


def calibrate(raw, dark, flat, out=None):
    if out is None:
        out = np.empty(raw.shape)
    np.subtract(raw, dark, out=out)
    np.divide(out, flat, out=out)
    out *= flat.mean()
    return out
# oracle raw=f8[30,40] dark=f8[30,40] flat=f8[30,40]
# oracle raw=f8[70,64] dark=f8[70,64] flat=f8[70,64]


def strongest_bin(spec):
    """spec: (frames, bins)"""
    p = np.abs(spec) ** 2
    k = np.argmax(p, axis=1)
    return k, p.max(axis=1)
# oracle spec=c16[20,65]
# oracle spec=f8[20,65]


def moving_rms(x, w=16):
    return np.sqrt((sliding_window_view(x, w) ** 2).mean(axis=-1))
# oracle x=f8[400]
# oracle x=f8[900] w=5


def channels_last(x, gain):
    n, c, h, w = x.shape
    y = x.transpose(0, 2, 3, 1).reshape(-1, c)
    return (y * gain).reshape(n, h, w, c)
# oracle x=f8[2,3,10,12] gain=f8[3]
# known traffic: a copy across planes, at a distance near the capacity


def grad_mag(f, dx):
    gy, gx = np.zeros_like(f), np.zeros_like(f)
    gy[1:-1] = (f[2:] - f[:-2]) / (2 * dx)
    gx[:, 1:-1] = (f[:, 2:] - f[:, :-2]) / (2 * dx)
    return np.hypot(gx, gy)
# oracle f=f8[30,40] dx=0.1
# oracle f=f8[64,128] dx=0.1


@njit
def first_crossing(x, level, hold=3):
    """The first place where x stays above the level for a while."""
    run = 0
    for i in range(x.shape[0]):
        if x[i] > level:
            run += 1
            if run == hold:
                return i - hold + 1
        else:
            run = 0
    return -1
# oracle x=f8[500] level=9.0
# oracle x=f8[500] level=0.1


@njit
def relax_with_history(u, f, hist, nt, every=4):
    """Jacobi with a copy each `every` steps."""
    n, m = u.shape
    new = u.copy()
    slot = 0
    for t in range(nt):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                new[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
        u[:, :] = new
        if (t + 1) % every == 0:
            hist[slot] = u
            slot += 1
    return slot
# oracle u=f8[20,30] f=f8[20,30] hist=f8[3,20,30] nt=12
# oracle u=f8[40,16] f=f8[40,16] hist=f8[4,40,16] nt=9 every=2


@njit
def block_sums_odd(x, nb):
    """The number of elements of a block is a function of sizes."""
    n = len(x)
    size = int(np.ceil(n / nb))
    s = np.zeros(nb)
    for b in range(nb):
        for i in range(b * size, min((b + 1) * size, n)):
            s[b] += x[i]
    return s
# oracle x=f8[1000] nb=7
# oracle x=f8[512] nb=16


@njit
def tree_reduce(x):
    """Pairs are added until one number is left."""
    n = x.size
    while True:
        if n == 1:
            break
        half = (n + 1) // 2
        for i in range(n // 2):
            x[i] = x[i] + x[i + half]
        n = half
    return x[0]
# oracle x=f8[512]
# oracle x=f8[300]


@njit
def rk2_chain(x, v, tmp, dt, nt):
    """Buffers picked by a conditional expression."""
    n = len(x)
    for s in range(nt):
        src = x if s % 2 == 0 else tmp
        dst = tmp if s % 2 == 0 else x
        for i in range(n):
            left = src[i - 1] if i > 0 else 0.0
            right = src[i + 1] if i < n - 1 else 0.0
            acc = left - 2.0 * src[i] + right
            v[i] += dt * acc
            dst[i] = src[i] + dt * v[i]
# oracle x=f8[300] v=f8[300] tmp=f8[300] dt=0.01 nt=6
# oracle x=f8[1000] v=f8[1000] tmp=f8[1000] dt=0.01 nt=3


class Filters:
    ORDER = 3

    @staticmethod
    @njit
    def fir3(x, y):
        for i in range(2, len(x)):
            y[i] = 0.25 * x[i] + 0.5 * x[i - 1] + 0.25 * x[i - 2]


@njit
def filtered_twice(x, y, z):
    Filters.fir3(x, y)
    Filters.fir3(y, z)
# oracle x=f8[400] y=f8[400] z=f8[400]


def make_poly(c0, c1, c2):
    @njit
    def poly(x, out):
        for i in range(x.shape[0]):
            out[i] = c0 + x[i] * (c1 + x[i] * c2)
    return poly


_cubic = make_poly(1.0, 0.5, 0.25)


@njit
def polynomial_of_closure(x, out):
    _cubic(x, out)
# oracle x=f8[400] out=f8[400]


@njit
def taps_filter(x, y):
    """A literal list of the module."""
    n = len(x)
    for i in range(1, n - 1):
        acc = 0.0
        for k in range(3):
            acc += TAPS[k] * x[i + k - 1]
        y[i] = acc
# oracle x=f8[400] y=f8[400]
# oracle x=f8[1500] y=f8[1500]


@njit
def quads_area(q):
    """Tuples unpacked from rows."""
    s = 0.0
    for i in range(len(q)):
        x0, y0, x1, y1 = q[i]
        s += abs((x1 - x0) * (y1 - y0))
    return s
# oracle q=f8[200,4]
# oracle q=f8[1000,4]


def fit_line(x, y):
    """Normal equations with dot products."""
    n = len(x)
    sx = np.sum(x)
    sy = np.sum(y)
    sxx = np.dot(x, x)
    sxy = np.dot(x, y)
    b = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    a = (sy - b * sx) / n
    r = y - a - b * x
    return a, b, r @ r
# oracle x=f8[300] y=f8[300]
# oracle x=f8[2000] y=f8[2000]


@njit
def euler_flux(q, f):
    """Conservative variables in rows, module constant of the gas."""
    for i in range(q.shape[1]):
        rho, mom, ene = q[0, i], q[1, i], q[2, i]
        u = mom / rho
        p = (GAMMA - 1.0) * (ene - 0.5 * rho * u * u)
        f[0, i] = mom
        f[1, i] = mom * u + p
        f[2, i] = u * (ene + p)
# oracle q=f8[3,200] f=f8[3,200]
# oracle q=f8[3,999] f=f8[3,999]


@njit(parallel=True)
def pairwise_gauss(X, K, gamma):
    n = X.shape[0]
    d = X.shape[1]
    for i in prange(n):
        K[i, i] = 1.0
        for j in range(i):
            s = 0.0
            for k in range(d):
                t = X[i, k] - X[j, k]
                s += t * t
            v = np.exp(-gamma * s)
            K[i, j] = v
            K[j, i] = v
# oracle X=f8[40,5] K=f8[40,40] gamma=0.5
# oracle X=f8[90,3] K=f8[90,90] gamma=0.5


@njit
def csr_power_step(data, indices, indptr, x, y):
    n = len(indptr) - 1
    nrm = 0.0
    for i in range(n):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * x[indices[k]]
        y[i] = s
        nrm += s * s
    nrm = sqrt(nrm)
    for i in range(n):
        x[i] = y[i] / nrm
    return nrm
# oracle nnz=600 data=f8[nnz] indices=i8[nnz]<100 indptr=i8[101]^nnz x=f8[100] y=f8[100]
