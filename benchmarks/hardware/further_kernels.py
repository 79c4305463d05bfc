"""Kernels that were timed and scored at first sight, before the rules for gathers and fused chains; the loops that
showed these rules, and kernels scored at first sight after them, stand last. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: p=f8[n] q=f8[n] | n=2000 | n=250000
@njit
def bhattacharyya(p, q):
    s = 0.0
    for i in range(p.shape[0]):
        s += math.sqrt(p[i] * q[i])
    return s


# bind: u=f8[n,m] gx=f8[n,m] gy=f8[n,m] | n=50 m=70 | n=400 m=500
@njit
def gradient(u, gx, gy):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            gx[i, j] = 0.5 * (u[i, j + 1] - u[i, j - 1])
            gy[i, j] = 0.5 * (u[i + 1, j] - u[i - 1, j])


# bind: data=f8[n] edges=f8[k] out=f8[n] | n=20000 k=8
@njit
def piecewise_constant(data, edges, out):
    for i in range(data.shape[0]):
        v = 0.0
        for j in range(edges.shape[0]):
            if data[i] > edges[j]:
                v = edges[j]
        out[i] = v


# bind: A=f8[n,n] v=f8[n] w=f8[n] | n=80 | n=700
@njit
def power_step(A, v, w):
    n = A.shape[0]
    norm = 0.0
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += A[i, j] * v[j]
        w[i] = s
        norm += s * s
    norm = math.sqrt(norm)
    for i in range(n):
        v[i] = w[i] / norm


# bind: pos=f8[n,3] vel=f8[n,3] dt=0.01 box=10.0 | n=1500 | n=150000
@njit
def drift_and_wrap(pos, vel, dt, box):
    for i in range(pos.shape[0]):
        for k in range(3):
            x = pos[i, k] + dt * vel[i, k]
            pos[i, k] = x - box * math.floor(x / box)


# bind: img=f8[h,w] out=f8[h,w] | h=60 w=90 | h=500 w=600
@njit
def median3(img, out):
    h, w = img.shape
    for i in range(h):
        for j in range(1, w - 1):
            a = img[i, j - 1]
            b = img[i, j]
            c = img[i, j + 1]
            out[i, j] = max(min(a, b), min(max(a, b), c))


# bind: x=f8[n] y=f8[m] | n=600 m=600
@njit
def autocorrelation(x, y):
    n = x.shape[0]
    for lag in range(y.shape[0]):
        s = 0.0
        for i in range(n - lag):
            s += x[i] * x[i + lag]
        y[lag] = s


# bind: A=f8[n,k] B=f8[k,m] C=f8[n,m] | n=30 k=50 m=40 | n=300 k=200 m=250
@njit(fastmath=True)
def fast_product_dots(A, B, C):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            s = 0.0
            for k in range(A.shape[1]):
                s += A[i, k] * B[k, j]
            C[i, j] = s


# bind: c=f8[n] x=f8[m] y=f8[m] | n=12 m=5000
@njit
def horner(c, x, y):
    for i in range(x.shape[0]):
        s = 0.0
        for k in range(c.shape[0]):
            s = s * x[i] + c[k]
        y[i] = s


# bind: a=c16[n] b=c16[n] out=c16[n] | n=1500 | n=200000
@njit
def complex_products(a, b, out):
    for i in range(a.shape[0]):
        out[i] = a[i] * b[i].conjugate()


# bind: x=f8[n] y=f8[n] z=f8[n] | n=2500 | n=400000
@njit
def whole_arrays(x, y, z):
    z[:] = 2.0 * x + 3.0 * y - x * y


# bind: T=f8[n,n,n] out=f8[n,n] | n=30 | n=160
@njit
def project(T, out):
    n = T.shape[0]
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s = max(s, T[k, i, j])
            out[i, j] = s


# bind: lat=f8[n] lon=f8[n] d=f8[n] | n=3000
@njit
def great_circle(lat, lon, d):
    for i in range(1, lat.shape[0]):
        a = math.sin(0.5 * (lat[i] - lat[i - 1])) ** 2
        b = math.cos(lat[i]) * math.cos(lat[i - 1]) * math.sin(0.5 * (lon[i] - lon[i - 1])) ** 2
        d[i] = 2.0 * math.asin(math.sqrt(a + b))


# bind: x=f4[n] out=f4[n] | n=4000 | n=600000
@njit
def relu_scale(x, out):
    for i in range(x.shape[0]):
        out[i] = np.float32(1.7) * max(x[i], np.float32(0.0))


# bind: W=f4[m,k] x=f4[b,k] y=f4[b,m] | m=64 k=128 b=16
@njit
def dense_layer(W, x, y):
    for i in range(x.shape[0]):
        for o in range(W.shape[0]):
            s = np.float32(0.0)
            for k in range(W.shape[1]):
                s += W[o, k] * x[i, k]
            y[i, o] = s


# bind: r=f8[n] s=f8[n] | n=2000 | n=300000
@njit
def drawdown(r, s):
    top = r[0]
    for i in range(r.shape[0]):
        top = max(top, r[i])
        s[i] = r[i] / top - 1.0


# bind: x=f8[n] k=2 | n=2000
@njit(fastmath=True)
def tested(x, k):
    s = 0.0
    for i in range(k, x.shape[0]):
        s += x[i]
    return s


# bind: x=f8[n] y=f8[n] k=2 | n=2000
@njit(fastmath=True)
def tested_fma(x, y, k):
    s = 0.0
    for i in range(k, x.shape[0]):
        s += x[i] * y[i]
    return s


# bind: x=f8[n] idx=i8[n] | n=2000
@njit(fastmath=True)
def gathered(x, idx):
    s = 0.0
    for i in range(idx.shape[0]):
        s += x[idx[i]]
    return s


# bind: A=f8[n,5] | n=2000
@njit(fastmath=True)
def strided(A):
    s = 0.0
    for i in range(A.shape[0]):
        s += A[i, 3]
    return s


# bind: A=f8[n,5] x=f8[n] | n=800
@njit(fastmath=True)
def strided_fma(A, x):
    s = 0.0
    for i in range(A.shape[0]):
        s += A[i, 3] * x[i]
    return s


# bind: A=f8[n,5] x=f8[n] j=3 | n=800
@njit(fastmath=True)
def column(A, x, j):
    s = 0.0
    for i in range(A.shape[0]):
        s += A[i, j] * x[i]
    return s


# bind: A=f8[n,5] x=f8[n] j=3 | n=800
@njit(fastmath=True)
def column_u(A, x, j):
    s = 0.0
    for i in range(A.shape[0]):
        s += A[i, j]
    return s


# bind: A=f8[n,m] x=f8[n] y=f8[m] | n=200 m=41
@njit(fastmath=True)
def columns(A, x, y):
    for j in range(A.shape[1]):
        s = 0.0
        for i in range(A.shape[0]):
            s += A[i, j] * x[i]
        y[j] = s


# bind: A=f8[n,m] x=f8[n] y=f8[m] | n=200 m=41
@njit(fastmath=True)
def columns_sum(A, x, y):
    for j in range(A.shape[1]):
        s = 0.0
        for i in range(A.shape[0]):
            s += A[i, j]
        y[j] = s


# bind: x=f8[n] y=f8[n] | n=2000
@njit(fastmath=True)
def two(x, y):
    s = 0.0
    c = 0.5
    for i in range(x.shape[0]):
        c = c * 0.3 + x[i]
        y[i] = c
        s += x[i]
    return s


# bind: A=f8[n,5] | n=2000
@njit(fastmath=True)
def mx(A):
    s = 0.0
    for i in range(A.shape[0]):
        s = max(s, A[i, 3])
    return s


# bind: A=f8[n,5] y=f8[n] | n=800
@njit
def strided_map(A, y):
    for i in range(A.shape[0]):
        y[i] = A[i, 3] * 2.0


# bind: A=f8[n,m] x=f8[n] y=f8[m] k=2 | n=200 m=41
@njit(fastmath=True)
def columns_tested(A, x, y, k):
    for j in range(A.shape[1]):
        s = 0.0
        for i in range(k, A.shape[0]):
            s += A[i, j] * x[i]
        y[j] = s


# bind: A=f8[n,m] x=f8[m] y=f8[n] k=2 | n=41 m=200
@njit(fastmath=True)
def rows_tested(A, x, y, k):
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(k, A.shape[1]):
            s += A[i, j] * x[j]
        y[i] = s


# bind: val=f8[n,m] idx=i8[n,m] x=f8[n] y=f8[n] | n=200 m=40
@njit(fastmath=True)
def ellpack(val, idx, x, y):
    for i in range(val.shape[0]):
        s = 0.0
        for j in range(val.shape[1]):
            s += val[i, j] * x[idx[i, j]]
        y[i] = s


# bind: x=f8[n] idx=i8[m] out=f8[m] | n=1000 m=3000
@njit
def gather_difference_short(x, idx, out):
    for i in range(1, idx.shape[0]):
        out[i] = x[idx[i]] - x[idx[i - 1]]


# bind: x=f8[n] idx=i8[n] y=f8[n] | n=2000
@njit
def take(x, idx, y):
    for i in range(idx.shape[0]):
        y[i] = x[idx[i]]


# bind: x=f8[n] idx=i8[n] y=f8[n] | n=2000
@njit
def take_scale(x, idx, y):
    for i in range(idx.shape[0]):
        y[i] = 2.0 * x[idx[i]] + y[i]


# bind: x=f8[n] idx=i8[n] y=f8[n] | n=2000
@njit
def scatter(x, idx, y):
    for i in range(idx.shape[0]):
        y[idx[i]] = 2.0 * x[i]


# bind: x=f4[n] idx=i4[n] y=f4[n] | n=2000
@njit
def take4(x, idx, y):
    for i in range(idx.shape[0]):
        y[i] = x[idx[i]]


# bind: vals=f8[n] cols=i8[n] x=f8[m] out=f8[n] | n=4000 m=800
@njit
def scaled_gather(vals, cols, x, out):
    for k in range(vals.shape[0]):
        out[k] = vals[k] * x[cols[k]]


# bind: A=f8[n,m] w=f8[n] out=f8[m] | n=120 m=60 | n=900 m=300
@njit(fastmath=True)
def fast_column_norms(A, w, out):
    for j in range(A.shape[1]):
        s = 0.0
        for i in range(A.shape[0]):
            s += w[i] * A[i, j] * A[i, j]
        out[j] = math.sqrt(s)


# bind: x=f8[n] y=f8[n] | n=3000 | n=200000
@njit(fastmath=True)
def fast_filter(x, y):
    a = 0.0
    b = 0.0
    for i in range(x.shape[0]):
        a = 0.9 * a + 0.1 * x[i]
        b = 0.8 * b + 0.2 * a
        y[i] = b


# bind: h=f8[n,m] water=f8[n,m] | n=60 m=80 | n=700 m=700
@njit
def slopes(h, water):
    n, m = h.shape
    for i in range(n - 1):
        for j in range(m - 1):
            dx = h[i, j + 1] - h[i, j]
            dy = h[i + 1, j] - h[i, j]
            water[i, j] = math.sqrt(dx * dx + dy * dy)


# bind: x=f8[n] lut=f8[t] idx=i4[n] y=f8[n] | n=5000 t=256
@njit
def lookup(x, lut, idx, y):
    for i in range(x.shape[0]):
        y[i] = x[i] * lut[idx[i]] + lut[idx[i]]


# bind: q=f4[n,4] out=f4[n] | n=1000 | n=100000
@njit
def lengths(q, out):
    for i in range(q.shape[0]):
        out[i] = math.sqrt(q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1] + q[i, 2] * q[i, 2] + q[i, 3] * q[i, 3])


# bind: A=f8[n,n] L=f8[n,n] | n=60 | n=300
@njit
def subtract_mean_rows(A, L):
    n = A.shape[0]
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += A[i, j]
        s /= n
        for j in range(n):
            L[i, j] = A[i, j] - s


# bind: x=f8[n] out=f8[n] | n=4000
@njit
def sigmoid_gate(x, out):
    for i in range(x.shape[0]):
        out[i] = x[i] / (1.0 + math.exp(-x[i]))


# bind: u=f8[n] v=f8[n] w=f8[n] out=f8[n,3] | n=3000
@njit
def interleave(u, v, w, out):
    for i in range(u.shape[0]):
        out[i, 0] = u[i]
        out[i, 1] = v[i]
        out[i, 2] = w[i]
