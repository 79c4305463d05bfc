"""Transforms, filters and images."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def blelloch_prefix_sum(n, x):
    d = 1
    while d < n:
        for i in range(0, n, 2 * d):
            x[i + 2 * d - 1] += x[i + d - 1]
        d *= 2
    x[n - 1] = 0.0
    d = n // 2
    while d > 0:
        for i in range(0, n, 2 * d):
            t = x[i + d - 1]
            x[i + d - 1] = x[i + 2 * d - 1]
            x[i + 2 * d - 1] += t
        d //= 2
# expect bound status = exact
# oracle n=16 x=f8[16]


@njit
def walsh_hadamard(n, x):
    h = 1
    while h < n:
        for i in range(0, n, h * 2):
            for j in range(i, i + h):
                a = x[j]
                b = x[j + h]
                x[j] = a + b
                x[j + h] = a - b
        h *= 2
    for i in range(n):
        x[i] /= math.sqrt(n)
# expect bound status = exact
# oracle n=16 x=f8[16]


@njit
def goertzel_filter(n, k, x):
    w = 2.0 * math.pi * k / n
    c = 2.0 * math.cos(w)
    s1 = 0.0
    s2 = 0.0
    for v in x:
        s1, s2 = v + c * s1 - s2, s1
    return s1 * s1 + s2 * s2 - c * s1 * s2
# expect bound status = exact
# oracle n=16 k=3 x=f8[16]


@njit
def least_mean_squares_filter(n, m, x, d, w):
    e2 = 0.0
    for i in range(m - 1, n):
        y = 0.0
        for k in range(m):
            y += w[k] * x[i - k]
        e = d[i] - y
        for k in range(m):
            w[k] += 0.01 * e * x[i - k]
        e2 += e * e
    return e2 / (n - m + 1)
# expect bound status = exact
# oracle n=16 m=4 x=f8[20] d=f8[20] w=f8[4]


@njit
def bilateral_filter(n, m, r, A, B):
    for i in range(n):
        for j in range(m):
            s = 0.0
            w = 0.0
            for a in range(max(0, i - r), min(n, i + r + 1)):
                for b in range(max(0, j - r), min(m, j + r + 1)):
                    g = math.exp(-((i - a) ** 2 + (j - b) ** 2) / 2.0 - (A[i, j] - A[a, b]) ** 2)
                    s += g * A[a, b]
                    w += g
            B[i, j] = s / w
# expect bound status = exact
# oracle n=6 m=7 r=1 A=f8[6,7] B=f8[6,7]


@njit
def sobel_filter(n, m, A, B):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            gx = (
                A[i - 1, j + 1]
                + 2 * A[i, j + 1]
                + A[i + 1, j + 1]
                - A[i - 1, j - 1]
                - 2 * A[i, j - 1]
                - A[i + 1, j - 1]
            )
            gy = (
                A[i + 1, j - 1]
                + 2 * A[i + 1, j]
                + A[i + 1, j + 1]
                - A[i - 1, j - 1]
                - 2 * A[i - 1, j]
                - A[i - 1, j + 1]
            )
            B[i, j] = math.sqrt(gx * gx + gy * gy)
# expect bound status = exact
# oracle n=6 m=7 A=f8[6,7] B=f8[6,7]


@njit
def bilinear_resize(n, m, A, B):
    for i in range(n):
        y = i * 8.0 / n
        y0 = int(y)
        for j in range(m):
            x = j * 8.0 / m
            x0 = int(x)
            B[i, j] = (1 - (y - y0)) * ((1 - (x - x0)) * A[y0, x0] + (x - x0) * A[y0, x0 + 1])
# expect bound status = exact
# oracle n=5 m=6 A=f8[9,9] B=f8[5,6]


@njit
def histogram_equalize(n, m, I, h, lut, O):
    for i in range(n):
        for j in range(m):
            h[I[i, j]] += 1
    c = 0
    for k in range(256):
        c += h[k]
        lut[k] = 255.0 * c / (n * m)
    for i in range(n):
        for j in range(m):
            O[i, j] = lut[I[i, j]]
# expect bound status = exact
# oracle n=5 m=6 I=u1[5,6] h=i8[256] lut=f8[256] O=f8[5,6]


@njit
def distance_transform_in_two_passes(n, m, D):
    for i in range(1, n):
        for j in range(1, m):
            D[i, j] = min(D[i, j], D[i - 1, j] + 1, D[i, j - 1] + 1)
    for i in range(n - 2, -1, -1):
        for j in range(m - 2, -1, -1):
            D[i, j] = min(D[i, j], D[i + 1, j] + 1, D[i, j + 1] + 1)
# expect bound status = exact
# oracle n=6 m=7 D=f8[6,7]


def dft_matrix(n, x):
    k = np.arange(n)
    M = np.exp(-2j * np.pi * k[:, None] * k / n)
    return M @ x
# expect bound status = exact
# oracle n=8 x=f8[8]


def lifting_wavelet(x):
    e, o = x[::2].copy(), x[1::2].copy()
    o -= 0.5 * (e + np.roll(e, -1))
    e += 0.25 * (o + np.roll(o, 1))
    return e, o
# expect bound status = exact
# oracle x=f8[16]


@njit
def radix_2_fft(re, im, n):
    size = 2
    while size <= n:
        half = size // 2
        ang = -2.0 * math.pi / size
        for s in range(0, n, size):
            for k in range(half):
                c = math.cos(ang * k)
                d = math.sin(ang * k)
                a = s + k
                b = a + half
                tr = c * re[b] - d * im[b]
                ti = c * im[b] + d * re[b]
                re[b] = re[a] - tr
                im[b] = im[a] - ti
                re[a] += tr
                im[a] += ti
        size *= 2
# expect bound status = exact
# oracle n=16 re=f8[16] im=f8[16]
