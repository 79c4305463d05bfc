"""Short loops that pass on an array of another shape: pyramids, levels of wavelets, reductions by halves."""

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def pyramid(img, levels=3):
    """Means of blocks of four, level by level; returns the coarsest."""
    cur = img
    for _ in range(levels):
        h, w = cur.shape
        coarse = np.empty((h // 2, w // 2))
        for i in range(h // 2):
            for j in range(w // 2):
                s = cur[2 * i, 2 * j] + cur[2 * i + 1, 2 * j] + cur[2 * i, 2 * j + 1] + cur[2 * i + 1, 2 * j + 1]
                coarse[i, j] = 0.25 * s
        cur = coarse
    return cur
# oracle img=f8[64,48] levels=3
# oracle img=f8[40,48] levels=1


@njit
def four_levels(x):
    """The number of levels is in the source."""
    total = 0.0
    for level in range(4):
        total += level * x[0]
        half = np.empty(x.shape[0] // 2)
        for i in range(half.shape[0]):
            half[i] = 0.5 * (x[2 * i] + x[2 * i + 1])
        x = half
    return total
# oracle x=f8[256]


def haar_details(x, levels):
    """Array expressions on halves of halves, with a list of what is left out."""
    details = []
    for _ in range(levels):
        details.append((x[::2] - x[1::2]) * 0.7071067811865476)
        x = (x[::2] + x[1::2]) * 0.7071067811865476
    return x, details
# oracle x=f8[512] levels=3


@njit
def _reduced(x):
    out = np.empty(x.shape[0] - 2)
    for i in range(out.shape[0]):
        out[i] = (x[i] + x[i + 1] + x[i + 2]) / 3.0
    return out


@njit
def shrinking(x, passes=5):
    """A helper whose result is shorter by two."""
    for p in range(passes):
        x = _reduced(x)
    return x
# oracle x=f8[300] passes=5
