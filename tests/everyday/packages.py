"""Mechanisms that functions of packages showed: lists of rows, integers by comparison, types that a loop unifies."""

import numpy as np
from numba import njit


def centred_rows(batch):
    """A list of numbers that a comprehension makes, beside the rows that it was made of."""
    means = [np.mean(row) for row in batch]
    return [row - mean for row, mean in zip(batch, means)]
# oracle batch=f8[8,16]


def rows_beside_pairs(batch):
    """A list of pairs is unknown data, the rows beside it are not."""
    pairs = [(np.mean(row), np.max(row)) for row in batch]
    return [(row - pair[0]) / pair[1] for row, pair in zip(batch, pairs)]
# oracle batch=f8[8,16]


@njit
def numbers_of_a_list(x):
    """A loop over a list of numbers, counted from 1."""
    squares = [v * v for v in x]
    s = 0.0
    for i, q in enumerate(squares, 1):
        s += q / i
    return s
# oracle x=f8[64]


@njit
def from_a_place_on(x, start, width):
    """Nothing but a comparison with a counter says that start and width are integers: an assumption."""
    s = 0.0
    for i in range(x.shape[0]):
        if i >= start + width:
            s += x[i]
    return s
# oracle x=f8[64] start=8 width=4
# oracle x=f8[64] start=8.0 width=4.0


@njit
def mixed_radix(indices, sizes):
    """Both names start as integers, and a loop makes them floats: Numba gives each one type."""
    index = 0
    step = 1
    for k in range(len(indices)):
        index += step * indices[k]
        step *= sizes[k]
    return index
# oracle indices=i8[16] sizes=f8[16]
# oracle indices=i8[16] sizes=i8[16]


@njit
def on_an_edge(x, y, west, east, south, north):
    """Membership in a tuple of numbers compares them, and moves nothing."""
    return x in (west, east) and south <= y <= north
# oracle x=1.5 y=1.5 west=1.5 east=2.5 south=1.0 north=2.0


def checkerboard(n=4, low=0.0, high=1.0):
    """An array that NumPy makes of sizes alone is written."""
    board = np.indices((n, n)).sum(axis=0) % 2
    return np.where(board == 0, low, high)
# oracle n=16 low=0.0 high=1.0
