"""Signals: banks of filters with a state, taps that adapt, two rates, blocks that overlap, peaks."""

import math

import numpy as np
from numba import njit, vectorize

TAPS = np.array([0.1, 0.2, 0.4, 0.2, 0.1])


@njit
def ema_bank(x, alphas, state, out):
    for k, a in enumerate(alphas):
        s = state[k]
        for t in range(x.size):
            s = a * x[t] + (1.0 - a) * s
            out[k, t] = s
        state[k] = s
# oracle x=f8[500] alphas=f8[6] state=f8[6] out=f8[6,500]


@njit
def pad_and_filter(x, out):
    n = x.size
    p = np.zeros(n + 4)
    p[2:n + 2] = x
    p[:2] = x[0]
    p[n + 2:] = x[-1]
    for i in range(n):
        s = 0.0
        for k in range(5):
            s += TAPS[k] * p[i + k]
        out[i] = s
# oracle x=f8[1000] out=f8[1000]


@vectorize
def _softclip(x, lim):
    if x > lim:
        return lim + math.tanh(x - lim)
    if x < -lim:
        return -lim + math.tanh(x + lim)
    return x


@njit
def process_block(buf, gain, lim):
    for ch in range(buf.shape[0]):
        buf[ch] = _softclip(buf[ch] * gain, lim)
# oracle buf=f8[2,600] gain=1.2 lim=1.5


@njit
def overlap_add(x, h, out, block=64):
    nh = h.size
    for start in range(0, x.size, block):
        stop = min(start + block, x.size)
        for i in range(start, stop):
            for k in range(nh):
                out[i + k] += x[i] * h[k]
# oracle x=f8[500] h=f8[16] out=f8[515]


@njit
def polyphase(x, h, up, down, out):
    taps = h.size // up
    for n in range(out.size):
        t = n * down
        phase = t % up
        base = t // up
        acc = 0.0
        for k in range(taps):
            i = base - k
            if 0 <= i < x.size:
                acc += h[k * up + phase] * x[i]
        out[n] = acc
# oracle x=f8[400] h=f8[24] up=3 down=2 out=f8[600]


@njit
def lms(x, d, mu, w, err):
    taps = w.size
    for n in range(taps - 1, x.size):
        y = 0.0
        for k in range(taps):
            y += w[k] * x[n - k]
        e = d[n] - y
        err[n] = e
        for k in range(taps):
            w[k] += 2.0 * mu * e * x[n - k]
# oracle x=f8[400] d=f8[400] mu=0.01 w=f8[16] err=f8[400]


@njit
def sosfilt(sos, x, zi):
    ns = sos.shape[0]
    y = np.empty_like(x)
    for n in range(x.size):
        v = x[n]
        for s in range(ns):
            w = sos[s, 0] * v + zi[s, 0]
            zi[s, 0] = sos[s, 1] * v - sos[s, 4] * w + zi[s, 1]
            zi[s, 1] = sos[s, 2] * v - sos[s, 5] * w
            v = w
        y[n] = v
    return y
# oracle sos=f8[4,6] x=f8[500] zi=f8[4,2]


@njit
def peaks(x, height, distance, idx):
    last = -distance
    k = 0
    for i in range(1, x.size - 1):
        if x[i] > x[i - 1] and x[i] >= x[i + 1] and x[i] > height:
            if i - last >= distance:
                idx[k] = i
                k += 1
                last = i
    return idx[:k]
# oracle x=f8[1200] height=0.5 distance=5 idx=i8[400]


def numpy_spectral(x, win, hop):
    n = (x.size - win.size) // hop + 1
    power = np.zeros(win.size)
    for i in range(n):
        seg = x[i * hop:i * hop + win.size] * win
        seg = seg - seg.mean()
        power += seg ** 2
    return power / n
# oracle x=f8[1000] win=f8[100] hop=50
