"""The Numba kernels that measure a core: each leaves one resource as the slowest. Their data are the caller's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

ALLOCATED = 16  # bytes past a multiple of 64 at which allocators put large arrays
NUMPY_ERRORS: dict[str, Any] = {"error_model": "numpy"}


# -- chains -------------------------------------------------------------------------------------------
@njit
def integer_chain(n, a, b):
    """Eight dependent integer operations per iteration, one cycle each."""
    x = a
    for _ in range(n):
        x = (x ^ a) + b
        x = (x ^ b) + a
        x = (x ^ a) + b
        x = (x ^ b) + a
    return x


@njit
def add_chain(n, s, a):
    for _ in range(n):
        s = s + a
        s = s + a
        s = s + a
        s = s + a
    return s


@njit
def mul_chain(n, s, a):
    for _ in range(n):
        s = s * a
        s = s * a
        s = s * a
        s = s * a
    return s


@njit(fastmath={"contract"})
def fma_chain(n, s, a):
    for _ in range(n):
        s = s * a + a
        s = s * a + a
        s = s * a + a
        s = s * a + a
    return s


@njit(**NUMPY_ERRORS)
def div_chain(n, s, a):
    for _ in range(n):
        s = a / s
        s = a / s
        s = a / s
        s = a / s
    return s


@njit
def sqrt_chain(n, s, a):
    for _ in range(n):
        s = math.sqrt(s)
        s = math.sqrt(s)
        s = math.sqrt(s)
        s = math.sqrt(s)
    return s


@njit
def row_sums(x, out, repeats):
    for _ in range(repeats):
        for i in range(x.shape[0]):
            s = 0.0
            for j in range(x.shape[1]):
                s += x[i, j]
            out[i] = s


@njit
def row_minima(x, out):
    for i in range(x.shape[0]):
        s = x[i, 0]
        for j in range(x.shape[1]):
            s = min(s, x[i, j])
        out[i] = s


@njit
def row_updates(x, a, repeats, one):
    for _ in range(repeats):
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                x[i, j] = x[i, j] * a
        a = a * one


@njit
def sums_along(x, y):
    """Each sum is the element before, which is loaded again as its subscript is tested."""
    for i in range(2, x.shape[0]):
        y[i] = x[i] + y[i - 1]


# -- throughput ---------------------------------------------------------------------------------------
@njit
def plain(x, y, a, b, repeats, one):
    """Seventeen operations per element, in short chains, that do not fuse."""
    for _ in range(repeats):
        for i in range(x.shape[0]):
            u = x[i]
            p, q, r, s = u * a + b, u * b + a, u * a - b, u * b - a
            v, w = p * q + r, r * s + p
            y[i] = (v * w + q) + (p * s + v) * w
        a = a * one


@njit
def products(x, y, a, b, repeats, one):
    """Seventeen multiplications, likewise."""
    for _ in range(repeats):
        for i in range(x.shape[0]):
            u = x[i]
            p, q, r, s = u * a * a, u * b * b, u * a * b, u * b * a
            v, w = p * q * r, r * s * p
            y[i] = (v * w * q) * (p * s * v) * w
        a = a * one


@njit(fastmath={"contract"})
def fused(x, y, a, b, repeats, one):
    for _ in range(repeats):
        for i in range(x.shape[0]):
            u = x[i]
            p, q, r, s = u * a + b, u * b + a, u * a - b, u * b - a
            v, w = p * q + r, r * s + p
            y[i] = (v * w + q) + (p * s + v) * w
        a = a * one


@njit(**NUMPY_ERRORS)
def divisions(x, y, a, repeats, one):
    for _ in range(repeats):
        for i in range(x.shape[0]):
            y[i] = a / x[i]
        a = a * one


@njit
def square_roots(x, y, a, repeats, one):
    for _ in range(repeats):
        for i in range(x.shape[0]):
            y[i] = math.sqrt(x[i] + a)
        a = a * one


@njit
def strided_plain(x, y, a, b, step, repeats, one):
    for _ in range(repeats):
        for i in range(y.shape[0]):
            u = x[i * step]
            p, q, r, s = u * a + b, u * b + a, u * a - b, u * b - a
            v, w = p * q + r, r * s + p
            y[i * step] = (v * w + q) + (p * s + v) * w
        a = a * one


@njit(**NUMPY_ERRORS)
def strided_divisions(x, y, a, step, repeats, one):
    for _ in range(repeats):
        for i in range(y.shape[0]):
            y[i * step] = a / x[i * step]
        a = a * one


@njit
def strided_square_roots(x, y, a, step, repeats, one):
    for _ in range(repeats):
        for i in range(y.shape[0]):
            y[i * step] = math.sqrt(x[i * step] + a)
        a = a * one


@njit
def tested_axpy(x, y, a, first, repeats, one):
    """Scalar code: Numba tests both subscripts for negative values."""
    for _ in range(repeats):
        for i in range(first + 1, x.shape[0]):
            y[i] = y[i] + a * x[i]
        a = a * one


@njit
def functions(x, y, kind):
    if kind == 0:
        for i in range(x.shape[0]):
            y[i] = math.exp(x[i])
    elif kind == 1:
        for i in range(x.shape[0]):
            y[i] = math.log(x[i])
    elif kind == 2:
        for i in range(x.shape[0]):
            y[i] = math.sin(x[i])
    elif kind == 3:
        for i in range(x.shape[0]):
            y[i] = math.tanh(x[i])
    else:
        for i in range(x.shape[0]):
            y[i] = x[i] ** 1.7


# -- streams ------------------------------------------------------------------------------------------
@njit(fastmath=True)
def load(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


@njit
def store(x, a, repeats, one):
    for _ in range(repeats):
        for i in range(x.shape[0]):
            x[i] = a
        a = a * one


@njit
def update(x, a, repeats, one):
    for _ in range(repeats):
        for i in range(x.shape[0]):
            x[i] = x[i] * a
        a = a * one


@njit
def scale(x, y, a, repeats, one):
    for _ in range(repeats):
        for i in range(x.shape[0]):
            y[i] = x[i] * a
        a = a * one


@njit
def six_loads(x, y, a, repeats, one):
    for _ in range(repeats):
        n = y.shape[0]
        for i in range(n):
            y[i] = a * x[0, i] + x[1, i] + x[2, i] + x[3, i] + x[4, i] + x[5, i]
        a = a * one


@njit(fastmath=True)
def columns(x, out):
    for j in range(x.shape[1]):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i, j]
        out[j] = s


@njit
def column_updates(x, a):
    for j in range(x.shape[1]):
        for i in range(x.shape[0]):
            x[i, j] = x[i, j] * a


@njit
def chase(following, steps):
    place = 0
    for _ in range(steps):
        place = following[place]
    return place


# -- calls and cores ----------------------------------------------------------------------------------
@njit
def nothing():
    return 0


@njit
def nothing_of(x):
    return 0


@njit
def nothing_of_four(x, y, z, w):
    return 0


@njit(parallel=True)
def regions(x):
    for i in prange(x.shape[0]):
        x[i] = 1.0


@njit(parallel=True, fastmath=True)
def load_on_all(x):
    s = 0.0
    for i in prange(x.shape[0]):
        s += x[i]
    return s


def filled(elements: int, value: float = 1.0, kind: type = np.float64, offset: int = ALLOCATED) -> np.ndarray:
    """An array whose address is ``offset`` bytes past a multiple of 64, since vectors that cross lines are slower."""
    room = np.empty(elements * np.dtype(kind).itemsize + 64, np.uint8)
    first = (offset - room.ctypes.data) % 64
    array: np.ndarray = room[first : first + elements * np.dtype(kind).itemsize].view(kind)
    array[:] = value
    return array


def ring(lines: int, step: int) -> np.ndarray:
    """A cycle through ``lines`` elements that are ``step`` elements apart, in random order."""
    order = np.random.default_rng(1).permutation(lines) * step
    following = np.zeros(lines * step, np.int64)
    following[order] = np.roll(order, -1)
    return following
