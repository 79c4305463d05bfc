"""What a name is bound to: conditional and repeated definitions, imports, classes, mutable defaults."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def import_as_shadows_a_name(x, n):
    k = 2
    import math as k

    s = 0.0
    for i in range(n):
        s += k.sqrt(x[i])
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


def f(v):
    return v * v


f.k = 3


def function_attribute(x, n):
    s = 0.0
    for i in range(f.k):
        s += x[i]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


class C:
    k = 2

    def __init__(self):
        self.k = 5


def class_attribute_shadowed(x, n):
    c = C()
    s = 0.0
    for i in range(c.k):
        s += x[i]
    return s
# expect bound status = bounded
# oracle n=5 x=f8[9]


class C:
    N = 4


def class_constant(x, n):
    s = 0.0
    for i in range(C.N):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


class C:
    def __init__(self, k):
        self.k = k

    def go(self, x):
        s = 0.0
        for i in range(self.k):
            s += x[i]
        return s


def method_call(x, n):
    c = C(n)
    c.k = 2
    return c.go(x)
# expect bound status = bounded
# oracle n=3 x=f8[9]


from math import sqrt


def sqrt(v):
    return v * v * v


@njit
def module_import_as_shadows_a_name(x, n):
    return sqrt(x[0])
# expect bound status = exact
# oracle n=5 x=f8[9]


if False:

    def helper(v):
        return v
else:

    def helper(v):
        return v * v


@njit
def conditional_definition(x, n):
    return helper(x[0])
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


try:
    import nosuchmodule

    def helper(v):
        return v
except ImportError:

    def helper(v):
        return v * v


@njit
def try_definition(x, n):
    return helper(x[0])
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


def helper(v):
    return v


@njit
def redefined_helper_after_kernel(x, n):
    return helper(x[0])


def helper(v):
    return v * v
# expect bound status = exact
# oracle n=5 x=f8[9]


def helper(v):
    return v


def other(v):
    return v * v


helper = other


@njit
def helper_replaced_by_assignment(x, n):
    return helper(x[0])
# expect bound status = exact
# oracle n=5 x=f8[9]


def helper(v, acc=[]):
    acc.append(v)
    return len(acc)


def mutable_default(x, n):
    s = 0.0
    for i in range(n):
        for j in range(helper(x[i])):
            s += x[j]
    return s
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 x=f8[9]


class C:
    @staticmethod
    def f(x, k):
        s = 0.0
        for i in range(k):
            s += x[i]
        return s


def class_method_static(x, n):
    return C.f(x, n)
# expect bound status = exact
# oracle n=3 x=f8[9]
