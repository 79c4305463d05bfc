"""CUDA idioms without sizes: a warp for each row, trees that double, tables of a module, random states."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source
from roofscan.report.json_ import kernel_json
from roofscan.report.time_text import time_text
from roofscan.roofline.model import KernelReport

HEAD = "import numpy as np\nfrom numba import cuda, float32, int32\n"

A_WARP_FOR_EACH_ROW = """@cuda.jit
def f(a, out):
    tid = cuda.grid(1)
    row = tid // 32
    lane = tid % 32
    if row < a.shape[0]:
        s = 0.0
        for c in range(lane, a.shape[1], 32):
            s += a[row, c]
        for d in (16, 8, 4, 2, 1):
            s += cuda.shfl_down_sync(0xffffffff, s, d)
        if lane == 0:
            out[row] = s
"""
A_TREE_THAT_DOUBLES = """@cuda.jit
def f(data, out):
    tid = cuda.threadIdx.x
    if tid < data.size:
        s = cuda.shared.array(64, float32)
        s[tid] = data[cuda.grid(1)]
        cuda.syncthreads()
        step = 1
        while step < cuda.blockDim.x:
            if tid % (2 * step) == 0:
                s[tid] += s[tid + step]
            step *= 2
            cuda.syncthreads()
        if tid == 0:
            out[cuda.blockIdx.x] = s[tid]
"""
ROWS = """@cuda.jit
def f(indptr, indices, data, x, y):
    i = cuda.grid(1)
    if i < y.size:
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * x[indices[k]]
        y[i] = s
"""
NUMBERS = """@cuda.jit
def f(low, high, image):
    x = cuda.grid(1)
    if x < image.size:
        image[x] = low + x * (high - low) / image.size
"""
TABLE = """W = np.arange(9, dtype=np.float32).reshape(3, 3)
V = np.array([4 / 9, 1 / 9, 1 / 36], dtype=np.float32)

@cuda.jit
def f(x, y):
    w = cuda.const.array_like(W)
    v = cuda.const.array_like(V)
    i = cuda.grid(1)
    if i < y.size:
        s = float32(0.0)
        for k in range(3):
            s += w[1, k] * x[i + k] + v[k]
        y[i] = s
"""
DRAWS = """from numba.cuda.random import xoroshiro128p_uniform_float32

@cuda.jit
def f(states, out):
    i = cuda.grid(1)
    out[i] = xoroshiro128p_uniform_float32(states, i)
"""


def analyzed(text: str, bind: str = "") -> KernelReport:
    [kernel] = analyze_source(HEAD + text, options=Options(machines=("h200",), bind=bind)).kernels
    return kernel.reports[0]


def test_a_warp_for_each_row_covers_all_rows_and_reads_each_element_once() -> None:
    report = analyzed(A_WARP_FOR_EACH_ROW)
    assert str(report.cost.flops) == "a_shape_0*a_shape_1 + 160*a_shape_0" and report.cost.status == "exact"
    found = kernel_json([report])
    [at] = [r for r in found["levels"] if r["name"] == "HBM"]
    sizes = {"a_shape_0": 92672, "a_shape_1": 92672, "block_x": 256, "threads_x": 32 * 92672, "blocks_x": 92672 // 8}
    loaded = eval(at["load"]["expr"], {"floor": lambda x: x // 1, "ceiling": lambda x: -(-x // 1)}, sizes)
    assert loaded == pytest.approx(8 * 92672**2, rel=0.01)


@pytest.mark.parametrize(("text", "names"), [
    (A_TREE_THAT_DOUBLES, {"block_x", "blocks_x", "data_shape_0"}),
    (NUMBERS, {"image_shape_0"}), (DRAWS, {"threads_x"}),
])  # fmt: skip
def test_counts_without_sizes_are_exact(text: str, names: set[str]) -> None:
    report = analyzed(text)
    assert report.cost.status == "exact", report.cost.kernel.reasons
    assert report.cost.flops.symbols <= names


def test_the_footprint_of_rows_of_unknown_length_is_all_of_them() -> None:
    found = kernel_json([analyzed(ROWS, "y=f8[1024] x=f8[1024] indptr=i8[1025] grid=4 block=256")])
    assert found["footprint"]["expr"] == "16*nnz + 24608"


def test_tables_of_a_module_are_known_through_arithmetic_and_reshape() -> None:
    found = kernel_json([analyzed(TABLE, "x=f4[1002] y=f4[1000] grid=4 block=256")])
    assert (found["status"], found["flops"]["value"], found["precision"]) == ("exact", 9 * 1000, "fp32")


def test_a_tree_that_doubles_adds_each_pair_once() -> None:
    sizes = {"block_x": 64, "blocks_x": 10, "data_shape_0": 640}
    assert analyzed(A_TREE_THAT_DOUBLES).cost.flops.evaluate(sizes) == 10 * 63


def test_random_states_are_bound_as_their_records() -> None:
    found = kernel_json([analyzed(DRAWS, "states=i8[256] out=f4[256] grid=4 block=64")])
    assert found["status"] == "exact" and [f["code"] for f in found["findings"]] == ["RFL703"]
    assert found["levels"][0]["load"]["value"] == 256 * 16 * 2  # two words of 16 bytes apart: each asks for all sectors


UNTIL = """@cuda.jit
def f(x, y, n):
    i = cuda.grid(1)
    if i < x.size:
        z = x[i]
        for k in range(n):
            if z > 4.0:
                break
            z = z * z
        y[i] = z
"""


def test_a_time_says_how_many_iterations_it_takes_of_a_loop_that_data_end() -> None:
    report = analyzed(UNTIL, "x=f8[65536] y=f8[65536] n=200 grid=256 block=256")
    [trips] = [s.name for s in report.cost.kernel.symbols if s.kind == "trips"]
    assert f" at {trips} = {report.cost.sample_point[trips]}; " in time_text(report)


ROWS_OF_A_BLOCK = """@cuda.jit
def f(a, y):
    row = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if row < a.shape[0]:
        s = float32(0.0)
        for j in range(cuda.threadIdx.x, a.shape[1], cuda.blockDim.x):
            s += a[row, j]
        cuda.atomic.add(y, row, s)
"""


def test_a_direction_whose_blocks_nothing_tells_apart_has_one() -> None:
    report = analyzed(ROWS_OF_A_BLOCK)
    assert str(report.cost.flops) == "a_shape_0*a_shape_1 + a_shape_0*block_x"
