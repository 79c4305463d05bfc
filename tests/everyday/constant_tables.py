"""Tables of constants that choose what a loop accesses: velocities of lattices, neighbours, opposite directions."""

import numpy as np
from numba import njit

CX = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
CY = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
E = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]])
OPP = (0, 3, 4, 1, 2)
NX = (1, 0, -1, 0)
NY = (0, 1, 0, -1)


@njit
def stream(f, g):
    q, ny, nx = f.shape
    for k in range(9):
        for y in range(ny):
            for x in range(nx):
                g[k, (y + CY[k]) % ny, (x + CX[k]) % nx] = f[k, y, x]
# oracle f=f8[9,12,16] g=f8[9,12,16]


@njit
def pull(f, g):
    nx, ny, q = f.shape
    for x in range(nx):
        for y in range(ny):
            for k in range(9):
                g[x, y, k] = f[(x - CX[k] + nx) % nx, (y - CY[k] + ny) % ny, k]
# oracle f=f8[20,16,9] g=f8[20,16,9]
@njit
def bounce(f, g, solid):
    nx, ny, q = f.shape
    for x in range(1, nx - 1):
        for y in range(1, ny - 1):
            for k in range(5):
                xs = x - E[k, 0]
                ys = y - E[k, 1]
                if solid[xs, ys]:
                    g[x, y, k] = f[x, y, OPP[k]]
                else:
                    g[x, y, k] = f[xs, ys, k]
# oracle f=f8[20,16,5] g=f8[20,16,5] solid=i8[20,16]<1


@njit
def neighbours(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = 0.0
            for d in range(4):
                s += a[i + NX[d], j + NY[d]]
            out[i, j] = 0.25 * s
# oracle a=f8[40,48] out=f8[40,48]


@njit
def local_tuples(a, out):
    n, m = a.shape
    dx = (1, 0, -1, 0)
    dy = (0, 1, 0, -1)
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = 0.0
            for d in range(4):
                s += a[i + dx[d], j + dy[d]]
            out[i, j] = 0.25 * s
# oracle a=f8[40,48] out=f8[40,48]


@njit
def steepest_descent(z, direction):
    """Tables made in the function, and only read."""
    n, m = z.shape
    dy = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
    dx = np.array([0, 1, 1, 1, 0, -1, -1, -1])
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            best = 0.0
            at = -1
            for k in range(8):
                drop = z[i, j] - z[i + dy[k], j + dx[k]]
                if drop > best:
                    best = drop
                    at = k
            direction[i, j] = at
# oracle z=f8[40,48] direction=i8[40,48]


@njit
def potts_energy(s, out):
    n = s.shape[0]
    near = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])
    for i in range(n):
        for j in range(n):
            e = 0.0
            for k in range(len(near)):
                e += s[i, j] * s[(i + near[k, 0]) % n, (j + near[k, 1]) % n]
            out[i, j] = e
# oracle s=f8[40,40] out=f8[40,40]


@njit
def spread_to_neighbours(a, out):
    n, m = a.shape
    near = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for k in range(4):
                out[i + near[k, 0], j + near[k, 1]] += a[i, j]
# oracle a=f8[40,48] out=f8[40,48]


@njit
def zipped(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = 0.0
            for di, dj in zip(NX, NY):
                s += a[i + di, j + dj]
            out[i, j] = s
# oracle a=f8[40,48] out=f8[40,48]


@njit
def numbered(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for k, (di, dj) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
                out[i, j] += (k + 1) * a[i + di, j + dj]
# oracle a=f8[40,48] out=f8[40,48]


@njit
def turning(a, out, steps):
    """A table that the loop around changes chooses what it accesses by data."""
    n = a.size
    dx = np.array([1, 0])
    for t in range(steps):
        for i in range(1, n - 1):
            for k in range(2):
                out[i] += a[i + dx[k]]
        dx[0] = -dx[0]
# oracle a=f8[300] out=f8[300] steps=3


BINOMIAL = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0
TURN = np.array([[0.0, -1.0, 2.0], [1.0, 0.0, 3.0]]).T
STEPS = np.linspace(0.0, 1.0, 5)


@njit
def binomial_filter(x, y):
    h = len(BINOMIAL) // 2
    for i in range(h, x.shape[0] - h):
        acc = 0.0
        for k, w in enumerate(BINOMIAL):
            acc += w * x[i + k - h]
        y[i] = acc
# oracle x=f8[100] y=f8[100]
# oracle x=f8[4] y=f8[4]


@njit
def turned(x):
    s = 0.0
    for i in range(len(x)):
        for a in range(TURN.shape[0]):
            for b in range(TURN.shape[1]):
                s += x[i] * TURN[a, b] * STEPS[a]
    return s
# oracle x=f8[20]
