"""Loops of everyday code that were written after the others were looked at. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: x=f4[n] y=f4[n] a=0.5 | n=2000 | n=3000000
@njit
def blend_single(x, y, a):
    for i in range(x.size):
        y[i] = a * x[i] + (1.0 - a) * y[i]


# bind: img=u8[h,w] out=u8[h,w] gain=1.2 bias=3.0 | h=100 w=100 | h=1080 w=1920
@njit
def adjust_brightness(img, out, gain, bias):
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            v = gain * img[i, j] + bias
            if v > 255.0:
                v = 255.0
            out[i, j] = np.uint8(v)


# bind: T=f8[n,n] S=f8[n,n] k=0.1 dx=0.01 | n=50 | n=600
@njit
def conduction(T, S, k, dx):
    n = T.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            S[i, j] = T[i, j] + k * (T[i - 1, j] - 2.0 * T[i, j] + T[i + 1, j]) / dx**2
            S[i, j] += k * (T[i, j - 1] - 2.0 * T[i, j] + T[i, j + 1]) / dx**2


# bind: src=i8[e] dst=i8[e] w=f8[e] x=f8[n] y=f8[n] | e=5000 n=1000 | e=1000000 n=200000
@njit
def spread_messages(src, dst, w, x, y):
    for e in range(src.size):
        y[dst[e]] += w[e] * x[src[e]]


# bind: pts=f8[n,2] poly=f8[m,2] out=f8[n] | n=200 m=20 | n=5000 m=60
@njit
def winding(pts, poly, out):
    for i in range(pts.shape[0]):
        total = 0.0
        for j in range(poly.shape[0]):
            dx = poly[j, 0] - pts[i, 0]
            dy = poly[j, 1] - pts[i, 1]
            total += math.atan2(dy, dx)
        out[i] = total


# bind: A=f8[n,m] x=f8[m] y=f8[n] | n=64 m=64 | n=1500 m=1500
@njit
def matrix_power_step(A, x, y):
    norm = 0.0
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j] * x[j]
        y[i] = s
        norm += s * s
    norm = math.sqrt(norm)
    for i in range(y.size):
        y[i] /= norm


# bind: p=f8[n,3] v=f8[n,3] f=f8[n,3] m=2.0 dt=0.001 | n=300 | n=300000
@njit
def leapfrog(p, v, f, m, dt):
    for i in range(p.shape[0]):
        for k in range(3):
            v[i, k] += dt * f[i, k] / m
            p[i, k] += dt * v[i, k]


# bind: c=f8[n,m] k=f8[n,m] r=0.03 dt=0.01 | n=50 m=50 | n=1000 m=1000
@njit
def discounted_payoff(c, k, r, dt):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = math.exp(-r * dt) * max(c[i, j] - k[i, j], 0.0)


# bind: u=f8[n,n,n] r=f8[n,n,n] f=f8[n,n,n] h2=0.01 | n=16 | n=100
@njit
def residual3(u, r, f, h2):
    n = u.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                s = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k] + u[i, j, k - 1] + u[i, j, k + 1]
                r[i, j, k] = f[i, j, k] - (6.0 * u[i, j, k] - s) / h2


# bind: x=f8[n] k=f8[5] y=f8[n] | n=1000 | n=1000000
@njit
def smooth5(x, k, y):
    for i in range(2, x.size - 2):
        s = 0.0
        for t in range(5):
            s += k[t] * x[i + t - 2]
        y[i] = s


# bind: D=f8[n,n] out=f8[n] | n=60 | n=1200
@njit
def row_nearest(D, out):
    for i in range(D.shape[0]):
        best = np.inf
        for j in range(D.shape[1]):
            if j != i and D[i, j] < best:
                best = D[i, j]
        out[i] = best


# bind: a=c16[n,m] b=c16[m] out=c16[n] | n=50 m=50 | n=800 m=800
@njit
def complex_rows(a, b, out):
    for i in range(a.shape[0]):
        s = 0.0j
        for j in range(a.shape[1]):
            s += a[i, j] * b[j]
        out[i] = s


# bind: W=f8[h,d] x=f8[d] b=f8[h] out=f8[h] | h=32 d=16 | h=512 d=784
@njit
def layer(W, x, b, out):
    for i in range(W.shape[0]):
        z = b[i]
        for j in range(W.shape[1]):
            z += W[i, j] * x[j]
        out[i] = 1.0 / (1.0 + math.exp(-z))


# bind: A=f8[n,m] B=f8[m,n] | n=100 m=80 | n=1500 m=1200
@njit
def scaled_transpose(A, B):
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            B[j, i] = 0.5 * A[i, j]
