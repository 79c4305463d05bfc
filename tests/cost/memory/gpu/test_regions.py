"""The traffic of a launch with free sizes, in pieces: at any launch and sizes a piece says what binding them gives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.api import Options, analyze_source
from roofscan.cost.memory.base import Movement
from roofscan.cost.memory.gpu.model import LaunchModel, filling
from roofscan.cost.memory.models import launch_of
from roofscan.roofline.gpu.layers import conditions_of
from roofscan.roofline.model import KernelReport
from roofscan.roofline.pieces import TrafficPieces
from roofscan.symbolic.expr import Number

KERNELS = """
import math
from numba import cuda, float32

@cuda.jit
def copy(a, b):
    i = cuda.grid(1)
    if i < b.size:
        b[i] = a[i]

@cuda.jit
def axpy(alpha, x, y):
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        y[i] = alpha * x[i] + y[i]

@cuda.jit
def scale(x, y, n):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < n:
        y[i] = 2.0 * x[i * 5]

@cuda.jit
def stencil(u, v):
    j, i = cuda.grid(2)
    n, m = u.shape
    if 0 < i < n - 1 and 0 < j < m - 1:
        v[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]

@cuda.jit
def transpose(a, b):
    j, i = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        b[j, i] = a[i, j]

@cuda.jit
def rows(a, s):
    i = cuda.grid(1)
    if i < a.shape[0]:
        acc = 0.0
        for j in range(a.shape[1]):
            acc += a[i, j]
        s[i] = acc

@cuda.jit
def columns(a, s):
    j = cuda.grid(1)
    if j < a.shape[1]:
        acc = 0.0
        for i in range(a.shape[0]):
            acc += a[i, j]
        s[j] = acc

@cuda.jit
def all_pairs(x, f):
    i = cuda.grid(1)
    n = x.shape[0]
    if i < n:
        acc = 0.0
        for j in range(n):
            acc += math.sqrt(abs(x[j] - x[i]))
        f[i] = acc

@cuda.jit
def tiled(A, B, C):
    sA = cuda.shared.array((32, 32), float32)
    sB = cuda.shared.array((32, 32), float32)
    j, i = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    acc = float32(0.0)
    for t in range(A.shape[1] // 32):
        sA[ty, tx] = A[i, t * 32 + tx]
        sB[ty, tx] = B[t * 32 + ty, j]
        cuda.syncthreads()
        for k in range(32):
            acc += sA[ty, k] * sB[k, tx]
        cuda.syncthreads()
    C[i, j] = acc

@cuda.jit
def gather(x, index, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[index[i]]

@cuda.jit
def pool(a, b):
    j, i = cuda.grid(2)
    if i < b.shape[0] and j < b.shape[1]:
        b[i, j] = max(a[2 * i, 2 * j], a[2 * i, 2 * j + 1], a[2 * i + 1, 2 * j], a[2 * i + 1, 2 * j + 1])

@cuda.jit
def enlarge(a, b):
    j, i = cuda.grid(2)
    if i < b.shape[0] and j < b.shape[1]:
        b[i, j] = a[i // 2, j // 2]

@cuda.jit
def last_rows(a, b):
    j, i = cuda.grid(2)
    n, m = b.shape
    if i < n and j < m:
        if cuda.threadIdx.y == 7 and i < n - 1:
            b[i, j] = a[i, j]

@cuda.jit
def in_turns(a, out):
    cache = cuda.shared.array(256, float32)
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    t = 0.0
    while i < a.shape[0]:
        t += a[i]
        i += cuda.blockDim.x * cuda.gridDim.x
    cache[cuda.threadIdx.x] = t
    cuda.atomic.add(out, 0, t)
"""
NAMES = ("copy", "axpy", "scale", "stencil", "transpose", "rows", "columns", "all_pairs", "tiled", "pool")
BLOCKS = (32, 64, 128)
COVERED = 0.4  # of the launches and sizes that are tried, those that have a piece at least


@lru_cache(maxsize=4)
def analysed(machine: str = "h200") -> Mapping[str, KernelReport]:
    found = analyze_source(KERNELS, options=Options(machines=(machine,), layers=True))
    return {kernel.kernel.name: kernel.reports[0] for kernel in found.kernels}


@lru_cache(maxsize=64)
def pieces_of(name: str, machine: str = "h200") -> TrafficPieces:
    return TrafficPieces(analysed(machine)[name].cost)


def model_of(name: str, machine: str = "h200") -> LaunchModel:
    model = launch_of(analysed(machine)[name].cost)
    assert model is not None
    return model


@st.composite
def launches(draw: st.DrawFn, name: str, machine: str) -> Mapping[str, Number]:
    """Sizes that fill blocks, from one block to far beyond the second cache, for blocks of any usual shape."""
    model, point = model_of(name, machine), {}
    for symbol in model.kernel.symbols:
        if symbol.name not in model.free:
            continue
        if symbol.kind == "tile" and name != "tiled":
            point[symbol.name] = (
                draw(st.sampled_from(BLOCKS)) if symbol.name == "block_x" else draw(st.sampled_from([2, 4, 8]))
            )
        elif symbol.kind in ("size", "int") and symbol.name not in model.kernel.values:
            point[symbol.name] = 256 * draw(st.integers(1, 2 ** draw(st.integers(0, 8))))
    if "n" in point and "x_shape_0" in point:
        point |= {"x_shape_0": 5 * point["n"], "y_shape_0": point["n"]}  # threads stay inside
    if name == "tiled":
        point |= {"C_shape_0": point["A_shape_0"], "C_shape_1": point["B_shape_1"]}  # and those of a product
    return filling(model.kernel, {**model.values, **point}, model.free)


CALLS = [*(("h200", name) for name in NAMES), *(("mi300x", name) for name in ("copy", "stencil", "transpose", "rows"))]


@pytest.mark.parametrize(("machine", "name"), CALLS)
def test_a_piece_is_what_binding_the_launch_gives(machine: str, name: str) -> None:
    tried, found = 0, 0

    @settings(max_examples=20, deadline=None)
    @given(launches(name, machine))
    def check(point: Mapping[str, Number]) -> None:
        nonlocal tried, found
        model = model_of(name, machine)
        moved = model.movements_at(point)
        for capacity, want in ((model.device.l1, moved.l2), (model.device.l2, moved.dram)):
            piece = next((p for p in pieces_of(name, machine).at(capacity) if holds(p.when, point)), None)
            tried, found = tried + 1, found + (piece is not None)
            if piece is not None:
                for said, really in ((piece.moved.load, want.load), (piece.moved.writeback, want.store)):
                    counted = float(sum(really.values()))
                    assert float(said.evaluate(point)) == pytest.approx(counted, rel=2e-3, abs=64), (point, piece)

    check()
    assert found >= COVERED * tried or machine == "mi300x", (name, found, tried)


def test_a_grid_that_is_held_is_the_same_number_everywhere() -> None:
    """Each element is read once, whatever the number of turns that a thread takes."""
    model = model_of("in_turns")
    assert (
        str(model.requested.arrays["a"].load) == str(model.traffic(model.device.l2).arrays["a"].load) == "8*a_shape_0"
    )


def test_rows_that_floors_number_are_as_long_as_their_array() -> None:
    model = model_of("enlarge")
    assert "a_shape_1" in model.traffic(model.device.l2).arrays["a"].load.symbols


@pytest.mark.parametrize("rows", [61, 62, 64, 1021])
def test_sectors_of_the_last_threads_of_blocks_grow_with_the_sizes(rows: int) -> None:
    """The last block of a column has such threads where it is full."""
    model = model_of("last_rows")
    point = filling(model.kernel, {**model.values, "m": 64 * 32, "n": rows * 8 + 2}, model.free)
    said = model.requested.arrays["a"].load.evaluate(point)
    assert float(said) == pytest.approx(float(model.movements_at(point).of("a", False).sectors) * 32, rel=0.05)


def test_a_piece_of_a_gather_holds_for_arrays_about_as_large() -> None:
    model, found = model_of("gather"), 0
    for length, elements in product((2**10, 2**16, 2**20, 2**24, 2**28, model.values["x_shape_0"]), repeat=2):
        sizes = {"x_shape_0": length, "index_shape_0": elements, "y_shape_0": elements}
        point = filling(model.kernel, {**model.values, **sizes}, model.free)
        moved = model.movements_at(point)
        for capacity, want in ((model.device.l1, moved.l2), (model.device.l2, moved.dram)):
            for piece in (p for p in pieces_of("gather").at(capacity) if holds(p.when, point)):
                found += 1
                assert piece.status == "estimate"
                assert float(piece.moved.load.evaluate(point)) == pytest.approx(sum(want.load.values()), rel=0.03)
    assert found


def holds(when, point: Mapping[str, Number]) -> bool:  # type: ignore[no-untyped-def]
    return all(expr.evaluate(point) >= 0 for expr in when)


def total(moved: Movement, point: Mapping[str, Number]) -> float:
    return float((moved.load + moved.writeback).evaluate(point))


def test_the_layer_condition_of_a_stencil_is_a_row_of_blocks() -> None:
    """A row of blocks reads block_y + 2 rows, and writes block_y."""
    report = analysed()["stencil"]
    steps = {step.what: step for step in conditions_of(report)}
    needs = steps["a row of blocks"].needs.evaluate({"m": 4096, "block_y": 8})
    assert needs == pytest.approx(8 * 4096 * (8 + 2 + 8), rel=0.01)
    [fit] = steps["a row of blocks"].fits
    assert fit.cache == "L2" and fit.symbol == "m"


@pytest.mark.parametrize("block", [(32, 8), (32, 16), (64, 4)])
def test_bytes_of_a_stencil_in_the_block(block: tuple[int, int]) -> None:
    """A block of (32, 8) fetches 96 sectors of 32 bytes: 10 rows of 8 and 2 beside each of 8."""
    model = model_of("stencil")
    point = filling(model.kernel, {**model.values, "block_x": block[0], "block_y": block[1]}, model.free)
    expr = model.traffic(model.device.l1).arrays["u"].load
    blocks = point["m"] * point["n"] / (block[0] * block[1])
    rows = block[1] + 2
    sectors = rows * block[0] * 8 // 32 + 2 * block[1]
    near = 0.5 * (64 + sectors * 32 - block[0] * block[1] * 8)
    assert float(expr.evaluate(point)) / float(blocks) == pytest.approx(sectors * 32 + near, rel=0.25)
