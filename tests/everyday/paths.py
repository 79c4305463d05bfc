"""Ways through a lattice, a band, a grid and a triangular system, found step by step."""

import math

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def viterbi_path(obs, logA, logB, logpi, back, path):
    """Most likely states, with two columns of scores and back pointers."""
    T = obs.shape[0]
    S = logA.shape[0]
    prev = np.empty(S)
    cur = np.empty(S)
    for s in range(S):
        prev[s] = logpi[s] + logB[s, obs[0]]
    for t in range(1, T):
        for s in range(S):
            best = -np.inf
            arg = 0
            for q in range(S):
                v = prev[q] + logA[q, s]
                if v > best:
                    best = v
                    arg = q
            cur[s] = best + logB[s, obs[t]]
            back[t, s] = arg
        prev, cur = cur, prev
    last = 0
    for s in range(1, S):
        if prev[s] > prev[last]:
            last = s
    path[T - 1] = last
    for t in range(T - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return prev[last]
# oracle obs=i8[60]<16 logA=f8[12,12] logB=f8[12,16] logpi=f8[12] back=i4[60,12] path=i8[60]


@njit
def dtw_window(x, y, window=10):
    """Dynamic time warping in a Sakoe-Chiba band, whole cost matrix."""
    n = x.shape[0]
    m = y.shape[0]
    w = max(window, abs(n - m))
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(max(1, i - w), min(m, i + w) + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return math.sqrt(D[n, m])
# oracle x=f8[60] y=f8[56] window=8


@njit
def csr_lower_solve(indptr, indices, data, b, x):
    """Forward substitution; the diagonal is the last entry of a row."""
    n = b.shape[0]
    for i in range(n):
        s = b[i]
        start = indptr[i]
        end = indptr[i + 1]
        for k in range(start, end - 1):
            s -= data[k] * x[indices[k]]
        x[i] = s / data[end - 1]
# oracle indptr=i4[301]^1500 indices=i4[1500]<300 data=f8[1500] b=f8[300] x=f8[300]


@njit
def raycast_grid(grid, ox, oy, angles, hits, max_range):
    """2D DDA through an occupancy grid."""
    h, w = grid.shape
    for a in range(angles.shape[0]):
        dx = math.cos(angles[a])
        dy = math.sin(angles[a])
        x = int(ox)
        y = int(oy)
        sx = 1 if dx > 0 else -1
        sy = 1 if dy > 0 else -1
        tdx = abs(1.0 / dx) if dx != 0 else 1e30
        tdy = abs(1.0 / dy) if dy != 0 else 1e30
        tx = (x + 1 - ox) * tdx if dx > 0 else (ox - x) * tdx
        ty = (y + 1 - oy) * tdy if dy > 0 else (oy - y) * tdy
        t = 0.0
        hit = max_range
        while t < max_range:
            if tx < ty:
                t = tx
                tx += tdx
                x += sx
            else:
                t = ty
                ty += tdy
                y += sy
            if x < 0 or x >= w or y < 0 or y >= h:
                break
            if grid[y, x]:
                hit = t
                break
        hits[a] = hit
# oracle grid=u1[80,80]<1 ox=20.5 oy=10.5 angles=f8[90] hits=f8[90] max_range=30.0
