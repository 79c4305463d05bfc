"""Transforms: each level of a pyramid halves its rows; butterflies in order of reversed bits; spectra of uneven samples."""

import math

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def haar2d(a, tmp, levels):
    """Haar transform in place, each level on the upper left quarter."""
    h, w = a.shape
    for lev in range(levels):
        hh = h >> lev
        ww = w >> lev
        for i in range(hh):
            for j in range(ww // 2):
                tmp[j] = (a[i, 2 * j] + a[i, 2 * j + 1]) * 0.5
                tmp[ww // 2 + j] = (a[i, 2 * j] - a[i, 2 * j + 1]) * 0.5
            for j in range(ww):
                a[i, j] = tmp[j]
        for j in range(ww):
            for i in range(hh // 2):
                tmp[i] = (a[2 * i, j] + a[2 * i + 1, j]) * 0.5
                tmp[hh // 2 + i] = (a[2 * i, j] - a[2 * i + 1, j]) * 0.5
            for i in range(hh):
                a[i, j] = tmp[i]
# oracle a=f8[32,32] tmp=f8[32] levels=3


@njit
def fft_radix2(re, im, wr, wi):
    """In-place FFT on split arrays with a table of twiddles."""
    n = re.shape[0]
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    size = 2
    while size <= n:
        half = size // 2
        step = n // size
        for start in range(0, n, size):
            for k in range(half):
                a = start + k
                b = a + half
                c = wr[k * step]
                s = wi[k * step]
                tr = re[b] * c - im[b] * s
                ti = re[b] * s + im[b] * c
                re[b] = re[a] - tr
                im[b] = im[a] - ti
                re[a] += tr
                im[a] += ti
        size *= 2
# oracle re=f8[256] im=f8[256] wr=f8[128] wi=f8[128]


@njit
def lomb_scargle(t, y, freqs, power):
    """Periodogram of unevenly sampled data."""
    n = t.shape[0]
    mean = y.mean()
    for k in range(freqs.shape[0]):
        w = 2.0 * np.pi * freqs[k]
        s2 = 0.0
        c2 = 0.0
        for i in range(n):
            s2 += math.sin(2.0 * w * t[i])
            c2 += math.cos(2.0 * w * t[i])
        tau = math.atan2(s2, c2) / (2.0 * w)
        yc = ys = cc = ss = 0.0
        for i in range(n):
            arg = w * (t[i] - tau)
            c = math.cos(arg)
            s = math.sin(arg)
            yc += (y[i] - mean) * c
            ys += (y[i] - mean) * s
            cc += c * c
            ss += s * s
        power[k] = 0.5 * (yc * yc / cc + ys * ys / ss)
# oracle t=f8[300] y=f8[300] freqs=f8[10] power=f8[10]


@njit
def stft_power(x, window, out, cos_t, sin_t, hop):
    """Power of windowed frames by a plain DFT with tables."""
    nfft = window.shape[0]
    frames = (len(x) - nfft) // hop + 1
    buf = np.empty(nfft)
    for f in range(frames):
        for i in range(nfft):
            buf[i] = x[f * hop + i] * window[i]
        for k in range(nfft // 2 + 1):
            re = 0.0
            im = 0.0
            for i in range(nfft):
                re += buf[i] * cos_t[(i * k) % nfft]
                im -= buf[i] * sin_t[(i * k) % nfft]
            out[f, k] = re * re + im * im
# oracle x=f8[512] window=f8[32] out=f8[31,17] cos_t=f8[32] sin_t=f8[32] hop=16
