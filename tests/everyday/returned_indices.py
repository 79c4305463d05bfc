"""Helpers that search: the index that they return is one of the loop's, and data choose which."""

import numpy as np
from numba import njit


@njit
def first_above(x, gap):
    for i in range(x.shape[0]):
        if x[i] > gap:
            return i
    raise ValueError


@njit
def value_at_first_above(x, gap):
    k = first_above(x, gap)
    return x[k] * 2.0
# oracle x=f8[100] gap=0.5


@njit
def scaled_from_first_above(x, y, gap):
    k = first_above(x, gap)
    for j in range(y.shape[0]):
        y[j] = y[j] * x[k]
# oracle x=f8[100] y=f8[40] gap=0.5
