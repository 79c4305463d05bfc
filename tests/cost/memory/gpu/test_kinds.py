"""Kernels of many kinds on an H200: bytes at each level as derived by hand, and the resource that takes longest.

Per warp: sectors of 32 bytes. Streams cost 1.5 times their bytes at the second cache, whose far partition is asked for
half of them. Up to 0.65 of that cache stays written when a kernel ends: DRAM is given with what is written at most.
"""

from __future__ import annotations

import json
from math import exp
from pathlib import Path

import pytest

from roofscan.api import Options, analyze_file, analyze_source
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.machine.files import load_machine
from roofscan.report.json_ import kernel_json
from roofscan.roofline.gpu.time import launched_on
from roofscan.roofline.time.prediction import TimePrediction

M, G = 1e6, 1e9
KERNELS = {
    k.kernel.name: k
    for k in analyze_file(str(Path(__file__).with_name("kinds.py")), Options(machines=("h200",), no_cache=True)).kernels
}

# name: L1 load and store (sectors), L2, DRAM load and store at most (bytes); what may take longest
BY_HAND: dict[str, tuple[float, float, float, float, float, str]] = {
    # 2**26 floats; one sector a block is written
    "reduce_in_shared": (2**28, 2**18 * 32, 1.5 * (2**28 + 2**23), 2**28, 2**20, "issue"),
    # 1056*8 warps add one sector each
    "reduce_by_shuffles": (2**28, 8448 * 32, 1.5 * 2**28, 2**28, 32, "HBM"),
    # 32 random bytes of a table of 32 sectors: 20.4 sectors a warp, all at the second cache
    "histogram_global": (2**28, 2**23 * 20.4 * 32, 1.5 * (2**28 + 2**23 * 20.4 * 32), 2**28, 1024, "L2"),
    "histogram_shared": (2**28, 1056 * 1024, 1.5 * 2**28, 2**28, 1024, "issue"),
    # a warp is 2 rows of 16: 2 sectors of A, 2 of B, 2**19 warps x 2**12
    "matmul_naive": (2**31 * 128, 2**26, 2**16 * 2**19 * 1.25, 496 * 34.9 * M, 2**26, "issue"),
    # 16 sectors a warp, tile and two matrices; waves of 132 blocks read all of B (134 MB of 60)
    "matmul_tiled": (2**16 * 256 * 8 * 16 * 32, 2**27, 1.25 * 2**36, 496 * 69.6 * M, 2**27, "wavefronts"),
    # (32, 4, 4): 96 + 32 + 32 sectors a block; rows of 4 and, shifted by one element, 5
    "stencil_7_points": (
        508 / 512 * 510 * 510 * 16 * (5 * 4 + 2 * 5) * 32,
        533 * M,
        1.28 * G + 1.23 * G,
        537 * M,
        533 * M,
        "issue",
    ),
    # 34 x 34 of 8 bytes: 8 + 2 sectors a row, and two rows of 8
    "stencil_in_shared": (
        2**16 * (32 * 10 + 16) * 32,
        2**29,
        1.5 * 2**29 + 0.2 * G + 1.5 * 2**29,
        2**29,
        2**29,
        "issue",
    ),
    "scan_of_blocks": (2**27, 2**27 + 2**22, 1.5 * (2**28 + 2**22), 2**27, 2**27 + 2**19, "issue"),
    "transpose_tiled": (2**30, 2**30, 1.5 * 2**31, 2**30, 2**30, "wavefronts"),
    "transpose_padded": (2**30, 2**30, 1.5 * 2**31, 2**30, 2**30, "HBM"),
    # a sector an element from L2, a granule of 64 from memory where the 60 MB of 1 GB do not hold it
    "gather": (2**27 + 2**30, 2**28, 1.5 * 2**27 + 2.05 * G + 1.5 * 2**28, 2**27 + 2.07 * G, 2**28, "HBM"),
    # the second cache unites 6 % of the stores that hit a sector again, and fetches the rest of each sector
    "scatter": (
        2**27 + 2**28,
        2**30,
        1.5 * (2**27 + 2**28 + 2**30) + 0.98 * 2**30,
        2**27 + 2**28 + 0.98 * 2**30,
        2**30 * 0.98,
        "HBM",
    ),
    # 16 loads of 32 sectors, 16 of 16, 4 stores of 16; lines stay in L1
    "small_products": (
        2**17 * (16 * 32 + 16 * 16) * 32,
        2**17 * 64 * 32,
        1.5 * 2**22 * 80 + 1.5 * 2**28,
        2**22 * 80,
        2**26,
        "wavefronts",
    ),
    "energies_of_records": (2**20 * 4 * 16 * 32, 2**27, 1.5 * (2**29 + 2**27), 2**29, 2**27, "HBM"),
    # one field of 32 bytes: a sector a lane
    "mass_of_records": (2**30, 2**27, 1.5 * (2**30 + 2**27), 2**30, 2**27, "HBM"),
    "energies_of_fields": (2**29, 2**27, 1.5 * (2**29 + 2**27), 2**29, 2**27, "HBM"),
    # three passes, of which L1 serves two
    "softmax_rows": (3 * 2**29, 2**29, 1.5 * 2**30, 2**29, 2**29, "issue"),
    # rows of 64 warps are as large as L1, which loses about 0.75 of them from pass to pass
    "layernorm_by_warps": (5 * 2**29, 2**29, 1.5 * 2**30 + 2 * 0.75 * 2**29, 2**29, 2**29, "issue"),
    # 4 loads of 16 sectors a warp, 3 more for its own; of 4 blocks of a multiprocessor, 3.25 read for themselves
    "nbody_in_tiles": (4096 * (512 * 4 + 3) * 16 * 32, 4096 * 3 * 12 * 32, 132 * 3.25 * 2 * M, 2**21, 0, "issue"),
    "mandelbrot": (0, 2**28, 1.5 * 2**28, 0, 2**28, "vector"),
    # (4 + 4 x 5) sectors a row of the filter
    "convolution": (8188 * 1.0 * 256 * 5 * 24 * 32, 2**28, 0.8 * G + 1.5 * 2**28, 2**28, 2**28, "issue"),
    # 12 bytes an entry, and a sector of x, which L2 holds
    "spmv_ell": (2**26 * (12 + 32), 2**24, 1.25 * G + 2**31, 2**26 * 12 + 2**24, 2**24, "L2"),
    # rows begin anywhere in a sector: 8.75 of 8, 4.875 of 4
    "spmv_csr_by_warps": (
        2**21 * (8.75 + 4.875 + 32) * 32,
        2**18 * 32,
        1.25 * G + 2**31,
        2**26 * 12 + 2**21,
        2**21,
        "L2",
    ),
    "saxpy_of_halves": (2**29, 2**28, 1.5 * (2**29 + 2**28), 2**29, 2**28, "HBM"),
    "polynomial_with_doubles": (2**28, 2**28, 1.5 * 2**29, 2**28, 2**28, "vector"),
    "few_blocks": (2**27, 2**27, 1.5 * 2**28, 2**27, 2**27, "latency"),
    "tiny": (2**14, 2**14, 1.5 * 2**15, 2**14, 2**14, "launch"),
    "rmsnorm_warp": (2**30, 2**29, 1.5 * 2**30 + 0.75 * 2**29, 2**29, 2**29, "issue"),
    # each warp, or block, reads all of x, which L1 holds
    "gemv_warp": (2**31, 2**20, 1.5 * 2**30, 2**30, 2**17, "issue"),
    "gemv_block": (2**31, 2**20, 1.5 * 2**30, 2**30, 2**17, "issue"),
    # a block is half a row: 34 sectors of its own, 32 of each of 4 neighbours, and half of the near ones again
    "stencil_flat": (2**22 * 26 * 32, 2**29, 2**19 * 162 * 32 + 2.5 * 2**29, 2**29, 2**29, "issue"),
    "gelu": (2**29, 2**29, 1.5 * 2**30, 2**29, 2**29, "HBM"),
    # 1 sector of A, 8 of B
    "matmul64": (2**31 * 9 * 32, 2**27, 2**14 * 2**21 * 1.25, 124 * 134.2 * M, 2**27, "issue"),
    # 9 times 4 rows of 3, 2 and 3 sectors a warp
    "stencil27": (382**2 * 384 * 9 * 32, 448 * M, 1.8 * G + 672 * M, 453 * M, 448 * M, "wavefronts"),
    # a sector a record, 8 lines a store: a quarter of what three stores with no load between have in common is united
    "push_records": (6 * 2**30, 3 * 2**30, 1.5 * (1 + 2.5) * 2**30, 2**30, 2**30, "L2"),
    # two stores with a load between are two; memory hands out the rest of each sector
    "copy_records": (2 * 2**30, 2 * 2**30, (1.5 * 3 + 1) * 2**30, 2 * 2**30, 2**30, "L2"),
    "transpose_1d": (2**30, 2**30, 1.5 * 2**31, 2**30, 2**30, "HBM"),
}
NOT_BY_HAND = {"monte_carlo", "bitonic_step", "upsample"}  # what compilers keep in registers; an exclusive or; rounded


@pytest.mark.parametrize("name", sorted(BY_HAND))
def test_bytes_and_limit_are_those_derived_by_hand(name: str) -> None:
    found = kernel_json(KERNELS[name].reports)
    l1, l2, dram = (found["levels"][k] for k in (0, -2, -1))
    load, store, second, read, written, limit = BY_HAND[name]
    assert l1["load"]["value"] == pytest.approx(load, rel=0.02)
    assert l1["writeback"]["value"] == pytest.approx(store, rel=0.02)
    assert l2["load"]["value"] + l2["writeback"]["value"] == pytest.approx(second, rel=0.15, abs=2e6)
    assert dram["load"]["value"] == pytest.approx(read, rel=0.15, abs=2e6)
    assert written - 45 * M <= dram["writeback"]["value"] <= written * 1.01 + 1
    assert found["verdict"]["limit"] == limit


MEASURED = json.loads(Path(__file__).with_name("h200.json").read_text())
"""What Nsight Compute counted of these kernels on an H200."""
OFF = {
    "mandelbrot": "its loop ends early",
    "upsample": "rounded subscripts",
}


@pytest.mark.parametrize("name", sorted(MEASURED))
def test_times_of_kernels_that_were_measured(name: str) -> None:
    time, measured = KERNELS[name].reports[0].time, MEASURED[name]["ncu_seconds"]
    assert isinstance(time, TimePrediction)
    if name not in OFF:
        assert time.expected == pytest.approx(measured, rel=0.35)
    assert time.at_least <= 1.1 * measured


def test_wide_loads_of_shared_memory_are_counted_as_an_h200_counts_them() -> None:
    """Wavefronts of products of tiles, of 16 by 16 doubles."""
    report = KERNELS["matmul_tiled"].reports[0]
    found = launched_on(report.cost, load_machine("h200"), report.cost.sample_point)
    assert found is not None
    asked = sum(value_of(counts.wavefronts) for counts in found.moved.requests.values())
    assert asked + value_of(found.moved.shared.data) == pytest.approx(MEASURED["matmul_tiled"]["wavefronts"], rel=0.02)


UPDATES = """
from numba import cuda

@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]

@cuda.jit
def histogram(places, bins):
    for i in range(cuda.grid(1), places.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, places[i], 1)
"""


@pytest.mark.parametrize(
    ("name", "bind", "read", "updated"),
    [
        ("axpy", "a=f8 x=f8[1048576] y=f8[1048576] block=256", 2**23, 2**23),
        # 2**22 draws by 2**14 threads hit all of few places, and two fifths of 2**23 sectors
        ("histogram", "places=i4[4194304] bins=i4[256] grid=64 block=256", 2**24, 1024),
        ("histogram", "places=i4[4194304] bins=i4[67108864] grid=64 block=256", 2**24, 2**28 * (1 - exp(-0.5))),
    ],
)
def test_what_is_updated_is_touched_once_and_moved_twice(name: str, bind: str, read: float, updated: float) -> None:
    report = analyze_source(UPDATES, options=Options(bind=bind, machines=("h200",)))
    [found] = [kernel_json(k.reports) for k in report.kernels if k.kernel.name == name]
    assert found["footprint"]["value"] == pytest.approx(read + updated, rel=0.01)
    assert found["compulsory"]["value"] == pytest.approx(read + 2 * updated, rel=0.01)


def test_rounded_places_are_near_each_other() -> None:
    """A warp of 32 reads 10 elements in 2 sectors, a block 3 rows of them; 1229 rows of as many elements are read."""
    found = kernel_json(KERNELS["upsample"].reports)
    l1, l2, dram = (found["levels"][k] for k in (0, -2, -1))
    footprints = 2**16 * 3 * 2 * 32
    assert l1["load"]["value"] == pytest.approx(2**19 * 2 * 32, rel=0.15)
    assert l2["load"]["value"] == pytest.approx(1.25 * footprints + 0.25 * 1229**2 * 4, rel=0.2)
    assert dram["load"]["value"] == pytest.approx(1229**2 * 4, rel=0.15)
    assert {level["status"] for level in (l1, l2, dram)} == {"estimate"}


# instructions of a thread in Numba's code for sm_90, on the path that ordinary numbers take: of straight code, or those
# of an iteration times the iterations
COMPILED: dict[str, float] = {
    "matmul_naive": 36 * 4096, "matmul64": 36 * 4096, "matmul_tiled": 83 * 256, "nbody_in_tiles": 54 * 131072,
    "spmv_ell": 47 * 32 + 70, "saxpy_of_halves": 28 * 496.5, "few_blocks": 26.25 * 8192,
    "histogram_shared": 18.25 * 993,
    "gemv_block": 29.5 * 32 + 9 * 27 + 130, "stencil_7_points": 107, "scan_of_blocks": 155, "gather": 45, "scatter": 45,
    "small_products": 118, "energies_of_records": 46, "mass_of_records": 39, "energies_of_fields": 52, "gelu": 56,
    "polynomial_with_doubles": 101, "tiny": 34, "stencil_flat": 220, "convolution": 107,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(COMPILED))
def test_instructions_are_about_those_of_compiled_code(name: str) -> None:
    cost = KERNELS[name].reports[0].cost
    launched = launched_on(cost, load_machine("h200"), cost.sample_point)
    assert launched is not None
    threads = launched.moved.program.launch.blocks * launched.moved.program.launch.threads
    assert launched.instructions.issued / threads == pytest.approx(COMPILED[name], rel=0.32)


def test_every_kernel_has_a_time() -> None:
    assert KERNELS.keys() == BY_HAND.keys() | NOT_BY_HAND
    for kernel in KERNELS.values():
        assert kernel_json(kernel.reports)["verdict"]["time_seconds"]["expected"]["value"]


@pytest.mark.parametrize("cold", [False, True])
def test_data_that_the_second_cache_holds_are_not_charged_to_memory_in_repeated_calls(cold: bool) -> None:
    text = "from numba import cuda\n@cuda.jit\ndef f(x, y):\n    i = cuda.grid(1)\n    y[i] = 2.0 * x[i]\n"
    bind = "x=f8[1048576] y=f8[1048576] grid=(4096,) block=(256,)"
    options = Options(machines=("h200",), bind=bind, cold=cold)
    shares = kernel_json(analyze_source(text, options=options).kernels[0].reports)["verdict"]["shares"]
    assert ("HBM" in shares) == cold


MAYBE = """
from numba import cuda, float32
@cuda.jit
def f(x, n):
    s = cuda.shared.array(256, float32)
    s[cuda.threadIdx.x] = x[cuda.grid(1)]
    cuda.syncthreads()
    for k in range(n):
        if s[k] > 0.5:
            s[k + 2] = s[k + 1]
"""


def test_a_bound_leaves_out_what_a_branch_on_data_may() -> None:
    bind, machine = "x=f4[1048576] n=200 grid=4096 block=256", load_machine("h200")
    cost = analyze_source(MAYBE, options=Options(machines=("h200",), bind=bind)).kernels[0].reports[0].cost
    launched = launched_on(cost, machine, cost.sample_point)
    assert launched is not None and machine.gpu is not None
    warps = 2**20 / 32
    sure = warps * (200 + 2) / (machine.cores * machine.gpu["boost"].value)
    assert launched.least() == pytest.approx(sure, rel=0.01)


SYMMETRIC = """
from numba import cuda, float32

@cuda.jit
def symmetric(a, b):
    j, i = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        b[i, j] = float32(0.5) * (a[i, j] + a[j, i])
"""


@pytest.mark.parametrize("machine", ["h200", "v100"])
def test_requests_of_warps_bound_what_is_attainable(machine: str) -> None:
    """A column of a warp takes 32 wavefronts, whatever the bytes: a row takes one, and so does the store."""
    bind = "a=f4[4096,4096] b=f4[4096,4096] grid=(128,512) block=(32,8)"
    [kernel] = analyze_source(SYMMETRIC, options=Options(bind=bind, machines=(machine,))).kernels
    verdict = kernel.reports[0].verdict
    gpu = load_machine(machine).gpu
    assert gpu is not None
    cycles = load_machine(machine).cores * gpu["boost"].value
    if machine == "h200":  # tags of others take longer than data
        assert verdict.attainable == pytest.approx(2 * 32 * cycles / 34, rel=1e-6)
    assert (
        verdict.attainable is not None
        and verdict.fastest is not None
        and verdict.attainable <= verdict.fastest * (1 + 1e-9)
    )
    assert verdict.attainable_expr is not None and verdict.attainable_expr.symbols <= {"a_shape_0", "a_shape_1"}
