"""Modes, guards, options and defaults: one function, several ways through it."""

from math import exp

import numpy as np
from numba import njit, prange

WINDOW = 5
EPS = 1e-12


@njit
def apply_mode(x, y, mode):
    """One loop a mode: the modes exclude each other."""
    n = len(x)
    if mode == 0:
        for i in range(n):
            y[i] = x[i] + y[i]
    elif mode == 1:
        for i in range(n):
            y[i] = x[i] * y[i]
    else:
        for i in range(n):
            y[i] = np.exp(x[i]) * y[i]
# oracle x=f8[512] y=f8[512] mode=0
# oracle x=f8[512] y=f8[512] mode=1
# oracle x=f8[512] y=f8[512] mode=2


@njit
def activation(x, out, kind):
    """The mode is tested in the loop."""
    for i in range(x.shape[0]):
        if kind == 0:
            out[i] = max(x[i], 0.0)
        elif kind == 1:
            out[i] = 1.0 / (1.0 + exp(-x[i]))
        elif kind == 2:
            out[i] = np.tanh(x[i])
        else:
            out[i] = x[i]
# oracle x=f8[512] out=f8[512] kind=0
# oracle x=f8[512] out=f8[512] kind=1
# oracle x=f8[512] out=f8[512] kind=3


@njit
def normalize_rows(a, out, center, scale):
    """Two options, each with a pass of its own."""
    n, m = a.shape
    for i in range(n):
        mu = 0.0
        if center:
            for j in range(m):
                mu += a[i, j]
            mu /= m
        norm = 1.0
        if scale:
            s = 0.0
            for j in range(m):
                s += (a[i, j] - mu) * (a[i, j] - mu)
            norm = np.sqrt(s)
        for j in range(m):
            out[i, j] = (a[i, j] - mu) / norm
# oracle a=f8[20,48] out=f8[20,48] center=1 scale=1
# oracle a=f8[20,48] out=f8[20,48] center=0 scale=1
# oracle a=f8[20,48] out=f8[20,48] center=1 scale=0
# oracle a=f8[20,48] out=f8[20,48] center=0 scale=0


@njit
def weighted_sum(x, w=None):
    """Weights are an option."""
    s = 0.0
    if w is not None:
        for i in range(len(x)):
            s += w[i] * x[i]
    else:
        for i in range(len(x)):
            s += x[i]
    return s
# oracle x=f8[512] w=f8[512]


@njit
def axpy_guarded(a, x, y):
    """Nothing to do where a is 0."""
    if a == 0.0:
        return
    for i in range(len(x)):
        y[i] += a * x[i]
# oracle a=2.0 x=f8[512] y=f8[512]
# oracle a=0.0 x=f8[512] y=f8[512]


@njit
def empty_guard(x):
    """A guard on the size."""
    n = x.shape[0]
    if n == 0:
        return 0.0
    s = 0.0
    for i in range(n):
        s += x[i]
    return s / n
# oracle x=f8[512]


@njit
def histogram(x, lo, hi, bins=16):
    """A default argument says the number of bins."""
    counts = np.zeros(bins)
    width = (hi - lo) / bins
    for i in range(len(x)):
        k = int((x[i] - lo) / width)
        if k >= 0 and k < bins:
            counts[k] += 1.0
    return counts
# oracle x=f8[512] lo=0.0 hi=2.0 bins=16


@njit
def clip_negative(x, inplace, out):
    """A flag says where the result goes."""
    target = x if inplace else out
    for i in range(len(x)):
        target[i] = max(x[i], 0.0)
# oracle x=f8[512] inplace=0 out=f8[512]
# oracle x=f8[512] inplace=1 out=f8[512]


@njit
def pairwise(x, out, metric):
    """A helper for each metric, chosen once for a pair."""
    n = x.shape[0]
    d = x.shape[1]
    for i in range(n):
        for j in range(n):
            s = 0.0
            if metric == 0:
                for k in range(d):
                    t = x[i, k] - x[j, k]
                    s += t * t
            elif metric == 1:
                for k in range(d):
                    s += abs(x[i, k] - x[j, k])
            else:
                for k in range(d):
                    s = max(s, abs(x[i, k] - x[j, k]))
            out[i, j] = s
# oracle x=f8[24,8] out=f8[24,24] metric=0
# oracle x=f8[24,8] out=f8[24,24] metric=1
# oracle x=f8[24,8] out=f8[24,24] metric=2


@njit(parallel=True)
def scale_rows(a, s, transpose):
    """The same work along rows or columns."""
    n, m = a.shape
    if transpose:
        for j in prange(m):
            for i in range(n):
                a[i, j] *= s[j]
    else:
        for i in prange(n):
            for j in range(m):
                a[i, j] *= s[i]
# oracle a=f8[40,40] s=f8[40] transpose=0
# oracle a=f8[40,40] s=f8[40] transpose=1


@njit
def safe_divide(a, b, out):
    """A test on data with two stores."""
    for i in range(len(a)):
        if abs(b[i]) > EPS:
            out[i] = a[i] / b[i]
        else:
            out[i] = 0.0
# oracle a=f8[512] b=f8[512] out=f8[512]


@njit
def relu_backward(x, grad, out):
    """A conditional expression on data."""
    for i in range(x.size):
        out[i] = grad[i] if x[i] > 1.0 else 0.0
# oracle x=f8[512] grad=f8[512] out=f8[512]


@njit
def dead_branch(x, y, debug):
    """What a flag of 0 leaves out reads an array of its own."""
    n = len(x)
    for i in range(n):
        x[i] = 2.0 * x[i]
    if debug:
        for i in range(n):
            y[i] = x[i] * x[i]
# oracle x=f8[512] y=f8[512] debug=0
# oracle x=f8[512] y=f8[512] debug=1


@njit
def integrate(f, dx, rule="trapezoid"):
    """A text chooses the rule."""
    n = len(f)
    s = 0.0
    if rule == "trapezoid":
        for i in range(n - 1):
            s += 0.5 * (f[i] + f[i + 1])
    elif rule == "left":
        for i in range(n - 1):
            s += f[i]
    return s * dx
# oracle f=f8[512] dx=0.1


@njit
def log_likelihood(x, mu, sigma, const=True):
    """An option with a default of True."""
    ll = 0.0
    for i in range(len(x)):
        z = (x[i] - mu) / sigma
        ll -= 0.5 * z * z
    if const:
        ll -= len(x) * np.log(sigma)
    return ll
# oracle x=f8[512] mu=1.0 sigma=2.0


@njit
def left_to_its_default(x, y, w, use_w=0):
    """A flag that the call leaves out."""
    for i in range(len(x)):
        y[i] = 2.0 * x[i]
    if use_w:
        for i in range(len(x)):
            y[i] += w[i]
# oracle x=f8[256] y=f8[256] w=f8[256]
# oracle x=f8[256] y=f8[256] w=f8[256] use_w=1


NONE, CLAMP, WRAP, MIRROR = 0, 1, 2, 3


@njit
def _place_by_mode(i, n, mode):
    if mode == CLAMP:
        return min(max(i, 0), n - 1)
    if mode == WRAP:
        return i % n
    return i


@njit
def smooth_by_mode(x, out, mode=CLAMP, radius=2):
    """A default that is a constant of the module decides where a helper reads."""
    n = x.shape[0]
    for i in range(n):
        s = 0.0
        for k in range(-radius, radius + 1):
            s += x[_place_by_mode(i + k, n, mode)]
        out[i] = s / (2 * radius + 1)
# expect levels = estimate
# oracle x=f8[640] out=f8[640]
# oracle x=f8[640] out=f8[640] mode=2
