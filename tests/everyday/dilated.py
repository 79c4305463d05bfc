"""Taps that lie further apart than a line."""

import numpy as np
from numba import njit


import numpy as np
from numba import njit
@njit
def four_taps_apart(x, y, w, tau):
    """A line comes back when the next tap reaches it."""
    n = len(y)
    for i in range(n):
        s = 0.0
        for d in range(4):
            s += x[i + d * tau] * w[d]
        y[i] = s
# oracle x=f8[600] y=f8[540] w=f8[4] tau=20
# oracle x=f8[1000] y=f8[700] w=f8[4] tau=100
# oracle x=f8[4000] y=f8[1000] w=f8[4] tau=1000


@njit
def differences_of_taps(x, y, k, tau):
    """Beside the element itself."""
    n = len(y)
    for i in range(n):
        for d in range(k):
            y[i] += x[i + d * tau] - x[i]
# oracle x=f8[600] y=f8[540] k=3 tau=20
# oracle x=f8[1000] y=f8[700] k=4 tau=100
# oracle x=f8[4000] y=f8[1000] k=4 tau=1000
