"""Integers that loops only add numbers to: ends of stacks and queues, and the place of the next result."""

import numpy as np
from numba import njit


@njit
def top_of_a_stack(x, out):
    n = x.size
    st = np.empty(n, np.int64)
    top = 0
    for i in range(n):
        if x[i] > 0.7:
            st[top] = i
            top += 1
        elif top > 0:
            top -= 1
            out[i] = st[top]
# oracle x=f8[3000] out=i8[3000]


@njit
def sums_of_runs(x, flags, out):
    k = 0
    for i in range(x.shape[0]):
        for j in range(4):
            out[k] += x[i, j]
        if flags[i] > 2:
            k += 1
    return k
# oracle x=f8[1000,4] flags=i8[1000]<5 out=f8[1000]


@njit
def next_greater(x, out):
    n = x.shape[0]
    st = np.empty(n, np.int64)
    top = 0
    for i in range(n):
        while top > 0 and x[st[top - 1]] < x[i]:
            out[st[top - 1]] = i
            top -= 1
        st[top] = i
        top += 1
# oracle x=f8[1500] out=i8[1500]


@njit
def lower_hull(pts, hull):
    k = 0
    for i in range(pts.shape[0]):
        while k >= 2:
            a = hull[k - 2]
            b = hull[k - 1]
            turn = (pts[b, 0] - pts[a, 0]) * (pts[i, 1] - pts[a, 1]) - (pts[b, 1] - pts[a, 1]) * (pts[i, 0] - pts[a, 0])
            if turn > 0:
                break
            k -= 1
        hull[k] = i
        k += 1
    return k
# oracle pts=f8[800,2] hull=i8[800]


@njit
def waiting_times(arrive, serve, cap):
    ring = np.zeros(64)
    head = 0
    size = 0
    lost = 0
    for i in range(arrive.shape[0]):
        now = arrive[i]
        while size > 0 and ring[head] <= now:
            head = (head + 1) % 64
            size -= 1
        if size == cap:
            lost += 1
        else:
            ring[(head + size) % 64] = now + serve[i]
            size += 1
    return lost
# oracle arrive=f8[2000] serve=f8[2000] cap=10


@njit
def entries_of_elements(nodes, elems, rows, vals):
    p = 0
    for e in range(elems.shape[0]):
        h = nodes[elems[e, 1]] - nodes[elems[e, 0]]
        for a in range(2):
            for b in range(2):
                rows[p] = elems[e, a]
                vals[p] = h if a == b else -h
                p += 1
# oracle nodes=f8[200] elems=i8[300,2]<200 rows=i8[1200] vals=f8[1200]


@njit
def kept_of_a_grid(data, valid, out):
    rows, cols = data.shape
    k = 0
    for i in range(rows * cols):
        r = i // cols
        c = i % cols
        if valid[r, c] > 2:
            out[k] = data[r, c] * 2.0
            k += 1
    return k
# oracle data=f8[60,50] valid=i8[60,50]<5 out=f8[3000]
# oracle data=f8[500,6] valid=i8[500,6]<5 out=f8[3000]
