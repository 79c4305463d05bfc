"""Errors, exits, ranges that change, threads and unusual layout."""

import math
from math import sqrt

import numpy as np
from numba import njit, prange


@njit
def step0(A, B, n):
    for j in range(0, n):
        for i in range(0, n + 3, n):
            B[i, j] = A[i, j] * 2.0


@njit
def divbound(A, B, n):
    for j in range(0, n):
        for i in range(0, B.shape[0] // n):
            B[i, j] = A[i, j] * 2.0


@njit
def emptyidx(A, B, x, n):
    for j in range(0, n):
        for i in range(0, int(x[n])):
            B[i, j] = A[i, j] * 2.0


@njit
def fuse_n(x, y, n):
    for i in range(n):
        x[i] = 2.0
        n = 2
    for i in range(n):
        y[i] = x[i]


@njit
def fuse_n2(x, y, cnt):
    for i in range(cnt[0]):
        x[i] = 2.0
        cnt[0] = 1
    for i in range(cnt[0]):
        y[i] = x[i]


@njit
def inter_n(A, B, cnt, n):
    for j in range(n):
        for i in range(cnt[0]):
            B[i, j] = A[i, j] * 2.0
            cnt[0] = 1


@njit
def tryx(A, B, n):
    try:
        for j in range(n + 1):
            for i in range(n + 4):
                B[i, j] = A[i, j] * 2.0
    except IndexError:
        return j
    return 7


@njit
def fexit(x, y, z, n):
    for i in range(n):
        y[i] = x[i] * 2.0
    for i in range(n):
        z[i] = x[i] + y[i]
        if z[i] > 0.5:
            break


@njit
def fraise(x, y, z, n):
    for i in range(n):
        y[i] = x[i] * 2.0
    for i in range(n):
        z[i] = x[i] / (y[i] - y[i])


@njit
def felse(x, y, z, n):
    for i in range(n):
        y[i] = x[i] * 2.0
    else:
        y[0] = 7.0
    for i in range(n):
        z[i] = x[i] + y[i]


@njit
def fscatter(x, y, idx, n):
    for i in range(n):
        y[idx[i]] = x[i]
    for i in range(n):
        x[i] = y[i]


@njit
def fmod_(x, y, z, n):
    for i in range(n):
        y[(i * 3) % n] = x[i]
    for i in range(n):
        z[i] = y[i]


@njit
def fhalf(x, y, z, n):
    for i in range(n):
        y[i // 2] = x[i]
    for i in range(n):
        z[i] = y[i // 2]


@njit
def frev(x, y, z, n):
    for i in range(n):
        y[i] = x[i]
    for i in range(n):
        z[i] = y[n - 1 - i]


@njit(parallel=True)
def par_acc(A, B, C, n):
    for i in range(n):
        for j in range(n):
            acc = 0.0
            for k in prange(n):
                acc += A[i, k] * B[k, j]
            C[i, j] = acc


@njit(parallel=True)
def par_acc2(A, B, C, n):
    for i in prange(n):
        for j in range(n):
            acc = 0.0
            for k in range(n):
                acc += A[i, k] * B[k, j]
            C[i, j] = acc


@njit(parallel=True)
def par_sum(x, y, n):
    for i in prange(n):
        x[0] += y[i]


@njit(parallel=True)
def par_inter2(A, B, n):
    for i in prange(n):
        for j in range(1, n):
            B[j, i] = B[j - 1, i] * 2.0


@njit
def csr(cnt, idx, x, y, n):
    for i in range(n):
        lo = cnt[i]
        hi = cnt[i + 1]
        for j in range(lo, hi):
            y[i] += x[j] * x[idx[j]]


@njit
def csr2(cnt, idx, x, y, n):
    for i in range(n):
        for j in range(cnt[i], cnt[i + 1]):
            y[i] += x[j] * x[idx[j]]


@njit
def tri(A, B, n):
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(i, j):
                A[i, j] -= A[i, k] * B[k, j]


@njit
def tabs(A, B, n):
	for j in range(n):  # type: int
		for i in range(n): # t
			B[i, j] = A[i, j] \
				* 2.0; B[i, j] += 1.0


@njit
def semi(A, B, C, n):
    for i in range(n):
      for j in range(n):
            acc = 0.0; t = 2.0
            for k in range(n):
               acc += A[i, k] * B[k, j] * t
            C[i, j] = acc


@njit
def oneline(A, B, C, n):
    for i in range(n):
        for k in range(n):
            for j in range(n): C[i, j] += A[i, k] * B[k, j]


@njit
def parens(A, B, C, n):
    for i in (range(n)):
        for j in range(n):
            acc = 0.0
            for k in range(
                # how many
                n,
            ):
                acc += (A[i, k]
                        * B[k, j])
            C[i, j] = acc


@njit
def step_of_zero(A, B, C, n, m, lo):
    """A step of 0 raises, also where no row is walked."""
    for kk in range(0, n, lo):
        for i in range(m):
            for k in range(kk, min(kk + lo, n)):
                for j in range(n):
                    C[i, j] += A[i, k] * B[k, j]
