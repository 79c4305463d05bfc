"""Ranges, slices, tuples, element types and functions that depend on a condition: none of them counts as the first."""

import numpy as np

# isolated: each kernel is a file of its own


def range_by_data(x):
    """Which range it is depends on data: a symbol."""
    r = range(len(x)) if x[0] > 100 else range(0, len(x), 2)
    s = 0.0
    for i in r:
        s += x[i]
    return s
# expect status = parametric
# oracle x=f8[40]


def range_by_parameter(x, forwards):
    r = range(len(x)) if forwards else range(0, len(x), 2)
    s = 0.0
    for i in r:
        s += x[i]
    return s
# oracle x=f8[40] forwards=1
# oracle x=f8[40] forwards=0


def _rows(x, all_of_them):
    if all_of_them:
        return range(20)
    return range(5)


def range_of_a_helper(x):
    s = 0.0
    for i in _rows(x, x[0] > 100):
        s += x[i]
    return s
# oracle x=f8[40]


def slice_by_data(x):
    part = slice(0, 10) if x[0] > 100 else slice(1, 5)
    return x[part] * 2.0
# expect status = parametric
# oracle x=f8[40]
# known flops: the length is a symbol, and the run records no lengths of slices that have a name
# known traffic: the same


def moving_slice(x):
    """Each iteration leaves another slice to the next."""
    part = slice(1, 3)
    for k in range(3):
        x[part] *= 2.0
        part = slice(k, k + 5)
    return x
# expect status = parametric
# oracle x=f8[40]
# known flops: the length is a symbol, and the run records no lengths of slices that have a name
# known traffic: the same


def weights_by_data(x):
    w = (1.0, 2.0) if x[0] > 100 else (1.0, 2.0, 3.0)
    s = 0.0
    for v in w:
        s += v * x[0]
    return s
# oracle x=f8[40]


def numbers_by_data(x):
    w = [x[i] for i in range(10)] if x[0] > 100 else [x[i] for i in range(3)]
    s = 0.0
    for v in w:
        s += v * x[0]
    return s
# oracle x=f8[40]


def type_by_data(x):
    kind = np.float64 if x[0] > 100 else np.complex128
    out = np.zeros(len(x), kind)
    return out * 2.0
# expect status = bounded
# oracle x=f8[40]


def function_by_data(x):
    """The function is a symbol."""
    f = np.sin if x[0] > 100 else abs
    return f(x)
# expect status = parametric
# oracle x=f8[40]
# known flops: the cost of the function is a symbol that no run gives


def text_by_data(x):
    """A text that depends on data leaves both branches open."""
    name = "sum" if x[0] > 100 else "mean"
    if name == "sum":
        return x * 2.0
    return x * 2.0 + 1.0
# oracle x=f8[40]
