"""Kernels as different people write them: plain NumPy with slices, lists and dicts, small helpers."""


import numpy as np
from numba import njit, prange


def moments(samples):
    stats = {}
    stats["mean"] = samples.mean()
    stats["var"] = ((samples - stats["mean"]) ** 2).mean()
    stats["skew"] = ((samples - stats["mean"]) ** 3).mean() / stats["var"] ** 1.5
    return stats
# oracle samples=f8[200]
# oracle samples=f8[20,30]


def gram_expand(X):
    n = X.shape[0]
    sq = np.sum(X ** 2, axis=1)
    D = sq[:, None] + sq[None, :] - 2.0 * X @ X.T
    D[np.arange(n), np.arange(n)] = 0.0
    return np.sqrt(np.maximum(D, 0.0))
# oracle X=f8[30,4]
# oracle X=f8[64,8]


def velocity_verlet(pos, vel, mass, steps, dt):
    def force(p):
        d = p[:, None, :] - p[None, :, :]
        r2 = (d ** 2).sum(axis=-1) + 0.01
        return -(d / r2[..., None] ** 1.5).sum(axis=1)
    a = force(pos) / mass[:, None]
    for _ in range(steps):
        pos = pos + vel * dt + 0.5 * a * dt * dt
        an = force(pos) / mass[:, None]
        vel = vel + 0.5 * (a + an) * dt
        a = an
    return pos, vel
# oracle pos=f8[12,3] vel=f8[12,3] mass=f8[12] steps=3 dt=0.01
# oracle pos=f8[30,3] vel=f8[30,3] mass=f8[30] steps=2 dt=0.01


def rgb_to_gray_blocks(img, b=8):
    """img: (H, W, 3)"""
    h, w, _ = img.shape
    g = img @ np.array([0.299, 0.587, 0.114])
    g = g[:h // b * b, :w // b * b]
    return g.reshape(h // b, b, w // b, b).mean(axis=(1, 3))
# oracle img=f8[32,40,3]
# oracle img=f8[50,50,3] b=4


def crossfade(a, b, n):
    ramp = np.linspace(0.0, 1.0, n)
    out = np.concatenate([a[:-n], a[-n:] * (1.0 - ramp) + b[:n] * ramp, b[n:]])
    return out
# oracle a=f8[300] b=f8[200] n=50


def newton_system(x, steps=5):
    """2 x 2 systems at many points, by hand."""
    u, v = x[:, 0].copy(), x[:, 1].copy()
    for _ in range(steps):
        f = u * u + v - 3.0
        g = u + v * v - 5.0
        det = 4.0 * u * v - 1.0
        u -= (f * 2.0 * v - g) / det
        v -= (g * 2.0 * u - f) / det
    return np.stack((u, v), axis=-1)
# oracle x=f8[100,2]
# oracle x=f8[400,2] steps=3


def legendre_project(f, x, order):
    p0, p1 = np.ones_like(x), x.copy()
    coef = np.empty(order + 1)
    coef[0] = np.mean(f * p0)
    for n in range(1, order + 1):
        coef[n] = (2 * n + 1) * np.mean(f * p1)
        p0, p1 = p1, ((2 * n + 1) * x * p1 - n * p0) / (n + 1)
    return coef
# oracle f=f8[200] x=f8[200] order=4
# oracle f=f8[64] x=f8[64] order=9
# known traffic: three arrays that rotate, at a distance near the capacity


def conv_separable(img, k):
    """Rows and columns by sums of shifted slices."""
    r = len(k) // 2
    h, w = img.shape
    tmp = np.zeros_like(img)
    for i in range(len(k)):
        tmp[:, r:w - r] += k[i] * img[:, i:w - 2 * r + i]
    out = np.zeros_like(img)
    for i in range(len(k)):
        out[r:h - r, :] += k[i] * tmp[i:h - 2 * r + i, :]
    return out
# oracle img=f8[30,40] k=f8[5]
# oracle img=f8[64,50] k=f8[7]


def dispersion(positions, n_lags):
    msd = []
    for lag in range(1, n_lags + 1):
        d = positions[lag:] - positions[:-lag]
        msd.append(np.mean(np.sum(d ** 2, axis=1)))
    return msd
# oracle positions=f8[100,3] n_lags=5


def mix_columns(A, p):
    B = A.copy()
    B[:, [0, 2]] = A[:, [2, 0]] * p
    return B + A[::-1, ::-1]
# oracle A=f8[20,5] p=2.0


def replicator(P, x, steps):
    hist = np.empty((steps, len(x)))
    for t in range(steps):
        fit = P @ x
        x = x * fit / (x @ fit)
        hist[t] = x
    return hist[-10:].mean(axis=0)
# oracle P=f8[12,12] x=f8[12] steps=15


def batches(X, y, w, size, lr):
    """Mini batches by slices; the last is shorter."""
    n = X.shape[0]
    for s in range(0, n, size):
        xb, yb = X[s:s + size], y[s:s + size]
        g = xb.T @ (xb @ w - yb) / len(yb)
        w = w - lr * g
    return w
# oracle X=f8[60,5] y=f8[60] w=f8[5] size=20 lr=0.1
# oracle X=f8[50,5] y=f8[50] w=f8[5] size=16 lr=0.1


@njit
def collect_peaks(x, thr):
    """A reflected list under Numba."""
    peaks = []
    for i in range(1, len(x) - 1):
        if x[i] > x[i - 1] and x[i] > x[i + 1] and x[i] > thr:
            peaks.append(x[i] * 0.5)
    return peaks
# oracle x=f8[200] thr=0.9


@njit
def nested_helpers(x, n):
    def inner(a, b):
        return a * b + 0.5

    def outer(a):
        return inner(a, a) - inner(a, 2.0)

    s = 0.0
    for i in range(n):
        s += outer(x[i])
    return s
# oracle x=f8[100] n=80


@njit
def while_residual(A, b, x, tol=1e-8, maxit=3):
    n = len(b)
    it = 0
    err = 1.0
    while err > tol and it < maxit:
        err = 0.0
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= A[i, j] * x[j]
            new = s / A[i, i]
            err = max(err, abs(new - x[i]))
            x[i] = new
        it += 1
    return it
# oracle A=f8[20,20] b=f8[20] x=f8[20]


@njit
def swap_rows_pivot(A, piv):
    """Rows are exchanged by slices with copies."""
    n = A.shape[0]
    for k in range(n):
        p = piv[k]
        tmp = A[k].copy()
        A[k] = A[p]
        A[p] = tmp
        for i in range(k + 1, n):
            A[i, k:] -= A[i, k] / A[k, k] * A[k, k:]
# oracle A=f8[16,16] piv=i8[16]<16


@njit
def interleave(a, b, out):
    n = min(len(a), len(b))
    for i in range(n):
        out[2 * i] = a[i] + b[i]
        out[2 * i + 1] = a[i] - b[i]
    for i in range(n, len(a)):
        out[n + i] = a[i] * 0.5
# oracle a=f8[100] b=f8[80] out=f8[180]
# oracle a=f8[300] b=f8[300] out=f8[600]


@njit(parallel=True)
def row_softmax_par(X, out):
    for i in prange(X.shape[0]):
        m = X[i].max()
        e = np.exp(X[i] - m)
        out[i] = e / e.sum()
# oracle X=f8[20,30] out=f8[20,30]
# oracle X=f8[100,64] out=f8[100,64]


@njit
def bits_gray(n, out):
    for i in range(n):
        g = i ^ (i >> 1)
        v = 0.0
        while g:
            v += g & 1
            g >>= 1
        out[i] = v
# oracle n=64 out=f8[64]


@njit
def local_maxima_2d(img, r):
    h, w = img.shape
    count = 0
    for y in range(h):
        for x in range(w):
            best = True
            for dy in range(-r, r + 1):
                yy = y + dy
                if yy < 0 or yy >= h:
                    continue
                for dx in range(-r, r + 1):
                    xx = min(max(x + dx, 0), w - 1)
                    if img[yy, xx] * 1.0 > img[y, x]:
                        best = False
            if best:
                count += 1
    return count
# oracle img=f8[20,24] r=2
# oracle img=f8[40,40] r=1
