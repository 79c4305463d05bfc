"""Names of the module: constants, and state that functions change."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


W = [1.0, 2.0, 3.0]


def global_list(x, n):
    s = 0.0
    for w in W:
        s += w * x[0]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


W = [1.0, 2.0, 3.0]
W.append(4.0)


def global_list_mutated(x, n):
    s = 0.0
    for w in W:
        s += w * x[0]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


W = np.array([1.0, 2.0, 3.0])


@njit
def global_array(x, n):
    s = 0.0
    for i in range(len(W)):
        s += W[i] * x[i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


W = np.zeros(4) + 1.0


@njit
def global_array_expression(x, n):
    s = 0.0
    for i in range(W.size):
        s += W[i] * x[i]
    return s
# expect bound status = exact
# oracle n=3 x=f8[9]


K = 3


def helper(v, k=K):
    s = 0.0
    for i in range(k):
        s += v[i]
    return s


K = 5


@njit
def default_read_before_reassign_global(x, n):
    s = helper(x)
    for i in range(K):
        s += x[i]
    return s
# expect bound status = parametric
# oracle n=5 x=f8[9]


K = 3


def change():
    global K
    K = 6


def global_changed_by_function(x, n):
    global K
    K = 3
    change()
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = unsupported
# oracle n=5 x=f8[9]


K = 3


def global_assigned_in_kernel(x, n):
    global K
    K = n
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


K = 3


def helper(x):
    s = 0.0
    for i in range(K):
        s += x[i]
    return s


def global_read_in_helper_after_kernel_set_it(x, n):
    global K
    K = n
    return helper(x)
# expect bound status = unsupported
# oracle n=5 x=f8[9]


K = 3
if K > 2:
    K = 4


@njit
def module_constant_assigned_under_if(x, n):
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


K = 3
K += 2


@njit
def module_constant_augmented(x, n):
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


K = 1
for _ in [1, 2]:
    K = K * 2


@njit
def module_constant_in_a_loop(x, n):
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


K, M = 2, 3
M, K = K, M + 1


@njit
def module_constant_by_tuple(x, n):
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


K = 2


def setup():
    global K
    K = 5


setup()


@njit
def module_constant_set_by_function_global(x, n):
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


K = 2
for K in range(5):
    pass


@njit
def module_constant_by_for_target(x, n):
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


K = 2
try:
    K = 3
finally:
    K = 4


@njit
def module_constant_with_as(x, n):
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = exact
# oracle n=5 x=f8[9]


K = 2


def global_declared_in_a_nested_function(x, n):
    def g():
        global K
        K = 5

    g()
    s = 0.0
    for i in range(K):
        s += x[i]
    return s
# expect bound status = unsupported
# oracle n=3 x=f8[9]
