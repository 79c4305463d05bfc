"""Sizes halved, divided and rounded through floating numbers."""

import math

from numba import njit


@njit
def a_half_through_a_float(x, out):
    n = len(x)
    h = int(n / 2)
    for i in range(h):
        out[i] = x[i] * x[n - 1 - i]
# expect bound status = exact
# oracle x=f8[301] out=f8[200]
# oracle x=f8[1] out=f8[2]


@njit
def blocks_rounded_up(x, out, b):
    n = len(x)
    for k in range(math.ceil(n / b)):
        s = 0.0
        for i in range(k * b, min(n, (k + 1) * b)):
            s += x[i]
        out[k] = s
# expect bound status = exact
# oracle x=f8[301] out=f8[200] b=8
# oracle x=f8[304] out=f8[200] b=8


@njit
def a_difference_that_may_be_negative(x, out, m):
    n = len(x)
    h = int((n - m) / 2)
    for i in range(h + 3):
        out[i] = 2.0 * x[i]
# expect bound status = parametric
# oracle x=f8[20] out=f8[20] m=23


@njit
def a_band_as_wide_as_lengths_differ(a, x, window):
    n, m = a.shape
    w = max(window, abs(n - m))
    s = 0.0
    for i in range(n):
        for j in range(max(0, i - w), min(m, i + w + 1)):
            s += a[i, j] * x[j]
    return s
# expect bound status = exact
# oracle a=f8[40,43] x=f8[43] window=2
# oracle a=f8[40,40] x=f8[40] window=5
