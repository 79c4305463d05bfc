"""Particles: forces, charges on grids, cells, records as people write them."""

import numpy as np
import math
from numba import njit, prange

body = np.dtype([("x", np.float64), ("y", np.float64), ("z", np.float64),
                 ("vx", np.float64), ("vy", np.float64), ("vz", np.float64), ("m", np.float64)])
charge = np.dtype([("pos", np.float64, (3,)), ("q", np.float32), ("cell", np.int32)], align=True)


@njit
def nbody_forces(pos, mass, acc, G, eps):
    """All pairs, half of them by symmetry."""
    n = pos.shape[0]
    acc[:] = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            r2 = dx**2 + dy**2 + dz**2 + eps**2
            inv = G / (r2 * np.sqrt(r2))
            acc[i, 0] += mass[j] * inv * dx
            acc[i, 1] += mass[j] * inv * dy
            acc[i, 2] += mass[j] * inv * dz
            acc[j, 0] -= mass[i] * inv * dx
            acc[j, 1] -= mass[i] * inv * dy
            acc[j, 2] -= mass[i] * inv * dz
# oracle pos=f8[50,3] mass=f8[50] acc=f8[50,3] G=1.0 eps=0.01


@njit
def nbody_records(p, dt):
    """Records with attribute access."""
    n = p.shape[0]
    for i in range(n):
        ax = 0.0
        ay = 0.0
        az = 0.0
        for j in range(n):
            if i != j:
                dx = p[j].x - p[i].x
                dy = p[j].y - p[i].y
                dz = p[j].z - p[i].z
                d = math.sqrt(dx * dx + dy * dy + dz * dz + 1e-9)
                s = p[j].m / (d * d * d)
                ax += dx * s
                ay += dy * s
                az += dz * s
        p[i].vx += ax * dt
        p[i].vy += ay * dt
        p[i].vz += az * dt
    for i in range(n):
        p[i].x += p[i].vx * dt
        p[i].y += p[i].vy * dt
        p[i].z += p[i].vz * dt
# oracle p=body[40] dt=0.01


@njit
def kinetic(p):
    """Whole fields of a structured array."""
    return 0.5 * np.sum(p["m"] * (p["vx"] ** 2 + p["vy"] ** 2 + p["vz"] ** 2))
# oracle p=body[100]


@njit
def push_charges(q, E, dt, L):
    """Records with a vector field, wrapped in a box."""
    for i in range(q.size):
        c = q[i].cell
        for k in range(3):
            x = q[i].pos[k] + dt * q[i].q * E[c, k]
            if x >= L:
                x -= L
            elif x < 0.0:
                x += L
            q[i].pos[k] = x
# oracle q=charge[100] E=f8[5,3] dt=0.1 L=10.0


@njit
def pic_deposit(xp, rho, dx, qm):
    """Cloud in cell deposit on a ring."""
    ng = rho.shape[0]
    rho[:] = 0.0
    for p in range(xp.shape[0]):
        s = xp[p] / dx
        i = int(s)
        w = s - i
        i = i % ng
        rho[i] += qm * (1.0 - w)
        rho[(i + 1) % ng] += qm * w
    for i in range(ng):
        rho[i] /= dx
# oracle xp=f8[400] rho=f8[32] dx=0.05 qm=1.0


@njit
def pic_gather_push(xp, vp, E, dx, dt, L):
    """Gather and leapfrog push."""
    ng = len(E)
    for p in range(len(xp)):
        s = xp[p] / dx
        i = int(math.floor(s))
        w = s - i
        ip = i + 1 if i < ng - 1 else 0
        ep = (1.0 - w) * E[i] + w * E[ip]
        vp[p] += dt * ep
        xp[p] += dt * vp[p]
        xp[p] = xp[p] % L
# oracle xp=f8[400] vp=f8[400] E=f8[32] dx=0.05 dt=0.01 L=1.6


@njit
def build_cells(pos, head, nxt, rc, nc):
    """Linked cell lists."""
    head[:] = -1
    for i in range(pos.shape[0]):
        cx = int(pos[i, 0] / rc)
        cy = int(pos[i, 1] / rc)
        c = cx + cy * nc
        nxt[i] = head[c]
        head[c] = i
# oracle pos=f8[200,2] head=i8[64] nxt=i8[200] rc=0.2 nc=8


@njit
def lj_forces(pos, force, box, rcut):
    """Lennard-Jones with cutoff and minimum image."""
    n = pos.shape[0]
    rc2 = rcut * rcut
    energy = 0.0
    for i in range(n):
        for k in range(3):
            force[i, k] = 0.0
    for i in range(n - 1):
        for j in range(i + 1, n):
            dx = pos[i, 0] - pos[j, 0]
            dy = pos[i, 1] - pos[j, 1]
            dz = pos[i, 2] - pos[j, 2]
            dx -= box * round(dx / box)
            dy -= box * round(dy / box)
            dz -= box * round(dz / box)
            r2 = dx * dx + dy * dy + dz * dz
            if r2 < rc2:
                ir2 = 1.0 / r2
                ir6 = ir2 * ir2 * ir2
                ir12 = ir6 * ir6
                energy += 4.0 * (ir12 - ir6)
                f = 24.0 * ir2 * (2.0 * ir12 - ir6)
                force[i, 0] += f * dx
                force[i, 1] += f * dy
                force[i, 2] += f * dz
                force[j, 0] -= f * dx
                force[j, 1] -= f * dy
                force[j, 2] -= f * dz
    return energy
# oracle pos=f8[48,3] force=f8[48,3] box=1.0 rcut=0.45


@njit
def lj_vectors(R, L, rc):
    """The same with row vectors and np.rint."""
    N = R.shape[0]
    F = np.zeros_like(R)
    U = 0.0
    for i in range(N):
        for j in range(i):
            d = R[i] - R[j]
            d = d - L * np.rint(d / L)
            r2 = np.sum(d * d)
            if r2 > rc**2:
                continue
            s6 = 1.0 / r2**3
            U += 4 * (s6 * s6 - s6)
            fij = 24 * (2 * s6 * s6 - s6) / r2 * d
            F[i] += fij
            F[j] -= fij
    return U, F
# oracle R=f8[30,3] L=1.0 rc=0.45


@njit
def verlet(x, v, a, dt, nsteps, k):
    """Velocity Verlet with a helper for forces."""
    for s in range(nsteps):
        for i in range(x.shape[0]):
            v[i] += 0.5 * dt * a[i]
            x[i] += dt * v[i]
        spring(x, a, k)
        for i in range(x.shape[0]):
            v[i] += 0.5 * dt * a[i]


@njit
def spring(x, a, k):
    n = x.shape[0]
    for i in range(n):
        left = x[i - 1] if i > 0 else 0.0
        right = x[i + 1] if i < n - 1 else 0.0
        a[i] = k * (left - 2.0 * x[i] + right)
# oracle x=f8[300] a=f8[300] k=2.0


@njit
def verlet_driver(x, v, a, dt, nsteps, k=1.0):
    """The driver."""
    for s in range(nsteps):
        for i in range(x.shape[0]):
            v[i] += 0.5 * dt * a[i]
            x[i] += dt * v[i]
        spring(x, a, k)
        for i in range(x.shape[0]):
            v[i] += 0.5 * dt * a[i]
# oracle x=f8[300] v=f8[300] a=f8[300] dt=0.01 nsteps=3 k=2.0


@njit(parallel=True, fastmath=True)
def gravity_parallel(x, y, z, m, ax, ay, az):
    """prange over targets."""
    for i in prange(len(x)):
        sx = sy = sz = 0.0
        for j in range(len(x)):
            dx = x[j] - x[i]
            dy = y[j] - y[i]
            dz = z[j] - z[i]
            r = (dx * dx + dy * dy + dz * dz + 1e-6) ** -1.5
            sx += m[j] * dx * r
            sy += m[j] * dy * r
            sz += m[j] * dz * r
        ax[i] = sx
        ay[i] = sy
        az[i] = sz
# oracle x=f4[60] y=f4[60] z=f4[60] m=f4[60] ax=f4[60] ay=f4[60] az=f4[60]


@njit
def radial_distribution(pos, box, nbins, rmax):
    """Histogram of distances."""
    n = len(pos)
    hist = np.zeros(nbins, dtype=np.int64)
    dr = rmax / nbins
    for i in range(n):
        for j in range(i + 1, n):
            r2 = 0.0
            for k in range(3):
                d = pos[i, k] - pos[j, k]
                d -= box * np.round(d / box)
                r2 += d * d
            r = np.sqrt(r2)
            if r < rmax:
                hist[int(r / dr)] += 2
    g = np.empty(nbins)
    rho = n / box**3
    for b in range(nbins):
        shell = 4.0 / 3.0 * np.pi * ((b + 1) ** 3 - b**3) * dr**3
        g[b] = hist[b] / (n * rho * shell)
    return g
# oracle pos=f8[40,3] box=1.0 nbins=50 rmax=0.5
