"""Kernels of everyday habits, scored at first sight before the rules for statements on rows. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: x=f8[n] out=f8[n] window=5 | n=2000 | n=1000000
@njit
def smooth_slices(x, out, window):
    n = x.shape[0]
    for i in range(n):
        lo = max(0, i - window // 2)
        hi = min(n, i + window // 2 + 1)
        out[i] = x[lo:hi].mean()


# bind: x=f8[n] y=f8[n] h=i8[b,b] lo=0.0 hi=1.0 | n=3000 b=32 | n=1000000 b=64
@njit
def hist2d(x, y, h, lo, hi):
    bins = h.shape[0]
    sc = bins / (hi - lo)
    for k in range(x.shape[0]):
        i = int((x[k] - lo) * sc)
        j = int((y[k] - lo) * sc)
        if 0 <= i < bins and 0 <= j < bins:
            h[i, j] += 1


# bind: img=f8[h,w] out=f8[h,w] | h=64 w=64 | h=1000 w=1000
@njit
def sobel_loops(img, out):
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            gx = 0.0
            gy = 0.0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    yy = min(max(y + dy, 0), h - 1)
                    xx = min(max(x + dx, 0), w - 1)
                    v = img[yy, xx]
                    gx += v * dx * (2 - abs(dy))
                    gy += v * dy * (2 - abs(dx))
            out[y, x] = math.sqrt(gx * gx + gy * gy)


# bind: x=f8[n] | n=1000 | n=1000000
@njit
def running_std(x):
    mean = 0.0
    m2 = 0.0
    for i in range(x.shape[0]):
        d = x[i] - mean
        mean += d / (i + 1)
        m2 += d * (x[i] - mean)
    return math.sqrt(m2 / x.shape[0])


# bind: img=u1[h,w,3] out=u1[h,w] | h=100 w=100 | h=1080 w=1920
@njit
def gray_bytes(img, out):
    h, w = img.shape[:2]
    for i in range(h):
        for j in range(w):
            out[i, j] = np.uint8(0.299 * img[i, j, 0] + 0.587 * img[i, j, 1] + 0.114 * img[i, j, 2])


# bind: a=f8[n] b=f8[n] out=f8[n] | n=1000 | n=1000000
@njit
def clip_scale(a, b, out):
    for i in range(a.shape[0]):
        v = a[i] * 2.0 - b[i]
        if v < 0.0:
            v = 0.0
        elif v > 1.0:
            v = 1.0
        out[i] = v


# bind: X=f8[n,d] w=f8[d] b=0.5 out=f8[n] | n=200 d=20 | n=100000 d=30
@njit
def predict_logistic(X, w, b, out):
    for i in range(X.shape[0]):
        z = b
        for k in range(X.shape[1]):
            z += X[i, k] * w[k]
        out[i] = 1.0 / (1.0 + math.exp(-z))


# bind: pos=f8[n,2] vel=f8[n,2] dt=0.01 | n=1000 | n=500000
@njit
def bounce(pos, vel, dt):
    for i in range(pos.shape[0]):
        for d in range(2):
            pos[i, d] += vel[i, d] * dt
            if pos[i, d] < 0.0:
                pos[i, d] = -pos[i, d]
                vel[i, d] = -vel[i, d]
            elif pos[i, d] > 1.0:
                pos[i, d] = 2.0 - pos[i, d]
                vel[i, d] = -vel[i, d]


# bind: a=f8[n] out=f8[n] | n=1000 | n=1000000
@njit
def cumulative(a, out):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i]
        out[i] = s


# bind: z=c16[n] w=c16[n] | n=1000 | n=500000
@njit
def complex_phase(z, w):
    for i in range(z.shape[0]):
        w[i] = z[i] * np.exp(1j * z[i].real)


# bind: A=f8[n,n] x=f8[n] | n=60 | n=1500
@njit
def back_substitution(A, x):
    n = A.shape[0]
    for i in range(n - 1, -1, -1):
        s = x[i]
        for j in range(i + 1, n):
            s -= A[i, j] * x[j]
        x[i] = s / A[i, i]


# bind: u=f8[n,n] c=0.1 steps=10 | n=50 | n=600
@njit
def heat_copy(u, c, steps):
    n = u.shape[0]
    for _ in range(steps):
        un = u.copy()
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = un[i, j] + c * (un[i + 1, j] + un[i - 1, j] + un[i, j + 1] + un[i, j - 1] - 4.0 * un[i, j])


# bind: x=f8[n] y=f8[n] out=f8[m] grid=f8[m] h=0.1 | n=100 m=100 | n=1000 m=2000
@njit
def kernel_density(x, y, grid, out, h):
    for j in range(grid.shape[0]):
        s = 0.0
        for i in range(x.shape[0]):
            t = (grid[j] - x[i]) / h
            s += y[i] * math.exp(-0.5 * t * t)
        out[j] = s


# bind: x=f8[n,d] y=f8[m,d] out=f8[n,m] | n=50 m=50 d=3 | n=1000 m=1000 d=3
@njit
def distances3(x, y, out):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s = 0.0
            for k in range(x.shape[1]):
                s += (x[i, k] - y[j, k]) ** 2
            out[i, j] = np.sqrt(s)


# bind: a=f8[n] b=f8[n] out=f8[n] | n=1000 | n=1000000
@njit
def array_line(a, b, out):
    out[:] = np.where(a > b, a - b, 0.5 * (a + b))


# bind: a=f8[n,m] | n=50 m=50 | n=1000 m=1000
@njit
def normalise_rows(a):
    for i in range(a.shape[0]):
        a[i] /= np.sqrt(np.sum(a[i] ** 2))


# bind: x=f8[n] k=f8[w] out=f8[n] | n=2000 w=7 | n=300000 w=25
@njit
def convolve_same(x, k, out):
    n, w = x.shape[0], k.shape[0]
    half = w // 2
    for i in range(n):
        s = 0.0
        for j in range(w):
            q = i + j - half
            if 0 <= q < n:
                s += x[q] * k[j]
        out[i] = s


# bind: price=f8[n] out=f8[n] period=14 | n=2000 | n=500000
@njit
def rsi(price, out, period):
    n = price.shape[0]
    up = 0.0
    down = 0.0
    for i in range(1, n):
        d = price[i] - price[i - 1]
        gain = d if d > 0 else 0.0
        loss = -d if d < 0 else 0.0
        up = (up * (period - 1) + gain) / period
        down = (down * (period - 1) + loss) / period
        out[i] = 100.0 - 100.0 / (1.0 + up / (down + 1e-12))


# bind: u=f8[n,n] v=f8[n,n] | n=64 | n=1000
@njit
def periodic_laplace(u, v):
    n, m = u.shape
    for i in range(n):
        for j in range(m):
            v[i, j] = u[(i + 1) % n, j] + u[(i - 1) % n, j] + u[i, (j + 1) % m] + u[i, (j - 1) % m] - 4 * u[i, j]


# bind: x=f8[n] window=20 | n=2000 | n=500000
@njit
def zscores(x, window=20):
    n = x.shape[0]
    out = np.zeros(n)
    for i in range(window, n):
        m = 0.0
        for k in range(i - window, i):
            m += x[k]
        m /= window
        v = 0.0
        for k in range(i - window, i):
            v += (x[k] - m) ** 2
        out[i] = (x[i] - m) / math.sqrt(v / window + 1e-12)
    return out


# bind: X=f8[n,d] C=f8[k,d] labels=i8[n] | n=500 d=8 k=5 | n=50000 d=16 k=10
@njit
def nearest(X, C, labels):
    for i in range(X.shape[0]):
        best = 1e300
        for c in range(C.shape[0]):
            d = 0.0
            for j in range(X.shape[1]):
                t = X[i, j] - C[c, j]
                d += t * t
            if d < best:
                best = d
                labels[i] = c


# bind: a=f8[n] | n=1000 | n=500000
@njit
def normalised(a):
    lo = a.min()
    hi = a.max()
    return (a - lo) / (hi - lo)


# bind: img=u1[h,w] | h=100 w=120 | h=1000 w=1200
@njit
def box_blur(img):
    h, w = img.shape
    out = np.zeros((h, w), np.uint8)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            s = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    s += img[y + dy, x + dx]
            out[y, x] = s // 9
    return out


# bind: img=u1[h,w] hist=i8[256] | h=100 w=120 | h=1000 w=1200
@njit
def histogram_bytes(img, hist):
    for y in range(img.shape[0]):
        for x in range(img.shape[1]):
            hist[img[y, x]] += 1


# bind: pos=f8[n,3] force=f8[n,3] | n=50 | n=800
@njit
def lennard_jones(pos, force):
    n = pos.shape[0]
    e = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            dx = pos[i, 0] - pos[j, 0]
            dy = pos[i, 1] - pos[j, 1]
            dz = pos[i, 2] - pos[j, 2]
            r2 = dx * dx + dy * dy + dz * dz + 0.01
            s = 1.0 / (r2 * r2 * r2)
            e += 4.0 * s * (s - 1.0)
            g = 24.0 * s * (2.0 * s - 1.0) / r2
            force[i, 0] += g * dx
            force[i, 1] += g * dy
            force[i, 2] += g * dz
            force[j, 0] -= g * dx
            force[j, 1] -= g * dy
            force[j, 2] -= g * dz
    return e


# bind: x=f8[n] y=f8[n] | n=1000 | n=500000
@njit
def trapezoid(x, y):
    s = 0.0
    for i in range(1, x.shape[0]):
        s += 0.5 * (x[i] - x[i - 1]) * (y[i] + y[i - 1])
    return s


# bind: A=f8[n,m] | n=60 m=40 | n=1500 m=1000
@njit
def column_means(A):
    n, m = A.shape
    out = np.zeros(m)
    for i in range(n):
        for j in range(m):
            out[j] += A[i, j]
    return out / n


# bind: A=f8[n,n] b=f8[n] x=f8[n] xn=f8[n] iters=5 | n=60 | n=1000
@njit
def jacobi_solve(A, b, x, xn, iters):
    n = A.shape[0]
    for _ in range(iters):
        for i in range(n):
            s = 0.0
            for j in range(n):
                if j != i:
                    s += A[i, j] * x[j]
            xn[i] = (b[i] - s) / A[i, i]
        for i in range(n):
            x[i] = xn[i]


# bind: S=f8[n] K=f8[n] T=f8[n] out=f8[n] r=0.03 sigma=0.2 | n=500 | n=100000
@njit
def black_scholes(S, K, T, out, r, sigma):
    for i in range(S.shape[0]):
        sq = math.sqrt(T[i])
        d1 = (math.log(S[i] / K[i]) + (r + 0.5 * sigma * sigma) * T[i]) / (sigma * sq)
        d2 = d1 - sigma * sq
        n1 = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
        n2 = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
        out[i] = S[i] * n1 - K[i] * math.exp(-r * T[i]) * n2


# bind: a=i8[n] b=i8[m] prev=i8[m+1] cur=i8[m+1] | n=60 m=60 | n=1000 m=1000
@njit
def lcs(a, b, prev, cur):
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            if a[i] == b[j]:
                cur[j + 1] = prev[j] + 1
            else:
                cur[j + 1] = max(prev[j + 1], cur[j])
        for j in range(b.shape[0] + 1):
            prev[j] = cur[j]


# bind: u=f8[n,n] | n=64 | n=700
@njit
def gradient_norm(u):
    gx = u[1:-1, 2:] - u[1:-1, :-2]
    gy = u[2:, 1:-1] - u[:-2, 1:-1]
    return np.sqrt(gx**2 + gy**2)


# bind: w=f8[n] x=f8[n] y=f8[n] | n=1000 | n=1000000
@njit
def weighted_moments(w, x, y):
    sw = 0.0
    sx = 0.0
    sxy = 0.0
    for i in range(w.shape[0]):
        sw += w[i]
        sx += w[i] * x[i]
        sxy += w[i] * x[i] * y[i]
    return sx / sw, sxy / sw


# bind: A=f8[n,n] | n=40 | n=500
@njit
def floyd(A):
    n = A.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d = A[i, k] + A[k, j]
                if d < A[i, j]:
                    A[i, j] = d


# bind: re=f8[n] im=f8[n] c=f8 | n=1000 | n=300000
@njit
def phase_rotate(re, im, c):
    for i in range(re.shape[0]):
        t = c * i
        cs = math.cos(t)
        sn = math.sin(t)
        a = re[i]
        re[i] = a * cs - im[i] * sn
        im[i] = a * sn + im[i] * cs
