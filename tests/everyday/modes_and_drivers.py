"""Options, drivers, recurrences and windows: modes by a number, buffers that are exchanged, defaults that give sizes."""

import math

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def reduce_rows(a, out, how=0):
    """Sum, mean, max or rms of each row, chosen by a number."""
    n, m = a.shape
    for i in range(n):
        acc = a[i, 0] if how == 2 else 0.0
        for j in range(m):
            v = a[i, j]
            if how == 2:
                acc = max(acc, v)
            elif how == 3:
                acc += v * v
            else:
                acc += v
        if how == 1:
            acc /= m
        elif how == 3:
            acc = math.sqrt(acc / m)
        out[i] = acc
# oracle a=f8[40,70] out=f8[40] how=0
# oracle a=f8[40,70] out=f8[40] how=2
# oracle a=f8[40,70] out=f8[40] how=3


@njit
def butterworth_pair(x, y, b0, b1, b2, a1, a2, both=True):
    """A biquad forward, and backward on request."""
    n = len(x)
    w1 = w2 = 0.0
    for i in range(n):
        w0 = x[i] - a1 * w1 - a2 * w2
        y[i] = b0 * w0 + b1 * w1 + b2 * w2
        w2 = w1
        w1 = w0
    if both:
        w1 = w2 = 0.0
        for i in range(n - 1, -1, -1):
            w0 = y[i] - a1 * w1 - a2 * w2
            y[i] = b0 * w0 + b1 * w1 + b2 * w2
            w2 = w1
            w1 = w0
# oracle x=f8[900] y=f8[900] b0=0.2 b1=0.4 b2=0.2 a1=-0.5 a2=0.1
# oracle x=f8[900] y=f8[900] b0=0.2 b1=0.4 b2=0.2 a1=-0.5 a2=0.1 both=0


@njit
def _smooth_into(dst, src, w):
    n, m = src.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            dst[i, j] = (1.0 - w) * src[i, j] + 0.25 * w * (
                src[i - 1, j] + src[i + 1, j] + src[i, j - 1] + src[i, j + 1]
            )


@njit
def smooth_driver(u, iters=6, w=0.8):
    """Two buffers, swapped after each sweep."""
    a = u.copy()
    b = u.copy()
    for _ in range(iters):
        _smooth_into(b, a, w)
        a, b = b, a
    return a
# oracle u=f8[40,44] iters=5


@njit
def clamped_std(x, out, radius=4):
    """Standard deviation in a window that the ends clip."""
    n = x.size
    for i in range(n):
        lo = max(0, i - radius)
        hi = min(n, i + radius + 1)
        s = 0.0
        s2 = 0.0
        for k in range(lo, hi):
            s += x[k]
            s2 += x[k] * x[k]
        cnt = hi - lo
        mean = s / cnt
        var = s2 / cnt - mean * mean
        out[i] = math.sqrt(var) if var > 0.0 else 0.0
# oracle x=f8[500] out=f8[500] radius=4


@njit
def advect_upwind_ring(q, qn, u, dt, dx, steps):
    """Upwind advection on a ring, one sign a cell."""
    n = len(q)
    for t in range(steps):
        for i in range(n):
            im = i - 1 if i > 0 else n - 1
            ip = (i + 1) % n
            if u[i] > 0:
                qn[i] = q[i] - u[i] * dt / dx * (q[i] - q[im])
            else:
                qn[i] = q[i] - u[i] * dt / dx * (q[ip] - q[i])
        for i in range(n):
            q[i] = qn[i]
# oracle q=f8[600] qn=f8[600] u=f8[600] dt=0.1 dx=1.0 steps=4


def zscore_numpy(x, axis=0, ddof=0, eps=1e-8):
    """Scores by NumPy with options."""
    mu = x.mean(axis=axis, keepdims=True)
    sd = x.std(axis=axis, ddof=ddof, keepdims=True)
    return (x - mu) / (sd + eps)
# oracle x=f8[60,30] axis=0 ddof=0


@njit
def cumulative_trapezoid(y, x, out, initial=None):
    """Integrals up to each place, on a given grid."""
    acc = 0.0 if initial is None else initial
    out[0] = acc
    for i in range(1, y.shape[0]):
        acc += 0.5 * (y[i] + y[i - 1]) * (x[i] - x[i - 1])
        out[i] = acc
# oracle y=f8[700] x=f8[700] out=f8[700]


@njit
def ema_crossings(price, fast=12, slow=26):
    """Trades where a fast mean passes a slow one."""
    af = 2.0 / (fast + 1)
    a_s = 2.0 / (slow + 1)
    ef = price[0]
    es = price[0]
    pos = 0
    cash = 0.0
    trades = 0
    for i in range(1, len(price)):
        ef += af * (price[i] - ef)
        es += a_s * (price[i] - es)
        if ef > es and pos == 0:
            pos = 1
            cash -= price[i]
            trades += 1
        elif ef < es and pos == 1:
            pos = 0
            cash += price[i]
            trades += 1
    if pos == 1:
        cash += price[-1]
    return cash, trades
# oracle price=f8[800]


@njit
def gauss_kernel(img, out, sigma=1.0, truncate=3.0):
    """A Gaussian along rows: the radius follows from defaults."""
    r = int(truncate * sigma + 0.5)
    w = np.empty(2 * r + 1)
    s = 0.0
    for k in range(-r, r + 1):
        w[k + r] = math.exp(-0.5 * k * k / (sigma * sigma))
        s += w[k + r]
    for k in range(2 * r + 1):
        w[k] /= s
    n, m = img.shape
    for i in range(n):
        for j in range(m):
            acc = 0.0
            for k in range(-r, r + 1):
                jj = min(max(j + k, 0), m - 1)
                acc += w[k + r] * img[i, jj]
            out[i, j] = acc
# oracle img=f8[30,50] out=f8[30,50] sigma=1.0 truncate=3.0


@njit
def spectrum_db(x, win, nfft, hop, out):
    """Frames, a window, a DFT by its definition, decibels."""
    frames = (len(x) - nfft) // hop + 1
    bins = nfft // 2 + 1
    for f in range(frames):
        for b in range(bins):
            re = 0.0
            im = 0.0
            for k in range(nfft):
                v = x[f * hop + k] * win[k]
                re += v * math.cos(2.0 * math.pi * b * k / nfft)
                im -= v * math.sin(2.0 * math.pi * b * k / nfft)
            out[f, b] = 10.0 * math.log10(re * re + im * im + 1e-12)
# oracle x=f8[400] win=f8[32] nfft=32 hop=16 out=f8[24,17]
