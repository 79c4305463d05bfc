"""Statements on rows, arrays made in loops and in calls, complex functions, integers in arithmetic:
what the rules for them were measured on. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: a=f8[n,m] out=f8[n] | n=1000 m=50 | n=1000 m=1000
@njit
def row_sums_np(a, out):
    for i in range(a.shape[0]):
        out[i] = np.sum(a[i])


# bind: a=f8[n,m] out=f8[n] | n=1000 m=50 | n=1000 m=1000
@njit
def row_squares(a, out):
    for i in range(a.shape[0]):
        out[i] = np.sum(a[i] ** 2)


# bind: a=f8[n,m] out=f8[n] | n=1000 m=50 | n=1000 m=1000
@njit
def row_scratch(a, out):
    for i in range(a.shape[0]):
        t = np.empty(a.shape[1])
        for j in range(a.shape[1]):
            t[j] = a[i, j] * 2.0
        out[i] = t[0] + t[-1]


# bind: a=f8[n,m] s=f8[n] | n=1000 m=50 | n=1000 m=1000
@njit
def row_divide(a, s):
    for i in range(a.shape[0]):
        a[i] /= s[i]


# bind: a=f8[n] b=f8[n] | n=1000 | n=100000 | n=1000000 | n=3000000
@njit
def three_temps(a, b):
    t = np.empty_like(a)
    u = np.empty_like(a)
    v = np.empty_like(a)
    for i in range(a.shape[0]):
        t[i] = a[i]
        u[i] = b[i]
        v[i] = a[i] + b[i]
    return v[0] + t[1] + u[2]


# bind: a=f8[n] b=f8[n] | n=1000 | n=100000 | n=1000000 | n=3000000
@njit
def two_temps(a, b):
    t = np.empty_like(a)
    u = np.empty_like(a)
    for i in range(a.shape[0]):
        t[i] = a[i]
        u[i] = b[i]
    return t[1] + u[2]


# bind: a=f8[n] b=f8[n] | n=1000 | n=100000 | n=1000000 | n=3000000
@njit
def returned(a, b):
    t = np.empty_like(a)
    for i in range(a.shape[0]):
        t[i] = a[i] + b[i]
    return t


# bind: a=f8[n] b=f8[n] | n=1000 | n=100000 | n=1000000 | n=3000000
@njit
def one_temp_returned(a, b):
    t = np.empty_like(a)
    u = np.empty_like(a)
    for i in range(a.shape[0]):
        t[i] = a[i] + b[i]
    for i in range(a.shape[0]):
        u[i] = t[i] * a[i]
    return u


# bind: a=f8[n] b=f8[n] out=f8[n] | n=1000 | n=100000 | n=1000000
@njit
def where_only(a, b, out):
    out[:] = np.where(a > b, a, b)


# bind: a=u1[n] b=f8[n] | n=1000 | n=100000
@njit
def bytes_to_float(a, b):
    for i in range(a.shape[0]):
        b[i] = a[i] * 0.5


# bind: a=i8[n] b=f8[n] | n=1000 | n=100000
@njit
def ints_to_float(a, b):
    for i in range(a.shape[0]):
        b[i] = a[i] * 0.5


# bind: a=i4[n,3] b=f8[n] | n=1000 | n=100000
@njit
def strided_ints(a, b):
    for i in range(a.shape[0]):
        b[i] = a[i, 0] * 0.5 + a[i, 1] * 0.25 + a[i, 2] * 0.125


# bind: a=f8[n] b=u1[n] | n=1000 | n=100000
@njit
def float_to_bytes(a, b):
    for i in range(a.shape[0]):
        b[i] = np.uint8(a[i] * 200.0)


# bind: z=c16[n] w=c16[n] | n=1000
@njit
def cexp(z, w):
    for i in range(z.shape[0]):
        w[i] = np.exp(z[i])


# bind: z=c16[n] w=c16[n] | n=1000
@njit
def csqrt(z, w):
    for i in range(z.shape[0]):
        w[i] = np.sqrt(z[i])


# bind: z=c16[n] w=f8[n] | n=1000
@njit
def cabs(z, w):
    for i in range(z.shape[0]):
        w[i] = abs(z[i])


# bind: z=c16[n] w=c16[n] | n=1000
@njit
def clog(z, w):
    for i in range(z.shape[0]):
        w[i] = np.log(z[i])


# bind: z=c16[n] w=c16[n] | n=1000
@njit
def cdiv(z, w):
    for i in range(z.shape[0]):
        w[i] = w[i] / z[i]


# bind: z=c16[n] w=c16[n] | n=1000
@njit
def csquare(z, w):
    for i in range(z.shape[0]):
        w[i] = z[i] ** 2


# bind: z=c16[n] w=c16[n] | n=1000
@njit
def csin(z, w):
    for i in range(z.shape[0]):
        w[i] = np.sin(z[i])


# bind: x=f8[n] w=f8[n] | n=1000
@njit
def dexp(x, w):
    for i in range(x.shape[0]):
        w[i] = np.exp(x[i])


# bind: x=f8[n] w=f8[n] | n=1000
@njit
def dsin(x, w):
    for i in range(x.shape[0]):
        w[i] = np.sin(x[i])


# bind: x=f8[n] w=f8[n] | n=1000
@njit
def dsincos(x, w):
    for i in range(x.shape[0]):
        w[i] = np.sin(x[i]) + math.cos(x[i])


# bind: a=f8[n,m] b=f8[n,m] | n=1000 m=16 | n=500 m=64
@njit
def rows_copy(a, b):
    for i in range(a.shape[0]):
        a[i] = b[i]


# bind: a=f8[n,m] b=f8[n,m] | n=1000 m=16 | n=500 m=64
@njit
def rows_scaled(a, b):
    for i in range(a.shape[0]):
        a[i] = b[i] * 2.0


# bind: a=f8[n,m] b=f8[n,m] | n=1000 m=16 | n=500 m=64
@njit
def rows_added(a, b):
    for i in range(a.shape[0]):
        a[i] += b[i]


# bind: a=f8[n,m] b=f8[n,m] | n=1000 m=16 | n=500 m=64
@njit
def rows_sliced(a, b):
    for i in range(a.shape[0]):
        a[i, :] = 2.0 * b[i, :] + 1.0


# bind: a=f8[n,m] | n=1000 m=16 | n=500 m=64
@njit
def rows_filled(a):
    for i in range(a.shape[0]):
        a[i, :] = 0.0


# bind: a=f8[n,m] b=f8[m] out=f8[n] | n=1000 m=16 | n=500 m=64
@njit
def rows_dot(a, b, out):
    for i in range(a.shape[0]):
        out[i] = np.sum(a[i] * b)


# bind: a=f8[n,m] b=f8[m] out=f8[n] | n=1000 m=16 | n=500 m=64
@njit
def rows_scratch2(a, b, out):
    for i in range(a.shape[0]):
        t = np.zeros(a.shape[1])
        u = np.empty(a.shape[1])
        for j in range(a.shape[1]):
            t[j] += a[i, j]
            u[j] = b[j]
        out[i] = t[0] + u[0]


# bind: a=f8[n,3] out=f8[n] | n=1000
@njit
def small_scratch(a, out):
    for i in range(a.shape[0]):
        d = np.empty(3)
        for k in range(3):
            d[k] = a[i, k] * 2.0
        out[i] = d[0] * d[1] + d[2]


# bind: a=f8[n,3] b=f8[n,3] | n=1000
@njit
def small_cross(a, b):
    for i in range(a.shape[0]):
        d = np.array([a[i, 0], a[i, 1], a[i, 2]])
        b[i] = d * 2.0


# bind: a=f8[n,3] out=f8[n] | n=1000
@njit
def small_norm(a, out):
    for i in range(a.shape[0]):
        out[i] = np.sqrt(np.sum(a[i] ** 2))


# bind: a=f8[n,m] out=f8[n] | n=1000 m=16 | n=500 m=64
@njit
def rows_max(a, out):
    for i in range(a.shape[0]):
        out[i] = np.max(a[i])


# bind: a=f8[n,m] out=f8[n] | n=1000 m=16 | n=500 m=64
@njit
def rows_mean(a, out):
    for i in range(a.shape[0]):
        out[i] = a[i].mean()


# bind: a=f8[n,n] x=f8[n] out=f8[n] | n=16 | n=64
@njit
def rows_matvec(a, x, out):
    for i in range(a.shape[0]):
        out[i] = np.dot(a[i], x)


# bind: a=f8[n,m] b=f8[n,m] | n=1000 m=16 | n=500 m=64
@njit
def rows_where(a, b):
    for i in range(a.shape[0]):
        b[i] = np.where(a[i] > 0.5, a[i], 0.0)
