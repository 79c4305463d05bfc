"""Images in bytes, words in codes, neighbour lists, seasons and constraints: options, windows and swapped buffers."""

import math

import numpy as np
from numba import njit

BODY = np.dtype([("x", np.float64), ("y", np.float64), ("vx", np.float64), ("vy", np.float64), ("cell", np.int32)])
CODE = np.array([3, 0, 2, 1], dtype=np.uint8)


@njit
def box_running(img, out, r=2):
    """A box filter by running sums along each row, with clamped ends."""
    h, w = img.shape
    for i in range(h):
        total = 0
        count = 0
        for j in range(min(r, w)):
            total += img[i, j]
            count += 1
        for j in range(w):
            if j + r < w:
                total += img[i, j + r]
                count += 1
            if j - r - 1 >= 0:
                total -= img[i, j - r - 1]
                count -= 1
            out[i, j] = total // count
# oracle img=u1[30,200]<256 out=u1[30,200]
# oracle img=u1[12,90]<256 out=u1[12,90] r=5


@njit
def superpixel_assign(img, cy, cx, cval, label, best, step, weight):
    """SLIC: each centre looks at the window around it."""
    h, w = img.shape
    best[:, :] = 1e30
    for k in range(cy.shape[0]):
        y0 = max(cy[k] - step, 0)
        y1 = min(cy[k] + step + 1, h)
        x0 = max(cx[k] - step, 0)
        x1 = min(cx[k] + step + 1, w)
        for y in range(y0, y1):
            for x in range(x0, x1):
                dv = img[y, x] - cval[k]
                d = dv * dv + weight * ((y - cy[k]) ** 2 + (x - cx[k]) ** 2)
                if d < best[y, x]:
                    best[y, x] = d
                    label[y, x] = k
# oracle img=f8[40,60] cy=i8[12]<40 cx=i8[12]<60 cval=f8[12] label=i4[40,60] best=f8[40,60] step=10 weight=0.01


@njit
def match_histogram(src, hist_ref, out, lut):
    """Histogram specification of a byte image."""
    hist = np.zeros(256, np.int64)
    for i in range(src.shape[0]):
        for j in range(src.shape[1]):
            hist[src[i, j]] += 1
    total = src.size
    ref_total = hist_ref.sum()
    c = 0
    k = 0
    cr = hist_ref[0]
    for v in range(256):
        c += hist[v]
        target = c / total
        while k < 255 and cr / ref_total < target:
            k += 1
            cr += hist_ref[k]
        lut[v] = k
    for i in range(src.shape[0]):
        for j in range(src.shape[1]):
            out[i, j] = lut[src[i, j]]
# oracle src=u1[64,80]<256 hist_ref=i8[256]<50 out=u1[64,80] lut=u1[256]


@njit
def median_huang(img, out, r):
    """Sliding histogram median: move one column in, one out."""
    h, w = img.shape
    half = ((2 * r + 1) * (2 * r + 1)) // 2
    hist = np.zeros(256, np.int32)
    for i in range(r, h - r):
        hist[:] = 0
        for di in range(-r, r + 1):
            for dj in range(-r, r + 1):
                hist[img[i + di, r + dj]] += 1
        for j in range(r, w - r):
            if j > r:
                for di in range(-r, r + 1):
                    hist[img[i + di, j - r - 1]] -= 1
                    hist[img[i + di, j + r]] += 1
            acc = 0
            m = 0
            while acc + hist[m] <= half:
                acc += hist[m]
                m += 1
            out[i, j] = m
# oracle img=u1[20,48]<64 out=u1[20,48] r=2


@njit
def reverse_complement(seq, out, complement=True):
    """2-bit codes of a strand, read backwards."""
    n = len(seq)
    for i in range(n):
        c = seq[n - 1 - i]
        if complement:
            out[i] = CODE[c]
        else:
            out[i] = c
# oracle seq=u1[5000]<4 out=u1[5000]


@njit
def z_function(s, z):
    """Lengths of common prefixes."""
    n = s.shape[0]
    z[0] = n
    l = 0
    r = 0
    for i in range(1, n):
        k = 0
        if i < r:
            k = min(r - i, z[i - l])
        while i + k < n and s[k] == s[i + k]:
            k += 1
        z[i] = k
        if i + k > r:
            l = i
            r = i + k
# oracle s=u1[3000]<3 z=i8[3000]


@njit
def count_inversions(a, tree):
    """A Fenwick tree over ranks."""
    n = tree.shape[0] - 1
    tree[:] = 0
    inv = 0
    for i in range(a.shape[0] - 1, -1, -1):
        k = a[i]
        while k > 0:
            inv += tree[k]
            k -= k & -k
        k = a[i] + 1
        while k <= n:
            tree[k] += 1
            k += k & -k
    return inv
# oracle a=i8[1000]<500 tree=i8[501]


@njit
def shell_sort(a):
    n = a.shape[0]
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            t = a[i]
            j = i
            while j >= gap and a[j - gap] > t:
                a[j] = a[j - gap]
                j -= gap
            a[j] = t
        gap //= 2
# oracle a=f8[700]


@njit
def build_neighbours(pos, box, rc, start, nbr):
    """A half neighbour list under minimum image; the pairs of particle i are start[i]:start[i+1]."""
    n = pos.shape[0]
    rc2 = rc * rc
    k = 0
    for i in range(n):
        start[i] = k
        for j in range(i + 1, n):
            r2 = 0.0
            for a in range(3):
                d = pos[i, a] - pos[j, a]
                d -= box * np.round(d / box)
                r2 += d * d
            if r2 < rc2:
                nbr[k] = j
                k += 1
    start[n] = k
    return k
# oracle pos=f8[90,3] box=1.0 rc=0.3 start=i8[91] nbr=i8[4005]


@njit
def pair_energy(pos, start, nbr, eps, sigma, force):
    """Lennard-Jones over a neighbour list."""
    force[:, :] = 0.0
    e = 0.0
    for i in range(pos.shape[0]):
        for k in range(start[i], start[i + 1]):
            j = nbr[k]
            dx = pos[i, 0] - pos[j, 0]
            dy = pos[i, 1] - pos[j, 1]
            dz = pos[i, 2] - pos[j, 2]
            r2 = dx * dx + dy * dy + dz * dz
            s6 = (sigma * sigma / r2) ** 3
            e += 4 * eps * (s6 * s6 - s6)
            f = 24 * eps * (2 * s6 * s6 - s6) / r2
            force[i, 0] += f * dx
            force[i, 1] += f * dy
            force[i, 2] += f * dz
            force[j, 0] -= f * dx
            force[j, 1] -= f * dy
            force[j, 2] -= f * dz
    return e
# oracle nnz=1500 pos=f8[200,3] start=i8[201]^nnz nbr=i8[nnz]<200 eps=1.0 sigma=0.2 force=f8[200,3]


@njit
def holt_winters(y, season, alpha=0.3, beta=0.05, gamma=0.1, m=12):
    """Triple smoothing; season holds one factor a month."""
    level = y[0]
    trend = 0.0
    sse = 0.0
    for t in range(1, y.shape[0]):
        s = t % m
        forecast = level + trend + season[s]
        err = y[t] - forecast
        sse += err * err
        last = level
        level = alpha * (y[t] - season[s]) + (1 - alpha) * (level + trend)
        trend = beta * (level - last) + (1 - beta) * trend
        season[s] = gamma * (y[t] - level) + (1 - gamma) * season[s]
    return sse / (y.shape[0] - 1)
# oracle y=f8[2000] season=f8[12]


@njit
def rope_constraints(p, prev, rest, iters, dt, gravity=-9.81, pinned=True):
    """Verlet rope: integrate, then satisfy the distances several times."""
    n = p.shape[0]
    for i in range(n):
        vx = p[i, 0] - prev[i, 0]
        vy = p[i, 1] - prev[i, 1]
        prev[i, 0] = p[i, 0]
        prev[i, 1] = p[i, 1]
        p[i, 0] += vx
        p[i, 1] += vy + gravity * dt * dt
    for _ in range(iters):
        if pinned:
            p[0, 0] = 0.0
            p[0, 1] = 0.0
        for i in range(n - 1):
            dx = p[i + 1, 0] - p[i, 0]
            dy = p[i + 1, 1] - p[i, 1]
            d = math.sqrt(dx * dx + dy * dy)
            diff = (d - rest) / d * 0.5
            p[i, 0] += dx * diff
            p[i, 1] += dy * diff
            p[i + 1, 0] -= dx * diff
            p[i + 1, 1] -= dy * diff
# oracle p=f8[500,2] prev=f8[500,2] rest=0.1 iters=8 dt=0.01


@njit
def step_bodies(b, w, h, dt, grid, bounce):
    """Records that move, bounce or wrap, and are counted in their cell."""
    grid[:, :] = 0
    gy, gx = grid.shape
    for i in range(b.shape[0]):
        x = b[i]["x"] + dt * b[i]["vx"]
        y = b[i]["y"] + dt * b[i]["vy"]
        if bounce == 1:
            if x < 0 or x >= w:
                b[i]["vx"] = -b[i]["vx"]
                x = min(max(x, 0.0), w - 1e-9)
            if y < 0 or y >= h:
                b[i]["vy"] = -b[i]["vy"]
                y = min(max(y, 0.0), h - 1e-9)
        else:
            x = x % w
            y = y % h
        b[i]["x"] = x
        b[i]["y"] = y
        cx = int(x / w * gx)
        cy = int(y / h * gy)
        b[i]["cell"] = cy * gx + cx
        grid[cy, cx] += 1
# oracle b=BODY[400] w=2.0 h=2.0 dt=0.01 grid=i4[16,16] bounce=0
# oracle b=BODY[300] w=1.0 h=1.0 dt=0.1 grid=i4[8,8] bounce=1
