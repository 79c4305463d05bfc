"""Functions that call kernels: in a loop over time, with buffers that swap, until something converges."""

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def relax(u, v):
    n, m = u.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@njit(parallel=True)
def damp(u, c):
    for i in prange(u.shape[0]):
        for j in range(u.shape[1]):
            u[i, j] *= c


@njit
def largest_change(u, v):
    err = 0.0
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            err = max(err, abs(u[i, j] - v[i, j]))
    return err


@njit
def there_and_back(u, v, steps):
    """Two calls a step, so that no buffers swap."""
    for t in range(steps):
        relax(u, v)
        relax(v, u)
    return u
# oracle u=f8[18,24] v=f8[18,24] steps=3


@njit
def swapping(u, v, steps):
    """Buffers that swap after each step."""
    for t in range(steps):
        relax(u, v)
        u, v = v, u
    return u
# oracle u=f8[18,24] v=f8[18,24] steps=4


@njit
def two_kernels(u, v, c, steps):
    """Two kernels a step: the second works on what the first has made."""
    for t in range(steps):
        relax(u, v)
        damp(v, c)
        u, v = v, u
    return u
# oracle u=f8[18,24] v=f8[18,24] c=0.5 steps=4


@njit
def until_it_changes_little(u, v, tol, most):
    """A test of convergence after each step."""
    for t in range(most):
        relax(u, v)
        if largest_change(u, v) < tol:
            break
        u, v = v, u
    return u
# oracle u=f8[18,24] v=f8[18,24] tol=-1.0 most=3


@njit
def every_tenth(u, v, steps, out):
    """A copy now and then."""
    k = 0
    for t in range(steps):
        relax(u, v)
        relax(v, u)
        if t % 10 == 0:
            out[k] = u[1, 1]
            k += 1
# oracle u=f8[10,16] v=f8[10,16] steps=20 out=f8[2]
