"""Letters one after the other: alignments with rolling rows, words as numbers, windows in steps, runs."""

import numpy as np
from numba import njit


@njit
def local_align(a, b, H, match=2, mismatch=-1, gap=-2):
    best = 0
    bi = 0
    bj = 0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            s = match if a[i - 1] == b[j - 1] else mismatch
            v = max(0, H[i - 1, j - 1] + s, H[i - 1, j] + gap, H[i, j - 1] + gap)
            H[i, j] = v
            if v > best:
                best = v
                bi, bj = i, j
    return best, bi, bj
# oracle a=u1[60]<4 b=u1[80]<4 H=i4[61,81]


@njit
def gotoh_affine(a, b, go=-3.0, ge=-1.0):
    n, m = a.size, b.size
    M = np.zeros((2, m + 1))
    X = np.full((2, m + 1), -1e9)
    Y = np.full((2, m + 1), -1e9)
    for i in range(1, n + 1):
        cur = i & 1
        prv = 1 - cur
        M[cur, 0] = -1e9
        for j in range(1, m + 1):
            s = 1.0 if a[i - 1] == b[j - 1] else -1.0
            M[cur, j] = s + max(M[prv, j - 1], X[prv, j - 1], Y[prv, j - 1])
            X[cur, j] = max(M[prv, j] + go, X[prv, j] + ge)
            Y[cur, j] = max(M[cur, j - 1] + go, Y[cur, j - 1] + ge)
    last = n & 1
    return max(M[last, m], X[last, m], Y[last, m])
# oracle a=u1[50]<4 b=u1[90]<4


@njit
def kmer_counts(seq, k, table):
    mask = (1 << (2 * k)) - 1
    code = 0
    filled = 0
    for i in range(len(seq)):
        c = seq[i]
        if c > 3:
            filled = 0
            code = 0
            continue
        code = ((code << 2) | c) & mask
        filled += 1
        if filled >= k:
            table[code] += 1
# oracle seq=u1[3000]<4 k=4 table=i4[256]


@njit
def gc_windows(seq, w, step):
    n = (seq.size - w) // step + 1
    out = np.empty(n)
    for i in range(n):
        gc = 0
        for c in seq[i * step:i * step + w]:
            if c == 1 or c == 2:
                gc += 1
        out[i] = gc / w
    return out
# oracle seq=u1[2000]<4 w=100 step=20


@njit
def hmm_forward(obs, A, B, pi):
    T = obs.size
    S = pi.size
    alpha = np.empty((T, S))
    scale = np.empty(T)
    for s in range(S):
        alpha[0, s] = pi[s] * B[s, obs[0]]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, T):
        for j in range(S):
            acc = 0.0
            for i in range(S):
                acc += alpha[t - 1, i] * A[i, j]
            alpha[t, j] = acc * B[j, obs[t]]
        scale[t] = alpha[t].sum()
        for j in range(S):
            alpha[t, j] /= scale[t]
    return alpha, np.log(scale).sum()
# oracle obs=i8[120]<6 A=f8[8,8] B=f8[8,6] pi=f8[8]


@njit
def rle_decode(values, runs, out):
    pos = 0
    for k in range(values.size):
        for _ in range(runs[k]):
            out[pos] = values[k]
            pos += 1
    return pos
# oracle values=u1[600] runs=i4[600]<9 out=u1[6000]


@njit
def count_words(text, counts):
    n = text.size
    inside = False
    length = 0
    words = 0
    for i in range(n):
        ch = text[i]
        if ch == 32 or ch == 10:
            if inside:
                counts[min(length, counts.size - 1)] += 1
                words += 1
            inside = False
            length = 0
        else:
            inside = True
            length += 1
    if inside:
        words += 1
    return words
# oracle text=u1[5000]<40 counts=i8[16]


@njit
def hex_encode(data, table, out):
    for i in range(data.size):
        b = data[i]
        out[2 * i] = table[b >> 4]
        out[2 * i + 1] = table[b & 15]
# oracle data=u1[3000]<256 table=u1[16] out=u1[6000]


@njit
def run_lengths(x, starts, lengths):
    """Runs of equal values: where one ends, the next begins."""
    n = len(x)
    runs = 0
    i = 0
    while i < n:
        j = i
        while j + 1 < n and x[j + 1] == x[i]:
            j += 1
        starts[runs] = i
        lengths[runs] = j - i + 1
        runs += 1
        i = j + 1
    return runs
# oracle x=i8[300]<2 starts=i8[300] lengths=i8[300]


@njit
def sum_by_sorted_key(keys, vals, out):
    n = keys.size
    g = 0
    i = 0
    while i < n:
        s = 0.0
        k = keys[i]
        while i < n and keys[i] == k:
            s += vals[i]
            i += 1
        out[g] = s
        g += 1
    return g
# oracle keys=i8[300]<3 vals=f8[300] out=f8[300]
