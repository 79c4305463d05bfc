"""Simulated payoffs, trained models, masks."""

import math
import random
from math import exp, sqrt

import numpy as np
from numba import njit


@njit
def lookback_mc(S0, r, sigma, T, n_paths, n_steps, antithetic=True, seed=None):
    """Antithetic option, a running minimum."""
    if seed is not None:
        np.random.seed(seed)
    dt = T / n_steps
    mu = (r - 0.5 * sigma * sigma) * dt
    sd = sigma * sqrt(dt)
    tot = 0.0
    for p in range(n_paths):
        s1 = S0
        s2 = S0
        m1 = S0
        m2 = S0
        for t in range(n_steps):
            z = np.random.normal()
            s1 *= exp(mu + sd * z)
            m1 = min(m1, s1)
            if antithetic:
                s2 *= exp(mu - sd * z)
                m2 = min(m2, s2)
        if antithetic:
            tot += 0.5 * ((s1 - m1) + (s2 - m2))
        else:
            tot += s1 - m1
    return exp(-r * T) * tot / n_paths


# oracle S0=100.0 r=0.02 sigma=0.3 T=1.0 n_paths=50 n_steps=20
# oracle S0=100.0 r=0.02 sigma=0.3 T=1.0 n_paths=50 n_steps=20 antithetic=0


@njit
def npv_irr(cash, guess=0.1, tol=1e-6, max_iter=50):
    """Newton: inner loop over cash flows."""
    rate = guess
    n = cash.size
    for it in range(max_iter):
        f = 0.0
        df = 0.0
        for t in range(n):
            q = (1.0 + rate) ** t
            f += cash[t] / q
            df -= t * cash[t] / (q * (1.0 + rate))
        step = f / df
        rate -= step
        if abs(step) < tol:
            return rate, it
    return rate, max_iter


# oracle cash=f8[40]


@njit
def portfolio_var(w, cov):
    """Quadratic form; symmetric half only."""
    n = w.shape[0]
    v = 0.0
    for i in range(n):
        v += w[i] * w[i] * cov[i, i]
        for j in range(i):
            v += 2.0 * w[i] * w[j] * cov[i, j]
    return v


# oracle w=f8[60] cov=f8[60,60]


@njit
def act(x, kind):
    if kind == "relu":
        return x if x > 0.0 else 0.0
    elif kind == "tanh":
        return math.tanh(x)
    return x


@njit
def dense_layer(x, W, b, kind="relu"):
    """Strings as mode in an inlined helper."""
    n, d = x.shape
    m = W.shape[1]
    out = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            s = b[j]
            for k in range(d):
                s += x[i, k] * W[k, j]
            out[i, j] = act(s, kind)
    return out


# oracle x=f8[24,16] W=f8[16,20] b=f8[20]


@njit
def perceptron(X, y, lr=0.1, epochs=5):
    """Updates under a test on data; a while True loop."""
    n, d = X.shape
    w = np.zeros(d + 1)
    e = 0
    while True:
        errors = 0
        for i in range(n):
            s = w[d]
            for j in range(d):
                s += w[j] * X[i, j]
            pred = 1.0 if s > 0 else 0.0
            if pred != y[i]:
                u = lr * (y[i] - pred)
                for j in range(d):
                    w[j] += u * X[i, j]
                w[d] += u
                errors += 1
        e += 1
        if errors == 0 or e >= epochs:
            break
    return w


# oracle X=f8[60,8] y=f8[60]


@njit
def gini_split(x, y, thresholds):
    """The best threshold of a decision stump."""
    n = x.shape[0]
    best = 1e9
    best_t = 0.0
    for k in range(len(thresholds)):
        t = thresholds[k]
        nl = 0
        pl = 0.0
        pr = 0.0
        for i in range(n):
            if x[i] <= t:
                nl += 1
                pl += y[i]
            else:
                pr += y[i]
        nr = n - nl
        if nl == 0 or nr == 0:
            continue
        a = pl / nl
        b = pr / nr
        g = nl * a * (1 - a) + nr * b * (1 - b)
        if g < best:
            best = g
            best_t = t
    return best_t, best


# oracle x=f8[200] y=f8[200] thresholds=f8[10]


def standardize(X, axis=0, eps=1e-8):
    """Plain NumPy with an axis argument."""
    mu = X.mean(axis=axis, keepdims=True)
    sd = X.std(axis=axis, keepdims=True)
    return (X - mu) / (sd + eps)


# oracle X=f8[60,20]


@njit
def rope(q, cos, sin):
    """Rotary embedding, halves swapped, in place."""
    n, d = q.shape
    half = d // 2
    for t in range(n):
        for j in range(half):
            a = q[t, j]
            b = q[t, j + half]
            q[t, j] = a * cos[t, j] - b * sin[t, j]
            q[t, j + half] = a * sin[t, j] + b * cos[t, j]


# oracle q=f4[24,64] cos=f4[24,32] sin=f4[24,32]


@njit
def masked_mean(x, mask=None):
    """An optional mask and a guard that raises."""
    if mask is not None and mask.shape[0] != x.shape[0]:
        raise ValueError("shape")
    s = 0.0
    n = 0
    for i in range(x.shape[0]):
        if mask is None or mask[i]:
            s += x[i]
            n += 1
    if n == 0:
        return 0.0
    return s / n


# oracle x=f8[400]
# oracle x=f8[400] mask=u1[400]<2


@njit
def dilate_bool(a, iterations=2):
    """Buffers exchanged between iterations."""
    h, w = a.shape
    cur = a.copy()
    nxt = np.zeros_like(a)
    for it in range(iterations):
        for y in range(h):
            for x in range(w):
                v = cur[y, x]
                if y > 0:
                    v = v or cur[y - 1, x]
                if y < h - 1:
                    v = v or cur[y + 1, x]
                if x > 0:
                    v = v or cur[y, x - 1]
                if x < w - 1:
                    v = v or cur[y, x + 1]
                nxt[y, x] = v
        cur, nxt = nxt, cur
    return cur


# oracle a=u1[20,64]<2


@njit
def quantile_bins(x, edges, out):
    """np.searchsorted-like binary search by hand."""
    m = len(edges)
    for i in range(len(x)):
        lo = 0
        hi = m
        while lo < hi:
            mid = (lo + hi) // 2
            if edges[mid] < x[i]:
                lo = mid + 1
            else:
                hi = mid
        out[i] = lo


# oracle x=f8[300] edges=f8[16] out=i8[300]
