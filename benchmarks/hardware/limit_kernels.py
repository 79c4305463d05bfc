"""Pairs of kernels, the second of which relieves one resource: ``# limit: RESOURCE | BINDING | OTHER: BINDING`` above
the first. Work is the same but for the relief; sizes may differ, since times are taken a point of n by m."""

import math

from numba import njit


# limit: chain | x=f8[n] n=3000 | fast_total: x=f8[n] n=3000
@njit
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


@njit(fastmath=True)
def fast_total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


# limit: chain | A=f8[n,m] x=f8[m] y=f8[n] n=40 m=600 | fast_matrix_vector: A=f8[n,m] x=f8[m] y=f8[n] n=40 m=600
@njit
def matrix_vector(A, x, y):
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j] * x[j]
        y[i] = s


@njit(fastmath=True)
def fast_matrix_vector(A, x, y):
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j] * x[j]
        y[i] = s


# limit: chain | x=f8[n] y=f8[n] a=0.3 n=2500 | weighted_pairs: x=f8[n] y=f8[n] a=0.3 n=2500
@njit
def smoothed(x, y, a):
    for i in range(1, x.shape[0]):
        y[i] = a * x[i] + (1.0 - a) * y[i - 1]


@njit
def weighted_pairs(x, y, a):
    for i in range(1, x.shape[0]):
        y[i] = a * x[i] + (1.0 - a) * x[i - 1]


# limit: function | x=f8[n] y=f8[n] n=2500 | squares: x=f8[n] y=f8[n] n=2500
@njit
def exponentials(x, y):
    for i in range(x.shape[0]):
        y[i] = math.exp(x[i])


# limit: function | x=f8[n] y=f8[n] n=400000 | squares: x=f8[n] y=f8[n] n=400000
@njit
def tangents(x, y):
    for i in range(x.shape[0]):
        y[i] = math.tan(x[i])


# limit: function | x=f8[n] y=f8[n] n=2500 | squares: x=f8[n] y=f8[n] n=2500
@njit
def powers(x, y):
    for i in range(x.shape[0]):
        y[i] = x[i] ** 1.7


@njit
def squares(x, y):
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i]


# limit: divider | x=f8[n] y=f8[n] z=f8[n] n=1500 | products: x=f8[n] y=f8[n] z=f8[n] n=1500
@njit
def quotients(x, y, z):
    for i in range(x.shape[0]):
        z[i] = x[i] / y[i]


# limit: divider | x=f8[n] y=f8[n] z=f8[n] n=1500 | products: x=f8[n] y=f8[n] z=f8[n] n=1500
@njit(error_model="numpy")
def quotients_and_roots(x, y, z):
    for i in range(x.shape[0]):
        z[i] = math.sqrt(x[i]) / y[i]


@njit
def products(x, y, z):
    for i in range(x.shape[0]):
        z[i] = x[i] * y[i]


# limit: issue | x=f8[n] y=f8[n] n=2500 | smoothed_from_zero: x=f8[n] y=f8[n] n=2500
@njit
def smoothed_from_two(x, y):
    for i in range(2, x.shape[0] - 2):
        y[i] = 0.2 * x[i - 2] + 0.3 * x[i] + 0.2 * x[i + 2]


@njit
def smoothed_from_zero(x, y):
    for i in range(x.shape[0] - 4):
        y[i] = 0.2 * x[i] + 0.3 * x[i + 2] + 0.2 * x[i + 4]


# limit: issue | A=f8[n,m] k=3 n=20 m=200 | shifted_views: A=f8[n,m] k=3 n=20 m=200
@njit
def shifted_rows(A, k):
    for i in range(A.shape[0]):
        for j in range(k, A.shape[1]):
            A[i, j] = 0.5 * A[i, j] + 0.1


@njit
def shifted_views(A, k):
    for i in range(A.shape[0]):
        a = A[i, k:]
        for j in range(len(a)):
            a[j] = 0.5 * a[j] + 0.1


# limit: DRAM | x=f8[n] y=f8[n] z=f8[n] n=8000000 | triad: x=f8[n] y=f8[n] z=f8[n] n=1500
@njit
def triad(x, y, z):
    for i in range(x.shape[0]):
        z[i] = x[i] + 0.5 * y[i]


# limit: DRAM | x=f8[n] y=f8[n] n=12000000 | copied: x=f8[n] y=f8[n] n=2500
@njit
def copied(x, y):
    for i in range(x.shape[0]):
        y[i] = x[i]


# limit: DRAM | u=f8[n,m] v=f8[n,m] n=3000 m=2000 | five_points: u=f8[n,m] v=f8[n,m] n=10 m=240
@njit
def five_points(u, v):
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


# limit: L3 | x=f8[n] n=500000 | scaled_often: x=f8[n] m=100 n=4000
@njit
def scaled(x):
    for i in range(x.shape[0]):
        x[i] = 1.0001 * x[i]


@njit
def scaled_often(x, m):
    for _ in range(m):
        for i in range(x.shape[0]):
            x[i] = 1.0001 * x[i]


# limit: L3 | x=f8[n] y=f8[n] n=300000 | added_often: x=f8[n] y=f8[n] m=100 n=2000
@njit
def added(x, y):
    for i in range(x.shape[0]):
        y[i] = y[i] + x[i]


@njit
def added_often(x, y, m):
    for _ in range(m):
        for i in range(x.shape[0]):
            y[i] = y[i] + x[i]


# limit: tlb | A=f8[n,m] n=8000 m=301 | columns_scaled: A=f8[n,m] n=60 m=301
@njit
def columns_scaled(A):
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            A[i, j] = 1.0001 * A[i, j]


# limit: tlb | A=f8[n,m] y=f8[m] n=9000 m=521 | columns_added: A=f8[n,m] y=f8[m] n=90 m=521
@njit(fastmath=True)
def columns_added(A, y):
    for j in range(A.shape[1]):
        s = 0.0
        for i in range(A.shape[0]):
            s += A[i, j]
        y[j] = s


# limit: vector | x=f8[n] y=f8[n] n=2500 | copied: x=f8[n] y=f8[n] n=2500
@njit
def polynomial(x, y):
    for i in range(x.shape[0]):
        v = x[i]
        y[i] = 1.0 + v * (0.5 + v * (0.25 + v * (0.12 + v * (0.06 + v * (0.03 + v * (0.01 + v * 0.005))))))


# limit: call | x=f8[n] n=16 | scaled_again: x=f8[n] n=4000
@njit
def scaled_again(x):
    for i in range(x.shape[0]):
        x[i] = 1.0001 * x[i]


# limit: start | A=f8[n,m] n=400 m=4 | rows_scaled: A=f8[n,m] n=8 m=400
@njit
def rows_scaled(A):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 1.0001 * A[i, j]
