"""Mechanisms that functions of packages showed: lists of rows, integers by comparison, types that a loop unifies,
tests on what a loop counts, temporaries for rows of unknown length."""

import math

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


@njit
def until_done(x, order, n):
    """A break by a count: what follows runs where the test does not hold."""
    done = 0
    s = 0.0
    for k in range(len(order)):
        if done == n - 1:
            break
        v = x[order[k]]
        if v > 0.5:
            s += v
            done += 1
    return s
# oracle x=f8[64] order=i8[40]<64 n=9
# oracle x=f8[64] order=i8[40]<64 n=90


@njit
def either_by_count(x, y, n):
    """Both arms of a test on a value that the loop changes by data: shares that add up to 1."""
    turns = 0
    s = 0.0
    for k in range(len(x)):
        if turns < n:
            s += x[k] * y[k]
        else:
            s += x[k]
        if x[k] > 1.0:
            turns += 1
    return s
# oracle x=f8[64] y=f8[64] n=9
# known traffic: the first turns take one arm, the model spreads a share over all


@njit
def powers_of_rows(indptr, data):
    """A row of each length is computed by itself, and stored back: a temporary for each row."""
    for i in range(indptr.shape[0] - 1):
        data[indptr[i] : indptr[i + 1]] = np.power(data[indptr[i] : indptr[i + 1]], 0.3)
# oracle rows=40 nnz=800 indptr=i8[rows+1]^nnz data=f8[nnz]
# oracle rows=40 nnz=30 indptr=i8[rows+1]^nnz data=f8[nnz]
# known traffic: a slice that starts where data says counts a line an access


@njit
def zeros_of_a_list(x, n):
    """An array made of a list that is repeated."""
    sums = np.array([0.0] * n)
    for k in range(n):
        sums[k] += x[k]
    return sums
# oracle x=f8[32] n=20


def one_of_each_part(parts, k):
    """A part of an array under another shape is where it was."""
    s = 0.0
    for part in parts:
        s += np.ravel(part)[k]
    return s
# oracle parts=f8[8,8,8] k=9


@njit
def lagged(x, w):
    """Slices that start beyond the end are empty: a stated assumption."""
    s = 0.0
    for k in range(1, len(w)):
        s += w[k] * np.sum(x[k:] * x[:-k])
    return s
# oracle x=f8[32] w=f8[8]
# oracle x=f8[8] w=f8[11]


def labelled(x, digits):
    """Texts are put together without arithmetic."""
    form = "%d." + "%d" % digits
    label = form % (digits + 4)
    return label + "f", x * 2.0
# oracle x=f8[32] digits=2


@njit
def distance_weights(x, y):
    """A norm of a number is a real number."""
    s = 0.0
    for k in range(len(x)):
        s += np.exp(-9.0 * np.linalg.norm(x[k] - y[k]) ** 2)
    return s
# oracle x=f8[32] y=f8[32]
# oracle x=c16[32] y=c16[32]
# oracle x=i8[32] y=i8[32]


def padded(image, width=1, value=0):
    """An array of integers whose size only a run knows: adding to it is no FLOP."""
    sizes = np.array(image.shape) + 2 * width
    made = np.zeros(sizes, dtype=np.uint32)
    if value != 0:
        made = made + value
    return made
# oracle image=f8[8,8] width=1 value=3


@njit
def means_of_segments(x, parts):
    """Segments of equal size, of which the last may be empty."""
    means = np.zeros(parts)
    size = math.ceil(len(x) / parts)
    for k in range(parts):
        segment = x[k * size : (k + 1) * size]
        if len(segment) != 0:
            means[k] = np.sum(segment) / len(segment)
    return means
# oracle x=f8[8] parts=7
# oracle x=f8[64] parts=8


@njit
def _total(items):
    total = 0
    for item in items:
        total += item
    return total


@njit
def deviation_of_a_list(x):
    """One helper adds integers, and then floating numbers."""
    mean = _total(x) / len(x)
    return (_total([(v - mean) ** 2 for v in x]) / len(x)) ** 0.5
# oracle x=f8[40]
# oracle x=i8[40]


@njit
def numbers_of_one_type(codes, width):
    """A list of an integer and floating numbers holds floating numbers."""
    lengths = [0, width, 2.0 * width]
    total = 0
    for code in codes:
        total += lengths[code]
    return total
# oracle codes=i8[60]<1 width=1.5


def windows_that_do_not_fit(n, width, least):
    """No window starts beyond the last one: an empty range."""
    splits = np.arange(least, n - least + 1)
    starts = splits - width
    starts[starts < 0] = 0
    return np.column_stack((starts, splits))
# oracle n=40 width=1.5 least=5
# oracle n=9 width=1.5 least=11
