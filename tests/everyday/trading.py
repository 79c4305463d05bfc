"""Series of prices: moving windows, averages, drawdowns."""

import numpy as np
from numba import njit


@njit
def rolling_mean(x, window=20):
    """NaN until the window is full; running sum."""
    n = len(x)
    out = np.full(n, np.nan)
    if window > n:
        return out
    s = 0.0
    for i in range(n):
        s += x[i]
        if i >= window:
            s -= x[i - window]
        if i >= window - 1:
            out[i] = s / window
    return out


# oracle x=f8[300]
# oracle x=f8[300] window=5


@njit
def rolling_std_clamped(x, w):
    """Slices with clamped ends on both sides."""
    n = x.shape[0]
    out = np.empty(n)
    for i in range(n):
        lo = max(0, i - w)
        hi = min(n, i + w + 1)
        out[i] = np.std(x[lo:hi])
    return out


# oracle x=f8[200] w=4
# oracle x=f8[300] w=10


@njit
def ewma(x, alpha, adjust=True):
    """pandas' ewm().mean()."""
    n = len(x)
    out = np.empty(n)
    if adjust:
        num = 0.0
        den = 0.0
        for i in range(n):
            num = x[i] + (1.0 - alpha) * num
            den = 1.0 + (1.0 - alpha) * den
            out[i] = num / den
    else:
        out[0] = x[0]
        for i in range(1, n):
            out[i] = alpha * x[i] + (1.0 - alpha) * out[i - 1]
    return out


# oracle x=f8[400] alpha=0.1
# oracle x=f8[400] alpha=0.1 adjust=0


@njit
def rsi(close, period=14):
    """Wilder's relative strength index."""
    n = close.shape[0]
    out = np.full(n, np.nan)
    gain = 0.0
    loss = 0.0
    for i in range(1, period + 1):
        d = close[i] - close[i - 1]
        if d > 0:
            gain += d
        else:
            loss -= d
    gain /= period
    loss /= period
    out[period] = 100.0 if loss == 0 else 100.0 - 100.0 / (1.0 + gain / loss)
    for i in range(period + 1, n):
        d = close[i] - close[i - 1]
        up = d if d > 0 else 0.0
        down = -d if d < 0 else 0.0
        gain = (gain * (period - 1) + up) / period
        loss = (loss * (period - 1) + down) / period
        if loss == 0:
            out[i] = 100.0
        else:
            out[i] = 100.0 - 100.0 / (1.0 + gain / loss)
    return out


# oracle close=f8[300]
# oracle close=f8[300] period=7


@njit
def ema(x, span):
    k = 2.0 / (span + 1)
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, x.size):
        out[i] = x[i] * k + out[i - 1] * (1 - k)
    return out


@njit
def macd(close, fast=12, slow=26, signal=9):
    """Three exponential averages and a tuple."""
    line = ema(close, fast) - ema(close, slow)
    sig = ema(line, signal)
    hist = line - sig
    return line, sig, hist


# oracle close=f8[400]
# oracle close=f8[4000] fast=5 slow=20 signal=4


@njit
def bollinger(close, window=20, k=2.0):
    """Three outputs from a moving window."""
    n = close.size
    mid = np.full(n, np.nan)
    up = np.full(n, np.nan)
    lo = np.full(n, np.nan)
    for i in range(window - 1, n):
        seg = close[i - window + 1 : i + 1]
        m = seg.mean()
        s = seg.std()
        mid[i] = m
        up[i] = m + k * s
        lo[i] = m - k * s
    return mid, up, lo


# oracle close=f8[300]
# oracle close=f8[300] window=10 k=1.5


@njit
def autocorr(x, max_lag):
    """Autocorrelation normalised by lag 0."""
    n = len(x)
    mean = np.mean(x)
    out = np.zeros(max_lag + 1)
    for lag in range(max_lag + 1):
        s = 0.0
        for i in range(n - lag):
            s += (x[i] - mean) * (x[i + lag] - mean)
        out[lag] = s
    c0 = out[0]
    for lag in range(max_lag + 1):
        out[lag] /= c0
    return out


# oracle x=f8[500] max_lag=20


@njit
def max_drawdown(equity):
    """Peak so far and the deepest fall from it."""
    peak = equity[0]
    mdd = 0.0
    start = 0
    end = 0
    cur = 0
    for i, v in enumerate(equity):
        if v > peak:
            peak = v
            cur = i
        dd = (peak - v) / peak
        if dd > mdd:
            mdd = dd
            start = cur
            end = i
    return mdd, start, end


# oracle equity=f8[1000]


@njit
def rolling_ols(y, x, window):
    """Slope and intercept of a moving window."""
    n = y.shape[0]
    slope = np.full(n, np.nan)
    icept = np.full(n, np.nan)
    for t in range(window, n + 1):
        sx = sy = sxx = sxy = 0.0
        for i in range(t - window, t):
            sx += x[i]
            sy += y[i]
            sxx += x[i] * x[i]
            sxy += x[i] * y[i]
        d = window * sxx - sx * sx
        if abs(d) < 1e-12:
            continue
        b = (window * sxy - sx * sy) / d
        slope[t - 1] = b
        icept[t - 1] = (sy - b * sx) / window
    return slope, icept


# oracle y=f8[200] x=f8[200] window=16


@njit
def resample_linear(x, factor):
    """Linear interpolation at a new rate."""
    n = len(x)
    m = int(n * factor)
    out = np.empty(m)
    for k in range(m):
        t = k / factor
        i = int(t)
        if i >= n - 1:
            out[k] = x[n - 1]
        else:
            f = t - i
            out[k] = (1.0 - f) * x[i] + f * x[i + 1]
    return out


# oracle x=f8[200] factor=2.0
