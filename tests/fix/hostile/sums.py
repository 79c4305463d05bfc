"""Sums that keep a loop waiting."""

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
