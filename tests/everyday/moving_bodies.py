"""Particles, layers and dust: records pushed through fields, lists of cells, links that bounce back."""

import math

import numpy as np
from numba import njit

PART = np.dtype([("x", "f8"), ("y", "f8"), ("vx", "f8"), ("vy", "f8"), ("q", "f4"), ("id", "i4")])


@njit
def push_boris(p, ex, ey, bz, dt, lx):
    half = 0.5 * dt
    for k in range(p.shape[0]):
        qm = p[k].q
        c = int(p[k].x) % ex.size
        vx = p[k].vx + half * qm * ex[c]
        vy = p[k].vy + half * qm * ey[c]
        t = qm * bz * half
        s = 2.0 * t / (1.0 + t * t)
        wx = vx + vy * t
        wy = vy - vx * t
        p[k].vx = vx + wy * s + half * qm * ex[c]
        p[k].vy = vy - wx * s + half * qm * ey[c]
        x = p[k].x + dt * p[k].vx
        if x < 0.0:
            x += lx
        elif x >= lx:
            x -= lx
        p[k].x = x
# oracle p=PART[500] ex=f8[64] ey=f8[64] bz=0.5 dt=0.01 lx=64.0


@njit
def cell_list(pos, ncell, box, head, nxt):
    for c in range(head.size):
        head[c] = -1
    for i in range(pos.shape[0]):
        cx = min(int(pos[i, 0] / box * ncell), ncell - 1)
        cy = min(int(pos[i, 1] / box * ncell), ncell - 1)
        c = cy * ncell + cx
        nxt[i] = head[c]
        head[c] = i
# oracle pos=f8[300,2] ncell=8 box=1.0 head=i4[64] nxt=i4[300]


@njit
def push_lbm(f, g, ex, ey, opp, solid):
    ny, nx, q = f.shape
    for y in range(ny):
        for x in range(nx):
            for k in range(q):
                yy = y + ey[k]
                xx = x + ex[k]
                if yy < 0 or yy >= ny or xx < 0 or xx >= nx or solid[yy, xx]:
                    g[y, x, opp[k]] = f[y, x, k]
                else:
                    g[yy, xx, k] = f[y, x, k]
# oracle f=f8[16,20,9] g=f8[16,20,9] ex=i4[9]<2 ey=i4[9]<2 opp=i4[9]<9 solid=u1[16,20]<2


def dust_settle(density, velocity, dz, dt, nsteps):
    rho = density.copy()
    for _ in range(nsteps):
        flux = velocity * rho
        rho[:-1] += dt / dz * (flux[1:] - flux[:-1])
        rho[-1] -= dt / dz * flux[-1]
        np.maximum(rho, 0.0, out=rho)
    return rho
# oracle density=f8[400] velocity=f8[400] dz=1.0 dt=0.1 nsteps=3


@njit
def pairwise_cut(pos, box, rcut, hist):
    n = pos.shape[0]
    nb = hist.size
    r2max = rcut * rcut
    for i in range(n - 1):
        for j in range(i + 1, n):
            d2 = 0.0
            for k in range(3):
                d = pos[i, k] - pos[j, k]
                d -= box * round(d / box)
                d2 += d * d
            if d2 < r2max:
                b = int(math.sqrt(d2) / rcut * nb)
                hist[b] += 2
# oracle pos=f8[90,3] box=1.0 rcut=0.5 hist=i8[50]


@njit
def tridiag_batch(a, b, c, d, x):
    m, n = d.shape
    cp = np.empty(n)
    dp = np.empty(n)
    for r in range(m):
        cp[0] = c[0] / b[0]
        dp[0] = d[r, 0] / b[0]
        for i in range(1, n):
            w = 1.0 / (b[i] - a[i] * cp[i - 1])
            cp[i] = c[i] * w
            dp[i] = (d[r, i] - a[i] * dp[i - 1]) * w
        x[r, n - 1] = dp[n - 1]
        for i in reversed(range(n - 1)):
            x[r, i] = dp[i] - cp[i] * x[r, i + 1]
# oracle a=f8[120] b=f8[120] c=f8[120] d=f8[10,120] x=f8[10,120]


@njit
def back_substitute(U, b):
    n = b.size
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= U[i, j] * x[j]
        x[i] = s / U[i, i]
    return x
# oracle U=f8[60,60] b=f8[60]
