"""Integers beside float32 arrays: Numba's ufuncs take them as float32, NumPy's as float64 where they are arrays."""

import numpy as np
from numba import njit


@njit
def cube(D):
    return D + D**3 / 3
# oracle D=f4[600]


@njit
def mixed(D, idx):
    return D * idx + 2 * D
# oracle D=f4[600] idx=i8[600]


@njit
def wh(D):
    return np.where(D > 0, D, 0)
# oracle D=f4[600]


@njit
def scal(D, out):
    n = D.shape[0]
    for i in range(4):
        out += D * i / n
# oracle D=f4[600] out=f4[600]


@njit
def ints(I):
    return I / 3 + I * 2.5
# oracle I=i4[600]


def plain(D, idx):
    return D * idx + 2 * D
# oracle D=f4[600] idx=i8[600]
