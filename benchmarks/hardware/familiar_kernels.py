"""More loops as they are usually written, after comparisons of sums of short integers, chains of labels and stores of
both arms had a price of their own; scored at first sight. As in ``kernels.py``."""

import math

import numpy as np
from numba import njit, prange


# bind: u=u1[n] v=u1[n] gain=3 out=u1[n] | n=4000 | n=4000000
@njit
def difference_gate(u, v, gain, out):
    for i in range(u.size):
        d = np.int64(u[i]) - np.int64(v[i])
        out[i] = u[i] if d > gain else v[i]


# bind: pressure=f8[n] flow=f8[n] area=0.5 | n=2000 | n=2000000
@njit
def nozzle_flow(pressure, flow, area):
    for i in range(pressure.size):
        p = pressure[i]
        if p > 0.53:
            flow[i] = area * math.sqrt(2.0 * p * (1.2 - 0.2 * p))
        else:
            flow[i] = area * 0.68 * p


# bind: open_=i8[n] close=i8[n] depth=i8[n] | n=3000 | n=1000000
@njit
def nesting_depth(open_, close, depth):
    level = 0
    for i in range(open_.size):
        level += open_[i] - close[i]
        if level < 0:
            level = 0
        depth[i] = level


# bind: A=f8[n,m] B=f8[n,m] | n=60 m=60 | n=1500 m=1500
@njit
def clip_and_blend_statement(A, B):
    B[:, :] = 0.7 * A + 0.3 * np.maximum(B, 0.2)


# bind: image=f4[h,w] out=f4[h,w] | h=60 w=60 | h=1200 w=1200
@njit(parallel=True)
def laplacian_on_all_cores(image, out):
    for i in prange(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            out[i, j] = (
                image[i - 1, j] + image[i + 1, j] + image[i, j - 1] + image[i, j + 1] - np.float32(4.0) * image[i, j]
            )


# bind: code=u4[n] out=u4[n] | n=2000 | n=1000000
@njit
def spread_bits(code, out):
    for i in range(code.size):
        x = np.uint32(code[i] & np.uint32(0xFFFF))
        x = np.uint32((x | (x << np.uint32(8))) & np.uint32(0x00FF00FF))
        x = np.uint32((x | (x << np.uint32(4))) & np.uint32(0x0F0F0F0F))
        x = np.uint32((x | (x << np.uint32(2))) & np.uint32(0x33333333))
        out[i] = np.uint32((x | (x << np.uint32(1))) & np.uint32(0x55555555))


# bind: start=f8[n] stop=f8[n] points=f8[m] inside=i8[n] | n=50 m=64 | n=1000 m=2000
@njit
def points_in_intervals(start, stop, points, inside):
    for i in range(start.size):
        found = 0
        for j in range(points.size):
            if points[j] >= start[i] and points[j] < stop[i]:
                found += 1
        inside[i] = found


# bind: rate=f8[n] cash=f8[n] | n=1500 | n=1000000
@njit
def present_value(rate, cash):
    value = 0.0
    discount = 1.0
    for i in range(cash.size):
        discount = discount / (1.0 + 0.01 * rate[i])
        value += discount * cash[i]
    return value


# bind: x=f8[n,4] w=f8[4,4] out=f8[n,4] | n=300 | n=300000
@njit
def small_products(x, w, out):
    for i in range(x.shape[0]):
        for a in range(4):
            s = 0.0
            for b in range(4):
                s += x[i, b] * w[b, a]
            out[i, a] = s


# bind: volume=f8[n,n,n] out=f8[n,n,n] | n=20 | n=150
@njit
def average_along_first(volume, out):
    for i in range(1, volume.shape[0] - 1):
        for j in range(volume.shape[1]):
            for k in range(volume.shape[2]):
                out[i, j, k] = 0.25 * volume[i - 1, j, k] + 0.5 * volume[i, j, k] + 0.25 * volume[i + 1, j, k]


# bind: t=f8[n] y=f8[n] | n=1000 | n=400000
@njit
def damped_oscillation(t, y):
    for i in range(t.size):
        y[i] = math.exp(-0.3 * t[i]) * math.cos(5.0 * t[i])


# bind: stock=i4[n] order=i4[n] left=i4[n] short=i4[n] | n=3000 | n=2000000
@njit
def fill_orders(stock, order, left, short):
    for i in range(stock.size):
        s = stock[i]
        o = order[i]
        if s >= o:
            left[i] = s - o
            short[i] = 0
        else:
            left[i] = 0
            short[i] = o - s
