"""Loops that a break ends, and arrays in which data choose places: ranks, centres, histograms."""

import numpy as np
from numba import njit


@njit
def otsu(img, hist):
    """Histogram and the best threshold."""
    hist[:] = 0
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            hist[img[i, j]] += 1
    total = h * w
    sum_all = 0.0
    for t in range(256):
        sum_all += t * hist[t]
    wb = 0
    sb = 0.0
    best = 0.0
    thr = 0
    for t in range(256):
        wb += hist[t]
        if wb == 0:
            continue
        wf = total - wb
        if wf == 0:
            break
        sb += t * hist[t]
        mb = sb / wb
        mf = (sum_all - sb) / wf
        v = wb * wf * (mb - mf) * (mb - mf)
        if v > best:
            best = v
            thr = t
    return thr


# oracle img=u1[24,40] hist=i8[256]


@njit
def kmeans_fit(X, C, labels, iters=5, tol=1e-6):
    """Lloyd with early stop."""
    n, d = X.shape
    k = C.shape[0]
    inertia = 0.0
    for it in range(iters):
        inertia = 0.0
        for i in range(n):
            best = 1e300
            for c in range(k):
                s = 0.0
                for j in range(d):
                    s += (X[i, j] - C[c, j]) ** 2
                if s < best:
                    best = s
                    labels[i] = c
            inertia += best
        new = np.zeros((k, d))
        cnt = np.zeros(k)
        for i in range(n):
            c = labels[i]
            cnt[c] += 1
            for j in range(d):
                new[c, j] += X[i, j]
        shift = 0.0
        for c in range(k):
            if cnt[c] > 0:
                for j in range(d):
                    v = new[c, j] / cnt[c]
                    shift += (v - C[c, j]) ** 2
                    C[c, j] = v
        if shift < tol:
            break
    return inertia


# oracle X=f8[80,4] C=f8[6,4] labels=i8[80] iters=5 tol=1e-6


@njit
def pagerank(indptr, indices, rank, new, outdeg, d=0.85, iters=4):
    """Pull along incoming edges."""
    n = rank.shape[0]
    for it in range(iters):
        for i in range(n):
            s = 0.0
            for e in range(indptr[i], indptr[i + 1]):
                j = indices[e]
                s += rank[j] / outdeg[j]
            new[i] = (1.0 - d) / n + d * s
        for i in range(n):
            rank[i] = new[i]


# oracle indptr=i8[61]^nnz indices=i8[nnz]<60 rank=f8[60] new=f8[60] outdeg=f8[60] nnz=300 iters=4 d=0.85


@njit
def segment_sums(values, seg, out, counts, normalize=True):
    """Sums by a sorted label, then means."""
    out[:] = 0.0
    counts[:] = 0
    for i in range(len(values)):
        s = seg[i]
        out[s] += values[i]
        counts[s] += 1
    if normalize:
        for s in range(len(out)):
            if counts[s] > 0:
                out[s] /= counts[s]


# oracle values=f8[400] seg=i8[400]<30 out=f8[30] counts=i8[30] normalize=1


@njit
def lcs_two_rows(a, b):
    """Two rows that swap, copied into each other."""
    m = len(b)
    prev = np.zeros(m + 1, dtype=np.int32)
    cur = np.zeros(m + 1, dtype=np.int32)
    for i in range(len(a)):
        for j in range(1, m + 1):
            if a[i] == b[j - 1]:
                cur[j] = prev[j - 1] + 1
            else:
                cur[j] = max(prev[j], cur[j - 1])
        for j in range(m + 1):
            prev[j] = cur[j]
    return prev[m]


# oracle a=u1[30]<4 b=u1[100]<4


@njit
def local_histograms(x, hist, nb, chunk):
    """A histogram a chunk."""
    n = len(x)
    for c in range(n // chunk):
        for b in range(nb):
            hist[c, b] = 0
        for i in range(c * chunk, (c + 1) * chunk):
            b = int(x[i] * nb)
            if b >= nb:
                b = nb - 1
            hist[c, b] += 1


# oracle x=f8[512] hist=i4[8,16] nb=16 chunk=64


@njit
def insert_if_new(keys, key, total):
    """The loop ends without a return in a share of the calls, and only then is the key stored."""
    for j in range(keys.shape[0]):
        if keys[j] == key:
            return total
    keys[key % keys.shape[0]] = key
    return total + 1.0


@njit
def count_new(rows, keys):
    total = 0.0
    for i in range(rows.shape[0]):
        total = insert_if_new(rows[i], keys[i], total)
    return total
# expect status = parametric
# oracle rows=i8[40,16]<30 keys=i8[40]<30
# oracle rows=i8[200,8]<30 keys=i8[200]<30


@njit
def sum_to_zero(x):
    """The loop is at elements, not at indices: where it ends is said by data."""
    s = 0.0
    for v in x:
        s += v
        if v == 0:
            break
    return s
# expect status = parametric
# oracle x=f8[9]


@njit
def sum_of_codes(codes, weights):
    s = 0.0
    for c in codes:
        if c >= 7:
            break
        s += weights[c]
    return s
# expect status = parametric
# oracle codes=i8[9]<9 weights=f8[10]


@njit
def sum_to_a_place(x, n):
    """A loop over indices ends at a known place."""
    s = 0.0
    for i in range(n):
        if i == 4:
            break
        s += x[i]
    return s
# expect status = exact
# oracle x=f8[40] n=20
# oracle x=f8[40] n=3
