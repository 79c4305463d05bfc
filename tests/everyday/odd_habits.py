"""Kernels as different people write them: lists of neighbours, lags, cascades, optional arrays, tables."""

import math

import numpy as np
from numba import jit, njit, prange

G = 6.674e-11
SOFT2 = 1e-3 ** 2
DIRS = [(0, 1), (1, 0), (0, -1), (-1, 0)]
BINS = 16


@njit(fastmath=True)
def accel_pairs(pos, mass, acc):
    """Newton's third law, accumulations in place, positions (n, 3)."""
    n = pos.shape[0]
    acc[:] = 0.0
    for i in range(n - 1):
        xi, yi, zi = pos[i]
        for j in range(i + 1, n):
            dx = pos[j, 0] - xi
            dy = pos[j, 1] - yi
            dz = pos[j, 2] - zi
            inv = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + SOFT2)
            f = G * inv * inv * inv
            acc[i, 0] += f * mass[j] * dx
            acc[i, 1] += f * mass[j] * dy
            acc[i, 2] += f * mass[j] * dz
            acc[j, 0] -= f * mass[i] * dx
            acc[j, 1] -= f * mass[i] * dy
            acc[j, 2] -= f * mass[i] * dz
# oracle pos=f8[40,3] mass=f8[40] acc=f8[40,3]
# oracle pos=f8[90,3] mass=f8[90] acc=f8[90,3]


@njit
def diag_band(A, k, lower=True):
    """Sums along diagonals, either side."""
    n = A.shape[0]
    out = np.zeros(k + 1)
    for d in range(k + 1):
        s = 0.0
        if lower:
            for i in range(d, n):
                s += A[i, i - d]
        else:
            for i in range(n - d):
                s += A[i, i + d]
        out[d] = s
    return out
# oracle A=f8[40,40] k=3
# oracle A=f8[40,40] k=5 lower=0


@njit
def spiral_sum(A):
    """Rings from outside in."""
    n, m = A.shape
    top, left, bottom, right = 0, 0, n - 1, m - 1
    s = 0.0
    while top <= bottom and left <= right:
        for j in range(left, right + 1):
            s += A[top, j]
        for i in range(top + 1, bottom + 1):
            s += A[i, right]
        top += 1
        right -= 1
    return s
# oracle A=f8[20,20]
# oracle A=f8[12,30]


@njit
def fwt2(img):
    """Rows, then columns, one level, scratch row."""
    h, w = img.shape
    row = np.empty(w)
    for y in range(h):
        for x in range(w // 2):
            row[x] = 0.5 * (img[y, 2 * x] + img[y, 2 * x + 1])
            row[w // 2 + x] = 0.5 * (img[y, 2 * x] - img[y, 2 * x + 1])
        img[y, :] = row
    col = np.empty(h)
    for x in range(w):
        for y in range(h // 2):
            col[y] = 0.5 * (img[2 * y, x] + img[2 * y + 1, x])
            col[h // 2 + y] = 0.5 * (img[2 * y, x] - img[2 * y + 1, x])
        img[:, x] = col
    return img
# oracle img=f8[32,32]
# oracle img=f8[16,64]


def softmax_xent(logits, labels_onehot):
    z = logits - np.max(logits, axis=1)[:, np.newaxis]
    logp = z - np.log(np.sum(np.exp(z), axis=1))[:, np.newaxis]
    loss = -np.mean(np.sum(labels_onehot * logp, axis=1))
    grad = (np.exp(logp) - labels_onehot) / logits.shape[0]
    return loss, grad
# oracle logits=f8[30,10] labels_onehot=f8[30,10]
# oracle logits=f8[8,100] labels_onehot=f8[8,100]


def conv_im2row(x, w):
    """A 1D convolution layer: stack of shifted slices and a product."""
    k = w.shape[0]
    n = x.shape[0] - k + 1
    cols = np.stack([x[i:i + n] for i in range(k)], axis=1)
    return cols @ w
# oracle x=f8[200] w=f8[5]


@njit
def gs_columns(Q):
    """Modified Gram-Schmidt on columns by slices."""
    m, n = Q.shape
    for j in range(n):
        for k in range(j):
            r = np.dot(Q[:, k], Q[:, j])
            Q[:, j] -= r * Q[:, k]
        Q[:, j] /= np.sqrt(np.sum(Q[:, j] ** 2))
    return Q
# oracle Q=f8[40,8]
# oracle Q=f8[30,16]


@njit
def queue_sim(arrive, service, servers):
    """Each customer takes the server that is free first."""
    free = np.zeros(servers)
    wait = 0.0
    for i in range(len(arrive)):
        k = 0
        for s in range(1, servers):
            if free[s] < free[k]:
                k = s
        start = max(arrive[i], free[k])
        wait += start - arrive[i]
        free[k] = start + service[i]
    return wait / len(arrive)
# oracle arrive=f8[200] service=f8[200] servers=3
# oracle arrive=f8[900] service=f8[900] servers=5


@njit
def relax_levels(u, f, n, levels):
    """A cascade: each level has half of the points, strides double."""
    for l in range(levels):
        s = 2 ** l
        for i in range(s, n - s, s):
            u[i] = 0.5 * (u[i - s] + u[i + s] - s * s * f[i])
# oracle u=f8[257] f=f8[257] n=257 levels=4
# oracle u=f8[1025] f=f8[1025] n=1025 levels=5


@njit
def checker_copy(a, b, parity):
    """Points of one colour are copied."""
    for i in range(a.shape[0]):
        for j in range((i + parity) % 2, a.shape[1], 2):
            b[i, j] = 2.0 * a[i, j]
# oracle a=f8[20,30] b=f8[20,30] parity=0
# oracle a=f8[30,31] b=f8[30,31] parity=1


@njit
def lagged_embedding(x, dim, tau):
    """Delay vectors in rows."""
    n = len(x) - (dim - 1) * tau
    out = np.empty((n, dim))
    for i in range(n):
        for d in range(dim):
            out[i, d] = x[i + d * tau] - x[i]
    return out
# oracle x=f8[200] dim=3 tau=5
# oracle x=f8[500] dim=4 tau=20
# known traffic: windows of about as many lines as the smallest cache has


@njit
def recurrence_rate(emb, eps):
    n, d = emb.shape
    hits = 0
    for i in range(n):
        for j in range(n):
            m = 0.0
            for k in range(d):
                m = max(m, abs(emb[i, k] - emb[j, k]))
            if m < eps:
                hits += 1
    return hits / (n * n)
# oracle emb=f8[50,3] eps=0.2
# oracle emb=f8[30,5] eps=0.2


@njit
def slice_ring_update(hist, new, pos):
    """A ring buffer of rows: the oldest goes, then a weighted mean."""
    depth = hist.shape[0]
    hist[pos % depth] = new
    out = np.zeros(hist.shape[1])
    for k in range(depth):
        out += hist[(pos - k) % depth] / (k + 1)
    return out
# oracle hist=f8[6,40] new=f8[40] pos=9
# oracle hist=f8[8,200] new=f8[200] pos=3


@njit
def crank(u, a, b, c, d, nt, lam):
    """Crank-Nicolson with scratch coefficient arrays that are rewritten each step."""
    n = u.shape[0]
    for t in range(nt):
        for i in range(1, n - 1):
            a[i] = -0.5 * lam
            b[i] = 1.0 + lam
            c[i] = -0.5 * lam
            d[i] = 0.5 * lam * (u[i - 1] + u[i + 1]) + (1.0 - lam) * u[i]
        for i in range(2, n - 1):
            m = a[i] / b[i - 1]
            b[i] -= m * c[i - 1]
            d[i] -= m * d[i - 1]
        u[n - 2] = d[n - 2] / b[n - 2]
        for i in range(n - 3, 0, -1):
            u[i] = (d[i] - c[i] * u[i + 1]) / b[i]
# oracle u=f8[200] a=f8[200] b=f8[200] c=f8[200] d=f8[200] nt=2 lam=0.5
# oracle u=f8[60] a=f8[60] b=f8[60] c=f8[60] d=f8[60] nt=5 lam=0.5


@njit
def knn_row(X, q, k):
    """An insertion list of the k nearest."""
    best = np.full(k, np.inf)
    for i in range(X.shape[0]):
        d = 0.0
        for j in range(X.shape[1]):
            d += (X[i, j] - q[j]) ** 2
        if d < best[k - 1]:
            p = k - 1
            while p > 0 and best[p - 1] > d:
                best[p] = best[p - 1]
                p -= 1
            best[p] = d
    return best
# oracle X=f8[100,4] q=f8[4] k=5


@jit(nopython=True)
def tiled_transpose_add(A, B, t):
    n = A.shape[0]
    for ii in range(0, n, t):
        for jj in range(0, n, t):
            for i in range(ii, min(ii + t, n)):
                for j in range(jj, min(jj + t, n)):
                    B[j, i] += A[i, j]
# oracle A=f8[48,48] B=f8[48,48] t=8
# oracle A=f8[50,50] B=f8[50,50] t=16


def ema_vectorised(x, span=10):
    """Weights by powers, a triangular product."""
    a = 2.0 / (span + 1.0)
    w = (1 - a) ** np.arange(len(x))[::-1]
    return np.cumsum(x * w) / w / len(x)
# oracle x=f8[200]
# oracle x=f8[800] span=30


def laplace_pad(u):
    p = np.zeros((u.shape[0] + 2, u.shape[1] + 2))
    p[1:-1, 1:-1] = u
    return p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u
# oracle u=f8[30,40]
# oracle u=f8[64,64]


@njit
def score_rows(M, thresh=None, weights=None):
    """Optional arrays: rows above a threshold get a weighted score."""
    n, m = M.shape
    s = np.zeros(n)
    for i in range(n):
        for j in range(m):
            v = M[i, j]
            if weights is not None:
                v *= weights[j]
            if thresh is None or v > thresh:
                s[i] += v
    return s
# oracle M=f8[40,20]
# oracle M=f8[40,20] weights=f8[20] thresh=0.9


@njit
def polyline_length(xy, closed=False):
    n = len(xy)
    L = 0.0
    for i in range(n if closed else n - 1):
        j = (i + 1) % n
        L += math.hypot(xy[j, 0] - xy[i, 0], xy[j, 1] - xy[i, 1])
    return L
# oracle xy=f8[200,2]
# oracle xy=f8[300,2] closed=1


@njit
def two_species(u, v, nu, nv, Du, Dv, F, k):
    """Gray-Scott with rows wrapped by negative indices."""
    n, m = u.shape
    for i in range(-1, n - 1):
        for j in range(-1, m - 1):
            lu = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
            lv = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4.0 * v[i, j]
            uvv = u[i, j] * v[i, j] * v[i, j]
            nu[i, j] = u[i, j] + Du * lu - uvv + F * (1.0 - u[i, j])
            nv[i, j] = v[i, j] + Dv * lv + uvv - (F + k) * v[i, j]
# oracle u=f8[20,24] v=f8[20,24] nu=f8[20,24] nv=f8[20,24] Du=0.1 Dv=0.05 F=0.03 k=0.06
# oracle u=f8[10,64] v=f8[10,64] nu=f8[10,64] nv=f8[10,64] Du=0.1 Dv=0.05 F=0.03 k=0.06


@njit
def entropy_rows(P, base=2.0):
    """Skips zeros; a helper value before the loops."""
    scale = 1.0 / math.log(base)
    H = np.zeros(P.shape[0])
    for i, row in enumerate(P):
        for p in row:
            if p > 0:
                H[i] -= p * math.log(p) * scale
    return H
# oracle P=f8[30,20]
# oracle P=f8[100,8]


@njit(parallel=True)
def jacobi_blocks(A, b, x, xn, sweeps):
    n = len(b)
    for s in range(sweeps):
        for i in prange(n):
            t = b[i]
            for j in range(n):
                if j != i:
                    t -= A[i, j] * x[j]
            xn[i] = t / A[i, i]
        x[:] = xn
# oracle A=f8[40,40] b=f8[40] x=f8[40] xn=f8[40] sweeps=2
# oracle A=f8[70,70] b=f8[70] x=f8[70] xn=f8[70] sweeps=3


@njit
def exp_table(x, table, lo, hi):
    """Linear interpolation in a table, indices by int()."""
    n = len(table) - 1
    scale = n / (hi - lo)
    s = 0.0
    for i in range(len(x)):
        t = (x[i] - lo) * scale
        k = int(t)
        k = min(max(k, 0), n - 1)
        f = t - k
        s += table[k] + f * (table[k + 1] - table[k])
    return s
# oracle x=f8[300] table=f8[65] lo=0.0 hi=2.0


@njit
def sieve(n):
    """Steps that grow from row to row, starts that are squares."""
    flags = np.ones(n + 1, dtype=np.uint8)
    p = 2
    while p * p <= n:
        if flags[p]:
            for q in range(p * p, n + 1, p):
                flags[q] = 0
        p += 1
    return flags.sum()
# oracle n=257
