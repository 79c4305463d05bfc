"""Arrays that an iteration makes as long as a clamped window is."""

import numpy as np
from numba import njit


import numpy as np
from numba import njit
@njit
def energies_clamped_at_both_ends(x, r):
    """An expression of a slice that both ends clamp."""
    n = x.shape[0]
    e = np.zeros(n)
    for i in range(n):
        seg = x[max(i - r, 0):min(i + r + 1, n)]
        e[i] = np.sum(seg * seg) / len(seg)
    return e
# oracle x=f8[500] r=5
# oracle x=f8[120] r=30


import numpy as np
from numba import njit
@njit
def scratch_of_a_clamped_length(x, r):
    """The same as loops over scratch of that length."""
    n = x.shape[0]
    e = np.zeros(n)
    for i in range(n):
        lo = max(i - r, 0)
        hi = min(i + r + 1, n)
        t = np.empty(hi - lo)
        for j in range(hi - lo):
            t[j] = 1.0
        for j in range(hi - lo):
            e[i] += t[j]
    return e
# oracle x=f8[500] r=5
# oracle x=f8[120] r=30


@njit
def scratch_behind_a_clamp(x, r):
    """A length that is the smaller of two: i - max(i - r, 0)."""
    n = x.shape[0]
    e = np.zeros(n)
    for i in range(n):
        lo = max(i - r, 0)
        t = np.empty(i - lo)
        for j in range(i - lo):
            t[j] = 1.0
        for j in range(i - lo):
            e[i] += t[j]
    return e
# oracle x=f8[500] r=5
# oracle x=f8[120] r=30


@njit
def doubled_slice_from_a_clamp(x, r):
    """A temporary beside a slice that starts at a clamp."""
    n = x.shape[0]
    e = np.zeros(n)
    for i in range(n):
        lo = max(i - r, 0)
        seg = x[lo:i] * 2.0
        e[i] = seg.sum()
    return e
# oracle x=f8[500] r=5
# oracle x=f8[120] r=30


@njit
def sorted_window(x, out, half):
    """A window that is cut at the ends, sorted into scratch by a loop that data end."""
    n = x.shape[0]
    buf = np.empty(2 * half + 1)
    for i in range(n):
        lo = max(0, i - half)
        hi = min(n, i + half + 1)
        m = hi - lo
        for k in range(m):
            v = x[lo + k]
            j = k - 1
            while j >= 0 and buf[j] > v:
                buf[j + 1] = buf[j]
                j -= 1
            buf[j + 1] = v
        out[i] = buf[m // 2]
# oracle x=f8[80] out=f8[80] half=4
