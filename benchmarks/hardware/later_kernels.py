"""Kernels that were timed and scored before the model was mended the last time; as in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: h=f8[n,m] hu=f8[n,m] hn=f8[n,m] dt=0.01 | n=40 m=60 | n=300 m=400 | n=2000 m=2000
@njit
def shallow_water_height(h, hu, hn, dt):
    n, m = h.shape
    for i in range(n):
        for j in range(1, m - 1):
            hn[i, j] = (
                h[i, j] - dt * 0.5 * (hu[i, j + 1] - hu[i, j - 1]) + 0.1 * (h[i, j + 1] - 2.0 * h[i, j] + h[i, j - 1])
            )


# bind: w=f8[n] g=f8[n] m=f8[n] v=f8[n] lr=0.001 | n=1000 | n=30000 | n=2000000
@njit
def adam_step(w, g, m, v, lr):
    for i in range(w.shape[0]):
        m[i] = 0.9 * m[i] + 0.1 * g[i]
        v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i]
        w[i] = w[i] - lr * m[i] / (math.sqrt(v[i]) + 1e-8)


# bind: spins=f4[n,n] field=f4[n,n] | n=64 | n=600 | n=3000
@njit
def ising_field(spins, field):
    n = spins.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            field[i, j] = spins[i - 1, j] + spins[i + 1, j] + spins[i, j - 1] + spins[i, j + 1]


# bind: a=f8[n] b=f8[m] D=f8[n,m] | n=60 m=60 | n=700 m=700
@njit
def time_warping(a, b, D):
    n, m = D.shape
    for i in range(1, n):
        for j in range(1, m):
            cost = abs(a[i] - b[j])
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])


# bind: x=f8[n] y=f8[n] | n=400 | n=1500
@njit
def kernel_density(x, y):
    n = x.shape[0]
    for i in range(n):
        s = 0.0
        for j in range(n):
            u = x[i] - x[j]
            s += math.exp(-0.5 * u * u)
        y[i] = s / n


# bind: A=f8[n,m] mean=f8[m] C=f8[m,m] | n=200 m=20 | n=1500 m=80
@njit
def covariance(A, mean, C):
    n, m = A.shape
    for p in range(m):
        for q in range(m):
            s = 0.0
            for i in range(n):
                s += (A[i, p] - mean[p]) * (A[i, q] - mean[q])
            C[p, q] = s / (n - 1)


# bind: c=f8[n] x=f8[m] y=f8[m] | n=12 m=3000 | n=40 m=100000
@njit
def chebyshev(c, x, y):
    for k in range(x.shape[0]):
        b1 = 0.0
        b2 = 0.0
        t = 2.0 * x[k]
        for i in range(c.shape[0]):
            b0 = t * b1 - b2 + c[i]
            b2 = b1
            b1 = b0
        y[k] = b1 - x[k] * b2


# bind: q=f8[n,4] out=f8[n,3] v=f8[n,3] | n=800 | n=200000
@njit
def rotate_quaternions(q, v, out):
    for i in range(q.shape[0]):
        w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        a, b, c = v[i, 0], v[i, 1], v[i, 2]
        tx = 2.0 * (y * c - z * b)
        ty = 2.0 * (z * a - x * c)
        tz = 2.0 * (x * b - y * a)
        out[i, 0] = a + w * tx + (y * tz - z * ty)
        out[i, 1] = b + w * ty + (z * tx - x * tz)
        out[i, 2] = c + w * tz + (x * ty - y * tx)


# bind: img=f4[n,m] out=f4[n,m] | n=60 m=80 | n=900 m=1000
@njit
def local_maximum(img, out):
    n, m = img.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            best = img[i, j]
            for a in range(-1, 2):
                for b in range(-1, 2):
                    best = max(best, img[i + a, j + b])
            out[i, j] = best


# bind: theta=f8[n] r=f8[n] x=f8[n] y=f8[n] | n=2000 | n=400000
@njit
def polar_to_cartesian(theta, r, x, y):
    for i in range(theta.shape[0]):
        x[i] = r[i] * math.cos(theta[i])
        y[i] = r[i] * math.sin(theta[i])


# bind: T=f8[n,n,n] S=f8[n,n,n] | n=24 | n=90 | n=200
@njit
def sum_last_axes(T, S):
    n = T.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                S[i, j, k] = T[i, k, j]


# bind: vol=f8[n] k=f8[n] price=f8[n] | n=1000 | n=100000
@njit
def implied_newton(vol, k, price):
    for i in range(vol.shape[0]):
        s = vol[i]
        for _ in range(5):
            f = s * s * s - k[i] * s - price[i]
            g = 3.0 * s * s - k[i]
            s = s - f / g
        vol[i] = s


# bind: A=f8[n,n] B=f8[n,n] C=f8[n,n] | n=50 | n=300
@njit(fastmath=True)
def symmetric_product(A, B, C):
    n = A.shape[0]
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(n):
                s += A[i, k] * B[j, k]
            C[i, j] = s


# bind: x=f8[n] out=f8[n] | n=2000 | n=1000000
@njit
def second_difference(x, out):
    out[0] = 0.0
    for i in range(1, len(x) - 1):
        out[i] = x[i + 1] - 2 * x[i] + x[i - 1]


# bind: p=f8[n,3] box=10.0 d=f8[n,n] | n=60 | n=600
@njit
def periodic_distances(p, box, d):
    n = p.shape[0]
    for i in range(n):
        for j in range(n):
            r2 = 0.0
            for k in range(3):
                u = p[i, k] - p[j, k]
                u = u - box * round(u / box)
                r2 += u * u
            d[i, j] = math.sqrt(r2)


# bind: a=f8[n,m] | n=100 m=50 | n=1000 m=1000
@njit
def normalise_rows(a):
    for i in range(a.shape[0]):
        t = 0.0
        for j in range(a.shape[1]):
            t += abs(a[i, j])
        for j in range(a.shape[1]):
            a[i, j] /= t


# bind: x=f8[n] w=f8[n] | n=1000 | n=1000000
@njit
def weighted_average_numpy(x, w):
    return np.sum(x * w) / np.sum(w)


# bind: u=f8[n,m] k=f8[n,m] f=f8[n,m] | n=50 m=50 | n=500 m=500 | n=2000 m=2000
@njit
def variable_diffusion(u, k, f):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            kx = 0.5 * (k[i, j] + k[i, j + 1])
            ky = 0.5 * (k[i, j] + k[i + 1, j])
            f[i, j] = kx * (u[i, j + 1] - u[i, j]) + ky * (u[i + 1, j] - u[i, j])


# bind: x=f8[n] idx=i8[n] acc=f8[m] | n=3000 m=100 | n=300000 m=1000
@njit
def group_sums(x, idx, acc):
    for i in range(x.shape[0]):
        acc[idx[i]] += x[i]


# bind: re=f8[n] im=f8[n] tr=f8[n] ti=f8[n] | n=1024 | n=262144
@njit
def butterflies(re, im, tr, ti):
    h = re.shape[0] // 2
    for i in range(h):
        a = tr[i] * re[i + h] - ti[i] * im[i + h]
        b = tr[i] * im[i + h] + ti[i] * re[i + h]
        re[i + h] = re[i] - a
        im[i + h] = im[i] - b
        re[i] = re[i] + a
        im[i] = im[i] + b


# bind: B=f8[n,n] L=f8[n,n] | n=60 | n=400
@njit
def solve_many(L, B):
    n = L.shape[0]
    for i in range(n):
        for k in range(i):
            for j in range(n):
                B[i, j] -= L[i, k] * B[k, j]
        for j in range(n):
            B[i, j] /= L[i, i]


# bind: x=f8[n] m=f8[n] s=f8[n] | n=2000 | n=500000
@njit
def running_moments(x, m, s):
    mu = 0.0
    q = 0.0
    for i in range(x.shape[0]):
        d = x[i] - mu
        mu += d / (i + 1)
        q += d * (x[i] - mu)
        m[i] = mu
        s[i] = q
