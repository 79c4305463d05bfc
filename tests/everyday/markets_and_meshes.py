"""Simulated paths, queues, batches of small systems, shortest paths, and fields that drivers advance."""

import math

import numpy as np
from numba import njit, prange


@njit
def antithetic_call(s0, k, r, sigma, t, n, antithetic=True):
    """A call by Monte Carlo; with antithetic pairs."""
    drift = (r - 0.5 * sigma * sigma) * t
    vol = sigma * math.sqrt(t)
    acc = 0.0
    acc2 = 0.0
    for i in range(n):
        z = np.random.standard_normal()
        pay = max(s0 * math.exp(drift + vol * z) - k, 0.0)
        if antithetic:
            pay = 0.5 * (pay + max(s0 * math.exp(drift - vol * z) - k, 0.0))
        acc += pay
        acc2 += pay * pay
    mean = acc / n
    se = math.sqrt((acc2 / n - mean * mean) / n)
    return math.exp(-r * t) * mean, se
# oracle s0=100.0 k=105.0 r=0.03 sigma=0.2 t=1.0 n=500


@njit
def multi_server_queue(arrive, serve, free_at, wait):
    """M/M/c: each customer takes the server that is free first."""
    c = free_at.shape[0]
    busy = 0.0
    for i in range(arrive.shape[0]):
        s = 0
        for j in range(1, c):
            if free_at[j] < free_at[s]:
                s = j
        begin = arrive[i] if arrive[i] > free_at[s] else free_at[s]
        wait[i] = begin - arrive[i]
        free_at[s] = begin + serve[i]
        busy += serve[i]
    return busy / arrive.shape[0]
# oracle arrive=f8[1500] serve=f8[1500] free_at=f8[5] wait=f8[1500]


@njit
def _sift_down(keys, items, size):
    i = 0
    while 2 * i + 1 < size:
        c = 2 * i + 1
        if c + 1 < size and keys[c + 1] < keys[c]:
            c += 1
        if keys[i] <= keys[c]:
            break
        keys[i], keys[c] = keys[c], keys[i]
        items[i], items[c] = items[c], items[i]
        i = c


@njit
def dijkstra_csr(indptr, indices, weight, source, dist, keys, items):
    """Shortest paths with a binary heap in two arrays."""
    dist[:] = np.inf
    dist[source] = 0.0
    keys[0] = 0.0
    items[0] = source
    size = 1
    while size > 0:
        d = keys[0]
        u = items[0]
        size -= 1
        keys[0] = keys[size]
        items[0] = items[size]
        _sift_down(keys, items, size)
        if d > dist[u]:
            continue
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            nd = d + weight[e]
            if nd < dist[v]:
                dist[v] = nd
                j = size
                keys[j] = nd
                items[j] = v
                size += 1
                while j > 0 and keys[(j - 1) // 2] > keys[j]:
                    q = (j - 1) // 2
                    keys[j], keys[q] = keys[q], keys[j]
                    items[j], items[q] = items[q], items[j]
                    j = q
# oracle indptr=i8[151]^900 indices=i8[900]<150 weight=f8[900] source=0 dist=f8[150] keys=f8[1000] items=i8[1000]


@njit
def batched_solve(A, b, x, pivot=True):
    """Gaussian elimination of many small systems in scratch arrays."""
    nb, n = b.shape
    for k in range(nb):
        m = A[k].copy()
        v = b[k].copy()
        for c in range(n):
            if pivot:
                p = c
                for i in range(c + 1, n):
                    if abs(m[i, c]) > abs(m[p, c]):
                        p = i
                if p != c:
                    for j in range(n):
                        m[c, j], m[p, j] = m[p, j], m[c, j]
                    v[c], v[p] = v[p], v[c]
            for i in range(c + 1, n):
                f = m[i, c] / m[c, c]
                for j in range(c, n):
                    m[i, j] -= f * m[c, j]
                v[i] -= f * v[c]
        for i in range(n - 1, -1, -1):
            s = v[i]
            for j in range(i + 1, n):
                s -= m[i, j] * x[k, j]
            x[k, i] = s / m[i, i]
# oracle A=f8[40,6,6] b=f8[40,6] x=f8[40,6]
# oracle A=f8[30,5,5] b=f8[30,5] x=f8[30,5] pivot=0


@njit
def _laplacian(u, out, h2):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]) / h2


@njit
def cahn_hilliard(c, mu, new, steps, dt, h2, kappa):
    """Two Laplacians a step, buffers exchanged by the driver."""
    lap = np.zeros_like(c)
    for s in range(steps):
        _laplacian(c, lap, h2)
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                mu[i, j] = c[i, j] ** 3 - c[i, j] - kappa * lap[i, j]
        _laplacian(mu, lap, h2)
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                new[i, j] = c[i, j] + dt * lap[i, j]
        c, new = new, c
    return c
# oracle c=f8[30,40] mu=f8[30,40] new=f8[30,40] steps=4 dt=0.01 h2=1.0 kappa=0.5


@njit
def thermal_d1q3(f, feq, rho, omega, steps, wall=0):
    """A one-dimensional lattice Boltzmann diffusion: collide, stream, and walls of two kinds."""
    n = f.shape[1]
    for t in range(steps):
        for i in range(n):
            rho[i] = f[0, i] + f[1, i] + f[2, i]
            feq[0, i] = 4.0 / 6.0 * rho[i]
            feq[1, i] = rho[i] / 6.0
            feq[2, i] = rho[i] / 6.0
            for k in range(3):
                f[k, i] = (1 - omega) * f[k, i] + omega * feq[k, i]
        for i in range(n - 1, 0, -1):
            f[1, i] = f[1, i - 1]
        for i in range(n - 1):
            f[2, i] = f[2, i + 1]
        if wall == 0:
            f[1, 0] = f[2, 0]
            f[2, n - 1] = f[1, n - 1]
        else:
            f[1, 0] = 1.0 - f[0, 0] - f[2, 0]
            f[2, n - 1] = -f[0, n - 1] - f[1, n - 1]
# oracle f=f8[3,600] feq=f8[3,600] rho=f8[600] omega=1.2 steps=5
# oracle f=f8[3,200] feq=f8[3,200] rho=f8[200] omega=1.2 steps=5 wall=1


@njit
def deposit_cic(x, y, q, rho, dx):
    """Cloud in cell on a periodic grid."""
    ny, nx = rho.shape
    rho[:] = 0.0
    for p in range(x.shape[0]):
        gx = x[p] / dx
        gy = y[p] / dx
        i = int(math.floor(gx))
        j = int(math.floor(gy))
        fx = gx - i
        fy = gy - j
        i = i % nx
        j = j % ny
        i1 = (i + 1) % nx
        j1 = (j + 1) % ny
        rho[j, i] += q * (1 - fx) * (1 - fy)
        rho[j, i1] += q * fx * (1 - fy)
        rho[j1, i] += q * (1 - fx) * fy
        rho[j1, i1] += q * fx * fy
# oracle x=f8[800] y=f8[800] q=1.0 rho=f8[32,32] dx=0.05


@njit
def mini_batch_kmeans(X, C, counts, batch, epochs):
    """Centres follow random samples with decreasing rates."""
    n, d = X.shape
    k = C.shape[0]
    for e in range(epochs):
        for b in range(batch):
            i = np.random.randint(0, n)
            best = 0
            bd = np.inf
            for c in range(k):
                s = 0.0
                for j in range(d):
                    t = X[i, j] - C[c, j]
                    s += t * t
                if s < bd:
                    bd = s
                    best = c
            counts[best] += 1
            eta = 1.0 / counts[best]
            for j in range(d):
                C[best, j] = (1 - eta) * C[best, j] + eta * X[i, j]
# oracle X=f8[200,8] C=f8[6,8] counts=i8[6] batch=50 epochs=3


@njit
def implicit_heat_rows(T, alpha, steps):
    """Backward Euler along the rows, Thomas algorithm in scratch arrays of one row."""
    ny, nx = T.shape
    cp = np.empty(nx)
    dp = np.empty(nx)
    for s in range(steps):
        for j in range(ny):
            cp[0] = 0.0
            dp[0] = T[j, 0]
            for i in range(1, nx - 1):
                den = 1.0 + 2.0 * alpha + alpha * cp[i - 1]
                cp[i] = -alpha / den
                dp[i] = (T[j, i] + alpha * dp[i - 1]) / den
            for i in range(nx - 2, 0, -1):
                T[j, i] = dp[i] - cp[i] * T[j, i + 1]
# oracle T=f8[24,150] alpha=0.4 steps=3


@njit(parallel=True)
def local_contrast(img, out, r, mode=0):
    """Mean, range or deviation in a clamped window."""
    h, w = img.shape
    for i in prange(h):
        for j in range(w):
            i0, i1 = max(0, i - r), min(h, i + r + 1)
            j0, j1 = max(0, j - r), min(w, j + r + 1)
            lo = img[i, j]
            hi = img[i, j]
            s = 0.0
            s2 = 0.0
            for y in range(i0, i1):
                for x in range(j0, j1):
                    v = img[y, x]
                    if mode == 0:
                        s += v
                    elif mode == 1:
                        lo = min(lo, v)
                        hi = max(hi, v)
                    else:
                        s += v
                        s2 += v * v
            cnt = (i1 - i0) * (j1 - j0)
            if mode == 0:
                out[i, j] = s / cnt
            elif mode == 1:
                out[i, j] = hi - lo
            else:
                m = s / cnt
                out[i, j] = math.sqrt(max(s2 / cnt - m * m, 0.0))
# known traffic: windows of about as many lines as the smallest cache has
# oracle img=f8[24,40] out=f8[24,40] r=2
# oracle img=f8[24,40] out=f8[24,40] r=1 mode=1
# oracle img=f8[20,30] out=f8[20,30] r=2 mode=2


@njit
def islands(grid, parent):
    """Counts land components by union-find over the right and lower neighbours."""
    h, w = grid.shape
    count = 0
    for i in range(h):
        for j in range(w):
            p = i * w + j
            parent[p] = p
            if grid[i, j] == 0:
                continue
            count += 1
            if j > 0 and grid[i, j - 1] != 0:
                a = p - 1
                while parent[a] != a:
                    a = parent[a]
                if a != p:
                    parent[p] = a
                    count -= 1
            if i > 0 and grid[i - 1, j] != 0:
                a = p
                while parent[a] != a:
                    a = parent[a]
                b = p - w
                while parent[b] != b:
                    b = parent[b]
                if a != b:
                    parent[a] = b
                    count -= 1
    return count
# oracle grid=u1[30,40]<3 parent=i8[1200]
