"""Particles, elements and cells: records, deposits, wraparound, mazes and maps."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel is a file of its own


@njit
def element_stiffness(nodes, elems, ke_out):
    """A 3x3 scratch matrix for each triangle."""
    ne = elems.shape[0]
    for e in range(ne):
        b = np.zeros(3)
        c = np.zeros(3)
        i, j, k = elems[e, 0], elems[e, 1], elems[e, 2]
        b[0] = nodes[j, 1] - nodes[k, 1]
        b[1] = nodes[k, 1] - nodes[i, 1]
        b[2] = nodes[i, 1] - nodes[j, 1]
        c[0] = nodes[k, 0] - nodes[j, 0]
        c[1] = nodes[i, 0] - nodes[k, 0]
        c[2] = nodes[j, 0] - nodes[i, 0]
        area = 0.5 * abs(b[0] * c[1] - b[1] * c[0]) + 1e-12
        for r in range(3):
            for s in range(3):
                ke_out[e, r, s] = (b[r] * b[s] + c[r] * c[s]) / (4.0 * area)
# oracle nodes=f8[300,2] elems=i8[400,3]<300 ke_out=f8[400,3,3]


body = np.dtype([("x", "f8"), ("y", "f8"), ("z", "f8"), ("vx", "f8"), ("vy", "f8"), ("vz", "f8"), ("m", "f4"), ("id", "i4")])


@njit
def drag_and_kick(bodies, g, cd, dt):
    """Records of 56 bytes: speeds by gravity and drag, places by speeds."""
    for i in range(len(bodies)):
        b = bodies[i]
        v = math.sqrt(b.vx * b.vx + b.vy * b.vy + b.vz * b.vz)
        f = -cd * v / b.m
        b.vx += dt * f * b.vx
        b.vy += dt * f * b.vy
        b.vz += dt * (f * b.vz - g)
        b.x += dt * b.vx
        b.y += dt * b.vy
        b.z += dt * b.vz
# oracle bodies=body[300] g=9.81 cd=0.3 dt=0.01


@njit
def lbm_d2q5(f, fn, rho, tau, steps):
    """Advection-diffusion on five speeds: collide, pull with wraparound."""
    nx, ny = rho.shape
    for t in range(steps):
        for i in range(nx):
            for j in range(ny):
                r = 0.0
                for q in range(5):
                    r += f[q, i, j]
                rho[i, j] = r
                f[0, i, j] += (r / 3.0 - f[0, i, j]) / tau
                for q in range(1, 5):
                    f[q, i, j] += (r / 6.0 - f[q, i, j]) / tau
        for i in range(nx):
            ip = (i + 1) % nx
            im = (i - 1 + nx) % nx
            for j in range(ny):
                jp = (j + 1) % ny
                jm = (j - 1 + ny) % ny
                fn[0, i, j] = f[0, i, j]
                fn[1, i, j] = f[1, im, j]
                fn[2, i, j] = f[2, ip, j]
                fn[3, i, j] = f[3, i, jm]
                fn[4, i, j] = f[4, i, jp]
        f, fn = fn, f
    return f
# oracle f=f8[5,20,24] fn=f8[5,20,24] rho=f8[20,24] tau=0.9 steps=3


@njit
def pic_step(x, v, rho, e, dx, dt, qm):
    """One-dimensional PIC: deposit, integrate the field, push."""
    n = len(x)
    nc = len(rho)
    length = nc * dx
    for c in range(nc):
        rho[c] = -float(n) / nc
    for p in range(n):
        s = x[p] / dx
        i = int(s) % nc
        w = s - int(s)
        rho[i] += 1.0 - w
        rho[(i + 1) % nc] += w
    acc = 0.0
    for c in range(nc):
        acc += rho[c] * dx
        e[c] = acc
    for p in range(n):
        s = x[p] / dx
        i = int(s) % nc
        w = s - int(s)
        v[p] += qm * dt * (e[i] * (1.0 - w) + e[(i + 1) % nc] * w)
        x[p] += v[p] * dt
        if x[p] < 0.0:
            x[p] += length
        elif x[p] >= length:
            x[p] -= length
# oracle x=f8[800] v=f8[800] rho=f8[64] e=f8[64] dx=0.02 dt=0.01 qm=-1.0


@njit
def gravity_softened(pos, mass, acc, eps2, lo=0, hi=-1):
    """Accelerations of some bodies by all; the others' rows are left."""
    n = pos.shape[0]
    if hi < 0:
        hi = n
    for i in range(lo, hi):
        ax = ay = az = 0.0
        for j in range(n):
            if j == i:
                continue
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            inv = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + eps2)
            s = mass[j] * inv * inv * inv
            ax += s * dx
            ay += s * dy
            az += s * dz
        acc[i, 0] = ax
        acc[i, 1] = ay
        acc[i, 2] = az
# oracle pos=f8[80,3] mass=f8[80] acc=f8[80,3] eps2=0.01


@njit
def sandpile(grid, threshold=4):
    """Sand topples until nothing moves."""
    h, w = grid.shape
    moved = True
    sweeps = 0
    while moved:
        moved = False
        for i in range(h):
            for j in range(w):
                if grid[i, j] >= threshold:
                    grid[i, j] -= 4
                    if i > 0:
                        grid[i - 1, j] += 1
                    if i < h - 1:
                        grid[i + 1, j] += 1
                    if j > 0:
                        grid[i, j - 1] += 1
                    if j < w - 1:
                        grid[i, j + 1] += 1
                    moved = True
        sweeps += 1
    return sweeps
# known traffic: updates of neighbours come in runs, where their share is spread evenly over lines
# oracle grid=i4[20,24]<6


@njit
def resample_volume(vol, out, affine):
    """A volume under an affine map, zero outside, nearest neighbour."""
    nz, ny, nx = out.shape
    mz, my, mx = vol.shape
    for z in range(nz):
        for y in range(ny):
            for x in range(nx):
                sz = affine[0, 0] * z + affine[0, 1] * y + affine[0, 2] * x + affine[0, 3]
                sy = affine[1, 0] * z + affine[1, 1] * y + affine[1, 2] * x + affine[1, 3]
                sx = affine[2, 0] * z + affine[2, 1] * y + affine[2, 2] * x + affine[2, 3]
                iz, iy, ix = int(round(sz)), int(round(sy)), int(round(sx))
                if 0 <= iz < mz and 0 <= iy < my and 0 <= ix < mx:
                    out[z, y, x] = vol[iz, iy, ix]
                else:
                    out[z, y, x] = 0.0
# oracle vol=f4[10,12,14] out=f4[10,12,14] affine=f8[3,4]


@njit
def unsharp_u8(img, out, amount=1.5):
    """Unsharp mask of a byte image with a 3x3 box, the border is copied."""
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            if y == 0 or x == 0 or y == h - 1 or x == w - 1:
                out[y, x] = img[y, x]
                continue
            s = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    s += img[y + dy, x + dx]
            v = img[y, x] + amount * (img[y, x] - s / 9.0)
            if v < 0:
                v = 0
            elif v > 255:
                v = 255
            out[y, x] = np.uint8(v)
# oracle img=u1[40,70]<255 out=u1[40,70] amount=1.5


@njit
def bfs_grid(walls, dist, qx, qy, sx, sy):
    """Distances in a maze by a queue of two arrays."""
    h, w = walls.shape
    dist[:] = -1
    head = 0
    tail = 1
    qx[0] = sx
    qy[0] = sy
    dist[sy, sx] = 0
    while head < tail:
        x = qx[head]
        y = qy[head]
        head += 1
        for d in range(4):
            nx = x + (1 if d == 0 else -1 if d == 1 else 0)
            ny = y + (1 if d == 2 else -1 if d == 3 else 0)
            if nx < 0 or ny < 0 or nx >= w or ny >= h:
                continue
            if walls[ny, nx] == 0 and dist[ny, nx] < 0:
                dist[ny, nx] = dist[y, x] + 1
                qx[tail] = nx
                qy[tail] = ny
                tail += 1
    return tail
# oracle walls=u1[24,30]<3 dist=i4[24,30] qx=i4[720] qy=i4[720] sx=2 sy=2


@njit(parallel=True)
def barrier_mc(s0, k, barrier, r, sigma, t, n_paths, n_steps):
    """A knock-out call by Monte Carlo: a path ends where it passes the barrier."""
    dt = t / n_steps
    drift = (r - 0.5 * sigma * sigma) * dt
    vol = sigma * math.sqrt(dt)
    total = 0.0
    for p in prange(n_paths):
        s = s0
        alive = True
        for i in range(n_steps):
            s *= math.exp(drift + vol * np.random.normal())
            if s > barrier:
                alive = False
                break
        if alive:
            total += max(s - k, 0.0)
    return math.exp(-r * t) * total / n_paths
# oracle s0=100.0 k=100.0 barrier=130.0 r=0.02 sigma=0.3 t=1.0 n_paths=60 n_steps=20


@njit
def push_lbm(f, fn, solid):
    """Push streaming on nine speeds, bounce back at solids."""
    nx, ny, _ = f.shape
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    opp = np.array([0, 3, 4, 1, 2, 7, 8, 5, 6])
    for i in range(nx):
        for j in range(ny):
            for q in range(9):
                ti = (i + cx[q] + nx) % nx
                tj = (j + cy[q] + ny) % ny
                if solid[ti, tj]:
                    fn[i, j, opp[q]] = f[i, j, q]
                else:
                    fn[ti, tj, q] = f[i, j, q]
# known traffic: rows that wrap around, at a distance near the capacity
# oracle f=f8[16,20,9] fn=f8[16,20,9] solid=u1[16,20]<2


@njit
def masked_blur(img, mask, out, r):
    """A mean over the valid neighbours in a clamped window."""
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            if not mask[i, j]:
                out[i, j] = 0.0
                continue
            s = 0.0
            c = 0
            for y in range(max(0, i - r), min(h, i + r + 1)):
                for x in range(max(0, j - r), min(w, j + r + 1)):
                    if mask[y, x]:
                        s += img[y, x]
                        c += 1
            out[i, j] = s / c
# known flops: the windows of the pixels that a mask leaves are not the mean window
# known traffic: distances near the capacity
# oracle img=f8[24,30] mask=u1[24,30]<2 out=f8[24,30] r=2


@njit
def propagate_labels(labels, mask):
    """Smallest label of the neighbours until nothing changes."""
    h, w = labels.shape
    changed = True
    while changed:
        changed = False
        for i in range(h):
            for j in range(w):
                if mask[i, j] == 0:
                    continue
                best = labels[i, j]
                if i > 0 and mask[i - 1, j] and labels[i - 1, j] < best:
                    best = labels[i - 1, j]
                if j > 0 and mask[i, j - 1] and labels[i, j - 1] < best:
                    best = labels[i, j - 1]
                if best < labels[i, j]:
                    labels[i, j] = best
                    changed = True
# known traffic: distances near the capacity
# oracle labels=i4[30,40]<1200 mask=u1[30,40]<3
