"""Texts that are written unusually."""

import numpy as np
from numba import njit


@njit
def semicolons(A, B, n):
    for j in range(n):
        for i in range(n):
            t = A[i, j]; B[i, j] = t * 2.0; t = 0.0


@njit
def one_line(A, B, n):
    for j in range(n):
        for i in range(n): B[i, j] = A[i, j] * 2.0


@njit
def one_line_each(x, y, n):
    for i in range(n): x[i] = 2.0; y[i] = x[i]
    for i in range(n): y[i] += x[i]


@njit
def continued(A, B, n):
    for j in range(n):
        for i in \
            range(n):
            B[i, j] = \
                A[i, j] * \
                2.0


@njit
def commented(A, B, n):
    # before
    for j in range(n):  # outer
        # between

        for i in range(n):  # inner
            # first
            B[i, j] = A[i, j] * 2.0  # store
            # last
        # after inner
    # after


@njit(
    # why
    cache=False,
    nogil=True,  # threads
)
def decorated(A, B, n):
    for j in range(n):
        for i in range(n):
            B[i, j] = A[i, j] * 2.0


@njit
def typed(A, B, n):  # type: (object, object, int) -> None
    for j in range(n):  # type: int
        t: float = 0.0
        for i in range(n):
            t += A[i, j]  # type: ignore
        B[0, j] = t


@njit
def walrus(x, y, n):
    for i in range(n):
        y[i] = (t := x[i]) * t
    for i in range(n):
        y[i] += t


@njit
def nested(A, B, n):
    def inner(v, i):
        return v + i

    for j in range(n):
        for i in range(n):
            B[i, j] = inner(A[i, j], i)


@njit
def closure(x, y, n):
    s = 1.0

    def get():
        return s

    for i in range(n):
        s += x[i]
        y[i] = get()


@njit
def with_else(A, B, n):
    for j in range(n):
        for i in range(n):
            B[i, j] = A[i, j]
        else:
            B[0, j] += 1.0
    else:
        B[0, 0] = 3.0


@njit
def docstring_between(x, y, n):
    for i in range(n):
        x[i] += 1.0
    """not a docstring"""
    for i in range(n):
        y[i] += x[i]


@njit
def parenthesized(A, B, n):
    for (j) in (range(n)):
        for (i) in (range(0, (n))):
            (B[i, j]) = ((A[i, j]) * (2.0))


@njit
def tuple_subscript(A, B, n):
    for j in range(n):
        for i in range(n):
            B[(i, j)] = A[(i, j)] * 2.0


@njit
def chained(A, B, n):
    for j in range(n):
        for i in range(n):
            A[i, j] = B[j, i] = A[i, j] + 1.0


@njit
def swapped(A, n):
    for j in range(n):
        for i in range(j):
            A[i, j], A[j, i] = A[j, i], A[i, j]


@njit
def chained_sum(A, y, n):
    for i in range(n):
        s = t = 0.0
        for j in range(n):
            s += A[i, j]
            t += s
        y[i] = s - t


@njit
def starred(x, y, n):
    for i in range(*(0, n)):
        x[i] = 1.0
    for i in range(*(0, n)):
        y[i] = x[i]


@njit
def enumerated(x, y, n):
    for i, v in enumerate(x):
        y[i] = v + 1.0
    for i, v in enumerate(y):
        x[i] = v * 2.0


@njit
def zipped(A, x, n):
    for row, v in zip(A, x):
        for j in range(n):
            row[j] += v
            x[j] = row[0]


@njit
def items(A, x, n):
    for row in A:
        for j in range(n):
            x[j] += row[j]


@njit
def deleted(x, y, n):
    for i in range(n):
        t = x[i]
        y[i] = t
    del t
    for i in range(n):
        y[i] += 1.0


if True:
    @njit
    def conditional(A, B, n):
        for j in range(n):
            for i in range(n):
                B[i, j] = A[i, j] * 2.0
