"""Bytes and times of kernels counted on an H200 (``benchmarks/hardware/gpu``), and what the counters taught."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from benchmarks.gpu import Outcome, outcome, runs
from roofscan.api import Options, analyze_source
from roofscan.report.json_ import kernel_json

RUNS = {run.name: run for run in runs(Path(__file__).parents[4] / "benchmarks/hardware/gpu")}
OFF = {  # what is further off, and why
    "scatter_index": "its places are near each other, as no source says",
    "bfs_frontier": "few vertices are in the frontier",
    "mandelbrot_px": "its loop ends early",
    "neighbour_forces": "the lengths of its lists are data",
    "count_above": "few elements pass",
    "dropout": "few numbers that it draws pass",
    "upwind2d": "both arms of its branches read with one load",
    "red_black": "every other element of a row, from where its number says",
    "channels_last": "its stores leave the second cache in pieces",
    "unit_rows": "the second cache holds some of the rows that threads walk along",
}
WIDE = {  # of what misses, and is asked for again
    "dgemm_tile16": (0.7, 1.4), "gemm_by_columns": (0.7, 1.4), "nbody_aos": (0.6, 1.5), "gravity_f64": (0.6, 1.6),
    "spmv_ell": (0.8, 1.2), "product_tile16": (0.8, 1.2), "product_of_four": (0.8, 1.2),
}  # fmt: skip


@cache
def counted(name: str) -> Outcome:
    return outcome(RUNS[name])


@pytest.mark.parametrize("name", sorted(RUNS.keys() - OFF))
def test_bytes_are_those_counted(name: str) -> None:
    found = counted(name)
    low, high = WIDE.get(name, (0.85, 1.15))
    assert found.right["L1"], found.ratios
    for level in ("L2", "DRAM"):
        assert found.right[level] or low <= found.ratios[level] <= high, (level, found.ratios)


def times(found: Outcome) -> float:
    return found.ratios["time"]


@pytest.mark.parametrize("name", ["softmax_thread", "rgb_to_grey", "life", "lj_cutoff", "gemm_naive"])
def test_times_are_near_those_measured(name: str) -> None:
    """Loops of one round of blocks; loads that wait together; reads that stay in a loop; a last round of few blocks."""
    assert 0.75 <= times(counted(name)) <= 1.25


@pytest.mark.parametrize("name", ["star3d_r2", "acoustic_r4", "five_points_in_shared", "median_of_nine"])
def test_addresses_take_as_long_as_measured(name: str) -> None:
    """Neighbours in a loop and in unrolled loops, and rows of a tile in shared memory (0.5 to 1.5 before)."""
    assert 0.75 <= times(counted(name)) <= 1.25


@pytest.mark.parametrize("name", ["symmetric_matvec", "gemv_transposed"])
def test_four_loads_of_a_loop_are_in_flight(name: str) -> None:
    """Two iterations of two loads (0.7 with four iterations)."""
    assert 0.85 <= times(counted(name)) <= 1.15


def test_a_loop_that_stores_reads_its_elements_one_by_one() -> None:
    """Lines of all threads do not fit the first cache, so that each element is a sector (0.65 with merged loads)."""
    assert counted("unit_rows").right["L2"]


HEAD = "import math\nimport numpy as np\nfrom numba import cuda, float32\n\n@cuda.jit\n"


def levels(text: str, bind: str) -> list[tuple[float, float]]:
    [kernel] = analyze_source(HEAD + text, options=Options(machines=("h200",), bind=bind)).kernels
    found = kernel_json(kernel.reports)["levels"]
    return [(found[k]["load"]["value"], found[k]["writeback"]["value"]) for k in (0, -2, -1)]


STRIDED = """def f(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i * 16] = x[i]
"""
WHOLE = STRIDED.replace("i * 16", "i")


def test_memory_hands_out_the_rest_of_sectors_that_are_written_in_part() -> None:
    launch = "x=f4[16777216] y=f4[268435456] grid=65536 block=256"
    (_, (l2, _), (read, _)), (_, (whole_l2, _), (whole, _)) = (levels(text, launch) for text in (STRIDED, WHOLE))
    assert (read, whole) == (2**26 + 2**29, 2**26)
    assert l2 - whole_l2 == 2**29


FILL = "def f(y):\n    i = cuda.grid(1)\n    if i < y.size:\n        y[i] = 1.0\n"


@pytest.mark.parametrize(("text", "read"), [(FILL, 0), (FILL.replace("1.0", "y[i] + 1.0"), 2**28)])
def test_so_much_of_the_second_cache_stays_written(text: str, read: int) -> None:
    """Of kernels that read little beside, 0.42 of it (24 to 27 MB were counted)."""
    _, _, dram = levels(text, "y=f4[67108864] grid=262144 block=256")
    assert dram == (read, pytest.approx(2**28 - 0.42 * 60 * 2**20, rel=1e-6))


PAIRS = """def f(x, out):
    i = cuda.grid(1)
    s = float32(0.0)
    for j in range(x.size):
        if j != i:
            s += x[i] * x[j]
    out[i] = s
"""


def test_a_read_that_some_iterations_leave_out_stays_in_its_loop() -> None:
    """32 lanes read 4 sectors of their own and one in common; without the test, the own ones once."""
    bind = "x=f4[4096] out=f4[4096] grid=16 block=256"
    (load, _), *_ = levels(PAIRS, bind)
    assert load == pytest.approx(128 * 4096 * 5 * 32, rel=1e-3)
    (load, _), *_ = levels(PAIRS.replace("if j != i:", "if i < x.size:"), bind)
    assert load == 128 * (4096 + 4) * 32


GUARDED = """def f(x, w, y):
    i = cuda.grid(1)
    s = float32(0.0)
    for k in range(5):
        if i < x.size:
            s += x[i] * w[k]
    if i < x.size:
        y[i] = s
"""
TILE = """def f(A, B, C):
    row, col = cuda.blockIdx.y * 16 + cuda.threadIdx.y * 2, cuda.blockIdx.x * 32 + cuda.threadIdx.x * 2
    acc = cuda.local.array((2, 2), float32)
    for k in range(A.shape[1]):
        for a in range(2):
            for b in range(2):
                acc[a, b] += A[row + a, k] * B[k, col + b]
    for a in range(2):
        for b in range(2):
            C[row + a, col + b] = acc[a, b]
"""


def test_loops_that_are_unrolled_away_read_an_element_once() -> None:
    """x[i] by 100 threads, in 4 warps; of a tile of 2 by 2, two elements of A and two of B in each iteration."""
    assert levels(GUARDED, "x=f4[100] w=f4[5] y=f4[100] grid=4 block=32")[0] == ((13 + 4 * 5) * 32, 13 * 32)
    (load, store), *_ = levels(TILE, "A=f4[32,16] B=f4[16,64] C=f4[32,64] grid=(2,2) block=(16,8)")
    rows, columns = 2, 128 // 32  # sectors of a warp: 2 rows of A, and 32 elements of B, of which each load takes half
    assert load == 16 * 16 * 2 * (rows + columns) * 32
    assert store == 16 * 4 * 2 * columns * 32


def test_the_parts_of_complex_numbers_are_two_loads() -> None:
    text = "def f(a, b):\n    i = cuda.grid(1)\n    b[i] = a[i] * a[i]\n"
    one, two = (levels(text, f"a={t}[65536] b={t}[65536] grid=256 block=256") for t in ("f8", "c8"))
    assert two[0] == (2 * one[0][0], 2 * one[0][1])
    assert two[1:] == one[1:]


BARRIERS = """def f(x, out):
    tile = cuda.shared.array(256, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    s = float32(0.0)
    for first in range(0, x.size, 256):
        tile[t] = x[first + t]
        cuda.syncthreads()
        for k in range(256):
            s += tile[k]
        cuda.syncthreads()
    out[i] = s
"""


def test_blocks_that_wait_at_barriers_are_not_in_step() -> None:
    """Two blocks of each multiprocessor read an array of 8 MB: the second finds a quarter of it there."""
    _, (load, _), _ = levels(BARRIERS, "x=f4[2097152] out=f4[67584] grid=264 block=256")
    assert load == pytest.approx(132 * 1.75 * 2**23 + 2 * 2**22, rel=0.03)
