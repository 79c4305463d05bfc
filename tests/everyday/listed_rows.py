"""Lists of the rows or columns of an array: what a loop over them reads are the rows."""

import numpy as np
from numba import njit


@njit
def neighbouring_rows(A):
    """Rows in a list, taken in pairs."""
    s = 0.0
    rows = [A[i] for i in range(A.shape[0])]
    for r, q in zip(rows[:-1], rows[1:]):
        for a, b in zip(r, q):
            s += (a - b) ** 2
    return s
# oracle A=f8[20,30]


@njit
def rows_by_subscript(A):
    """A list of rows, subscripted twice, and its length."""
    s = 0.0
    rows = [A[i] for i in range(0, A.shape[0], 2)]
    for i in range(1, len(rows)):
        for j in range(A.shape[1]):
            s += rows[i][j] * rows[i - 1][j] + rows[-1][j]
    return s
# oracle A=f8[20,30]


def norms_of_columns(A):
    """Columns in a list."""
    cols = [A[:, j] for j in range(A.shape[1])]
    return sum(np.sum(c * c) for c in cols)
# oracle A=f8[20,30]


def generated_rows(A, w):
    """A generator of rows, backwards."""
    s = 0.0
    for r in (A[i] for i in range(A.shape[0] - 1, -1, -1)):
        for j in range(len(w)):
            s += r[j] * w[j]
    return s
# oracle A=f8[20,30] w=f8[30]


def made_of_windows(x, w=5):
    """Windows in a list, made an array of."""
    rows = [x[i : i + w] for i in range(len(x) - w + 1)]
    return np.array(rows)
# oracle x=f8[200] w=5


def scaled_rows(A, w):
    """Rows that the comprehension makes: not the rows of one array."""
    rows = [A[i] * w for i in range(A.shape[0])]
    s = 0.0
    for r in rows:
        s += r[0] + r[1]
    return s
# oracle A=f8[20,30] w=f8[30]


def chosen_rows(A, thr):
    """Which rows are in the list depends on data."""
    rows = [A[i] for i in range(A.shape[0]) if A[i, 0] > thr]
    s = 0.0
    for r in rows:
        for j in range(A.shape[1]):
            s += r[j]
    return s
# oracle A=f8[20,30] thr=0.5


def listed_pairs(x, y):
    """Pairs of numbers."""
    s = 0.0
    for a, b in [(x[i], y[i]) for i in range(len(x))]:
        s += a * b
    return s
# oracle x=f8[300] y=f8[300]
