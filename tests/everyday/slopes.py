"""Places that are rounded numbers: resizing, resampling, rays. They rise with a loop at a slope that is not whole."""

import math

import numpy as np
from numba import njit


@njit
def nearest(img, out, scale):
    h, w = out.shape
    for i in range(h):
        for j in range(w):
            out[i, j] = img[int(i * scale), int(j * scale)]
# oracle img=f8[60,90] out=f8[40,60] scale=1.5
# oracle img=f8[120,200] out=f8[40,60] scale=2.7


@njit
def bilinear(img, out):
    """A slope that is a quotient of sizes; the last row and column by ``min``."""
    h, w = img.shape
    rows, columns = out.shape
    sy = h / rows
    sx = w / columns
    for i in range(rows):
        y = i * sy
        y0 = int(y)
        y1 = min(y0 + 1, h - 1)
        fy = y - y0
        for j in range(columns):
            x = j * sx
            x0 = int(np.floor(x))
            x1 = min(x0 + 1, w - 1)
            fx = x - x0
            top = (1 - fx) * img[y0, x0] + fx * img[y0, x1]
            out[i, j] = (1 - fy) * top + fy * ((1 - fx) * img[y1, x0] + fx * img[y1, x1])
# oracle img=f8[30,50] out=f8[60,100]
# oracle img=f8[60,100] out=f8[30,50]


@njit
def between_corners(img, out):
    """The same with the corners of both images on each other."""
    h, w = img.shape
    rows, columns = out.shape
    sy = (h - 1) / (rows - 1)
    sx = float(w - 1) / (columns - 1)
    for i in range(rows):
        y0 = int(math.floor(i * sy))
        y1 = min(y0 + 1, h - 1)
        for j in range(columns):
            x0 = int(math.floor(j * sx))
            out[i, j] = 0.5 * (img[y0, x0] + img[y1, min(x0 + 1, w - 1)])
# oracle img=f8[30,50] out=f8[70,110]
# oracle img=f8[50,90] out=f8[30,40]


@njit
def departure_points(q, out, ux, uy):
    """Semi-Lagrangian advection by a wind that is the same everywhere."""
    n, m = q.shape
    for i in range(n):
        for j in range(m):
            y = min(max(i - uy, 0.0), n - 1.001)
            x = min(max(j - ux, 0.0), m - 1.001)
            a = int(y)
            b = int(x)
            out[i, j] = q[a, b] + q[a + 1, b] + q[a, b + 1] + q[a + 1, b + 1]
# oracle q=f8[40,48] out=f8[40,48] ux=1.3 uy=2.6


@njit
def every_few(x, out, ratio):
    """A slope of more than a line."""
    for i in range(len(out)):
        k = int(round(i * ratio))
        out[i] = x[k] + x[k + 1]
# oracle x=f8[4000] out=f8[400] ratio=9.5
# oracle x=f8[1000] out=f8[900] ratio=0.3


@njit
def by_default(a, out, scale=0.25):
    for j in range(out.size):
        out[j] = a[math.floor(j * scale)]
# oracle a=f8[600] out=f8[1100]


@njit
def resampled(x, out, rate, wanted):
    step = rate / wanted
    for i in range(out.size):
        out[i] = x[int(i * step)]
# oracle x=f8[3000] out=f8[900] rate=44100.0 wanted=16000.0


@njit
def shifted_ring(u, out, c, dt, dx):
    n = u.size
    shift = c * dt / dx
    for i in range(n):
        x = i - shift
        k = int(np.floor(x))
        f = x - k
        out[i] = (1.0 - f) * u[k % n] + f * u[(k + 1) % n]
# oracle u=f8[1000] out=f8[1000] c=3.0 dt=0.7 dx=0.1


@njit
def rows_at_a_slope(a, b, s):
    n, m = b.shape
    for i in range(n):
        k = int(i * s)
        for j in range(m):
            b[i, j] = a[k, j]
# oracle a=f8[100,61] b=f8[40,61] s=2.4
# oracle a=f8[60,64] b=f8[100,64] s=0.6


@njit
def drawn_at_random(x, table, out):
    """The rounded numbers are data, so each access may touch another line."""
    for i in range(len(x)):
        out[i] = table[int(x[i] * 100.0) % len(table)]
# oracle x=f8[300] table=f8[64] out=f8[300]
