"""Sparse matrices, graphs and meshes."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def sieve_mark(n, f):
    c = 0
    for i in range(2, n):
        if i * i > n:
            break
        for j in range(i * i, n, i):
            f[j] = 1
    for i in range(2, n):
        c += f[i]
    return c * 0.5
# expect bound status = exact
# oracle n=30 f=i8[31]


@njit
def csr_transpose_product(n, ptr, col, val, x, y):
    for j in range(n):
        y[j] = 0.0
    for i in range(n):
        xi = x[i]
        for k in range(ptr[i], ptr[i + 1]):
            y[col[k]] += val[k] * xi
# expect bound status = parametric
# oracle n=5 ptr=i8[6]^12 col=i8[12]<5 val=f8[12] x=f8[5] y=f8[5]


@njit
def csr_two_sweeps(n, ptr, col, val, x):
    s = 0.0
    for i in range(n):
        for k in range(ptr[i], ptr[i + 1]):
            s += val[k] * x[col[k]]
    for i in range(n - 1, -1, -1):
        for k in range(ptr[i], ptr[i + 1]):
            s -= val[k]
    return s
# expect bound status = parametric
# oracle n=5 ptr=i8[6]^12 col=i8[12]<5 val=f8[12] x=f8[5]


@njit
def csr_row_scaling_by_while(n, ptr, val):
    for i in range(n):
        k = ptr[i]
        while k < ptr[i + 1]:
            val[k] *= 2.0
            k += 1
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 ptr=i8[6]^12 val=f8[12]


@njit
def triangle_counting_csr(n, ptr, col):
    c = 0
    for u in range(n):
        for k in range(ptr[u], ptr[u + 1]):
            v = col[k]
            for l in range(ptr[v], ptr[v + 1]):
                if col[l] > v:
                    c += 1
    return c * 1.0
# expect bound status = exact
# oracle n=5 ptr=i8[6]^12 col=i8[12]<5


@njit
def bfs_queue(n, ptr, col, d, q):
    head = 0
    tail = 1
    while head < tail and head < 6:
        u = q[head]
        head += 1
        for k in range(ptr[u], ptr[u + 1]):
            v = col[k]
            if d[v] < 0:
                d[v] = d[u] + 1
                q[tail] = v
                tail += 1
    return d[0]
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 ptr=i8[7]^14 col=i8[14]<6 d=f8[6] q=i8[20]<6


@njit
def floyd_warshall_with_a_guard(n, D):
    for k in range(n):
        for i in range(n):
            if i == k:
                continue
            dik = D[i, k]
            for j in range(n):
                if j == k or j == i:
                    continue
                if dik + D[k, j] < D[i, j]:
                    D[i, j] = dik + D[k, j]
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 D=f8[6,6]


@njit
def bellman_ford(n, m, src, dst, w, d):
    for k in range(n - 1):
        for e in range(m):
            t = d[src[e]] + w[e]
            if t < d[dst[e]]:
                d[dst[e]] = t
# expect bound status = exact
# oracle n=5 m=7 src=i8[7]<5 dst=i8[7]<5 w=f8[7] d=f8[5]


@njit
def pagerank_of_csr(n, it, ptr, col, r, q, deg):
    for t in range(it):
        for i in range(n):
            s = 0.0
            for k in range(ptr[i], ptr[i + 1]):
                s += r[col[k]] / deg[col[k]]
            q[i] = 0.15 / n + 0.85 * s
        r, q = q, r
# expect bound status = parametric
# oracle n=5 it=3 ptr=i8[6]^12 col=i8[12]<5 r=f8[5] q=f8[5] deg=f8[5]


def csr_by_slices(n, ptr, col, val, x, y):
    for i in range(n):
        y[i] = val[ptr[i] : ptr[i + 1]] @ x[col[ptr[i] : ptr[i + 1]]]
# expect bound status = parametric
# oracle n=5 ptr=i8[6]^12 col=i8[12]<5 val=f8[12] x=f8[5] y=f8[5]


@njit
def ellpack_product(n, w, col, val, x, y):
    for i in range(n):
        s = 0.0
        for k in range(w):
            if col[i, k] >= 0:
                s += val[i, k] * x[col[i, k]]
        y[i] = s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 w=3 col=i8[5,3]<5 val=f8[5,3] x=f8[5] y=f8[5]


@njit
def mesh_gather(tri, xy, area):
    for k in range(tri.shape[0]):
        a, b, c = tri[k]
        ax, ay = xy[a]
        bx, by = xy[b]
        cx, cy = xy[c]
        s = 0.5 * abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay))
        for v in tri[k]:
            area[v] += s / 3.0
# expect bound status = exact
# oracle e=4 tri=i8[4,3]<6 xy=f8[6,2] area=f8[6]
