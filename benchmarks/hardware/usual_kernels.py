"""Loops as they are usually written, timed before anything of the model was looked at. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit


# bind: x=f8[n] y=f8[n] alpha=0.2 beta=0.1 | n=1500 | n=1000000
@njit
def alpha_beta_filter(x, y, alpha, beta):
    level = x[0]
    slope = 0.0
    for i in range(x.size):
        guess = level + slope
        error = x[i] - guess
        level = guess + alpha * error
        slope = slope + beta * error
        y[i] = level


# bind: x=f8[n] | n=2000 | n=4000000
@njit
def guarded_geometric_mean(x):
    total = 0.0
    count = 0
    for i in range(x.size):
        if x[i] > 0.0:
            total += math.log(x[i])
            count += 1
    if count == 0:
        return 0.0
    return math.exp(total / count)


# bind: table=f8[k] idx=i8[n] w=f8[n] out=f8[n] | n=2000 k=256 | n=2000000 k=100000
@njit
def weigh_by_table(table, idx, w, out):
    for i in range(idx.size):
        out[i] = w[i] * table[idx[i]]


# bind: A=f8[n,3,3] v=f8[n,3] out=f8[n,3] | n=200 | n=200000
@njit
def rotate_points3(A, v, out):
    for p in range(v.shape[0]):
        for i in range(3):
            s = 0.0
            for j in range(3):
                s += A[p, i, j] * v[p, j]
            out[p, i] = s


# bind: img=f4[h,w] out=f4[h,w] | h=64 w=64 | h=1000 w=1500
@njit
def emboss(img, out):
    for i in range(1, img.shape[0] - 1):
        for j in range(1, img.shape[1] - 1):
            v = img[i - 1, j - 1] * np.float32(-2.0) - img[i - 1, j] - img[i, j - 1] + img[i, j]
            v += img[i, j + 1] + img[i + 1, j] + np.float32(2.0) * img[i + 1, j + 1]
            out[i, j] = v


# bind: S=f8[n] K=f8[n] out=f8[n] r=0.02 vol=0.3 T=0.5 | n=1000 | n=300000
@njit
def put_delta(S, K, out, r, vol, T):
    root = vol * math.sqrt(T)
    for i in range(S.size):
        d1 = (math.log((S[i] + 0.5) / (K[i] + 0.5)) + (r + 0.5 * vol * vol) * T) / root
        out[i] = 0.5 * math.erfc(-d1 / math.sqrt(2.0)) - 1.0


# bind: x=f8[n] h=i8[k] lo=0.5 hi=1.5 | n=3000 k=50 | n=3000000 k=50
@njit
def histogram_floor(x, h, lo, hi):
    scale = h.size / (hi - lo)
    for i in range(x.size):
        b = int((x[i] - lo) * scale)
        if b >= 0 and b < h.size:
            h[b] += 1


# bind: a=f4[n] b=f8[n] out=f4[n] | n=2500 | n=4000000
@njit
def mixed_precision_blend(a, b, out):
    for i in range(a.size):
        out[i] = np.float32(0.75 * a[i] + 0.25 * b[i])


# bind: key=i8[n] x=f8[n] out=f8[n] | n=3000 | n=2000000
@njit
def signed_by_parity(key, x, out):
    for i in range(key.size):
        if (key[i] & 1) == 0:
            out[i] = x[i]
        else:
            out[i] = -x[i]


# bind: A=f8[n,m] mean=f8[m] sd=f8[m] | n=60 m=40 | n=2000 m=700
@njit
def z_score_columns(A, mean, sd):
    n, m = A.shape
    for j in range(m):
        mean[j] = 0.0
        sd[j] = 0.0
    for i in range(n):
        for j in range(m):
            mean[j] += A[i, j]
            sd[j] += A[i, j] * A[i, j]
    for j in range(m):
        mean[j] /= n
        sd[j] = math.sqrt(max(sd[j] / n - mean[j] * mean[j], 1e-12))
    for i in range(n):
        for j in range(m):
            A[i, j] = (A[i, j] - mean[j]) / sd[j]


# bind: q=f8[n,4] out=f8[n,3] | n=300 | n=400000
@njit
def euler_angles(q, out):
    for i in range(q.shape[0]):
        w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        out[i, 0] = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        s = 2.0 * (w * y - z * x)
        out[i, 1] = math.asin(min(1.0, max(-1.0, s)))
        out[i, 2] = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


# bind: price=f8[n] signal=i8[n] fast=0.15 slow=0.05 | n=2000 | n=1000000
@njit
def macd_signal(price, signal, fast, slow):
    a = price[0]
    b = price[0]
    for i in range(1, price.size):
        a += fast * (price[i] - a)
        b += slow * (price[i] - b)
        signal[i] = 1 if a > b else -1


# bind: A=f8[n,n] x=f8[n] y=f8[n] | n=80 | n=1400
@njit
def symmetric_upper_product(A, x, y):
    n = A.shape[0]
    for i in range(n):
        y[i] = 0.0
    for i in range(n):
        s = A[i, i] * x[i]
        for j in range(i + 1, n):
            s += A[i, j] * x[j]
            y[j] += A[i, j] * x[i]
        y[i] += s


# bind: rgb=u1[h,w,3] out=f4[h,w] | h=60 w=80 | h=1080 w=1920
@njit
def grey_levels(rgb, out):
    for i in range(rgb.shape[0]):
        for j in range(rgb.shape[1]):
            out[i, j] = (np.float32(0.299) * rgb[i, j, 0] + np.float32(0.587) * rgb[i, j, 1]) + np.float32(0.114) * rgb[
                i, j, 2
            ]


# bind: h=f8[n] b=f8[n] hn=f8[n] k=0.2 | n=1000 | n=1000000
@njit
def infiltrate(h, b, hn, k):
    for i in range(1, h.size - 1):
        left = k * (h[i - 1] + b[i - 1] - h[i] - b[i])
        right = k * (h[i + 1] + b[i + 1] - h[i] - b[i])
        value = h[i] + left + right
        hn[i] = value if value > 0.0 else 0.0


# bind: pos=f8[n,2] cells=i8[m,m] size=0.1 | n=1000 m=20 | n=1000000 m=20
@njit
def count_in_cells(pos, cells, size):
    m = cells.shape[0]
    for p in range(pos.shape[0]):
        i = min(int(pos[p, 0] / size), m - 1)
        j = min(int(pos[p, 1] / size), m - 1)
        cells[i, j] += 1
