"""Scalars that iterations pass on, and sums of other types."""

import math
from math import sqrt

import numpy as np
from numba import njit, prange


@njit
def condcarry(A, B, n):
    t = 0.5
    for j in range(n):
        for i in range(n):
            if A[i, j] > 0.0:
                t = A[i, j]
            B[i, j] = t


@njit
def ternary(A, B, n):
    t = 0.5
    for j in range(n):
        for i in range(n):
            t = A[i, j] if A[i, j] > 0 else t
            B[i, j] = t


@njit
def condstore(A, B, n):
    for j in range(n):
        for i in range(n):
            if A[i, j] > 0.0:
                t = A[i, j]
            else:
                t = 0.0
            B[i, j] = t


@njit
def afteruse(A, x, n):
    t = 0.0
    for j in range(n):
        for i in range(n):
            t = A[i, j]
            x[i] += t
    return t


@njit
def intover(idx, C, n):
    for i in range(n):
        s = 0
        for j in range(n):
            s += idx[j] * 9007199254740993
        C[i, 0] = s


@njit
def intover2(idx, n):
    out = np.zeros((9, 9), np.int64)
    for i in range(n):
        for j in range(n):
            s = 0
            for k in range(n):
                s += idx[k] * 9007199254740993 * idx[j]
            out[i, j] = s
    return out


@njit
def u8(idx, n):
    out = np.zeros((9, 9), np.uint8)
    for i in range(n):
        for j in range(n):
            s = np.uint8(0)
            for k in range(n):
                s += np.uint8(200)
            out[i, j] = s
    return out


@njit
def f4acc(A, B, n):
    C = np.zeros((n, n), np.float32)
    for i in range(n):
        for j in range(n):
            acc = 0.0
            for k in range(n):
                acc += A[i, k] * B[k, j]
            C[i, j] = acc
    return C


@njit
def i8acc(A, B, n):
    C = np.zeros((n, n), np.int64)
    for i in range(n):
        for j in range(n):
            acc = 0.0
            for k in range(n):
                acc += A[i, k] * B[k, j] * 10
            C[i, j] = acc
    return C


@njit
def intacc(C, idx, n):
    for i in range(n):
        for j in range(n):
            acc = 0
            for k in range(n):
                acc += idx[k] * idx[i] * 4611686018427
            C[i, j] = acc


@njit
def nanmin(A, n):
    m = 5.0
    for j in range(n):
        for i in range(n):
            m = min(m, sqrt(A[i, j]))
    return m


@njit
def nanmin2(A, x, n):
    for j in range(n):
        for i in range(n):
            x[0] = min(x[0], math.log(abs(A[i, j])))


@njit
def maxsum(A, x, n):
    for i in range(n):
        m = -np.inf
        for j in range(n):
            m = max(m, sqrt(A[j, i]))
        x[i] = m


@njit
def fscalar(x, y, z, n):
    for i in range(n):
        t = x[i]
        y[i] = t
    for i in range(n):
        if z[i] > 0:
            t = 2.0
        z[i] += t


@njit
def fred(x, y, z, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    for i in range(n):
        y[i] = x[i] - s
    return s


@njit
def whilewrap(A, B, n):
    r = 0
    while r < 2:
        for j in range(n):
            for i in range(n):
                B[i, j] += A[i, j]
        r = r + i if n else 2
        r += 2
    return r


@njit
def closure(A, B, n):
    def last():
        return i + 10 * j
    i = j = 0
    for j in range(n):
        for i in range(n):
            B[i, j] = A[i, j] * 2.0
    return last()


@njit
def tuplestore(A, B, n):
    for j in range(n):
        for i in range(n):
            A[i, j], B[i, j] = B[i, j], A[i, j]


@njit
def augstore(A, B, n):
    for j in range(n):
        for i in range(n):
            A[i, j] -= B[i, j]
            A[i, j] **= 2.0
            A[i, j] /= 3.0
