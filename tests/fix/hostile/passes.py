"""Passes over one array."""

from numba import njit


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
