"""Functions that a factory makes at top level; static methods and constants of classes."""

import numpy as np
from numba import njit

W = 3.0


class Filters:
    ORDER = 3

    @staticmethod
    @njit
    def fir3(x, y):
        for i in range(2, len(x)):
            y[i] = 0.25 * x[i] + 0.5 * x[i - 1] + 0.25 * x[i - 2]

    @classmethod
    def b(cls, x):
        return x * 2.0

    @staticmethod
    def norm(x):
        return np.sqrt(np.sum(x * x))


@njit
def filtered_twice(x, y, z):
    """A static method that is compiled, twice."""
    Filters.fir3(x, y)
    Filters.fir3(y, z)
# oracle x=f8[400] y=f8[400] z=f8[400]


def normed(x):
    """A plain one."""
    return x / Filters.norm(x)
# oracle x=f8[400]


def make_poly(c0, c1, c2=0.5):
    """Doc."""
    @njit
    def poly(x, out):
        for i in range(x.shape[0]):
            out[i] = c0 + x[i] * (c1 + x[i] * c2)
    return poly


_cubic = make_poly(1.0, c1=W)


@njit
def polynomial_of_a_factory(x, out):
    """Its coefficients are arguments of the factory, a constant of the module among them."""
    _cubic(x, out)
# oracle x=f8[400] out=f8[400]


def twice(f):
    return lambda v: f(v) + f(v)


@njit
def h(v):
    return v * 0.5


hh = twice(h)


@njit
def twice_at_each_point(x, out):
    """A factory is given a function."""
    for i in range(len(x)):
        out[i] = hh(x[i])
# oracle x=f8[400] out=f8[400]


def apply(f, x):
    return f(x)


def passed_on_to_a_helper(x):
    """What a factory made is passed on."""
    return apply(hh, x)
# oracle x=f8[400]


@njit
def parameter_of_that_name(hh, x):
    """A parameter hides the function."""
    return hh * x
# oracle x=f8[400] hh=2.0


import numpy as np
from numba import njit
class Cfg:
    N = 3
    W: float = 0.5
    TAPS = (0.1, 0.2, 0.3)


@njit
def constants_of_a_class(x, y):
    """A length and a factor of a class."""
    for i in range(len(x) - Cfg.N):
        s = 0.0
        for k in range(Cfg.N):
            s += x[i + k] * Cfg.W
        y[i] = s
# oracle x=f8[400] y=f8[400]


def averaging(order):
    """A factory with a number of its own, which is worked out when the module is imported."""
    scale = 1.0 / order

    @njit
    def average(x, out):
        for i in range(order - 1, x.shape[0]):
            acc = 0.0
            for k in range(order):
                acc += x[i - k]
            out[i] = acc * scale
    return average


average4 = averaging(4)
average9 = averaging(9)


@njit
def difference_of_averages(x, a, b, out):
    average4(x, a)
    average9(x, b)
    for i in range(x.shape[0]):
        out[i] = a[i] - b[i]
# oracle x=f8[400] a=f8[400] b=f8[400] out=f8[400]
