"""Comprehensions, generator expressions and generator functions."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def generator_never_consumed_deep(x, n):
    g = (x[i] * 2.0 for i in range(n))
    return x[0] + 1.0
# expect bound status = bounded
# oracle n=4 x=f8[19]


def generator_consumed_twice(x, n):
    g = (x[i] * 2.0 for i in range(n))
    return sum(g) + sum(g)
# expect bound status = bounded
# oracle n=4 x=f8[19]


def any_of_list(x, n):
    s = 0.0
    if any([x[i] * 2.0 > 2.0 for i in range(n)]):
        s += 1.0
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=6 x=f8[9]


def all_of_generator(x, n):
    return all(x[i] * 2.0 > 9.0 for i in range(n))
# expect bound status = bounded
# oracle n=6 x=f8[9]


def max_of_generator(x, n):
    return max(x[i] * 2.0 for i in range(n))
# expect bound status = exact
# oracle n=6 x=f8[9]


def sum_with_start(x, n):
    return sum((x[i] * 2.0 for i in range(n)), 1.0)
# expect bound status = exact
# oracle n=6 x=f8[9]


def comprehension_over_list(x, n):
    l = [v * 2.0 for v in [1.0, 2.0, 3.0] if v > x[0]]
    return l
# expect bound status = parametric
# oracle n=6 x=f8[9]


def comprehension_two_conditions(x, n):
    l = [x[i] * 2.0 for i in range(n) if i > 2 if i < 7]
    return len(l)
# expect bound status = exact
# oracle n=9 x=f8[9]


def comprehension_scope(x, n):
    i = 3
    l = [x[i] * 2.0 for i in range(n)]
    s = 0.0
    for j in range(i):
        s += l[j]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def comprehension_condition(x, n):
    l = [x[i] * 2.0 for i in range(n) if i % 2]
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def comprehension_nested(x, n):
    l = [x[i] * x[j] for i in range(n) for j in range(i)]
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = bounded
# oracle n=4 x=f8[9]


def comprehension_of_comprehension(x, n):
    l = [[x[i] * x[j] for j in range(i)] for i in range(n)]
    s = 0.0
    for r in l:
        for v in r:
            s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]


def generator_expression_sum(x, n):
    return sum(x[i] * 2.0 for i in range(n))
# expect bound status = exact
# oracle n=4 x=f8[9]


def generator_expression_any(x, n):
    s = 0.0
    if any(x[i] * 2.0 > 2.0 for i in range(n)):
        s += 1.0
    return s
# expect bound status = bounded
# oracle n=4 x=f8[9]


def generator_evaluated_late(x, n):
    g = (x[i] * 2.0 for i in range(n))
    s = 0.0
    for v in g:
        s += v
    for v in g:
        s += v
    return s
# expect bound status = bounded
# oracle n=4 x=f8[9]


def gen(x, n):
    for i in range(n):
        yield x[i] * 2.0


def generator_function(x, n):
    s = 0.0
    for v in gen(x, n):
        s += v
    return s
# expect bound status = bounded
# oracle n=4 x=f8[9]


def gen(x, n):
    for i in range(n):
        yield x[i] * 2.0


def generator_function_never_consumed(x, n):
    g = gen(x, n)
    return x[0] + 1.0
# expect bound status = bounded
# oracle n=4 x=f8[9]


def gen(x, n):
    for i in range(n):
        yield x[i] * 2.0


def generator_broken_off(x, n):
    s = 0.0
    for v in gen(x, n):
        s += v
        break
    return s
# expect bound status = bounded
# oracle n=4 x=f8[9]


def gen(x, n):
    for i in range(n):
        yield x[i] * 2.0


def generator_next(x, n):
    g = gen(x, n)
    return next(g) + 1.0
# expect bound status = bounded
# oracle n=4 x=f8[9]


def dict_comprehension(x, n):
    d = {i % 2: x[i] * 2.0 for i in range(n)}
    s = 0.0
    for k in d:
        s += d[k]
    return s
# expect bound status = bounded
# oracle n=4 x=f8[9]


def gen(x, n):
    for i in range(n):
        yield x[i] * 2.0


def generator_with_break_helper(x, n):
    s = 0.0
    for v in gen(x, n):
        if v > 1.5:
            break
        s += v
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def nested_comprehension_condition_on_outer(x, n):
    k = 0
    s = 0.0
    for v in [x[i] * 2.0 for i in range(n) if i != 2]:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]
