"""Zeros with a sign, numbers that are none, integers that wrap around, and names with two meanings."""

import math
from math import sqrt

import numpy as np
from numba import njit


@njit
def signed_zero(x, y, n):
    s = 0.0
    for i in range(n):
        x[i] = -0.0
    for i in range(n):
        s += x[i]
    y[0] = s


@njit
def negative_start(x, y, n):
    s = -0.0
    for i in range(n):
        x[i] = -0.0
    for i in range(n):
        s += x[i]
    y[0] = s


@njit
def zero_element(A, y, n):
    for i in range(n):
        y[i] = -0.0
        for j in range(n):
            A[i, j] = -0.0
    for i in range(n):
        for j in range(n):
            y[i] += A[i, j]


@njit
def zero_product(A, B, C, n):
    for i in range(n):
        for j in range(n):
            C[i, j] = -0.0
            for k in range(n):
                C[i, j] += A[i, k] * -0.0 * B[k, j]


@njit
def nan_minimum(x, y, n):
    x[1] = np.nan
    a = x[0]
    b = x[0]
    for i in range(n + 1):
        a = min(a, x[i])
    for i in range(n + 1):
        b = max(x[i], b)
    y[0] = a
    y[1] = b


@njit
def nan_rows(A, x, n):
    A[1, 1] = np.nan
    for i in range(n):
        for j in range(n):
            x[j] = max(x[j], A[i, j])


@njit
def nan_columns(A, x, n):
    A[1, 1] = np.nan
    for j in range(n):
        for i in range(n):
            x[j] = min(x[j], A[i, j])


@njit
def nan_other_way(A, x, n):
    A[1, 1] = np.nan
    for j in range(n):
        for i in range(n):
            x[j] = min(A[i, j], x[j])


@njit
def last_maximum(A, x, n):
    for j in range(n):
        for i in range(n):
            if A[i, j] >= x[0]:
                x[0] = A[i, j]


@njit
def which_minimum(A, y, n):
    best = 1e300
    for j in range(n):
        for i in range(n):
            if A[i, j] < best:
                best = A[i, j]
                y[0] = i * 10 + j


@njit
def wrapping(x, y, n):
    t = np.int64(1) << 62
    for i in range(n):
        t += t
        x[i] = float(t)
    for i in range(n):
        y[i] = x[i]


@njit
def counted(x, idx, n):
    t = 0
    for i in range(n):
        t += idx[i]
    for i in range(n):
        x[i] = t
        t -= idx[i]


@njit
def shadowed(x, y, n):
    for i in range(n):
        x[i] = 2.0
    i = 1
    for j in range(n):
        y[j] = x[i]


@njit
def reused_name(A, B, n):
    for j in range(n):
        for i in range(n):
            B[i, j] = A[i, j] + 1.0
    A[0, 0] = i


@njit
def row_is_name(A, B, row, n):
    for j in range(n):
        for i in range(n):
            B[i, j] = A[i, j] + row[j]


@njit
def bound_is_variable(A, B, n):
    for j in range(n):
        for i in range(n):
            B[i, j] = A[i, j] * i
            n = 1


@njit
def outer_in_bound(A, B, n):
    for j in range(n):
        for i in range(j, n):
            B[i, j] = A[i, j] * 2.0
            B[j, i] = A[j, i] + 1.0


@njit
def function_named_range(A, B, n):
    range_ = range
    for j in range_(n):
        for i in range_(n):
            B[i, j] = A[i, j] * 2.0


@njit
def range_is_shadowed(A, B, n):
    range = lambda n: (1, 0, 2)
    for j in range(n):
        for i in range(n):
            B[i, j] = A[i, j] * 2.0 + B[0, 0]


@njit
def exception_between(A, B, x, n):
    for j in range(n):
        for i in range(n):
            if A[i, j] > 0.4:
                raise ValueError("large")
            B[i, j] = A[i, j]


@njit
def asserted(A, B, n):
    for j in range(n):
        for i in range(n):
            B[i, j] = A[i, j]
            assert A[i, j] < 0.4


@njit
def root_of_negative(A, B, n):
    for j in range(n):
        for i in range(n):
            B[i, j] = math.sqrt(A[i, j])


@njit
def log_of_negative(x, y, n):
    for i in range(n):
        y[i] = 1.0
    for i in range(n):
        x[i] = math.log(x[i])


@njit
def left_early(A, y, n):
    for j in range(n):
        for i in range(n):
            y[j] += A[i, j]
        if y[j] > 0.3:
            break


@njit
def returned_early(A, y, n):
    for j in range(n):
        for i in range(n):
            y[j] += A[i, j]
            if y[j] > 0.5:
                return y[j]
    return 0.0


@njit
def skipped(A, y, n):
    for j in range(n):
        for i in range(n):
            if A[i, j] < 0.0:
                continue
            y[j] += A[i, j]


@njit
def augmented_twice(A, B, n):
    for j in range(n):
        for i in range(n):
            B[i, j] += A[i, j]
            B[i, j] *= 0.5
            B[i, j] -= B[j, j]


@njit
def divided_in_place(A, x, n):
    for j in range(n):
        for i in range(n):
            A[i, j] /= x[j] + 3.0


@njit
def divides_by_written(A, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / A[i, 0]


@njit
def divides_by_diagonal(A, n):
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]


@njit
def shifted_alias(x, n):
    y = x[1:]
    for i in range(n):
        y[i] = 2.0
    for i in range(n):
        x[i] += y[i]


@njit
def reversed_alias(x, n):
    y = x[::-1]
    for i in range(n):
        y[i] = x[i] + 1.0
    for i in range(n):
        x[i] = y[i] * 2.0


@njit
def transposed_alias(A, n):
    T = A.T
    for j in range(n):
        for i in range(n):
            T[i, j] = A[i, j] + 1.0


@njit
def same_row_twice(A, n):
    for i in range(n):
        a = A[i]
        b = A[n - 1 - i]
        for j in range(n):
            a[j] = b[j] + 1.0


@njit
def sum_read_inside(A, x, n):
    for i in range(n):
        for j in range(n):
            x[i] += A[i, j]
            A[i, j] = x[0]


@njit
def sum_through_index(A, x, idx, n):
    for i in range(n):
        for j in range(n):
            x[idx[i]] += A[i, j] * x[0]


@njit
def moments(x, y, n):
    m = 0.0
    for i in range(n):
        m += x[i]
    m /= n + 1.0
    v = 0.0
    for i in range(n):
        v += (x[i] - m) ** 2
    y[0] = m
    y[1] = v


@njit
def whole(x, y, n):
    z = x + y * 2.0
    x[:] = z[::-1]
    y[1:] = y[:-1] + z[1:]


@njit
def broadcast(A, x, n):
    A[:] = A + x
    A[0] = x * A[1]
    A *= A[0]


@njit
def own_reverse(x, y, n):
    x[:] = x[::-1] + y
    y += x[0]
    y[:] = np.where(x > y, x, y) * y[0]


@njit
def negative_steps(A, B, n):
    for j in range(n - 1, -1, -1):
        for i in range(n - 1, -1, -2):
            B[i, j] = A[i, j] + B[i, n - 1]
