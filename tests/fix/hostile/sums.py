"""Sums, passes over one array and divisors of rows."""

import numpy as np
from numba import njit


@njit
def sum_rebinds_bound(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
        n = n - 1
    return s, n


@njit
def sum_of_view(x, n):
    v = x[::-1]
    s = 0.0
    for i in range(n):
        s += v[i] * x[i]
    return s


@njit
def sum_with_store_ahead(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
        x[i + 1] = s
    return s


@njit
def sum_with_store_behind(x, y, n):
    s = 0.0
    for i in range(n):
        y[i] = x[i] * 2.0
        s += y[i]
        y[i + 1] = 0.0
    return s


@njit
def sum_index_used(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * i - i // 2 + (i % 3)
    return s


@njit
def sum_index_negated(x, n):
    s = 0.0
    for i in range(n):
        s += x[-i] + x[n - i] + x[2 * i - i]
    return s


@njit
def sum_index_after(x, n):
    i = 5
    s = 0.0
    for i in range(n):
        s += x[i]
    return s, i


@njit
def sum_last_temp(x, n):
    s = 0.0
    t = 0.0
    for i in range(n):
        t = x[i] * 2.0
        s += t
    return s, t


@njit
def sum_neg_step(x, n):
    s = 0.0
    for i in range(n, 0, -1):
        s += x[i]
    return s


@njit
def sum_negative_count(x, n):
    s = 0.0
    for i in range(n - 3):
        s += x[i]
    return s


@njit
def sum_in_while(x, n):
    s = 0.0
    k = 0
    while k < 3:
        for i in range(n):
            s += x[i] * k
        k += 1
    return s


@njit
def sum_nested_function(x, n):
    def total():
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

    return total()


@njit
def sum_comprehension(x, n):
    s = 0.0
    for i in range(n):
        s += sum([x[j] for j in range(i)])
    return s


@njit
def sum_walrus(x, n):
    s = 0.0
    for i in range(n):
        s += (t := x[i]) * t
    return s


@njit
def sum_one_line(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


@njit
def sum_semicolons(x, n):
    s = 0.0
    t = 1.0
    for i in range(n):
        s += x[i]
        t *= 1.0 + x[i]
    return s, t


@njit
def sum_else(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    else:
        s += 1.0
    return s


@njit
def sum_try(x, n):
    s = 0.0
    try:
        for i in range(n):
            s += 1.0 / x[i]
    except ZeroDivisionError:
        return -1.0
    return s


@njit
def sum_division(x, n):
    s = 0.0
    for i in range(n):
        s += 1.0 / x[i]
    return s


@njit
def sum_names_taken(x, n):
    s = 0.0
    s2 = 1.0
    block = 3.0
    for i in range(n):
        s += x[i] * s2
    return s * s2 + block


@njit
def sum_chained_target(x, n):
    s = t = 0.0
    for i in range(n):
        s = t = s + x[i]
    return s, t


@njit
def sum_tuple_target(x, n):
    s, t = 0.0, 0.0
    for i in range(n):
        s, t = s + x[i], t + x[i]
    return s, t


@njit
def sum_nan(x, n):
    s = 0.0
    x[0] = np.nan
    for i in range(n):
        s += x[i]
    return s


@njit
def sum_inf(x, n):
    s = 0.0
    x[0] = np.inf
    for i in range(n):
        s += x[i] * x[i]
    return s


@njit
def sum_complex(x, n):
    s = 0j
    for i in range(n):
        s += x[i] * 1j
    return s


@njit
def sum_int(idx, n):
    s = 0
    for i in range(n):
        s += idx[i]
    return s


@njit
def sum_count(x, n):
    s = 0.0
    c = 0
    for i in range(n):
        s += x[i]
        c += 1
    return s, c


@njit
def sum_power_target(x, n):
    s = 1.0
    for i in range(n):
        s /= 1.0 + x[i] * x[i]
    return s


@njit
def sum_conditional_expression(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] if x[i] > 0.0 else -x[i]
    return s


@njit
def sum_continue(x, n):
    s = 0.0
    for i in range(n):
        if x[i] < 0.0:
            continue
        s += x[i]
    return s


@njit
def sum_return(x, n):
    s = 0.0
    for i in range(n):
        if s > 1.0:
            return s
        s += x[i]
    return s


@njit
def sum_called(x, n):
    s = 0.0
    for i in range(n):
        s += max(x[i], s)
    return s


@njit
def sum_keyword(x, n):
    s = 0.0
    for i in range(n):
        s += round(number=x[i], ndigits=2)
    return s


@njit
def sum_attribute(x, n):
    s = 0.0
    for i in range(n):
        s += x[i].real + x.size
    return s


@njit
def sum_slices(A, n):
    s = 0.0
    for i in range(n):
        s += A[i, :].sum()
    return s


@njit
def sum_of_rows(A, n):
    r = A[0] * 0.0
    for i in range(n):
        r += A[i]
    return r


@njit
def passes_extremes(x, n):
    low = x[0]
    for i in range(n):
        low = min(low, x[i])
    high = x[0]
    for i in range(n):
        high = max(high, x[i])
    return low, high


@njit
def passes_depend(x, n):
    m = 0.0
    for i in range(n):
        m += x[i]
    v = 0.0
    for i in range(n):
        v += (x[i] - m) * (x[i] - m)
    return m, v


@njit
def passes_same_sum(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    for i in range(n):
        s += x[i] * x[i]
    return s


@njit
def passes_store_between(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    x[0] = 9.0
    t = 0.0
    for i in range(n):
        t += x[i]
    return s, t


@njit
def passes_view_between(x, n):
    v = x[1:]
    s = 0.0
    for i in range(n):
        s += x[i]
    v[0] = 2.0
    t = 0.0
    for i in range(n):
        t += x[i]
    return s, t


@njit
def passes_bound_between(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    n = n // 2
    t = 0.0
    for i in range(n):
        t += x[i]
    return s, t


@njit
def passes_loop_variable(x, n):
    i = 0
    s = 0.0
    for i in range(n):
        s += x[i]
    k = i
    t = 0.0
    for i in range(n):
        t += x[i] * k
    return s, t


@njit
def passes_other_name(x, n):
    k = 7
    s = 0.0
    for i in range(n):
        s += x[i]
    t = 0.0
    for k in range(n):
        t += x[k]
    return s, t, k


@njit
def passes_shared_temp(x, n):
    s = 0.0
    t = 0.0
    for i in range(n):
        d = x[i] - 1.0
        s += d
    for i in range(n):
        d = x[i] + 1.0
        t += d
    return s, t


@njit
def passes_left_temp(x, n):
    s = 0.0
    t = 0.0
    d = 0.0
    for i in range(n):
        d = x[i] - 1.0
        s += d
    for i in range(n):
        t += x[i] * d
    return s, t


@njit
def passes_break(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    t = 0.0
    for i in range(n):
        if x[i] > 0.3:
            break
        t += x[i]
    return s, t


@njit
def passes_in_branch(x, n):
    s = 0.0
    t = 0.0
    if n > 1:
        for i in range(n):
            s += x[i]
        for i in range(n):
            t += x[i]
    return s, t


@njit
def passes_planes(A, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += A[i, j]
    t = 0.0
    for i in range(n):
        for j in range(i):
            t += A[i, j] * A[i, j]
    return s, t


@njit
def passes_other_order(A, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += A[i, j]
    t = 0.0
    for j in range(n):
        for i in range(n):
            t += A[i, j] * A[i, j]
    return s, t


@njit
def passes_start_of_sum(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    t = s
    for i in range(n):
        t += x[i]
    return s, t


@njit
def passes_divide(x, n):
    s = 0.0
    for i in range(n):
        s += 1.0 / x[i]
    t = 0.0
    for i in range(n):
        t += x[i]
    return s, t


@njit
def row_divisor(A, x, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / x[i]


@njit
def row_divisor_is_written(A, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / A[i, i]


@njit
def row_divisor_of_view(A, n):
    r = A[0]
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / r[i]


@njit
def row_divisor_of_transpose(A, n):
    B = A.T
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / B[i, 0]


@njit
def row_divisor_moves(A, x, k0, n):
    k = k0
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / x[k]
            k = j


@njit
def row_divisor_behind_test(A, x, n):
    for i in range(n):
        for j in range(n):
            if x[i] != 0.0:
                A[i, j] /= x[i]


@njit
def row_divisor_negative(A, x, lo, n):
    for i in range(n):
        for j in range(n):
            A[i, j] /= x[lo - i]


@njit
def row_two_divisors(A, x, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / x[i] + A[i, j] / x[0] + A[i, j] % x[1]


@njit
def row_floor_divisor(A, x, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] // x[i]


@njit
def row_zero_divisor(A, x, n):
    x[0] = 0.0
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / x[i]


@njit
def row_divisor_array(A, x, n):
    for i in range(n):
        for j in range(n):
            A[i, j : j + 1] = A[i, j : j + 1] / x[i]


@njit
def row_divisor_by_row(A, B, n):
    for i in range(n):
        for j in range(n):
            A[j] = A[j] / B[i]


@njit
def row_divisor_empty(A, x, n):
    for i in range(n + 9):
        for j in range(0):
            A[i, j] = A[i, j] / x[i]
