"""Everyday kernels of several fields: particles, sequences, sets, splines, statistics, queues, images, solvers."""

import numpy as np
from numba import njit

PARTICLE = np.dtype([("x", np.float64), ("y", np.float64), ("vx", np.float64), ("vy", np.float64), ("alive", np.int64)])


@njit
def emit_and_move(p, dt, width, height):
    moved = 0
    for i in range(p.shape[0]):
        if p[i].alive == 0:
            continue
        p[i].x += p[i].vx * dt
        p[i].y += p[i].vy * dt
        if p[i].x < 0.0 or p[i].x > width:
            p[i].vx = -p[i].vx
        if p[i].y < 0.0 or p[i].y > height:
            p[i].vy = -p[i].vy
        moved += 1
    return moved
# oracle p=PARTICLE[700] dt=0.01 width=1.0 height=1.0


@njit
def codon_table(seq, table, out):
    n = seq.shape[0] // 3
    for i in range(n):
        code = 0
        for k in range(3):
            code = code * 4 + (seq[3 * i + k] & 3)
        out[i] = table[code]
    return n
# oracle seq=u1[6000]<4 table=u1[64]<20 out=u1[2000]


@njit
def union_find(parent, edges):
    for i in range(parent.shape[0]):
        parent[i] = i
    merged = 0
    for e in range(edges.shape[0]):
        a = edges[e, 0]
        b = edges[e, 1]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[a] = b
            merged += 1
    return merged
# oracle parent=i8[900]<900 edges=i8[1200,2]<900


@njit
def natural_spline_eval(xk, a, b, c, d, xs, out):
    m = xk.shape[0]
    for i in range(xs.shape[0]):
        lo = 0
        hi = m - 1
        while hi - lo > 1:
            mid = (lo + hi) // 2
            if xk[mid] > xs[i]:
                hi = mid
            else:
                lo = mid
        t = xs[i] - xk[lo]
        out[i] = a[lo] + t * (b[lo] + t * (c[lo] + t * d[lo]))
# oracle xk=f8[64]^2 a=f8[64] b=f8[64] c=f8[64] d=f8[64] xs=f8[1000] out=f8[1000]


@njit
def rolling_skew(x, w, out):
    n = x.size
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    for i in range(n):
        v = x[i]
        s1 += v
        s2 += v * v
        s3 += v * v * v
        if i >= w:
            u = x[i - w]
            s1 -= u
            s2 -= u * u
            s3 -= u * u * u
        if i < w - 1:
            out[i] = np.nan
        else:
            m = s1 / w
            var = s2 / w - m * m
            if var <= 0.0:
                out[i] = 0.0
            else:
                out[i] = (s3 / w - 3.0 * m * s2 / w + 2.0 * m ** 3) / var ** 1.5
# oracle x=f8[2500] w=40 out=f8[2500]


@njit
def event_loop(t_arr, t_srv, wait):
    n = t_arr.size
    clock = 0.0
    free = 0.0
    busy = 0.0
    for i in range(n):
        clock += t_arr[i]
        start = max(clock, free)
        wait[i] = start - clock
        free = start + t_srv[i]
        busy += t_srv[i]
    return busy / free
# oracle t_arr=f8[3000] t_srv=f8[3000] wait=f8[3000]


@njit
def erode_cross(img, out, iterations):
    h, w = img.shape
    src = img.copy()
    dst = np.zeros_like(img)
    for it in range(iterations):
        for y in range(h):
            for x in range(w):
                m = src[y, x]
                if y > 0:
                    m = min(m, src[y - 1, x])
                if y < h - 1:
                    m = min(m, src[y + 1, x])
                if x > 0:
                    m = min(m, src[y, x - 1])
                if x < w - 1:
                    m = min(m, src[y, x + 1])
                dst[y, x] = m
        src, dst = dst, src
    out[:, :] = src
# oracle img=u1[40,64]<256 out=u1[40,64] iterations=3


@njit
def tridiag_lines(a, b, c, d, x):
    nl, n = d.shape
    cp = np.empty(n)
    dp = np.empty(n)
    for l in range(nl):
        cp[0] = c[0] / b[0]
        dp[0] = d[l, 0] / b[0]
        for i in range(1, n):
            m = b[i] - a[i] * cp[i - 1]
            cp[i] = c[i] / m
            dp[i] = (d[l, i] - a[i] * dp[i - 1]) / m
        x[l, n - 1] = dp[n - 1]
        for i in range(n - 2, -1, -1):
            x[l, i] = dp[i] - cp[i] * x[l, i + 1]
# oracle a=f8[96] b=f8[96] c=f8[96] d=f8[40,96] x=f8[40,96]


@njit
def vcycle_smooth(u, f, levels, sweeps):
    n = u.shape[1]
    for lev in range(levels):
        step = 1 << lev
        m = (n - 1) // step
        for s in range(sweeps):
            for i in range(1, m):
                u[lev, i] = 0.5 * (u[lev, i - 1] + u[lev, i + 1] + f[lev, i])
        for i in range(1, m // 2):
            f[lev + 1, i] = 0.25 * (f[lev, 2 * i - 1] + 2.0 * f[lev, 2 * i] + f[lev, 2 * i + 1])
# oracle u=f8[5,513] f=f8[5,513] levels=4 sweeps=2


@njit
def lagged_products(x, maxlag, out):
    n = x.shape[0]
    mean = 0.0
    for i in range(n):
        mean += x[i]
    mean /= n
    for lag in range(maxlag):
        s = 0.0
        for i in range(n):
            j = i + lag
            if j >= n:
                break
            s += (x[i] - mean) * (x[j] - mean)
        out[lag] = s / (n - lag)
# oracle x=f8[1200] maxlag=40 out=f8[40]


@njit
def min_plus_rows(cost, steps):
    n, m = cost.shape
    best = cost[0].copy()
    nxt = np.empty(m)
    for i in range(1, n):
        for j in range(m):
            a = best[j]
            if j > 0 and best[j - 1] < a:
                a = best[j - 1]
            if j < m - 1 and best[j + 1] < a:
                a = best[j + 1]
            nxt[j] = a + cost[i, j]
        best, nxt = nxt, best
    return best.min()
# oracle cost=f8[60,80] steps=1


@njit
def walk_line(grid, x0, y0, dx, dy, steps):
    h, w = grid.shape
    x = x0
    y = y0
    total = 0.0
    for s in range(steps):
        xi = int(x)
        yi = int(y)
        if xi < 0 or yi < 0 or xi >= w or yi >= h:
            break
        total += grid[yi, xi]
        x += dx
        y += dy
    return total
# oracle grid=f8[64,64] x0=3.5 y0=4.5 dx=0.3 dy=0.2 steps=150
