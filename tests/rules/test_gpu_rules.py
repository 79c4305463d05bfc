"""RFL201 across the lanes of a warp, RFL701 and RFL702: CUDA kernels on a GPU."""

from __future__ import annotations

from roofscan.api import Options, check_source
from roofscan.finding import Finding

HEAD = "from numba import cuda, float32\n\n"

ROWS = (
    HEAD
    + """
@cuda.jit
def row_sum(a, s):
    i = cuda.grid(1)
    if i < a.shape[0]:
        acc = float32(0.0)
        for j in range(a.shape[1]):
            acc += a[i, j]
        s[i] = acc
"""
)

COLUMNS = (
    ROWS.replace("a.shape[0]", "a.shape[n]").replace("a.shape[1]", "a.shape[0]").replace("a.shape[n]", "a.shape[1]")
)
COLUMNS = COLUMNS.replace("a[i, j]", "a[j, i]")


def found(text: str, bind: str, machine: str = "h200") -> list[Finding]:
    return check_source(text, options=Options(machines=(machine,), bind=bind, select=("RFL2", "RFL7")))


def test_lanes_on_rows_are_found_and_lanes_on_columns_are_not() -> None:
    sizes = "a=f4[32768,32768] s=f4[32768] grid=(128,) block=(256,)"
    [finding] = [f for f in found(ROWS, sizes) if f.code == "RFL201"]
    assert dict(finding.figures)["sectors"] == 32 and dict(finding.figures)["sectors_at_best"] == 4
    assert "32 sectors where 4 would do" in finding.message
    assert not [f for f in found(COLUMNS, sizes) if f.code == "RFL201"]


def test_a_narrow_block_that_fills_its_sectors_is_coalesced() -> None:
    text = (
        HEAD
        + """
@cuda.jit
def scale(a, b):
    j, i = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        b[i, j] = float32(2.0) * a[i, j]
"""
    )
    assert found(text, "a=f4[8192,8192] b=f4[8192,8192] grid=(1024,1024) block=(8,8)") == []


def test_few_blocks_are_found_where_latency_limits() -> None:
    few = found(COLUMNS, "a=f4[16384,16384] s=f4[16384] grid=(64,) block=(256,)")
    assert [f.code for f in few] == ["RFL702"] and "64 blocks of 256 threads on 132" in few[0].message
    assert found(COLUMNS, "a=f4[512,4194304] s=f4[4194304] grid=(16384,) block=(256,)") == []


def test_a_padded_tile_has_no_conflict() -> None:
    tile = (
        HEAD
        + """
@cuda.jit
def transpose(a, b):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[cuda.blockIdx.y * 32 + y, cuda.blockIdx.x * 32 + x]
    cuda.syncthreads()
    b[cuda.blockIdx.x * 32 + y, cuda.blockIdx.y * 32 + x] = tile[x, y]
"""
    )
    sizes = "a=f4[8192,8192] b=f4[8192,8192] grid=(256,256) block=(32,32)"
    [conflict] = found(tile, sizes)
    assert conflict.code == "RFL701" and dict(conflict.figures)["wavefronts"] == 32
    assert dict(conflict.figures)["wavefronts_padded"] == 1
    assert found(tile.replace("(32, 32)", "(32, 33)"), sizes) == []


def test_a_machine_without_multiprocessors_has_none_of_these() -> None:
    assert found(ROWS, "a=f4[32768,32768] s=f4[32768] grid=(128,) block=(256,)", "generic-x86-64") == []
