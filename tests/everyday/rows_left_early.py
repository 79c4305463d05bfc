"""Rows that loops leave early, beside places that data choose: no execution reaches further than the whole row."""

import numpy as np
from numba import njit


@njit
def nearest_rows(X, Q, out, times):
    """Partial distances: a row is left once it is too far."""
    for q in range(Q.shape[0]):
        best = 1e300
        at = 0
        for i in range(X.shape[0]):
            d = 0.0
            for j in range(X.shape[1]):
                t = X[i, j] - Q[q, j]
                d += t * t
                if d > best:
                    break
            if d < best:
                best = d
                at = i
        out[q] = best
        times[at] += 1
# oracle X=f8[60,6] Q=f8[40,6] out=f8[40] times=i8[60]


@njit
def weights_of_labels(X, labels, W, out):
    """The weight stays the same along a row."""
    n, d = X.shape
    for i in range(n):
        s = 0.0
        for j in range(d):
            s += X[i, j] * W[labels[i]]
        out[i] = s
# oracle X=f8[100,30] labels=i8[100]<50 W=f8[50] out=f8[100]


@njit
def seldom_weights(X, labels, W, out, limit):
    """Between two reads of the weight, a long row may pass."""
    n, d = X.shape
    for i in range(n):
        s = 0.0
        for j in range(d):
            if X[i, j] > limit:
                s += W[labels[i]]
                out[labels[i], j] = s
# oracle X=f8[100,200] labels=i8[100]<50 W=f8[50] out=f8[50,200] limit=0.9
# oracle X=f8[60,300] labels=i8[60]<50 W=f8[50] out=f8[50,300] limit=0.99


@njit
def left_of_each(a, order, out):
    """The walk to the left ends at the first element, or before it."""
    for i in range(1, a.shape[0]):
        j = i - 1
        while j >= 0 and a[j] > a[i]:
            j -= 1
        out[order[i]] = j
# oracle a=f8[300] order=i8[300]<300 out=i8[300]


@njit
def sums_until_full(x, limit):
    """Each slice is shorter than the one before: the trips decide how many there are, and the data decide the trips."""
    total = 0.0
    i = 1
    while i < len(x) and total < limit:
        for j in range(i, len(x)):
            total += x[j]
        i += 1
    return total
# oracle x=f8[8] limit=4.0
# oracle x=f8[40] limit=60.0


@njit
def slices_until_full(x, limit):
    total = 0.0
    i = 0
    while total < limit:
        total += np.sum(x[i:])
        i += 1
    return total
# oracle x=f8[40] limit=60.0


def sum_of_rows(A):
    """Python's own sum: an array at each row."""
    return sum(A * 2.0) / 3.0
# known traffic: the arrays at each row are left out
# oracle A=f8[40,16]
