"""Conditions: chains of comparisons, and/or, conditional expressions, match."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def chained_not_evaluated(x, n):
    s = 0.0
    for i in range(n):
        if 3 < i < x[i] * 2.0:
            s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def chained_data_not_evaluated(x, n):
    s = 0
    for i in range(n):
        s += 5.0 < x[i] < x[i] * 2.0
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


def match_binds(x, n):
    k = 2
    match n:
        case 3:
            k = 7
        case _:
            k = 1
    s = 0.0
    for i in range(k):
        s += x[i]
    return s
# expect bound status = bounded
# oracle n=3 x=f8[9]


def match_captures(x, n):
    k = 2
    match (n, 5):
        case (a, k):
            pass
    s = 0.0
    for i in range(k):
        s += x[i]
    return s
# expect bound status = bounded
# oracle n=3 x=f8[9]


def test_that_binds_a_name_fails_once(x, n):
    i = -1
    s = 0.0
    while (i := i + 1) < n:
        s += x[i]
    else:
        s += x[i]
    return s
# expect bound status = exact
# oracle n=8 x=f8[9]


@njit
def test_that_nothing_decides_is_evaluated_once(x, m):
    b = m[int(x[0] * 2.0)] == "a"
    return b
# expect bound status = exact
# oracle x=f8[9] m=i8[9]<9


@njit
def ternary_chain(n, x):
    s = 0.0
    for i in range(n):
        s += x[i] * 2.0 if i < 2 else x[i] * 3.0 + 1.0 if i < 5 else 0.0
    return s
# expect bound status = exact
# oracle n=8 x=f8[9]


def bool_ops_values(n, x):
    s = 0.0
    for i in range(n):
        s += (i > 3 and x[i] * 2.0) or 1.0
    return s
# expect bound status = exact
# oracle n=8 x=f8[9]


@njit
def conditional_expression_arithmetic(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * x[i] if i > 2 else 1.0
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def conditional_expression_nested(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * 2.0 if i < 2 else x[i] / 3.0 if i < 4 else math.sqrt(x[i])
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def conditional_of_data(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * 2.0 if x[i] > 1.0 else x[i] / 3.0
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def and_of_arithmetic(x, n):
    s = 0.0
    for i in range(n):
        if i > 2 and x[i] * x[i] > 0.5:
            s += 1.0
    return s
# expect bound status = parametric
# oracle n=6 x=f8[9]


@njit
def or_of_arithmetic(x, n):
    s = 0.0
    for i in range(n):
        if i > 2 or x[i] * x[i] > 0.5:
            s += 1.0
    return s
# expect bound status = parametric
# oracle n=6 x=f8[9]


@njit
def data_test_and_arithmetic(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 1.0 and x[i] * x[i] > 1.5:
            s += 1.0
    return s
# expect bound status = parametric
# oracle n=6 x=f8[9]


@njit
def and_of_data_as_a_value(x, n):
    s = 0
    for i in range(n):
        s += (x[i] > 1.0) and (x[i] * x[i] > 1.5)
    return s
# expect bound status = parametric
# oracle n=6 x=f8[9]


def or_as_a_default_value(x, n, k=None):
    k = k or n
    s = 0.0
    for i in range(k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def negated_and(x, n):
    s = 0.0
    for i in range(n):
        if not (i < 2 or i > 4):
            s += x[i]
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


def isinstance_test(x, n):
    if isinstance(n, int):
        return x[0] * x[1]
    return x[0] + x[1] + x[2]
# expect bound status = exact
# oracle n=3 x=f8[9]


@njit
def walrus_behind_a_short_circuit(x, n):
    s = 0.0
    k = 0
    for i in range(n):
        if i > 2 and (k := i) > 3:
            s += 1.0
        for j in range(k):
            s += x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


@njit
def chained_comparison(x, n):
    s = 0.0
    for i in range(n):
        if 1 < i < n - 1:
            s += x[i] * 2.0
        if 0 < i <= 3 != n:
            s -= x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=9 x=f8[9]
# oracle n=1 x=f8[9]


@njit
def chained_with_arithmetic(x, n):
    s = 0.0
    for i in range(n):
        if 0.0 < x[i] * 2.0 < 1.0 + x[i]:
            s += 1.0
    return s
# expect bound status = parametric
# oracle n=5 x=f8[9]


def share_of_a_reassigned_flag(x, a, b):
    s = 0.0
    if a > 2.0:
        s += x[0]
    a = b
    if a > 2.0:
        s += x[1] * x[2]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle a=1.0 b=5.0 x=f8[9]


@njit
def same_test_twice_same_array_changed(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 1.0:
            s += x[i]
        x[i] = 2.0
        if x[i] > 1.0:
            s *= x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def elif_chain_by_index(x, n):
    s = 0.0
    for i in range(n):
        if i < 2:
            s += x[i]
        elif i < 5:
            s += x[i] * 2.0
        elif i == 6:
            s += x[i] * 2.0 / 3.0
        else:
            s -= 1.0
    return s
# expect bound status = exact
# oracle n=8 x=f8[9]


@njit
def not_equal_and_modulo(x, n):
    s = 0.0
    for i in range(n):
        if i % 3 != 0 and i != 4:
            s += x[i]
    return s
# expect bound status = exact
# oracle n=9 x=f8[9]


@njit
def band_by_condition(A, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            if abs(i - j) <= 1:
                s += A[i, j]
    return s
# expect bound status = exact
# expect measured flops = exact
# oracle n=7 A=f8[9,9]


@njit
def diagonal_condition(A, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            if i + j == n - 1:
                s *= A[i, j]
            s += A[i, j]
    return s
# expect bound status = exact
# oracle n=7 A=f8[9,9]


@njit
def and_kept_as_a_value(x, n):
    s = 0
    for i in range(n):
        b = i > 3 and x[i] * x[i] > 0.0
        s += b
    return s
# expect bound status = exact
# oracle n=7 x=f8[9]


@njit
def chain_of_comparisons_that_stops(x, n):
    s = 0.0
    for i in range(n):
        if 1.0 < x[i] < x[0] * 3.0:
            s += 1.0
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]
