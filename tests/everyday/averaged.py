"""Loops inside others that data end: only their mean trips are known, and what an iteration does depends on its number.

Tests on the number count as tests on data, and inner loops of that many iterations have mean trips of their own.
"""

import numpy as np
from numba import njit


@njit
def alternating_until(A, t):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] > t:
                break
            if j % 2 == 0:
                s += 2.0 * A[i, j]
            if j == i:
                s += 1.0
    return s
# oracle A=f8[12,12] t=1.3
# oracle A=f8[20,20] t=1.42
# known traffic: the lines of a row are those of its mean length


@njit
def the_first_counts_alone(A, t):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if j == 0:
                s += A[i, j] * 2.0
            else:
                s += A[i, j]
            if A[i, j] > t:
                break
    return s
# oracle A=f8[12,12] t=1.3
# oracle A=f8[20,20] t=1.42
# known traffic: the lines of a row are those of its mean length


@njit
def while_below(A, t, out):
    for i in range(A.shape[0]):
        j = 0
        while j < A.shape[1] and A[i, j] < t:
            if j != i and 1 <= j < 4:
                out[i] += 2.0 * A[i, j]
            j += 1
# oracle A=f8[12,12] t=1.3 out=f8[12]
# oracle A=f8[20,20] t=1.42 out=f8[20]
# known traffic: the lines of a row are those of its mean length


@njit
def half_of_what_was_found(A, t, out):
    for i in range(A.shape[0]):
        k = 0
        while k < A.shape[1] and A[i, k] < t:
            k += 1
        s = 0.0
        for j in range(k // 2):
            s += A[i, j]
        out[i] = s
# oracle A=f8[12,12] t=1.3 out=f8[12]
# oracle A=f8[20,20] t=1.45 out=f8[20]
# known traffic: the lines of a row are those of its mean length


@njit
def pairs_below_the_found(A, t):
    s = 0.0
    for i in range(A.shape[0]):
        m = 0
        for j in range(A.shape[1]):
            if A[i, j] > t:
                m = j
                break
        for a in range(m):
            for b in range(a):
                s += A[i, a] * A[i, b]
    return s
# oracle A=f8[12,12] t=1.3
# oracle A=f8[20,20] t=1.45
# known traffic: the lines of a row are those of its mean length


@njit
def every_other_neighbour(deg, x, out):
    for i in range(deg.shape[0]):
        for k in range(deg[i]):
            if k & 1:
                out[i] += x[k] * 0.5
# oracle deg=i8[12]<6 x=f8[6] out=f8[12]


@njit
def up_to_the_diagonal(A):
    """A break where the loop variable is that of the loop around it: no data."""
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if j == i:
                break
            s += A[i, j]
    return s
# expect status = exact
# oracle A=f8[10,10]
# oracle A=f8[10,5]


@njit
def search_then_test(A, t):
    """What a test after the loop lets through does not follow from the mean either."""
    s = 0.0
    for r in range(A.shape[0]):
        k = 0
        while k < A.shape[1] and A[r, k] < t:
            k += 1
        if k == A.shape[1]:
            s += 1.0
        elif k > 2:
            s += A[r, k] * 2.0
    return s
# oracle A=f8[12,12] t=1.3
# oracle A=f8[20,20] t=1.48
# known traffic: the lines of a row are those of its mean length


@njit
def insertion_in_rows(A):
    for r in range(A.shape[0]):
        for i in range(1, A.shape[1]):
            v = A[r, i]
            j = i - 1
            while j >= 0 and A[r, j] > v:
                A[r, j + 1] = A[r, j] * 1.0
                j -= 1
            if j + 1 != i:
                A[r, j + 1] = v + 0.0
# oracle A=f8[6,8]


@njit
def pairs_of_a_selection(A, t):
    s = 0.0
    for i in range(A.shape[0]):
        sel = A[i][A[i] > t]
        for a in range(sel.size):
            for b in range(a):
                s += sel[a] * sel[b]
    return s
# oracle A=f8[12,12] t=1.3
# known traffic: the lines of a selection are those of its mean length


def found_once(x, t, n):
    """Data choose one number for the whole run, which is no mean: tests on it are exact."""
    k = 0
    while k < x.size and x[k] < t:
        k += 1
    s = 0.0
    for i in range(n):
        for j in range(k):
            if j < i:
                s += x[j]
    return s
# oracle x=f8[30] t=1.45 n=6
# oracle x=f8[30] t=1.45 n=40
