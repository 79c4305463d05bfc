"""Images, grids, signals and particles, with modes, borders, optional arguments and scratch arrays."""

import math

import numpy as np
from numba import njit, prange

KERNEL3 = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]])


@njit
def blur_u8(img, out, border="reflect"):
    """3 x 3 binomial blur of a byte image, edges clamped or skipped."""
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            acc = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    ii = i + di
                    jj = j + dj
                    if border == "reflect":
                        ii = -ii if ii < 0 else (2 * h - 2 - ii if ii >= h else ii)
                        jj = -jj if jj < 0 else (2 * w - 2 - jj if jj >= w else jj)
                    else:
                        ii = min(max(ii, 0), h - 1)
                        jj = min(max(jj, 0), w - 1)
                    acc += KERNEL3[di + 1, dj + 1] * img[ii, jj]
            out[i, j] = (acc + 8) >> 4
# oracle img=u1[40,52] out=u1[40,52]


@njit
def lbm_bgk(f, g, rho, ux, uy, cx, cy, wt, omega):
    """One collide-and-push step of D2Q9 on a periodic box."""
    ny, nx = rho.shape
    for y in range(ny):
        for x in range(nx):
            r = 0.0
            u = 0.0
            v = 0.0
            for q in range(9):
                fq = f[q, y, x]
                r += fq
                u += cx[q] * fq
                v += cy[q] * fq
            u /= r
            v /= r
            rho[y, x] = r
            ux[y, x] = u
            uy[y, x] = v
            usq = 1.5 * (u * u + v * v)
            for q in range(9):
                cu = 3.0 * (cx[q] * u + cy[q] * v)
                feq = wt[q] * r * (1.0 + cu + 0.5 * cu * cu - usq)
                g[q, (y + cy[q]) % ny, (x + cx[q]) % nx] = f[q, y, x] + omega * (feq - f[q, y, x])
# oracle f=f8[9,20,24] g=f8[9,20,24] rho=f8[20,24] ux=f8[20,24] uy=f8[20,24] cx=i8[9]<2 cy=i8[9]<2 wt=f8[9] omega=1.2


@njit
def _deposit(rho, x, q, dx):
    n = rho.shape[0]
    for p in range(x.shape[0]):
        s = x[p] / dx
        i = int(s)
        w = s - i
        rho[i % n] += q * (1.0 - w)
        rho[(i + 1) % n] += q * w


@njit
def _field(rho, phi, E, dx, sweeps):
    n = rho.shape[0]
    for _ in range(sweeps):
        for i in range(n):
            left = phi[i - 1] if i > 0 else phi[n - 1]
            right = phi[i + 1] if i < n - 1 else phi[0]
            phi[i] = 0.5 * (left + right + dx * dx * rho[i])
    for i in range(n):
        E[i] = (phi[i - 1] - phi[(i + 1) % n]) / (2.0 * dx)


@njit
def pic_step(x, v, rho, phi, E, dx, dt, steps, sweeps=4):
    """Electrostatic particle in cell, steps of deposit, solve and push."""
    n = rho.shape[0]
    length = n * dx
    for _ in range(steps):
        rho[:] = 0.0
        _deposit(rho, x, 1.0, dx)
        _field(rho, phi, E, dx, sweeps)
        for p in range(x.shape[0]):
            i = int(x[p] / dx) % n
            v[p] -= dt * E[i]
            x[p] += dt * v[p]
            if x[p] < 0.0:
                x[p] += length
            elif x[p] >= length:
                x[p] -= length
# oracle x=f8[300] v=f8[300] rho=f8[64] phi=f8[64] E=f8[64] dx=0.05 dt=0.01 steps=3 sweeps=4


@njit
def dilate_mask(mask, out, se):
    """Binary dilation with a structuring element; stops at the first hit."""
    h, w = mask.shape
    kh, kw = se.shape
    for i in range(h):
        for j in range(w):
            hit = 0
            for a in range(kh):
                y = i + a - kh // 2
                if y < 0 or y >= h:
                    continue
                for b in range(kw):
                    x = j + b - kw // 2
                    if x < 0 or x >= w:
                        continue
                    if se[a, b] and mask[y, x]:
                        hit = 1
                        break
                if hit:
                    break
            out[i, j] = hit
# oracle mask=u1[30,36]<2 out=u1[30,36] se=u1[3,3]<2


@njit
def label_rows(img, labels, parent):
    """First pass of two-pass connected components, with union-find."""
    h, w = img.shape
    nxt = 1
    for i in range(h):
        for j in range(w):
            if img[i, j] == 0:
                labels[i, j] = 0
                continue
            up = labels[i - 1, j] if i > 0 else 0
            left = labels[i, j - 1] if j > 0 else 0
            if up == 0 and left == 0:
                parent[nxt] = nxt
                labels[i, j] = nxt
                nxt += 1
            elif up != 0 and left != 0 and up != left:
                lo = min(up, left)
                hi = max(up, left)
                labels[i, j] = lo
                parent[hi] = lo
            else:
                labels[i, j] = up if up != 0 else left
    return nxt
# oracle img=u1[32,40]<2 labels=i4[32,40] parent=i4[1281]


@njit(parallel=True)
def resize_bilinear(img, out):
    """Bilinear resize, one output row per thread."""
    h, w = img.shape
    H, W = out.shape
    sy = h / H
    sx = w / W
    for i in prange(H):
        fy = (i + 0.5) * sy - 0.5
        y0 = int(math.floor(fy))
        wy = fy - y0
        y1 = min(y0 + 1, h - 1)
        y0 = max(y0, 0)
        for j in range(W):
            fx = (j + 0.5) * sx - 0.5
            x0 = int(math.floor(fx))
            wx = fx - x0
            x1 = min(x0 + 1, w - 1)
            x0 = max(x0, 0)
            top = img[y0, x0] * (1.0 - wx) + img[y0, x1] * wx
            bot = img[y1, x0] * (1.0 - wx) + img[y1, x1] * wx
            out[i, j] = top * (1.0 - wy) + bot * wy
# known traffic: rows that rounded numbers choose
# oracle img=f8[32,40] out=f8[48,60]


@njit
def rolling_stats(x, mean, std, window=16, ddof=1):
    """Rolling mean and standard deviation by sliding sums; the head is nan."""
    n = x.shape[0]
    s = 0.0
    s2 = 0.0
    for i in range(n):
        s += x[i]
        s2 += x[i] * x[i]
        if i >= window:
            old = x[i - window]
            s -= old
            s2 -= old * old
        if i < window - 1:
            mean[i] = np.nan
            std[i] = np.nan
        else:
            m = s / window
            mean[i] = m
            var = (s2 - window * m * m) / (window - ddof)
            std[i] = math.sqrt(max(var, 0.0))
# oracle x=f8[700] mean=f8[700] std=f8[700]
# oracle x=f8[700] mean=f8[700] std=f8[700] window=40 ddof=0


@njit
def butterfly_stage(re, im, span, inverse=False):
    """One radix-2 stage over split complex arrays."""
    n = re.shape[0]
    sign = 1.0 if inverse else -1.0
    for start in range(0, n, 2 * span):
        for k in range(span):
            ang = sign * math.pi * k / span
            c = math.cos(ang)
            s = math.sin(ang)
            a = start + k
            b = a + span
            tr = re[b] * c - im[b] * s
            ti = re[b] * s + im[b] * c
            re[b] = re[a] - tr
            im[b] = im[a] - ti
            re[a] += tr
            im[a] += ti
# known traffic: two halves of a block, at the smallest cache
# oracle re=f8[512] im=f8[512] span=16
# oracle re=f8[512] im=f8[512] span=128 inverse=1


@njit
def goertzel_bank(x, freqs, power, fs=8000.0):
    """Power at a few frequencies, by Goertzel's recurrence."""
    n = x.shape[0]
    for f in range(freqs.shape[0]):
        w = 2.0 * math.pi * freqs[f] / fs
        coeff = 2.0 * math.cos(w)
        s1 = 0.0
        s2 = 0.0
        for i in range(n):
            s0 = x[i] + coeff * s1 - s2
            s2 = s1
            s1 = s0
        power[f] = s1 * s1 + s2 * s2 - coeff * s1 * s2
# oracle x=f8[400] freqs=f8[12] power=f8[12]


@njit
def interp_table(xs, table_x, table_y, out, extrapolate=None):
    """Linear interpolation in a sorted table by bisection."""
    m = table_x.shape[0]
    for i in range(xs.shape[0]):
        x = xs[i]
        if x < table_x[0] or x > table_x[m - 1]:
            if extrapolate is None:
                out[i] = np.nan
            else:
                out[i] = extrapolate
            continue
        lo = 0
        hi = m - 1
        while hi - lo > 1:
            mid = (lo + hi) // 2
            if table_x[mid] <= x:
                lo = mid
            else:
                hi = mid
        t = (x - table_x[lo]) / (table_x[hi] - table_x[lo])
        out[i] = table_y[lo] + t * (table_y[hi] - table_y[lo])
# oracle xs=f8[500] table_x=f8[128] table_y=f8[128] out=f8[500]


@njit
def heat_driver(u, v, alpha, steps, tol=None):
    """Explicit diffusion with swapped buffers and an optional stop."""
    n, m = u.shape
    src = u
    dst = v
    for t in range(steps):
        change = 0.0
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                lap = src[i - 1, j] + src[i + 1, j] + src[i, j - 1] + src[i, j + 1] - 4.0 * src[i, j]
                dst[i, j] = src[i, j] + alpha * lap
                change = max(change, abs(alpha * lap))
        src, dst = dst, src
        if tol is not None:
            if change < tol:
                break
    return src
# oracle u=f8[30,34] v=f8[30,34] alpha=0.1 steps=4
# oracle u=f8[30,34] v=f8[30,34] alpha=0.1 steps=5 tol=0.0001


@njit
def clip_to_window(x, lo, hi, out, inclusive=True):
    """Keeps the samples inside a window, packed to the front."""
    k = 0
    for i in range(x.shape[0]):
        keep = lo <= x[i] <= hi if inclusive else lo < x[i] < hi
        if keep:
            out[k] = x[i]
            k += 1
    return k
# oracle x=f8[900] lo=0.25 hi=0.75 out=f8[900]
