"""Kernels of everyday habits, whole ones of integers among them, scored at first sight. As in ``kernels.py``."""

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


# bind: theta=f8[n] omega=f8[n] k=0.5 dt=0.01 out=f8[n] | n=40 | n=800
@njit
def kuramoto(theta, omega, k, dt, out):
    n = theta.shape[0]
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += math.sin(theta[j] - theta[i])
        out[i] = theta[i] + dt * (omega[i] + k / n * s)


# bind: x=f8[n,d] w=f8[d] b=0.1 y=f8[n] p=f8[n] | n=200 d=12 | n=100000 d=12
@njit
def logistic_rows(x, w, b, y, p):
    loss = 0.0
    for i in range(x.shape[0]):
        z = b
        for j in range(x.shape[1]):
            z += x[i, j] * w[j]
        p[i] = 1.0 / (1.0 + math.exp(-z))
        loss += (p[i] - y[i]) ** 2
    return loss


# bind: h=f8[n,m] u=f8[n,m] g=9.81 flux=f8[n,m] | n=80 m=80 | n=900 m=900
@njit
def rusanov(h, u, g, flux):
    n, m = h.shape
    for i in range(n):
        for j in range(m - 1):
            hl = h[i, j]
            hr = h[i, j + 1]
            ul = u[i, j]
            ur = u[i, j + 1]
            c = max(abs(ul) + math.sqrt(g * hl), abs(ur) + math.sqrt(g * hr))
            flux[i, j] = 0.5 * (hl * ul + hr * ur) - 0.5 * c * (hr - hl)


# bind: a=f8[n,n] x=f8[n] y=f8[n] it=20 | n=50 | n=600
@njit
def power_iteration(a, x, y, it):
    n = a.shape[0]
    lam = 0.0
    for _ in range(it):
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += a[i, j] * x[j]
            y[i] = s
        norm = 0.0
        for i in range(n):
            norm += y[i] * y[i]
        lam = math.sqrt(norm)
        for i in range(n):
            x[i] = y[i] / lam
    return lam


# bind: img=f8[h,w] out=f8[h,w] sigma=2.0 | h=40 w=40 | h=200 w=200
@njit
def bilateral(img, out, sigma):
    h, w = img.shape
    r = 2
    for y in range(r, h - r):
        for x in range(r, w - r):
            num = 0.0
            den = 0.0
            c = img[y, x]
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    v = img[y + dy, x + dx]
                    d = v - c
                    k = math.exp(-(d * d) / (2.0 * sigma * sigma))
                    num += k * v
                    den += k
            out[y, x] = num / den


# bind: t=f8[n] r=f8[n] out=f8[n] | n=1000 | n=1000000
@njit
def kahan_total(t, r, out):
    s = 0.0
    c = 0.0
    for i in range(t.shape[0]):
        y = t[i] * r[i] - c
        q = s + y
        c = (q - s) - y
        s = q
        out[i] = s


# bind: u=f8[n] un=f8[n] steps=100 c=0.1 | n=100 | n=20000
@njit
def diffuse_steps(u, un, steps, c):
    n = u.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            un[i] = u[i] + c * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        for i in range(1, n - 1):
            u[i] = un[i]


# bind: a=f4[n,k] b=f4[k,m] c=f4[n,m] | n=40 k=40 m=40 | n=400 k=400 m=400
@njit
def multiply_ikj_f4(a, b, c):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


# bind: x=f8[n] w=f8[n] | n=1000 | n=1000000
@njit
def weighted_mean_std(x, w):
    sw = 0.0
    swx = 0.0
    swxx = 0.0
    for i in range(x.shape[0]):
        sw += w[i]
        swx += w[i] * x[i]
        swxx += w[i] * x[i] * x[i]
    m = swx / sw
    return m, math.sqrt(swxx / sw - m * m)


# bind: high=f8[n] low=f8[n] close=f8[n] atr=f8[n] | n=1000 | n=1000000
@njit
def true_range(high, low, close, atr):
    atr[0] = high[0] - low[0]
    for i in range(1, high.shape[0]):
        tr = max(high[i] - low[i], abs(high[i] - close[i - 1]), abs(low[i] - close[i - 1]))
        atr[i] = (atr[i - 1] * 13.0 + tr) / 14.0


# bind: x=f8[n] lo=0.2 hi=0.8 out=f8[n] | n=1000 | n=1000000
@njit
def winsorize(x, lo, hi, out):
    for i in range(x.shape[0]):
        out[i] = min(max(x[i], lo), hi)


# bind: points=f8[n,3] centre=f8[3] out=f8[n] | n=1000 | n=500000
@njit
def distance_to(points, centre, out):
    for i in range(points.shape[0]):
        s = 0.0
        for k in range(3):
            d = points[i, k] - centre[k]
            s += d * d
        out[i] = math.sqrt(s)


# bind: re=f8[h,w] im=f8[h,w] out=i8[h,w] steps=30 | h=40 w=40 | h=300 w=300
@njit
def julia_fixed(re, im, out, steps):
    for i in range(re.shape[0]):
        for j in range(re.shape[1]):
            a = re[i, j]
            b = im[i, j]
            n = 0
            for _ in range(steps):
                a, b = a * a - b * b + 0.1, 2.0 * a * b + 0.2
            if a * a + b * b < 4.0:
                n = 1
            out[i, j] = n


# bind: a=f8[n,n] | n=60 | n=1000
@njit
def frobenius(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] ** 2
    return np.sqrt(s)


# bind: lower=f8[n] diag=f8[n] upper=f8[n] rhs=f8[n] x=f8[n] | n=1000 | n=300000
@njit
def thomas(lower, diag, upper, rhs, x):
    n = diag.shape[0]
    for i in range(1, n):
        w = lower[i] / diag[i - 1]
        diag[i] -= w * upper[i - 1]
        rhs[i] -= w * rhs[i - 1]
    x[n - 1] = rhs[n - 1] / diag[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = (rhs[i] - upper[i] * x[i + 1]) / diag[i]


# bind: x=f8[n] y=f8[n] xi=f8[m] yi=f8[m] | n=50 m=1000 | n=1000 m=100000
@njit
def interp_uniform(x, y, xi, yi):
    n = x.shape[0]
    x0 = x[0]
    dx = 0.01
    for k in range(xi.shape[0]):
        t = (xi[k] - x0) / dx
        i = int(t)
        if i < 0:
            i = 0
        if i > n - 2:
            i = n - 2
        f = t - i
        yi[k] = (1.0 - f) * y[i] + f * y[i + 1]


# bind: q=f8[n,4] v=f8[n,3] out=f8[n,3] | n=1000 | n=200000
@njit
def quaternion_rotate(q, v, out):
    for i in range(q.shape[0]):
        w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        a, b, c = v[i, 0], v[i, 1], v[i, 2]
        tx = 2.0 * (y * c - z * b)
        ty = 2.0 * (z * a - x * c)
        tz = 2.0 * (x * b - y * a)
        out[i, 0] = a + w * tx + y * tz - z * ty
        out[i, 1] = b + w * ty + z * tx - x * tz
        out[i, 2] = c + w * tz + x * ty - y * tx


# bind: ex=f8[n,m] ey=f8[n,m] hz=f8[n,m] dt=0.5 | n=80 m=80 | n=1000 m=1000
@njit
def fdtd_step(ex, ey, hz, dt):
    n, m = hz.shape
    for i in range(1, n):
        for j in range(m):
            ey[i, j] -= dt * (hz[i, j] - hz[i - 1, j])
    for i in range(n):
        for j in range(1, m):
            ex[i, j] -= dt * (hz[i, j] - hz[i, j - 1])
    for i in range(n - 1):
        for j in range(m - 1):
            hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


# bind: x=f8[n] k=8 out=f8[n] | n=2000 | n=500000
@njit
def rolling_max(x, k, out):
    for i in range(k - 1, x.shape[0]):
        m = x[i]
        for j in range(1, k):
            if x[i - j] > m:
                m = x[i - j]
        out[i] = m


# bind: a=f8[n,n] b=f8[n,n] c=f8[n,n] bs=32 | n=64 | n=512
@njit
def blocked_product(a, b, c, bs):
    n = a.shape[0]
    for ii in range(0, n, bs):
        for kk in range(0, n, bs):
            for jj in range(0, n, bs):
                for i in range(ii, min(ii + bs, n)):
                    for k in range(kk, min(kk + bs, n)):
                        aik = a[i, k]
                        for j in range(jj, min(jj + bs, n)):
                            c[i, j] += aik * b[k, j]


# bind: s=f8[n] out=f8[n] strike=1.0 | n=1000 | n=1000000
@njit
def payoff_mean(s, out, strike):
    total = 0.0
    for i in range(s.shape[0]):
        p = max(s[i] - strike, 0.0)
        out[i] = p
        total += p
    return total / s.shape[0]


# bind: obs=f8[t,s] trans=f8[s,s] alpha=f8[t,s] | t=100 s=5 | t=5000 s=20
@njit
def hmm_forward(obs, trans, alpha):
    n, m = obs.shape
    for t in range(1, n):
        total = 0.0
        for j in range(m):
            acc = 0.0
            for i in range(m):
                acc += alpha[t - 1, i] * trans[i, j]
            alpha[t, j] = acc * obs[t, j]
            total += alpha[t, j]
        for j in range(m):
            alpha[t, j] /= total


# bind: m=f8[n] pos=f8[n,2] acc=f8[n,2] eps=0.01 | n=50 | n=1500
@njit
def gravity2(m, pos, acc, eps):
    n = m.shape[0]
    for i in range(n):
        ax = 0.0
        ay = 0.0
        for j in range(n):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            r2 = dx * dx + dy * dy + eps
            inv = m[j] / (r2 * math.sqrt(r2))
            ax += dx * inv
            ay += dy * inv
        acc[i, 0] = ax
        acc[i, 1] = ay


# bind: a=f8[n,m] out=f8[n,m] | n=50 m=50 | n=1000 m=1000
@njit
def softmax_rows(a, out):
    for i in range(a.shape[0]):
        mx = a[i, 0]
        for j in range(1, a.shape[1]):
            if a[i, j] > mx:
                mx = a[i, j]
        s = 0.0
        for j in range(a.shape[1]):
            e = math.exp(a[i, j] - mx)
            out[i, j] = e
            s += e
        for j in range(a.shape[1]):
            out[i, j] /= s


# bind: a=f8[n,m] | n=100 m=100 | n=1500 m=1500
@njit
def cumsum_columns(a):
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] += a[i - 1, j]


# bind: x=c16[n] out=f8[n] | n=1000 | n=500000
@njit
def spectrum_power(x, out):
    for i in range(x.shape[0]):
        out[i] = x[i].real ** 2 + x[i].imag ** 2


# bind: v=f8[n] i=f8[n] g=f8[n] dt=0.1 | n=1000 | n=300000
@njit
def integrate_and_fire(v, i, g, dt):
    spikes = 0
    for k in range(v.shape[0]):
        v[k] += dt * (-(v[k] + 65.0) + i[k] - g[k] * (v[k] - 10.0)) / 20.0
        if v[k] > -50.0:
            v[k] = -65.0
            spikes += 1
    return spikes
