"""Kernels as different people write them: modes, options, records, images, clamped windows, rings, scratch arrays."""

import math

import numpy as np
from numba import njit, prange

GAMMA = 1.4
TAPS = [0.25, 0.5, 0.25]
CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
W9 = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
star = np.dtype([("x", "f8"), ("y", "f8"), ("flux", "f4"), ("band", "i4")])


@njit
def apply_window(signal, kind="hann", out=None):
    """Multiply a signal by a window; in place when out is None."""
    n = signal.shape[0]
    if out is None:
        out = signal
    for i in range(n):
        if kind == "hann":
            w = 0.5 - 0.5 * math.cos(2.0 * math.pi * i / (n - 1))
        elif kind == "triangle":
            w = 1.0 - abs(2.0 * i / (n - 1) - 1.0)
        else:
            w = 1.0
        out[i] = signal[i] * w
    return out
# oracle signal=f8[300]
# oracle signal=f8[777]


@njit
def tone_map(img, out, op=0, gain=1.0, gamma=None):
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            v = img[y, x] * gain
            if op == 0:
                v = v / (1.0 + v)
            elif op == 1:
                v = 1.0 - np.exp(-v)
            if gamma is not None:
                v = v ** (1.0 / gamma)
            out[y, x] = v
# oracle img=f8[40,50] out=f8[40,50] op=1
# oracle img=f4[33,70] out=f4[33,70] op=0 gamma=2.2


def _avg(a, axis):
    if axis == 0:
        return 0.5 * (a[1:] + a[:-1])
    return 0.5 * (a[:, 1:] + a[:, :-1])


def staggered_divergence(u, v, dx, dy):
    """Averages to faces, then a divergence."""
    uf = _avg(u, 1)
    vf = _avg(v, 0)
    div = np.diff(uf, axis=1)[1:-1, :] / dx + np.diff(vf, axis=0)[:, 1:-1] / dy
    return div
# oracle u=f8[40,30] v=f8[40,30] dx=0.1 dy=0.2
# oracle u=f8[17,64] v=f8[17,64] dx=0.1 dy=0.2


@njit
def _lax_step(src, dst, c):
    n = src.size
    for i in range(n):
        l = src[(i - 1) % n]
        r = src[(i + 1) % n]
        dst[i] = 0.5 * (l + r) - 0.5 * c * (r - l)


@njit
def lax_friedrichs(u, tmp, c, nt):
    """Swapped buffers; the result is copied if it landed in tmp."""
    a, b = u, tmp
    for _ in range(nt):
        _lax_step(a, b, c)
        a, b = b, a
    if nt % 2 == 1:
        u[:] = tmp
    return u
# oracle u=f8[300] tmp=f8[300] c=0.5 nt=5
# oracle u=f8[1500] tmp=f8[1500] c=0.5 nt=4


@njit
def rolling_max_drawdown(price, w, out):
    """For every day, the worst fall in the last w days."""
    n = len(price)
    for i in range(n):
        lo = max(0, i - w + 1)
        top = price[lo]
        worst = 0.0
        for j in range(lo, i + 1):
            top = max(top, price[j])
            worst = min(worst, price[j] / top - 1.0)
        out[i] = worst
# oracle price=f8[400] w=20 out=f8[400]
# oracle price=f8[2000] w=7 out=f8[2000]


@njit
def local_energy(x, r):
    """Sum of squares in a window that the ends clip."""
    n = x.shape[0]
    e = np.zeros(n)
    for i in range(n):
        seg = x[max(i - r, 0):min(i + r + 1, n)]
        e[i] = np.sum(seg * seg) / len(seg)
    return e
# oracle x=f8[500] r=4
# oracle x=f8[120] r=30


@njit
def bilinear_clamped(img, out, sx, sy):
    h, w = img.shape
    for y in range(out.shape[0]):
        y1 = min(y * sy + 1, h - 1)
        y0 = min(y * sy, h - 1)
        for x in range(out.shape[1]):
            x0 = min(x * sx, w - 1)
            x1 = min(x * sx + 1, w - 1)
            out[y, x] = 0.25 * (img[y0, x0] + img[y0, x1] + img[y1, x0] + img[y1, x1])
# oracle img=f8[64,64] out=f8[32,32] sx=2 sy=2
# oracle img=f8[50,80] out=f8[20,30] sx=2 sy=2


@njit
def cyclic_laplace_3d(f, out, h2):
    nx, ny, nz = f.shape
    for i in range(nx):
        im = nx - 1 if i == 0 else i - 1
        ip = 0 if i == nx - 1 else i + 1
        for j in range(ny):
            jm = ny - 1 if j == 0 else j - 1
            jp = 0 if j == ny - 1 else j + 1
            for k in range(nz):
                km = nz - 1 if k == 0 else k - 1
                kp = 0 if k == nz - 1 else k + 1
                out[i, j, k] = (f[ip, j, k] + f[im, j, k] + f[i, jp, k] + f[i, jm, k]
                                + f[i, j, kp] + f[i, j, km] - 6.0 * f[i, j, k]) / h2
# oracle f=f8[12,10,16] out=f8[12,10,16] h2=0.01
# oracle f=f8[8,20,24] out=f8[8,20,24] h2=0.01
# known traffic: three rings at a distance near the capacity


@njit
def flat_transpose_scale(a, b, m, n, alpha):
    """One counter over both dimensions."""
    for k in range(m * n):
        i = k // n
        j = k % n
        b[j * m + i] = alpha * a[k]
# oracle a=f8[1200] b=f8[1200] m=30 n=40 alpha=2.0
# oracle a=f8[2048] b=f8[2048] m=64 n=32 alpha=2.0


@njit(parallel=True)
def tet_volumes(pts, tets, vol):
    for t in prange(tets.shape[0]):
        e = np.empty((3, 3))
        for a in range(3):
            for c in range(3):
                e[a, c] = pts[tets[t, a + 1], c] - pts[tets[t, 0], c]
        vol[t] = (e[0, 0] * (e[1, 1] * e[2, 2] - e[1, 2] * e[2, 1])
                  - e[0, 1] * (e[1, 0] * e[2, 2] - e[1, 2] * e[2, 0])
                  + e[0, 2] * (e[1, 0] * e[2, 1] - e[1, 1] * e[2, 0])) / 6.0
# oracle pts=f8[100,3] tets=i8[150,4]<100 vol=f8[150]


@njit
def local_covariance(X, win, out):
    """A small scratch matrix for each window."""
    n, d = X.shape
    for i in range(n - win + 1):
        mu = np.zeros(3)
        for j in range(win):
            for c in range(3):
                mu[c] += X[i + j, c]
        mu /= win
        for a in range(3):
            for b in range(3):
                s = 0.0
                for j in range(win):
                    s += (X[i + j, a] - mu[a]) * (X[i + j, b] - mu[b])
                out[i, a, b] = s / (win - 1)
# oracle X=f8[100,3] win=6 out=f8[95,3,3]
# oracle X=f8[300,3] win=10 out=f8[291,3,3]


@njit
def bin_photometry(stars, zero, counts, total):
    """Records: magnitudes to a table by band."""
    for i in range(stars.shape[0]):
        s = stars[i]
        total[s.band] += zero * s.flux
        counts[s["band"]] += 1
# oracle stars=star[200] zero=2.0 counts=i8[5] total=f8[5]


@njit
def centroid(stars):
    sx = 0.0
    sy = 0.0
    sw = 0.0
    for s in stars:
        sx += s.x * s.flux
        sy += s.y * s.flux
        sw += s.flux
    return sx / sw, sy / sw
# oracle stars=star[256]
# oracle stars=star[1001]


def sepia(img):
    """img: uint8 array (H, W, 3)."""
    r = img[..., 0].astype(np.float32)
    g = img[..., 1].astype(np.float32)
    b = img[..., 2].astype(np.float32)
    out = np.empty_like(img)
    out[..., 0] = np.clip(0.393 * r + 0.769 * g + 0.189 * b, 0, 255)
    out[..., 1] = np.clip(0.349 * r + 0.686 * g + 0.168 * b, 0, 255)
    out[..., 2] = np.clip(0.272 * r + 0.534 * g + 0.131 * b, 0, 255)
    return out
# oracle img=u1[20,30,3]
# oracle img=u1[64,48,3]


@njit
def contrast_stretch(img, lo_cut=2, hi_cut=250):
    """img : (H, W) uint8 image"""
    lo = 255
    hi = 0
    for v in img.flat:
        if v < lo:
            lo = v
        if v > hi:
            hi = v
    scale = 255.0 / max(hi - lo, 1)
    out = np.empty_like(img)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = np.uint8((img[i, j] - lo) * scale)
    return out
# oracle img=u1[40,60]
# oracle img=u1[128,128]


@njit
def dit_stage(x, half, tw):
    """One stage of a decimation-in-time FFT on complex data."""
    n = len(x)
    step = 2 * half
    for start in range(0, n, step):
        for k in range(half):
            t = tw[k * (n // step)] * x[start + k + half]
            u = x[start + k]
            x[start + k] = u + t
            x[start + k + half] = u - t
# oracle x=c16[256] half=16 tw=c16[128]
# oracle x=c16[1024] half=256 tw=c16[512]


@njit
def lbm_moments(f, rho, ux, uy):
    nx, ny = rho.shape
    for i in range(nx):
        for j in range(ny):
            r = 0.0
            mx = 0.0
            my = 0.0
            for q in range(9):
                r += f[q, i, j]
                mx += CX[q] * f[q, i, j]
                my += CY[q] * f[q, i, j]
            rho[i, j] = r
            ux[i, j] = mx / r
            uy[i, j] = my / r
# oracle f=f8[9,20,30] rho=f8[20,30] ux=f8[20,30] uy=f8[20,30]
# oracle f=f8[9,12,100] rho=f8[12,100] ux=f8[12,100] uy=f8[12,100]
