"""Slices, views and two names of one array."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def slices_in_loops_nested(n, A):
    for i in range(1, n):
        A[i, :i] *= 2.0
        A[:i, i] += A[i, :i]
        A[i, i:] = A[i - 1, i:] + 1.0
# expect bound status = exact
# oracle n=5 A=f8[6,6]


def slice_steps_symbolic(n, k, x):
    a = x[::k] * 2.0
    b = x[:n:k] * 2.0
    c = x[k:n:k] - x[: n - k : k]
    return a, b, c
# expect bound status = exact
# oracle n=17 k=3 x=f8[20]


def slice_with_negative_step_and_ends(n, x):
    a = x[n::-1] * 2.0
    b = x[n:2:-1] * 2.0
    c = x[:n:-1] * 2.0
    d = x[-2:-n:-1] * 2.0
    e = x[n:n] * 2.0
    return a, b, c, d, e
# expect bound status = exact
# oracle n=8 x=f8[20]
# oracle n=8 x=f8[4]


def slices_that_begin_before_the_first_element(n, x):
    """Backwards they are empty, or go down to the first element."""
    a = x[-n::-1] * 2.0
    b = x[-1:-n:-1] * 2.0
    return a, b, x[-n:2] * 2.0
# expect bound status = exact
# oracle n=8 x=f8[4]
# oracle n=8 x=f8[8]
# oracle n=8 x=f8[9]
# oracle n=8 x=f8[20]


def slice_with_symbolic_negative_ends(n, x):
    a = x[-n:] * 2.0
    b = x[:-n] * 2.0
    c = x[n:-1] * 2.0
    return a, b, c
# expect bound status = exact
# oracle n=8 x=f8[20]
# oracle n=20 x=f8[20]


def arrays_in_tuple_rotate(n, x, y, z):
    for k in range(n):
        z = x + y
        x, y = y, z
    return z
# expect bound status = exact
# oracle n=4 x=f8[9] y=f8[9] z=f8[9]


def two_names_of_one_new_array(n):
    a = b = np.zeros(n)
    a += 1.0
    b += 2.0
    c = a
    c *= 2.0
    return a + b
# expect bound status = exact
# oracle n=9


def slice_object(x, n):
    sl = slice(1, n)
    s = 0.0
    for v in x[sl]:
        s += v
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def negative_step_slice(x, n):
    s = 0.0
    for v in x[::-1]:
        s += v
    for v in x[n::-1]:
        s *= v
    for v in x[n:1:-2]:
        s -= v
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def two_names_of_one_array(x, n):
    y = x
    for i in range(n):
        y[i] = x[i] * 2.0
    return y
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def names_swapped(x, y, n):
    for t in range(3):
        for i in range(1, n):
            y[i] = x[i - 1] + x[i]
        x, y = y, x
    return x
# expect bound status = exact
# oracle n=6 x=f8[9] y=f8[9]


@njit
def names_of_different_sizes_swapped(x, y, n):
    s = 0.0
    for t in range(n):
        for i in range(len(x)):
            s += x[i]
        x, y = y, x
    return s
# expect bound status = exact
# oracle n=3 x=f8[9] y=f8[4]


def inplace_view(x, n):
    v = x[2:n]
    v += 1.0
    v[:] = v * 2.0
    return x
# expect bound status = exact
# oracle n=6 x=f8[9]


def inplace_scalar_augmented_of_view_element(x, n):
    v = x[::2]
    v[1] += 3.0
    return v[1] * x[2]
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def view_of_view(A, n):
    v = A[1:, ::2]
    w = v[:, 1]
    s = 0.0
    for a in w:
        s += a
    return s + len(v[0])
# expect bound status = exact
# oracle n=6 A=f8[6,7]


@njit
def size_one_slices(x, n):
    s = 0.0
    for v in x[n:]:
        s += v
    for v in x[n:n]:
        s *= v
    y = x[1:] - x[:-1]
    return s + y[0]
# expect bound status = exact
# oracle n=1 x=f8[2]


@njit
def slice_crossing(x, n):
    s = 0.0
    for v in x[n:2]:
        s += v
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def slice_negative_ends(x, n):
    s = 0.0
    for v in x[1:-1]:
        s += v
    for v in x[:-n]:
        s *= v
    return s
# expect bound status = exact
# oracle n=2 x=f8[9]
# oracle n=0 x=f8[9]


@njit
def reads_after_writes_through_a_view(x, n):
    v = x[1:]
    for i in range(n):
        v[i] = x[i] + 1.0
    return x
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def write_through_transposed(A, n):
    B = A.T
    for i in range(n):
        for j in range(n):
            B[i, j] += A[j, i]
    return A
# expect bound status = exact
# oracle n=4 A=f8[4,4]


@njit
def row_views(A, n):
    s = 0.0
    for i in range(n):
        r = A[i]
        for j in range(len(r)):
            s += r[j]
        r[0] = s
    return s
# expect bound status = exact
# oracle n=4 A=f8[4,5]


@njit
def swapped_rows(A, n):
    for i in range(n - 1):
        for j in range(5):
            A[i, j], A[i + 1, j] = A[i + 1, j], A[i, j]
    return A
# expect bound status = exact
# oracle n=4 A=f8[4,5]


def slice_assigned_from_itself(x, n):
    x[1:n] = x[: n - 1] * 2.0
    x[:n] += x[1 : n + 1]
    return x
# expect bound status = exact
# oracle n=4 x=f8[9]


def slice_from_a_negative_number(x, n):
    s = 0.0
    for v in x[n:]:
        s += v
    for v in x[:n]:
        s *= v
    for v in x[-n:]:
        s -= v
    return s
# expect bound status = exact
# oracle n=3 x=f8[8]
# oracle n=-2 x=f8[8]
# oracle n=0 x=f8[8]
