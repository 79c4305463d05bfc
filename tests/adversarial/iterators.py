"""What a loop can iterate over: ranges, enumerate, zip, reversed, rows."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def reversed_twice(x, n):
    s = 0.0
    for i in reversed(list(reversed(range(0, n, 2)))):
        for j in range(i):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def list_of_range(x, n):
    l = list(range(n))
    l.append(3)
    s = 0.0
    for i in l:
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


@njit
def zip_and_enumerate_of_slices(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x[2:], y[::2])):
        s += a * b + i
    return s
# expect bound status = exact
# oracle x=f8[9] y=f8[5]


@njit
def enumerate_loop(x, n):
    s = 0.0
    for i, v in enumerate(x):
        s += v * i
        for j in range(i):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def enumerate_start(x, n):
    s = 0.0
    for i, v in enumerate(x[:n], 2):
        for j in range(i):
            s += v
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def zip_with_shorter_second(x, y, n):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b
    return s
# expect bound status = exact
# oracle n=5 x=f8[9] y=f8[4]


@njit
def zip_with_shorter_first(x, y, n):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b
    return s
# expect bound status = exact
# oracle n=5 x=f8[4] y=f8[9]


@njit
def zip_range(x, n):
    s = 0.0
    for i, j in zip(range(n), range(1, 20, 2)):
        s += x[i] * j
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def zip_three(x, n):
    s = 0.0
    for a, b, c in zip(x[1:], x[:-1], range(n)):
        s += (a - b) * c
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def reversed_range(x, n):
    s = 0.0
    for i in reversed(range(1, n)):
        for j in range(i):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def range_object_reused(x, n):
    r = range(n)
    s = 0.0
    for i in r:
        s += x[i]
    n = 2
    for i in r:
        s *= x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def iterator_reused(x, n):
    it = iter(range(n))
    s = 0.0
    for i in it:
        if i == 2:
            break
        s += x[i]
    for i in it:
        s *= x[i]
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def enumerate_reused(x, n):
    e = enumerate(x)
    s = 0.0
    for i, v in e:
        s += v
    for i, v in e:
        s *= v
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def zip_reused(x, n):
    e = zip(x, range(n))
    s = 0.0
    for v, i in e:
        s += v
    for v, i in e:
        s *= v
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def map_reused(x, n):
    e = map(abs, range(n))
    s = 0.0
    for i in e:
        s += x[i]
    for i in e:
        s *= x[i]
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def reversed_reused(x, n):
    e = reversed(range(n))
    s = 0.0
    for i in e:
        s += x[i]
    for i in e:
        s *= x[i]
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def zip_of_list_and_array(x, n):
    s = 0.0
    for w, v in zip([1.0, 2.0, 3.0], x):
        s += w * v
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def enumerate_of_zip(x, y, n):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        for j in range(i):
            s += a * b
    return s
# expect bound status = exact
# oracle n=5 x=f8[9] y=f8[9]


@njit
def range_of_len_of_slice(x, n):
    s = 0.0
    for i in range(len(x[2:n])):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def product_of_ranges_via_divmod(x, n, m):
    s = 0.0
    for k in range(n * m):
        i, j = divmod(k, m)
        for q in range(i):
            s += x[q + j]
    return s
# expect bound status = exact
# oracle n=3 m=4 x=f8[20]


@njit
def zip_reads_one_item_more_of_the_longer(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b
    return s
# expect bound status = exact
# oracle x=f8[5] y=f8[3]
# oracle x=f8[3] y=f8[5]
# oracle x=f8[4] y=f8[4]


@njit
def row_of_another_length(A):
    s = 0.0
    for row in A:
        s += row.sum()
    for row in A.T:
        s *= row.sum()
    return s
# expect bound status = exact
# oracle A=f8[4,5]
