"""Kernels as people write them: what a run of every thread touches, loads and stores, and their operations by hand."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.cost.memory.gpu.traffic.mover import Mover
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.cost.memory.models import launch_of
from tests.cost.memory.gpu.against_runs import DEVICE, compare, modelled
from tests.oracle.launches import Triple, launched

HEAD = "import math\nfrom numba import cuda, float32\n"


def _zeros(*shape: int) -> np.ndarray[Any, Any]:
    return np.zeros(shape, np.float32)


SAXPY_VEC4 = """@cuda.jit
def f(x, y, a):
    i = cuda.grid(1) * 4
    if i + 3 < x.size:
        for k in range(4):
            y[i + k] = a * x[i + k] + y[i + k]
"""
SOFTMAX_ROW_BLOCK = """@cuda.jit
def f(x, y):
    s = cuda.shared.array(64, float32)
    r, t = cuda.blockIdx.x, cuda.threadIdx.x
    m = float32(-1e30)
    for j in range(t, x.shape[1], 64):
        m = max(m, x[r, j])
    s[t] = m
    cuda.syncthreads()
    k = 32
    while k > 0:
        if t < k:
            s[t] = max(s[t], s[t + k])
        cuda.syncthreads()
        k //= 2
    m = s[0]
    cuda.syncthreads()
    acc = float32(0.0)
    for j in range(t, x.shape[1], 64):
        e = math.exp(x[r, j] - m)
        y[r, j] = e
        acc += e
    s[t] = acc
    cuda.syncthreads()
    k = 32
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    inv = float32(1.0) / s[0]
    for j in range(t, x.shape[1], 64):
        y[r, j] *= inv
"""
CONV1D_SHARED = """@cuda.jit
def f(x, w, y):
    s = cuda.shared.array(72, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i]
    if t < 8:
        s[64 + t] = x[i + 64]
    cuda.syncthreads()
    acc = float32(0.0)
    for k in range(9):
        acc += w[k] * s[t + k]
    y[i] = acc
"""
LAYERNORM_WARP = """@cuda.jit
def f(x, g, b, y):
    lane = cuda.threadIdx.x % 32
    row = cuda.blockIdx.x * 4 + cuda.threadIdx.x // 32
    s = float32(0.0)
    q = float32(0.0)
    for j in range(lane, x.shape[1], 32):
        v = x[row, j]
        s += v
        q += v * v
    for j in range(lane, x.shape[1], 32):
        y[row, j] = (x[row, j] - s) * q * g[j] + b[j]
"""
BATCHED_MM4 = """@cuda.jit
def f(A, B, C):
    t = cuda.grid(1)
    if t < A.shape[0]:
        for i in range(4):
            for j in range(4):
                acc = float32(0.0)
                for k in range(4):
                    acc += A[t, i, k] * B[t, k, j]
                C[t, i, j] = acc
"""
PREFIX_COLS = """@cuda.jit
def f(a):
    j = cuda.grid(1)
    if j < a.shape[1]:
        for i in range(1, a.shape[0]):
            a[i, j] += a[i - 1, j]
"""
THOMAS = """@cuda.jit
def f(a, b, c, d, x):
    t = cuda.grid(1)
    if t < a.shape[1]:
        n = a.shape[0]
        c[0, t] = c[0, t] / b[0, t]
        d[0, t] = d[0, t] / b[0, t]
        for i in range(1, n):
            m = float32(1.0) / (b[i, t] - a[i, t] * c[i - 1, t])
            c[i, t] = c[i, t] * m
            d[i, t] = (d[i, t] - a[i, t] * d[i - 1, t]) * m
        x[n - 1, t] = d[n - 1, t]
        for i in range(n - 2, -1, -1):
            x[i, t] = d[i, t] - c[i, t] * x[i + 1, t]
"""
STENCIL_25D = """@cuda.jit
def f(u, v):
    j, i = cuda.grid(2)
    if 0 < i < u.shape[1] - 1 and 0 < j < u.shape[2] - 1:
        below = u[0, i, j]
        here = u[1, i, j]
        for k in range(1, u.shape[0] - 1):
            above = u[k + 1, i, j]
            across = u[k, i - 1, j] + u[k, i + 1, j] + u[k, i, j - 1] + u[k, i, j + 1]
            v[k, i, j] = below + above + across - float32(6.0) * here
            below = here
            here = above
"""
POOL2 = """@cuda.jit
def f(x, y):
    j, i = cuda.grid(2)
    if i < y.shape[0] and j < y.shape[1]:
        y[i, j] = max(max(x[2*i, 2*j], x[2*i, 2*j+1]), max(x[2*i+1, 2*j], x[2*i+1, 2*j+1]))
"""
KERNELS: dict[str, tuple[str, dict[str, Any], Triple, Triple, int]] = {
    "four elements a thread": (
        SAXPY_VEC4,
        {"x": _zeros(1024), "y": _zeros(1024), "a": 2.0},
        (4, 1, 1),
        (64, 1, 1),
        2048,
    ),
    "a row a block": (SOFTMAX_ROW_BLOCK, {"x": _zeros(6, 256), "y": _zeros(6, 256)}, (6, 1, 1), (64, 1, 1), 8820),
    "a halo in shared memory": (
        CONV1D_SHARED,
        {"x": _zeros(264), "w": _zeros(9), "y": _zeros(256)},
        (4, 1, 1),
        (64, 1, 1),
        4608,
    ),
    "a row a warp": (
        LAYERNORM_WARP,
        {"x": _zeros(12, 128), "g": _zeros(128), "b": _zeros(128), "y": _zeros(12, 128)},
        (3, 1, 1),
        (128, 1, 1),
        10752,
    ),
    "small products": (
        BATCHED_MM4,
        {"A": _zeros(200, 4, 4), "B": _zeros(200, 4, 4), "C": _zeros(200, 4, 4)},
        (4, 1, 1),
        (64, 1, 1),
        25600,
    ),
    "running sums of columns": (PREFIX_COLS, {"a": _zeros(12, 100)}, (2, 1, 1), (64, 1, 1), 1100),
    "tridiagonal systems": (
        THOMAS,
        {"a": _zeros(10, 64), "b": _zeros(10, 64) + 1, "c": _zeros(10, 64), "d": _zeros(10, 64), "x": _zeros(10, 64)},
        (2, 1, 1),
        (32, 1, 1),
        5312,
    ),
    "a column of planes": (STENCIL_25D, {"u": _zeros(6, 32, 64), "v": _zeros(6, 32, 64)}, (2, 4, 1), (32, 8, 1), 52080),
    "maxima of squares": (POOL2, {"x": _zeros(64, 128), "y": _zeros(32, 64)}, (2, 4, 1), (32, 8, 1), 6144),
}


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_touched_is_that_of_a_run(name: str) -> None:
    text, arguments, grid, block, _ = KERNELS[name]
    compare(text, deepcopy(arguments), grid, block)


@pytest.mark.parametrize("name", KERNELS)
def test_what_moves_at_least_is_that_of_a_run(name: str) -> None:
    text, arguments, grid, block, _ = KERNELS[name]
    moved = Mover(modelled(text, arguments, grid, block), DEVICE).movements()
    run = launched(text, "f", deepcopy(arguments), grid, block)
    loaded, [touched] = run.loaded(DEVICE.sector), run.waves(DEVICE.sector, math.prod(grid))
    for array in {r.name for r in moved.program.references if r.array.space == "global"}:
        least = value_of(moved.least.load.get(array, 0)), value_of(moved.least.store.get(array, 0))
        assert least == pytest.approx((loaded.get(array, 0), touched.get((array, True), 0)), rel=0.01), array
        assert value_of(moved.surely.load.get(array, 0)) <= loaded.get(array, 0)
        assert value_of(moved.surely.store.get(array, 0)) <= touched.get((array, True), 0)


@pytest.mark.parametrize("name", KERNELS)
def test_operations_are_those_derived_by_hand(name: str) -> None:
    text, arguments, grid, block, flops = KERNELS[name]
    words = [
        f"{k}=f4[{','.join(map(str, v.shape))}]" if isinstance(v, np.ndarray) else f"{k}=f4:{v}"
        for k, v in arguments.items()
    ]
    sizes = " ".join(f"{k}=({','.join(map(str, v))})" for k, v in (("grid", grid), ("block", block)))
    [kernel] = analyze_source(HEAD + text, options=Options(bind=" ".join((*words, sizes)), machines=("h200",))).kernels
    cost = kernel.reports[0].cost
    assert (cost.status, cost.flops.evaluate(cost.sample_point)) == ("exact", flops)


def test_what_a_walk_writes_is_loaded_by_a_walk_back_that_comes_too_late_alone() -> None:
    """c and d, of 256 MB each, leave the second cache before the way back; x[i + 1] was written a moment ago."""
    rows, row = 256, 262144 * 4
    words = [f"{name}=f4[{rows},262144]" for name in "abcdx"]
    bind = " ".join((*words, "grid=(2048,) block=(128,)"))
    [kernel] = analyze_source(HEAD + THOMAS, options=Options(bind=bind, machines=("h200",))).kernels
    model = launch_of(kernel.reports[0].cost)
    assert model is not None
    loads = {name: value_of(moved) / row for name, moved in model.movements.dram.load.items()}
    assert loads == {"a": rows - 1, "b": rows, "c": 2 * rows - 1, "d": 2 * rows, "x": 0}


TWICE = """@cuda.jit
def f(x, y):
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = float32(0.0)
        for j in range(x.shape[1]):
            y[i, j] = x[i, j]
            total += x[i, j]
        for j in range(x.shape[1]):
            y[i, j] /= total
"""


def test_what_a_loop_wrote_long_ago_is_loaded_to_be_changed() -> None:
    bind = "x=f4[131072,1024] y=f4[131072,1024] grid=(512,) block=(256,)"
    [kernel] = analyze_source(HEAD + TWICE, options=Options(bind=bind, machines=("h200",))).kernels
    model = launch_of(kernel.reports[0].cost)
    assert model is not None
    moved = model.movements
    early = 2 * 0.4 * 2**29  # each walk fills sectors element by element: some leave before they are whole
    loads = {name: value_of(n) for name, n in moved.dram.load.items()}
    assert loads == pytest.approx({"x": 2**29, "y": 2**29 + early}, 1e-3)
    assert {name: value_of(n) for name, n in moved.least.load.items()} == {"x": 2**29, "y": 0}


FLAT = """@cuda.jit
def f(x, mean, y):
    i = cuda.grid(1)
    n, c, h, w = x.shape
    if i < n * c * h * w:
        at = i // (w * h * c), (i // (w * h)) % c, (i // w) % h, i % w
        y[at[0], at[1], at[2], at[3]] = x[at[0], at[1], at[2], at[3]] - mean[at[1]]
"""


def test_a_flat_index_taken_apart_in_four_is_flat_again() -> None:
    arguments = {"x": _zeros(2, 3, 8, 16), "mean": _zeros(3), "y": _zeros(2, 3, 8, 16)}
    program = modelled(FLAT, arguments, (12, 1, 1), (64, 1, 1))
    flat = [r for r in program.references if r.name != "mean"]
    assert len(flat) == 2 and all((r.thread[0], r.block[0], r.scattered) == (4, 256, False) for r in flat)


WHILE = """@cuda.jit
def f(x, y):
    t = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    total = float32(0.0)
    while t < x.size:
        total += x[t]
        t += cuda.blockDim.x * cuda.gridDim.x
    y[cuda.grid(1)] = total
"""


@pytest.mark.parametrize("size", [1000, 1024])
def test_a_stride_over_the_grid_by_while_is_one(size: int) -> None:
    arguments = {"x": _zeros(size), "y": _zeros(256)}
    compare(WHILE, arguments, (4, 1, 1), (64, 1, 1))
    moved = Mover(modelled(WHILE, arguments, (4, 1, 1), (64, 1, 1)), DEVICE).movements()
    assert not moved.program.unknown and value_of(moved.surely.load["x"]) == 4 * size


ARMS = """@cuda.jit
def f(x, y):
    i = cuda.grid(1)
    if i < x.size:
        if {test}:
            y[i] = float32(0)
        elif x[i] > float32(3):
            y[i] = x[i]
        else:
            y[i] = {other}
"""


@pytest.mark.parametrize(("test", "other"), [("x[i] < -1", "x[i] * x[i]"), ("i % 2 == 0", "float32(1)")])
def test_parts_of_a_condition_that_end_with_the_same_store_store_once(test: str, other: str) -> None:
    moved = Mover(
        modelled(ARMS.format(test=test, other=other), {"x": _zeros(1024), "y": _zeros(1024)}, (16, 1, 1), (64, 1, 1)),
        DEVICE,
    ).movements()
    assert (moved.of("y", True).requests, moved.of("y", True).sectors) == (32, 128)
    assert value_of(moved.surely.store["y"]) == 4096


def test_a_load_after_a_store_keeps_the_stores_of_both_parts() -> None:
    text = ARMS.format(test="x[i] < -1", other="float32(1)\n            y[i] += x[i]")
    moved = Mover(modelled(text, {"x": _zeros(1024), "y": _zeros(1024)}, (16, 1, 1), (64, 1, 1)), DEVICE).movements()
    assert moved.of("y", True).requests == 64
