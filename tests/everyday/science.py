"""Kernels of the sciences as people write them: lattices, particles, clusters, chains of states, sparse matrices."""

import math

import numpy as np
from numba import njit, prange


@njit
def lbm_collide(f, w, cx, cy, rho, omega):
    """D2Q9 collision: density and momentum, then relaxation."""
    ny, nx = rho.shape
    for y in range(ny):
        for x in range(nx):
            r = 0.0
            ux = 0.0
            uy = 0.0
            for q in range(9):
                r += f[q, y, x]
                ux += f[q, y, x] * cx[q]
                uy += f[q, y, x] * cy[q]
            rho[y, x] = r
            ux /= r
            uy /= r
            usq = 1.5 * (ux * ux + uy * uy)
            for q in range(9):
                cu = 3.0 * (cx[q] * ux + cy[q] * uy)
                feq = w[q] * r * (1.0 + cu + 0.5 * cu * cu - usq)
                f[q, y, x] += omega * (feq - f[q, y, x])
# oracle f=f8[9,12,16] w=f8[9] cx=f8[9] cy=f8[9] rho=f8[12,16] omega=1.2


@njit
def lbm_stream(f, g, cx, cy):
    """D2Q9 streaming on a torus."""
    nq, ny, nx = f.shape
    for q in range(nq):
        for y in range(ny):
            for x in range(nx):
                g[q, (y + cy[q]) % ny, (x + cx[q]) % nx] = f[q, y, x]
# oracle f=f8[9,12,16] g=f8[9,12,16] cx=i8[9]<2 cy=i8[9]<2


@njit
def deposit(x, w, grid, dx):
    """Cloud in cell: charges to a grid."""
    n = x.shape[0]
    for p in range(n):
        s = x[p] / dx
        i = int(math.floor(s))
        frac = s - i
        grid[i] += w[p] * (1.0 - frac)
        grid[i + 1] += w[p] * frac
# oracle x=f8[300] w=f8[300] grid=f8[40] dx=0.1


@njit
def push(x, v, e, dt, dx):
    """Fields to particles, and a step."""
    for p in range(len(x)):
        i = int(x[p] / dx)
        f = x[p] / dx - i
        v[p] += dt * (e[i] * (1.0 - f) + e[i + 1] * f)
        x[p] += dt * v[p]
# oracle x=f8[300] v=f8[300] e=f8[40] dt=0.001 dx=0.1


@njit
def kmeans_update(points, labels, centers, counts):
    """New centers from the labels."""
    k, d = centers.shape
    centers[:] = 0.0
    counts[:] = 0
    for i in range(points.shape[0]):
        c = labels[i]
        counts[c] += 1
        for j in range(d):
            centers[c, j] += points[i, j]
    for c in range(k):
        if counts[c] > 0:
            for j in range(d):
                centers[c, j] /= counts[c]
# oracle points=f8[80,4] labels=i8[80]<6 centers=f8[6,4] counts=i8[6]


@njit
def lennard_jones(pos, force, cutoff2):
    """Half of the pairs, with a cutoff."""
    n = pos.shape[0]
    energy = 0.0
    for i in range(n - 1):
        for j in range(i + 1, n):
            r2 = 0.0
            for k in range(3):
                d = pos[i, k] - pos[j, k]
                r2 += d * d
            if r2 < cutoff2:
                inv6 = 1.0 / (r2 * r2 * r2)
                energy += 4.0 * inv6 * (inv6 - 1.0)
                for k in range(3):
                    f = 24.0 * inv6 * (pos[i, k] - pos[j, k]) / r2
                    force[i, k] += f
                    force[j, k] -= f
    return energy
# oracle pos=f8[30,3] force=f8[30,3] cutoff2=0.2


@njit
def ising(spins, beta, rand):
    """Metropolis on a torus, with random numbers from outside."""
    n = spins.shape[0]
    for i in range(n):
        for j in range(n):
            nb = spins[(i + 1) % n, j] + spins[(i - 1) % n, j] + spins[i, (j + 1) % n] + spins[i, (j - 1) % n]
            de = 2.0 * spins[i, j] * nb
            if de <= 0.0 or rand[i, j] < math.exp(-beta * de):
                spins[i, j] = -spins[i, j]
# oracle spins=f8[24,24] beta=0.4 rand=f8[24,24]


@njit
def forward(obs, trans, emit, start, alpha):
    """The forward pass of a hidden Markov model."""
    t_max = len(obs)
    s = trans.shape[0]
    for k in range(s):
        alpha[0, k] = start[k] * emit[k, obs[0]]
    for t in range(1, t_max):
        for k in range(s):
            acc = 0.0
            for l in range(s):
                acc += alpha[t - 1, l] * trans[l, k]
            alpha[t, k] = acc * emit[k, obs[t]]
# oracle obs=i8[30]<5 trans=f8[8,8] emit=f8[8,5] start=f8[8] alpha=f8[30,8]


@njit
def edit_distance(a, b, d):
    """Integers only: no floating-point work."""
    n = len(a)
    m = len(b)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]
# oracle a=i8[40] b=i8[36] d=i8[41,37]


@njit
def needleman(a, b, h, gap=-2):
    """An integer default makes integers."""
    n = len(a)
    m = len(b)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            s = 3 if a[i - 1] == b[j - 1] else -1
            h[i, j] = max(h[i - 1, j - 1] + s, h[i - 1, j] + gap, h[i, j - 1] + gap, 0)
# oracle a=i8[40] b=i8[36] h=i8[41,37] gap=-2


@njit
def knapsack(values, weights, best):
    """Knapsack, from the back."""
    cap = len(best)
    for i in range(len(values)):
        w = weights[i]
        for c in range(cap - 1, w - 1, -1):
            t = best[c - w] + values[i]
            if t > best[c]:
                best[c] = t
# oracle values=f8[10] weights=i8[10]<8 best=f8[60]


@njit(parallel=True)
def spmv_parallel(indptr, indices, data, x, y):
    """CSR on all cores."""
    for i in prange(len(y)):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * x[indices[k]]
        y[i] = s
# oracle rows=40 nnz=200 indptr=i8[rows+1]^nnz indices=i8[nnz]<rows data=f8[nnz] x=f8[rows] y=f8[rows]


@njit
def pagerank(indptr, indices, deg, r, new, damping):
    """One sweep over the edges."""
    n = len(r)
    for i in range(n):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            s += r[j] / deg[j]
        new[i] = (1.0 - damping) / n + damping * s
# oracle n=40 nnz=200 indptr=i8[n+1]^nnz indices=i8[nnz]<n deg=f8[n] r=f8[n] new=f8[n] damping=0.85


@njit
def mandelbrot(out, max_iter):
    """Iterations that data end."""
    h, w = out.shape
    for i in range(h):
        for j in range(w):
            cr = -2.0 + 3.0 * j / w
            ci = -1.0 + 2.0 * i / h
            zr = 0.0
            zi = 0.0
            k = 0
            while k < max_iter and zr * zr + zi * zi < 4.0:
                t = zr * zr - zi * zi + cr
                zi = 2.0 * zr * zi + ci
                zr = t
                k += 1
            out[i, j] = k
# oracle out=f8[12,16] max_iter=20
