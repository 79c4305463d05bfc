"""Loops that halve what is left, and loops whose first line breaks."""

import numpy as np
from numba import njit


import numpy as np
from numba import njit
@njit
def halves_down(x):
    """Halves rounded down; one element is not halved."""
    n = x.size
    while n > 1:
        half = n // 2
        for i in range(n // 2):
            x[i] = x[i] + x[i + half]
        n = half
    return x[0]
# oracle x=f8[300]
# oracle x=f8[1]
# oracle x=f8[7]


@njit
def halves_up(x):
    """Halves rounded up."""
    n = x.size
    while n > 1:
        half = (n + 1) // 2
        for i in range(n // 2):
            x[i] = x[i] + x[i + half]
        n = half
    return x[0]
# oracle x=f8[300]
# oracle x=f8[1]
# oracle x=f8[7]


@njit
def halves_until_one(x):
    """A loop without an end whose first line breaks."""
    n = x.size
    while True:
        if n == 1:
            break
        half = n // 2
        for i in range(n // 2):
            x[i] = x[i] + x[i + half]
        n = half
    return x[0]
# oracle x=f8[300]
# oracle x=f8[1]
# oracle x=f8[7]


@njit
def rest_after_half(x):
    """Halves rounded up, by what is left."""
    n = x.size
    while n > 1:
        half = (n + 1) // 2
        for i in range(n - half):
            x[i] += x[i + half]
        n = half
    return x[0]
# oracle x=f8[300]
# oracle x=f8[1]
# oracle x=f8[7]


@njit
def every_third_until_the_end(x):
    """A counter in such a loop."""
    n = x.size
    k = 0
    while True:
        if k >= n:
            break
        x[k] *= 2.0
        k += 3
# oracle x=f8[300]
# oracle x=f8[1]
# oracle x=f8[7]


@njit
def halves_at_the_top(x):
    """The half is taken at the top."""
    n = x.size
    s = n
    while s >= 2:
        s //= 2
        for i in range(s):
            x[i] = x[i] + x[i + s]
    return x[0]
# oracle x=f8[300]
# oracle x=f8[1]
# oracle x=f8[7]
