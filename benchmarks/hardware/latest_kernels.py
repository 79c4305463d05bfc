"""Kernels that were timed and scored at first sight, after the rules for rows of functions and for tables. As in
``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: x=f8[n] out=f8[n] w=9 | n=3000 | n=300000
@njit
def triangular_window(x, out, w):
    n = x.shape[0]
    for i in range(w, n - w):
        s = 0.0
        for k in range(-w, w + 1):
            s += (w + 1 - abs(k)) * x[i + k]
        out[i] = s / ((w + 1) * (w + 1))


# bind: h=f8[n,m] flow=f8[n,m] k=0.1 | n=60 m=80 | n=700 m=900
@njit
def hillslope(h, flow, k):
    n, m = h.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            down = max(h[i, j] - h[i + 1, j], 0.0) + max(h[i, j] - h[i - 1, j], 0.0)
            side = max(h[i, j] - h[i, j + 1], 0.0) + max(h[i, j] - h[i, j - 1], 0.0)
            flow[i, j] = k * (down + side)


# bind: x=f8[n,3] mass=f8[n] centre=f8[3] | n=1000 | n=400000
@njit
def centre_of_mass(x, mass, centre):
    total = 0.0
    cx = 0.0
    cy = 0.0
    cz = 0.0
    for i in range(mass.shape[0]):
        total += mass[i]
        cx += mass[i] * x[i, 0]
        cy += mass[i] * x[i, 1]
        cz += mass[i] * x[i, 2]
    centre[0] = cx / total
    centre[1] = cy / total
    centre[2] = cz / total


# bind: img=u1[n,m] out=f4[n,m] mean=f4:127.0 std=f4:50.0 | n=64 m=64 | n=1000 m=1000
@njit
def standardise_image(img, out, mean, std):
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = (np.float32(img[i, j]) - mean) / std


# bind: T=f8[n,m] q=f8[n,m] dt=0.1 | n=40 m=40 | n=500 m=600
@njit
def radiate(T, q, dt):
    for i in range(T.shape[0]):
        for j in range(T.shape[1]):
            t = T[i, j]
            T[i, j] = t + dt * (q[i, j] - 5.67e-8 * t * t * t * t)


# bind: S=f8[n] K=f8[n] out=f8[n] r=0.05 | n=1000 | n=100000
@njit
def moneyness(S, K, out, r):
    for i in range(S.shape[0]):
        out[i] = math.log(S[i] / K[i]) + r


# bind: A=f8[n,m] B=f8[m,p] C=f8[n,p] | n=30 m=30 p=30 | n=200 m=250 p=300
@njit
def product_with_row(A, B, C):
    for i in range(A.shape[0]):
        row = C[i]
        row[:] = 0.0
        for k in range(A.shape[1]):
            a = A[i, k]
            for j in range(B.shape[1]):
                row[j] += a * B[k, j]


# bind: x=f8[n] y=f8[n] xq=f8[q] out=f8[q] | n=100 q=1000 | n=1000 q=30000
@njit
def lagrange_weights(x, y, xq, out):
    for i in range(xq.shape[0]):
        num = 0.0
        den = 0.0
        for j in range(x.shape[0]):
            w = 1.0 / (xq[i] - x[j] + 1e-9)
            num += w * y[j]
            den += w
        out[i] = num / den


# bind: u=f8[n,m,p] out=f8[n,m,p] c=0.1 | n=12 m=12 p=12 | n=80 m=90 p=100
@njit
def anisotropic(u, out, c):
    n, m, p = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for k in range(1, p - 1):
                dz = u[i, j, k + 1] - 2.0 * u[i, j, k] + u[i, j, k - 1]
                dy = u[i, j + 1, k] - 2.0 * u[i, j, k] + u[i, j - 1, k]
                dx = u[i + 1, j, k] - 2.0 * u[i, j, k] + u[i - 1, j, k]
                out[i, j, k] = u[i, j, k] + c * (dx + 0.5 * dy + 0.25 * dz)


# bind: close=f8[n] out=f8[n] alpha=0.1 | n=2000 | n=500000
@njit
def relative_strength(close, out, alpha):
    up = 0.0
    down = 0.0
    for i in range(1, close.shape[0]):
        d = close[i] - close[i - 1]
        up = (1.0 - alpha) * up + alpha * max(d, 0.0)
        down = (1.0 - alpha) * down + alpha * max(-d, 0.0)
        out[i] = 100.0 - 100.0 / (1.0 + up / (down + 1e-12))


# bind: points=f8[n,2] poly=f8[k,2] inside=i8[n] | n=500 k=16 | n=20000 k=40
@njit
def signed_distance(points, poly, inside):
    for i in range(points.shape[0]):
        best = -1e30
        for e in range(poly.shape[0]):
            d = points[i, 0] * poly[e, 0] + points[i, 1] * poly[e, 1] - 1.0
            best = max(best, d)
        inside[i] = 1 if best <= 0.0 else 0


# bind: re=f8[n] im=f8[n] mag=f8[n] phase=f8[n] | n=1000 | n=80000
@njit
def polar_form(re, im, mag, phase):
    for i in range(re.shape[0]):
        mag[i] = np.hypot(re[i], im[i])
        phase[i] = np.arctan2(im[i], re[i])


# bind: W=f4[n,m] x=f4[m] b=f4[n] out=f4[n] | n=60 m=60 | n=1000 m=1500
@njit(fastmath=True)
def relu_layer(W, x, b, out):
    for i in range(W.shape[0]):
        s = b[i]
        for j in range(W.shape[1]):
            s += W[i, j] * x[j]
        out[i] = max(s, np.float32(0.0))


# bind: x=f8[n] out=f8[n] | n=4000 | n=600000
@njit
def savitzky_golay(x, out):
    for i in range(2, x.shape[0] - 2):
        out[i] = (-3.0 * x[i - 2] + 12.0 * x[i - 1] + 17.0 * x[i] + 12.0 * x[i + 1] - 3.0 * x[i + 2]) / 35.0


# bind: X=f8[n,d] w=f8[d] y=f8[n] grad=f8[d] | n=200 d=20 | n=20000 d=50
@njit
def logistic_gradient(X, w, y, grad):
    n, d = X.shape
    for j in range(d):
        grad[j] = 0.0
    for i in range(n):
        z = 0.0
        for j in range(d):
            z += X[i, j] * w[j]
        p = 1.0 / (1.0 + math.exp(-z))
        for j in range(d):
            grad[j] += (p - y[i]) * X[i, j]


# bind: psi=c16[n] V=f8[n] out=c16[n] dt=0.01 | n=1000 | n=60000
@njit
def potential_phase(psi, V, out, dt):
    for i in range(psi.shape[0]):
        out[i] = psi[i] * complex(math.cos(V[i] * dt), -math.sin(V[i] * dt))


# bind: D=f8[n,n] | n=60 | n=300
@njit
def floyd_warshall(D):
    n = D.shape[0]
    for k in range(n):
        for i in range(n):
            dik = D[i, k]
            for j in range(n):
                d = dik + D[k, j]
                if d < D[i, j]:
                    D[i, j] = d


# bind: a=f8[n,m] out=f8[m] | n=100 m=100 | n=1200 m=1500
@njit
def column_peak(a, out):
    for j in range(a.shape[1]):
        out[j] = a[0, j]
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            out[j] = max(out[j], a[i, j])


# bind: x=f8[n] y=f8[n] z=f8[n] | n=2500 | n=4000000
@njit
def sum_of_products(x, y, z):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i] * z[i]
    return s


# bind: u=f8[n] v=f8[n] f=0.04 k=0.06 steps=20 | n=500 | n=20000
@njit
def gray_scott_1d(u, v, f, k, steps):
    n = u.shape[0]
    un = np.empty_like(u)
    vn = np.empty_like(v)
    for _t in range(steps):
        for i in range(1, n - 1):
            uvv = u[i] * v[i] * v[i]
            un[i] = u[i] + 0.2 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - uvv + f * (1.0 - u[i])
            vn[i] = v[i] + 0.1 * (v[i - 1] - 2.0 * v[i] + v[i + 1]) + uvv - (f + k) * v[i]
        for i in range(1, n - 1):
            u[i] = un[i]
            v[i] = vn[i]


# bind: a=f8[n] out=f8[m] | n=1000 m=1000 | n=100000 m=100000
@njit
def prefix_energy(a, out):
    e = 0.0
    for i in range(a.shape[0]):
        e += a[i] * a[i]
        out[i] = math.sqrt(e)


# bind: A=f8[n,n] L=f8[n,n] | n=50 | n=300
@njit
def crout(A, L):
    n = A.shape[0]
    for j in range(n):
        for i in range(j, n):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s
        d = math.sqrt(abs(L[j, j]) + 1.0)
        for i in range(j, n):
            L[i, j] /= d


# bind: lat=f8[n] lon=f8[n] out=f8[n] lat0=0.8 lon0=0.1 | n=500 | n=50000
@njit
def bearing(lat, lon, out, lat0, lon0):
    for i in range(lat.shape[0]):
        dlon = lon[i] - lon0
        y = math.sin(dlon) * math.cos(lat[i])
        x = math.cos(lat0) * math.sin(lat[i]) - math.sin(lat0) * math.cos(lat[i]) * math.cos(dlon)
        out[i] = math.atan2(y, x)


# bind: x=f4[n] out=f4[n] | n=8000 | n=8000000
@njit
def float_scale(x, out):
    for i in range(x.shape[0]):
        out[i] = np.float32(2.5) * x[i] + np.float32(1.0)


# bind: vol=f8[n,m,p] out=f8[m,p] | n=20 m=20 p=20 | n=100 m=120 p=140
@njit
def intensity_projection(vol, out):
    n, m, p = vol.shape
    for j in range(m):
        for k in range(p):
            best = vol[0, j, k]
            for i in range(1, n):
                best = max(best, vol[i, j, k])
            out[j, k] = best
