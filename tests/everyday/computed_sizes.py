"""Sizes that floating arithmetic gives: taps of a width, bins by a root, stages by a logarithm, shares of rows."""

import math

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def hough_lines(edges, n_theta=30):
    """Votes of edge pixels for lines."""
    h, w = edges.shape
    diag = int(math.ceil(math.sqrt(h * h + w * w)))
    acc = np.zeros((2 * diag, n_theta), dtype=np.int32)
    cos_t = np.empty(n_theta)
    sin_t = np.empty(n_theta)
    for t in range(n_theta):
        ang = math.pi * t / n_theta
        cos_t[t] = math.cos(ang)
        sin_t[t] = math.sin(ang)
    for y in range(h):
        for x in range(w):
            if edges[y, x] == 0:
                continue
            for t in range(n_theta):
                rho = int(x * cos_t[t] + y * sin_t[t]) + diag
                acc[rho, t] += 1
    return acc
# oracle edges=u1[24,32]<2 n_theta=30


@njit
def sqrt_bins(x):
    n = len(x)
    bins = int(np.sqrt(n))
    out = np.zeros(bins)
    for i in range(bins):
        for j in range(n // bins):
            out[i] += x[i * bins + j]
    return out
# oracle x=f8[100]
# oracle x=f8[150]


@njit
def sturges(x):
    n = len(x)
    bins = int(math.ceil(math.log2(n) + 1))
    out = np.zeros(bins)
    for i in range(n):
        out[i % bins] += x[i]
    return out
# oracle x=f8[100]


@njit
def stages(x):
    n = len(x)
    levels = int(np.log2(n))
    s = 1
    for k in range(levels):
        for i in range(0, n, 2 * s):
            x[i] += x[i + s]
        s *= 2
    return x[0]
# oracle x=f8[128]


@njit
def blocks_of_root(x):
    n = len(x)
    b = math.isqrt(n)
    m = np.zeros((n + b - 1) // b)
    for i in range(n):
        m[i // b] += x[i]
    return m
# oracle x=f8[100]
# oracle x=f8[150]


@njit
def smooth_sigma(x, sigma, truncate=4.0):
    r = int(truncate * sigma + 0.5)
    out = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(-r, r + 1):
            p = min(max(i + j, 0), len(x) - 1)
            out[i] += math.exp(-j * j / (2.0 * sigma * sigma)) * x[p]
    return out
# oracle x=f8[200] sigma=1.3
# oracle x=f8[200] sigma=2.0 truncate=3.3


@njit
def split_rows(x, share=0.8):
    n = x.shape[0]
    k = int(n * share)
    train = 0.0
    for i in range(k):
        train += x[i, 0]
    test = 0.0
    for i in range(k, n):
        for j in range(x.shape[1]):
            test += x[i, j]
    return train, test
# oracle x=f8[90,10] share=0.8
# oracle x=f8[87,10] share=0.3


@njit
def beside_a_whole_number(x):
    """Ten times 0.3 is just below 3 or just above it, as the compiler rounds."""
    n = len(x)
    out = np.zeros(n)
    for i in range(int(n * (0.1 + 0.2))):
        out[i] = 2.0 * x[i]
    return out
# oracle x=f8[10]


def doubled_but_once(n, x):
    """A condition leaves the array alone in one iteration; in all others it grows."""
    for k in range(n):
        if k == 3:
            continue
        x = np.concatenate([x, x * 2.0])
    return x
# expect status = bounded
# oracle n=4 x=f8[2]


def chosen_from_another(x, y, n):
    """From the second iteration on x is as long as the data of y say: longer, or shorter, than at first."""
    for k in range(n):
        z = x + 1.0
        x = y[y > 0.9]
    return z
# expect status = bounded
# known traffic: all iterations are counted as the first
# oracle x=f8[3] y=f8[100] n=3
