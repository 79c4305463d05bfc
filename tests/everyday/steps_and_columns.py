"""Kernels as different people write them: columns of soil, particles, stereo images, running statistics, pairs."""

import math

import numpy as np
from numba import njit, prange, vectorize, stencil

N_SPECIES = 4
RATE = np.array([0.1, 0.2, 0.3, 0.4])
NEIGH = ((-1, 0), (1, 0), (0, -1), (0, 1))
cell = np.dtype([("h", np.float64), ("hu", np.float64), ("hv", np.float64), ("wet", np.uint8)], align=True)


@njit
def species_step(c, dt, steps):
    """Chemistry: (cells, species), explicit, with a table of the module."""
    for _ in range(steps):
        for i in range(c.shape[0]):
            total = 0.0
            for s in range(N_SPECIES):
                total += c[i, s] * RATE[s]
            for s in range(N_SPECIES):
                c[i, s] += dt * (total / N_SPECIES - c[i, s] * RATE[s])
# oracle c=f8[150,4] dt=0.1 steps=3
# oracle c=f8[700,4] dt=0.1 steps=2


@njit
def hillslope(z, out, cellsize):
    """Steepest descent among four neighbours listed in a tuple of the module."""
    rows, cols = z.shape
    for r in range(1, rows - 1):
        for c in range(1, cols - 1):
            steep = 0.0
            for dr, dc in NEIGH:
                s = (z[r, c] - z[r + dr, c + dc]) / cellsize
                if s > steep:
                    steep = s
            out[r, c] = steep
# oracle z=f8[30,40] out=f8[30,40] cellsize=10.0
# oracle z=f8[12,300] out=f8[12,300] cellsize=10.0


@njit
def wet_cells(grid, g, dt):
    """Records in two dimensions."""
    ny, nx = grid.shape
    for j in range(ny):
        for i in range(1, nx - 1):
            dh = grid[j, i + 1].h - grid[j, i - 1].h
            grid[j, i].hu -= 0.5 * g * dt * grid[j, i].h * dh
            grid[j, i].wet = 1 if grid[j, i].h > 0.01 else 0
# oracle grid=cell[20,30] g=9.81 dt=0.01
# oracle grid=cell[8,200] g=9.81 dt=0.01


@njit
def smooth_ends(y, w):
    """A moving average whose window shrinks at both ends."""
    n = y.size
    z = np.empty(n)
    for i in range(n):
        h = min(w, i, n - 1 - i)
        s = 0.0
        for j in range(i - h, i + h + 1):
            s += y[j]
        z[i] = s / (2 * h + 1)
    return z
# oracle y=f8[300] w=5
# oracle y=f8[1000] w=12


@njit
def ring_coupling(theta, omega, K, dt, reach, steps):
    """Kuramoto on a ring with a reach."""
    n = theta.shape[0]
    new = np.empty_like(theta)
    for t in range(steps):
        for i in range(n):
            s = 0.0
            for k in range(1, reach + 1):
                s += math.sin(theta[(i + k) % n] - theta[i]) + math.sin(theta[(i - k) % n] - theta[i])
            new[i] = theta[i] + dt * (omega[i] + K / (2 * reach) * s)
        theta, new = new, theta
    return theta
# oracle theta=f8[200] omega=f8[200] K=0.5 dt=0.01 reach=3 steps=3
# oracle theta=f8[900] omega=f8[900] K=0.5 dt=0.01 reach=2 steps=2


@njit
def pack_lower(A, packed):
    """The lower triangle row by row with a running counter."""
    k = 0
    for i in range(A.shape[0]):
        for j in range(i + 1):
            packed[k] = 0.5 * (A[i, j] + A[j, i])
            k += 1
    return k
# oracle A=f8[30,30] packed=f8[465]
# oracle A=f8[60,60] packed=f8[1830]


def rolling_beta(x, y, window=10):
    """Slopes in windows by cumulative sums."""
    cx = np.cumsum(x)
    cxy = np.cumsum(x * y)
    sx = cx[window:] - cx[:-window]
    sxy = cxy[window:] - cxy[:-window]
    return sxy / window - (sx / window) ** 2
# oracle x=f8[300] y=f8[300]
# oracle x=f8[900] y=f8[900] window=25


def normalise_channels(img, mean=None, std=None):
    """img: (C, H, W) float32"""
    if mean is None:
        mean = img.mean(axis=(1, 2), keepdims=True)
    if std is None:
        std = img.std(axis=(1, 2), keepdims=True)
    return (img - mean) / (std + 1e-6)
# oracle img=f4[3,20,30]
# oracle img=f4[3,50,40]


def leap(q, p, grad_scale, eps, n_steps):
    """Hamiltonian steps with whole arrays, in place."""
    p -= 0.5 * eps * grad_scale * q
    for _ in range(n_steps - 1):
        q += eps * p
        p -= eps * grad_scale * q
    q += eps * p
    p -= 0.5 * eps * grad_scale * q
    return 0.5 * (np.sum(p * p) + grad_scale * np.sum(q * q))
# oracle q=f8[400] p=f8[400] grad_scale=1.5 eps=0.01 n_steps=4
# oracle q=f8[1500] p=f8[1500] grad_scale=1.5 eps=0.01 n_steps=3


@njit
def cost_volume(left, right, maxd, cost):
    """Stereo: absolute differences for each disparity."""
    h, w = left.shape
    for y in range(h):
        for x in range(w):
            for d in range(maxd):
                xr = x - d if x >= d else 0
                cost[y, x, d] = abs(np.float32(left[y, x]) - np.float32(right[y, xr]))
# oracle left=u1[20,40] right=u1[20,40] maxd=8 cost=f4[20,40,8]
# oracle left=u1[12,64] right=u1[12,64] maxd=16 cost=f4[12,64,16]


@njit
def tri_solve_many(L, B):
    """Forward substitution for many right-hand sides by row operations."""
    n, m = B.shape
    for i in range(n):
        for k in range(i):
            B[i, :] -= L[i, k] * B[k, :]
        B[i, :] /= L[i, i]
    return B
# oracle L=f8[16,16] B=f8[16,30]
# oracle L=f8[30,30] B=f8[30,64]


@njit(parallel=True)
def block_energy(x, bs):
    """Blocks among threads; the last may be shorter."""
    n = len(x)
    nb = (n + bs - 1) // bs
    e = np.zeros(nb)
    for b in prange(nb):
        stop = min(n, (b + 1) * bs)
        acc = 0.0
        for i in range(b * bs, stop):
            acc += x[i] * x[i]
        e[b] = acc / (stop - b * bs)
    return e
# oracle x=f8[1000] bs=64
# oracle x=f8[513] bs=100


@njit
def spin_glass(J, s, order):
    """Energies of single flips, fully connected; visits in a given order."""
    n = s.size
    flips = 0
    for k in range(n):
        i = order[k]
        h = 0.0
        for j in range(n):
            h += J[i, j] * s[j]
        if s[i] * h < 0.0:
            s[i] = -s[i]
            flips += 1
    return flips
# oracle J=f8[40,40] s=f8[40] order=i8[40]<40


def power_law(img, gamma, lut=None):
    if lut is None:
        lut = (255.0 * (np.arange(256) / 255.0) ** gamma).astype(np.uint8)
    return lut[img]
# oracle img=u1[40,50] gamma=2.2


@njit
def rotate_pairs(x, cos, sin):
    """Rotary embedding in place: (seq, heads, dim), halves."""
    seq, heads, dim = x.shape
    half = dim // 2
    for t in range(seq):
        for h in range(heads):
            for d in range(half):
                a = x[t, h, d]
                b = x[t, h, d + half]
                x[t, h, d] = a * cos[t, d] - b * sin[t, d]
                x[t, h, d + half] = a * sin[t, d] + b * cos[t, d]
# oracle x=f4[20,4,16] cos=f4[20,8] sin=f4[20,8]
# oracle x=f8[10,8,32] cos=f8[10,16] sin=f8[10,16]


@njit
def bisect_roots(a, b, tol, out):
    """For each coefficient a bisection."""
    for i in range(len(a)):
        lo = 0.0
        hi = b
        while hi - lo > tol:
            mid = 0.5 * (lo + hi)
            if mid * mid < a[i]:
                lo = mid
            else:
                hi = mid
        out[i] = 0.5 * (lo + hi)
# oracle a=f8[100] b=4.0 tol=0.001 out=f8[100]


@njit
def two_opt_gain(D, tour):
    """The best exchange of a tour, all pairs."""
    n = len(tour)
    best = 0.0
    for i in range(n - 2):
        for j in range(i + 2, n - 1):
            d = D[tour[i], tour[j]] + D[tour[i + 1], tour[j + 1]] - D[tour[i], tour[i + 1]] - D[tour[j], tour[j + 1]]
            if d < best:
                best = d
    return best
# oracle D=f8[30,30] tour=i8[30]<30


@vectorize(["float64(float64, float64, float64)"])
def _lens(x, y, z):
    return x * y - z / (1.0 + x * x)


def lens_stack(x, y, z):
    """A ufunc with three operands that broadcast."""
    return _lens(x[:, None], y, z)
# oracle x=f8[20] y=f8[30] z=f8[20,30]
# oracle x=f8[7] y=f8[100] z=f8[7,100]


@stencil
def _upw(u, c):
    return u[0, 0] - c * (u[0, 0] - u[0, -1])


@njit
def upwind_driver(u, c, nt):
    v = u.copy()
    for t in range(nt):
        v = _upw(v, c)
        v[:, 0] = v[:, -1]
    return v
# oracle u=f8[20,30] c=0.5 nt=3
# oracle u=f8[50,50] c=0.5 nt=2


@njit
def haar_inplace(x, tmp):
    """All levels by halving."""
    n = len(x)
    while n > 1:
        n = n // 2
        for i in range(n):
            tmp[i] = (x[2 * i] + x[2 * i + 1]) * 0.7071
            tmp[n + i] = (x[2 * i] - x[2 * i + 1]) * 0.7071
        x[:2 * n] = tmp[:2 * n]
# oracle x=f8[256] tmp=f8[256]
# oracle x=f8[1024] tmp=f8[1024]


@njit
def soil_columns(T, k, dz, dt, surface, nt):
    """Columns of different fields; the surface is forced each step; early exit of dry columns."""
    ncol, nz = T.shape
    flux = np.zeros(nz + 1)
    for t in range(nt):
        for c in range(ncol):
            if k[c] <= 0.0:
                continue
            flux[0] = k[c] * (surface[t] - T[c, 0]) / dz
            for z in range(1, nz):
                flux[z] = k[c] * (T[c, z - 1] - T[c, z]) / dz
            for z in range(nz):
                T[c, z] += dt / dz * (flux[z] - flux[z + 1])
# oracle T=f8[20,12] k=f8[20] dz=0.1 dt=0.01 surface=f8[5] nt=5
# oracle T=f8[100,16] k=f8[100] dz=0.1 dt=0.01 surface=f8[5] nt=3


def upsample_linear(x, factor=2):
    """Fancy slices with steps, filled in two goes."""
    n = x.shape[0]
    out = np.empty(factor * n)
    out[::2] = x
    out[1:-1:2] = 0.5 * (x[:-1] + x[1:])
    out[-1] = x[-1]
    return out
# oracle x=f8[200]
# oracle x=f8[999]


@njit
def tally(values, edges, counts):
    """Histogram over unequal bins by linear search."""
    nb = len(edges) - 1
    for v in values:
        for b in range(nb):
            if v < edges[b + 1]:
                counts[b] += 1
                break
# oracle values=f8[200] edges=f8[9] counts=i8[8]


@njit
def gru_like(x, h, Wz, Uz, out):
    """A gated cell with np.dot of matrix and vector."""
    for t in range(x.shape[0]):
        z = 1.0 / (1.0 + np.exp(-(np.dot(Wz, x[t]) + np.dot(Uz, h))))
        h = z * h + (1.0 - z) * np.tanh(np.dot(Wz, x[t]))
        out[t] = h
    return out
# oracle x=f8[10,16] h=f8[16] Wz=f8[16,16] Uz=f8[16,16] out=f8[10,16]


def mean_filter_integral(img, r):
    """A box filter by an integral image with slices."""
    s = np.zeros((img.shape[0] + 1, img.shape[1] + 1))
    s[1:, 1:] = np.cumsum(np.cumsum(img, axis=0), axis=1)
    k = 2 * r + 1
    return (s[k:, k:] - s[:-k, k:] - s[k:, :-k] + s[:-k, :-k]) / (k * k)
# oracle img=f8[30,40] r=2
# oracle img=f8[64,64] r=4


@njit
def pic_field(rho, phi, E, dx, iters):
    """A periodic Poisson solve by relaxation and the field."""
    n = len(rho)
    for it in range(iters):
        for i in range(n):
            l = i - 1 if i > 0 else n - 1
            r = i + 1 if i < n - 1 else 0
            phi[i] = 0.5 * (phi[l] + phi[r] + dx * dx * rho[i])
    for i in range(n):
        E[i] = -(phi[(i + 1) % n] - phi[(i - 1 + n) % n]) / (2 * dx)
# oracle rho=f8[200] phi=f8[200] E=f8[200] dx=0.1 iters=4
# oracle rho=f8[800] phi=f8[800] E=f8[800] dx=0.1 iters=2


@njit
def bounce_particles(pos, vel, lo, hi, dt):
    """(n, 3) arrays; walls reflect."""
    for i in range(pos.shape[0]):
        for d in range(3):
            p = pos[i, d] + vel[i, d] * dt
            if p < lo[d]:
                p = 2.0 * lo[d] - p
                vel[i, d] = -vel[i, d]
            elif p > hi[d]:
                p = 2.0 * hi[d] - p
                vel[i, d] = -vel[i, d]
            pos[i, d] = p
# oracle pos=f8[100,3] vel=f8[100,3] lo=f8[3] hi=f8[3] dt=0.1
# oracle pos=f8[400,3] vel=f8[400,3] lo=f8[3] hi=f8[3] dt=0.1


@njit
def corr_lags(x, y, lags):
    """Means and a correlation for each lag."""
    n = len(x)
    mx = x.mean()
    my = y.mean()
    r = np.zeros(lags)
    for k in range(lags):
        r[k] = np.sum((x[:n - k] - mx) * (y[k:] - my)) / (n - k)
    return r
# oracle x=f8[300] y=f8[300] lags=5
# oracle x=f8[1200] y=f8[1200] lags=3


def pair_table(a, b):
    """Outer sums and a symmetric part."""
    m = np.add.outer(a, b)
    m = m + m.T
    return m / np.linalg.norm(m)
# oracle a=f8[30] b=f8[30]
# oracle a=f8[64] b=f8[64]
# known traffic: a transposed operand at a distance near the capacity


def backwards_by_a_parameter(x, step):
    """The sign of a step that the call gives says where a slice starts."""
    y = x[::step]
    s = 0.0
    for i in range(len(x) - 1, -1, step):
        s += x[i] * 2.0
    return y * 2.0, s
# oracle x=f8[20] step=-1
# oracle x=f8[21] step=-2
