"""Only an operation between literals is free: numbers that a tuple holds, that a call returns, that an array's shape has,
are ordinary operands."""

import numpy as np
from numba import njit

WEIGHTS = (0.25, 0.5, 0.25)


def _pair():
    return 2.0, 3


@njit
def lengths_and_items(x, out):
    for i in range(x.shape[0]):
        out[i] = -2.0 * len(WEIGHTS) + 0.5 * x.ndim + _pair()[0] * 3.0 + (1.0, 2.0)[1] * 3.0 + int(3) * 2.0
# expect status = exact
# oracle x=f8[40] out=f8[40]


def rolled_along(u, kappa, axes=(0, 1)):
    """The number of axes is the length of a default."""
    lap = -2.0 * len(axes) * u
    for ax in axes:
        lap += np.roll(u, 1, axis=ax)
        lap += np.roll(u, -1, axis=ax)
    return u + kappa * lap
# expect status = exact
# oracle u=f8[12,16] kappa=0.3


@njit
def all_literals(x, out):
    for i in range(x.shape[0]):
        out[i] = -(2.0 * 3.0) * x[i] + 1.0 / 9.0
# expect status = exact
# oracle x=f8[40] out=f8[40]
