"""Kernels from habit, many of integers: filters, tables, walks, scans. Scored at first sight. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: img=u1[h,w] out=u1[h,w] | h=64 w=64 | h=1080 w=1920
@njit
def box_blur_bytes(img, out):
    h, w = img.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            s = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    s += img[y + dy, x + dx]
            out[y, x] = s // 9


# bind: img=u1[h,w] out=u1[h,w] t=128 | h=64 w=64 | h=1080 w=1920
@njit
def threshold_bytes(img, out, t):
    for y in range(img.shape[0]):
        for x in range(img.shape[1]):
            if img[y, x] > t:
                out[y, x] = 255
            else:
                out[y, x] = 0


# bind: rgb=u1[h,w,3] out=u1[h,w] | h=64 w=64 | h=1080 w=1920
@njit
def gray_of_bytes(rgb, out):
    for y in range(rgb.shape[0]):
        for x in range(rgb.shape[1]):
            out[y, x] = (77 * rgb[y, x, 0] + 150 * rgb[y, x, 1] + 29 * rgb[y, x, 2]) >> 8


# bind: img=i4[h,w] out=i4[h,w] | h=64 w=64 | h=1000 w=1000
@njit
def erode_cross(img, out):
    h, w = img.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            v = min(img[y - 1, x], img[y + 1, x])
            v = min(v, min(img[y, x - 1], img[y, x + 1]))
            out[y, x] = min(v, img[y, x])


# bind: value=i8[m] best=i8[cap] size=7 | m=50 cap=2000 | m=50 cap=200000
@njit
def knapsack_same_size(value, best, size):
    for k in range(value.shape[0]):
        for c in range(best.shape[0] - 1, size - 1, -1):
            best[c] = max(best[c], best[c - size] + value[k])


# bind: a=i8[n] b=i8[n] table=i8[r,r] | n=200 r=201 | n=2000 r=2001
@njit
def common_subsequence(a, b, table):
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])


# bind: x=i8[n] out=i8[n] | n=2000 | n=2000000
@njit
def prefix_sum(x, out):
    total = 0
    for i in range(x.shape[0]):
        total += x[i]
        out[i] = total


# bind: text=u1[n] byte=32 | n=5000 | n=5000000
@njit
def count_byte(text, byte):
    found = 0
    for i in range(text.shape[0]):
        if text[i] == byte:
            found += 1
    return found


# bind: text=u1[n] | n=5000 | n=2000000
@njit
def fnv_hash(text):
    h = np.uint64(14695981039346656037)
    for i in range(text.shape[0]):
        h = (h ^ np.uint64(text[i])) * np.uint64(1099511628211)
    return h


# bind: a=i4[n] b=i4[n] out=i4[n] | n=1000 | n=1000000
@njit
def blend_shift(a, b, out):
    for i in range(a.shape[0]):
        out[i] = (a[i] * 3 + b[i] * 5 + 4) >> 3


# bind: x=f8[n] edges=f8[m] out=i8[n] | n=1000 m=64 | n=300000 m=1024
@njit
def bins_by_bisection(x, edges, out):
    for i in range(x.shape[0]):
        lo = 0
        hi = edges.shape[0]
        while lo < hi:
            mid = (lo + hi) >> 1
            if edges[mid] <= x[i]:
                lo = mid + 1
            else:
                hi = mid
        out[i] = lo


# bind: x=f8[n] t=0.5 | n=1000 | n=1000000
@njit
def mean_above(x, t):
    s = 0.0
    k = 0
    for i in range(x.shape[0]):
        if x[i] > t:
            s += x[i]
            k += 1
    return s / max(k, 1)


# bind: L=f8[n,n] b=f8[n,k] | n=40 k=8 | n=400 k=32
@njit
def lower_solve_many(L, b):
    for i in range(L.shape[0]):
        for j in range(i):
            for c in range(b.shape[1]):
                b[i, c] -= L[i, j] * b[j, c]
        for c in range(b.shape[1]):
            b[i, c] /= L[i, i]


# bind: u=f8[n,n,n] v=f8[n,n,n] c=0.1 steps=4 | n=32 | n=64 | n=128
@njit
def heat_swapped(u, v, c, steps):
    n = u.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    v[i, j, k] = u[i, j, k] + c * (
                        u[i - 1, j, k]
                        + u[i + 1, j, k]
                        + u[i, j - 1, k]
                        + u[i, j + 1, k]
                        + u[i, j, k - 1]
                        + u[i, j, k + 1]
                        - 6.0 * u[i, j, k]
                    )
        u, v = v, u


# bind: u=f8[n,n] out=f8[n,n] | n=64 | n=700
@njit
def clamped_laplacian(u, out):
    n = u.shape[0]
    for i in range(n):
        for j in range(n):
            north = u[max(i - 1, 0), j]
            south = u[min(i + 1, n - 1), j]
            west = u[i, max(j - 1, 0)]
            east = u[i, min(j + 1, n - 1)]
            out[i, j] = north + south + west + east - 4.0 * u[i, j]


# bind: x=f8[n] y=f8[n] z=f8[n] | n=1000 | n=1000000 | n=1200000
@njit
def triad_of_three(x, y, z):
    for i in range(x.shape[0]):
        z[i] = x[i] * y[i] + z[i]


# bind: x=f8[n] | n=1000 | n=1000000
@njit
def clipped_where(x):
    return np.where(x > 0.0, np.clip(x, -1.0, 1.0), 0.1 * x)


# bind: z=c16[n] w=c16[n] | n=1000 | n=500000
@njit
def twiddled(z, w):
    for i in range(z.shape[0]):
        z[i] = z[i] * w[i] + w[i]


# bind: p=i8[n] x=f8[m] out=f8[n] | n=1000 m=1000 | n=500000 m=500000
@njit
def gather_sum_three(p, x, out):
    for i in range(p.shape[0]):
        k = p[i]
        out[i] = x[k] + 0.5 * x[max(k - 1, 0)]


@njit
def horner(c, t):
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])))


# bind: c=f8[8] x=f8[n] out=f8[n] | n=1000 | n=1000000
@njit
def polynomial_helper(c, x, out):
    for i in range(x.shape[0]):
        out[i] = horner(c, x[i])


# bind: u=f8[n] out=f8[n] | n=1000 | n=200000
@njit
def box_muller_like(u, out):
    for i in range(u.shape[0]):
        r = math.sqrt(-2.0 * math.log(u[i] + 1e-12))
        out[i] = r * math.sin(6.283185307179586 * u[i]) * math.exp(-r)


# bind: steps=i8[n] walk=i8[n] limit=50 | n=1000 | n=1000000
@njit
def bounded_walk(steps, walk, limit):
    at = 0
    for i in range(steps.shape[0]):
        at = min(max(at + steps[i], -limit), limit)
        walk[i] = at


# bind: img=u1[h,w] hist=i8[256] | h=64 w=64 | h=1080 w=1920
@njit
def histogram_bytes(img, hist):
    for y in range(img.shape[0]):
        for x in range(img.shape[1]):
            hist[img[y, x]] += 1


# bind: a=f8[n,m] out=f8[n,m] | n=50 m=50 | n=1000 m=1000
@njit
def upwind_slices(a, out):
    out[1:, :] = a[1:, :] - 0.3 * (a[1:, :] - a[:-1, :])
    out[0, :] = a[0, :]


# bind: x=i8[n] | n=1000 | n=1000000
@njit
def integer_moments(x):
    s = 0
    q = 0
    low = x[0]
    for i in range(x.shape[0]):
        s += x[i]
        q += x[i] * x[i]
        low = min(low, x[i])
    return s, q, low
