"""Scopes and rebinding: shadowed builtins, loop variables after the loop, unpacking, walrus."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def walrus_rebinds_parameter(x, n):
    s = 0.0
    if (n := 2) > 1:
        s += 1.0
    for i in range(n):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=9 x=f8[9]


def for_target_subscript(x, n):
    l = [0, 0]
    s = 0.0
    for l[0] in range(n):
        s += x[l[0]]
    for i in range(l[0]):
        s *= x[i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


def for_target_attribute_tuple(x, n):
    s = 0.0
    for (i, j), k in [((1, 2), 3), ((2, 3), 1)]:
        for q in range(k):
            s += x[i] * x[j]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


def nested_unpack(x, n):
    (a, b), c = (1, 2), 3
    s = 0.0
    for i in range(a + b + c):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


def multiple_targets(x, n):
    a = b = n
    a += 2
    s = 0.0
    for i in range(a + b):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


@njit
def swap_with_subscripts(x, n):
    for i in range(n):
        x[i], x[i + 1] = x[i + 1] * 2.0, x[i]
    return x
# expect bound status = exact
# oracle n=3 x=f8[9]


@njit
def chained_assign(n, x, y):
    s = 0.0
    for i in range(n):
        a = b = x[i] * 2.0
        y[i] = c = a + b
        x[i] = y[i + 1] = c * c
        s += c
    return s
# expect bound status = exact
# oracle n=5 x=f8[9] y=f8[9]


@njit
def nested_loops_of_one_variable(n, x):
    s = 0.0
    for i in range(n):
        s += x[i]
        for i in range(3):
            s += x[i] * 2.0
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def augmented_array_rebinding(x, n):
    y = x
    y = y + 1.0
    y += 1.0
    return x[0] + y[0]
# expect bound status = exact
# oracle n=6 x=f8[9]


def range(n):
    return [0, 1, 2]


def shadowed_range(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def shadowed_len(x, n):
    len = n
    s = 0.0
    for i in range(len):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def abs(v):
    return v * v + 1.0


@njit
def shadowed_abs(x, n):
    s = 0.0
    for i in range(n):
        s += abs(x[i])
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def shadowed_sum_parameter(x, n):
    sum = 0.0
    for i in range(n):
        sum += x[i]
    max = sum * 2.0
    return max
# expect bound status = exact
# oracle n=5 x=f8[9]


def max(a, b):
    return a * b


@njit
def shadowed_max_helper(x, n):
    s = 0.0
    for i in range(n):
        s = max(s, x[i])
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def walrus_in_range(x, n):
    s = 0.0
    for i in range(m := n + 1):
        s += x[i]
    return s * m
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=0 x=f8[9]


@njit
def walrus_in_subscript(x, n):
    s = 0.0
    for i in range(n):
        s += x[(j := i + 1)] * x[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def walrus_in_condition(x, n):
    s = 0.0
    for i in range(n):
        if (k := i * 2) < n:
            s += x[k]
        s += k
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def loop_variable_after_the_loop(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    for j in range(i):
        s *= x[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def loop_variable_after_empty(x, n):
    s = 0.0
    i = 7
    for i in range(n):
        s += x[i]
    for j in range(i):
        s *= x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]
# oracle n=0 x=f8[9]


@njit
def loop_variable_after_break(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 1.2:
            break
        s += x[i]
    for j in range(i):
        s *= x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def deleted_and_rebound(x, n):
    s = 0.0
    y = x * 2.0
    del y
    y = 3.0
    for i in range(n):
        s += x[i] * y
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


C = 2.0


@njit
def named_constant(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * (C * 3.0)
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def loop_name_reused_in_a_nest(x, n):
    s = 0.0
    for i in range(n):
        for i in range(i + 1):
            s += x[i]
        s *= x[i]
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


def comprehension_reuses_name(x, n):
    i = 2
    s = sum([x[i] for i in range(n)])
    for j in range(i):
        s += x[j]
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


def array_one_iteration_later(c, x):
    """b1 is an array from the second iteration on, b2 from the third: all are counted as arrays."""
    b1 = 0.0
    b2 = 0.0
    for k in range(c.size - 1, 0, -1):
        b2, b1 = b1, c[k] + x * b1 - (k + 1) / (k + 2) * b2
    return c[0] + x * b1 - b2
# expect bound status = bounded
# oracle c=f8[6] x=f8[10]
# oracle c=f8[2] x=f8[10]


def arrays_one_after_another(x, n):
    a = b = c = 0.0
    for i in range(n):
        c = b * 2.0
        b = a + 1.0
        a = x * i
    return a + b + c
# expect bound status = bounded
# oracle x=f8[10] n=6
# oracle x=f8[10] n=1
