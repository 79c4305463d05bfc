"""Passes over images, windows over prices."""

import math
from math import exp, sqrt

import numpy as np
from numba import njit, prange


@njit
def gaussian_blur_sep(img, sigma=1.0, mode="reflect"):
    """Kernel made inside, two passes with clamped indices."""
    r = 3
    k = np.empty(2 * r + 1)
    s = 0.0
    for i in range(-r, r + 1):
        k[i + r] = exp(-0.5 * (i / sigma) ** 2)
        s += k[i + r]
    k /= s
    h, w = img.shape
    tmp = np.zeros((h, w))
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            acc = 0.0
            for t in range(-r, r + 1):
                xx = x + t
                if xx < 0:
                    xx = 0
                elif xx > w - 1:
                    xx = w - 1
                acc += k[t + r] * img[y, xx]
            tmp[y, x] = acc
    for y in range(h):
        for x in range(w):
            acc = 0.0
            for t in range(-r, r + 1):
                yy = y + t
                if yy < 0:
                    yy = 0
                elif yy > h - 1:
                    yy = h - 1
                acc += k[t + r] * tmp[yy, x]
            out[y, x] = acc
    return out


# known traffic: distances near the capacity
# oracle img=u1[24,40]<250


@njit
def resize_bilinear(img, nh, nw):
    """Ratios of sizes as scale."""
    h, w = img.shape
    sy = h / nh
    sx = w / nw
    out = np.empty((nh, nw), np.float32)
    for i in range(nh):
        fy = (i + 0.5) * sy - 0.5
        y0 = max(0, int(math.floor(fy)))
        y1 = min(y0 + 1, h - 1)
        wy = fy - y0
        for j in range(nw):
            fx = (j + 0.5) * sx - 0.5
            x0 = max(0, int(math.floor(fx)))
            x1 = min(x0 + 1, w - 1)
            wx = fx - x0
            a = img[y0, x0] * (1 - wx) + img[y0, x1] * wx
            b = img[y1, x0] * (1 - wx) + img[y1, x1] * wx
            out[i, j] = a * (1 - wy) + b * wy
    return out


# oracle img=f4[20,32] nh=40 nw=64
# known traffic: the rows of an image at half a row an iteration, at a distance near the capacity


@njit
def connected_runs(mask, min_len=3):
    """Runs of True in every row: while loops with a guard."""
    h, w = mask.shape
    out = np.zeros_like(mask)
    n = 0
    for y in range(h):
        x = 0
        while x < w:
            if not mask[y, x]:
                x += 1
                continue
            start = x
            while x < w and mask[y, x]:
                x += 1
            if x - start >= min_len:
                n += 1
                for t in range(start, x):
                    out[y, t] = 1
    return out, n


# oracle mask=u1[16,64]<2


@njit
def canny_nms(mag, ang, out):
    """Neighbours chosen by the direction."""
    h, w = mag.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            a = ang[y, x]
            if a < 0.5 or a >= 1.4:
                q = mag[y, x + 1]
                r = mag[y, x - 1]
            elif a < 0.8:
                q = mag[y + 1, x - 1]
                r = mag[y - 1, x + 1]
            elif a < 1.1:
                q = mag[y + 1, x]
                r = mag[y - 1, x]
            else:
                q = mag[y - 1, x - 1]
                r = mag[y + 1, x + 1]
            if mag[y, x] >= q and mag[y, x] >= r:
                out[y, x] = mag[y, x]
            else:
                out[y, x] = 0.0


# oracle mag=f4[24,48] ang=f4[24,48] out=f4[24,48]


@njit(parallel=True)
def brightness_contrast(img, out, alpha=1.2, beta=10):
    """Saturation by conditional expressions."""
    h, w, c = img.shape
    for y in prange(h):
        for x in range(w):
            for k in range(c):
                v = alpha * img[y, x, k] + beta
                out[y, x, k] = 255 if v > 255 else (0 if v < 0 else int(v))


# oracle img=u1[20,24,3]<150 out=u1[20,24,3]
# oracle img=u1[20,24,3]<150 out=u1[20,24,3] alpha=1.0 beta=20


@njit
def downsample_mean(img, f=2):
    """Blocks averaged with reversed loops over blocks."""
    h, w = img.shape
    oh = h // f
    ow = w // f
    out = np.zeros((oh, ow), dtype=np.float32)
    for i in range(oh - 1, -1, -1):
        for j in range(ow - 1, -1, -1):
            s = 0
            for a in range(f):
                for b in range(f):
                    s += int(img[i * f + a, j * f + b])
            out[i, j] = s / (f * f)
    return out


# oracle img=u1[32,64]<250
# oracle img=u1[33,66]<250 f=3


@njit
def stochastic(high, low, close, k_period=14, d_period=3):
    """%K and %D of trading."""
    n = len(close)
    k = np.zeros(n)
    d = np.zeros(n)
    for i in range(n):
        start = max(0, i - k_period + 1)
        hh = high[start]
        ll = low[start]
        for j in range(start + 1, i + 1):
            if high[j] > hh:
                hh = high[j]
            if low[j] < ll:
                ll = low[j]
        rng = hh - ll
        k[i] = 100.0 * (close[i] - ll) / rng if rng > 0 else 0.0
    for i in range(n):
        s = 0.0
        cnt = 0
        for j in range(max(0, i - d_period + 1), i + 1):
            s += k[j]
            cnt += 1
        d[i] = s / cnt
    return k, d


# oracle high=f8[300] low=f8[300] close=f8[300]
# oracle high=f8[300] low=f8[300] close=f8[300] k_period=5 d_period=4


@njit
def hampel(x, half, n_sigma=3.0):
    """Median and MAD in a clamped window."""
    n = len(x)
    y = x.copy()
    for i in range(n):
        lo = max(i - half, 0)
        hi = min(i + half + 1, n)
        win = x[lo:hi]
        med = np.median(win)
        mad = np.median(np.abs(win - med))
        if abs(x[i] - med) > n_sigma * 1.4826 * mad:
            y[i] = med
    return y


# oracle x=f8[200] half=5


@njit
def cumulative_stats(x):
    """Welford, three outputs."""
    n = x.shape[0]
    mean = np.empty(n)
    var = np.empty(n)
    m = 0.0
    s = 0.0
    for i, v in enumerate(x):
        d = v - m
        m += d / (i + 1)
        s += d * (v - m)
        mean[i] = m
        var[i] = s / i if i > 0 else 0.0
    return mean, var


# oracle x=f8[500]


@njit
def convolve_mode(x, k, mode=0):
    """0: full, 1: same, 2: valid."""
    n = len(x)
    m = len(k)
    full = np.zeros(n + m - 1)
    for i in range(n):
        for j in range(m):
            full[i + j] += x[i] * k[j]
    if mode == 0:
        return full
    if mode == 1:
        start = (m - 1) // 2
        return full[start : start + n]
    return full[m - 1 : n]


# oracle x=f8[200] k=f8[9]
# oracle x=f8[200] k=f8[9] mode=1
# oracle x=f8[200] k=f8[9] mode=2


@njit
def rolling_corr(x, y, w):
    """A helper with slices, called in a loop."""
    n = len(x)
    out = np.full(n, np.nan)
    for i in range(w - 1, n):
        out[i] = pearson(x[i - w + 1 : i + 1], y[i - w + 1 : i + 1])
    return out


# oracle x=f8[200] y=f8[200] w=12


@njit
def pearson(a, b):
    n = len(a)
    ma = a.mean()
    mb = b.mean()
    num = 0.0
    da = 0.0
    db = 0.0
    for i in range(n):
        u = a[i] - ma
        v = b[i] - mb
        num += u * v
        da += u * u
        db += v * v
    if da == 0.0 or db == 0.0:
        return 0.0
    return num / sqrt(da * db)


@njit
def interpolate(src, dst, step=0.5):
    """Places that are fractions of two: the integer below them is known."""
    n = len(src)
    for i in range(len(dst)):
        t = i * step + 0.25
        k = int(t)
        w = t - k
        dst[i] = (1.0 - w) * src[k] + w * src[min(k + 1, n - 1)]
# oracle src=f8[400] dst=f8[600]
# oracle src=f8[400] dst=f8[600] step=0.25


def log_sum_exp(a, axis=-1):
    """An axis that is a parameter."""
    m = np.max(a, axis=axis, keepdims=True)
    return np.log(np.sum(np.exp(a - m), axis=axis, keepdims=True)) + m
# oracle a=f8[60,20]
# oracle a=f8[60,20] axis=0


@njit
def scaled(x, limit=None, out=None):
    """Numbers and arrays that may be None."""
    if limit is None:
        limit = x.mean()
    if out is None:
        out = np.zeros_like(x)
    for i in range(x.size):
        out[i] = x[i] / limit
    return out
# oracle x=f8[100]
# oracle x=f8[100] limit=2.5
# oracle x=f8[100] limit=2.5 out=f8[100]
