"""Tuples, sets, dictionaries, strings."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def tuple_of_ints_in_loop(x, n):
    t = (0, 1)
    s = 0.0
    for i in range(n):
        for j in range(t[0]):
            s += x[j]
        t = (t[0] + 1, t[1])
    return s
# expect bound status = parametric
# oracle n=4 x=f8[19]


def tuple_grows_by_assignment(x, n):
    t = ()
    s = 0.0
    for i in range(n):
        t = t + (x[i],)
        for v in t:
            s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[19]


def tuple_shrinks(x, n):
    t = (1.0, 2.0, 3.0)
    s = 0.0
    for i in range(n):
        for v in t:
            s += v
        t = t[1:]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[19]


def tuple_rotates(x, n):
    t = (1, 2, 3)
    s = 0.0
    for i in range(n):
        for v in range(t[0]):
            s += x[v]
        t = t[1:] + t[:1]
    return s
# expect bound status = parametric
# oracle n=3 x=f8[19]


def while_tuple(x, n):
    a = (0, n)
    s = 0.0
    while a[0] < a[1]:
        s += x[a[0]]
        a = (a[0] + 1, a[1])
    return s
# expect bound status = parametric
# oracle n=4 x=f8[19]


@njit
def fresh_tuple_in_each_iteration(x, n):
    t = (0, 0)
    s = 0.0
    for i in range(n):
        t = (i, i + 2)
        for j in range(t[0], t[1]):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=4 x=f8[19]


def set_of_a_list(x, n):
    l = set([1, 1, 2])
    s = 0.0
    for i in l:
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def set_display(x, n):
    s = 0.0
    for i in {1, 1, 2}:
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def dict_display(x, n):
    s = 0.0
    for i in {1: 2.0, 1: 3.0}:
        s += x[i]
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def string_loop(x, n):
    s = 0.0
    for c in "abc":
        s += x[0]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def len_of_string(x, n):
    s = 0.0
    for c in range(len("abcd")):
        s += x[c]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def bytes_loop(x, n):
    s = 0.0
    for c in b"\1\2":
        s += x[c]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def sorted_list(x, n):
    s = 0.0
    for c in sorted([3, 1]):
        s += x[c]
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def filter_call(x, n):
    s = 0.0
    for c in filter(lambda a: a > 1, [1, 2, 3]):
        s += x[c]
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def loop_over_tuple_of_arrays(x, y):
    s = 0.0
    for a in (x, y, x[2:]):
        s += (a * 2.0).sum()
    return s
# expect bound status = exact
# oracle x=f8[9] y=f8[4]


@njit
def tuple_indices(n, A):
    s = 0.0
    for i in range(n):
        idx = (i, i + 1)
        s += A[idx] + A[(i, i)] + A[i][i] + A[i, :][i + 1] + A[:, i][i]
    return s
# expect bound status = exact
# oracle n=4 A=f8[5,5]


def set_of_indices(x, n):
    d = {i % 2 for i in range(n)}
    s = 0.0
    for k in d:
        s += x[k]
    return s
# expect bound status = bounded
# oracle n=4 x=f8[9]


def dict_loop(x, n):
    d = {}
    for i in range(n):
        d[i % 3] = x[i] * 2.0
    s = 0.0
    for k, v in d.items():
        s += v
    return s
# expect bound status = bounded
# oracle n=4 x=f8[9]


def string_operations(x, n, mode="a"):
    s = 0.0
    if mode == "a":
        for i in range(n):
            s += x[i]
    else:
        s = x[0] * x[1]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


@njit
def augmented_tuple(x, n):
    t = (1, 2)
    t += (3, 4)
    s = 0.0
    for k in t:
        for j in range(k):
            s += x[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def augmented_tuple_in_loop(x, n):
    t = ()
    for i in range(n):
        t += (i,)
    s = 0.0
    for k in t:
        s += x[k]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def dict_of_arrays(x, y, n):
    d = {"a": x, "b": y}
    return d["a"].sum() + d["b"].sum()
# expect bound status = bounded
# oracle n=5 x=f8[9] y=f8[4]


def tuple_unpack_loop(x, n):
    s = 0.0
    for a, b in ((0, 1), (2, 3), (4, n)):
        for i in range(a, b):
            s += x[i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]
