"""Graphs, tables, sparse matrices, learning and text, with early ends and records."""

import math

import numpy as np
from numba import njit, prange

ITEM = np.dtype([("key", np.int64), ("cost", np.float64), ("used", np.int8)])


@njit
def assign_clusters(X, C, labels, counts, sums):
    """One k-means step: nearest centre, then sums of the members."""
    n, d = X.shape
    k = C.shape[0]
    counts[:] = 0
    sums[:, :] = 0.0
    inertia = 0.0
    for i in range(n):
        best = np.inf
        arg = 0
        for c in range(k):
            dist = 0.0
            for j in range(d):
                diff = X[i, j] - C[c, j]
                dist += diff * diff
                if dist >= best:
                    break
            if dist < best:
                best = dist
                arg = c
        labels[i] = arg
        counts[arg] += 1
        inertia += best
        for j in range(d):
            sums[arg, j] += X[i, j]
    for c in range(k):
        if counts[c] > 0:
            for j in range(d):
                C[c, j] = sums[c, j] / counts[c]
    return inertia
# oracle X=f8[120,5] C=f8[8,5] labels=i8[120] counts=i8[8] sums=f8[8,5]


@njit
def find(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit
def kruskal(edges, weight, order, parent, chosen):
    """Minimum spanning forest by union-find over edges in order."""
    n = parent.shape[0]
    for i in range(n):
        parent[i] = i
    total = 0.0
    taken = 0
    for k in range(order.shape[0]):
        e = order[k]
        a = find(parent, edges[e, 0])
        b = find(parent, edges[e, 1])
        if a != b:
            parent[a] = b
            chosen[taken] = e
            total += weight[e]
            taken += 1
            if taken == n - 1:
                break
    return total
# oracle edges=i8[400,2]<150 weight=f8[400] order=i8[400]<400 parent=i8[150] chosen=i8[149]


@njit
def heap_push(heap, keys, size, item, key):
    i = size
    heap[i] = item
    keys[i] = key
    while i > 0:
        p = (i - 1) // 2
        if keys[p] <= keys[i]:
            break
        keys[p], keys[i] = keys[i], keys[p]
        heap[p], heap[i] = heap[i], heap[p]
        i = p
    return size + 1


@njit
def k_smallest(x, k, heap, keys):
    """The queue of all samples below a limit, as a binary heap."""
    size = 0
    for i in range(x.shape[0]):
        if x[i] < k:
            size = heap_push(heap, keys, size, i, x[i])
    return size
# oracle x=f8[600] k=0.5 heap=i8[600] keys=f8[600]


@njit
def csr_from_coo(rows, cols, vals, indptr, indices, data):
    """Sparse assembly: count, sum, scatter."""
    n = indptr.shape[0] - 1
    nnz = rows.shape[0]
    for i in range(n + 1):
        indptr[i] = 0
    for k in range(nnz):
        indptr[rows[k] + 1] += 1
    for i in range(n):
        indptr[i + 1] += indptr[i]
    for k in range(nnz):
        r = rows[k]
        p = indptr[r]
        indices[p] = cols[k]
        data[p] = vals[k]
        indptr[r] += 1
    for i in range(n, 0, -1):
        indptr[i] = indptr[i - 1]
    indptr[0] = 0
# oracle rows=i8[800]<100 cols=i8[800]<100 vals=f8[800] indptr=i8[101] indices=i8[800] data=f8[800]


@njit
def gauss_seidel_csr(indptr, indices, data, b, x, sweeps=3, reverse=False):
    """Sweeps of Gauss-Seidel over a CSR matrix."""
    n = b.shape[0]
    for _ in range(sweeps):
        for t in range(n):
            i = n - 1 - t if reverse else t
            s = b[i]
            diag = 1.0
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                if j == i:
                    diag = data[p]
                else:
                    s -= data[p] * x[j]
            x[i] = s / diag
# oracle indptr=i8[201]^1000 indices=i8[1000]<200 data=f8[1000] b=f8[200] x=f8[200] nnz=1000
# oracle indptr=i8[201]^1000 indices=i8[1000]<200 data=f8[1000] b=f8[200] x=f8[200] sweeps=2 reverse=1 nnz=1000


@njit
def edit_distance(a, b, prev, cur, sub=1, gap=1):
    """Levenshtein distance of two code arrays with two rolling rows."""
    n = a.shape[0]
    m = b.shape[0]
    for j in range(m + 1):
        prev[j] = j * gap
    for i in range(1, n + 1):
        cur[0] = i * gap
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else sub
            cur[j] = min(prev[j] + gap, cur[j - 1] + gap, prev[j - 1] + cost)
        for j in range(m + 1):
            prev[j] = cur[j]
    return prev[m]
# oracle a=u1[60] b=u1[80] prev=i8[81] cur=i8[81]


@njit
def knapsack(items, best, capacity):
    """0/1 knapsack over records with one row of values."""
    for c in range(capacity + 1):
        best[c] = 0.0
    for k in range(items.shape[0]):
        w = items[k].key
        if items[k].used == 0:
            for c in range(capacity, w - 1, -1):
                v = best[c - w] + items[k].cost
                if v > best[c]:
                    best[c] = v
    return best[capacity]
# oracle items=ITEM[24] best=f8[201] capacity=200


@njit
def option_paths(S0, K, r, sigma, T, n, steps, barrier=None, antithetic=True):
    """Barrier call by Monte Carlo, optionally with antithetic paths."""
    dt = T / steps
    drift = (r - 0.5 * sigma * sigma) * dt
    vol = sigma * math.sqrt(dt)
    total = 0.0
    for p in range(n):
        s = S0
        s2 = S0
        alive = True
        for t in range(steps):
            z = np.random.normal()
            s *= math.exp(drift + vol * z)
            if antithetic:
                s2 *= math.exp(drift - vol * z)
            if barrier is not None and s > barrier:
                alive = False
                break
        if alive:
            pay = max(s - K, 0.0)
            if antithetic:
                pay = 0.5 * (pay + max(s2 - K, 0.0))
            total += pay
    return math.exp(-r * T) * total / n
# oracle S0=100.0 K=95.0 r=0.02 sigma=0.2 T=1.0 n=50 steps=12
# oracle S0=100.0 K=95.0 r=0.02 sigma=0.2 T=1.0 n=50 steps=12 antithetic=0
# oracle S0=100.0 K=95.0 r=0.02 sigma=0.2 T=1.0 n=50 steps=12 barrier=120.0


@njit
def tfidf_rows(counts, df, out, norm=True, smooth=True):
    """Weights of a dense count matrix, rows normed."""
    n, m = counts.shape
    for i in range(n):
        ss = 0.0
        for j in range(m):
            if smooth:
                idf = math.log((1.0 + n) / (1.0 + df[j])) + 1.0
            else:
                idf = math.log(n / df[j])
            w = counts[i, j] * idf
            out[i, j] = w
            ss += w * w
        if norm and ss > 0.0:
            inv = 1.0 / math.sqrt(ss)
            for j in range(m):
                out[i, j] *= inv
# oracle counts=f8[30,50] df=f8[50] out=f8[30,50]
# oracle counts=f8[30,50] df=f8[50] out=f8[30,50] norm=0 smooth=0


@njit
def tokenise(text, starts, ends, space=32):
    """Starts and ends of words in a byte string."""
    n = text.shape[0]
    k = 0
    i = 0
    while i < n:
        while i < n and text[i] == space:
            i += 1
        if i >= n:
            break
        starts[k] = i
        while i < n and text[i] != space:
            i += 1
        ends[k] = i
        k += 1
    return k
# oracle text=u1[1000]<4 starts=i8[600] ends=i8[600] space=2


@njit
def group_means(keys, values, means, counts, weights=None):
    """Means by group; weights are optional."""
    g = means.shape[0]
    for k in range(g):
        means[k] = 0.0
        counts[k] = 0.0
    for i in range(keys.shape[0]):
        w = 1.0 if weights is None else weights[i]
        means[keys[i]] += w * values[i]
        counts[keys[i]] += w
    for k in range(g):
        if counts[k] != 0.0:
            means[k] /= counts[k]
# oracle keys=i8[900]<30 values=f8[900] means=f8[30] counts=f8[30]
# oracle keys=i8[900]<30 values=f8[900] means=f8[30] counts=f8[30] weights=f8[900]


@njit(parallel=True)
def pairwise_rbf(X, Y, K, gamma=0.5):
    """Gaussian kernel matrix; a scratch vector a row."""
    n, d = X.shape
    m = Y.shape[0]
    for i in prange(n):
        diff = np.empty(3)
        for j in range(m):
            s = 0.0
            for k in range(3):
                diff[k] = X[i, k] - Y[j, k]
            for k in range(3):
                s += diff[k] * diff[k]
            K[i, j] = math.exp(-gamma * s)
# oracle X=f8[40,3] Y=f8[36,3] K=f8[40,36]


@njit
def flood_count(grid, start, stack, seen):
    """Size of the region of a start cell, with a stack."""
    h, w = grid.shape
    top = 0
    stack[0] = start
    seen[start // w, start % w] = 1
    count = 0
    while top >= 0:
        cell = stack[top]
        top -= 1
        y = cell // w
        x = cell % w
        count += 1
        for d in range(4):
            ny = y + (1 if d == 0 else -1 if d == 1 else 0)
            nx = x + (1 if d == 2 else -1 if d == 3 else 0)
            if 0 <= ny < h and 0 <= nx < w:
                if grid[ny, nx] != 0 and seen[ny, nx] == 0:
                    seen[ny, nx] = 1
                    top += 1
                    stack[top] = ny * w + nx
    return count
# oracle grid=u1[30,30]<9 start=465 stack=i8[900] seen=u1[30,30]<1
