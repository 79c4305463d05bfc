"""Bounds and exits that only the data decides: sparse rows, searches."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def rows_of_a_sparse_matrix_from_the_last_to_the_first(ptr, val, x, n):
    for i in range(n - 1, -1, -1):
        for k in range(ptr[i], ptr[i + 1]):
            x[i] -= val[k]
# expect bound status = parametric
# oracle n=5 ptr=i8[6]^12 val=f8[12] x=f8[5]


@njit
def binary_search(x, n, v):
    lo = 0
    hi = n
    s = 0.0
    while lo < hi:
        mid = (lo + hi) // 2
        if x[mid] * 1.0 < v:
            lo = mid + 1
        else:
            hi = mid
        s += 1.0
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=9 v=1.2 x=f8[9]


@njit
def gather_bound_by_data(p, x, n):
    s = 0.0
    for i in range(n):
        for j in range(p[i]):
            s += x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 p=i8[5]<4 x=f8[20]


@njit
def csr_rows(p, x, n):
    s = 0.0
    for i in range(n):
        t = 0.0
        for j in range(p[i], p[i + 1]):
            t += x[j]
        s += t * t
    return s
# expect bound status = parametric
# oracle n=4 p=i8[5]^9 x=f8[20]


@njit
def csr_rows_skip_empty(p, x, n):
    s = 0.0
    for i in range(n):
        if p[i] == p[i + 1]:
            continue
        for j in range(p[i], p[i + 1]):
            s += x[j]
    return s
# expect bound status = parametric
# oracle n=4 p=i8[5]^9 x=f8[20]


@njit
def csr_from_row_one(p, x, n):
    s = 0.0
    for i in range(1, n):
        for j in range(p[i], p[i + 1]):
            s += x[j]
    return s
# expect bound status = parametric
# oracle n=4 p=i8[6]^9 x=f8[20]


@njit
def csr_break(p, x, n):
    s = 0.0
    for i in range(n):
        for j in range(p[i], p[i + 1]):
            if x[j] > 1.3:
                break
            s += x[j]
    return s
# expect bound status = parametric
# oracle n=4 p=i8[5]^9 x=f8[20]


@njit
def int_bound_by_data(x, n):
    s = 0.0
    for i in range(int(x[0] * 3.0)):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]


@njit
def break_by_product(x, n):
    s = 0.0
    for i in range(n):
        if i * i > n:
            break
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


def around_the_largest(x):
    """A slice around a place that depends on data is shorter where that is the first one."""
    i = np.argmax(x)
    return x[i - 1 : i + 2].sum() / 3
# expect bound status = bounded
# oracle x=f8[30]
# oracle x=f8[1]


def around_places(img, ys, r):
    s = 0.0
    for y in ys:
        s += (img[y - r : y + r + 1] ** 2).sum()
    return s
# expect bound status = bounded
# oracle img=f8[40] ys=i8[5]<40 r=2


def from_places_on(img, ys, r):
    s = 0.0
    for y in ys:
        s += (img[y : y + r] ** 2).sum()
    return s
# expect bound status = exact
# oracle img=f8[40] ys=i8[5]<30 r=2


@njit
def edges_of_no_polygon(xs, ys, py):
    """The vertex before the first one has no place where there is none."""
    c = 0.0
    j = len(xs) - 1
    for i in range(len(xs)):
        if (ys[i] > py) != (ys[j] > py):
            c += xs[j] * ys[i]
        j = i
    return c
# expect bound status = exact
# oracle xs=f8[0] ys=f8[0] py=1.0


@njit
def gaps_of_nothing(x):
    """How often a gap halves is a logarithm, and that of 0 is not a number."""
    gap = len(x) // 2
    c = 0.0
    while gap > 0:
        for i in range(gap, len(x)):
            if x[i] > x[i - gap]:
                c += 1.0
        gap //= 2
    return c
# expect bound status = exact
# oracle x=f8[0]
# oracle x=f8[1]
