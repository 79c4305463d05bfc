"""Whole-array operations: shapes, element types, reductions, masks, fresh arrays in loops."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def integer_matmul(A, B):
    C = A @ A
    D = A @ B
    E = A * B
    F = A.sum() * 2.0
    G = A.mean(axis=0)
    H = A.cumsum()
    I = (A**2).sum()
    return C, D, E, F, G, H, I
# expect bound status = exact
# oracle A=i8[4,4] B=f8[4,4]


def float32_accumulations(x):
    a = x.sum()
    b = x.mean()
    c = x.astype(np.float64).sum()
    d = (x * x).sum() ** 0.5
    e = np.sqrt(np.mean(x**2))
    f = x - x.mean(axis=0)
    g = x * np.float64(2.0)
    h = x * 2
    i = x / np.arange(5)
    return a, b, c, d, e, f, g, h, i
# expect bound status = exact
# oracle x=f4[4,5]


def complex_outer_and_mean(z):
    a = np.outer(z, z)
    b = z.mean()
    c = z.prod()
    d = np.cumsum(z)
    e = z.var()
    f = np.linalg.norm(z)
    g = z**-1
    return a, b, c, d, e, f, g
# expect bound status = exact
# oracle z=c16[6]


def growing_concat(n, x):
    for k in range(n):
        x = np.concatenate([x, x * 2.0])
    return x
# expect bound status = exact
# oracle n=4 x=f8[2]


def vector_sum_of_rows_in_place(A, w):
    acc = 0.0
    for k in range(A.shape[0]):
        acc += A[k] * w[k]
    return acc
# expect bound status = exact
# oracle A=f8[5,7] w=f8[5]


def ellipsis_newaxis(A, n):
    B = A[..., None] * 2.0
    return B.sum()
# expect bound status = exact
# oracle n=6 A=f8[6,7]


def bool_array_times(x, n):
    return (x > 1.0) * x
# expect bound status = exact
# oracle n=6 x=f8[9]


def bool_times_bool(x, n):
    return ((x > 1.0) * (x < 2.0)).sum()
# expect bound status = exact
# oracle n=6 x=f8[9]


@njit
def shape_unpacked_in_swapped_order(A):
    m, n = A.T.shape
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += A[i, j]
    return s
# expect bound status = exact
# oracle A=f8[3,5]


@njit
def element_type_by_default(n, dtype=np.complex128):
    A = np.zeros((n, n), dtype=dtype)
    A[0, 0] = 1.0
    for i in range(1, n):
        A[i, i] = A[i - 1, i - 1] / 2.0
    return A
# expect bound status = exact
# oracle n=4
# oracle n=1


@njit
def narrow_element_type_by_default(x, out_dtype=np.float32):
    s = np.zeros(1, dtype=out_dtype)
    for i in range(len(x)):
        s[0] += x[i] * x[i]
    return s
# expect bound status = exact
# oracle x=f4[5]


def boolean_mask_sum(x, n):
    return x[x > 1.0].sum()
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]


def masked_update(x, n):
    x[x > 1.0] *= 2.0
    return x
# expect bound status = parametric
# expect measured flops = exact
# oracle n=4 x=f8[9]


def where_with_three(x, n):
    return np.where(x > 1.0, x * 2.0, x / 3.0)
# expect bound status = exact
# oracle n=4 x=f8[9]


def fancy_gather(x, k, n):
    return x[k] * 2.0
# expect bound status = exact
# oracle n=4 x=f8[9] k=i8[5]<9


@njit
def scatter_add(x, k, n):
    for i in range(n):
        x[k[i]] += 1.0
    return x
# expect bound status = exact
# oracle n=5 x=f8[9] k=i8[5]<9


def matmul_vs_loops(A, B):
    return (A @ B).sum() + np.dot(A, B)[0, 0]
# expect bound status = exact
# oracle A=f8[3,4] B=f8[4,5]


def matvec_chain(A, x):
    return x @ A @ x
# expect bound status = exact
# oracle A=f8[4,4] x=f8[4]


def mean_axis(A):
    return (A - A.mean(axis=0)) / A.std(axis=0)
# expect bound status = exact
# oracle A=f8[4,5]


def reductions_with_keepdims(A):
    return A / A.sum(axis=1, keepdims=True)
# expect bound status = exact
# oracle A=f8[4,5]


def broadcasting_rows(A, x, y):
    return A * x + y[:, None]
# expect bound status = exact
# oracle A=f8[4,5] x=f8[5] y=f8[4]


def scalar_array_mix(x, a):
    return a * x + 1.0 - a * 2.0
# expect bound status = exact
# oracle x=f8[5] a=2.0


def int_array_true_division(k):
    return k / 2 + k // 2 * 1.0
# expect bound status = exact
# oracle k=i8[5]


def int_array_power(k):
    return k**2 * 0.5
# expect bound status = exact
# oracle k=i8[5]


def float32_array_python_float(x):
    return x * 2.0 + np.float64(1.0)
# expect bound status = exact
# oracle x=f4[5]


def chained_methods(A):
    return A.T.reshape(-1)[::2].copy().sum()
# expect bound status = exact
# oracle A=f8[4,5]


def cumsum_and_diff(x):
    return np.diff(np.cumsum(x))
# expect bound status = exact
# oracle x=f8[9]


def empty_slices_of_arrays(x):
    return x[5:2].sum() + (x[3:3] * 2.0).sum() + 1.0
# expect bound status = exact
# oracle x=f8[9]


def prod_of_shape(A):
    s = 0.0
    for i in range(A.size):
        s += 1.0
    for i in range(A.shape[0] * A.shape[1] - A.ndim):
        s *= 2.0
    return s
# expect bound status = exact
# oracle A=f8[3,4]


@njit
def len_of_transposed(A):
    s = 0.0
    for i in range(len(A.T)):
        s += A[0, i]
    return s
# expect bound status = exact
# oracle A=f8[3,5]


def zeros_of_a_shape(A):
    B = np.zeros((A.shape[1], 2))
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += 1.0
    return B
# expect bound status = exact
# oracle A=f8[3,5]


@njit
def zeros_like_in_a_loop(x, n):
    s = 0.0
    for i in range(n):
        y = np.zeros_like(x)
        for j in range(i):
            y[j] += x[j]
        s += y[0]
    return s
# expect bound status = exact
# oracle n=3 x=f8[5]


def array_grows_in_a_loop(x, n):
    y = x
    for i in range(n):
        y = np.concatenate((y, x))
    return y.sum()
# expect bound status = exact
# oracle n=3 x=f8[5]


def array_halves_in_a_loop(x, n):
    y = x
    for i in range(n):
        y = y[::2] + 1.0
    return y
# expect bound status = exact
# oracle n=3 x=f8[8]


def linspace_loop(n):
    s = 0.0
    for v in np.arange(n):
        s += v * 2.0
    return s
# expect bound status = exact
# oracle n=5


def arange_float(n):
    s = 0.0
    for v in np.arange(0.0, 1.0, 0.25):
        s += v
    return s
# expect bound status = exact
# oracle n=5


@njit
def f(x, n):
    y = np.empty(n)
    for i in range(n):
        y[i] = x[i] * 2.0
    return y


@njit
def helper_with_array_result(x, n):
    s = 0.0
    for k in range(n):
        y = f(x, k)
        for i in range(len(y)):
            s += y[i]
    return s
# expect bound status = exact
# oracle n=4 x=f8[9]


@njit
def min_of_shape(A):
    s = 0.0
    for i in range(min(A.shape)):
        s += A[i, i]
    return s
# expect bound status = exact
# oracle A=f8[4,6]


@njit
def numbers_into_a_slice(x):
    x[2:4] = x[0] * 2.0, x[1]
    x[5:7] = 1.0
    return x[2]
# expect bound status = exact
# oracle x=f8[9]
