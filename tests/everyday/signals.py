"""Signals and statistics: filters, gaps, optional weights."""

import math

import numpy as np
from numba import njit


@njit
def savgol5(x, out):
    """Fixed coefficients, ends copied."""
    n = len(x)
    out[:2] = x[:2]
    out[n - 2 :] = x[n - 2 :]
    for i in range(2, n - 2):
        out[i] = (-3.0 * x[i - 2] + 12.0 * x[i - 1] + 17.0 * x[i] + 12.0 * x[i + 1] - 3.0 * x[i + 2]) / 35.0


# oracle x=f8[1000] out=f8[1000]


@njit
def rolling_median(x, k):
    """np.median of a trailing slice with a clamped start."""
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        out[i] = np.median(x[max(0, i - k + 1) : i + 1])
    return out


# oracle x=f8[200] k=9


@njit
def biquad(x, b0, b1, b2, a1, a2):
    """Direct form II transposed."""
    y = np.empty_like(x)
    z1 = 0.0
    z2 = 0.0
    for i in range(x.shape[0]):
        v = x[i]
        o = b0 * v + z1
        z1 = b1 * v - a1 * o + z2
        z2 = b2 * v - a2 * o
        y[i] = o
    return y


# oracle x=f8[1000] b0=0.2 b1=0.4 b2=0.2 a1=0.3 a2=0.1


@njit
def fir_decimate(x, taps, factor=4):
    """FIR filter and decimation."""
    nt = taps.shape[0]
    n_out = (x.shape[0] - nt) // factor + 1
    y = np.zeros(n_out, dtype=x.dtype)
    for i in range(n_out):
        acc = 0.0
        base = i * factor
        for k in range(nt):
            acc += taps[k] * x[base + nt - 1 - k]
        y[i] = acc
    return y


# oracle x=f8[512] taps=f8[16]
# oracle x=f4[500] taps=f4[31] factor=2


@njit
def zero_crossings(x):
    """A count by a condition."""
    c = 0
    for i in range(1, len(x)):
        if (x[i - 1] < 0) != (x[i] < 0):
            c += 1
    return c / (len(x) - 1)


# oracle x=f8[1000]


@njit
def zscore_rows(a, ddof=0):
    """Row by row, slices assigned."""
    n, m = a.shape
    out = np.zeros((n, m))
    for i in range(n):
        row = a[i]
        mu = row.mean()
        var = 0.0
        for j in range(m):
            var += (row[j] - mu) ** 2
        sd = math.sqrt(var / (m - ddof))
        out[i, :] = (row - mu) / sd
    return out


# oracle a=f8[30,64]
# oracle a=f8[30,64] ddof=1


@njit
def crossover(fast, slow, signal):
    """+1 where the fast average crosses upwards, -1 downwards."""
    n = min(len(fast), len(slow))
    signal[0] = 0
    for i in range(1, n):
        if fast[i] > slow[i] and fast[i - 1] <= slow[i - 1]:
            signal[i] = 1
        elif fast[i] < slow[i] and fast[i - 1] >= slow[i - 1]:
            signal[i] = -1
        else:
            signal[i] = 0


# oracle fast=f8[600] slow=f8[600] signal=i8[600]


@njit
def true_range(high, low, close):
    d = np.empty(len(high))
    d[0] = high[0] - low[0]
    for i in range(1, len(high)):
        d[i] = max(high[i] - low[i], abs(high[i] - close[i - 1]), abs(low[i] - close[i - 1]))
    return d


@njit
def atr(high, low, close, n=14):
    """The average true range through a helper with an array."""
    tr = true_range(high, low, close)
    out = np.zeros(len(tr))
    out[n - 1] = tr[:n].mean()
    for i in range(n, len(tr)):
        out[i] = (out[i - 1] * (n - 1) + tr[i]) / n
    return out


# oracle high=f8[500] low=f8[500] close=f8[500]


@njit
def mad_filter(x, w=None, thresh=3.0):
    """An optional weight array."""
    n = x.size
    out = x.copy()
    for i in range(1, n - 1):
        d = x[i] - 0.5 * (x[i - 1] + x[i + 1])
        if w is not None:
            d *= w[i]
        if abs(d) > thresh:
            out[i] = 0.5 * (x[i - 1] + x[i + 1])
    return out


# oracle x=f8[500]
# oracle x=f8[500] w=f8[500]


@njit
def ffill(x):
    """NaNs replaced by the last value."""
    out = x.copy()
    last = np.nan
    for i in range(len(out)):
        if np.isnan(out[i]):
            out[i] = last
        else:
            last = out[i]
    return out


# oracle x=f8[1000]


@njit
def weighted_cov(x, y, w):
    """Two passes, weights."""
    sw = 0.0
    mx = 0.0
    my = 0.0
    for a, b, c in zip(x, y, w):
        sw += c
        mx += c * a
        my += c * b
    mx /= sw
    my /= sw
    cov = 0.0
    for i in range(len(x)):
        cov += w[i] * (x[i] - mx) * (y[i] - my)
    return cov / sw


# oracle x=f8[700] y=f8[700] w=f8[700]


def pct_change(p):
    """Slices of the same array."""
    r = np.empty_like(p)
    r[0] = 0.0
    r[1:] = p[1:] / p[:-1] - 1.0
    return r


# oracle p=f8[1000]
