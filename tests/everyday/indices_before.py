"""Indices that the iteration before leaves (``j = i`` at the end of the body), the last one before the first."""

from numba import njit


@njit
def area(xs, ys):
    """The edge to the corner before, of the first corner to the last."""
    n = len(xs)
    a = 0.0
    j = n - 1
    for i in range(n):
        a += (xs[j] + xs[i]) * (ys[j] - ys[i])
        j = i
    return 0.5 * a
# oracle xs=f8[300] ys=f8[300]


@njit
def steps(x, out):
    """The index of the iteration before."""
    prev = 0
    for i in range(1, len(x)):
        out[i] = x[i] - x[prev]
        prev = i
# oracle x=f8[300] out=f8[300]


@njit
def inside(x, y, poly):
    """A ray through the edges of a polygon."""
    n = poly.shape[0]
    c = False
    j = n - 1
    for i in range(n):
        if (poly[i, 1] > y) != (poly[j, 1] > y):
            if x < (poly[j, 0] - poly[i, 0]) * (y - poly[i, 1]) / (poly[j, 1] - poly[i, 1]) + poly[i, 0]:
                c = not c
        j = i
    return c
# oracle x=0.9 y=0.9 poly=f8[100,2]


@njit
def moving(x, out):
    """A place of its own in the first iteration."""
    last = 5
    for i in range(len(x)):
        out[i] = x[last]
        last = i
# oracle x=f8[300] out=f8[300]


@njit
def ring_rows(u, out):
    """The row to the west, of the first row the last."""
    n, m = u.shape
    west = n - 1
    for i in range(n):
        for j in range(m):
            out[i, j] = u[i, j] - u[west, j]
        west = i
# oracle u=f8[20,64] out=f8[20,64]
