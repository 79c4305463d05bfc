"""Kernels of floating-point numbers, scored at first sight by the same model as ``unseen_kernels.py``. As in
``kernels.py``."""

import math

import numpy as np
from numba import njit


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
