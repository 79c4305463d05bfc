"""while loops whose trip count has a closed form, and those that have none."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def while_with_its_counter_in_an_inner_loop(x, n):
    s = 0.0
    i = 0
    while i < n:
        for j in range(2):
            s += x[i]
            i += 1
    return s
# expect bound status = exact
# oracle n=8 x=f8[9]


@njit
def while_not_at_least(n, x):
    i = 0
    s = 0.0
    while not i >= n:
        s += x[i]
        i += 1
    while n > i:
        s += 1.0
        i += 1
    while i != 0:
        s *= 2.0
        i -= 1
    return s
# expect bound status = exact
# oracle n=9 x=f8[20]


@njit
def while_else(x, n):
    s = 0.0
    i = 0
    while i < n:
        s += x[i]
        i += 1
    else:
        s *= 2.0
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=0 x=f8[9]


@njit
def while_below_n_by_two(x, n):
    s = 0.0
    i = 0
    while i < n:
        s += x[i]
        i += 2
    return s * i
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=0 x=f8[9]
# oracle n=8 x=f8[9]


@njit
def while_with_continue(x, n):
    s = 0.0
    i = 0
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=8 x=f8[9]


@njit
def do_while(x, n):
    s = 0.0
    i = 0
    while True:
        s += x[i]
        i += 1
        if i >= n:
            break
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]
# oracle n=0 x=f8[9]
# oracle n=1 x=f8[9]


@njit
def while_halving(x, n):
    s = 0.0
    m = n
    while m > 1:
        m //= 2
        for i in range(m):
            s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=8 x=f8[9]
# oracle n=1 x=f8[9]
# oracle n=0 x=f8[9]


@njit
def while_doubling(x, n):
    s = 0.0
    k = 1
    while k < n:
        for i in range(0, n, k):
            s += x[i]
        k *= 2
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=8 x=f8[9]
# oracle n=1 x=f8[9]
# oracle n=9 x=f8[9]


@njit
def continue_in_while(x, n):
    i = 0
    s = 0.0
    while i < n:
        if i % 3 == 1:
            i += 2
            continue
        s += x[i]
        i += 1
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=9 x=f8[10]


@njit
def break_of_a_while(x, n):
    i = 0
    s = 0.0
    while i < n:
        if x[i] > 0.1:
            i = 4
            break
        i += 1
    for j in range(i):
        s += x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


@njit
def while_false(x, n):
    s = 0.0
    while False:
        s += x[0]
    if False:
        s += x[1] * 2.0
    if True:
        s += x[2] * 2.0
    if 0:
        s += x[1]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]
