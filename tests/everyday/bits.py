"""Bits of an index: neighbours of a butterfly, rows of a power of two, every other element."""

import numpy as np
from numba import njit


@njit
def swap_pairs(x, y):
    for i in range(y.size):
        y[i] = x[i ^ 1]


# oracle x=f8[1024] y=f8[1024]


@njit
def by_two_bits(x, y):
    for i in range(y.size):
        if i & 6 == 2:
            y[i] = x[i & 63] * 2.0


# oracle x=f8[1024] y=f8[1024]
# known traffic: pairs of iterations are far apart or near, and taken for all alike


@njit
def lower_half_of_pairs(x, y):
    for i in range(y.size):
        if (i ^ 4) > i:
            y[i] += x[i ^ 4]


# oracle x=f8[1024] y=f8[1024]


@njit
def one_bit(x, y):
    for i in range(y.size):
        if i & 16:
            y[i] += x[i & ~15]


# oracle x=f8[1024] y=f8[1024]
# known traffic: runs of 16 iterations in turn are taken for every other iteration


@njit
def within_whole_blocks(x):
    s = 0.0
    for i in range(x.size & ~7):
        s += x[i]
    return s


# oracle x=f8[1021]


@njit
def some_bits(x, mask):
    s = 0.0
    for i in range(x.size & mask):
        s += x[i]
    return s


# oracle x=f8[1000] mask=496


def halves(n, m):
    return np.zeros(n & m) * 2.0


# oracle n=1000 m=496


@njit
def last_of_four(x, y):
    for i in range(y.size):
        y[i] = x[i // 4 * 4 + 3] * 2.0


# oracle x=f8[1024] y=f8[1024]


@njit
def last_by_bits(x, y):
    for i in range(y.size):
        y[i] = x[i | 3] * 2.0


# oracle x=f8[1024] y=f8[1024]


@njit
def last_by_remainder(x, y):
    for i in range(y.size):
        y[i] = x[i + 3 - i % 4] * 2.0


# oracle x=f8[1024] y=f8[1024]


@njit
def next_of_four(x, y):
    for i in range(y.size):
        y[i] = x[(i + 3) // 4 * 4] * 2.0


# oracle x=f8[1025] y=f8[1024]


@njit
def each_twice(x, y):
    for i in range(y.size):
        y[i] = x[i // 2] * 2.0


# oracle x=f8[512] y=f8[1024]


@njit
def into_halves(x, y):
    for i in range(2 * y.size):
        y[i // 2] += x[i // 2] * 2.0


# oracle x=f8[512] y=f8[512]


@njit
def rounded_half(x, y):
    for i in range(y.size):
        y[i] = x[(i >> 1) + (i & 1)] * 2.0


# oracle x=f8[33] y=f8[64]


@njit
def half_of_a_sort(x, j, k):
    for i in range(x.size):
        other = i ^ j
        if other > i and i & k == 0:
            x[i] += x[other]


# oracle x=f8[1024] j=4 k=16
# oracle x=f8[1024] j=1 k=2


@njit
def up_the_tree(x):
    stride = 1
    d = x.size // 2
    while d > 0:
        for t in range(d):
            x[stride * (2 * t + 2) - 1] += x[stride * (2 * t + 1) - 1]
        stride *= 2
        d //= 2


# oracle x=f8[256]
