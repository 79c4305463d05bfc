"""Statistics with modes and guards: counts of pairs, means that skip, ranks, a window with a helper of two ends."""

import math

import numpy as np
from numba import njit


@njit
def _bounds(lo, hi, n):
    if lo < 0:
        lo = 0
    if hi > n:
        hi = n
    return lo, hi


@njit
def local_mean_var(x, r, mean, var):
    n = x.size
    for i in range(n):
        lo, hi = _bounds(i - r, i + r + 1, n)
        s = 0.0
        q = 0.0
        for j in range(lo, hi):
            s += x[j]
            q += x[j] * x[j]
        c = hi - lo
        mean[i] = s / c
        var[i] = q / c - (s / c) ** 2
# oracle x=f8[400] r=5 mean=f8[400] var=f8[400]


@njit
def mutual_information(a, b, bins=16):
    joint = np.zeros((bins, bins))
    n = a.size
    for i in range(n):
        joint[a[i], b[i]] += 1.0
    joint /= n
    pa = joint.sum(axis=1)
    pb = joint.sum(axis=0)
    mi = 0.0
    for i in range(bins):
        for j in range(bins):
            if joint[i, j] > 0.0:
                mi += joint[i, j] * math.log(joint[i, j] / (pa[i] * pb[j]))
    return mi
# oracle a=i8[2000]<16 b=i8[2000]<16


@njit
def center_of(x, mode, weights):
    n = x.size
    if n == 0:
        return np.nan
    if mode == 0:
        return x.mean()
    if mode == 1:
        return np.median(x)
    s = 0.0
    w = 0.0
    for i in range(n):
        s += weights[i] * x[i]
        w += weights[i]
    if w == 0.0:
        return np.nan
    return s / w
# oracle x=f8[500] mode=0 weights=f8[500]
# oracle x=f8[500] mode=2 weights=f8[500]


@njit
def welford_cols(X, skipna=True):
    n, p = X.shape
    mean = np.zeros(p)
    m2 = np.zeros(p)
    cnt = np.zeros(p, dtype=np.int64)
    for i in range(n):
        for j in range(p):
            v = X[i, j]
            if skipna and math.isnan(v):
                continue
            cnt[j] += 1
            d = v - mean[j]
            mean[j] += d / cnt[j]
            m2[j] += d * (v - mean[j])
    return mean, np.sqrt(m2 / (cnt - 1))
# oracle X=f8[200,12]
# oracle X=f8[200,12] skipna=0


@njit
def kendall(x, y):
    n = len(x)
    con = 0
    dis = 0
    for i in range(n - 1):
        for j in range(i + 1, n):
            s = (x[i] - x[j]) * (y[i] - y[j])
            if s > 0:
                con += 1
            elif s < 0:
                dis += 1
    return (con - dis) / (0.5 * n * (n - 1))
# oracle x=f8[90] y=f8[90]


@njit
def rolling_std(x, w, ddof=1):
    n = x.size
    out = np.full(n, np.nan)
    s = 0.0
    s2 = 0.0
    for i in range(n):
        s += x[i]
        s2 += x[i] * x[i]
        if i >= w:
            old = x[i - w]
            s -= old
            s2 -= old * old
        if i >= w - 1:
            var = (s2 - s * s / w) / (w - ddof)
            out[i] = math.sqrt(max(var, 0.0))
    return out
# oracle x=f8[1000] w=20


def numpy_zscores(X, axis=0, eps=1e-8):
    mu = X.mean(axis=0)
    sd = X.std(axis=0) + eps
    return (X - mu) / sd
# oracle X=f8[120,16]
