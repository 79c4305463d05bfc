"""Images: bytes, filters, histograms, channels."""

import numpy as np
from numba import njit, prange, uint8


@njit
def threshold(img, out, level):
    """Integers only."""
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            if img[i, j] > level:
                out[i, j] = 255
            else:
                out[i, j] = 0
# oracle img=u1[20,32] out=u1[20,32] level=2


@njit
def histogram_bytes(img):
    """256 counters on the stack of the function."""
    hist = np.zeros(256, dtype=np.int64)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            hist[img[i, j]] += 1
    return hist
# oracle img=u1[20,32]


@njit
def convolve2d(img, k, out):
    """A small filter of unknown size."""
    h, w = img.shape
    kh, kw = k.shape
    for i in range(h - kh + 1):
        for j in range(w - kw + 1):
            s = 0.0
            for a in range(kh):
                for b in range(kw):
                    s += img[i + a, j + b] * k[a, b]
            out[i, j] = s
# oracle img=f8[24,40] k=f8[3,3] out=f8[24,40]


@njit
def bilinear(src, dst, scale):
    """Resampling: addresses from arithmetic on indices."""
    h, w = dst.shape
    hs, ws = src.shape
    for i in range(h):
        y = i * scale
        y0 = int(y)
        fy = y - y0
        y1 = min(y0 + 1, hs - 1)
        for j in range(w):
            x = j * scale
            x0 = int(x)
            fx = x - x0
            x1 = min(x0 + 1, ws - 1)
            top = src[y0, x0] * (1.0 - fx) + src[y0, x1] * fx
            bottom = src[y1, x0] * (1.0 - fx) + src[y1, x1] * fx
            dst[i, j] = top * (1.0 - fy) + bottom * fy
# known traffic: places between two lines are averaged
# oracle src=f8[20,32] dst=f8[40,64] scale=0.5


@njit
def gamma_lut(img, lut, out):
    """A table of 256 entries."""
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            out[i, j] = lut[img[i, j]]
# oracle img=u1[20,32] lut=f4[256] out=f4[20,32]


@njit
def dilate(img, out):
    """A 3x3 maximum, clamped at the edge by ranges."""
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            m = img[i, j]
            for a in range(max(0, i - 1), min(h, i + 2)):
                for b in range(max(0, j - 1), min(w, j + 2)):
                    if img[a, b] > m:
                        m = img[a, b]
            out[i, j] = m
# oracle img=u1[20,32] out=u1[20,32]


@njit
def channel_means(img):
    """A small result array."""
    h, w, c = img.shape
    out = np.zeros(c)
    for i in range(h):
        for j in range(w):
            for k in range(c):
                out[k] += img[i, j, k]
    return out / (h * w)
# oracle img=u1[20,32,3]


@njit
def popcount(x, out):
    """Bit operations on integers."""
    for i in range(len(x)):
        v = x[i]
        c = 0
        while v:
            v &= v - 1
            c += 1
        out[i] = c
# oracle x=i8[100]<60 out=i8[100]


@njit
def flip_rows(img):
    """Rows swapped in place."""
    h, w = img.shape
    for i in range(h // 2):
        for j in range(w):
            t = img[i, j]
            img[i, j] = img[h - 1 - i, j]
            img[h - 1 - i, j] = t
# oracle img=f8[20,32]


@njit(parallel=True)
def normalize_image(img, out, mean, std):
    """Channels last, on all cores."""
    h, w, c = img.shape
    for i in prange(h):
        for j in range(w):
            for k in range(c):
                out[i, j, k] = (img[i, j, k] / 255.0 - mean[k]) / std[k]
# oracle img=u1[20,32,3] out=f4[20,32,3] mean=f4[3] std=f4[3]
