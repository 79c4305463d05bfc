"""Loops of lectures on numerical methods, written and scored after the textbooks' were looked at. As in
``kernels.py``."""

import math

import numpy as np
from numba import njit, prange


# bind: x=f8[n] y=f8[n] | n=2000 | n=1000000
@njit
def huber_loss(x, y):
    total = 0.0
    for i in range(x.size):
        r = abs(x[i] - y[i])
        total += 0.5 * r * r if r < 0.3 else 0.3 * (r - 0.15)
    return total


# bind: f=f8[n] integral=f8[n] h=0.01 | n=2000 | n=2000000
@njit
def cumulative_trapezoid(f, integral, h):
    integral[0] = 0.0
    for i in range(1, f.size):
        integral[i] = integral[i - 1] + 0.5 * h * (f[i] + f[i - 1])


# bind: A=f8[n,n] r=f8[n] p=f8[n] q=f8[n] x=f8[n] | n=100 | n=1500
@njit
def conjugate_gradient_step(A, r, p, q, x):
    n = r.size
    rr = 0.0
    pq = 0.0
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += A[i, j] * p[j]
        q[i] = s
        pq += p[i] * s
        rr += r[i] * r[i]
    alpha = rr / pq
    for i in range(n):
        x[i] += alpha * p[i]
        r[i] -= alpha * q[i]


# bind: img=u1[h,w] out=f4[h,w] mean=127.0 scale=0.01 | h=64 w=64 | h=1080 w=1920
@njit
def normalised_image(img, out, mean, scale):
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = (img[i, j] - mean) * scale


# bind: u=f8[n,m] flag=f8[n,m] low=0.7 high=1.3 | n=60 m=60 | n=1500 m=1500
@njit
def flag_outliers(u, flag, low, high):
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            if u[i, j] < low:
                flag[i, j] = -1.0
            elif u[i, j] > high:
                flag[i, j] = 1.0


# bind: X=f8[n,d] w=f8[d] y=f8[n] grad=f8[d] | n=200 d=20 | n=100000 d=20
@njit
def least_squares_gradient(X, w, y, grad):
    grad[:] = 0.0
    for i in range(X.shape[0]):
        error = np.dot(X[i], w) - y[i]
        grad += error * X[i]


# bind: z=c16[n] w=c16[n] power=f8[n] | n=1000 | n=1000000
@njit
def cross_power(z, w, power):
    for i in range(z.size):
        c = z[i] * w[i].conjugate()
        power[i] = c.real * c.real + c.imag * c.imag


# bind: a=f8[n] b=f8[n] c=f8[n] root=f8[n] | n=2000 | n=1000000
@njit
def larger_roots(a, b, c, root):
    for i in range(a.size):
        d = b[i] * b[i] - 4.0 * a[i] * c[i]
        if d >= 0.0:
            root[i] = (-b[i] + math.sqrt(d)) / (2.0 * a[i])
        else:
            root[i] = 0.0


# bind: u=f8[n,n,n] v=f8[n,n,n] k=0.1 | n=24 | n=150
@njit(parallel=True)
def diffuse_on_all_cores(u, v, k):
    n = u.shape[0]
    for i in prange(1, n - 1):
        for j in range(1, n - 1):
            for m in range(1, n - 1):
                around = u[i - 1, j, m] + u[i + 1, j, m] + u[i, j - 1, m] + u[i, j + 1, m]
                v[i, j, m] = u[i, j, m] + k * (around + u[i, j, m - 1] + u[i, j, m + 1] - 6.0 * u[i, j, m])


# bind: t=f8[n] out=f8[n] a=1.0 b=0.5 w=3.0 | n=1000 | n=300000
@njit
def damped_wave(t, out, a, b, w):
    for i in range(t.size):
        out[i] = a * math.exp(-b * t[i]) * math.cos(w * t[i])


# bind: rows=f8[n,m] top=i8[n] | n=100 m=10 | n=100000 m=10
@njit
def predicted_class(rows, top):
    for i in range(rows.shape[0]):
        best = 0
        for j in range(1, rows.shape[1]):
            if rows[i, j] > rows[i, best]:
                best = j
        top[i] = best


# bind: y=f8[n] k1=f8[n] k2=f8[n] out=f8[n] h=0.1 | n=1500 | n=2000000
@njit
def heun_update(y, k1, k2, out, h):
    out[:] = y + 0.5 * h * (k1 + k2)
