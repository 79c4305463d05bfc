"""Names that stand for different things on different paths."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def tuple_of_arrays_rotates(x, y, n):
    t = (x, y)
    s = 0.0
    for i in range(n):
        s += t[0].sum()
        t = (t[1], t[0])
    return s
# expect bound status = exact
# oracle n=3 x=f8[19] y=f8[4]


def f(v):
    return v * v


def g(v):
    return v * v * v


def conditional_function_chosen(x, n):
    h = f if n > 3 else g
    return h(x[0])
# expect bound status = exact
# oracle n=5 x=f8[9]


def f(x, k):
    if k > 2:
        return x
    return x[:2]


def helper_returns_different_kinds(x, n):
    s = 0.0
    for i in range(3):
        s += f(x, i).sum()
    return s
# expect bound status = parametric
# oracle n=5 x=f8[9]


def array_or_number_by_index(x, n):
    s = 0.0
    for i in range(n):
        y = (x * 2.0 if i < 2 else 1.0) * 3.0
        s += 1.0
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def array_or_number_stored(x, n):
    for i in range(n):
        x[i:] = x[i:] + 1.0 if i < 2 else 0.0
# expect bound status = bounded
# oracle n=5 x=f8[9]


def number_or_array_in_a_loop(x, n):
    s = 0.0
    for i in range(n):
        if i == 0:
            y = 1.0
        else:
            y = x * 2.0
        z = y + 1.0
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def list_or_array(x, n):
    s = 0.0
    for i in range(n):
        y = x if i > 1 else [1.0, 2.0]
        for v in y:
            s += v
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def array_accumulates_from_zero(x, n):
    s = 0.0
    for i in range(n):
        s = s + x * 2.0
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def none_or_array(x, n):
    y = None
    for i in range(n):
        if y is None:
            y = x * 2.0
        else:
            y = y + x
    return y
# expect bound status = exact
# oracle n=5 x=f8[9]


def previous_is_none_at_first(x, n):
    prev = None
    s = 0.0
    for i in range(n):
        if prev is not None:
            s += x[i] - prev
        prev = x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def mode_changed_by_an_iteration(x, n):
    mode = "first"
    s = 0.0
    for i in range(n):
        if mode == "first":
            s += x[i]
        else:
            s += x[i] * 2.0
        mode = "later"
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def arrays_swapped_an_unknown_number_of_times(u, v, n):
    s = 0.0
    for t in range(n):
        u, v = v, u
    for i in range(len(u)):
        s += u[i]
    return s
# expect bound status = exact
# oracle n=4 u=f8[9] v=f8[7]
# oracle n=3 u=f8[9] v=f8[7]


def none_under_a_condition_tested_after_it(x):
    t = 1.0
    if x[0] > 100.0:
        t = None
    s = 0.0
    if t is None:
        for i in range(x.shape[0]):
            s += x[i] * 2.0
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle x=f8[9]


def none_until_one_is_found(x):
    best = None
    for i in range(x.shape[0]):
        if x[i] > 100.0:
            best = x[i]
    s = 0.0
    if best is not None:
        for i in range(x.shape[0]):
            s += x[i] * best
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle x=f8[9]


@njit
def name_picks_an_array(x, y, n):
    if n > 4:
        z = x
    else:
        z = y
    s = 0.0
    for i in range(len(z)):
        s += z[i]
    for v in x if n > 4 else y:
        s *= v
    return s
# expect bound status = exact
# oracle n=3 x=f8[9] y=f8[4]
# oracle n=7 x=f8[9] y=f8[4]


def integer_at_first_floating_later(x, n):
    s = 0
    for i in range(n):
        s = s + 1
        if i == 2:
            s = s * 1.5
    return s
# expect bound status = bounded
# oracle n=6 x=f8[9]


def square(v):
    return v * v


def cube(v):
    return v * v * v


def function_by_the_index(x, n):
    s = 0.0
    for i in range(n):
        f = square if i < 2 else cube
        s += f(x[i])
    return s
# expect bound status = parametric
# oracle n=5 x=f8[9]


def square(v):
    return v * v


def cube(v):
    return v * v * v


def function_replaced_by_an_iteration(x, n):
    f = square
    s = 0.0
    for i in range(n):
        s += f(x[i])
        f = cube
    return s
# expect bound status = unsupported
# oracle n=5 x=f8[9]
