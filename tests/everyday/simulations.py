"""Simulations: drivers that exchange or copy buffers, tori, modes of a boundary, lattices with tables."""
import numpy as np
from numba import njit, prange, stencil

W = np.array([4/9, 1/9, 1/9, 1/9, 1/9, 1/36, 1/36, 1/36, 1/36])
CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
OPP = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])


@njit
def heat2d(T, alpha, dx, dt, nt):
    """Explicit heat equation with a copy each step."""
    ny, nx = T.shape
    Tn = T.copy()
    for it in range(nt):
        Tn[:, :] = T
        for j in range(1, ny - 1):
            for i in range(1, nx - 1):
                T[j, i] = Tn[j, i] + alpha * dt / dx**2 * (
                    Tn[j, i + 1] + Tn[j, i - 1] + Tn[j + 1, i] + Tn[j - 1, i] - 4 * Tn[j, i]
                )
        T[0, :] = T[1, :]
        T[-1, :] = T[-2, :]
        T[:, 0] = 0.0
        T[:, -1] = 1.0
    return T
# oracle T=f8[24,40] alpha=0.1 dx=0.1 dt=0.001 nt=4
# oracle T=f8[50,20] alpha=0.1 dx=0.1 dt=0.001 nt=3


@njit
def wave_leapfrog(u_prev, u, u_next, c2, nsteps, every, frames):
    """Wave equation, three levels, frames kept every few steps."""
    n = u.shape[0]
    frame = 0
    for step in range(nsteps):
        for i in range(1, n - 1):
            u_next[i] = 2.0 * u[i] - u_prev[i] + c2 * (u[i + 1] - 2.0 * u[i] + u[i - 1])
        u_next[0] = 0.0
        u_next[n - 1] = 0.0
        u_prev, u, u_next = u, u_next, u_prev
        if step % every == 0:
            frames[frame, :] = u
            frame += 1
    return frame
# oracle u_prev=f8[300] u=f8[300] u_next=f8[300] c2=0.25 nsteps=12 every=4 frames=f8[3,300]
# oracle u_prev=f8[64] u=f8[64] u_next=f8[64] c2=0.25 nsteps=9 every=2 frames=f8[5,64]


@njit
def lbm_collide(f, rho, ux, uy, omega):
    """BGK collision, D2Q9, direction first."""
    q, ny, nx = f.shape
    for y in range(ny):
        for x in range(nx):
            r = 0.0
            vx = 0.0
            vy = 0.0
            for k in range(9):
                r += f[k, y, x]
                vx += CX[k] * f[k, y, x]
                vy += CY[k] * f[k, y, x]
            vx /= r
            vy /= r
            rho[y, x] = r
            ux[y, x] = vx
            uy[y, x] = vy
            usq = 1.5 * (vx * vx + vy * vy)
            for k in range(9):
                cu = 3.0 * (CX[k] * vx + CY[k] * vy)
                feq = W[k] * r * (1.0 + cu + 0.5 * cu * cu - usq)
                f[k, y, x] += omega * (feq - f[k, y, x])
# oracle f=f8[9,12,16] rho=f8[12,16] ux=f8[12,16] uy=f8[12,16] omega=1.2


@njit
def lbm_pull(f, fnew, nsteps):
    """Streaming on a torus: each direction pulls from the cell behind it; the number of directions is an extent."""
    q, ny, nx = f.shape
    for t in range(nsteps):
        for k in range(q):
            for y in range(ny):
                ys = (y - CY[k] + ny) % ny
                for x in range(nx):
                    xs = (x - CX[k] + nx) % nx
                    fnew[k, y, x] = f[k, ys, xs]
        f, fnew = fnew, f
    return f
# oracle f=f8[9,20,24] fnew=f8[9,20,24] nsteps=3


@njit
def lbm_bounce_back(f, solid):
    """Bounce back on solid cells, cell first, tmp copy of the nine."""
    ny, nx, _ = f.shape
    for y in range(ny):
        for x in range(nx):
            if solid[y, x]:
                tmp = f[y, x, :].copy()
                for k in range(9):
                    f[y, x, k] = tmp[OPP[k]]
# oracle f=f8[12,16,9] solid=i4[12,16]<2


@njit
def gray_scott(u, v, Du, Dv, F, k, steps):
    """Reaction diffusion with periodic neighbours and swaps."""
    n, m = u.shape
    un = np.empty_like(u)
    vn = np.empty_like(v)
    for s in range(steps):
        for i in range(n):
            im = i - 1 if i > 0 else n - 1
            ip = i + 1 if i < n - 1 else 0
            for j in range(m):
                jm = j - 1 if j > 0 else m - 1
                jp = j + 1 if j < m - 1 else 0
                lu = u[im, j] + u[ip, j] + u[i, jm] + u[i, jp] - 4.0 * u[i, j]
                lv = v[im, j] + v[ip, j] + v[i, jm] + v[i, jp] - 4.0 * v[i, j]
                uvv = u[i, j] * v[i, j] * v[i, j]
                un[i, j] = u[i, j] + Du * lu - uvv + F * (1.0 - u[i, j])
                vn[i, j] = v[i, j] + Dv * lv + uvv - (F + k) * v[i, j]
        u, un = un, u
        v, vn = vn, v
    return u, v
# oracle u=f8[20,32] v=f8[20,32] Du=0.16 Dv=0.08 F=0.035 k=0.06 steps=3
# oracle u=f8[33,17] v=f8[33,17] Du=0.16 Dv=0.08 F=0.035 k=0.06 steps=4


def gray_scott_numpy(U, V, Du, Dv, f, k, n):
    """The same in NumPy slices."""
    u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]
    for i in range(n):
        Lu = U[0:-2, 1:-1] + U[1:-1, 0:-2] - 4 * U[1:-1, 1:-1] + U[1:-1, 2:] + U[2:, 1:-1]
        Lv = V[0:-2, 1:-1] + V[1:-1, 0:-2] - 4 * V[1:-1, 1:-1] + V[1:-1, 2:] + V[2:, 1:-1]
        uvv = u * v * v
        u += Du * Lu - uvv + f * (1 - u)
        v += Dv * Lv + uvv - (f + k) * v
# oracle U=f8[18,34] V=f8[18,34] Du=0.16 Dv=0.08 f=0.03 k=0.06 n=2


@njit
def fdtd_tm(Ez, Hx, Hy, eps, nt, boundary, src_i, src_j):
    """FDTD, TM mode, with a boundary mode given by name."""
    nx, ny = Ez.shape
    for t in range(nt):
        for i in range(nx):
            for j in range(ny - 1):
                Hx[i, j] -= 0.5 * (Ez[i, j + 1] - Ez[i, j])
        for i in range(nx - 1):
            for j in range(ny):
                Hy[i, j] += 0.5 * (Ez[i + 1, j] - Ez[i, j])
        for i in range(1, nx - 1):
            for j in range(1, ny - 1):
                Ez[i, j] += 0.5 / eps[i, j] * (Hy[i, j] - Hy[i - 1, j] - Hx[i, j] + Hx[i, j - 1])
        Ez[src_i, src_j] += np.exp(-((t - 30.0) / 10.0) ** 2)
        if boundary == 1:
            for j in range(ny):
                Ez[0, j] = Ez[nx - 2, j]
                Ez[nx - 1, j] = Ez[1, j]
        elif boundary == 2:
            Ez[0, :] = Ez[1, :]
            Ez[nx - 1, :] = Ez[nx - 2, :]
            Ez[:, 0] = Ez[:, 1]
            Ez[:, ny - 1] = Ez[:, ny - 2]
# oracle Ez=f8[20,24] Hx=f8[20,24] Hy=f8[20,24] eps=f8[20,24] nt=3 boundary=0 src_i=10 src_j=12
# oracle Ez=f8[20,24] Hx=f8[20,24] Hy=f8[20,24] eps=f8[20,24] nt=3 boundary=1 src_i=10 src_j=12
# oracle Ez=f8[20,24] Hx=f8[20,24] Hy=f8[20,24] eps=f8[20,24] nt=3 boundary=2 src_i=10 src_j=12


@stencil
def _lap9(a):
    return (a[-1, 0] + a[1, 0] + a[0, -1] + a[0, 1]) * 0.2 + 0.05 * (a[-1, -1] + a[-1, 1] + a[1, -1] + a[1, 1]) - a[0, 0]


@njit(parallel=True)
def diffuse_stencil(c, D, dt, n):
    """A stencil decorator in a time loop."""
    for _ in range(n):
        c = c + dt * D * _lap9(c)
    return c
# oracle c=f8[20,24] D=0.1 dt=0.1 n=3


@njit
def advect_periodic(q, vel, dx, dt, steps):
    """Upwind advection on a ring with modulo."""
    n = len(q)
    qn = np.zeros(n)
    for s in range(steps):
        for i in range(n):
            if vel > 0:
                qn[i] = q[i] - vel * dt / dx * (q[i] - q[(i - 1) % n])
            else:
                qn[i] = q[i] - vel * dt / dx * (q[(i + 1) % n] - q[i])
        q[:] = qn[:]
# oracle q=f8[300] vel=1.0 dx=0.1 dt=0.01 steps=3
# oracle q=f8[300] vel=-1.0 dx=0.1 dt=0.01 steps=3


@njit
def ising_sweep(spins, beta, sweeps, rnd):
    """Metropolis sweeps of the Ising model; random numbers given."""
    n, m = spins.shape
    energy = 0
    for s in range(sweeps):
        for i in range(n):
            for j in range(m):
                nb = spins[(i + 1) % n, j] + spins[(i - 1) % n, j] + spins[i, (j + 1) % m] + spins[i, (j - 1) % m]
                dE = 2 * spins[i, j] * nb
                if dE <= 0 or rnd[i, j] < np.exp(-beta * dE):
                    spins[i, j] = -spins[i, j]
                    energy += dE
    return energy
# oracle spins=i8[16,24]<2 beta=0.4 sweeps=2 rnd=f8[16,24]


@njit
def game_of_life(grid, new, gens):
    """Game of life, two buffers, periodic."""
    h, w = grid.shape
    for g in range(gens):
        a, b = (grid, new) if g % 2 == 0 else (new, grid)
        for y in range(h):
            for x in range(w):
                count = 0
                for dy in range(-1, 2):
                    for dx in range(-1, 2):
                        if dy == 0 and dx == 0:
                            continue
                        count += a[(y + dy) % h, (x + dx) % w]
                b[y, x] = 1 if count == 3 or (a[y, x] == 1 and count == 2) else 0
    return b
# oracle grid=u1[20,64]<2 new=u1[20,64]<2 gens=3
