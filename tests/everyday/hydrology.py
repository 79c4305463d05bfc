"""Water and soil: daily balances of cells, slopes of a terrain, a column of records, waves on a river."""

import math

import numpy as np
from numba import njit

CELL = np.dtype([("h", np.float64), ("u", np.float64), ("v", np.float64), ("wet", np.int32), ("tag", np.int32)])
GRAV = 9.81
SOIL = np.dtype([("theta", np.float64), ("ks", np.float32), ("layer", np.int16), ("flag", np.uint8)], align=True)
NEIGH8 = np.array([[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]])


@njit
def saturation_vapour(t):
    return 0.6108 * math.exp(17.27 * t / (t + 237.3))


@njit
def penman_monteith(tmean, rh, rn, u2, et0, g=0.0, gamma=0.066):
    for i in range(tmean.size):
        t = tmean[i]
        es = saturation_vapour(t)
        ea = es * rh[i] / 100.0
        delta = 4098.0 * es / (t + 237.3) ** 2
        num = 0.408 * delta * (rn[i] - g) + gamma * 900.0 / (t + 273.0) * u2[i] * (es - ea)
        et0[i] = max(0.0, num / (delta + gamma * (1.0 + 0.34 * u2[i])))
# oracle tmean=f8[365] rh=f8[365] rn=f8[365] u2=f8[365] et0=f8[365]


@njit
def bucket_model(rain, pet, cap, storage, runoff, mode=0):
    nt, nc = rain.shape
    for t in range(nt):
        for c in range(nc):
            s = storage[c] + rain[t, c]
            over = s - cap[c]
            if over > 0.0:
                runoff[t, c] = over
                s = cap[c]
            else:
                runoff[t, c] = 0.0
            if mode == 0:
                et = pet[t, c] * s / cap[c]
            else:
                et = min(pet[t, c], s)
            storage[c] = s - et
# oracle rain=f8[40,64] pet=f8[40,64] cap=f8[64] storage=f8[64] runoff=f8[40,64]
# oracle rain=f8[40,64] pet=f8[40,64] cap=f8[64] storage=f8[64] runoff=f8[40,64] mode=1


@njit
def degree_days(tmin, tmax, base=10.0, upper=30.0):
    n = tmin.shape[0]
    acc = np.zeros(n)
    total = 0.0
    for d in range(n):
        lo = max(tmin[d], base)
        hi = min(tmax[d], upper)
        if hi > lo:
            total += 0.5 * (lo + hi) - base
        acc[d] = total
    return acc
# oracle tmin=f8[365] tmax=f8[365]


@njit
def d8_direction(dem, direction, cell=1.0):
    h, w = dem.shape
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            best = 0.0
            which = -1
            for k in range(NEIGH8.shape[0]):
                di = NEIGH8[k, 0]
                dj = NEIGH8[k, 1]
                dist = cell * math.sqrt(di * di + dj * dj)
                s = (dem[i, j] - dem[i + di, j + dj]) / dist
                if s > best:
                    best = s
                    which = k
            direction[i, j] = which
# oracle dem=f8[24,32] direction=i1[24,32]


@njit
def richards_column(cells, dz, dt, steps=5):
    n = cells.shape[0]
    flux = np.zeros(n + 1)
    for _ in range(steps):
        for i in range(1, n):
            k = 0.5 * (cells[i]["ks"] + cells[i - 1]["ks"])
            flux[i] = k * ((cells[i - 1]["theta"] - cells[i]["theta"]) / dz + 1.0)
        for i in range(n):
            cells[i]["theta"] += dt * (flux[i] - flux[i + 1]) / dz
# oracle cells=SOIL[200] dz=0.1 dt=0.01 steps=5


@njit
def snow_melt(temp, prec, swe, melt, ddf=3.5, tt=0.0, cwh=0.1):
    liquid = np.zeros(swe.shape[0])
    for t in range(temp.shape[0]):
        for i in range(swe.shape[0]):
            if temp[t, i] < tt:
                swe[i] += prec[t, i]
                m = 0.0
            else:
                liquid[i] += prec[t, i]
                m = min(ddf * (temp[t, i] - tt), swe[i])
                swe[i] -= m
            liquid[i] += m
            hold = cwh * swe[i]
            release = max(liquid[i] - hold, 0.0)
            liquid[i] -= release
            melt[t, i] = release
# oracle temp=f8[60,32] prec=f8[60,32] swe=f8[32] melt=f8[60,32]


@njit
def swe_step(cells, dt, dx):
    n = cells.shape[0]
    for i in range(1, n - 1):
        if cells[i].h <= 0.0:
            cells[i].wet = 0
            continue
        grad = (cells[i + 1].h - cells[i - 1].h) / (2.0 * dx)
        cells[i].u -= dt * GRAV * grad
        cells[i].wet = 1
    for i in range(1, n - 1):
        flux = (cells[i + 1].u - cells[i - 1].u) / (2.0 * dx)
        cells[i].h -= dt * cells[i].h * flux
# oracle cells=CELL[800] dt=0.01 dx=1.0


@njit
def _flux(hl, hr, ul, ur):
    c = math.sqrt(9.81 * max(hl, hr))
    f0 = 0.5 * (hl * ul + hr * ur) - 0.5 * c * (hr - hl)
    f1 = 0.5 * (hl * ul * ul + hr * ur * ur) - 0.5 * c * (hr * ur - hl * ul)
    return f0, f1


@njit
def rusanov(h, u, dt, dx, steps):
    n = h.size
    F = np.empty((n + 1, 2))
    for _ in range(steps):
        for i in range(1, n):
            F[i, 0], F[i, 1] = _flux(h[i - 1], h[i], u[i - 1], u[i])
        for i in range(1, n - 1):
            hn = h[i] - dt / dx * (F[i + 1, 0] - F[i, 0])
            m = h[i] * u[i] - dt / dx * (F[i + 1, 1] - F[i, 1])
            h[i] = hn
            u[i] = m / hn if hn > 1e-6 else 0.0
# oracle h=f8[200] u=f8[200] dt=0.001 dx=1.0 steps=4
