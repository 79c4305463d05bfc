"""Kernels of everyday habits, with options, guards and integers, scored at first sight. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: x=f8[n] out=f8[n] | n=2000 | n=3000000
@njit
def soft_threshold(x, out, lam=0.5):
    for i in range(x.shape[0]):
        v = abs(x[i]) - lam
        out[i] = math.copysign(v, x[i]) if v > 0.0 else 0.0


# bind: img=u1[h,w] out=u1[h,w] thr=i8[1] | h=256 w=256 | h=1080 w=1920
@njit
def binarise(img, out, thr):
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            out[y, x] = 255 if img[y, x] > thr[0] else 0


# bind: img=u1[h,w] out=i4[h,w] | h=256 w=256 | h=2000 w=2000
@njit
def integral_image(img, out):
    h, w = img.shape
    for y in range(h):
        run = 0
        for x in range(w):
            run += img[y, x]
            out[y, x] = run + (out[y - 1, x] if y > 0 else 0)


# bind: z=f8[h,w] slope=f8[h,w] cell=30.0 | h=100 w=100 | h=1500 w=1500
@njit
def terrain_slope(z, slope, cell):
    h, w = z.shape
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            dzdx = (z[i - 1, j + 1] + 2 * z[i, j + 1] + z[i + 1, j + 1]
                    - z[i - 1, j - 1] - 2 * z[i, j - 1] - z[i + 1, j - 1]) / (8 * cell)  # fmt: skip
            dzdy = (z[i + 1, j - 1] + 2 * z[i + 1, j] + z[i + 1, j + 1]
                    - z[i - 1, j - 1] - 2 * z[i - 1, j] - z[i - 1, j + 1]) / (8 * cell)  # fmt: skip
            slope[i, j] = math.atan(math.sqrt(dzdx * dzdx + dzdy * dzdy))


# bind: x=f8[n] y=f8[n] | n=1000 | n=1000000
@njit
def ols_line(x, y):
    n = x.shape[0]
    sx = sy = sxx = sxy = 0.0
    for i in range(n):
        sx += x[i]
        sy += y[i]
        sxx += x[i] * x[i]
        sxy += x[i] * y[i]
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return slope, (sy - slope * sx) / n


# bind: a=f8[n,n] b=f8[n] | n=60 | n=600
@njit
def gauss_solve(a, b):
    n = a.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= f * a[k, j]
            b[i] -= f * b[k]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= a[i, j] * b[j]
        b[i] = s / a[i, i]


# bind: spins=i1[n,n] | n=64 | n=2000
@njit
def magnetisation_and_energy(spins):
    n = spins.shape[0]
    m = 0
    e = 0
    for i in range(n):
        for j in range(n):
            s = spins[i, j]
            m += s
            e -= s * (spins[(i + 1) % n, j] + spins[i, (j + 1) % n])
    return m, e


# bind: x=f8[n] w=f8[k] out=f8[n] | n=1000 k=9 | n=500000 k=33
@njit
def fir_reflected(x, w, out):
    n = x.shape[0]
    k = w.shape[0]
    half = k // 2
    for i in range(n):
        acc = 0.0
        for j in range(k):
            p = i + j - half
            if p < 0:
                p = -p
            elif p >= n:
                p = 2 * n - 2 - p
            acc += w[j] * x[p]
        out[i] = acc


# bind: pos=f8[n,3] vel=f8[n,3] lo=0.0 hi=1.0 dt=0.01 | n=1000 | n=500000
@njit
def reflect_walls(pos, vel, lo, hi, dt):
    for i in range(pos.shape[0]):
        for d in range(3):
            pos[i, d] += vel[i, d] * dt
            if pos[i, d] < lo:
                pos[i, d] = 2 * lo - pos[i, d]
                vel[i, d] = -vel[i, d]
            elif pos[i, d] > hi:
                pos[i, d] = 2 * hi - pos[i, d]
                vel[i, d] = -vel[i, d]


# bind: p=f8[n] q=f8[n] | n=1000 | n=1000000
@njit
def jensen_shannon(p, q):
    total = 0.0
    for i in range(p.shape[0]):
        m = 0.5 * (p[i] + q[i])
        if p[i] > 0.0:
            total += 0.5 * p[i] * math.log(p[i] / m)
        if q[i] > 0.0:
            total += 0.5 * q[i] * math.log(q[i] / m)
    return total


# bind: u=f8[nx,ny,nz] v=f8[nx,ny,nz] c=0.1 | nx=20 ny=20 nz=20 | nx=128 ny=128 nz=128
@njit
def heat_3d_average(u, v, c):
    nx, ny, nz = u.shape
    for i in range(1, nx - 1):
        for j in range(1, ny - 1):
            for k in range(1, nz - 1):
                total = 0.0
                for d in (-1, 1):
                    total += u[i + d, j, k] + u[i, j + d, k] + u[i, j, k + d]
                v[i, j, k] = u[i, j, k] + c * (total - 6.0 * u[i, j, k])


# bind: X=f8[n,d] w=f8[d] y=f8[n] g=f8[d] | n=500 d=8 | n=20000 d=64
@njit
def hinge_gradient(X, w, y, g):
    n, d = X.shape
    for j in range(d):
        g[j] = 0.0
    for i in range(n):
        s = 0.0
        for j in range(d):
            s += X[i, j] * w[j]
        if y[i] * s < 1.0:
            for j in range(d):
                g[j] -= y[i] * X[i, j]


# bind: a=f8[n] b=f8[n] out=f8[n] | n=2000 | n=2000000
@njit
def normal_cdf_difference(a, b, out):
    for i in range(a.shape[0]):
        out[i] = 0.5 * (math.erf(b[i] / math.sqrt(2.0)) - math.erf(a[i] / math.sqrt(2.0)))


# bind: d=f8[n,n] labels=i8[n] k=8 sums=f8[c] sizes=i8[c] | n=200 c=8 | n=1500 c=8
@njit
def silhouette_rows(d, labels, k, sums, sizes):
    n = d.shape[0]
    total = 0.0
    for i in range(n):
        for c in range(k):
            sums[c] = 0.0
            sizes[c] = 0
        for j in range(n):
            sums[labels[j]] += d[i, j]
            sizes[labels[j]] += 1
        best = np.inf
        for c in range(k):
            if c != labels[i] and sizes[c] > 0:
                best = min(best, sums[c] / sizes[c])
        total += best
    return total / n


# bind: rain=f8[n] store=f8[n] cap=100.0 k=0.1 | n=1000 | n=1000000
@njit
def bucket_model(rain, store, cap, k):
    s = 0.0
    spilled = 0.0
    for t in range(rain.shape[0]):
        s += rain[t]
        if s > cap:
            spilled += s - cap
            s = cap
        q = k * s
        s -= q
        store[t] = s
    return spilled


# bind: a=i8[n] b=i8[n] out=i8[n] | n=2000 | n=2000000
@njit
def gray_codes(a, b, out):
    for i in range(a.shape[0]):
        g = a[i] ^ (a[i] >> 1)
        out[i] = (g & 255) * 3 + (b[i] | 1)


# bind: seq=u1[n] counts=i8[s] | n=5000 s=4 | n=5000000 s=4
@njit
def base_counts(seq, counts):
    for i in range(seq.shape[0]):
        c = seq[i]
        if c == 65:
            counts[0] += 1
        elif c == 67:
            counts[1] += 1
        elif c == 71:
            counts[2] += 1
        else:
            counts[3] += 1


# bind: x=f8[n] y=f8[n] z=f8[n] r=f8[n] th=f8[n] ph=f8[n] | n=1000 | n=1000000
@njit
def to_spherical(x, y, z, r, th, ph):
    for i in range(x.shape[0]):
        r[i] = math.sqrt(x[i] ** 2 + y[i] ** 2 + z[i] ** 2)
        th[i] = math.acos(z[i] / r[i]) if r[i] > 0.0 else 0.0
        ph[i] = math.atan2(y[i], x[i])


# bind: f=f8[n] out=f8[n] dx=0.1 | n=2000 | n=4000000
@njit
def fourth_order_derivative(f, out, dx):
    n = f.shape[0]
    out[0] = (f[1] - f[0]) / dx
    out[1] = (f[2] - f[0]) / (2 * dx)
    for i in range(2, n - 2):
        out[i] = (f[i - 2] - 8 * f[i - 1] + 8 * f[i + 1] - f[i + 2]) / (12 * dx)
    out[n - 2] = (f[n - 1] - f[n - 3]) / (2 * dx)
    out[n - 1] = (f[n - 1] - f[n - 2]) / dx
