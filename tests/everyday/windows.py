"""Windows that are clamped at the ends, neighbours that wrap around, subscripts made of min and max."""

import numpy as np
from numba import njit, stencil


@njit
def clamped_mean_loop(x, out, w):
    """A window clamped at both ends, as loops."""
    n = len(x)
    for i in range(n):
        lo = max(0, i - w)
        hi = min(n, i + w + 1)
        s = 0.0
        for k in range(lo, hi):
            s += x[k]
        out[i] = s / (hi - lo)
# oracle x=f8[200] out=f8[200] w=4


@njit
def clamped_mean_slice(x, out, w):
    """The same with a slice and mean."""
    n = len(x)
    for i in range(n):
        out[i] = x[max(0, i - w + 1):i + 1].mean()
# oracle x=f8[200] out=f8[200] w=4


@njit
def clamped_sum_slice(x, out, w):
    """A slice clamped at both ends."""
    n = len(x)
    for i in range(n):
        out[i] = np.sum(x[max(0, i - w):min(n, i + w + 1)])
# oracle x=f8[200] out=f8[200] w=4


@njit
def clamped_max_of_whole_lines(x, out, w):
    """A slice whose length is a maximum that holds its own start; whole lines, so that no end hides a wrong one."""
    n = len(x)
    for i in range(n):
        out[i] = x[max(0, i - w + 1):i + 1].max()
# oracle x=f8[704] out=f8[704] w=20


@njit
def periodic_if(u, out):
    """Neighbours by conditional expressions."""
    n = len(u)
    for i in range(n):
        ip = i + 1 if i < n - 1 else 0
        im = i - 1 if i > 0 else n - 1
        out[i] = u[ip] - 2.0 * u[i] + u[im]
# oracle u=f8[200] out=f8[200]


@njit
def periodic_2d(u, out):
    """A five-point stencil on a torus."""
    n, m = u.shape
    for i in range(n):
        up = (i - 1) % n
        down = (i + 1) % n
        for j in range(m):
            left = (j - 1) % m
            right = (j + 1) % m
            out[i, j] = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4.0 * u[i, j]
# oracle u=f8[24,40] out=f8[24,40]


@njit
def clamp_subscripts(u, out):
    """Neighbours clamped by min and max."""
    n = u.shape[0]
    for i in range(n):
        out[i] = 0.5 * (u[max(i - 1, 0)] + u[min(i + 1, n - 1)])
# oracle u=f8[200] out=f8[200]


@njit
def clamp_2d(img, out):
    """An edge-padded 3x3 mean."""
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            s = 0.0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    ii = min(max(i + di, 0), h - 1)
                    jj = min(max(j + dj, 0), w - 1)
                    s += img[ii, jj]
            out[i, j] = s / 9.0
# oracle img=f8[20,32] out=f8[20,32]


@njit
def rolling_rows(u, steps):
    """Two rows of a table, by modulo of the time."""
    n = u.shape[1]
    for t in range(steps):
        a = t % 2
        b = (t + 1) % 2
        for i in range(1, n - 1):
            u[b, i] = 0.5 * (u[a, i - 1] + u[a, i + 1])
# oracle u=f8[2,200] steps=6


@njit
def flat_index(a, out):
    """Rows and columns from a flat counter."""
    n, m = a.shape
    for k in range(n * m):
        i = k // m
        j = k % m
        out[i, j] = 2.0 * a[i, j]
# oracle a=f8[20,32] out=f8[20,32]


@njit
def autocorrelation(x, acf, nlags):
    """One pass a lag."""
    n = len(x)
    for lag in range(nlags):
        s = 0.0
        for i in range(n - lag):
            s += x[i] * x[i + lag]
        acf[lag] = s
# oracle x=f8[300] acf=f8[12] nlags=12


@njit
def median_window(x, out, w):
    """A row copied and sorted: no floating-point work."""
    n = len(x)
    for i in range(w, n - w):
        out[i] = np.median(x[i - w:i + w + 1])
# oracle x=f8[100] out=f8[100] w=2


@njit
def half(x, out):
    """Integer functions of a size."""
    n = len(x)
    h = int(n / 2)
    for i in range(h):
        out[i] = x[i] * x[n - 1 - i]
# oracle x=f8[301] out=f8[200]


@njit
def dtw(a, b, window):
    """Dynamic time warping in a band that depends on both lengths."""
    n = len(a)
    m = len(b)
    w = max(window, abs(n - m))
    d = np.full((n + 1, m + 1), np.inf)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(max(1, i - w), min(m, i + w) + 1):
            cost = abs(a[i - 1] - b[j - 1])
            d[i, j] = cost + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[n, m]
# oracle a=f8[40] b=f8[40] window=5


@njit
def block_sums(x, b):
    """Slices of whole blocks: the last one ends with the array."""
    n = len(x)
    blocks = int(np.ceil(n / b))
    out = np.zeros(blocks)
    for k in range(blocks):
        out[k] = x[k * b : (k + 1) * b].sum()
    return out
# oracle x=f8[61] b=7
# oracle x=f8[60] b=6


@njit
def stretches(x, y, k):
    """Slices that a loop moves along, beyond the end in the last iterations."""
    start = 0
    for _ in range(k):
        y[start : start + len(x)] += x[0]
        start += len(x)
# oracle x=f8[8] y=f8[64] k=8
# oracle x=f8[8] y=f8[20] k=8


@njit
def named_slices(x, k, backwards):
    """Slices under a name."""
    inner = slice(1, -1)
    step = -1 if backwards == 1 else 1
    s = x[inner].sum()
    for v in x[slice(k)]:
        s += v
    return s + x[slice(None, None, step)][0]
# oracle x=f8[40] k=7 backwards=1
# oracle x=f8[40] k=7 backwards=0

@njit
def torus(u, out):
    """One sweep over a torus."""
    n, m = u.shape
    for i in range(n):
        for j in range(m):
            out[i, j] = u[(i + 1) % n, j] + u[(i - 1) % n, j] + u[i, (j + 1) % m] + u[i, (j - 1) % m]
# oracle u=f8[24,40] out=f8[24,40]
# oracle u=f8[33,17] out=f8[33,17]

@njit
def torus_in_time(u, v, nt):
    """The same with two buffers."""
    n, m = u.shape
    for t in range(nt):
        for i in range(n):
            for j in range(m):
                v[i, j] = u[(i + 1) % n, j] + u[(i - 1) % n, j] + u[i, (j + 1) % m] + u[i, (j - 1) % m]
        u, v = v, u
# oracle u=f8[24,40] v=f8[24,40] nt=3
# oracle u=f8[60,32] v=f8[60,32] nt=4

@njit
def torus_in_place(u):
    """The same in place."""
    n, m = u.shape
    for t in range(3):
        for i in range(n):
            for j in range(m):
                u[i, j] = u[(i + 1) % n, j] + u[(i - 1) % n, j] + u[i, (j + 1) % m] + u[i, (j - 1) % m]
# oracle u=f8[24,40]
# oracle u=f8[60,32]

@njit
def wrapped_rows(u, v):
    """The row above the first is the last."""
    n, m = u.shape
    for i in range(n):
        ip = i + 1 if i < n - 1 else 0
        im = i - 1 if i > 0 else n - 1
        for j in range(m):
            v[i, j] = u[ip, j] - 2.0 * u[i, j] + u[im, j]
# oracle u=f8[60,32] v=f8[60,32]
# oracle u=f8[33,17] v=f8[33,17]


@njit
def add_windows(x, window, frames, hop):
    """Later windows start beyond the end of the signal, where the slice is empty."""
    n, k = len(x), len(window)
    for i in range(frames):
        start = i * hop
        x[start : min(n, start + k)] += window[: max(0, min(k, n - start))]
# oracle frames=8 hop=7 x=f8[9] window=f8[11]
# oracle frames=8 hop=7 x=f8[200] window=f8[11]


@njit
def tails(x, m, hop):
    """The loop is empty where the larger of two ends is its start."""
    for i in range(m):
        for j in range(max(0, len(x) - i * hop)):
            x[j] += 1.0
# oracle m=8 hop=7 x=f8[9]


AROUND = ((-1, 1), (-2, 2))


@stencil(neighborhood=AROUND)
def _box(a):
    s = 0.0
    for i in range(-1, 2):
        for j in range(-2, 3):
            s += a[i, j]
    return s / 15.0


@njit
def box_by_a_stencil(x, n):
    """A stencil whose subscripts are loop variables says how far they reach: the edges have no result."""
    for _ in range(n):
        x = _box(x)
    return x
# oracle x=f8[20,30] n=2


@njit
def median_clamped(x, half=3):
    """Running median with windows cut at the ends, insertion into a buffer."""
    n = x.size
    out = np.empty(n)
    buf = np.empty(2 * half + 1)
    for i in range(n):
        lo = max(0, i - half)
        hi = min(n, i + half + 1)
        m = 0
        for j in range(lo, hi):
            v = x[j]
            p = m
            while p > 0 and buf[p - 1] > v:
                buf[p] = buf[p - 1]
                p -= 1
            buf[p] = v
            m += 1
        if m % 2 == 1:
            out[i] = buf[m // 2]
        else:
            out[i] = 0.5 * (buf[m // 2 - 1] + buf[m // 2])
    return out
# oracle x=f8[400] half=3


@njit
def mean_of(x, start=0, stop=None):
    """The stop is None by default, and a number after the test."""
    if stop is None:
        stop = x.shape[0]
    s = 0.0
    for i in range(start, stop):
        s += x[i]
    return s / (stop - start), stop - start
# oracle x=f8[200]


@njit
def mean_of_clamped(x, out, half=10):
    n = x.shape[0]
    for i in range(n):
        m, count = mean_of(x, max(0, i - half), min(n, i + half + 1))
        out[i] = (x[i] - m) * count
# expect status = exact
# oracle x=f8[200] out=f8[200]
# oracle x=f4[64] out=f4[64] half=40
