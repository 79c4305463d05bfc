"""Loops of textbooks and of everyday code, two of them on all cores; scored at first sight. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit, prange


# bind: x=f8[n] out=i1[n] lo=0.8 hi=1.2 | n=3000 | n=3000000
@njit
def classify_levels(x, out, lo, hi):
    for i in range(x.size):
        if x[i] < lo:
            out[i] = -1
        elif x[i] > hi:
            out[i] = 1
        else:
            out[i] = 0


# bind: img=u1[h,w] table=u1[256] out=u1[h,w] | h=64 w=64 | h=1080 w=1920
@njit
def apply_table(img, table, out):
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = table[img[i, j]]


# bind: src=u1[n] dst=u1[n] alpha=u1[n] | n=4000 | n=4000000
@njit
def alpha_composite(src, dst, alpha):
    for i in range(src.size):
        a = alpha[i]
        dst[i] = (a * src[i] + (255 - a) * dst[i] + 127) // 255


# bind: a=i4[n] b=i4[n] | n=4000 | n=4000000
@njit
def integer_product_sum(a, b):
    total = 0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


# bind: x=c16[n] y=c16[n] w=c16[n] out=c16[n] | n=1000 | n=1000000
@njit
def complex_mix(x, y, w, out):
    for i in range(x.size):
        out[i] = x[i] * w[i] + y[i].conjugate()


# bind: A=f8[n,m] | n=100 m=64 | n=2000 m=600
@njit
def unit_rows(A):
    for i in range(A.shape[0]):
        A[i] /= np.sqrt(np.sum(A[i] * A[i]))


# bind: src=f8[n,m] pick=i8[k] weight=f8[k] out=f8[k,m] | n=100 k=200 m=32 | n=20000 k=10000 m=100
@njit
def picked_rows(src, pick, weight, out):
    for i in range(pick.size):
        out[i, :] = src[pick[i], :] * weight[i]


# bind: a=i8[n] b=i8[m] row=i8[w] | n=60 m=60 w=61 | n=1500 m=1500 w=1501
@njit
def edit_distance_one_row(a, b, row):
    for j in range(row.size):
        row[j] = j
    for i in range(a.size):
        corner = row[0]
        row[0] = i + 1
        for j in range(b.size):
            cost = 0 if a[i] == b[j] else 1
            best = min(row[j + 1] + 1, row[j] + 1, corner + cost)
            corner = row[j + 1]
            row[j + 1] = best
    return row[-1]


# bind: A=f8[n,m] out=f8[n] | n=200 m=100 | n=3000 m=2000
@njit(parallel=True)
def row_norms_on_all_cores(A, out):
    for i in prange(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j] * A[i, j]
        out[i] = math.sqrt(s)


# bind: u=f8[n,m] v=f8[n,m] curl=f8[n,m] dx=0.1 dy=0.2 | n=100 m=100 | n=1500 m=1500
@njit(parallel=True)
def vorticity_on_all_cores(u, v, curl, dx, dy):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            curl[i, j] = (v[i, j + 1] - v[i, j - 1]) / (2.0 * dx) - (u[i + 1, j] - u[i - 1, j]) / (2.0 * dy)


# bind: x=f8[n] c=f8[4,k] out=f8[n] step=0.01 | n=2000 k=200 | n=1000000 k=200
@njit
def spline_values(x, c, out, step):
    for i in range(x.size):
        cell = int(x[i] / step)
        t = x[i] - cell * step
        out[i] = c[0, cell] + t * (c[1, cell] + t * (c[2, cell] + t * c[3, cell]))


# bind: Q=f8[n,m] R=f8[m,m] | n=40 m=20 | n=500 m=200
@njit
def modified_gram_schmidt(Q, R):
    n, m = Q.shape
    for k in range(m):
        s = 0.0
        for i in range(n):
            s += Q[i, k] * Q[i, k]
        R[k, k] = math.sqrt(s)
        for i in range(n):
            Q[i, k] /= R[k, k]
        for j in range(k + 1, m):
            s = 0.0
            for i in range(n):
                s += Q[i, k] * Q[i, j]
            R[k, j] = s
            for i in range(n):
                Q[i, j] -= Q[i, k] * s


# bind: x=f8[n] out=f8[n] | n=2000 | n=2000000
@njit
def haar_step(x, out):
    h = x.size // 2
    for i in range(h):
        out[i] = (x[2 * i] + x[2 * i + 1]) * 0.7071067811865476
        out[h + i] = (x[2 * i] - x[2 * i + 1]) * 0.7071067811865476


# bind: x=f8[n] shift=1.0 out=f8[n] | n=2000 | n=1000000
@njit
def elu_forward(x, shift, out):
    for i in range(x.size):
        v = x[i] - shift
        if v > 0.0:
            out[i] = v
        else:
            out[i] = math.exp(v) - 1.0


# bind: prey=f8[n] predators=f8[n] a=0.6 b=0.5 c=0.4 d=0.3 dt=0.001 | n=2000 | n=500000
@njit
def lotka_volterra(prey, predators, a, b, c, d, dt):
    for t in range(prey.size - 1):
        p = prey[t]
        q = predators[t]
        prey[t + 1] = p + dt * (a * p - b * p * q)
        predators[t + 1] = q + dt * (d * p * q - c * q)


# bind: x=f8[n] | n=3000 | n=2000000
@njit
def maximum_subarray(x):
    best = x[0]
    here = 0.0
    for i in range(x.size):
        here = max(x[i] - 1.0, here + x[i] - 1.0)
        if here > best:
            best = here
    return best
