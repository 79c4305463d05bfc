"""Arrays that pass elements from one loop to the next."""

import numpy as np
from numba import njit


@njit
def contraction_plain(x, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 3.0
    out = np.zeros(n)
    for i in range(n):
        out[i] = d[i] + 2.0
    return out


@njit
def contraction_single(x, n):
    d = np.empty(n, dtype=np.float32)
    for i in range(n):
        d[i] = x[i] / 3.0
        d[i] += x[i]
    out = np.empty(n)
    for k in range(n):
        out[k] = d[k] * d[k]
    return out


@njit
def contraction_integers(x, n):
    d = np.empty(n, dtype=np.int64)
    for i in range(n):
        d[i] = x[i] * 30.0
    out = np.empty(n)
    for i in range(n):
        out[i] = d[i] * 0.5
    return out


@njit
def contraction_lengths(x):
    d = np.empty(len(x) - 1)
    for i in range(len(d)):
        d[i] = x[i + 1] - x[i]
    out = np.empty(d.shape[0])
    for i in range(d.size):
        out[i] = d[i] / len(d)
    out[0] = len(d) * 2
    out[1] = len(d)
    return out


@njit
def contraction_sum(x, n):
    d = np.empty(n)
    for i in range(n): d[i] = x[i]; d[i] *= 2.0
    s = 0.5
    t = -1.0
    for i in range(n):
        if d[i] > 0.25:
            s += d[i]
            t = d[i]
    return s, t


@njit
def contraction_arms(x, n):
    d = np.empty(n)
    for i in range(n):
        if x[i] > 0.1:
            d[i] = x[i]
        else:
            d[i] = -1.0
    out = np.empty(n)
    for i in range(n):
        out[i] = d[i] * 2.0
    return out


@njit
def contraction_one_arm(x, n):
    d = np.zeros(n)
    for i in range(n):
        if x[i] > 0.1:
            d[i] = x[i]
    out = np.empty(n)
    for i in range(n):
        out[i] = d[i] * 2.0
    return out


@njit
def contraction_neighbour(x, n):
    d = np.zeros(n + 1)
    for i in range(n):
        d[i] = x[i]
    out = np.empty(n)
    for i in range(n):
        out[i] = d[i] + d[i - 1]
    return out


@njit
def contraction_of_other_length(x, n):
    d = np.zeros(n + 2)
    for i in range(n):
        d[i] = x[i]
    out = np.zeros(n + 2)
    for i in range(len(d)):
        out[i] = d[i] + 1.0
    return out


@njit
def contraction_named(x, d_i, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] + d_i[i]
    out = np.empty(n)
    for i in range(n):
        out[i] = d[i] * 2.0
    return out


@njit
def contraction_of_planes(A, n):
    d = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            d[i, j] = A[i, j] * 0.5
    out = np.empty((n, n))
    for i in range(n):
        for k in range(n):
            out[i, k] = d[i, k] + A[i, k]
    return out


@njit
def contraction_turned(A, n):
    d = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            d[i, j] = A[i, j] * 0.5
    out = np.empty((n, n))
    for i in range(n):
        for k in range(n):
            out[i, k] = d[k, i] + A[i, k]
    return out


@njit
def contraction_variable_after(x, n):
    d = np.empty(n)
    k = 7
    for i in range(n):
        d[i] = x[i]
    out = np.empty(n)
    for k in range(n):
        out[k] = d[k] + 1.0
    return out, k


@njit
def contraction_kept(x, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i]
    out = np.empty(n)
    for i in range(n):
        out[i] = d[i] + 1.0
    return out, d


@njit
def contraction_of_steps(x, n):
    d = np.empty(n)
    out = np.zeros(n)
    for t in range(3):
        for i in range(n):
            d[i] = x[i] * 0.5 + t
        for i in range(n):
            out[i] += d[i]
            x[i] = d[i]
    return out


@njit
def contraction_last_step(x, n):
    d = np.zeros(n)
    out = np.zeros(n)
    for t in range(3):
        for i in range(n):
            out[i] += d[i]
        for i in range(n):
            d[i] = x[i] * 0.5 + t
    return out


@njit
def contraction_stores_over(x, y, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] + y[i]
    for i in range(n):
        x[i] = d[i]


@njit
def contraction_reads_ahead(x, y, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i + 1] + y[i]
    for i in range(n):
        x[i] = d[i]


@njit
def contraction_counter(x, n):
    d = np.empty(n)
    c = 2
    for i in range(n):
        d[i] = x[i] * c
    for i in range(n):
        if d[i] > 0.25:
            c += 1
    return c


@njit
def contraction_scalar_between(x, n):
    d = np.empty(n)
    s = 1.0
    for i in range(n):
        d[i] = x[i] * s
    s = 0.0
    for i in range(n):
        s += d[i]
    return s


@njit
def contraction_scalar_flows(x, n):
    d = np.empty(n)
    t = 1.0
    for i in range(n):
        t = x[i]
        d[i] = t * 2.0
    out = np.empty(n)
    for i in range(n):
        out[i] = d[i] + t
    return out


@njit
def contraction_of_two(x, n):
    d = np.empty(n)
    e = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 2.0
        e[i] = d[i] + 1.0
    out = np.empty(n)
    for i in range(n):
        out[i] = d[i] - e[i]
    return out


@njit
def contraction_of_three(x, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 2.0
    e = np.empty(n)
    for j in range(n):
        e[j] = d[j] + 1.0
    out = np.empty(n)
    for k in range(n):
        out[k] = d[k] - e[k]
    return out


@njit
def contraction_divides(x, y, n):
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] / y[i]
    for i in range(n):
        x[i] = d[i]


@njit
def contraction_index_moves(x, n):
    d = np.zeros(n + 1)
    for i in range(n):
        d[i] = x[i]
        i += 1
        d[i] = 0.5
    out = np.empty(n)
    for i in range(n):
        out[i] = d[i]
    return out


@njit
def contraction_one_element(x, n):
    d = np.zeros(4)
    for i in range(n):
        d[2] = x[i]
    out = np.empty(n)
    for i in range(n):
        out[i] = d[2]
    return out
