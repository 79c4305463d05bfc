"""Searches by walks from data: two pointers, runs, stacks, matches, sorted neighbours."""

from numba import njit

# isolated: each kernel is a file of its own


@njit
def rank_average(x, order, ranks):
    """Ranks with ties averaged, of values in a given order."""
    n = len(x)
    i = 0
    while i < n:
        j = i
        while j + 1 < n and x[order[j + 1]] == x[order[i]]:
            j += 1
        r = 0.5 * (i + j) + 1.0
        for k in range(i, j + 1):
            ranks[order[k]] = r
        i = j + 1
# oracle x=i8[500]<60 order=i8[500]<500 ranks=f8[500]


@njit
def kmp_search(text, pattern, fail):
    """Knuth, Morris, Pratt."""
    m = len(pattern)
    n = len(text)
    k = 0
    fail[0] = 0
    for i in range(1, m):
        while k > 0 and pattern[k] != pattern[i]:
            k = fail[k - 1]
        if pattern[k] == pattern[i]:
            k += 1
        fail[i] = k
    k = 0
    found = 0
    for i in range(n):
        while k > 0 and pattern[k] != text[i]:
            k = fail[k - 1]
        if pattern[k] == text[i]:
            k += 1
        if k == m:
            found += 1
            k = fail[k - 1]
    return found
# oracle text=u1[2000]<2 pattern=u1[12]<2 fail=i8[12]


@njit
def run_length_filter(mask, out, least):
    """Runs shorter than a limit are dropped."""
    n = len(mask)
    i = 0
    while i < n:
        if mask[i] == 0:
            out[i] = 0
            i += 1
            continue
        start = i
        while i < n and mask[i] != 0:
            i += 1
        keep = 1 if i - start >= least else 0
        for k in range(start, i):
            out[k] = keep
# oracle mask=u1[4000]<4 out=u1[4000] least=3


@njit
def lempel_ziv(s, window):
    """Complexity by the longest match in a window."""
    n = len(s)
    i = 0
    words = 0
    while i < n:
        best = 0
        lo = max(0, i - window)
        for j in range(lo, i):
            k = 0
            while i + k < n and s[j + k] == s[i + k]:
                k += 1
            if k > best:
                best = k
        i += best + 1
        words += 1
    return words
# oracle s=u1[600]<3 window=64


@njit
def fill_stack(img, sx, sy, new, stack):
    """Flood fill by a stack of places."""
    h, w = img.shape
    old = img[sy, sx]
    if old == new:
        return 0
    top = 0
    stack[top] = sy * w + sx
    top = 1
    filled = 0
    while top > 0:
        top -= 1
        p = stack[top]
        y = p // w
        x = p % w
        if img[y, x] != old:
            continue
        img[y, x] = new
        filled += 1
        if x > 0:
            stack[top] = p - 1
            top += 1
        if x < w - 1:
            stack[top] = p + 1
            top += 1
        if y > 0:
            stack[top] = p - w
            top += 1
        if y < h - 1:
            stack[top] = p + w
            top += 1
    return filled
# oracle img=u1[40,40]<1 sx=3 sy=4 new=7 stack=i8[6400]


@njit
def triangles_count(indptr, indices):
    """Triangles by merging sorted neighbour lists."""
    n = len(indptr) - 1
    count = 0
    for u in range(n):
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            if v <= u:
                continue
            a = indptr[u]
            b = indptr[v]
            while a < indptr[u + 1] and b < indptr[v + 1]:
                if indices[a] == indices[b]:
                    count += 1
                    a += 1
                    b += 1
                elif indices[a] < indices[b]:
                    a += 1
                else:
                    b += 1
    return count
# oracle nnz=600 indptr=i8[101]^nnz indices=i8[nnz]<100


@njit
def two_sum_sorted(a, target):
    """Two pointers from both ends."""
    i = 0
    j = len(a) - 1
    pairs = 0
    while i < j:
        s = a[i] + a[j]
        if s == target:
            pairs += 1
            i += 1
            j -= 1
        elif s < target:
            i += 1
        else:
            j -= 1
    return pairs
# oracle a=f8[2000] target=1.9
# oracle a=i8[2000]<50 target=49


@njit
def rle(x, values, counts):
    n = len(x)
    k = -1
    for i in range(n):
        if k >= 0 and x[i] == values[k]:
            counts[k] += 1
        else:
            k += 1
            values[k] = x[i]
            counts[k] = 1
    return k + 1
# oracle x=u1[3000]<3 values=u1[3000] counts=i8[3000]
