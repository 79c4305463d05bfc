"""Arrays that one loop stores, and that a loop over their items reads."""

import numpy as np
from numba import njit


@njit
def consumers_items(x):
    d = np.zeros(len(x))
    for i in range(len(d)): d[i] = abs(x[i]) * 10
    s = 0
    for v in d:
        if v > 2.5: s += 1
    return s / (len(d) + 1)


@njit
def consumers_item_named(x, n):
    d = np.empty(n)
    for i in range(n):
        v = x[i]
        d[i] = v * 2.0
    s = 0.0
    for v in d:
        s += v
    return s


@njit
def consumers_item_changes(x, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 2.0
    s = 0.0
    for v in d:
        v *= 2.0
        s += v
    return s


@njit
def consumers_item_after(x, n):
    d = np.empty(n + 1)
    for i in range(n + 1):
        d[i] = x[i] * 2.0
    for v in d:
        x[0] = v
    return v


@njit
def consumers_items_twice(x, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 2.0
    s = 0.0
    c = 0
    for v in d:
        s += v
    for v in d:
        if v > 0.0:
            c += 1
    return s, c


@njit
def consumers_index(x, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 2.0
    s = 0.0
    for v in d:
        s += v * i
    return s


@njit
def consumers_more_items(x, n):
    d = np.zeros(n + 1)
    for i in range(n):
        d[i] = x[i] * 2.0
    c = 0
    for v in d:
        if v > -0.5:
            c += 1
    return c


@njit
def consumers_counter_read(x, n):
    d = np.empty(n)
    c = 2
    for i in range(n):
        d[i] = x[i] * c
    for v in d:
        if v > 0.25:
            c += 1
    return c


@njit
def consumers_counter_moves(x, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 2.0
    out = np.zeros(n)
    k = 0
    for v in d:
        if v > 0.0:
            out[k] = v
            k += 1
    return out


@njit
def consumers_counter_moves_back(x, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 2.0
    k = 0
    for v in d:
        if v > 0.0:
            x[k] = v
            k += 1
    return k


@njit
def consumers_stop(x, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 2.0
    c = 0
    for v in d:
        if v < 0.0:
            break
        c += 1
    return c


@njit
def consumers_filled_between(x, n):
    d = np.zeros(n)
    for i in range(n):
        d[i] = x[i] * 2.0
    out = np.ones(n)
    for i in range(n):
        out[i] += d[i]
    return out


@njit
def consumers_filled_shared(x, n):
    d = np.zeros(n)
    for i in range(n):
        d[i] = x[i] * 2.0
    x[:] = 0.0
    for i in range(n):
        x[i] += d[i]
    return x
