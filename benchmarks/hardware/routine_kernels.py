"""Loops of every day on integers, bytes and numbers, written after integers had a price; scored at first sight. As in
``kernels.py``."""

import math

import numpy as np
from numba import njit, prange


# bind: x=i4[n] out=i4[n] low=10 high=900 | n=3000 | n=3000000
@njit
def clamp_integers(x, out, low, high):
    for i in range(x.size):
        v = x[i]
        if v < low:
            v = low
        elif v > high:
            v = high
        out[i] = v


# bind: text=u1[n] | n=5000 | n=5000000
@njit
def adler_sums(text):
    a = 1
    b = 0
    for i in range(text.size):
        a += text[i]
        b += a
    return (b % 65521) * 65536 + a % 65521


# bind: frame=u1[h,w] before=u1[h,w] moved=u1[h,w] | h=64 w=64 | h=1080 w=1920
@njit
def motion_mask(frame, before, moved):
    for i in range(frame.shape[0]):
        for j in range(frame.shape[1]):
            d = np.int16(frame[i, j]) - np.int16(before[i, j])
            moved[i, j] = 255 if abs(d) > 20 else 0


# bind: keys=i8[n] table=i8[m] | n=3000 m=1024 | n=1000000 m=65536
@njit
def bucket_sizes(keys, table):
    m = table.size
    for i in range(keys.size):
        h = (keys[i] * 2654435761) & (m - 1)
        table[h] += 1


# bind: year=i8[n] leap=u1[n] | n=3000 | n=1000000
@njit
def leap_years(year, leap):
    for i in range(year.size):
        y = year[i]
        leap[i] = 1 if (y % 4 == 0 and y % 100 != 0) or y % 400 == 0 else 0


# bind: a=i8[n] b=i8[n] longest=i8[w] | n=60 w=61 | n=1200 w=1201
@njit
def longest_common_run(a, b, longest):
    best = 0
    for i in range(a.size):
        for j in range(b.size - 1, -1, -1):
            if a[i] == b[j]:
                longest[j + 1] = longest[j] + 1
                best = max(best, longest[j + 1])
            else:
                longest[j + 1] = 0
    return best


# bind: x=f8[n] y=f8[n] step=0.05 | n=2000 | n=1000000
@njit
def snap_to_grid(x, y, step):
    for i in range(x.size):
        y[i] = math.floor(x[i] / step + 0.5) * step


# bind: z=c16[n] c=c16[n] steps=i4[n] | n=500 | n=300000
@njit
def complex_squares(z, c, steps):
    for i in range(z.size):
        w = z[i]
        w = w * w + c[i]
        w = w * w + c[i]
        steps[i] = 1 if w.real * w.real + w.imag * w.imag > 4.0 else 0
        z[i] = w


# bind: values=i4[n,m] totals=i8[n] | n=200 m=200 | n=3000 m=1500
@njit(parallel=True)
def row_totals_on_all_cores(values, totals):
    for i in prange(values.shape[0]):
        s = 0
        for j in range(values.shape[1]):
            s += values[i, j]
        totals[i] = s


# bind: price=f4[n] signal=i1[n] | n=3000 | n=3000000
@njit
def local_peaks(price, signal):
    for i in range(1, price.size - 1):
        if price[i] > price[i - 1] and price[i] > price[i + 1]:
            signal[i] = 1
        else:
            signal[i] = 0


# bind: h=i4[n,m] flow=i1[n,m] | n=60 m=60 | n=1200 m=1200
@njit
def steepest_neighbour(h, flow):
    for i in range(1, h.shape[0] - 1):
        for j in range(1, h.shape[1] - 1):
            best = h[i - 1, j]
            way = 0
            if h[i + 1, j] < best:
                best = h[i + 1, j]
                way = 1
            if h[i, j - 1] < best:
                best = h[i, j - 1]
                way = 2
            if h[i, j + 1] < best:
                way = 3
            flow[i, j] = way
