"""Trees, tables, clusters and transforms in a few arrays."""

import math

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def kmeans_lloyd(pts, centers, labels, iters=3):
    """Lloyd's algorithm with sums beside counts; an empty cluster stays."""
    n, d = pts.shape
    k = centers.shape[0]
    sums = np.zeros((k, d))
    counts = np.zeros(k, np.int64)
    for _ in range(iters):
        sums[:] = 0.0
        counts[:] = 0
        for i in range(n):
            best = 0
            bd = np.inf
            for c in range(k):
                dist = 0.0
                for j in range(d):
                    diff = pts[i, j] - centers[c, j]
                    dist += diff * diff
                if dist < bd:
                    bd = dist
                    best = c
            labels[i] = best
            counts[best] += 1
            for j in range(d):
                sums[best, j] += pts[i, j]
        for c in range(k):
            if counts[c] > 0:
                for j in range(d):
                    centers[c, j] = sums[c, j] / counts[c]
    return counts
# oracle pts=f8[200,5] centers=f8[6,5] labels=i8[200]


@njit
def csr_row_normalise(indptr, data, l2=False):
    """Rows of a sparse matrix divided by their sum, or norm."""
    for i in range(len(indptr) - 1):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * data[k] if l2 else abs(data[k])
        if l2:
            s = math.sqrt(s)
        if s > 0:
            for k in range(indptr[i], indptr[i + 1]):
                data[k] /= s
# known flops: the rows that a guard skips have fewer elements than the mean row
# oracle nnz=1500 indptr=i8[201]^nnz data=f8[nnz] l2=0
# oracle nnz=1500 indptr=i8[201]^nnz data=f8[nnz] l2=1


@njit
def rod_cutting(prices, best, cut):
    """Dynamic programming over all first cuts, and where they are."""
    n = len(prices)
    best[0] = 0.0
    for length in range(1, n + 1):
        top = -1.0
        for c in range(1, length + 1):
            v = prices[c - 1] + best[length - c]
            if v > top:
                top = v
                cut[length] = c
        best[length] = top
    return best[n]
# known traffic: a walk that starts anew, a line longer every eight times, at a distance near the capacity
# oracle prices=f8[120] best=f8[121] cut=i8[121]


@njit
def tree_insert(keys, left, right, key_of):
    """Keys into a binary search tree of three arrays."""
    n = len(keys)
    size = 0
    for i in range(n):
        k = keys[i]
        key_of[size] = k
        left[size] = -1
        right[size] = -1
        if size > 0:
            node = 0
            while True:
                if k < key_of[node]:
                    if left[node] < 0:
                        left[node] = size
                        break
                    node = left[node]
                else:
                    if right[node] < 0:
                        right[node] = size
                        break
                    node = right[node]
        size += 1
    return size
# oracle keys=f8[300] left=i8[300] right=i8[300] key_of=f8[300]


@njit
def haar_levels(x, tmp, levels):
    """A Haar transform in place, the part that changes halves."""
    n = len(x)
    for _ in range(levels):
        half = n // 2
        for i in range(half):
            tmp[i] = (x[2 * i] + x[2 * i + 1]) * 0.7071067811865476
            tmp[half + i] = (x[2 * i] - x[2 * i + 1]) * 0.7071067811865476
        for i in range(n):
            x[i] = tmp[i]
        n = half
# oracle x=f8[512] tmp=f8[512] levels=4


@njit
def block_matvec(blocks, cols, x, y):
    """A matrix of dense blocks, one list of columns a block row."""
    nb, per, b, _ = blocks.shape
    for i in range(nb):
        for p in range(per):
            c = cols[i, p]
            if c < 0:
                break
            for r in range(b):
                s = 0.0
                for q in range(b):
                    s += blocks[i, p, r, q] * x[c * b + q]
                y[i * b + r] += s
# oracle blocks=f8[30,3,4,4] cols=i8[30,3]<30 x=f8[120] y=f8[120]


@njit
def merge_runs(a, tmp):
    """A bottom-up merge sort with a buffer."""
    n = len(a)
    width = 1
    while width < n:
        for lo in range(0, n, 2 * width):
            mid = min(lo + width, n)
            hi = min(lo + 2 * width, n)
            i = lo
            j = mid
            for k in range(lo, hi):
                if i < mid and (j >= hi or a[i] <= a[j]):
                    tmp[k] = a[i]
                    i += 1
                else:
                    tmp[k] = a[j]
                    j += 1
        for k in range(n):
            a[k] = tmp[k]
        width *= 2
# oracle a=f8[300] tmp=f8[300]


@njit
def stockham(x, y):
    """A radix-2 FFT that goes to and fro between two buffers."""
    n = len(x)
    half = n // 2
    s = 1
    m = half
    while m >= 1:
        for j in range(m):
            w = complex(math.cos(math.pi * j / m), -math.sin(math.pi * j / m))
            for k in range(s):
                a = x[k + s * j]
                b = x[k + s * (j + m)]
                y[k + s * 2 * j] = a + b
                y[k + s * (2 * j + 1)] = (a - b) * w
        x, y = y, x
        s *= 2
        m //= 2
    return x
# oracle x=c16[256] y=c16[256]


@njit
def game_minmax(values, depth, out):
    """A minimax value of a complete binary tree, level by level."""
    n = 1 << depth
    for i in range(n):
        out[i] = values[i]
    level = depth
    while level > 0:
        n //= 2
        for i in range(n):
            a = out[2 * i]
            b = out[2 * i + 1]
            out[i] = max(a, b) if level % 2 == 0 else min(a, b)
        level -= 1
    return out[0]
# known traffic: a trip count that halves is a mean
# oracle values=f8[1024] depth=10 out=f8[1024]


@njit
def spearman(x, y):
    """Rank correlation by counting."""
    n = len(x)
    rx = np.empty(n)
    ry = np.empty(n)
    for i in range(n):
        a = 1.0
        b = 1.0
        for j in range(n):
            if x[j] < x[i]:
                a += 1.0
            if y[j] < y[i]:
                b += 1.0
        rx[i] = a
        ry[i] = b
    d2 = 0.0
    for i in range(n):
        d = rx[i] - ry[i]
        d2 += d * d
    return 1.0 - 6.0 * d2 / (n * (n * n - 1))
# oracle x=f8[120] y=f8[120]


@njit
def spearman_sorted(x, y):
    """Rank correlation by sorting."""
    n = len(x)
    ox = np.argsort(x)
    oy = np.argsort(y)
    rx = np.empty(n)
    ry = np.empty(n)
    for i in range(n):
        rx[ox[i]] = i
        ry[oy[i]] = i
    d2 = 0.0
    for i in range(n):
        d2 += (rx[i] - ry[i]) ** 2
    return 1.0 - 6.0 * d2 / (n * (n * n - 1))
# oracle x=f8[400] y=f8[400]


@njit
def rolling_quantile(x, w, q, out):
    """A quantile of each window by a sorted copy."""
    n = len(x)
    buf = np.empty(w)
    for i in range(w - 1, n):
        for j in range(w):
            v = x[i - w + 1 + j]
            k = j
            while k > 0 and buf[k - 1] > v:
                buf[k] = buf[k - 1]
                k -= 1
            buf[k] = v
        pos = q * (w - 1)
        lo = int(pos)
        frac = pos - lo
        hi = min(lo + 1, w - 1)
        out[i] = buf[lo] * (1.0 - frac) + buf[hi] * frac
# oracle x=f8[300] w=9 q=0.4 out=f8[300]


@njit
def fir_streaming(x, h, out):
    """A filter with a delay line that goes round."""
    taps = len(h)
    delay = np.zeros(taps)
    pos = 0
    for n in range(len(x)):
        delay[pos] = x[n]
        acc = 0.0
        idx = pos
        for k in range(taps):
            acc += h[k] * delay[idx]
            idx -= 1
            if idx < 0:
                idx = taps - 1
        out[n] = acc
        pos += 1
        if pos == taps:
            pos = 0
# oracle x=f8[500] h=f8[16] out=f8[500]
