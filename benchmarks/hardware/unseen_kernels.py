"""Kernels of everyday habits, five of integers alone, scored at first sight. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: price=f8[n] out=f8[n] period=14 | n=1000 | n=1000000
@njit
def wilder_average(price, out, period=14):
    acc = 0.0
    for i in range(period):
        acc += price[i]
    out[period - 1] = acc / period
    for i in range(period, price.shape[0]):
        out[i] = (out[i - 1] * (period - 1) + price[i]) / period


# bind: img=u1[h,w] out=u1[h,w] | h=128 w=128 | h=1080 w=1920
@njit
def dilate3(img, out):
    h, w = img.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            m = img[y, x]
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    v = img[y + dy, x + dx]
                    if v > m:
                        m = v
            out[y, x] = m


# bind: u=f8[n,m] v=f8[n,m] p=f8[n,m] dx=0.01 dt=0.001 | n=64 m=64 | n=1000 m=1000
@njit
def divergence(u, v, p, dx, dt):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            p[i, j] = ((u[i, j + 1] - u[i, j - 1]) / (2 * dx) + (v[i + 1, j] - v[i - 1, j]) / (2 * dx)) / dt


# bind: x=f8[n,3] box=10.0 hist=i8[b] | n=300 b=64 | n=3000 b=64
@njit
def pair_histogram(x, box, hist):
    n = x.shape[0]
    nb = hist.shape[0]
    rmax = box / 2
    dr = rmax / nb
    for i in range(n - 1):
        for j in range(i + 1, n):
            d2 = 0.0
            for k in range(3):
                d = x[i, k] - x[j, k]
                d -= box * round(d / box)
                d2 += d * d
            r = math.sqrt(d2)
            if r < rmax:
                hist[int(r / dr)] += 2


# bind: logits=f8[n,c] labels=i8[n] | n=200 c=10 | n=100000 c=10
@njit
def cross_entropy(logits, labels):
    loss = 0.0
    for i in range(logits.shape[0]):
        m = -np.inf
        for j in range(logits.shape[1]):
            m = max(m, logits[i, j])
        s = 0.0
        for j in range(logits.shape[1]):
            s += np.exp(logits[i, j] - m)
        loss -= logits[i, labels[i]] - m - np.log(s)
    return loss / logits.shape[0]


# bind: seq=u1[n] counts=i8[4,4] | n=1000 | n=1000000
@njit
def transitions(seq, counts):
    for i in range(1, seq.shape[0]):
        counts[seq[i - 1], seq[i]] += 1


# bind: w=f4[m,n] x=f4[n] b=f4[m] y=f4[m] | m=64 n=64 | m=2000 n=2000
@njit(fastmath=True)
def dense_relu32(w, x, b, y):
    for i in range(w.shape[0]):
        s = b[i]
        for j in range(w.shape[1]):
            s += w[i, j] * x[j]
        y[i] = s if s > 0 else np.float32(0.0)


# bind: a=f8[n] b=f8[n] out=f8[n] | n=1000 | n=1000000
@njit
def hypotenuse(a, b, out):
    for i in range(len(a)):
        out[i] = math.hypot(a[i], b[i])


# bind: a=f8[n] b=f8[n] out=f8[n] | n=1000 | n=1000000
@njit
def guarded_ratio(a, b, out):
    for i in range(len(a)):
        if b[i] != 0.0:
            out[i] = a[i] / b[i]
        else:
            out[i] = 0.0


# bind: f=f8[q,n,n] rho=f8[n,n] | q=9 n=64 | q=9 n=700
@njit
def density(f, rho):
    for i in range(rho.shape[0]):
        for j in range(rho.shape[1]):
            s = 0.0
            for k in range(f.shape[0]):
                s += f[k, i, j]
            rho[i, j] = s


# bind: pos=f8[n,3] vel=f8[n,3] acc=f8[n,3] dt=0.01 | n=1000 | n=300000
@njit
def verlet(pos, vel, acc, dt):
    for i in range(pos.shape[0]):
        for k in range(3):
            pos[i, k] += vel[i, k] * dt + 0.5 * acc[i, k] * dt * dt
            vel[i, k] += 0.5 * acc[i, k] * dt


# bind: x=f8[n] coef=f8[k] out=f8[n] | n=1000 k=32 | n=200000 k=32
@njit
def fir(x, coef, out):
    for i in range(coef.shape[0] - 1, x.shape[0]):
        s = 0.0
        for j in range(coef.shape[0]):
            s += coef[j] * x[i - j]
        out[i] = s


# bind: grid=i8[n,m] out=i8[n,m] | n=100 m=100 | n=1000 m=1000
@njit
def life(grid, out):
    n, m = grid.shape
    for i in range(n):
        for j in range(m):
            s = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        s += grid[(i + di) % n, (j + dj) % m]
            out[i, j] = 1 if s == 3 or (s == 2 and grid[i, j] == 1) else 0


# bind: a=f8[n,n] b=f8[n] x=f8[n] it=10 | n=60 | n=1000
@njit
def gauss_seidel_dense(a, b, x, it):
    n = len(b)
    for _ in range(it):
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= a[i, j] * x[j]
            x[i] = s / a[i, i]


# bind: t=f8[n] y=f8[n] f=f8[m] p=f8[m] | n=200 m=50 | n=2000 m=200
@njit
def lomb(t, y, f, p):
    for k in range(f.shape[0]):
        c = 0.0
        s = 0.0
        w = 2 * np.pi * f[k]
        for i in range(t.shape[0]):
            c += y[i] * np.cos(w * t[i])
            s += y[i] * np.sin(w * t[i])
        p[k] = (c * c + s * s) / t.shape[0]


# bind: lat=f8[n] lon=f8[n] d=f8[n,n] | n=50 | n=600
@njit
def haversine_all(lat, lon, d):
    n = lat.size
    for i in range(n):
        for j in range(n):
            a = (
                math.sin((lat[j] - lat[i]) / 2) ** 2
                + math.cos(lat[i]) * math.cos(lat[j]) * math.sin((lon[j] - lon[i]) / 2) ** 2
            )
            d[i, j] = 2 * 6371.0 * math.asin(math.sqrt(a))


# bind: x=f8[n] y=f8[n] | n=1000 | n=1000000
@njit
def pearson(x, y):
    n = x.shape[0]
    mx = x.mean()
    my = y.mean()
    sxy = 0.0
    sx = 0.0
    sy = 0.0
    for i in range(n):
        sxy += (x[i] - mx) * (y[i] - my)
        sx += (x[i] - mx) ** 2
        sy += (y[i] - my) ** 2
    return sxy / math.sqrt(sx * sy)


# bind: x=f8[n] q=f8[n] | n=1000 | n=1000000
@njit
def quantise(x, q):
    for i in range(x.shape[0]):
        q[i] = math.floor(x[i] * 255.0 + 0.5) / 255.0


# bind: vol=f8[d,h,w] out=f8[h,w] | d=20 h=30 w=30 | d=100 h=200 w=200
@njit
def maximum_projection(vol, out):
    for k in range(vol.shape[0]):
        for i in range(vol.shape[1]):
            for j in range(vol.shape[2]):
                if vol[k, i, j] > out[i, j]:
                    out[i, j] = vol[k, i, j]


# bind: a=f8[n,n] | n=400
@njit
def lu_inplace(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]


# bind: x=f8[n] edges=f8[b] out=i8[n] | n=1000 b=16 | n=300000 b=16
@njit
def digitise(x, edges, out):
    for i in range(x.shape[0]):
        k = 0
        while k < edges.shape[0] and x[i] >= edges[k]:
            k += 1
        out[i] = k


# bind: s=f8[n] k=100.0 r=0.01 v=0.2 t=1.0 out=f8[n] | n=1000 | n=300000
@njit
def call_price(s, k, r, v, t, out):
    for i in range(s.shape[0]):
        d1 = (math.log(s[i] / k) + (r + 0.5 * v * v) * t) / (v * math.sqrt(t))
        d2 = d1 - v * math.sqrt(t)
        n1 = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
        n2 = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
        out[i] = s[i] * n1 - k * math.exp(-r * t) * n2


# bind: x=f8[n] h=f8[n] out=f8[n] alpha=0.3 beta=0.1 | n=1000 | n=1000000
@njit
def holt(x, h, out, alpha, beta):
    level = x[0]
    trend = 0.0
    for i in range(1, x.shape[0]):
        last = level
        level = alpha * x[i] + (1 - alpha) * (level + trend)
        trend = beta * (level - last) + (1 - beta) * trend
        out[i] = level + trend


# bind: a=c16[n,n] v=c16[n] y=c16[n] | n=40 | n=800
@njit
def complex_matvec(a, v, y):
    for i in range(a.shape[0]):
        s = 0j
        for j in range(a.shape[1]):
            s += a[i, j] * v[j]
        y[i] = s


# bind: u=f8[n,n,n] out=f8[n,n,n] c=0.1 | n=24 | n=150
@njit
def heat3(u, out, c):
    n = u.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                across = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                out[i, j, k] = u[i, j, k] + c * (across + u[i, j, k - 1] + u[i, j, k + 1] - 6.0 * u[i, j, k])


# bind: img=f4[h,w] out=f4[h,w] k=f4[5,5] | h=64 w=64 | h=700 w=700
@njit
def conv5(img, out, k):
    h, w = img.shape
    for i in range(2, h - 2):
        for j in range(2, w - 2):
            acc = np.float32(0.0)
            for a in range(5):
                for b in range(5):
                    acc += img[i + a - 2, j + b - 2] * k[a, b]
            out[i, j] = acc


# bind: x=f8[n] out=f8[n] | n=1000 | n=1000000
@njit
def ewm_volatility(x, out):
    var = 0.0
    for i in range(1, x.shape[0]):
        r = math.log(x[i] / x[i - 1])
        var = 0.94 * var + 0.06 * r * r
        out[i] = math.sqrt(var)


# bind: x=f8[n] y=f8[n] z=f8[n] m=f8[3,3] | n=1000 | n=500000
@njit
def rotate_points(x, y, z, m):
    for i in range(x.size):
        a = m[0, 0] * x[i] + m[0, 1] * y[i] + m[0, 2] * z[i]
        b = m[1, 0] * x[i] + m[1, 1] * y[i] + m[1, 2] * z[i]
        c = m[2, 0] * x[i] + m[2, 1] * y[i] + m[2, 2] * z[i]
        x[i] = a
        y[i] = b
        z[i] = c


# bind: s=f8[n,p] dt=0.01 mu=0.05 sigma=0.2 z=f8[n,p] | n=100 p=50 | n=252 p=10000
@njit
def geometric_paths(s, z, mu, sigma, dt):
    for t in range(1, s.shape[0]):
        for k in range(s.shape[1]):
            s[t, k] = s[t - 1, k] * math.exp((mu - 0.5 * sigma**2) * dt + sigma * math.sqrt(dt) * z[t, k])


# bind: spins=i8[n,n] | n=64 | n=1000
@njit
def ising_energy(spins):
    n = spins.shape[0]
    e = 0
    for i in range(n):
        for j in range(n):
            e -= spins[i, j] * (spins[(i + 1) % n, j] + spins[i, (j + 1) % n])
    return e


# bind: a=f8[n,m] mean=f8[m] std=f8[m] | n=100 m=20 | n=50000 m=20
@njit
def standardise_columns(a, mean, std):
    n, m = a.shape
    for j in range(m):
        s = 0.0
        for i in range(n):
            s += a[i, j]
        mean[j] = s / n
        q = 0.0
        for i in range(n):
            q += (a[i, j] - mean[j]) ** 2
        std[j] = math.sqrt(q / n)
        for i in range(n):
            a[i, j] = (a[i, j] - mean[j]) / std[j]
