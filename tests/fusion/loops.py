"""Loops, reductions, calls of kernels, and float32 data."""

from math import sqrt

import numpy as np
from numba import njit, prange


@njit
def lbm_like(f, g, n):
    for i in range(n):
        g[i] = f[i] * 0.5
    for i in range(n):  # expect RFL302
        f[i] = g[i] + 1.0
    for i in range(n):
        g[i] = f[i] - g[i]


@njit
def reversed_second(a, b, c):
    n = len(a)
    for i in range(n):
        b[i] = 2.0 * a[i]
    for i in range(n - 1, -1, -1):
        c[i] = b[i] + a[i]


@njit
def strided(a, b, c):
    n = len(a)
    for i in range(0, n, 2):
        b[i] = 2.0 * a[i]
    for i in range(0, n, 2):
        c[i] = b[i] + a[i]


@njit
def offset_ranges(a, b, c):
    n = len(a)
    for i in range(n):
        b[i] = 2.0 * a[i]
    for i in range(1, n):
        c[i] = b[i] + a[i]


@njit(parallel=True)
def par(a, b, c):
    n = len(a)
    for i in prange(n):
        b[i] = 2.0 * a[i]
    for i in prange(n):
        c[i] = b[i] + a[i]


@njit(parallel=True)
def par_prev(a, b, c):
    n = len(a)
    for i in prange(1, n):
        b[i] = 2.0 * a[i]
    for i in prange(1, n):
        c[i] = b[i - 1] + a[i]


@njit
def sum_then_scale(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    for i in range(len(a)):
        a[i] /= s


@njit
def two_sums(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[i]
    t = 0.0
    for i in range(len(a)):
        t += a[i] * a[i]
    return s / t


@njit
def mad(x):
    m = 0.0
    for i in range(len(x)):
        m += x[i]
    m /= len(x)
    s = 0.0
    for i in range(len(x)):
        s += abs(x[i] - m)
    return s / len(x)


@njit
def variance(x):
    m = 0.0
    for i in range(len(x)):
        m += x[i]
    m /= len(x)
    s = 0.0
    for i in range(len(x)):
        s += (x[i] - m) ** 2
    return s / len(x)


# roofscan: x=f8[n]
def mad_np(x):
    return np.mean(np.abs(x - np.mean(x)))  # expect RFL301


# roofscan: x=f8[n]
def logsumexp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


# roofscan: x=f8[n]
def skew(x):
    m = x.mean()
    d = x - m
    return (d**3).mean() / (d**2).mean() ** 1.5  # expect RFL301 RFL302


# roofscan: x=f8[n]
def range_of(x):
    return x.max() - x.min()  # expect RFL303


# roofscan: x=f8[n,m]
def margins(x):
    return x.sum(axis=0), x.sum(axis=1)  # expect RFL303


# roofscan: x=f8[n,m]
def row_norms(x):
    return x / np.sqrt((x * x).sum(axis=1))[:, None]  # expect RFL301


@njit
def row_normalise(x):
    n, m = x.shape
    for i in range(n):
        s = 0.0
        for j in range(m):
            s += x[i, j]
        for j in range(m):
            x[i, j] /= s


@njit
def stencil_pair(u, v, w):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    for i in range(1, n - 1):  # expect RFL302
        for j in range(1, m - 1):
            w[i, j] = u[i, j] - v[i, j]


@njit
def gauss_like(u, v):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            u[i, j] = v[i, j]


@njit
def masked_loop(a, b, c):
    for i in range(len(a)):
        if a[i] > 0.0:
            b[i] = 2.0 * a[i]
    for i in range(len(a)):  # expect RFL302
        if a[i] > 0.0:
            c[i] = b[i] + 1.0


@njit
def with_call(x):
    return x * 2.0 + 1.0


@njit
def helpers(a, b, c):
    for i in range(len(a)):
        b[i] = with_call(a[i])
    for i in range(len(a)):  # expect RFL302
        c[i] = with_call(b[i])


@njit
def scatter(a, b, idx):
    for i in range(len(a)):
        b[idx[i]] = a[i]
    for i in range(len(a)):
        a[i] = b[i] + 1.0


@njit
def sort_between(a, b):
    for i in range(len(a)):
        b[i] = 2.0 * a[i]
    b.sort()
    for i in range(len(a)):
        a[i] = b[i]


@njit
def k1(x, y):
    for i in range(x.shape[0]):
        y[i] = x[i] * 2.0


@njit
def k2(y, z):
    for i in range(y.shape[0]):
        z[i] = y[i] + 1.0


@njit
def driver(x, y, z):
    k1(x, y)
    k2(y, z)


# roofscan: x=f8[n] y=f8[n] z=f8[n]
def python_driver(x, y, z):
    k1(x, y)
    k2(y, z)  # expect RFL302


# roofscan: x=f8[n] y=f8[n] z=f8[n]
def np_steps(x, y):
    y = with_np(x)
    return with_np(y)


def with_np(x):
    return x * 2.0 + 1.0  # expect RFL301


# roofscan: x=f4[n] y=f4[n]
@njit
def promote(x, y):
    for i in range(len(x)):
        y[i] = x[i] / 3  # expect RFL401


# roofscan: x=f4[n] y=f4[n]
@njit
def promote_math(x, y):
    for i in range(len(x)):
        y[i] = sqrt(x[i]) * 2.0


# roofscan: x=f4[n]
def default_zeros(x):
    out = np.zeros(x.shape)
    out += x  # expect RFL401
    return out


# roofscan: x=f4[n]
def np_scalar(x):
    return x * np.float64(2.0)  # expect RFL401


# roofscan: x=f4[n]
def np_pi(x):
    return x * np.pi


# roofscan: x=f4[n] i=i4[n]
def with_ints(x, i):
    return x * i  # expect RFL401


# roofscan: x=f4[n]
def linspace_mix(x):
    t = np.linspace(0.0, 1.0, len(x))
    return x * t  # expect RFL401


# roofscan: x=f4[n]
def mean32(x):
    return x - x.mean()


# roofscan: x=f4[n]
def mean64(x):
    return x.mean(dtype=np.float64)


# roofscan: x=f4[n]
def said(x):
    return x.astype(np.float64) * 2.0  # expect RFL301
