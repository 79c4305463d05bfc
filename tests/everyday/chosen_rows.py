"""Rows at numbers that data choose, gone through by several loops; scratch arrays at chosen places; lists that grow."""

import numpy as np
from numba import njit


@njit
def nearest_to_drawn(X, C, batch):
    """One row a draw, read by two loops."""
    n, d = X.shape
    for b in range(batch):
        i = np.random.randint(0, n)
        best = 0
        bd = np.inf
        for c in range(C.shape[0]):
            s = 0.0
            for j in range(d):
                t = X[i, j] - C[c, j]
                s += t * t
            if s < bd:
                bd = s
                best = c
        for j in range(d):
            C[best, j] += 0.1 * (X[i, j] - C[best, j])
# oracle X=f8[300,24] C=f8[6,24] batch=100


@njit
def moved_between_uses(X, order, out):
    """The number changes between the loops that use it."""
    n, d = X.shape
    for r in range(n):
        i = order[r]
        for j in range(d):
            out[i, j] += X[i, j]
        i = order[n - 1 - r]
        for j in range(d):
            out[i, j] -= X[i, j]
        i = (i * 7) % n
        for k in range(3):
            for j in range(d):
                out[i, j] *= X[i, j]
# oracle X=f8[120,20] order=i8[120]<120 out=f8[120,20]


@njit
def kept_from_before(X, order, out):
    """The row of the iteration before is read beside this one."""
    n, d = X.shape
    last = 0
    for r in range(n):
        i = order[r]
        for k in range(3):
            for j in range(d):
                out[r, j] += X[i, j] * X[last, j]
        last = i
# oracle X=f8[200,16] order=i8[200]<200 out=f8[200,16]


@njit
def changed_inside(X, step, out):
    """The number changes in the middle loop."""
    n, d = X.shape
    for r in range(out.shape[0]):
        i = step[r]
        for k in range(4):
            for j in range(d):
                out[r] += X[i, j]
            i = (i + step[k]) % n
# oracle X=f8[200,16] step=i8[100]<200 out=f8[100]


@njit
def shifted_rows(X, order, out):
    """The middle loop moves along the rows from the chosen one on."""
    d = X.shape[1]
    for r in range(order.shape[0]):
        i = order[r]
        for k in range(4):
            for j in range(d):
                out[r, j] += X[i + k, j]
# oracle X=f8[200,24] order=i8[60]<190 out=f8[60,24]


@njit
def pivots_in_scratch(A, det):
    """A copy of each small matrix, with rows exchanged."""
    n = A.shape[1]
    for k in range(A.shape[0]):
        m = A[k].copy()
        d = 1.0
        for c in range(n):
            p = c
            for i in range(c + 1, n):
                if abs(m[i, c]) > abs(m[p, c]):
                    p = i
            if p != c:
                for j in range(n):
                    t = m[c, j]
                    m[c, j] = m[p, j]
                    m[p, j] = t
                d = -d
            d *= m[c, c]
            for i in range(c + 1, n):
                f = m[i, c] / m[c, c]
                for j in range(c + 1, n):
                    m[i, j] -= f * m[c, j]
        det[k] = d
# oracle A=f8[50,6,6] det=f8[50]


@njit
def votes_of_rows(labels, votes, winner):
    """A row of votes for each image row; the winner of each."""
    n, w = labels.shape
    for i in range(n):
        for j in range(w):
            votes[i, labels[i, j]] += 1
        best = 0
        for c in range(votes.shape[1]):
            if votes[i, c] > votes[i, best]:
                best = c
        winner[i] = best
# oracle labels=i8[60,50]<40 votes=i8[60,40] winner=i8[60]


@njit
def pairs_below(x, limit, left, right):
    """A list that goes on from row to row."""
    k = 0
    n = x.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            if abs(x[i] - x[j]) < limit:
                left[k] = i
                right[k] = j
                k += 1
    return k
# oracle x=f8[120] limit=0.05 left=i8[7140] right=i8[7140]


@njit
def from_the_start_each_time(x, limit, buf, out):
    """A list that begins anew in each row."""
    n, w = x.shape
    for i in range(n):
        k = 0
        for j in range(w):
            if x[i, j] < limit:
                buf[k] = x[i, j]
                k += 1
        s = 0.0
        for j in range(k):
            s += buf[j]
        out[i] = s
# oracle x=f8[60,90] limit=0.8 buf=f8[90] out=f8[60]


@njit
def forces_on_neighbours(pos, idx, force):
    """Known rows and chosen rows of the same arrays."""
    for i in range(pos.shape[0]):
        for k in range(idx.shape[1]):
            j = idx[i, k]
            for a in range(3):
                d = pos[i, a] - pos[j, a]
                force[i, a] += d
                force[j, a] -= d
# oracle pos=f8[150,3] idx=i8[150,6]<150 force=f8[150,3]


@njit
def columns_chosen(A, pick, out):
    """A column at a chosen number: a line for each row."""
    n = A.shape[0]
    for t in range(pick.shape[0]):
        c = pick[t]
        for k in range(3):
            for i in range(n):
                out[t] += A[i, c]
# oracle A=f8[40,60] pick=i8[30]<60 out=f8[30]


@njit
def filter_bank(power, starts, peaks, ends, out):
    """Triangles of a spectrum: both arms read the three tables, each at one place in the whole inner loop."""
    for t in range(power.shape[0]):
        for f in range(starts.shape[0]):
            s = 0.0
            for k in range(starts[f], ends[f]):
                if k < peaks[f]:
                    w = (k - starts[f]) / (peaks[f] - starts[f] + 1e-9)
                else:
                    w = (ends[f] - k) / (ends[f] - peaks[f] + 1e-9)
                s += w * power[t, k]
            out[t, f] = s
# oracle power=f8[10,64] starts=i4[8]<20 peaks=i4[8]<40 ends=i4[8]<64 out=f8[10,8]
