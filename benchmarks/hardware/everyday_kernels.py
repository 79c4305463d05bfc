"""Everyday habits, most of them on integers and bytes; scored at first sight. As in ``kernels.py``."""

import numpy as np
from numba import njit, prange


# bind: a=u8[n] b=u8[n] out=u1[n] | n=2000 | n=2000000
@njit
def hamming_popcount(a, b, out):
    for i in range(a.size):
        v = a[i] ^ b[i]
        v = v - ((v >> np.uint64(1)) & np.uint64(0x5555555555555555))
        v = (v & np.uint64(0x3333333333333333)) + ((v >> np.uint64(2)) & np.uint64(0x3333333333333333))
        v = (v + (v >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        out[i] = (v * np.uint64(0x0101010101010101)) >> np.uint64(56)


# bind: out=f8[n] seed=12345 | n=2000 | n=2000000
@njit
def lcg_fill(out, seed):
    state = seed
    for i in range(out.size):
        state = (1103515245 * state + 12345) % 2147483648
        out[i] = state / 2147483648.0


# bind: cost=i8[n] best=i8[n] | n=2000 | n=2000000
@njit
def climb_costs(cost, best):
    best[0] = cost[0]
    best[1] = cost[1]
    for i in range(2, cost.size):
        best[i] = cost[i] + min(best[i - 1], best[i - 2])


# bind: counts=i4[n] offsets=i4[n] | n=3000 | n=3000000
@njit
def offsets_from_counts(counts, offsets):
    running = 0
    for i in range(counts.size):
        offsets[i] = running
        running += counts[i]
    return running


# bind: a=u1[h,w] b=u1[h,w] out=u1[h,w] | h=64 w=64 | h=1080 w=1920
@njit
def average_frames(a, b, out):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = (a[i, j] + b[i, j] + 1) >> 1


# bind: labels=i4[n] | n=3000 | n=3000000
@njit
def longest_run(labels):
    best = 1
    run = 1
    for i in range(1, labels.size):
        if labels[i] == labels[i - 1]:
            run += 1
            if run > best:
                best = run
        else:
            run = 1
    return best


# bind: A=i4[n,4] | n=500 | n=500000
@njit
def sorted_fours(A):
    for i in range(A.shape[0]):
        a, b, c, d = A[i, 0], A[i, 1], A[i, 2], A[i, 3]
        a, b = min(a, b), max(a, b)
        c, d = min(c, d), max(c, d)
        a, c = min(a, c), max(a, c)
        b, d = min(b, d), max(b, d)
        b, c = min(b, c), max(b, c)
        A[i, 0] = a
        A[i, 1] = b
        A[i, 2] = c
        A[i, 3] = d


# bind: source=i4[m] degree=i8[n] | m=3000 n=500 | m=2000000 n=200000
@njit
def out_degrees(source, degree):
    degree[:] = 0
    for e in range(source.size):
        degree[source[e]] += 1


# bind: data=u1[n] table=u1[256] | n=4000 | n=4000000
@njit
def crc_by_table(data, table):
    crc = 0
    for i in range(data.size):
        crc = table[crc ^ data[i]]
    return crc


# bind: z=c8[n] gain=f4[n] out=c8[n] | n=1500 | n=2000000
@njit
def fade_signal(z, gain, out):
    for i in range(z.size):
        out[i] = z[i] * gain[i] + z[i].conjugate()


# bind: x=f4[n,m] gain=f4[m] bias=f4[m] out=f4[n,m] | n=40 m=64 | n=4000 m=512
@njit
def normalise_tokens(x, gain, bias, out):
    n, m = x.shape
    for i in range(n):
        mean = np.float32(0.0)
        for j in range(m):
            mean += x[i, j]
        mean /= np.float32(m)
        spread = np.float32(0.0)
        for j in range(m):
            d = x[i, j] - mean
            spread += d * d
        scale = np.float32(1.0) / np.sqrt(spread / np.float32(m) + np.float32(1e-5))
        for j in range(m):
            out[i, j] = (x[i, j] - mean) * scale * gain[j] + bias[j]


# bind: x=f8[n] y=f8[n] | n=20000 | n=4000000
@njit(parallel=True)
def dot_on_all_cores(x, y):
    s = 0.0
    for i in prange(x.size):
        s += x[i] * y[i]
    return s


# bind: x=f8[n] out=i4[n] | n=2000 | n=2000000
@njit
def grade_scores(x, out):
    for i in range(x.size):
        if x[i] > 1.3:
            out[i] = 4
        elif x[i] > 1.1:
            out[i] = 3
        elif x[i] > 0.8:
            out[i] = 2
        else:
            out[i] = 1


# bind: a=u1[n] b=u1[n] | n=4000 | n=4000000
@njit
def image_distance(a, b):
    total = 0
    for i in range(a.size):
        total += abs(np.int64(a[i]) - np.int64(b[i]))
    return total


# bind: grid=i4[n,m] best=i4[n,m] | n=50 m=50 | n=1200 m=1200
@njit
def cheapest_path(grid, best):
    best[0, 0] = grid[0, 0]
    for j in range(1, grid.shape[1]):
        best[0, j] = best[0, j - 1] + grid[0, j]
    for i in range(1, grid.shape[0]):
        best[i, 0] = best[i - 1, 0] + grid[i, 0]
        for j in range(1, grid.shape[1]):
            best[i, j] = min(best[i - 1, j], best[i, j - 1]) + grid[i, j]


# bind: k=f8[n,m] face=f8[n,m] | n=50 m=50 | n=1200 m=1200
@njit
def harmonic_faces(k, face):
    for i in range(k.shape[0]):
        for j in range(k.shape[1] - 1):
            face[i, j] = 2.0 * k[i, j] * k[i, j + 1] / (k[i, j] + k[i, j + 1])


# bind: state=u8[n] out=f8[n] | n=1500 | n=2000000
@njit
def xorshift_streams(state, out):
    for i in range(state.size):
        s = state[i]
        s ^= s << np.uint64(13)
        s ^= s >> np.uint64(7)
        s ^= s << np.uint64(17)
        state[i] = s
        out[i] = (s >> np.uint64(11)) * (1.0 / 9007199254740992.0)


# bind: x=i8[n] out=i8[n] | n=1500 | n=1000000
@njit
def digit_sums(x, out):
    for i in range(x.size):
        v = x[i]
        out[i] = v % 10 + (v // 10) % 10 + (v // 100) % 10
