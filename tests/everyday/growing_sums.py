"""Sums that begin as numbers and become arrays, loops that a bound size keeps from running, arrays by default."""

import numpy as np
from numba import njit


def grown(a):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i]
    return total
# oracle a=f8[40,64]


def grown2(a, w):
    total = 0
    for i in range(len(w)):
        total = total + w[i] * a[i] ** 2
    return total
# oracle a=f8[40,64] w=f8[40]


def grown3(imgs, k):
    acc = 0
    for t in range(3):
        for img in imgs:
            acc += img * k
    return acc / 3
# oracle imgs=f8[6,16,24] k=2.0


@njit
def never(x, y, max_iter, tol):
    u = x
    for it in range(max_iter):
        new = y / (1.0 + u)
        err = 0.0
        for i in range(len(x)):
            err += abs(new[i] - u[i])
        u = new
        if err < tol:
            break
    return u
# oracle x=f8[40] y=f8[40] max_iter=0 tol=0.1
# oracle x=f8[40] y=f8[40] max_iter=5 tol=0.001


NO_WEIGHTS = np.zeros((2, 2), dtype=np.float64)


@njit
def default_of_the_module(x, w=NO_WEIGHTS, limit=0.5):
    """A call that leaves out an array gets the module's."""
    s = 0.0
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            s += w[i, j] * limit
    for i in range(len(x)):
        s += x[i]
    return s
# oracle x=f8[100]
# oracle x=f8[100] w=f8[20,30]
