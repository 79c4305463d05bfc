"""Fields on grids: sweeps in four directions, directions one after the other, two grids, frames of some steps."""

import math

from numba import njit

# isolated: each kernel is a file of its own


@njit
def fast_sweep(phi, speed, h):
    """Eikonal equation by the four sweeps of Zhao."""
    ny, nx = phi.shape
    for sweep in range(4):
        j0, j1, dj = (0, ny, 1) if sweep < 2 else (ny - 1, -1, -1)
        i0, i1, di = (0, nx, 1) if sweep % 2 == 0 else (nx - 1, -1, -1)
        for j in range(j0, j1, dj):
            for i in range(i0, i1, di):
                a = min(phi[j, max(i - 1, 0)], phi[j, min(i + 1, nx - 1)])
                b = min(phi[max(j - 1, 0), i], phi[min(j + 1, ny - 1), i])
                f = h / speed[j, i]
                if abs(a - b) >= f:
                    t = min(a, b) + f
                else:
                    t = 0.5 * (a + b + math.sqrt(2.0 * f * f - (a - b) ** 2))
                if t < phi[j, i]:
                    phi[j, i] = t
# known traffic: the share of a branch is spread evenly over lines, where updates come in runs
# oracle phi=f8[30,40] speed=f8[30,40] h=0.1


@njit
def adi_step(u, u_new, a, b, c, cp, dp, r):
    """One Peaceman-Rachford step: implicit in x, then in y."""
    n, m = u.shape
    for j in range(1, m - 1):
        cp[0] = 0.0
        dp[0] = u[0, j]
        for i in range(1, n - 1):
            rhs = u[i, j] + 0.5 * r * (u[i, j - 1] - 2.0 * u[i, j] + u[i, j + 1])
            denom = b - a * cp[i - 1]
            cp[i] = c / denom
            dp[i] = (rhs - a * dp[i - 1]) / denom
        u_new[n - 1, j] = u[n - 1, j]
        for i in range(n - 2, 0, -1):
            u_new[i, j] = dp[i] - cp[i] * u_new[i + 1, j]
    for i in range(1, n - 1):
        cp[0] = 0.0
        dp[0] = u_new[i, 0]
        for j in range(1, m - 1):
            rhs = u_new[i, j] + 0.5 * r * (u_new[i - 1, j] - 2.0 * u_new[i, j] + u_new[i + 1, j])
            denom = b - a * cp[j - 1]
            cp[j] = c / denom
            dp[j] = (rhs - a * dp[j - 1]) / denom
        for j in range(m - 2, 0, -1):
            u[i, j] = dp[j] - cp[j] * u[i, j + 1]
# oracle u=f8[40,56] u_new=f8[40,56] a=-0.5 b=2.0 c=-0.5 cp=f8[56] dp=f8[56] r=1.0


@njit
def smooth(u, f, h2, sweeps):
    n = u.shape[0]
    for _ in range(sweeps):
        for i in range(1, n - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] + h2 * f[i])


@njit
def residual(u, f, r, h2):
    n = u.shape[0]
    for i in range(1, n - 1):
        r[i] = f[i] + (u[i - 1] - 2.0 * u[i] + u[i + 1]) / h2


@njit
def two_grid(u, f, r, rc, ec, h, nu1=2, nu2=2):
    """A two-grid cycle in 1D."""
    h2 = h * h
    smooth(u, f, h2, nu1)
    residual(u, f, r, h2)
    nc = rc.shape[0]
    for i in range(1, nc - 1):
        rc[i] = 0.25 * (r[2 * i - 1] + 2.0 * r[2 * i] + r[2 * i + 1])
    for i in range(nc):
        ec[i] = 0.0
    smooth(ec, rc, 4.0 * h2, 10)
    for i in range(1, nc - 1):
        u[2 * i] += ec[i]
    for i in range(nc - 1):
        u[2 * i + 1] += 0.5 * (ec[i] + ec[i + 1])
    smooth(u, f, h2, nu2)
# oracle u=f8[301] f=f8[301] r=f8[301] rc=f8[151] ec=f8[151] h=0.001 nu1=2 nu2=2


@njit
def wave_abc(u0, u1, frames, c, nt, every=5):
    """2D wave equation with absorbing ends, and a frame of every few steps."""
    ny, nx = u0.shape
    c2 = c * c
    k = (c - 1.0) / (c + 1.0)
    nf = 0
    for t in range(nt):
        for j in range(1, ny - 1):
            for i in range(1, nx - 1):
                lap = u1[j, i - 1] + u1[j, i + 1] + u1[j - 1, i] + u1[j + 1, i] - 4.0 * u1[j, i]
                u0[j, i] = 2.0 * u1[j, i] - u0[j, i] + c2 * lap
        for i in range(1, nx - 1):
            u0[0, i] = u1[1, i] + k * (u0[1, i] - u1[0, i])
            u0[ny - 1, i] = u1[ny - 2, i] + k * (u0[ny - 2, i] - u1[ny - 1, i])
        u0, u1 = u1, u0
        if t % every == 0:
            frames[nf] = u1
            nf += 1
    return nf
# oracle u0=f8[20,30] u1=f8[20,30] frames=f8[3,20,30] c=0.5 nt=12 every=5


@njit
def diffuse_by_axes(u, tmp, alpha):
    """Each axis in turn: a copy, then a pass along it."""
    nz, ny, nx = u.shape
    for axis in range(3):
        dz = 1 if axis == 0 else 0
        dy = 1 if axis == 1 else 0
        dx = 1 if axis == 2 else 0
        for k in range(nz):
            for j in range(ny):
                for i in range(nx):
                    tmp[k, j, i] = u[k, j, i]
        for k in range(1, nz - 1):
            for j in range(1, ny - 1):
                for i in range(1, nx - 1):
                    u[k, j, i] = tmp[k, j, i] + alpha * (
                        tmp[k + dz, j + dy, i + dx] - 2.0 * tmp[k, j, i] + tmp[k - dz, j - dy, i - dx]
                    )
# oracle u=f8[8,10,14] tmp=f8[8,10,14] alpha=0.1


@njit
def life_padded(grid, new, steps):
    """Game of life with a halo that is filled before each step."""
    h, w = grid.shape
    for _ in range(steps):
        for x in range(w):
            grid[0, x] = grid[h - 2, x]
            grid[h - 1, x] = grid[1, x]
        for y in range(h):
            grid[y, 0] = grid[y, w - 2]
            grid[y, w - 1] = grid[y, 1]
        for y in range(1, h - 1):
            for x in range(1, w - 1):
                n = 0
                for dy in (-1, 0, 1):
                    for dx in (-1, 0, 1):
                        if dy == 0 and dx == 0:
                            continue
                        n += grid[y + dy, x + dx]
                if grid[y, x] == 1 and (n == 2 or n == 3):
                    new[y, x] = 1
                elif grid[y, x] == 0 and n == 3:
                    new[y, x] = 1
                else:
                    new[y, x] = 0
        grid, new = new, grid
# oracle grid=u1[24,40]<2 new=u1[24,40]<1 steps=3
