"""Nested functions, lambdas, and functions as values."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def late_default_of_nested(x, n):
    def f(k=n):
        t = 0.0
        for i in range(k):
            t += x[i]
        return t

    n = 2
    return f() + f(1)
# expect bound status = exact
# oracle n=5 x=f8[9]


def recursion_through_closure(x, n):
    def f(k):
        return x[k] if k == 0 else x[k] * f(k - 1)

    return f(n)
# expect bound status = bounded
# oracle n=5 x=f8[9]


def f(v):
    return v * v


def g(v):
    return v * v * v


def function_table(x, n):
    t = (f, g)
    s = 0.0
    for i in range(2):
        s += t[i](x[i])
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def f(v):
    return v * v


def g(v):
    return v * v * v


T = {"f": f, "g": g}


def function_dict(x, n):
    return T["g"](x[0])
# expect bound status = bounded
# oracle n=5 x=f8[9]


def lambda_list_late_binding(x):
    fs = [lambda v: v * 2.0, lambda v: v * v * v]
    s = 0.0
    for f in fs:
        s += f(x[0])
    return s
# expect bound status = exact
# oracle x=f8[9]


def nested_function_returns_closure(x):
    def make(k):
        def g(v):
            return v * k + 1.0

        return g

    a = make(2.0)
    b = make(3)
    return a(x) + b(x) + make(1.0)(x)
# expect bound status = exact
# oracle x=f8[4]


@njit
def nested_function_in_loop(x, n):
    s = 0.0
    for i in range(n):

        def f(v):
            return v * v + 1.0

        s += f(x[i])
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


def f(v):
    return v * v


def apply(g, v):
    return g(v) + g(v)


def function_as_argument(x, n):
    return apply(f, x[0])
# expect bound status = exact
# oracle n=5 x=f8[9]


from functools import partial


def f(k, v):
    s = 0.0
    for i in range(k):
        s += v
    return s


def functools_partial(x, n):
    g = partial(f, 3)
    return g(x[0])
# expect bound status = bounded
# oracle n=5 x=f8[9]


from functools import reduce


def f(a, b):
    return a * b


def functools_reduce(x, n):
    return reduce(f, [x[0], x[1], x[2]])
# expect bound status = bounded
# oracle n=5 x=f8[9]


def f(a):
    return a * 2.0


def map_with_function(x, n):
    s = 0.0
    for v in map(f, x):
        s += v
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def sorted_key(x, n):
    s = 0.0
    for v in sorted([3, 1, 2], key=lambda a: a * 2.0):
        s += v
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def lambda_called(x, n):
    return (lambda v: v * v + 1.0)(x[0])
# expect bound status = exact
# oracle n=5 x=f8[9]


def recursive_lambda(x, n):
    f = lambda k: x[k] if k == 0 else x[k] + f(k - 1)
    return f(n)
# expect bound status = bounded
# oracle n=3 x=f8[9]


def twice(f):
    def g(v):
        return f(f(v))

    return g


@twice
def helper(v):
    return v * 2.0


def helper_wrapped(x, n):
    return helper(x[0])
# expect bound status = bounded
# oracle n=5 x=f8[9]


def lambda_default_capture(x, n):
    fs = []
    for i in range(3):
        fs.append(lambda v, i=i: v * i)
    s = 0.0
    for f in fs:
        s += f(x[0])
    return s
# expect bound status = parametric
# oracle n=5 x=f8[9]


def closure_late_binding(x, n):
    k = 2

    def g():
        s = 0.0
        for i in range(k):
            s += x[i]
        return s

    a = g()
    k = n
    return a + g()
# expect bound status = exact
# oracle n=5 x=f8[9]


def closure_made_in_a_loop_called_late(x, n):
    s = 0.0
    for m in range(n):

        def g(v):
            t = 0.0
            for i in range(m):
                t += v[i]
            return t

        s += g(x)
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def closure_over_changed_array_name(x, y, n):
    z = x

    def g():
        return z.sum()

    s = g()
    z = y
    return s + g()
# expect bound status = exact
# oracle n=5 x=f8[9] y=f8[4]


def nested_function_shadows_parameter(x, n):
    def g(n):
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

    return g(2) + n
# expect bound status = exact
# oracle n=5 x=f8[9]


def inner_variable_same_name(x, n):
    m = 3

    def g():
        m = 6
        return x[m]

    g()
    s = 0.0
    for i in range(m):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def make(k):
    def f(v):
        s = 0.0
        for i in range(k):
            s += v[i]
        return s

    return f


def closure_factory(x, n):
    g = make(3)
    h = make(n)
    return g(x) + h(x)
# expect bound status = exact
# oracle n=5 x=f8[9]


def closure_returns_closure_changed(x, n):
    fs = [lambda v: v * 2.0, lambda v: v * v * v]
    s = 0.0
    for f in fs:
        s += f(x[0])
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def nonlocal_reset_by_a_helper(x, n):
    k = 2

    def g():
        nonlocal k
        k = 6

    g()
    s = 0.0
    for i in range(k):
        s += x[i]
    return s
# expect bound status = unsupported
# oracle n=3 x=f8[9]


def defaults_bind_at_definition(x, n):
    k = 2
    f = lambda v, k=k: x[k] * v
    g = lambda v: [v * 2.0 for i in range(k)]
    m = 1

    def h():
        t = 0.0
        for i in range(m):
            t += x[i]
        return t

    k, m = 5, n
    return f(1.0) + h()
# expect bound status = exact
# oracle n=5 x=f8[9]


def nonlocal_counter(x, n):
    m = 0

    def bump():
        nonlocal m
        m += 1
        return 1.0

    s = 0.0
    for i in range(n):
        s += bump()
        for j in range(m):
            s += x[j]
    return s
# expect bound status = unsupported
# oracle n=4 x=f8[9]
