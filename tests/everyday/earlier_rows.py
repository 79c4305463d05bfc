"""What an iteration keeps for the next one, None before the first; parts of a tuple of arrays."""

import numpy as np
from numba import njit


@njit
def products_with_row_before(A):
    """None before the first row."""
    prev = None
    s = 0.0
    for i in range(A.shape[0]):
        row = A[i]
        if prev is not None:
            for j in range(A.shape[1]):
                s += row[j] * prev[j]
        prev = row
    return s
# oracle A=f8[20,30]


def sum_or_none(A, w):
    """A sum that starts as None."""
    acc = None
    for i in range(A.shape[0]):
        t = A[i] * w
        acc = t if acc is None else acc + t
    return acc
# oracle A=f8[20,30] w=f8[30]


@njit
def sum_from(a, b, c, k):
    """The arrays of a tuple from a parameter on."""
    s = 0.0
    for x in (a, b, c)[k:]:
        for i in range(x.shape[0]):
            s += x[i]
    return s
# oracle a=f8[200] b=f8[200] c=f8[200] k=1


@njit
def sum_of_last_two(a, b, c):
    """The last two arrays of a tuple."""
    s = 0.0
    for x in (a, b, c)[-2:]:
        for i in range(x.shape[0]):
            s += x[i]
    return s
# oracle a=f8[200] b=f8[200] c=f8[200]
