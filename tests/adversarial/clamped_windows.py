"""Windows, neighbours and slices that are clamped or wrap around at the ends."""

import numpy as np
from numba import njit


@njit
def a_window_clamped_by_ifs(x, out, w):
    n = x.shape[0]
    for i in range(n):
        lo = i - w
        if lo < 0:
            lo = 0
        hi = i + w + 1
        if hi > n:
            hi = n
        out[i] = x[lo:hi].sum()
# expect bound status = exact
# oracle x=f8[2000] out=f8[2000] w=4
# oracle x=f8[2000] out=f8[2000] w=100


@njit
def a_slice_clamped_at_both_ends(x, out, w):
    n = len(x)
    for i in range(n):
        out[i] = np.sum(x[max(0, i - w):min(n, i + w + 1)])
# expect bound status = exact
# oracle x=f8[2000] out=f8[2000] w=4
# oracle x=f8[2000] out=f8[2000] w=100


@njit
def a_mean_over_what_went_before(x, out, w):
    n = len(x)
    for i in range(n):
        out[i] = x[max(0, i - w + 1):i + 1].mean()
# expect bound status = exact
# oracle x=f8[2000] out=f8[2000] w=4


@njit
def slices_that_the_array_cuts_off(x, out, w):
    for i in range(x.shape[0]):
        out[i] = x[i:i + w].sum()
# expect bound status = exact
# oracle x=f8[500] out=f8[500] w=4
# oracle x=f8[500] out=f8[500] w=100
# oracle x=f8[500] out=f8[500] w=1


@njit
def a_square_window(x, out, w):
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            out[i, j] = x[max(0, i - w):min(n, i + w + 1), max(0, j - w):min(m, j + w + 1)].sum()
# expect bound status = exact
# oracle x=f8[20,30] out=f8[20,30] w=2


@njit
def neighbours_that_wrap_by_ifs(u, out):
    n = len(u)
    for i in range(n):
        ip = i + 1
        if ip == n:
            ip = 0
        im = i - 1
        if im < 0:
            im += n
        out[i] = u[ip] - 2.0 * u[i] + u[im]
# expect bound status = exact
# oracle u=f8[200] out=f8[200]
# oracle u=f8[1] out=f8[1]


@njit
def a_torus_by_conditional_expressions(u, out):
    n, m = u.shape
    for i in range(n):
        up = i - 1 if i > 0 else n - 1
        down = i + 1 if i < n - 1 else 0
        for j in range(m):
            left = j - 1 if j > 0 else m - 1
            right = j + 1 if j < m - 1 else 0
            out[i, j] = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4.0 * u[i, j]
# expect bound status = exact
# oracle u=f8[24,40] out=f8[24,40]


@njit
def a_column_clamped_by_elif(u, out):
    n, m = u.shape
    for i in range(n):
        for j in range(m):
            s = 0.0
            for d in range(-1, 2):
                k = j + d
                if k < 0:
                    k = 0
                elif k > m - 1:
                    k = m - 1
                s += u[i, k]
            out[i, j] = s
# expect bound status = exact
# oracle u=f8[20,40] out=f8[20,40]


@njit
def trips_by_a_clamped_end(x, out, w):
    n = len(x)
    for i in range(n):
        hi = i + w if i + w < n else n
        lo = i - w if i > w else 0
        for k in range(lo, hi):
            out[i] += x[k]
# expect bound status = exact
# oracle x=f8[300] out=f8[300] w=7
# oracle x=f8[5] out=f8[5] w=7


@njit
def a_jump_that_is_no_clamp(x, out):
    n = len(x)
    for i in range(n):
        k = i if i < 10 else 3
        for j in range(k):
            out[i] += x[j]
# expect bound status = parametric
# oracle x=f8[40] out=f8[40]
