"""Arrays that other names or views share."""

import math
from math import sqrt

import numpy as np
from numba import njit, prange


@njit
def chained(A, n):
    for k in range(n):
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * 2.0
                A[i][k] += 1.0


@njit
def rowview(A, n):
    for k in range(n):
        for i in range(k + 1, n):
            row = A[i]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * 2.0
                row[k] += 1.0


@njit
def rowview2(A, n):
    for k in range(n):
        for i in range(k + 1, n):
            row = A[i, k:]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * 2.0
                row[0] += 1.0


@njit
def sumview(x, y, n):
    v = x[0:2]
    for i in range(n):
        x[0] += y[i]
        y[i] = v[0] * 2.0


@njit
def sumview2(A, y, n):
    for k in range(n):
        v = A[k]
        for i in range(n):
            A[k, 0] += y[i]
            y[i] = v[0] * 2.0


@njit
def sumview3(x, y, n):
    v = x
    for i in range(n):
        x[0] += y[i]
        y[i] = v[0] * 2.0


@njit
def aliasview(A, n):
    B = A.T
    for j in range(n):
        for i in range(n):
            A[i, j] = B[i, j] * 2.0 + 1.0


@njit
def aliasview2(A, n):
    B = A[1:]
    for j in range(n):
        for i in range(n):
            A[i, j] = B[i, j + 1] * 2.0 + 1.0


@njit
def aliasview3(A, C, n):
    B = np.asarray(A)
    for j in range(n):
        for i in range(n):
            A[i, j + 1] = B[i + 1, j] * 2.0 + 1.0


@njit
def aliasview6(A, C, n):
    B, D = A, C
    for j in range(n):
        for i in range(n):
            A[i, j + 1] = B[i + 1, j] * 2.0 + 1.0


@njit
def aliasview7(A, n):
    m = A.shape[0]
    B = A.reshape(m * m)
    for j in range(n):
        for i in range(n):
            A[i, j + 1] = B[i * m + j] * 2.0 + 1.0


@njit
def aliasview8(A, n):
    B = A[::-1]
    for j in range(n):
        for i in range(n):
            A[i, j] = B[i, j] * 2.0 + A[i, 0]


@njit
def aliasview10(A, C, n):
    B = A
    for t in range(3):
        for j in range(n):
            for i in range(n):
                A[i, j + 1] = B[i + 1, j] * 2.0 + 1.0
        B = C


@njit
def ifview(x, y, z, n):
    if n > 3:
        v = y
    else:
        v = x
    for i in range(n):
        x[0] += z[i]
        v[0] += 1.0 + i


@njit
def ifview2(X, Y, Z, n):
    if n > 3:
        V = Y
    else:
        V = X
    for j in range(n):
        for i in range(n):
            X[i, j + 1] = V[i + 1, j] * 2.0


@njit
def ifview5(x, y, z, n):
    v = y
    for r in range(2):
        for i in range(n):
            x[0] += z[i]
            v[0] += 1.0 + i
        v = x


@njit
def swap(X, Y, n):
    for r in range(3):
        for j in range(1, n):
            for i in range(1, n):
                Y[i, j] = X[i, j - 1] + X[i - 1, j]
        X, Y = Y, X


@njit
def swap2(X, Y, n):
    Y = X
    for j in range(1, n):
        for i in range(1, n):
            Y[i, j] = X[i + 1, j - 1] + X[i - 1, j]


@njit
def viewrow(A, B, n):
    for i in range(n):
        a = A[i]
        for j in range(n):
            b = B[:, j]
            acc = 0.0
            for k in range(n):
                acc += a[k] * b[k]
            A[i, j] = acc


@njit
def viewrow2(A, B, C, n):
    for i in range(n):
        a = C[i]
        for j in range(n):
            acc = 0.0
            for k in range(n):
                acc += A[i, k] * B[k, j]
            a[j] = acc


@njit
def viewcol(A, B, C, n):
    D = C.T
    for i in range(n):
        for j in range(n):
            acc = 0.0
            for k in range(n):
                acc += A[i, k] * B[k, j]
            D[i, j] = acc + C[i, j]


@njit
def strided_view(A, B, n):
    S = A[::2, ::2]
    T = A[1::2]
    m = T.shape[0] - 1
    for j in range(m):
        for i in range(m):
            T[i, j] = S[i, j] * 2.0 + S[i + 1, j]


@njit
def negview(x, y, n):
    v = x[::-1]
    for i in range(n):
        for j in range(i + 1, n):
            v[j] += y[i] * x[i]


@njit
def tuplestore2(A, B, n):
    for j in range(n):
        for i in range(n):
            A[i, j], A[j, i] = A[j, i], A[i, j]
