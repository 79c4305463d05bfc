"""Loops over threads: what each thread holds, and what is reduced."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit(parallel=True)
def prange_reduction(x, n):
    s = 0.0
    for i in prange(n):
        s += x[i] * x[i]
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit(parallel=True)
def prange_two_reductions_min(x, n):
    s = 0.0
    m = 1e9
    for i in prange(n):
        s += x[i]
        m = min(m, x[i])
    return s + m
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit(parallel=True)
def prange_start_step(x, n):
    s = 0.0
    for i in prange(1, n, 2):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def prange_in_not_parallel(x, n):
    s = 0.0
    for i in prange(n):
        t = 0.0
        for j in range(i):
            t += x[j]
        s += t
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit(parallel=True)
def nested_prange(A, n):
    s = 0.0
    for i in prange(n):
        for j in prange(n):
            s += A[i, j]
    return s
# expect bound status = exact
# oracle n=4 A=f8[5,5]


@njit(parallel=True)
def prange_product_max(x, n):
    p = 1.0
    m = 0.0
    for i in prange(n):
        p *= x[i]
        m = max(m, x[i])
    return p + m
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit(parallel=True)
def prange_private_array(x, n):
    out = np.zeros(n)
    for i in prange(n):
        t = np.zeros(3)
        for k in range(3):
            t[k] = x[i] * k
        out[i] = t.sum()
    return out
# expect bound status = exact
# oracle n=5 x=f8[9]
