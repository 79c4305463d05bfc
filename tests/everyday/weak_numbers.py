"""Python's own functions give Python numbers, which leave the type of an array as it is."""

import math

import numpy as np

# isolated: each kernel is a file of its own


def gain_of_size(x, k):
    return x * abs(k)
# expect levels = exact
# oracle x=f4[400] k=2.5


def at_least_one(x, n):
    return x / max(n, 1) + min(n, 3)
# expect levels = estimate
# oracle x=f4[400] n=5


def rounded_gain(x, k):
    return x * round(k), x * round(k, 1)
# expect levels = estimate
# oracle x=f4[400] k=2.5


def by_factorial(x):
    return x * math.factorial(3)
# expect levels = exact
# oracle x=f4[400]


def by_magnitude(x, k):
    """The absolute value of a complex number is a floating number of Python."""
    return x * abs(1j * k)
# expect levels = exact
# oracle x=f4[400] k=2.5


def by_numpys_magnitude(x, k):
    """NumPy's function gives a NumPy number, which widens the array."""
    return x * np.abs(k)
# expect levels = exact
# oracle x=f4[400] k=2.5


def times_bytes(x):
    """The bytes of an array are an integer."""
    return x * x.nbytes
# expect levels = exact
# oracle x=i4[400]
# oracle x=f4[400]


def chosen_scale(x):
    """A Python number or an element: either leaves the array as narrow as it is."""
    scale = 2.0 if x[0] > 100 else x[1]
    return x * scale
# expect levels = estimate
# oracle x=f4[400]


def largest_so_far(x):
    """The maximum begins as a Python number, and becomes an element."""
    m = 0.0
    for v in x:
        if v > m:
            m = v
    return x / m
# expect levels = estimate
# oracle x=f4[400]


def items_of_two_kinds(x):
    c = [0.5, 1.0, x[0]]
    return x * c[1], x * c[int(x[1])]
# expect levels = estimate
# oracle x=f4[400]


def wide_or_weak(x, k):
    """A number of NumPy widens the array, one of Python does not."""
    scale = k
    if x[0] > 100:
        scale = np.float64(k)
    return x * scale
# expect levels = estimate
# oracle x=f4[400] k=2.5
# known traffic: counted as the wider
