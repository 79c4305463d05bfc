"""Loops with stores under branches on data, as Numba compiles them for AVX2, whose vectors mask elements of 4 and 8
bytes alone. The comment above each says what LLVM makes of it there; with AVX-512 all are vector code. Scalar stores
behind branches hold back a loop as scalar code does."""

import json
import sys

import numpy as np
from numba import njit

N = 1800


# vector
@njit
def two_arms(x, y):
    for i in range(x.shape[0]):
        if x[i] < 0.8:
            y[i] = -1.0
        else:
            y[i] = 1.0


# scalar
@njit
def three_arms(x, y):
    for i in range(x.shape[0]):
        if x[i] < 0.8:
            y[i] = -1.0
        elif x[i] > 1.2:
            y[i] = 1.0
        else:
            y[i] = 0.0


# scalar
@njit
def three_arms_of_values_known_before(x, y, a):
    for i in range(x.shape[0]):
        if x[i] < 0.8:
            y[i] = 0.8
        elif x[i] > a:
            y[i] = a
        else:
            y[i] = x[i]


# scalar
@njit
def four_arms(x, y, z):
    for i in range(x.shape[0]):
        if x[i] < 0.8:
            y[i] = 1.0
        elif x[i] > 1.2:
            y[i] = 2.0
        elif z[i] > 1.2:
            y[i] = 3.0
        else:
            y[i] = 4.0


# vector
@njit
def a_test_in_each_arm(x, y, z):
    for i in range(x.shape[0]):
        if x[i] < 0.8:
            if z[i] < 0.8:
                y[i] = 1.0
            else:
                y[i] = 2.0
        else:
            if z[i] > 1.2:
                y[i] = 3.0
            else:
                y[i] = 4.0


# vector
@njit
def three_arms_one_of_which_computes(x, y):
    for i in range(x.shape[0]):
        if x[i] < 0.8:
            y[i] = -1.0
        elif x[i] > 1.2:
            y[i] = 1.0
        else:
            y[i] = 2.0 * x[i]


# vector
@njit
def three_arms_of_a_variable(x, y):
    for i in range(x.shape[0]):
        v = 0.0
        if x[i] < 0.8:
            v = -1.0
        elif x[i] > 1.2:
            v = 1.0
        y[i] = v


# vector
@njit
def one_arm(x, y):
    for i in range(x.shape[0]):
        if x[i] > 1.2:
            y[i] = 2.0


# vector
@njit
def two_tests(x, y, z):
    for i in range(x.shape[0]):
        if x[i] > 0.8 and z[i] < 1.2:
            y[i] = 1.0
        else:
            y[i] = 0.0


# roofscan: x=f8[n] k=i1[n]
# scalar stores
@njit
def one_arm_of_bytes(x, k):
    for i in range(x.shape[0]):
        if x[i] > 1.2:
            k[i] = 1


# roofscan: x=f8[n] k=i1[n]
# vector
@njit
def two_arms_of_bytes(x, k):
    for i in range(x.shape[0]):
        if x[i] > 1.2:
            k[i] = 1
        else:
            k[i] = 0


def main() -> None:
    """Whether each loop of the command line is vector code, as JSON."""
    from tests.support.vector_accesses import accesses, counters_in_compiled_code

    draw = np.random.default_rng(1)
    found = {}
    for name in sys.argv[1:]:
        function = globals()[name]
        x, y, z = (draw.uniform(0.5, 1.5, N) for _ in range(3))
        given = {"x": x, "y": y, "z": z, "a": 1.2, "k": np.zeros(N, np.int8)}
        call = [given[parameter] for parameter in function.py_func.__code__.co_varnames if parameter in given]
        with counters_in_compiled_code():
            function(*call)
        found[name] = accesses(lambda: function(*call)).is_vector_code  # noqa: B023
    print(json.dumps(found))


if __name__ == "__main__":
    main()
