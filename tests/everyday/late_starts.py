"""Loops that do not start at 0, with arrays that are made anew in each iteration."""

import numpy as np
from numba import njit


def from_the_third(x, n=6):
    """Rows of a table from the two before."""
    P = np.ones((n + 1, x.size))
    for k in range(2, n + 1):
        P[k] = (k * x * P[k - 1] - P[k - 2]) / k
    return P
# oracle x=f8[64] n=6


def late(x, P):
    for k in range(3, 6):
        P[k] = (x * 2.0) * 3.0
    return P
# oracle x=f8[64] P=f8[40,64]


def below_zero(x, P):
    for k in range(-3, 3):
        P[k] = (x * 2.0) * 3.0
    return P
# oracle x=f8[64] P=f8[40,64]


def downwards(x, P):
    for k in range(20, 4, -3):
        P[k] = (x * 2.0) * 3.0
    return P
# oracle x=f8[64] P=f8[40,64]


def nested(x, P):
    """The inner loop starts before 0, or late, as the outer one has it."""
    for i in range(4, 8):
        for k in range(i - 7, i):
            P[k] = (x * 2.0) * 3.0
    return P
# oracle x=f8[64] P=f8[40,64]


def last_one(x, P):
    """The array of the last iteration is read behind the loop."""
    for k in range(5, 9):
        t = x * 2.0
        P[k] = t * 3.0
    return t + 1.0
# oracle x=f8[64] P=f8[40,64]


@njit
def windows_of_history(x, out, w):
    for i in range(w, x.shape[0]):
        t = np.empty(w)
        for k in range(w):
            t[k] = x[i - k]
        out[i] = t.max()
# oracle x=f8[64] out=f8[64] w=5
