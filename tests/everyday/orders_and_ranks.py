"""Orders: kept elements, heaps, hashes, ranks that double, counts in two dimensions, sums from an end."""

from numba import njit


@njit
def trim_and_mean(x, lo, hi, out):
    m = 0
    for v in x:
        if v < lo or v > hi:
            continue
        out[m] = v
        m += 1
    if m == 0:
        return 0.0
    s = 0.0
    for i in range(m):
        s += out[i]
    return s / m
# oracle x=f8[300] lo=0.2 hi=0.9 out=f8[300]


@njit
def prefix_max_drop(x):
    top = x[0]
    worst = 0.0
    where = 0
    for i in range(1, len(x)):
        if x[i] > top:
            top = x[i]
        drop = (top - x[i]) / top
        if drop > worst:
            worst = drop
            where = i
    return worst, where
# oracle x=f8[400]


@njit
def histogram2d(x, y, bins, xr, yr, hist):
    dx = bins / (xr[1] - xr[0])
    dy = bins / (yr[1] - yr[0])
    for k in range(x.size):
        i = int((x[k] - xr[0]) * dx)
        j = int((y[k] - yr[0]) * dy)
        if i < 0 or j < 0 or i >= bins or j >= bins:
            continue
        hist[i, j] += 1
# oracle x=f8[800] y=f8[800] bins=16 xr=f8[2]^1 yr=f8[2]^1 hist=i4[16,16]


@njit
def percent_rank(x, out, method=1):
    n = x.size
    for i in range(n):
        less = 0
        equal = 0
        for j in range(n):
            if x[j] < x[i]:
                less += 1
            elif x[j] == x[i]:
                equal += 1
        if method == 0:
            out[i] = less / n
        elif method == 1:
            out[i] = (less + 0.5 * equal) / n
        else:
            out[i] = (less + equal) / n
# oracle x=f8[40] out=f8[40]
# oracle x=f8[40] out=f8[40] method=2


@njit
def suffix_array_ranks(s, rank, tmp, k):
    n = s.size
    for i in range(n):
        rank[i] = s[i]
    while k < n:
        for i in range(n):
            a = rank[i]
            b = rank[i + k] if i + k < n else -1
            tmp[i] = a * 257 + b
        for i in range(n):
            rank[i] = tmp[i] % 9973
        k *= 2
# oracle s=u1[300]<4 rank=i8[300] tmp=i8[300] k=1


@njit
def hash_insert(keys, table, used):
    cap = table.size
    n = 0
    for key in keys:
        h = (key * 2654435761) % cap
        while used[h]:
            if table[h] == key:
                break
            h = (h + 1) % cap
        if not used[h]:
            used[h] = 1
            table[h] = key
            n += 1
    return n
# oracle keys=i8[200]<500 table=i8[512] used=u1[512]<1


@njit
def heap_sift(heap, n):
    for start in range(n // 2 - 1, -1, -1):
        root = start
        while True:
            child = 2 * root + 1
            if child >= n:
                break
            if child + 1 < n and heap[child] < heap[child + 1]:
                child += 1
            if heap[root] >= heap[child]:
                break
            heap[root], heap[child] = heap[child], heap[root]
            root = child
# oracle heap=f8[255] n=255


@njit
def sum_of_suffix(x, start, out):
    n = x.size
    s = 0.0
    for i in range(n - 1, start - 1, -1):
        s += x[i]
        out[i - start] = s
# oracle x=f8[300] start=40 out=f8[260]
