"""Loops of textbooks and columns of rows that are a power of two long. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: A=f8[n,n] B=f8[n,n] tmp=f8[n,n] D=f8[n,n] alpha=1.5 beta=1.2 | n=60 | n=300
@njit
def two_mm(A, B, tmp, D, alpha, beta):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            tmp[i, j] = 0.0
            for k in range(n):
                tmp[i, j] += alpha * A[i, k] * B[k, j]
    for i in range(n):
        for j in range(n):
            D[i, j] *= beta
            for k in range(n):
                D[i, j] += tmp[i, k] * A[k, j]


# bind: A=f8[n,n] u1=f8[n] v1=f8[n] x=f8[n] y=f8[n] w=f8[n] | n=100 | n=1200
@njit
def gemver(A, u1, v1, x, y, w):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] + u1[i] * v1[j]
    for i in range(n):
        for j in range(n):
            x[i] = x[i] + 1.2 * A[j, i] * y[j]
    for i in range(n):
        for j in range(n):
            w[i] = w[i] + 1.5 * A[i, j] * x[j]


# bind: A=f8[n,n] B=f8[n,n] C=f8[n,n] alpha=1.5 beta=1.2 | n=80 | n=300
@njit
def symm(A, B, C, alpha, beta):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            t = 0.0
            for k in range(i):
                C[k, j] += alpha * B[i, j] * A[i, k]
                t += B[k, j] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * B[i, j] * A[i, i] + alpha * t


# bind: A=f8[n,n] B=f8[n,n] C=f8[n,n] alpha=1.5 | n=80 | n=400
@njit
def syr2k(A, B, C, alpha):
    n = A.shape[0]
    for i in range(n):
        for k in range(n):
            for j in range(i + 1):
                C[i, j] += A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k]


# bind: u=f8[n,n] v=f8[n,n] p=f8[n,n] q=f8[n,n] | n=100 | n=1000
@njit
def adi_column_sweep(u, v, p, q):
    n = u.shape[0]
    a, b, c, d, f = -0.3, 1.6, -0.3, -0.2, 1.4
    for i in range(1, n - 1):
        v[0, i] = 1.0
        p[i, 0] = 0.0
        q[i, 0] = v[0, i]
        for j in range(1, n - 1):
            p[i, j] = -c / (a * p[i, j - 1] + b)
            q[i, j] = (-d * u[j, i - 1] + f * u[j, i] - d * u[j, i + 1] - a * q[i, j - 1]) / (a * p[i, j - 1] + b)
        v[n - 1, i] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]


# bind: ex=f8[n,n] ey=f8[n,n] hz=f8[n,n] | n=100 | n=1000
@njit
def fdtd_2d(ex, ey, hz):
    n, m = hz.shape
    for i in range(1, n):
        for j in range(m):
            ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
    for i in range(n):
        for j in range(1, m):
            ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
    for i in range(n - 1):
        for j in range(m - 1):
            hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


# bind: A=f8[r,q,s] C4=f8[s,s] total=f8[s] | r=20 q=20 s=30 | r=60 q=50 s=80
@njit
def doitgen(A, C4, total):
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            for p in range(A.shape[2]):
                total[p] = 0.0
                for s in range(A.shape[2]):
                    total[p] += A[r, q, s] * C4[s, p]
            for p in range(A.shape[2]):
                A[r, q, p] = total[p]


# bind: A=f8[n,n] B=f8[n,n] | n=90 | n=1100
@njit
def trisolv_rows(A, B):
    n = A.shape[0]
    for i in range(n):
        for k in range(i):
            f = A[i, k]
            for j in range(40):
                B[i, j] -= f * B[k, j]
        for j in range(40):
            B[i, j] /= A[i, i]


# bind: x=f8[n] w=f8[9] y=f8[n] | n=2000 | n=500000
@njit
def fir9(x, w, y):
    for i in range(y.size - 8):
        acc = 0.0
        for k in range(9):
            acc += w[k] * x[i + k]
        y[i] = acc


# bind: pos=f8[n,3] out=f8[n] cx=0.1 cy=0.2 cz=0.3 | n=1000 | n=1000000
@njit
def distance_to_point(pos, out, cx, cy, cz):
    for i in range(pos.shape[0]):
        dx = pos[i, 0] - cx
        dy = pos[i, 1] - cy
        dz = pos[i, 2] - cz
        out[i] = math.sqrt(dx * dx + dy * dy + dz * dz)


# bind: img=f4[h,w] out=f4[h,w] | h=64 w=64 | h=1080 w=1920
@njit
def unsharp(img, out):
    h, w = img.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            blur = (img[y - 1, x] + img[y + 1, x] + img[y, x - 1] + img[y, x + 1]) * np.float32(0.25)
            out[y, x] = img[y, x] + np.float32(0.8) * (img[y, x] - blur)


# bind: S=f8[n] K=f8[n] out=f8[n] r=0.03 sigma=0.2 T=1.5 | n=500 | n=200000
@njit
def binary_call(S, K, out, r, sigma, T):
    df = math.exp(-r * T)
    sd = sigma * math.sqrt(T)
    for i in range(S.size):
        d2 = (math.log(S[i] / K[i]) + (r - 0.5 * sigma * sigma) * T) / sd
        out[i] = df * 0.5 * math.erfc(-d2 / math.sqrt(2.0))


# bind: x=f8[n] y=f8[n] | n=1000 | n=3000000
@njit
def leaky(x, y):
    for i in range(x.size):
        y[i] = x[i] if x[i] > 0.0 else 0.01 * x[i]


# bind: A=f8[n,n] x=f8[n] y=f8[n] | n=128 | n=136 | n=256 | n=264 | n=512 | n=520 | n=1000 | n=1024 | n=2048 | n=2056
@njit
def column_products(A, x, y):
    n = A.shape[0]
    for j in range(n):
        s = 0.0
        for i in range(n):
            s += A[i, j] * x[i]
        y[j] = s


# bind: idx=i8[n] table=f8[m] out=f8[n] | n=100000 m=2000 | n=1000000 m=1000000
@njit
def gather_axpy(idx, table, out):
    for i in range(idx.size):
        out[i] += 0.5 * table[idx[i]]


# bind: a=f8[n] b=f8[n] c=f8[n] d=f8[n] | n=1000 | n=300000
@njit
def tridiag_forward(a, b, c, d):
    for i in range(1, d.size):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]


# bind: u=f8[n,n,n] v=f8[n,n,n] | n=24 | n=160
@njit
def laplace3_27(u, v):
    n = u.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                s = 0.0
                for a in range(-1, 2):
                    for b in range(-1, 2):
                        for c in range(-1, 2):
                            s += u[i + a, j + b, k + c]
                v[i, j, k] = s / 27.0


# bind: re=f8[n] im=f8[n] mag=f8[n] ph=f8[n] | n=1000 | n=300000
@njit
def polar(re, im, mag, ph):
    for i in range(re.size):
        mag[i] = np.hypot(re[i], im[i])
        ph[i] = np.arctan2(im[i], re[i])


# bind: X=f8[n,d] C=f8[k,d] D=f8[n,k] | n=500 d=8 k=10 | n=20000 d=16 k=32
@njit
def squared_distances_kd(X, C, D):
    for i in range(X.shape[0]):
        for c in range(C.shape[0]):
            s = 0.0
            for j in range(X.shape[1]):
                t = X[i, j] - C[c, j]
                s += t * t
            D[i, c] = s


# bind: W=f4[m,k] x=f4[k] b=f4[m] y=f4[m] | m=64 k=64 | m=1024 k=4096
@njit(fastmath=True)
def dense_tanh(W, x, b, y):
    for i in range(W.shape[0]):
        s = b[i]
        for j in range(W.shape[1]):
            s += W[i, j] * x[j]
        y[i] = math.tanh(s)


# bind: x=f8[n] out=f8[n] | n=1000 | n=1000000
@njit
def log_returns(x, out):
    for i in range(1, x.size):
        out[i] = math.log(x[i] / x[i - 1])


# bind: f=f8[q,n,n] rho=f8[n,n] | q=9 n=50 | q=9 n=500
@njit
def lbm_density(f, rho):
    for i in range(rho.shape[0]):
        for j in range(rho.shape[1]):
            s = 0.0
            for q in range(f.shape[0]):
                s += f[q, i, j]
            rho[i, j] = s


# bind: z=c16[n] w=c16[n] out=c16[n] | n=1000 | n=500000
@njit
def butterfly(z, w, out):
    h = z.size // 2
    for i in range(h):
        t = w[i] * z[i + h]
        out[i] = z[i] + t
        out[i + h] = z[i] - t


# bind: p=f8[n] v=f8[n] dt=0.01 steps=100 | n=64 | n=4000
@njit
def oscillators(p, v, dt, steps):
    for _ in range(steps):
        for i in range(p.size):
            v[i] -= dt * p[i]
            p[i] += dt * v[i]


# bind: A=f8[n,m] mu=f8[m] C=f8[m,m] | n=200 m=20 | n=2000 m=100
@njit
def covariance_loop(A, mu, C):
    n, m = A.shape
    for i in range(m):
        for j in range(i, m):
            s = 0.0
            for k in range(n):
                s += (A[k, i] - mu[i]) * (A[k, j] - mu[j])
            C[i, j] = s / (n - 1.0)
            C[j, i] = C[i, j]


# bind: x=f8[n] y=f8[n] | n=1000 | n=2000000
@njit
def cumulative_max_drawdown(x, y):
    peak = x[0]
    for i in range(x.size):
        peak = max(peak, x[i])
        y[i] = 1.0 - x[i] / peak


# bind: rgb=f4[h,w,3] out=f4[h,w] | h=60 w=80 | h=1080 w=1920
@njit
def saturation(rgb, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            hi = max(rgb[i, j, 0], rgb[i, j, 1], rgb[i, j, 2])
            lo = min(rgb[i, j, 0], rgb[i, j, 1], rgb[i, j, 2])
            out[i, j] = hi - lo


# bind: A=f8[n,n] | n=60 | n=400
@njit
def cholesky_rows(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i])


# bind: u=f8[n,m] v=f8[n,m] c=0.2 | n=100 m=100 | n=1500 m=1500
@njit
def slices_heat(u, v, c):
    v[1:-1, 1:-1] = u[1:-1, 1:-1] + c * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])


# bind: A=f8[n,n] x=f8[n] | n=128 | n=136 | n=256 | n=264 | n=512 | n=520 | n=1000 | n=1024 | n=2000 | n=2048
@njit
def columns_scale(A, x):
    n = A.shape[0]
    for j in range(n):
        for i in range(n):
            A[i, j] = A[i, j] * x[i]


# bind: A=f8[n,m] B=f8[n,m] | n=300 m=32 | n=3000 m=64
@njit
def scale32(A, B):
    for i in range(A.shape[0]):
        for j in range(32):
            B[i, j] = 2.0 * A[i, j]


# bind: A=f8[n,m] B=f8[n,m] | n=300 m=64 | n=3000 m=64
@njit
def scale64(A, B):
    for i in range(A.shape[0]):
        for j in range(64):
            B[i, j] = 2.0 * A[i, j]


# bind: x=f8[n] w=f8[32] y=f8[n] | n=2000 | n=100000
@njit
def fir32(x, w, y):
    for i in range(y.size - 32):
        s = 0.0
        for k in range(32):
            s += x[i + k] * w[k]
        y[i] = s


# bind: x=f8[n] w=f8[32] y=f8[n] | n=2000 | n=100000
@njit
def fir32_in_place(x, w, y):
    for i in range(y.size - 32):
        y[i] = 0.0
        for k in range(32):
            y[i] += x[i + k] * w[k]


# bind: A=f8[n,n] B=f8[n,m] | n=90 m=32 | n=500 m=32
@njit
def trisolv32(A, B):
    n = A.shape[0]
    for i in range(n):
        for k in range(i):
            f = A[i, k]
            for j in range(32):
                B[i, j] -= f * B[k, j]


# bind: A=f8[n,m] y=f8[n] | n=1000 m=40 | n=20000 m=40
@njit
def rowsum40(A, y):
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(40):
            s += A[i, j]
        y[i] = s
