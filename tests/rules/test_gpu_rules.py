"""RFL201 across the lanes of a warp, RFL701 and RFL702: CUDA kernels on a GPU."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source, check_source
from roofscan.finding import Finding
from roofscan.report.json_ import kernel_json
from roofscan.roofline.gpu.tiles import TileProduct

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


def test_lanes_on_rows_are_found_without_sizes_where_memory_hides_less_of_them() -> None:
    """At the sizes of the verdict it takes longest to wait for memory itself."""
    [finding] = [f for f in found(ROWS, "") if f.code == "RFL201"]
    assert "apart at a_shape_0 = " in finding.message and finding.gain > 1.05
    assert not [f for f in found(COLUMNS, "") if f.code == "RFL201"]


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


@pytest.mark.parametrize(("axes", "count"), [("i, j", 3), ("j, i", 0)])
def test_a_square_block_that_walks_rows_asks_for_twice_the_least(axes: str, count: int) -> None:
    """A warp of 16 by 2 threads: two elements in each of 16 sectors, or whole sectors."""
    text = (
        HEAD
        + f"""@cuda.jit
def total(a, b, c):
    {axes} = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = a[i, j] + b[i, j]
"""
    )
    sizes = " ".join(f"{name}=f8[4096,4096]" for name in "abc")
    wasteful = [f for f in found(text, f"{sizes} block=(16,16)") if f.code == "RFL201"]
    assert len(wasteful) == count
    assert all("requests 16 sectors where 8 would do" in finding.message for finding in wasteful)


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


PRODUCT = (
    HEAD
    + """
@cuda.jit
def product(A, B, C):
    j, i = cuda.grid(2)
    acc = float32(0.0)
    for k in range(A.shape[1]):
        acc += A[i, k] * B[k, j]
    C[i, j] = acc
"""
)

FIELDS = (
    HEAD
    + """
@cuda.jit
def weigh(p, e):
    i = cuda.grid(1)
    if i < e.size:
        e[i] = {value}
"""
)


def codes(text: str, bind: str) -> dict[str, float]:
    return {f.code: dict(f.figures).get("gain", 0.0) for f in found(text, bind)}


def test_a_tile_pays_where_a_block_asks_again_and_memory_waits() -> None:
    sizes = "A=f4[2048,2048] B=f4[2048,2048] C=f4[2048,2048] block=(32,32) grid=(64,64)"
    assert 1.5 < codes(PRODUCT, sizes)["RFL705"] < 6
    assert "RFL705" not in codes(COLUMNS, "a=f4[512,4194304] s=f4[4194304] grid=(16384,) block=(256,)")


def test_a_short_launch_is_batched() -> None:
    text = FIELDS.format(value="float32(2.0) * p[i]")
    small = codes(text, "p=f4[1024] e=f4[1024] grid=(4,) block=(256,)")
    assert small.keys() == {"RFL703"} and 1.5 < small["RFL703"] <= 10
    assert codes(text, "p=f4[33554432] e=f4[33554432] grid=(131072,) block=(256,)") == {}


def test_other_blocks_where_warps_are_narrow() -> None:
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
    sizes = "a=f4[8192,8192] b=f4[8192,8192]"
    [narrow] = [f for f in found(text, f"{sizes} grid=(4096,64) block=(2,128)") if f.code == "RFL704"]
    assert dict(narrow.figures)["block_x"] >= 32 and "instead of (2, 128)" in narrow.message
    assert found(text, f"{sizes} grid=(256,1024) block=(32,8)") == []


def test_small_blocks_grow_to_where_layers_are_shared() -> None:
    text = (
        HEAD
        + """
@cuda.jit
def walk(u, v):
    i, j = cuda.grid(2)
    if 0 < i < u.shape[2] - 1 and 0 < j < u.shape[1] - 1:
        for k in range(1, u.shape[0] - 1):
            v[k, j, i] = u[k - 1, j, i] + u[k + 1, j, i] + u[k, j - 1, i] + u[k, j + 1, i] + u[k, j, i + 1]
"""
    )
    sizes = "u=f8[512,2048,2048] v=f8[512,2048,2048] grid=(1024,256) block=(2,8)"
    [narrow] = [f for f in found(text, sizes) if f.code == "RFL704"]
    figures = dict(narrow.figures)
    assert figures["block_x"] >= 32 and figures["block_x"] * figures["block_y"] >= 128 and figures["gain"] > 2


def test_records_are_split_where_other_fields_are_not_used() -> None:
    sizes = "p=f4[33554432,8] e=f4[33554432] grid=(131072,) block=(256,)"
    one = found(FIELDS.format(value="float32(2.0) * p[i, 7]"), sizes)
    assert [f.code for f in one] == ["RFL706"] and dict(one[0].figures)["gain"] > 3
    every = "+".join(f"p[i, {k}]" for k in range(4))
    assert codes(FIELDS.format(value=every), sizes.replace(",8]", ",4]")) == {}


def test_a_product_off_the_shapes_of_tensor_cores() -> None:
    text = "def product(A, B):  # roofscan: n=1\n    return A @ B\n"
    sizes = "A=f2[4096,{k}] B=f2[{k},4096]"
    assert found(text, sizes.format(k=4100))[0].code == "RFL707" and found(text, sizes.format(k=4104)) == []


TILED = """
import triton
import triton.language as tl
@triton.jit
def product(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, n, BK):
        x = tl.load(a + rm[:, None] * n + rk[None, :] + k)
        acc += tl.dot(x, tl.load(b + (rk[:, None] + k) * n + rn[None, :]))
    tl.store(c + rm[:, None] * n + rn[None, :], acc)
"""


def test_tiles_that_are_too_small_for_tensor_cores() -> None:
    def small(m: int, n: int, k: int):
        bind = (
            f"a=f2[16777216] b=f2[16777216] c=f4[16777216] n=4096 BM={m} BN={n} BK={k} grid=({4096 // m},{4096 // n})"
        )
        return [f for f in found(TILED, bind) if f.code == "RFL707"]

    [finding] = small(16, 16, 16)
    assert dict(finding.figures)["share"] < 0.5 and "64 x 64 x 32" in finding.message
    assert small(8, 128, 32) and not small(128, 128, 32) and not small(64, 64, 32)


@pytest.mark.parametrize("warps", [4, 8])
def test_larger_tiles_reach_a_larger_share(warps: int) -> None:
    shares = [TileProduct(e, e, 32, 2).share(warps, 1513, 128) for e in (8, 16, 32, 64, 128)]
    assert shares == sorted(shares) and shares[0] < 0.3 and shares[-1] == 1
    assert TileProduct(128, 128, 32, 2).share(warps, 1513, 128) >= TileProduct(128, 128, 24, 2).share(warps, 1513, 128)


def test_addresses_that_depend_on_data_are_no_finding() -> None:
    text = HEAD + "@cuda.jit\ndef gather(x, index, y):\n    i = cuda.grid(1)\n    y[i] = x[index[i]]\n"
    assert codes(text, "x=f4[33554432] index=i4[33554432] y=f4[33554432] grid=(131072,) block=(256,)") == {}


def test_double_precision_by_accident_has_its_price() -> None:
    text = (
        "from numba import cuda\nimport math\n@cuda.jit\ndef f(x, y):\n    i = cuda.grid(1)\n    if i < x.size:\n"
        "        y[i] = math.exp(0.5 * x[i]) / (1.0 + math.exp(0.25 * x[i]))\n"
    )
    options = Options(machines=("rtx-4090",), bind="x=f4[33554432] y=f4[33554432] grid=(131072,) block=(256,)")
    [wide] = [f for f in check_source(text, options=options) if f.code == "RFL401"]
    assert wide.gain is not None and wide.gain > 5


SCALE = (
    HEAD
    + """
@cuda.jit("void(float32[:], float32[:], int64, int64)")
def scale(x, y, n, stride):
    i = cuda.grid(1)
    if i < n:
        y[i] = float32(2.0) * x[i * stride]
"""
)


def test_a_step_from_thread_to_thread_is_held_and_what_the_guard_names_grows() -> None:
    """Nothing is bound: the launch is as large as ``n``, and ``stride`` is no size."""
    [finding] = found(SCALE, "")
    assert finding.code == "RFL201" and "its threads are 32 bytes apart" in finding.message
    assert not found(SCALE.replace("i * stride", "i"), "")


def test_a_block_that_is_too_narrow_is_one_finding() -> None:
    text = (
        HEAD
        + """
@cuda.jit
def scale(a, b):
    j, i = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        b[i, j] = float32(2.0) * a[i, j] + a[i, j]
"""
    )
    [finding] = found(text, "a=f4[8192,8192] b=f4[8192,8192] grid=(8192,32) block=(1,256)")
    assert finding.code in ("RFL201", "RFL704") and "1" in finding.message


RADIUS = (
    HEAD
    + """
@cuda.jit
def radius(p, r):
    i = cuda.grid(1)
    if i < p.shape[0]:
        r[i] = p[i, 0] * p[i, 0] + p[i, 1] * p[i, 1]
"""
)


def test_fields_of_records_are_not_called_streams() -> None:
    options = Options(machines=("h200",), bind="p=f4[4194304,8] r=f4[4194304] block=256 grid=16384")
    assert {f.code for f in check_source(RADIUS, options=options)} == {"RFL706"}


def test_a_launch_of_guessed_size_is_not_called_too_small() -> None:
    text = "import triton\nimport triton.language as tl\n@triton.jit\ndef twice(x, B: tl.constexpr):\n"
    text += "    at = x + tl.program_id(0) * B + tl.arange(0, B)\n    tl.store(at, tl.load(at) * 2.0)\n"
    assert not found(text, "B=32")
    assert [f.code for f in found(text, "B=32 grid=8")] == ["RFL703"]


FLAT = (
    HEAD
    + """
@cuda.jit
def turn(a, b):
    t = cuda.shared.array({size}, float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    t[y * {row} + x] = a[cuda.blockIdx.y * 32 + y, cuda.blockIdx.x * 32 + x]
    cuda.syncthreads()
    b[cuda.blockIdx.x * 32 + y, cuda.blockIdx.y * 32 + x] = t[x * {row} + y]
"""
)


@pytest.mark.parametrize("size", [0, 32])  # dynamic or static
def test_a_flat_tile_has_rows_too(size: int) -> None:
    sizes = "a=f4[8192,8192] b=f4[8192,8192] grid=(256,256) block=(32,32)"
    [conflict] = found(FLAT.format(size=size * 32, row=32), sizes)
    assert conflict.code == "RFL701" and "32 wavefronts per request; 1 if the rows of t have 33" in conflict.message
    assert found(FLAT.format(size=size * 33, row=33), sizes) == []


HALVING = (
    HEAD
    + """
@cuda.jit
def total(x, out):
    s = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    k = {start}
    while {more}:
        if {some} < {limit}:
            s[{some}] += s[{some} + k]
        cuda.syncthreads()
        k {step}= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]
"""
)


def test_a_sum_over_ever_wider_steps_shares_banks() -> None:
    sizes = "x=f4[33554432] out=f4[131072] grid=(131072,) block=(256,)"
    wider = HALVING.format(start=1, more="k < 256", some="2 * k * t", limit=256, step="*")
    [conflict] = found(wider, sizes)
    assert conflict.code == "RFL701" and "neighbouring threads take neighbouring elements" in conflict.message
    assert found(HALVING.format(start=128, more="k > 0", some="t", limit="k", step="//"), sizes) == []


WALK = (
    HEAD
    + """
@cuda.jit
def scale(a, b, n):
    {places} = cuda.grid(2)
    if i < n and j < n:
        b[{at}] = float32(2.0) * a[{at}]
"""
)


@pytest.mark.parametrize(
    ("places", "at", "array", "said"),
    [
        ("i, j", "i, j", "f4[8192,8192]", "along the last subscript"),
        ("j, i", "i, j", "f4[8192,8192]F", "along subscript 1"),
        ("i, j", "i * n + j", "f4[67108864]", "along what threadIdx.y does"),
    ],
)
def test_which_index_should_follow_the_lanes(places: str, at: str, array: str, said: str) -> None:
    sizes = f"a={array} b={array} n=8192 grid=(256,1024) block=(32,8)"
    wrong = found(WALK.format(places=places, at=at), sizes)
    assert [f.code for f in wrong] == ["RFL201"] * 2 and all(said in f.message for f in wrong)
    right = ", ".join(reversed(places.split(", ")))
    assert found(WALK.format(places=right, at=at), sizes) == []


def test_one_block_leaves_the_others_idle() -> None:
    text = (
        HEAD
        + """
@cuda.jit
def total(x, out):
    acc = float32(0.0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i]
    cuda.atomic.add(out, 0, acc)
"""
    )
    [alone] = found(text, "x=f4[33554432] out=f4[1] grid=1 block=1024")
    assert alone.code == "RFL702" and ": 1 block of 1024 threads on 132" in alone.message
    assert dict(alone.figures)["gain"] > 50
    assert found(text, "x=f4[33554432] out=f4[1] grid=1056 block=256") == []


def test_few_resident_threads_are_not_mended_by_more_blocks() -> None:
    text = FIELDS.format(value="float32(2.0) * p[i]")
    [small] = found(text, "p=f4[33554432] e=f4[33554432] grid=1048576 block=32")
    assert "by larger blocks: 1024 of 2048 threads are resident" in small.message
    shared = text.replace("    i =", "    s = cuda.shared.array(12000, float32)\n    i =")
    [crowded] = found(shared.replace("p[i]", "p[i] + s[0]"), "p=f4[33554432] e=f4[33554432] grid=524288 block=64")
    assert "by less shared memory per block: 256 of 2048" in crowded.message


DOT = """
import triton
import triton.language as tl

@triton.jit
def product(a, b, c, N, K, W: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * W + tl.arange(0, W)
    n = tl.program_id(1) * W + tl.arange(0, W)
    k = tl.arange(0, D)
    acc = tl.zeros((W, W), dtype=tl.float32)
    for s in range(0, K, D):
        acc += tl.dot(tl.load(a + m[:, None] * K + (s + k)[None, :]), tl.load(b + (s + k)[:, None] * N + n[None, :]))
    tl.store(c + m[:, None] * N + n[None, :], acc)
"""


def test_matrix_units_of_idle_multiprocessors_are_idle() -> None:
    [few] = found(DOT, "W=128 D=32 N=512 K=65536 a=f2[33554432] b=f2[33554432] c=f2[262144] grid=(4,4)")
    assert few.code == "RFL702" and "leaves units idle: 16 blocks" in few.message
    assert found(DOT, "W=128 D=32 N=4096 K=4096 a=f2[16777216] b=f2[16777216] c=f2[16777216] grid=(32,32)") == []


SUMMED = """
@cuda.jit
def total(x, out):
    i = cuda.grid(1)
    v = x[i] if i < x.size else float32(0)
    for step in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xffffffff, v, step)
    if cuda.LANE == 0:
        cuda.atomic.add(out, 0, v)
"""


APART = """
@cuda.jit
def each(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, i, x[i] * float32(2.0))
"""


@pytest.mark.parametrize(
    "text, arrays, waits",
    [(SUMMED.replace("LANE", "laneid"), "x=f4[4194304] out=f4[1]", True),
     (SUMMED.replace("LANE", "threadIdx.x"), "x=f4[4194304] out=f4[1]", False),
     (APART, "x=f4[4194304] out=f4[4194304]", False)],
)  # fmt: skip
def test_updates_of_one_place_wait_for_each_other(text: str, arrays: str, waits: bool) -> None:
    """One a warp, one a block, or each of its own place."""
    options = Options(machines=("h200",), bind=f"{arrays} grid=4096 block=1024", select=("RFL102",))
    found = check_source(HEAD + text, options=options)
    assert any("add up in each block first" in f.message and dict(f.figures)["gain"] > 2 for f in found) == waits
    assert not (waits and "nothing to gain" in found[0].message)


IN_SPACE = (
    HEAD
    + """
@cuda.jit
def sum_of_neighbours(u, v):
    k, j, i = cuda.grid(3)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1 and 0 < k < u.shape[2] - 1:
        v[i, j, k] = (u[i-1, j, k] + u[i+1, j, k]) + (u[i, j-1, k] + u[i, j+1, k]) + (u[i, j, k-1] + u[i, j, k+1])
"""
)


def test_blocks_of_three_dimensions_get_another_shape() -> None:
    sizes = "u=f4[512,512,512] v=f4[512,512,512] "
    [cube] = [f for f in found(IN_SPACE, sizes + "grid=(128,128,128) block=(4,4,4)") if f.code == "RFL704"]
    figures = dict(cube.figures)
    assert figures["block_x"] >= 32 and figures["block_y"] * figures["block_z"] > 1 and figures["gain"] > 1.5
    assert "instead of (4, 4, 4)" in cube.message
    assert "RFL704" not in codes(IN_SPACE, sizes + "grid=(16,64,512) block=(32,8,1)")


def test_a_number_that_a_loop_changes_in_double_precision() -> None:
    text = HEAD + (
        "@cuda.jit\ndef f(x, y):\n    i = cuda.grid(1)\n    if i < x.size:\n        v = x[i]\n"
        "        for k in range(64):\n            v = v * 1.5 + 0.25\n        y[i] = v\n"
    )
    options = Options(machines=("h200",), bind="x=f4[67108864] y=f4[67108864] grid=262144 block=256")
    [wide] = [f for f in check_source(text, options=options) if f.code == "RFL401"]
    assert wide.line == 9
    alike = text.replace("1.5", "float32(1.5)").replace("0.25", "float32(0.25)")
    assert not [f for f in check_source(alike, options=options) if f.code == "RFL401"]


def test_rows_of_a_block_that_begin_inside_a_sector_are_its_shape() -> None:
    text = HEAD + (
        "@cuda.jit\ndef f(u, v):\n    j, i = cuda.grid(2)\n"
        "    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:\n"
        "        v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])\n"
    )
    sizes = "u=f8[12288,12288] v=f8[12288,12288] grid=(3072,192) block=(4,64)"
    assert [f.code for f in found(text, sizes)] == ["RFL704"]


def test_rows_of_unknown_length_are_whole_elements_apart() -> None:
    text = HEAD + (
        "@cuda.jit\ndef spmv(starts, columns, a, x, y):\n    row = cuda.grid(1)\n    if row < y.size:\n"
        "        s = 0.0\n        for p in range(starts[row], starts[row + 1]):\n"
        "            s += a[p] * x[columns[p]]\n        y[row] = s\n"
    )
    [first, second] = [f for f in found(text, "") if f.code == "RFL201"]
    assert [dict(f.figures)["sectors"] for f in (first, second)] == pytest.approx([32, 32], 1e-3)
    [kernel] = analyze_source(text, options=Options(machines=("h200",))).kernels
    assert "16*nnz" in str(kernel_json(kernel.reports)["compulsory"]["expr"])


COLUMNS_OF_SEVEN = (
    HEAD
    + """
@cuda.jit
def f(u, v):
    j, i = cuda.grid(2)
    if 3 < i < u.shape[0] - 4 and j < u.shape[1]:
        s = u[i, j]
        for k in range(1, 4):
            s += u[i - k, j] + u[i + k, j]
        v[i, j] = s
"""
)


def test_blocks_of_one_row_share_no_column() -> None:
    sizes = "u=f8[4096,4096] v=f8[4096,4096] "
    for launch, code in (("grid=(32,4096) block=(128,1)", "RFL704"), ("grid=(128,512) block=(32,8)", "RFL102")):
        options = Options(machines=("h200",), bind=sizes + launch)
        assert [f.code for f in check_source(COLUMNS_OF_SEVEN, options=options)] == [code]  # 102: nothing to gain


@pytest.mark.parametrize(("grid", "note"), [(1024, True), (262144, False), (262145, False)])
def test_a_launch_of_fewer_threads_than_there_is_work_for_is_noted(grid: int, note: bool) -> None:
    text = (
        HEAD + "@cuda.jit\ndef f(x, y):\n    i = cuda.grid(1)\n    if i < x.size:\n        y[i] = float32(2) * x[i]\n"
    )
    options = Options(machines=("h200",), bind=f"x=f4[67108864] y=f4[67108864] grid={grid} block=256")
    [report] = analyze_source(text, options=options).kernels[0].reports
    noted = [each for each in report.notes if "leaves out the rest" in each]
    assert bool(noted) == note and all("262144 threads" in each and "67108864" in each for each in noted)


TILE = (
    HEAD
    + """
@cuda.jit
def transpose(a, b):
    tile = cuda.shared.array((16, WIDTH), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[cuda.blockIdx.y * 16 + y, cuda.blockIdx.x * 16 + x]
    cuda.syncthreads()
    b[cuda.blockIdx.x * 16 + y, cuda.blockIdx.y * 16 + x] = tile[x, y]
"""
)


@pytest.mark.parametrize(("width", "codes"), [("16", ["RFL701"]), ("17", [])])
def test_conflicts_of_two_that_memory_hides_are_none(width: str, codes: list[str]) -> None:
    sizes = "a=f4[8192,8192] b=f4[8192,8192] grid=(512,512) block=(16,16)"
    assert [f.code for f in found(TILE.replace("WIDTH", width), sizes) if f.code == "RFL701"] == codes


LOCAL = (
    HEAD
    + """
@cuda.jit
def norms(x, y):
    i = cuda.grid(1)
    a = cuda.local.array(4, float32)
    if i < x.shape[0]:
        for k in range(4):
            a[k] = x[i, k]
        s = float32(0.0)
        for k in range(4):
            s += a[k] * a[k]
        y[i] = s
"""
)


def test_loops_over_an_array_of_one_thread_stream_nothing() -> None:
    assert not [f for f in check_source(LOCAL, options=Options(machines=("h200",))) if f.code == "RFL302"]


FLAT_INDEX = (
    HEAD
    + """
@cuda.jit
def transpose(a, b):
    t = cuda.grid(1)
    i = t // a.shape[1]
    j = t % a.shape[1]
    if i < a.shape[0]:
        b[j, i] = a[i, j]
"""
)


def test_a_flat_index_asks_for_one_sector_a_lane_at_most() -> None:
    sizes = "a=f8[4096,1000] b=f8[1000,4096] grid=(16000,) block=(256,)"
    [finding] = [f for f in found(FLAT_INDEX, sizes) if f.code == "RFL201"]
    assert "32 sectors where 8 would do, its threads are 32768 bytes apart" in finding.message
