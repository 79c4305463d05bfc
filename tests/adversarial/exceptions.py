"""try, raise, assert and with."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def except_as_binds(x, n):
    k = 2
    try:
        raise ValueError
    except ValueError as k:
        pass
    s = 0.0
    for i in range(n):
        s += x[i]
    return s
# expect bound status = unsupported
# oracle n=3 x=f8[9]


@njit
def assert_with_a_message(x, n):
    assert n < 100, x.sum() * 2.0
    return x[0] * 2.0
# expect bound status = exact
# oracle n=5 x=f8[9]


@njit
def raise_under_condition(x, n):
    if n > 100:
        raise ValueError("too large")
    s = 0.0
    for i in range(n):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def try_finally_in_loop_with_continue(x, n):
    s = 0.0
    for i in range(n):
        try:
            if i == 2:
                continue
            s += x[i]
        finally:
            s *= 2.0
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def try_finally_break(x, n):
    s = 0.0
    for i in range(n):
        try:
            if i == 3:
                break
            s += x[i]
        finally:
            s *= 2.0
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def try_else(x, n):
    s = 0.0
    try:
        s += x[0]
    except ValueError:
        s -= 1.0
    else:
        s *= 2.0
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def with_statement(x, n):
    s = 0.0
    with np.errstate(all="ignore"):
        for i in range(n):
            s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def try_index_error_caught(x, n):
    s = 0.0
    for i in range(n):
        try:
            s += x[i]
        except IndexError:
            s *= 3.0
    return s
# expect bound status = bounded
# oracle n=12 x=f8[9]


def zero_division_caught(x, n):
    s = 0.0
    for i in range(n):
        try:
            k = 6 // i
            s += x[k]
        except ZeroDivisionError:
            s *= 3.0
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


def return_in_with_in_loop(x, n):
    s = 0.0
    for i in range(n):
        with np.errstate():
            if i == 2:
                return s
            s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]


@njit
def assertion_does_work(x, n):
    assert x.sum() > 0.0 and n > 2, "x"
    s = 0.0
    for i in range(n):
        assert x[i] * 2.0 > 0.0
        s += x[i]
    return s
# expect bound status = exact
# oracle n=6 x=f8[9]


def finally_after_a_return(x):
    s = 0.0
    try:
        s += x[0]
        return s
    finally:
        s -= 1.0
    return s * s
# expect bound status = exact
# oracle x=f8[9]


def raise_that_is_caught(x, n):
    s = 0.0
    try:
        for i in range(n):
            s += x[i]
            if i == 3:
                raise ValueError
    except ValueError:
        s *= 2.0
    return s
# expect bound status = unsupported
# oracle n=6 x=f8[9]


def exit_from_with(x, n):
    s = 0.0
    for i in range(n):
        with np.errstate(all="ignore"):
            if i == 2:
                continue
            s += x[i]
        s *= 2.0
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def return_from_with(x, n):
    with np.errstate(all="ignore"):
        if n > 3:
            return x[0] * 2.0
        s = x[1] + 1.0
    for i in range(n):
        s *= 2.0
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]
# oracle n=2 x=f8[9]


def exit_from_try(x, n):
    s = 0.0
    for i in range(n):
        try:
            if i == 2:
                continue
            s += x[i]
        except ValueError:
            raise
        s *= 2.0
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


def exit_past_finally(x, n):
    s = 0.0
    for i in range(n):
        try:
            if i == 2:
                continue
            s += x[i]
        finally:
            s *= 2.0
        s += 1.0
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]
