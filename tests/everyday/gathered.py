"""Elements, rows and records that an index names, touched more than once."""

import numpy as np
from numba import njit

particle = np.dtype([("x", "f8"), ("y", "f8"), ("vx", "f8"), ("vy", "f8"), ("m", "f8"), ("q", "f8"), ("a", "f8"), ("b", "f8")])
body = np.dtype([("x", "f8"), ("y", "f8"), ("m", "f8")])


@njit
def two_fields(p, idx):
    """Two accesses to one gathered record of one line."""
    s = 0.0
    for i in range(idx.shape[0]):
        s += p[idx[i]].x * p[idx[i]].m
    return s
# oracle p=particle[64] idx=i8[200]<64


@njit
def two_fields_named(p, idx):
    """The same by a name."""
    s = 0.0
    for i in range(idx.shape[0]):
        r = p[idx[i]]
        s += r.x * r.m
    return s
# oracle p=particle[64] idx=i8[200]<64


@njit
def fields_of_three(p, idx):
    """Records of 24 bytes, of which some lie on two lines."""
    s = 0.0
    for i in range(idx.shape[0]):
        s += p[idx[i]].x * p[idx[i]].m
    return s
# oracle p=body[100] idx=i8[200]<100


@njit
def same_twice(x, idx):
    """One element, read twice."""
    s = 0.0
    for i in range(idx.shape[0]):
        s += x[idx[i]] * (1.0 - x[idx[i]])
    return s
# oracle x=f8[400] idx=i8[200]<400


@njit
def neighbours(x, idx):
    """Elements beside each other."""
    s = 0.0
    for i in range(idx.shape[0]):
        s += x[idx[i]] * (1.0 - x[idx[i] + 1])
    return s
# oracle x=f8[401] idx=i8[200]<400


@njit
def pair_of_row(x, idx):
    """Rows of a whole line."""
    s = 0.0
    for i in range(idx.shape[0]):
        s += x[idx[i], 0] * x[idx[i], 7]
    return s
# oracle x=f8[100,8] idx=i8[200]<100


@njit
def pair_of_short_row(x, idx):
    """Rows of three elements."""
    s = 0.0
    for i in range(idx.shape[0]):
        s += x[idx[i], 0] * x[idx[i], 2]
    return s
# oracle x=f8[100,3] idx=i8[200]<100


@njit
def kick(p, idx, k):
    """Fields read and written."""
    for i in range(idx.shape[0]):
        p[idx[i]].vx -= k * p[idx[i]].x
        p[idx[i]].vy -= k * p[idx[i]].y
# oracle p=particle[64] idx=i8[200]<64 k=0.1


@njit
def shifted_view(x, idx):
    """A part of the same array: elements beside each other."""
    s = 0.0
    y = x[7:]
    for i in range(idx.shape[0]):
        s += x[idx[i]] * y[idx[i]]
    return s
# oracle x=f8[407] idx=i8[200]<400


@njit
def changed_between(x, idx, k):
    """A place that changes between two accesses."""
    for i in range(idx.shape[0] - 1):
        x[idx[i]] = 1.0
        idx[i] = idx[i + 1]
        x[idx[i]] += k
# oracle x=f8[400] idx=i8[200]<400 k=2.0


@njit
def reshaped(x, idx):
    """Two shapes of the same memory."""
    s = 0.0
    y = x.reshape(50, 8)
    for i in range(idx.shape[0]):
        s += x[idx[i]] * y[idx[i], 0]
    return s
# oracle x=f8[400] idx=i8[200]<50


@njit
def negative_side(x, idx):
    """Neighbours in rows, on both sides."""
    s = 0.0
    for i in range(idx.shape[0]):
        for j in range(2, 14, 3):
            s += x[idx[i], j - 2] * x[idx[i], j + 1]
    return s
# oracle x=f8[60,16] idx=i8[50]<60


SIDES = np.array([0, 1, 0, -1])


@njit
def four_around_a_chosen_place(f, src, g):
    """A table in a short loop: four reads that data place, each with a line of its own at worst."""
    for i in range(src.shape[0]):
        s = 0.0
        for k in range(4):
            s += f[src[i] + SIDES[k] * 40 + 40]
        g[i] = s
# oracle f=f8[2000] src=i8[400]<1900 g=f8[400]


@njit
def dilated_sums(X, weights, channels, dilation, padding, used):
    length, n = weights.shape[1], X.shape[1]
    best = 0.0
    for i in range(-padding, n + padding - (length - 1) * dilation):
        s = 0.0
        index = i
        for j in range(length):
            if index > -1 and index < n:
                for k in range(used):
                    s += weights[k, j] * X[channels[k], index]
            index = index + dilation
        best = max(best, s)
    return best
# expect status = exact
# oracle X=f8[5,40] weights=f8[5,3] channels=i8[5] dilation=2 padding=1 used=5
# known traffic: a row that an index names under a guard that cuts the loop into parts, one of them empty


@njit
def three_beside_a_number(x, table, out):
    """Three neighbours of a place that a float chooses are on two lines at the most."""
    n = table.shape[0]
    for k in range(x.shape[0]):
        j = int(x[k] * 1200.0) % (n - 2) + 1
        out[k] = table[j - 1] + table[j] + table[j + 1]
# expect levels = upper_bound
# expect status = exact
# oracle x=f8[400] table=f8[1400] out=f8[400]


@njit
def spread_of_quadratic_order(x, rho):
    n = rho.shape[0]
    for k in range(x.shape[0]):
        s = x[k] * 700.0
        j = int(s) % (n - 2) + 1
        d = s - j
        rho[j - 1] += 0.5 * (0.5 - d) ** 2
        rho[j] += 0.75 - d * d
        rho[j + 1] += 0.5 * (0.5 + d) ** 2
# oracle x=f8[600] rho=f8[901]


@njit
def moved_between(x, table, out):
    """The number changes between two of its neighbours."""
    n = table.shape[0]
    for k in range(x.shape[0]):
        j = int(x[k] * 1200.0) % (n - 2)
        s = table[j] + table[j + 1]
        j = int(x[k] * 1700.0) % (n - 2)
        out[k] = s + table[j] + table[j + 1] + table[j + 2]
# oracle x=f8[400] table=f8[1400] out=f8[400]
