"""Rows of tables whose place the data choose, walked along their lines."""

import numpy as np
from numba import njit


@njit
def add_rows(table, idx, out):
    """A line of a row serves eight of its elements."""
    n = len(idx)
    d = table.shape[1]
    for i in range(n):
        for k in range(d):
            out[i, k] += table[idx[i], k]
# oracle table=f8[50,64] idx=i8[300]<50 out=f8[300,64]
# oracle table=f8[5000,19] idx=i8[300]<5000 out=f8[300,19]
# oracle table=f4[900,7] idx=i8[300]<900 out=f4[300,7]


@njit
def rows_backwards(table, idx, out):
    """The row is named before the loop, and walked from its end."""
    for i in range(len(idx)):
        row = idx[i]
        s = 0.0
        for k in range(table.shape[1] - 1, -1, -1):
            s += table[row, k]
        out[i] = s
# oracle table=f8[500,24] idx=i8[300]<500 out=f8[300]


@njit
def embedding_means(table, idx, out):
    """The row is a view."""
    for i in range(idx.shape[0]):
        row = table[idx[i]]
        s = 0.0
        for k in range(row.shape[0]):
            s += row[k]
        out[i] = s / row.shape[0]
# oracle table=f8[500,24] idx=i8[300]<500 out=f8[300]


@njit
def cluster_sums(X, label, C):
    """Scattered rows are written along their lines, too."""
    n, d = X.shape
    for i in range(n):
        c = label[i]
        for f in range(d):
            C[c, f] += X[i, f]
# oracle X=f8[500,24] label=i8[500]<100 C=f8[100,24]


@njit
def pair_forces(pos, nb, f):
    """Three coordinates of a neighbour are on two lines at most."""
    n, m = nb.shape
    for i in range(n):
        for k in range(m):
            j = nb[i, k]
            dx = pos[i, 0] - pos[j, 0]
            dy = pos[i, 1] - pos[j, 1]
            dz = pos[i, 2] - pos[j, 2]
            r = dx * dx + dy * dy + dz * dz
            f[j, 0] -= dx * r
            f[j, 1] -= dy * r
            f[j, 2] -= dz * r
# oracle pos=f8[400,3] nb=i8[400,8]<400 f=f8[400,3]
# oracle pos=f4[1000,3] nb=i8[200,5]<1000 f=f4[1000,3]


@njit
def columns_of_rows(table, idx, out):
    """The index changes along the walk: each access may be of another line."""
    n, d = out.shape
    for i in range(n):
        for k in range(d):
            out[i, k] = 2.0 * table[idx[k], k]
# oracle table=f8[2000,40] idx=i8[40]<2000 out=f8[30,40]


@njit
def index_written_on_the_way(table, idx, out):
    """The loop along the row changes which row it is."""
    n, d = out.shape
    for i in range(n):
        for k in range(d):
            out[i, k] = 2.0 * table[idx[i], k]
            idx[i] = (7 * idx[i] + 3) % 2000
# oracle table=f8[2000,40] idx=i8[30]<2000 out=f8[30,40]


@njit
def blocks_of_rows(table, idx, out):
    """A row of a matrix of matrices: its inner rows start anywhere."""
    n, a, b = out.shape
    for i in range(n):
        for j in range(a):
            for k in range(b):
                out[i, j, k] = 0.5 * table[idx[i], j, k]
# oracle table=f8[300,3,5] idx=i8[200]<300 out=f8[200,3,5]


def picked_rows(x, idx):
    """NumPy's selection takes whole rows."""
    return x[idx, :] * 2.0
# oracle x=f8[1000,16] idx=i8[300]<1000
# oracle x=f8[200,5] idx=i8[300]<200
