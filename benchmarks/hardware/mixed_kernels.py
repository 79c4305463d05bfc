"""Kernels of many fields, scored at first sight: options, helpers, windows and statements. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: a=f8[n] b=f8[n] out=f8[n] | n=3000 | n=2000000
@njit
def blend_modes(a, b, out, mode=1, alpha=0.3):
    for i in range(a.size):
        if mode == 0:
            out[i] = a[i] * b[i]
        elif mode == 1:
            out[i] = (1.0 - alpha) * a[i] + alpha * b[i]
        else:
            out[i] = max(a[i], b[i])


# bind: u=f8[n] v=f8[n] | n=1000 | n=1000000
@njit
def periodic_advection(u, v, c=0.4):
    n = u.shape[0]
    for i in range(n):
        left = i - 1 if i > 0 else n - 1
        right = i + 1 if i < n - 1 else 0
        v[i] = u[i] - 0.5 * c * (u[right] - u[left])


# bind: x=f8[n] out=f8[n] w=20 | n=2000 | n=200000
@njit
def rolling_spread(x, out, w):
    for i in range(x.size - w + 1):
        out[i] = x[i : i + w].std()


# bind: x=f8[n] out=f8[n] w=32 | n=2000 | n=200000
@njit
def rolling_range(x, out, w):
    for i in range(x.size - w + 1):
        part = x[i : i + w]
        out[i] = part.max() - part.min()


# bind: pts=f8[n,3] q=f8[m,3] out=f8[m] | n=500 m=200 | n=20000 m=200
@njit
def nearest_distance(pts, q, out):
    for j in range(q.shape[0]):
        best = np.inf
        for i in range(pts.shape[0]):
            dx = pts[i, 0] - q[j, 0]
            dy = pts[i, 1] - q[j, 1]
            dz = pts[i, 2] - q[j, 2]
            d = dx * dx + dy * dy + dz * dz
            if d < best:
                best = d
        out[j] = math.sqrt(best)


# bind: rgb=f4[h,w,3] out=f4[h,w] | h=100 w=100 | h=1000 w=1000
@njit
def luminance(rgb, out):
    for y in range(rgb.shape[0]):
        for x in range(rgb.shape[1]):
            out[y, x] = 0.2126 * rgb[y, x, 0] + 0.7152 * rgb[y, x, 1] + 0.0722 * rgb[y, x, 2]


# bind: img=f8[h,w] k=f8[5,5] out=f8[h,w] | h=80 w=80 | h=600 w=600
@njit
def convolve_clamped(img, k, out):
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            acc = 0.0
            for dy in range(-2, 3):
                yy = min(max(y + dy, 0), h - 1)
                for dx in range(-2, 3):
                    xx = min(max(x + dx, 0), w - 1)
                    acc += img[yy, xx] * k[dy + 2, dx + 2]
            out[y, x] = acc


@njit
def _limiter(a, b):
    if a * b <= 0.0:
        return 0.0
    return a if abs(a) < abs(b) else b


# bind: q=f8[n] flux=f8[n] | n=2000 | n=1000000
@njit
def muscl_flux(q, flux, speed=1.0):
    for i in range(2, q.size - 1):
        slope = _limiter(q[i] - q[i - 1], q[i - 1] - q[i - 2])
        flux[i] = speed * (q[i - 1] + 0.5 * slope)


# bind: T=f8[n,n] p=f8[n] out=f8[n] | n=200 | n=2000
@njit
def pagerank_step(T, p, out, d=0.85):
    n = p.size
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += T[i, j] * p[j]
        out[i] = (1.0 - d) / n + d * s


# bind: x=f8[n] y=f8[n] | n=3000 | n=3000000
@njit
def rms_error(x, y):
    s = 0.0
    for i in range(len(x)):
        e = x[i] - y[i]
        s += e * e
    return math.sqrt(s / len(x))


# bind: a=f8[n] b=f8[n] c=f8[n] | n=5000 | n=2000000
@njit
def fused_statement(a, b, c):
    c[:] = np.sqrt(a * a + b * b) / (1.0 + np.abs(a))


# bind: a=f8[m,n] | m=200 n=200 | m=2000 n=2000
@njit
def row_normalise_max(a):
    for i in range(a.shape[0]):
        top = a[i].max()
        for j in range(a.shape[1]):
            a[i, j] /= top


# bind: a=f8[m,n] mu=f8[n] | m=300 n=100 | m=4000 n=500
@njit
def mean_of_columns_loop(a, mu):
    m, n = a.shape
    for j in range(n):
        s = 0.0
        for i in range(m):
            s += a[i, j]
        mu[j] = s / m


# bind: x=f8[n] f=f8[k] out=f8[n] | n=1000 k=33 | n=200000 k=33
@njit
def fir_valid(x, f, out):
    k = f.size
    for i in range(x.size - k + 1):
        s = 0.0
        for j in range(k):
            s += x[i + j] * f[k - 1 - j]
        out[i] = s


# bind: g=f8[n,n] t=3 | n=100 | n=1000
@njit
def sandpile_average(g, t):
    n = g.shape[0]
    new = np.zeros_like(g)
    for _ in range(t):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                new[i, j] = 0.2 * (g[i, j] + g[i - 1, j] + g[i + 1, j] + g[i, j - 1] + g[i, j + 1])
        g, new = new, g
    return g


# bind: x=f8[n,2] v=f8[n,2] dt=0.01 size=10.0 | n=1000 | n=500000
@njit
def walls(x, v, dt, size):
    for i in range(x.shape[0]):
        for d in range(2):
            x[i, d] += v[i, d] * dt
            if x[i, d] < 0.0:
                x[i, d] = -x[i, d]
                v[i, d] = -v[i, d]
            elif x[i, d] > size:
                x[i, d] = 2.0 * size - x[i, d]
                v[i, d] = -v[i, d]


# bind: y=f8[n] alpha=0.2 beta=0.1 out=f8[n] | n=2000 | n=1000000
@njit
def double_exponential(y, alpha, beta, out):
    level, trend = y[0], y[1] - y[0]
    for i in range(1, y.size):
        last = level
        level = alpha * y[i] + (1.0 - alpha) * (level + trend)
        trend = beta * (level - last) + (1.0 - beta) * trend
        out[i] = level + trend


# bind: z=f8[n] out=f8[n] | n=2000 | n=1000000
@njit
def swish(z, out):
    for i in range(z.shape[0]):
        out[i] = z[i] / (1.0 + np.exp(-z[i]))


# bind: s=f8[n] out=f8[n] r=0.02 vol=0.3 t=0.5 | n=1000 | n=300000
@njit
def vega(s, out, r, vol, t, k=100.0):
    root = math.sqrt(t)
    for i in range(s.size):
        d1 = (math.log(s[i] / k) + (r + 0.5 * vol * vol) * t) / (vol * root)
        out[i] = s[i] * root * math.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi)


# bind: a=f8[n,n] b=f8[n,n] c=f8[n,n] | n=60 | n=300
@njit
def product_with_helper(a, b, c):
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            c[i, j] = _row_dot(a[i], b[j])


@njit
def _row_dot(x, y):
    s = 0.0
    for k in range(x.size):
        s += x[k] * y[k]
    return s


# bind: x=f4[n] out=u1[n] lo=0.0 hi=1.0 | n=4000 | n=2000000
@njit
def to_bytes(x, out, lo, hi):
    scale = 255.0 / (hi - lo)
    for i in range(x.size):
        v = (x[i] - lo) * scale
        if v < 0.0:
            v = 0.0
        elif v > 255.0:
            v = 255.0
        out[i] = np.uint8(v)


# bind: lat=f8[n] lon=f8[n] out=f8[n] | n=1000 | n=200000
@njit
def distance_to_home(lat, lon, out, lat0=0.8, lon0=0.1):
    for i in range(lat.size):
        a = math.sin(0.5 * (lat[i] - lat0)) ** 2
        a += math.cos(lat0) * math.cos(lat[i]) * math.sin(0.5 * (lon[i] - lon0)) ** 2
        out[i] = 12742.0 * math.asin(min(1.0, math.sqrt(a)))


# bind: p=f8[n] | n=5000 | n=2000000
@njit
def entropy(p):
    h = 0.0
    for v in p:
        if v > 0.0:
            h -= v * math.log(v)
    return h


# bind: a=f8[n] b=f8[n] | n=5000 | n=3000000
@njit
def cosine_similarity(a, b):
    ab = aa = bb = 0.0
    for i in range(a.shape[0]):
        ab += a[i] * b[i]
        aa += a[i] * a[i]
        bb += b[i] * b[i]
    return ab / math.sqrt(aa * bb)


# bind: t=f8[n] out=f8[n] | n=2000 | n=1000000
@njit
def saturation_pressure(t, out):
    for i, ti in enumerate(t):
        out[i] = 611.2 * np.exp(17.67 * ti / (ti + 243.5))


# bind: e=f8[n,n,n] h=f8[n,n,n] c=0.5 | n=30 | n=160
@njit
def curl_update(e, h, c):
    nx, ny, nz = e.shape
    for i in range(nx - 1):
        for j in range(ny - 1):
            for k in range(nz):
                e[i, j, k] += c * ((h[i + 1, j, k] - h[i, j, k]) - (h[i, j + 1, k] - h[i, j, k]))


# bind: x=f8[n] | n=3000 | n=2000000
@njit
def crossings(x):
    count = 0
    for i in range(1, x.size):
        if (x[i - 1] < 0.5) != (x[i] < 0.5):
            count += 1
    return count


# bind: prices=f8[n] fast=f8[n] slow=f8[n] out=f8[n] | n=3000 | n=1000000
@njit
def crossover_signal(prices, fast, slow, out):
    for i in range(prices.size):
        if fast[i] > slow[i]:
            out[i] = 1.0
        elif fast[i] < slow[i]:
            out[i] = -1.0
        else:
            out[i] = 0.0


# bind: m=f8[n,4,4] v=f8[n,4] out=f8[n,4] | n=500 | n=100000
@njit
def transform_batch(m, v, out):
    for i in range(v.shape[0]):
        for r in range(4):
            s = 0.0
            for c in range(4):
                s += m[i, r, c] * v[i, c]
            out[i, r] = s


# bind: m=f8[n,3,3] out=f8[n] | n=500 | n=200000
@njit
def determinants(m, out):
    for i in range(m.shape[0]):
        a = m[i]
        out[i] = (
            a[0, 0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1])
            - a[0, 1] * (a[1, 0] * a[2, 2] - a[1, 2] * a[2, 0])
            + a[0, 2] * (a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0])
        )


# bind: a=f8[m,n] out=f8[m,n] | m=200 n=200 | m=2000 n=2000
@njit
def column_cumulative(a, out):
    m, n = a.shape
    for j in range(n):
        out[0, j] = a[0, j]
    for i in range(1, m):
        for j in range(n):
            out[i, j] = out[i - 1, j] + a[i, j]


# bind: f=f8[n,n] u=f8[n,n] | n=100 | n=1000
@njit
def red_black(f, u, omega=1.5):
    n = u.shape[0]
    for colour in range(2):
        for i in range(1, n - 1):
            for j in range(1 + (i + colour) % 2, n - 1, 2):
                r = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
                u[i, j] = (1.0 - omega) * u[i, j] + omega * r


# bind: x=c16[n] out=f8[n] | n=2000 | n=1000000
@njit
def power_db(x, out):
    for i in range(x.size):
        p = x[i].real * x[i].real + x[i].imag * x[i].imag
        out[i] = 10.0 * math.log10(p + 1e-12)


# bind: w=f8[n] g=f8[n] m=f8[n] lr=0.01 | n=3000 | n=2000000
@njit
def momentum_step(w, g, m, lr, mu=0.9):
    for i in range(w.size):
        m[i] = mu * m[i] + g[i]
        w[i] -= lr * m[i]


# bind: x=f8[n,k] c=f8[m,k] d=f8[n,m] | n=300 k=16 m=8 | n=30000 k=16 m=8
@njit
def squared_distances(x, c, d):
    for i in range(x.shape[0]):
        for j in range(c.shape[0]):
            s = 0.0
            for k in range(x.shape[1]):
                t = x[i, k] - c[j, k]
                s += t * t
            d[i, j] = s


# bind: a=f8[n] | n=3000 | n=2000000
@njit
def centred_power(a):
    m = a.mean()
    return np.sum((a - m) ** 2) / (a.size - 1)


# bind: img=f8[h,w] out=f8[h,w] | h=128 w=128 | h=1024 w=1024
@njit
def half_size_average(img, out):
    h, w = img.shape
    for y in range(h // 2):
        for x in range(w // 2):
            out[y, x] = 0.25 * (
                img[2 * y, 2 * x] + img[2 * y, 2 * x + 1] + img[2 * y + 1, 2 * x] + img[2 * y + 1, 2 * x + 1]
            )


# bind: a=f8[n] out=f8[n] | n=2000 | n=1000000
@njit
def sign_power(a, out, p=1.5):
    for i in range(a.size):
        v = a[i]
        out[i] = math.copysign(abs(v) ** p, v)


# bind: obs=f8[n] a=f8[s,s] b=f8[s] v=f8[n,s] | n=200 s=16 | n=20000 s=16
@njit
def viterbi(obs, a, b, v):
    for t in range(1, obs.size):
        for j in range(b.size):
            best = -1e300
            for i in range(b.size):
                c = v[t - 1, i] + a[i, j]
                if c > best:
                    best = c
            v[t, j] = best + b[j] * obs[t]


# bind: m=f8[n,n] | n=100 | n=1500
@njit
def trace_and_frobenius(m):
    tr = 0.0
    fro = 0.0
    for i in range(m.shape[0]):
        tr += m[i, i]
        for j in range(m.shape[1]):
            fro += m[i, j] ** 2
    return tr, math.sqrt(fro)
