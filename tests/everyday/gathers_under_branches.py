"""Places that data choose, beside branches on data: the traffic is at most what is said."""

import numpy as np
from numba import njit


@njit
def histogram_of_the_inside(x, y, counts, low, high):
    n = counts.shape[0]
    scale = n / (high - low)
    for k in range(len(x)):
        i = int((x[k] - low) * scale)
        j = int((y[k] - low) * scale)
        if 0 <= i < n and 0 <= j < n:
            counts[i, j] += 1
# oracle x=f8[400] y=f8[400] counts=i8[16,16] low=0.0 high=2.0


@njit
def push_and_deposit(x, v, field, charge, dx, dt):
    n = len(field)
    length = n * dx
    for p in range(len(x)):
        v[p] += field[int(x[p] / dx) % n] * dt
        x[p] += v[p] * dt
        if x[p] < 0.0:
            x[p] += length
        elif x[p] >= length:
            x[p] -= length
        charge[int(x[p] / dx) % n] += 1.0
# oracle x=f8[200] v=f8[200] field=f8[64] charge=f8[64] dx=0.1 dt=0.01


@njit
def nearest_centres(points, centres, sums, counts):
    for i in range(points.shape[0]):
        least = 1e300
        nearest = 0
        for c in range(centres.shape[0]):
            d = 0.0
            for j in range(points.shape[1]):
                d += (points[i, j] - centres[c, j]) ** 2
            if d < least:
                least = d
                nearest = c
        counts[nearest] += 1
        for j in range(points.shape[1]):
            sums[nearest, j] += points[i, j]
    for c in range(centres.shape[0]):
        if counts[c] > 0:
            for j in range(centres.shape[1]):
                centres[c, j] = sums[c, j] / counts[c]
# oracle points=f8[100,6] centres=f8[5,6] sums=f8[5,6] counts=i8[5]


@njit
def one_of_two(source, out, shift, scale):
    n = len(source)
    for i in range(n):
        k = int((i - shift) * scale)
        if k >= 0 and k < n:
            out[i] = source[k]
        else:
            out[i] = 0.0
# oracle source=f8[300] out=f8[300] shift=40.5 scale=1.3
# known traffic: a walk whose condition on its place counts as a share of its iterations


@njit
def rare_updates(key, table, last, threshold):
    for i in range(len(key)):
        if key[i] > threshold:
            last[i] = table[int(key[i] * 1000.0) % len(table)]
# oracle key=f8[400] table=f8[64] last=f8[400] threshold=0.9


@njit
def ring_of_a_power_of_two(x, out, ring):
    pos = 0
    for i in range(len(x)):
        out[i] = ring[pos]
        ring[pos] = x[i]
        pos += 1
        if pos >= len(ring):
            pos = 0
# oracle x=f8[1024] out=f8[1024] ring=f8[64]
# oracle x=f8[400] out=f8[400] ring=f8[50]


@njit
def cells_beside_lines_ends(x, table, idx):
    chosen = np.zeros((40, 64), dtype=np.int64)
    for i in range(40):
        chosen[i, 7] = 1
    s = 0.0
    for i in range(40):
        for j in range(63):
            if chosen[i, j] > 0:
                s += x[i, j] + x[i, j + 1]
    for i in range(idx.shape[0]):
        s += table[idx[i]]
    return s
# oracle x=f8[40,64] table=f8[8] idx=i8[30]<8


@njit
def planes_below_chosen_cells(x, table, idx, chosen, height, width):
    s = 0.0
    for r in range(height):
        for c in range(width):
            if chosen[r, c] == 0:
                continue
            for k in range(8):
                s += x[k, r, c]
    for i in range(idx.shape[0]):
        s += table[idx[i]]
    return s
# oracle x=f8[8,8,8] table=f8[8] idx=i8[30]<8 chosen=i8[8,8]<2 height=8 width=1
