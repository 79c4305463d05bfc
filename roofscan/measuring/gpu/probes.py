"""The kernels that measure a GPU: each leaves one resource as the slowest."""

from __future__ import annotations

from numba import cuda


@cuda.jit
def read(x, out):
    total = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    if total == -1.0:
        out[0] = total


@cuda.jit
def read_again(x, out, times, shift):
    """Passes over all of ``x``, in each of which a block reads what another one read before: no first cache has it."""
    total, first = 0.0, 0
    for _ in range(times):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            place = i + first
            total += x[place if place < x.size else place - x.size]
        first = first + shift if first + shift < x.size else first + shift - x.size
    if total == -1.0:
        out[0] = total


@cuda.jit
def write(x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] = 1.0


@cuda.jit
def copy(x, out):
    half = x.size // 2
    for i in range(cuda.grid(1), half, cuda.gridsize(1)):
        x[half + i] = x[i]


@cuda.jit
def chase(following, start, loads, out):
    place = following[start]
    for _ in range(loads):
        place = following[place]
    out[0] = place


@cuda.jit
def nothing():
    pass


@cuda.jit
def four(a, b, c, d):
    pass
