"""Lists as values: elements, copies, slices."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def list_item_by_index_in_loop(x, n):
    l = [1, 1, 1]
    s = 0.0
    for i in range(n):
        l[i] = i + 2
        for j in range(l[0]):
            s += x[j]
    for j in range(l[2]):
        s *= x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[19]


@njit
def stencil_offsets_list(n, A, B):
    for i in range(1, n):
        for j in range(1, n):
            t = 0.0
            for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                t += A[(i + di) % 8, (j + dj) % 8]
            B[i, j] = 0.25 * t
# expect bound status = exact
# oracle n=7 A=f8[8,8] B=f8[8,8]


def list_multiplied(x, n):
    t = [1.0] * n
    s = 0.0
    for v in t:
        s += v
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


def list_doubled_and_concatenated(x, n):
    t = [1.0, 2.0] + [3.0] * n
    s = 0.0
    for v in t:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def list_slice_assigned(x, n):
    l = [1.0, 2.0, 3.0]
    l[1:] = []
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def list_element_set(x, n):
    l = [1, 2, 3]
    l[0] = 5
    s = 0.0
    for k in l:
        for j in range(k):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


def list_copy(x, n):
    l = [1, 2]
    m = l[:]
    m.append(4)
    s = 0.0
    for k in l:
        for j in range(k):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


def nested_list_alias(x, n):
    l = [[1.0]] * 3
    l[0].append(2.0)
    s = 0.0
    for r in l:
        for v in r:
            s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def list_of_arrays(x, y, n):
    l = [x, y]
    s = 0.0
    for a in l:
        s += a.sum()
    return s + l[1][0] * l[0][1]
# expect bound status = exact
# oracle n=5 x=f8[9] y=f8[4]


def list_of_arrays_by_index(x, y, n):
    l = [x, y]
    return l[n].sum()
# expect bound status = parametric
# oracle n=1 x=f8[9] y=f8[4]


def builtin_sum_of_a_list(x, n):
    s = 0.0
    for i in range(n):
        s += sum([x[i], 1.0])
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def list_of_constants(x):
    weights = [0.25, 0.5, 0.25]
    total = 0.0
    for i in range(3):
        total += weights[i] * x[i]
    return total
# expect bound status = exact
# oracle x=f8[4]
