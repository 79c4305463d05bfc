"""Lists that change their length, under every name that they go by."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def list_item_counter_in_loop(x, n):
    l = [0, 1]
    s = 0.0
    for i in range(n):
        for j in range(l[0]):
            s += x[j]
        l[0] += 1
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[19]


def aliased_list(x, n):
    l = []
    m = l
    for i in range(n):
        m.append(x[i])
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def push(l, v):
    l.append(v)


def list_passed_to_helper_appended(x, n):
    l = []
    for i in range(n):
        push(l, x[i])
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def list_in_tuple(x, n):
    l = [1.0]
    t = (l, 2)
    t[0].append(2.0)
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def list_pop(x, n):
    l = [1.0, 2.0, 3.0]
    l.pop()
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def list_insert_extend(x, n):
    l = [1.0, 2.0, 3.0]
    l.insert(0, 4.0)
    l.extend([5.0, 6.0])
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def list_clear(x, n):
    l = [1.0, 2.0, 3.0]
    l.clear()
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def list_augmented_alias(x, n):
    l = [1, 2]
    m = l
    l.extend([3])
    s = 0.0
    for k in m:
        for j in range(k):
            s += x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=3 x=f8[9]


def list_by_a_walrus(x):
    l = [1.0]
    k = (m := l)
    k.append(x[0])
    m.append(x[1])
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle x=f8[9]


def list_by_its_bound_method(x, n):
    l = [1.0]
    push = l.append
    for i in range(n):
        push(x[i])
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = parametric
# oracle n=4 x=f8[9]


def grow(items):
    items.append(1.0)


def list_by_a_walrus_to_a_helper(x):
    l = [1.0]
    grow(m := l)
    s = x[0]
    for v in l:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle x=f8[9]


def list_returned_by_a_lambda(x):
    l = [1.0]
    get = lambda: l
    get().append(x[0])
    s = 0.0
    for v in l:
        s += v
    return s
# expect bound status = bounded
# oracle x=f8[9]


ITEMS = [1.0]


def grow():
    ITEMS.append(1.0)


def list_of_the_module_that_a_helper_changes(x):
    grow()
    s = x[0]
    for v in ITEMS:
        s += v
    return s
# expect bound status = bounded
# oracle x=f8[9]


@njit
def list_by_another_name(x, n):
    items = [1.0]
    same = items
    for i in range(n):
        same.append(x[i] * 2.0)
    s = 0.0
    for v in items:
        s += v
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]


def grow(values):
    values.append(1.0)


def list_inside_a_tuple(x, n):
    items = [1.0, 2.0]
    both = (items, n)
    grow(both[0])
    s = 0.0
    for v in items:
        s += v * 2.0
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]


@njit
def list_that_grows(x):
    kept = []
    for i in range(x.shape[0]):
        kept.append(x[i] * 2.0)
    total = 0.0
    for value in kept:
        total += value * 3.0
    return total
# expect bound status = parametric
# expect measured flops = exact
# oracle x=f8[11]


@njit
def fill(out, x):
    for i in range(x.shape[0]):
        out.append(x[i])


@njit
def list_that_a_helper_fills(x):
    kept = []
    fill(kept, x)
    total = 0.0
    for value in kept:
        total += value
    return total
# expect bound status = parametric
# expect measured flops = exact
# oracle x=f8[9]


@njit
def stack_of_indices(x):
    todo = [0]
    total = 0.0
    while len(todo) > 0:
        k = todo.pop()
        total += x[k] * 2.0
        if k < 5:
            todo.append(k + 1)
    return total
# expect bound status = parametric
# expect measured flops = exact
# oracle x=f8[11]


def items_updated(x, n):
    out = []
    for i in range(n):
        out.append(x[i])
    for i in range(n):
        out[i] += 2.0 * x[i]
    return out
# expect bound status = exact
# expect measured flops = exact
# oracle n=7 x=f8[19]


def arrays_of_a_list_updated(g, n):
    acc = []
    acc.append(np.zeros(300))
    for _ in range(n):
        acc[0] += g
    return acc
# expect bound status = bounded
# oracle g=f8[300] n=4


def items_of_two_lists(x, n):
    a = []
    b = []
    for i in range(n):
        a.append(x[i])
        b.append(x[i])
    for i in range(n):
        a[i] += b[i]
    return a
# expect bound status = bounded
# expect measured flops = exact
# oracle n=7 x=f8[19]
