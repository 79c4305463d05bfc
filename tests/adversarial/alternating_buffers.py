"""Iterations that take turns: buffers and rows picked by the remainder of a loop variable."""

from numba import njit


@njit
def buffers_by_parity(u, v, steps):
    n = len(u)
    for t in range(steps):
        if t % 2:
            src, dst = v, u
        else:
            src, dst = u, v
        for i in range(1, n - 1):
            dst[i] = 0.5 * (src[i - 1] + src[i + 1])
# expect bound status = exact
# oracle u=f8[300] v=f8[300] steps=5
# oracle u=f8[300] v=f8[300] steps=6


@njit
def loops_by_parity(u, v, steps):
    n = len(u)
    for t in range(steps):
        if t % 2 == 0:
            for i in range(1, n - 1):
                v[i] = 0.5 * (u[i - 1] + u[i + 1])
        else:
            for i in range(1, n - 1):
                u[i] = 0.5 * (v[i - 1] + v[i + 1])
# expect bound status = exact
# oracle u=f8[300] v=f8[300] steps=5
# oracle u=f8[300] v=f8[300] steps=6


@njit
def buffers_of_a_tuple(u, v, steps):
    n = len(u)
    buffers = (u, v)
    for t in range(steps):
        src = buffers[t % 2]
        dst = buffers[(t + 1) % 2]
        for i in range(1, n - 1):
            dst[i] = 0.5 * (src[i - 1] + src[i + 1])
# expect bound status = exact
# oracle u=f8[300] v=f8[300] steps=5


@njit
def a_ring_of_three_rows(u, steps):
    n = u.shape[1]
    for t in range(1, steps + 1):
        for i in range(1, n - 1):
            u[t % 3, i] = u[(t - 1) % 3, i - 1] + u[(t - 2) % 3, i + 1]
# expect bound status = exact
# oracle u=f8[3,200] steps=7
# oracle u=f8[3,200] steps=8


@njit
def rows_by_the_lowest_bit(u, steps):
    n = u.shape[1]
    for t in range(steps):
        now = t & 1
        then = 1 - now
        for i in range(1, n - 1):
            u[then, i] = 0.5 * (u[now, i - 1] + u[now, i + 1])
# expect bound status = exact
# oracle u=f8[2,200] steps=5


@njit
def start_of_unknown_parity(u, v, first, steps):
    n = len(u)
    for t in range(first, steps):
        src, dst = (u, v) if t % 2 == 0 else (v, u)
        for i in range(1, n - 1):
            dst[i] = 0.5 * (src[i - 1] + src[i + 1])
# expect bound status = exact
# oracle u=f8[300] v=f8[300] first=1 steps=6


@njit
def a_pair_of_arrays_by_data(u, v, flag, steps):
    n = len(u)
    src, dst = (u, v) if flag > 0.0 else (v, u)
    for t in range(steps):
        for i in range(1, n - 1):
            dst[i] = 0.5 * (src[i - 1] + src[i + 1])
# expect bound status = exact
# oracle u=f8[300] v=f8[300] flag=1.0 steps=5
