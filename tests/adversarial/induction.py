"""Induction variables: counters, bounds that change, last values after a loop."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def bound_changed_inside_its_loop(x, n):
    s = 0.0
    for i in range(n):
        n = 2
        for j in range(n):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def bound_changed_inside_for_the_next_iteration(x, n):
    s = 0.0
    m = 1
    for i in range(n):
        for j in range(m):
            s += x[j]
        m = 3
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


@njit
def bound_grows(x, n):
    s = 0.0
    m = 0
    for i in range(n):
        for j in range(m):
            s += x[j]
        m += 2 if m < 6 else 0
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


@njit
def swapped_bounds(x, n):
    s = 0.0
    a, b = 1, 3
    for i in range(n):
        for j in range(a):
            s += x[j]
        a, b = b, a
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[19]


@njit
def fibonacci_bounds(x, n):
    s = 0.0
    a, b = 0, 1
    for i in range(n):
        for j in range(a):
            s += x[j]
        a, b = b, a + b
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[19]


@njit
def counter_in_a_branch(x, n):
    k = 0
    s = 0.0
    for i in range(n):
        if i % 2 == 0:
            k += 1
    for i in range(k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=9 x=f8[9]


@njit
def counter_by_data(x, n):
    k = 0
    s = 0.0
    for i in range(n):
        if x[i] > 1.0:
            k += 1
    for i in range(k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=9 x=f8[9]


@njit
def counter_of_a_triangle(x, n):
    k = 0
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += x[k]
            k += 1
    for i in range(k):
        s *= x[i]
    return s
# expect bound status = exact
# oracle n=6 x=f8[99]


@njit
def float_counter(x, n):
    t = 0.0
    s = 0.0
    while t < 1.0:
        s += x[0]
        t += 0.25
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[99]


@njit
def counter_reset(x, n):
    s = 0.0
    for i in range(n):
        k = 0
        for j in range(i):
            k += 2
        for j in range(k):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=6 x=f8[99]


@njit
def two_counters(x, n):
    lo = 0
    hi = n
    s = 0.0
    while lo < hi:
        s += x[lo] * x[hi]
        lo += 1
        hi -= 1
    return s
# expect bound status = exact
# oracle n=5 x=f8[99]


def variable_bound_in_one_arm(x, n):
    if n > 3:
        k = 2
    else:
        k = 5
    s = 0.0
    for i in range(k):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def variable_bound_in_a_loop_only(x, n):
    k = 1
    s = 0.0
    for i in range(n):
        if i == 4:
            k = 3
    for i in range(k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def last_write_wins(x, n):
    k = 1
    s = 0.0
    for i in range(n):
        k = i + 2
    for i in range(k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def last_write_in_a_triangle(x, n):
    k = 1
    s = 0.0
    for i in range(n):
        for j in range(i):
            k = i + j
    for i in range(k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[19]


@njit
def assigned_before_a_break(x, n):
    k = 1
    s = 0.0
    for i in range(n):
        if x[i] > 0.1:
            k = 5
            break
        s += x[i]
    for i in range(k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def assigned_before_a_continue(x, n):
    k = 0
    s = 0.0
    for i in range(n):
        if i == 2:
            k += 3
            continue
        k += 1
        s += x[0]
    for i in range(k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def variable_of_a_loop_that_may_not_run(x, n, m):
    i = m
    for i in range(n):
        x[i] = 1.0
    s = 0.0
    for j in range(i):
        s += x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle m=3 n=2 x=f8[9]


@njit
def counter_after_a_loop_that_breaks(x, n):
    k = -1
    for i in range(n):
        while k >= 0:
            if x[k] * 2.0 > 0.0:
                break
            k -= 1
        k += 1
    if k < 0:
        return 0.0
    s = 0.0
    for i in range(n):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]
