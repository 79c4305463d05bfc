"""Further kernels whose times are predicted and measured, in the format of ``kernels.py``: written before the model of
time was changed for the last time, and scored at first sight."""

import math

import numpy as np
from numba import njit


# bind: x=f8[n] v=f8[n] | n=3000 | n=100000 | n=4000000
@njit
def harmonic_oscillators(x, v):
    for i in range(x.shape[0]):
        v[i] -= 0.01 * x[i]
        x[i] += 0.01 * v[i]


# bind: u=f8[n] f=f8[n] c=0.3 | n=2000 | n=200000
@njit
def upwind_step(u, f, c):
    for i in range(1, u.shape[0]):
        f[i] = u[i] - c * (u[i] - u[i - 1])


# bind: T=f8[n,n,n] out=f8[n,n,n] | n=24 | n=100
@njit
def average_planes(T, out):
    for i in range(T.shape[0] - 1):
        for j in range(T.shape[1]):
            for k in range(T.shape[2]):
                out[i, j, k] = 0.5 * (T[i, j, k] + T[i + 1, j, k])


# bind: A=f8[n,m] w=f8[n] out=f8[m] | n=200 m=30 | n=2000 m=500
@njit
def weighted_column_means(A, w, out):
    total = 0.0
    for i in range(A.shape[0]):
        total += w[i]
    for j in range(A.shape[1]):
        out[j] = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[j] += w[i] * A[i, j] / total


# bind: A=f8[n,n] | n=60 | n=300
@njit
def lower_cholesky(A):
    n = A.shape[0]
    for j in range(n):
        s = A[j, j] + 10.0 * n
        for k in range(j):
            s -= A[j, k] * A[j, k]
        A[j, j] = math.sqrt(s)
        for i in range(j + 1, n):
            t = A[i, j]
            for k in range(j):
                t -= A[i, k] * A[j, k]
            A[i, j] = t / A[j, j]


# bind: x=f8[n] out=f8[n] | n=2000 | n=300000
@njit
def softplus(x, out):
    for i in range(x.shape[0]):
        out[i] = math.log(1.0 + math.exp(x[i]))


# bind: X=f8[n,d] C=f8[k,d] best=f8[n] | n=500 d=3 k=8 | n=2000 d=16 k=10
@njit
def nearest_centre(X, C, best):
    for i in range(X.shape[0]):
        least = 1e30
        for c in range(C.shape[0]):
            s = 0.0
            for j in range(X.shape[1]):
                t = X[i, j] - C[c, j]
                s += t * t
            if s < least:
                least = s
        best[i] = least


# bind: img=f8[h,w,3] grey=f8[h,w] | h=60 w=80 | h=1080 w=1920
@njit
def to_grey(img, grey):
    for y in range(img.shape[0]):
        for x in range(img.shape[1]):
            grey[y, x] = 0.299 * img[y, x, 0] + 0.587 * img[y, x, 1] + 0.114 * img[y, x, 2]


# bind: img=f4[h,w] out=f4[h,w] | h=64 w=64 | h=1000 w=1500
@njit
def sobel(img, out):
    for y in range(1, img.shape[0] - 1):
        for x in range(1, img.shape[1] - 1):
            gx = img[y - 1, x + 1] - img[y - 1, x - 1] + img[y + 1, x + 1] - img[y + 1, x - 1]
            gy = img[y + 1, x - 1] - img[y - 1, x - 1] + img[y + 1, x + 1] - img[y - 1, x + 1]
            out[y, x] = math.sqrt(gx * gx + gy * gy)


# bind: img=f8[h,w] out=f8[h,w] | h=60 w=60 | h=800 w=800
@njit
def vertical_blur(img, out):
    for x in range(img.shape[1]):
        for y in range(1, img.shape[0] - 1):
            out[y, x] = 0.25 * img[y - 1, x] + 0.5 * img[y, x] + 0.25 * img[y + 1, x]


# bind: a=f8[n] b=f8[n] idx=i8[m] out=f8[m] | n=1000 m=3000 | n=200000 m=200000 | n=5000000 m=500000
@njit
def gather_difference(a, b, idx, out):
    for i in range(idx.shape[0]):
        out[i] = a[idx[i]] - b[idx[i]]


# bind: w=f8[n] h=f8[b] idx=i8[n] | n=3000 b=64 | n=1000000 b=1000
@njit
def weighted_histogram(w, h, idx):
    for i in range(w.shape[0]):
        h[idx[i]] += w[i]


# bind: x=f8[n] | n=2000 | n=500000
@njit
def sample_variance(x):
    n = x.shape[0]
    mean = 0.0
    for i in range(n):
        mean += x[i]
    mean /= n
    s = 0.0
    for i in range(n):
        s += (x[i] - mean) ** 2
    return s / (n - 1)


# bind: x=f8[n] y=f8[n] | n=3000 | n=800000
@njit(fastmath=True)
def fast_correlation(x, y):
    sx = sy = sxx = syy = sxy = 0.0
    for i in range(x.shape[0]):
        sx += x[i]
        sy += y[i]
        sxx += x[i] * x[i]
        syy += y[i] * y[i]
        sxy += x[i] * y[i]
    n = x.shape[0]
    return (n * sxy - sx * sy) / math.sqrt((n * sxx - sx * sx) * (n * syy - sy * sy))


# bind: price=f8[n] out=f8[n] | n=2000 | n=400000
@njit
def relative_returns(price, out):
    for i in range(1, price.shape[0]):
        out[i] = price[i] / price[i - 1] - 1.0


# bind: x=f8[n] out=f8[n] w=20 | n=2000 | n=300000
@njit
def rolling_mean(x, out, w):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        if i >= w:
            s -= x[i - w]
        out[i] = s / w


# bind: paths=f8[n,m] z=f8[n,m] | n=500 m=20 | n=2000 m=250
@njit
def price_paths(paths, z):
    for i in range(paths.shape[0]):
        s = 100.0
        for j in range(paths.shape[1]):
            s = s * math.exp(0.0001 + 0.01 * z[i, j])
            paths[i, j] = s


# bind: A=f8[n,n] x=f8[n] r=f8[n] b=f8[n] | n=100 | n=1500
@njit
def residual(A, x, b, r):
    for i in range(A.shape[0]):
        r[i] = b[i]
        for j in range(A.shape[1]):
            r[i] -= A[i, j] * x[j]


# bind: A=f8[n,n] B=f8[n,n] C=f8[n,n] | n=50 | n=400
@njit
def product_jki(A, B, C):
    for j in range(B.shape[1]):
        for k in range(A.shape[1]):
            for i in range(A.shape[0]):
                C[i, j] += A[i, k] * B[k, j]


# bind: A=f4[n,m] B=f4[k,m] C=f4[n,k] | n=40 m=64 k=40 | n=300 m=512 k=300
@njit(fastmath=True)
def fast_rows_product(A, B, C):
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            s = np.float32(0.0)
            for k in range(A.shape[1]):
                s += A[i, k] * B[j, k]
            C[i, j] = s


# bind: A=f8[n,m] out=f8[n] | n=300 m=40 | n=1000 m=1000
@njit
def row_maxima(A, out):
    for i in range(A.shape[0]):
        top = A[i, 0]
        for j in range(1, A.shape[1]):
            top = max(top, A[i, j])
        out[i] = top


# bind: A=f8[n,m] out=f8[n,m] | n=100 m=40 | n=1000 m=500
@njit
def row_softmax(A, out):
    for i in range(A.shape[0]):
        total = 0.0
        for j in range(A.shape[1]):
            out[i, j] = math.exp(A[i, j])
            total += out[i, j]
        for j in range(A.shape[1]):
            out[i, j] /= total


# bind: a=f8[n] b=f8[n] c=f8[n] d=f8[n] | n=1000 | n=300000
@njit
def tridiagonal(a, b, c, d):
    n = d.shape[0]
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] = b[i] + 2.0 - w * c[i - 1]
        d[i] = d[i] - w * d[i - 1]
    d[n - 1] = d[n - 1] / b[n - 1]
    for i in range(n - 2, -1, -1):
        d[i] = (d[i] - c[i] * d[i + 1]) / b[i]


# bind: pos=f8[n,3] q=f8[n] phi=f8[n] | n=100 | n=1500
@njit
def potentials(pos, q, phi):
    n = pos.shape[0]
    for i in range(n):
        s = 0.0
        for j in range(n):
            if i != j:
                d = 0.0
                for k in range(3):
                    t = pos[i, k] - pos[j, k]
                    d += t * t
                s += q[j] / math.sqrt(d)
        phi[i] = s


# bind: E=f8[n,n] H=f8[n,n] | n=100 | n=1000
@njit
def electric_update(E, H):
    for i in range(1, E.shape[0]):
        for j in range(1, E.shape[1]):
            E[i, j] = E[i, j] + 0.5 * (H[i, j] - H[i - 1, j] - H[i, j] + H[i, j - 1])


# bind: u=f8[n,n] f=f8[n,n] | n=60 | n=600
@njit
def gauss_seidel(u, f):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])


# bind: fine=f8[2*n,2*n] coarse=f8[n,n] | n=40 | n=500
@njit
def restrict_grid(fine, coarse):
    for i in range(coarse.shape[0]):
        for j in range(coarse.shape[1]):
            coarse[i, j] = 0.25 * (
                fine[2 * i, 2 * j] + fine[2 * i + 1, 2 * j] + fine[2 * i, 2 * j + 1] + fine[2 * i + 1, 2 * j + 1]
            )


# bind: x=f8[n] re=f8[m] im=f8[m] | n=200 m=50 | n=1000 m=300
@njit
def slow_fourier(x, re, im):
    n = x.shape[0]
    for k in range(re.shape[0]):
        a = 0.0
        b = 0.0
        for t in range(n):
            angle = 6.283185307179586 * k * t / n
            a += x[t] * math.cos(angle)
            b -= x[t] * math.sin(angle)
        re[k] = a
        im[k] = b


# bind: x=f8[n] b=f8[3] y=f8[n] | n=2000 | n=300000
@njit
def biquad(x, b, y):
    for i in range(2, x.shape[0]):
        y[i] = b[0] * x[i] + b[1] * x[i - 1] + b[2] * x[i - 2] - 0.2 * y[i - 1] - 0.1 * y[i - 2]


# bind: A=f8[n,n] | n=100 | n=512 | n=1500
@njit
def transpose_in_place(A):
    for i in range(A.shape[0]):
        for j in range(i + 1, A.shape[1]):
            t = A[i, j]
            A[i, j] = A[j, i]
            A[j, i] = t


# bind: x=f8[n] y=f8[n] out=f8[n] | n=2000 | n=300000
@njit
def angles(x, y, out):
    for i in range(x.shape[0]):
        out[i] = math.atan2(y[i], x[i])


# bind: a=c16[n] b=c16[n] | n=1000 | n=300000
@njit
def complex_dot(a, b):
    s = 0.0 + 0.0j
    for i in range(a.shape[0]):
        s += a[i] * b[i]
    return s


# bind: x=f8[n] y=f8[n] | n=3000 | n=1000000
@njit
def whole_array_distance(x, y):
    return np.sqrt(np.sum((x - y) ** 2))


# bind: A=f8[n,m] | n=200 m=50 | n=2000 m=1000
@njit
def centre_columns(A):
    for j in range(A.shape[1]):
        m = A[:, j].mean()
        for i in range(A.shape[0]):
            A[i, j] -= m


# bind: M=f8[n,n] p=f8[n] q=f8[n] | n=60 | n=1200
@njit
def markov_step(M, p, q):
    for j in range(M.shape[1]):
        s = 0.0
        for i in range(M.shape[0]):
            s += p[i] * M[i, j]
        q[j] = s


# bind: v=f8[n] | n=3000 | n=2000000
@njit
def count_above(v):
    c = 0
    for i in range(v.shape[0]):
        if v[i] > 1.0:
            c += 1
    return c


# bind: x=f8[n] knots=f8[k] coef=f8[k] out=f8[n] | n=1000 k=20 | n=100000 k=50
@njit
def hinge_basis(x, knots, coef, out):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(knots.shape[0]):
            t = x[i] - knots[j]
            if t > 0.0:
                s += coef[j] * t
        out[i] = s


# bind: A=f8[n,n] L=f8[n,n] | n=50 | n=300
@njit
def outer_update(A, L):
    n = A.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                A[i, j] -= 0.001 * L[i, k] * L[j, k]
