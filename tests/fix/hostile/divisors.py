"""Divisors of rows."""

from numba import njit


@njit
def row_divisor(A, x, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / x[i]


@njit
def row_divisor_is_written(A, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / A[i, i]


@njit
def row_divisor_of_view(A, n):
    r = A[0]
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / r[i]


@njit
def row_divisor_of_transpose(A, n):
    B = A.T
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / B[i, 0]


@njit
def row_divisor_moves(A, x, k0, n):
    k = k0
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / x[k]
            k = j


@njit
def row_divisor_behind_test(A, x, n):
    for i in range(n):
        for j in range(n):
            if x[i] != 0.0:
                A[i, j] /= x[i]


@njit
def row_divisor_negative(A, x, lo, n):
    for i in range(n):
        for j in range(n):
            A[i, j] /= x[lo - i]


@njit
def row_two_divisors(A, x, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / x[i] + A[i, j] / x[0] + A[i, j] % x[1]


@njit
def row_floor_divisor(A, x, n):
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] // x[i]


@njit
def row_zero_divisor(A, x, n):
    x[0] = 0.0
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] / x[i]


@njit
def row_divisor_array(A, x, n):
    for i in range(n):
        for j in range(n):
            A[i, j : j + 1] = A[i, j : j + 1] / x[i]


@njit
def row_divisor_by_row(A, B, n):
    for i in range(n):
        for j in range(n):
            A[j] = A[j] / B[i]


@njit
def row_divisor_empty(A, x, n):
    for i in range(n + 9):
        for j in range(0):
            A[i, j] = A[i, j] / x[i]
