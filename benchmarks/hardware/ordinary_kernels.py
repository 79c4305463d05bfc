"""Loops of every day, floats and integers, statements and branches, on one core and on all; scored at first sight. As
in ``kernels.py``."""

import math

import numpy as np
from numba import njit, prange


# bind: temp=f8[n] humidity=f8[n] out=f8[n] | n=2000 | n=1000000
@njit
def heat_index(temp, humidity, out):
    for i in range(temp.size):
        t = temp[i]
        r = humidity[i]
        simple = 0.5 * (t + 61.0 + (t - 68.0) * 1.2 + r * 0.094)
        full = -42.379 + 2.04901523 * t + 10.14333127 * r - 0.22475541 * t * r - 0.00683783 * t * t
        full += -0.05481717 * r * r + 0.00122874 * t * t * r + 0.00085282 * t * r * r
        out[i] = 0.5 * (simple + full)


# bind: lat=f8[n] lon=f8[n] step=0.01 row=i4[n] col=i4[n] | n=2000 | n=1000000
@njit
def cell_of_point(lat, lon, step, row, col):
    for i in range(lat.size):
        row[i] = int((lat[i] + 90.0) / step)
        col[i] = int((lon[i] + 180.0) / step)


# bind: pixels=u1[n] counts=i8[256] | n=4000 | n=4000000
@njit
def equalise_table(pixels, counts):
    counts[:] = 0
    for i in range(pixels.size):
        counts[pixels[i]] += 1
    for v in range(1, 256):
        counts[v] += counts[v - 1]
    return counts[255]


# bind: P=f8[n,3] Q=f8[m,3] best=f8[n] | n=60 m=60 | n=1500 m=1000
@njit
def chamfer_distance(P, Q, best):
    for i in range(P.shape[0]):
        d = 1e30
        for j in range(Q.shape[0]):
            x = P[i, 0] - Q[j, 0]
            y = P[i, 1] - Q[j, 1]
            z = P[i, 2] - Q[j, 2]
            s = x * x + y * y + z * z
            if s < d:
                d = s
        best[i] = d


# bind: u=f8[n,m] v=f8[n,m] | n=70 m=70 | n=1500 m=1500
@njit
def relax_statement(u, v):
    v[1:-1, 1:-1] = 0.6 * u[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


# bind: bits=u8[n] parity=u1[n] | n=2000 | n=1000000
@njit
def parity_of_words(bits, parity):
    for i in range(bits.size):
        w = bits[i]
        w ^= w >> np.uint64(32)
        w ^= w >> np.uint64(16)
        w ^= w >> np.uint64(8)
        w ^= w >> np.uint64(4)
        w ^= w >> np.uint64(2)
        w ^= w >> np.uint64(1)
        parity[i] = w & np.uint64(1)


# bind: open_=f8[n] close=f8[n] side=i1[n] | n=3000 | n=3000000
@njit
def candle_colour(open_, close, side):
    for i in range(close.size):
        move = close[i] - open_[i]
        if move > 0.1:
            side[i] = 1
        elif move < -0.1:
            side[i] = -1
        else:
            side[i] = 0


# bind: A=f8[n,m] w=f8[m] out=f8[n] | n=100 m=100 | n=3000 m=1500
@njit(parallel=True)
def weighted_rows_on_all_cores(A, w, out):
    for i in prange(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j] * w[j]
        out[i] = s


# bind: pos=f8[n,2] acc=f8[n,2] | n=60 | n=1000
@njit(parallel=True)
def softened_pull_on_all_cores(pos, acc):
    for i in prange(pos.shape[0]):
        ax = 0.0
        ay = 0.0
        for j in range(pos.shape[0]):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            r2 = dx * dx + dy * dy + 0.01
            inv = 1.0 / (r2 * math.sqrt(r2))
            ax += dx * inv
            ay += dy * inv
        acc[i, 0] = ax
        acc[i, 1] = ay


# bind: day=i4[n] weekday=i4[n] | n=3000 | n=2000000
@njit
def weekdays(day, weekday):
    for i in range(day.size):
        weekday[i] = (day[i] + 4) % 7


# bind: x=f8[n] out=f8[n] | n=2000 | n=1000000
@njit
def trailing_product(x, out):
    p = 1.0
    for i in range(x.size - 1, -1, -1):
        p = p * (1.0 + 0.001 * (x[i] - 1.0))
        out[i] = p


# bind: signal=f4[n] kernel=f4[9] out=f4[n] | n=2000 | n=2000000
@njit
def sliding_dot9(signal, kernel, out):
    for i in range(signal.size - 8):
        s = np.float32(0.0)
        for k in range(9):
            s += signal[i + k] * kernel[k]
        out[i] = s


# bind: grid=u1[h,w] labels=i4[h,w] | h=60 w=60 | h=1000 w=1000
@njit
def run_labels(grid, labels):
    nxt = 0
    for i in range(grid.shape[0]):
        inside = False
        for j in range(grid.shape[1]):
            if grid[i, j] > 20:
                if not inside:
                    nxt += 1
                    inside = True
                labels[i, j] = nxt
            else:
                inside = False
                labels[i, j] = 0
    return nxt


# bind: src=i8[e] dst=i8[e] rank=f8[v] out=f8[v] | e=2000 v=300 | e=1000000 v=50000
@njit
def push_ranks(src, dst, rank, out):
    for k in range(src.size):
        out[dst[k]] += 0.85 * rank[src[k]]


# bind: a=f8[n] b=f8[n] c=f8[n] lo=f8[n] hi=f8[n] | n=1500 | n=1000000
@njit
def quadratic_bounds(a, b, c, lo, hi):
    for i in range(a.size):
        d = b[i] * b[i] + 4.0 * a[i] * c[i]
        root = math.sqrt(d)
        scale = 0.5 / a[i]
        lo[i] = (-b[i] - root) * scale
        hi[i] = (-b[i] + root) * scale


# bind: X=f8[n,m] gram=f8[m,m] | n=100 m=20 | n=2000 m=80
@njit
def scatter_matrix(X, gram):
    n, m = X.shape
    for a in range(m):
        for b in range(m):
            gram[a, b] = 0.0
    for i in range(n):
        for a in range(m):
            for b in range(m):
                gram[a, b] += X[i, a] * X[i, b]


# bind: x=f8[n] out=f8[n] | n=2000 | n=1000000
@njit
def gelu_forward(x, out):
    for i in range(x.size):
        v = x[i]
        out[i] = 0.5 * v * (1.0 + math.tanh(0.7978845608 * (v + 0.044715 * v * v * v)))


# bind: votes=i8[n] | n=3000 | n=2000000
@njit
def majority_candidate(votes):
    candidate = -1
    count = 0
    for i in range(votes.size):
        if count == 0:
            candidate = votes[i]
            count = 1
        elif votes[i] == candidate:
            count += 1
        else:
            count -= 1
    return candidate


# bind: re=f8[n] im=f8[n] mag=f8[n] gain=f8[n] | n=2000 | n=1500000
@njit
def wiener_gain(re, im, mag, gain):
    for i in range(re.size):
        p = re[i] * re[i] + im[i] * im[i]
        mag[i] = 0.9 * mag[i] + 0.1 * p
        gain[i] = max(0.05, 1.0 - 0.3 / (mag[i] + 1e-9))


# bind: T=f8[n,n,n] out=f8[n,n] | n=24 | n=160
@njit
def project_maximum_depth(T, out):
    for i in range(T.shape[0]):
        for j in range(T.shape[1]):
            m = T[i, j, 0]
            for k in range(1, T.shape[2]):
                m = max(m, T[i, j, k])
            out[i, j] = m
