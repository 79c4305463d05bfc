"""Loops that were written after the model, and scored once. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit, prange


# bind: u=f8[n] v=f8[n] dt=0.01 du=0.16 dv=0.08 F=0.035 k=0.06 | n=3000 | n=2000000
@njit
def gray_scott_reaction(u, v, dt, du, dv, F, k):
    for i in range(u.size):
        uvv = u[i] * v[i] * v[i]
        u[i] += dt * (F * (1.0 - u[i]) - uvv)
        v[i] += dt * (uvv - (F + k) * v[i])


# bind: x=f8[n] y=f8[n] z=f8[n] lat=f8[n] lon=f8[n] | n=1500 | n=400000
@njit
def to_geographic(x, y, z, lat, lon):
    for i in range(x.size):
        r = math.sqrt(x[i] * x[i] + y[i] * y[i])
        lat[i] = math.atan2(z[i], r)
        lon[i] = math.atan2(y[i], x[i])


# bind: A=f8[n,n] x=f8[n] y=f8[n] | n=120 | n=3000
@njit
def symmetric_band(A, x, y):
    n = x.size
    for i in range(n):
        s = 0.0
        for j in range(max(0, i - 6), min(n, i + 7)):
            s += A[i, j] * x[j]
        y[i] = s


# bind: img=f4[n,m] out=f4[n,m] | n=90 m=90 | n=1600 m=1600
@njit
def unsharp(img, out):
    n, m = img.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            mean = (img[i - 1, j] + img[i + 1, j] + img[i, j - 1] + img[i, j + 1]) * np.float32(0.25)
            out[i, j] = img[i, j] + np.float32(0.7) * (img[i, j] - mean)


# bind: a=i8[n] b=i8[n] | n=3000 | n=3000000
@njit
def manhattan(a, b):
    total = 0
    for i in range(a.size):
        total += abs(a[i] - b[i])
    return total


# bind: price=f8[n] low=f8[n] high=f8[n] out=f8[n] | n=3000 | n=1500000
@njit
def clamp_price(price, low, high, out):
    for i in range(price.size):
        out[i] = min(max(price[i], low[i]), high[i])


# bind: pos=f8[n,2] vel=f8[n,2] dt=0.01 size=10.0 | n=1500 | n=800000
@njit
def periodic_drift(pos, vel, dt, size):
    for i in range(pos.shape[0]):
        for d in range(2):
            p = pos[i, d] + vel[i, d] * dt
            if p >= size:
                p -= size
            elif p < 0.0:
                p += size
            pos[i, d] = p


# bind: A=f8[n,m] mean=f8[m] scale=f8[m] | n=60 m=50 | n=4000 m=400
@njit
def standardise_columns(A, mean, scale):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            A[i, j] = (A[i, j] - mean[j]) * scale[j]


# bind: w=f8[n] x=f8[n] | n=2000 | n=2000000
@njit(fastmath=True)
def weighted_power(w, x):
    s = 0.0
    t = 0.0
    for i in range(x.size):
        s += w[i] * x[i] ** 3
        t += w[i]
    return s / t


# bind: T=f8[n,n] S=f8[n,n] | n=80 | n=1800
@njit(parallel=True)
def smooth_rows_on_all_cores(T, S):
    n = T.shape[0]
    for i in prange(n):
        for j in range(1, n - 1):
            S[i, j] = 0.25 * T[i, j - 1] + 0.5 * T[i, j] + 0.25 * T[i, j + 1]


# bind: h=f8[n,m] flux=f8[n,m] | n=70 m=70 | n=1500 m=1200
@njit
def height_fluxes(h, flux):
    flux[:, 1:] = 0.5 * (h[:, 1:] + h[:, :-1]) * (h[:, 1:] - h[:, :-1])


# bind: x=f8[n] alpha=0.1 out=f8[n] | n=3000 | n=1500000
@njit
def exponential_smoothing(x, alpha, out):
    s = x[0]
    for i in range(x.size):
        s = alpha * x[i] + (1.0 - alpha) * s
        out[i] = s


# bind: key=u4[n] out=u4[n] | n=4000 | n=3000000
@njit
def scramble(key, out):
    for i in range(key.size):
        h = key[i]
        h ^= h >> np.uint32(16)
        h *= np.uint32(0x7FEB352D)
        h ^= h >> np.uint32(15)
        out[i] = h


# bind: E=f8[n,m,k] H=f8[n,m,k] c=0.5 | n=16 m=16 k=16 | n=130 m=130 k=130
@njit
def curl_x(E, H, c):
    n, m, k = E.shape
    for i in range(n):
        for j in range(m - 1):
            for q in range(k - 1):
                H[i, j, q] -= c * ((E[i, j + 1, q] - E[i, j, q]) - (E[i, j, q + 1] - E[i, j, q]))


# bind: logits=f8[n,c] out=f8[n,c] | n=100 c=16 | n=60000 c=16
@njit
def softmax_rows(logits, out):
    n, c = logits.shape
    for i in range(n):
        top = logits[i, 0]
        for j in range(1, c):
            top = max(top, logits[i, j])
        s = 0.0
        for j in range(c):
            e = math.exp(logits[i, j] - top)
            out[i, j] = e
            s += e
        for j in range(c):
            out[i, j] /= s


# bind: bits=u1[n] | n=4000 | n=8000000
@njit
def ones(bits):
    total = 0
    for i in range(bits.size):
        total += bits[i]
    return total
