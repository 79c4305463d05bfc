"""break, continue, return, and the else of a loop."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def break_inner_continue_outer(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            if j == i:
                break
            s += x[j]
        else:
            continue
        s *= 2.0
    return s
# expect bound status = parametric
# oracle n=7 x=f8[9]


def else_of_a_loop_over_a_tuple(x):
    s = 0.0
    for w in (0.5, 0.25):
        s += w * x[0]
    else:
        s *= 2.0
    return s
# expect bound status = exact
# oracle x=f8[9]


def else_of_a_loop_over_a_tuple_that_breaks(x, n):
    s = 0.0
    for k in (0, 1, 2):
        if x[k] > 1.0:
            break
        s += x[k]
    else:
        s *= 2.0
    return s
# expect bound status = bounded
# oracle n=3 x=f8[9]


def else_of_ndindex(A, n, m):
    s = 0.0
    for i, j in np.ndindex(n, m):
        s += A[i, j] * 2.0
    else:
        s += A[i, j] * 2.0
    return s
# expect bound status = exact
# oracle n=3 m=4 A=f8[4,5]


@njit
def early_return_in_loop(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
        if i == 3:
            return s
    return s * 2.0
# expect bound status = parametric
# oracle n=6 x=f8[9]
# oracle n=2 x=f8[9]


@njit
def early_return_first(x, n):
    if n == 0:
        return 0.0
    s = 0.0
    for i in range(n):
        s += x[i]
    return s / n
# expect bound status = exact
# oracle n=6 x=f8[9]
# oracle n=0 x=f8[9]


@njit
def early_continue(x, n):
    s = 0.0
    for i in range(n):
        if i == 2:
            continue
        s += x[i]
        if i % 2:
            continue
        s *= 2.0
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def break_nested(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            if j == i:
                break
            s += x[j]
    return s
# expect bound status = exact
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def break_at_index_unreached(x, n):
    s = 0.0
    for i in range(n):
        if i == 5:
            break
        s += x[i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]
# oracle n=7 x=f8[9]


@njit
def break_after_half_the_work(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
        if i >= 4:
            break
        s *= 2.0
    return s
# expect bound status = exact
# oracle n=7 x=f8[9]
# oracle n=2 x=f8[9]


@njit
def for_else_no_break(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    else:
        s *= 2.0
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=0 x=f8[9]


@njit
def nested_break_else(x, n):
    c = 0.0
    for i in range(2, n):
        for j in range(2, i):
            if i % j == 0:
                break
        else:
            c += x[i]
    return c
# expect bound status = parametric
# oracle n=6 x=f8[9]


@njit
def return_in_nested_loop(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += x[j]
            if i * j == 6:
                return s
    return s * 2.0
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def continue_in_a_nested_loop(x, n):
    s = 0.0
    for i in range(n):
        k = 0
        for j in range(n):
            if j < i:
                k += 1
                continue
            s += x[j]
        for j in range(k):
            s *= x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def return_before_work(x, n):
    if n < 4:
        return x[0] * 2.0
    s = 0.0
    for i in range(n):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]
# oracle n=2 x=f8[9]


@njit
def unreachable_after_return(x, n):
    s = x[0] * 2.0
    return s
    s += x[1] * 3.0
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def unreachable_after_continue(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
        continue
        s *= 2.0
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def else_of_a_loop_with_a_break(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            s += x[j]
        else:
            s *= 2.0
    return s
# expect bound status = parametric
# oracle n=6 x=f8[9]


@njit
def work_after_a_loop_that_returns(x, n):
    for i in range(n):
        if x[i] > 2.0:
            return 0.0
    return x[0] * x[1]
# expect bound status = parametric
# oracle n=6 x=f8[9]
