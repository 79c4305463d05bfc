"""Calls of helpers: arguments, defaults, several returns, recursion."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def f(v):
    v = v * 2.0
    return v


def g(v):
    v *= 2.0


def helper_modifies_array_argument_name(x, n):
    f(x)
    g(x)
    return x
# expect bound status = exact
# oracle n=5 x=f8[9]


def f(x, k):
    if k:
        return x[0], x[1]
    return x[0], x[2]


def helper_returns_tuple_or_number(x, n):
    a, b = f(x, n)
    return a * b
# expect bound status = exact
# oracle n=5 x=f8[9]


def f(x, k):
    if k > 2:
        return x[0] * x[1] * x[2]
    return x[0]


def helper_early_return_counts(x, n):
    s = 0.0
    for i in range(n):
        s += f(x, i)
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


import functools


@functools.lru_cache
def f(k):
    return k * 2.5


def cached_helper(x):
    s = 0.0
    for v in x:
        s += v * f(3)
    return s
# expect bound status = bounded
# oracle x=f8[9]


def twice(g):
    def w(*a):
        return g(*a) + g(*a)

    return w


@twice
def f(k):
    return k * 2.5


def helper_own_decorator(x):
    s = 0.0
    for v in x:
        s += f(v)
    return s
# expect bound status = bounded
# oracle x=f8[9]


def optional_parameter_is_none(x):
    def f(a, w=None):
        if w is None:
            w = np.ones(len(a))
        return (a * w).sum()

    return f(x) + f(x, x) + f(x, w=None)
# expect bound status = exact
# oracle x=f8[9]


@njit
def g(v, i):
    if i < 2:
        return v * 2.0
    v = v * v
    if i == 3:
        return v + 1.0
    return v * v * v


@njit
def helper_early_return_with_work(x, n):
    s = 0.0
    for i in range(n):
        s += g(x[i], i)
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def rot(a, b, c, s):
    return c * a + s * b, c * b - s * a


@njit
def returned_tuple_unpacked_in_swapped_order(x, n):
    for i in range(n - 1):
        x[i], x[i + 1] = rot(x[i], x[i + 1], 0.6, 0.8)
        x[i], x[i + 1] = x[i + 1], x[i]
    (a, b), c = rot(x[0], x[1], 1.0, 0.0), 2
    a, b, c = c, a, b
    return a + b + c
# expect bound status = exact
# oracle n=5 x=f8[9]


def print_with_arithmetic(x, n):
    s = x[0]
    str(s * 2.0)
    f"{s * 3.0}"
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def helper(x, k):
    if k == 0:
        return 0.0
    return x[k] + helper(x, k - 1)


@njit
def recursion_by_size(x, n):
    return helper(x, n)
# expect bound status = bounded
# oracle n=5 x=f8[9]


def helper(*a):
    s = 0.0
    for v in a:
        s += v
    return s


@njit
def star_args_helper(x, n):
    return helper(x[0], x[1], x[2])
# expect bound status = exact
# oracle n=5 x=f8[9]


def helper(a, b, c):
    return a * b + c


@njit
def star_args_call(x, n):
    t = (x[0], x[1], x[2])
    return helper(*t)
# expect bound status = exact
# oracle n=5 x=f8[9]


def helper(v, k, m=2):
    s = 0.0
    for i in range(k):
        for j in range(m):
            s += v[i]
    return s


@njit
def kwargs_call_reordered(x, n):
    return helper(x, m=n, k=3)
# expect bound status = exact
# oracle n=5 x=f8[9]


def helper(v, *, k=4):
    s = 0.0
    for i in range(k):
        s += v[i]
    return s


@njit
def keyword_only_default(x, n):
    return helper(x) + helper(x, k=2)
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def f(y, k):
    for i in range(k):
        y[i] += 1.0


@njit
def helper_writes_argument(x, n):
    for k in range(n):
        f(x[k:], k)
    return x
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def f(a, b):
    return a + b, a - b


@njit
def helper_returns_two(x, n):
    s = 0.0
    for i in range(n):
        u, v = f(x[i], x[i + 1])
        s += u * v
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def f(a, fast):
    if fast:
        return a
    return math.sqrt(a) * a


@njit
def helper_picks_by_flag(x, n):
    s = 0.0
    for i in range(n):
        s += f(x[i], True) + f(x[i], False) + f(x[i], i > 1)
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]


def f(a, how="fast"):
    if how == "fast":
        return a
    return math.sqrt(a) * a


def helper_picks_by_text(x, n):
    return f(x[0]) + f(x[0], "slow") + f(x[1], how="fast")
# expect bound status = exact
# oracle n=4 x=f8[9]


def f(a, b=None):
    if b is None:
        return a * 2.0
    return a * b * b


def helper_default_none(x, n):
    return f(x[0]) + f(x[0], x[1])
# expect bound status = exact
# oracle n=4 x=f8[9]


def f(x):
    x = x[0] * 2.0
    return x * x


def helper_shadows_array_by_number(x, n):
    return f(x) + x[1]
# expect bound status = exact
# oracle n=4 x=f8[9]


def f(x, k):
    if k <= 0:
        return x[0]
    return x[k] * f(x, k - 1)


def recursion_guarded_by_constant(x, n):
    return f(x, 2)
# expect bound status = bounded
# oracle n=3 x=f8[9]


A = 2


def f(x, k=A * 2):
    s = 0.0
    for i in range(k):
        s += x[i]
    return s


def default_argument_uses_other_default(x, n):
    return f(x)
# expect bound status = exact
# oracle n=3 x=f8[9]


def string_statement_as_comment(x, n):
    s = 0.0
    if not n:
        return s
    elif n > 100:
        s = 1.0
    for i in range(n):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


def pass_and_ellipsis(x, n):
    s = 0.0
    for i in range(n):
        ...
    for i in range(n):
        pass
    s += x[0]
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


K = 2


@njit
def helper(x, k=K):
    s = 0.0
    for i in range(k):
        s += x[i]
    return s


@njit
def default_evaluated_where_the_callee_stands(x, n):
    K = 4
    return helper(x) * K
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def distance(a, b, scale):
    if a > b:
        return distance(b, a, scale)
    return (b - a) * scale


@njit
def helper_calls_itself_with_arguments_in_order(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += distance(x[i], x[i + 1], 2.0)
    return total
# expect bound status = exact
# oracle x=f8[12]


def _square(v):
    return v * v


square = njit(_square)


@njit
def helper_made_by_a_call(x):
    total = 0.0
    for i in range(len(x)):
        total += square(x[i])
    return total
# expect bound status = exact
# oracle x=f8[6]


@njit
def _length_of(v):
    s = 0
    for a in v:
        s += a * a
    return np.sqrt(s)


@njit
def lengths_of_floats_and_of_integers(A, B, out):
    """The sum is floating in the first call, and an integer in the second."""
    for i in range(len(A)):
        out[i] = _length_of(A[i]) + _length_of(B[i])
# expect bound status = exact
# oracle A=f8[6,5] B=i8[6,4] out=f8[6]
# oracle A=i8[6,5] B=f8[6,4] out=f8[6]
