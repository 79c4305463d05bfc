"""The Numba kernels that measure what stalls scalar code (functions, mispredicted branches, remainders, fresh memory),
and how much of the time of transfers overlaps. Their callers make the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit


def applied(function: Callable[..., float], *further: float) -> Any:
    """A loop that calls a function of ``math`` on each element, and on a constant."""
    if further:
        [b] = further

        @njit
        def of_two(x, y):
            for i in range(x.shape[0]):
                y[i] = function(x[i], b)

        return of_two

    @njit
    def of_one(x, y):
        for i in range(x.shape[0]):
            y[i] = function(x[i])

    return of_one


@njit
def pick(x, y, bound):
    """A branch that is taken where x lies above the bound; the place of its store keeps it a branch."""
    k = 0
    for i in range(x.shape[0]):
        if x[i] > bound:
            y[k] = x[i]
            k += 1
    return k


@njit
def copied_where_positive(x, y, repeats):
    """Vector code stores under a mask."""
    for _ in range(repeats):
        for i in range(x.shape[0]):
            if x[i] > 0.0:
                y[i] = x[i]


@njit
def four_factors(x, y, a, repeats):
    """Integers are made floating point."""
    for _ in range(repeats):
        for i in range(y.shape[0]):
            y[i] = x[0, i] * a + x[1, i] * a + x[2, i] * a + x[3, i] * a


@njit
def four_factors_apart(x, y, a, repeats):
    """Scalar code: the compiler does not know how far apart the elements are."""
    for _ in range(repeats):
        for i in range(y.shape[0]):
            y[i, 0] = (x[i, 0] * a + x[i, 1] * a) + (x[i, 2] * a + x[i, 3] * a)


@njit
def remainders(n, a, b):
    s = 0
    for i in range(n):
        s += (i + a) % b
    return s


@njit
def integer_operations(x, y, a, b, repeats):
    """Eight sums and eight logical operations per element."""
    for _ in range(repeats):
        for i in range(x.shape[0]):
            v = ((((x[i] + a) ^ b) + b) ^ a) + x[i]
            v = ((((v ^ b) + a) ^ x[i]) + b) ^ a
            v = ((((v + a) ^ b) + x[i]) ^ a) + b
            y[i] = v ^ x[i]


@njit
def integer_products(x, y, a, b, repeats):
    """Eight products an element, and as many logical operations."""
    for _ in range(repeats):
        for i in range(x.shape[0]):
            v = (((x[i] * a) ^ b) * b) ^ a
            v = (((v * a) ^ b) * b) ^ a
            v = (((v * a) ^ b) * b) ^ a
            y[i] = (((v * a) ^ b) * b) ^ a


@njit
def integer_sums_along(x, y, k):
    """They pass through memory: the range keeps Numba's tests of subscripts."""
    for i in range(k + 1, x.shape[0]):
        y[i] = y[i - 1] + x[i]


@njit
def chase(places, n):
    k = places[0]
    for _ in range(n):
        k = places[k]
    return k


@njit
def fresh(n, step):
    """An array of its own, touched every ``step`` elements."""
    x = np.empty(n)
    for i in range(0, n, step):
        x[i] = 1.0
    return x[0]


@njit
def handed_out(n):
    x = np.empty(n)
    x[0] = 1.0
    return x


@njit
def nine_points(x, y, repeats):
    """Much to load for each line that comes from afar."""
    for _ in range(repeats):
        for i in range(y.shape[0]):
            for j in range(y.shape[1]):
                y[i, j] = (
                    x[i, j] + x[i, j + 1] + x[i, j + 2] + x[i + 1, j] + x[i + 1, j + 1] + x[i + 1, j + 2]
                    + x[i + 2, j] + x[i + 2, j + 1] + x[i + 2, j + 2]
                )  # fmt: skip


@njit
def smoothed_products(x, y, s, repeats):
    """A chain that takes longer than the lines it reads."""
    for _ in range(repeats):
        for i in range(x.shape[0]):
            s = 0.5 * s + x[i] * y[i]
    return s


@njit(fastmath=True)
def gather(x, places):
    s = 0.0
    for i in range(places.shape[0]):
        s += x[places[i]]
    return s
