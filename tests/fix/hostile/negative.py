"""Subscripts that count from the end."""

import math
from math import sqrt

import numpy as np
from numba import njit, prange


@njit
def copied_neg(A, n):
    for k in range(-1, n):
        for i in range(n):
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * 2.0


@njit
def copied_neg2(x, n, neg):
    for j in range(neg + 1, n + 3):
        x[j] -= x[neg] * 2.0


@njit
def copied_neg3(A, n):
    m = A.shape[1]
    for k in range(n + 1, m):
        for i in range(n):
            for j in range(-1, k):
                A[i, j] -= A[i, k] * 2.0


@njit
def wraptile(A, B, C, n):
    for i in range(n):
        for k in range(-2, n):
            for j in range(n):
                C[i, j] += A[i, k] * B[k, j]


@njit
def wraptile2(A, B, C, n, neg):
    for i in range(n):
        for k in range(neg, n):
            for j in range(n):
                C[i, j] += A[i, k] * B[k, j]


@njit
def wrap_inter2(A, B, n):
    for j in range(n):
        for i in range(n):
            A[i, j] = A[i - 1, j - 1] * 2.0 + B[i, j]


@njit
def wrap_fuse2(X, Y, Z):
    n, m = Y.shape
    for i in range(n):
        for j in range(m):
            Y[i, j] = 2.0 * X[i, j]
    for i in range(n):
        for j in range(m):
            Z[i, j] = Y[i - 1, j] + 1.0


@njit
def wrapacc(A, B, C, n):
    for i in range(-1, n):
        for j in range(n):
            acc = 0.0
            for k in range(n):
                acc += A[i, k] * B[k, j]
            C[i, j] = acc


@njit
def wrap_fuse(X, Y, Z, n):
    for i in range(n):
        for j in range(n):
            Y[i, j] = 2.0 * X[i, j]
    for i in range(n):
        for j in range(n):
            Z[i, j] = Y[i - 4, j] + 1.0


@njit
def wrap_fuse4(x, y, z, lo, n):
    for i in range(lo - 3, n):
        y[i] = 2.0 * x[i]
    for i in range(lo - 3, n):
        z[i] = y[i] + 1.0


@njit
def wrap_fuse5(x, y, z, neg, n):
    for i in range(neg, n + 3):
        y[i] = y[i] * 0.5 + x[i]
    for i in range(neg, n + 3):
        z[i] = y[i] + 1.0


@njit
def wrap_inter3(A, B, neg, n):
    for j in range(neg, n + 3):
        for i in range(neg, n + 3):
            A[i, j] = A[i, j] * 0.5 + B[i, j]


@njit
def wrap_inter4(A, B, n):
    m = A.shape[0]
    for j in range(m - 1):
        for i in range(m):
            A[i, j] = A[i - 1, j + 1] * 0.5


@njit
def wrap_inter5(A, B, n):
    m = A.shape[0]
    for j in range(1, m):
        for i in range(m):
            A[i, j] = A[i - 1, j - 1] * 0.5


@njit
def wrap_inter6(A, B, n):
    m = A.shape[0]
    for j in range(1, m):
        for i in range(m):
            A[i - 1, j] = A[i, j - 1] * 0.5


@njit
def wrap_inter8(A, x, n):
    m = A.shape[0]
    for i in range(m):
        for j in range(m):
            x[i - 1] = x[i - 1] * 0.5 + A[j, i]


@njit
def wrap_acc(A, B, C, neg):
    m = A.shape[0]
    for i in range(neg, m):
        for j in range(m):
            acc = 0.0
            for k in range(m):
                acc += A[i, k] * B[k, j]
            C[i, j] = acc


@njit
def wrap_acc2(A, B, C, neg):
    m = A.shape[0]
    for i in range(m):
        for j in range(m):
            C[i, j] = 0.0
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]
            C[i - 1, j] = C[i, j] + 1.0


@njit
def revtile(A, B, C, n):
    for i in range(n - 1, -1, -1):
        for k in range(n):
            for j in range(n - 1, -1, -1):
                C[i, j] += A[i, k] * B[k, j]
