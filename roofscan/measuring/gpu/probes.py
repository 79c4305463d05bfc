"""The kernels that measure a GPU: each leaves one resource as the slowest."""

from __future__ import annotations

from numba import cuda, uint64


@cuda.jit
def read(x, out):
    total = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    if total == -1.0:
        out[0] = total


@cuda.jit
def read_again(x, out, times, shift, part):
    """Passes over the eight parts of ``x``. In each pass a block reads what another block read before, so that it is in
    no L1. ``shift`` and ``part`` are unsigned, so that subscripts have no test of their sign."""
    total, first = 0.0, shift - shift
    begin, step = uint64(cuda.grid(1)), uint64(cuda.gridsize(1))
    for _ in range(times):
        i = begin
        while i < part:
            at = i + first
            if at >= part:
                at -= part
            total += x[at]
            for _ in range(7):
                at += part
                total += x[at]
            i += step
        first += shift
        if first >= part:
            first -= part
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
