"""Ranges: steps, empty and negative ones, triangles, bounds by min and max."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def range_rebound_in_its_loop(x, n):
    r = range(2)
    s = 0.0
    for i in range(n):
        for j in r:
            s += x[j]
        r = range(5)
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[19]


@njit
def negative_index_wraps(x, n):
    s = 0.0
    for i in range(n):
        s += x[i - 1] * x[-1] + x[-i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


@njit
def range_of_float_division(x, n):
    s = 0.0
    for i in range(n // 2, n):
        s += x[i]
    for i in range(0, n, n // 2):
        s *= x[i]
    return s
# expect bound status = exact
# oracle n=7 x=f8[9]


@njit
def step_is_a_parameter(x, n, k):
    s = 0.0
    for i in range(0, n, k):
        for j in range(i, min(i + k, n)):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=7 k=2 x=f8[9]
# oracle n=7 k=3 x=f8[9]
# oracle n=7 k=7 x=f8[9]


def tuple_of_range_length(x, n):
    l = tuple(range(1, n))
    s = 0.0
    for i in range(len(l)):
        s += x[l[i]]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def iteration_left_out_at_the_end_of_a_range(n, D):
    for q in range(n):
        if q != 0:
            D[:] = D * 2.0 + 1.0
# expect bound status = exact
# oracle n=6 D=f8[20,7]


@njit
def loop_variable_of_a_range_modified(x, n):
    s = 0.0
    m = n
    for i in range(m):
        m += i
        s += x[i]
    for i in range(m):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=6 x=f8[30]


@njit
def range_step_symbol(x, n, k):
    s = 0.0
    for i in range(0, n, k):
        for j in range(i, min(i + k, n)):
            s += x[j]
    for i in range(n - 1, -1, -k):
        s -= x[i]
    for i in range(k, n, k):
        s += x[i] - x[i - k]
    return s
# expect bound status = exact
# oracle n=17 k=3 x=f8[20]
# oracle n=17 k=5 x=f8[20]
# oracle n=0 k=5 x=f8[20]


@njit
def bound_by_max(x, n, w):
    s = 0.0
    for i in range(n):
        for j in range(max(0, i - w), min(n, i + w + 1)):
            s += x[i] * x[j]
    return s
# expect bound status = exact
# oracle n=9 w=3 x=f8[20]
# oracle n=4 w=6 x=f8[20]


@njit
def quadratic_bound(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i * i):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[40]


@njit
def bound_is_n_modulo_k(x, n, k):
    s = 0.0
    for i in range(n // k):
        for j in range(k):
            s += x[i * k + j]
    for j in range(n % k):
        s += x[n - n % k + j]
    for j in range(n // k * k, n):
        s += x[j] * 2.0
    return s
# expect bound status = exact
# oracle n=11 k=4 x=f8[40]
# oracle n=12 k=4 x=f8[40]


@njit
def unrolled_by_four_with_tail(x, n):
    a = b = c = d = 0.0
    m = n - n % 4
    for i in range(0, m, 4):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
    for i in range(m, n):
        a += x[i]
    return a + b + c + d
# expect bound status = exact
# oracle n=11 x=f8[40]
# oracle n=12 x=f8[40]
# oracle n=3 x=f8[40]


@njit
def loop_variable_reassigned(n, x):
    s = 0.0
    for i in range(n):
        i = i * 2
        for j in range(i):
            s += x[j]
        i += 1
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[20]


@njit
def negative_step(x, n):
    s = 0.0
    for i in range(n, 0, -2):
        s += x[i]
    for i in range(n - 1, -1, -1):
        s *= x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=0 x=f8[9]
# oracle n=1 x=f8[9]


@njit
def range_negative_size(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    for i in range(2, n):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=-4 x=f8[9]
# oracle n=0 x=f8[9]


def range_len_index(x, n):
    r = range(1, n, 2)
    s = 0.0
    for i in range(len(r)):
        s += x[r[i]]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def empty_loops(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += x[j]
    s += x.sum() if n else 0.0
    return s
# expect bound status = exact
# oracle n=0 x=f8[0]
# oracle n=1 x=f8[1]


@njit
def bounds_by_min_and_max(x, n):
    s = 0.0
    for i in range(min(n, len(x))):
        for j in range(max(0, i - 2), min(i + 3, len(x))):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]
# oracle n=12 x=f8[9]


def sum_of_booleans_as_bound(x, n):
    k = (n > 3) + (n > 5)
    s = 0.0
    for i in range(k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def loop_variable_changed_in_body(x, n):
    s = 0.0
    for i in range(n):
        i = i + 1
        s += x[i]
        for j in range(i):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def triangle_with_step(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i, n, 3):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=9 x=f8[9]


@njit
def triangle_of_two(A, n):
    s = 0.0
    for i in range(n):
        for j in range(max(0, i - 2), min(n, i + 3)):
            for k in range(j, i + 1):
                s += A[i, k]
    return s
# expect bound status = exact
# oracle n=7 A=f8[9,9]


@njit
def reversed_triangle(A, n):
    s = 0.0
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, i, -1):
            s += A[i, j]
        s /= A[i, i]
    return s
# expect bound status = exact
# oracle n=7 A=f8[9,9]


@njit
def product_of_bounds(x, n, m):
    s = 0.0
    for i in range(n * m):
        s += x[i]
    for i in range(n * n - m):
        s -= x[i]
    return s
# expect bound status = exact
# oracle n=3 m=4 x=f8[99]


@njit
def flat_index(x, n, m):
    s = 0.0
    for k in range(n * m):
        i = k // m
        j = k % m
        if j > i:
            s += x[i * m + j]
    return s
# expect bound status = exact
# oracle n=3 m=4 x=f8[99]


@njit
def power_of_two_bound(x, n):
    s = 0.0
    for i in range(2**n):
        s += x[i]
    for i in range(n**2):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=4 x=f8[99]


@njit
def float_range_count(x, n):
    k = int(math.floor(n / 2.0))
    s = 0.0
    for i in range(k):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=9 x=f8[20]


@njit
def bound_by_abs(x, n):
    s = 0.0
    for i in range(abs(n - 9)):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[20]
# oracle n=12 x=f8[20]


@njit
def negative_index_loop(x, n):
    s = 0.0
    for i in range(-1, -n, -1):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]
