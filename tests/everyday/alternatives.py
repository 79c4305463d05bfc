"""Tests on parameters in other shapes: one after the other, inside loops, on defaults, with arrays of their own."""

import numpy as np
from numba import njit


@njit
def one_after_the_other(x, y, op):
    """Tests for two constants exclude each other, without an else."""
    n = len(x)
    if op == 1:
        for i in range(n):
            y[i] += x[i]
    if op == 2:
        for i in range(n):
            y[i] *= x[i]
# oracle x=f8[512] y=f8[512] op=0
# oracle x=f8[512] y=f8[512] op=1
# oracle x=f8[512] y=f8[512] op=2


@njit
def arrays_of_their_own(x, a, b, smooth):
    """Each arm reads an array that the other one does not."""
    n = len(x)
    if smooth > 0.5:
        for i in range(1, n - 1):
            x[i] = 0.5 * (a[i - 1] + a[i + 1])
    else:
        for i in range(n):
            x[i] = b[i] * smooth
# oracle x=f8[512] a=f8[512] b=f8[512] smooth=1.0
# oracle x=f8[512] a=f8[512] b=f8[512] smooth=0.25


@njit
def options_in_a_row_loop(a, out, shift, damp):
    """Two options inside the outer loop of a nest."""
    n, m = a.shape
    for i in range(n):
        if shift:
            for j in range(m):
                a[i, j] -= 1.0
        for j in range(m):
            out[i, j] = 2.0 * a[i, j]
        if damp:
            for j in range(m):
                out[i, j] *= 0.5
# oracle a=f8[16,64] out=f8[16,64] shift=0 damp=0
# oracle a=f8[16,64] out=f8[16,64] shift=1 damp=0
# oracle a=f8[16,64] out=f8[16,64] shift=0 damp=1
# oracle a=f8[16,64] out=f8[16,64] shift=1 damp=1


def result_on_demand(x, out=None):
    """An array that the function makes where it is not passed."""
    if out is None:
        out = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = 3.0 * x[i]
    return out
# oracle x=f8[512]
# oracle x=f8[512] out=f8[512]


@njit
def masked_sum(x, mask=None, scale=2.0):
    """An array that may be left out, and a default that a test asks for."""
    s = 0.0
    if mask is None:
        for i in range(len(x)):
            s += x[i]
    else:
        for i in range(len(x)):
            s += x[i] * mask[i]
    if scale != 1.0:
        s *= scale
    return s
# oracle x=f8[512]
# oracle x=f8[512] mask=f8[512]
# oracle x=f8[512] mask=f8[512] scale=1.0


@njit
def one_of_three_passes(A, out):
    """Rows that were just read stay in a small cache: of three arms only one runs in between."""
    for i in range(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j]
        if s < 23.0:
            for j in range(A.shape[1]):
                out[i, j] = A[i, j]
        elif s < 25.0:
            for j in range(A.shape[1]):
                out[i, j] = 0.0
        else:
            for j in range(A.shape[1]):
                out[i, j] = A[i, j] - s
# oracle A=f8[20,48] out=f8[20,48]
# oracle A=f8[20,200] out=f8[20,200]


@njit
def rows_from_either(A, B, C, out):
    """Each arm reads an array of its own, and all read what it wrote."""
    for i in range(A.shape[0]):
        if A[i, 0] < 0.5:
            for j in range(A.shape[1]):
                out[i, j] = B[i, j]
        else:
            for j in range(A.shape[1]):
                out[i, j] = C[i, j]
        for j in range(A.shape[1]):
            out[i, j] += A[i, j]
# oracle A=f8[20,16] B=f8[20,16] C=f8[20,16] out=f8[20,16]
# oracle A=f8[20,200] B=f8[20,200] C=f8[20,200] out=f8[20,200]


@njit
def rescaled(A, B):
    """One arm changes a row and copies it, the other one does neither."""
    n, m = A.shape
    for i in range(n):
        top = 0.0
        for j in range(m):
            top = max(top, abs(A[i, j]))
        if top > 0.99:
            for j in range(m):
                A[i, j] /= top
            for j in range(m):
                B[i, j] = A[i, j]
        else:
            for j in range(m):
                B[i, j] = 0.0
# oracle A=f8[30,40] B=f8[30,40]
# oracle A=f8[30,64] B=f8[30,64]


def by_turns(u, n):
    """Each kind of step makes its array in every second iteration alone."""
    for it in range(n):
        if it % 2 == 0:
            u = u * 2.0
        else:
            u = u + 1.0
    return u
# expect levels = estimate
# oracle u=f8[200] n=9


def energy_now_and_then(u, n, every):
    """A remainder by a number that is given: the energy, with its array, in every third step."""
    energy = 0.0
    for it in range(n):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        if it % every == 0:
            energy += (u * u).sum()
    return energy
# expect levels = estimate
# oracle u=f8[200] n=9 every=3
