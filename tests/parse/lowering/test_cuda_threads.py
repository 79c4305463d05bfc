"""CUDA kernels: the work of a launch, with every way to compute a thread's index."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.api import Options, analyze_file, analyze_source
from roofscan.cost.bindings import resolve_values
from roofscan.ir.tree import Barrier
from roofscan.ir.visitor import accesses, loops, walk
from roofscan.parse.reader.facts import parse_facts

HEAD = "import math\nimport numpy as np\nfrom numba import cuda\n\n"

KERNELS = {
    "a guard": ("2*x_shape_0", """
i = cuda.grid(1)
if i < x.shape[0]:
    y[i] = a * x[i] + y[i]
"""),
    "an early return": ("2*x_shape_0", """
i = cuda.grid(1)
if i >= x.size:
    return
y[i] = a * x[i] + y[i]
"""),
    "a place by hand": ("x_shape_0", """
i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
if i < x.size:
    y[i] = a * x[i]
"""),
    "a stride of the whole grid": ("x_shape_0", """
for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
    y[i] = a * x[i]
"""),
    "two axes": ("n*m", """
i, j = cuda.grid(2)
n, m = A.shape
if i < n and j < m:
    A[i, j] = a * A[i, j]
"""),
    "an atomic sum": ("2*x_shape_0", """
i = cuda.grid(1)
if i < x.shape[0]:
    cuda.atomic.add(y, 0, a * x[i])
"""),
    "a helper on the device": ("3*x_shape_0", """
i = cuda.grid(1)
if i < x.size:
    y[i] = helper(x[i], a)
"""),
    "local memory": ("3*x_shape_0", """
i = cuda.grid(1)
if i < x.size:
    parts = cuda.local.array(3, dtype=np.float64)
    for k in range(3):
        parts[k] = a * x[i]
    y[i] = parts[0]
"""),
}  # fmt: skip
HELPER = "@cuda.jit(device=True)\ndef helper(u, v):\n    return u * v + math.sqrt(u)\n\n\n"


def report(body: str, machine: str = "a100-40gb"):
    text = f"{HEAD}{HELPER}@cuda.jit\ndef kernel(a, x, y, A):" + body.replace("\n", "\n    ")
    results = analyze_source(text, "k.py", Options(machines=(machine,))).kernels
    return next(r for r in results if r.kernel.name == "kernel").reports[0]


@pytest.mark.parametrize("name", KERNELS)
def test_all_threads_are_counted_with_a_verdict_on_the_device(name: str) -> None:
    flops, body = KERNELS[name]
    found = report(body)
    assert (found.cost.status, found.scope) == ("exact", "device")
    assert {str(found.cost.flops), "n*m" if str(found.cost.flops) == "m*n" else ""} & {flops}
    assert found.verdict.bound == "memory"


def test_a_helper_is_counted_once() -> None:
    [helper] = analyze_source(HEAD + HELPER).kernels
    assert (helper.reports[0].cost.status, str(helper.reports[0].cost.flops)) == ("exact", "3")


def test_neighbours_in_x_that_are_rows_apart_are_found() -> None:
    """``i, j = cuda.grid(2)``: i is x, so neighbouring threads access a column."""
    assert any(f.code == "RFL201" for f in report(KERNELS["two axes"][1]).findings)
    assert not any(f.code == "RFL201" for f in report(KERNELS["a guard"][1]).findings)


def test_no_processor_runs_it_and_none_of_its_caches_is_shown() -> None:
    found = report(KERNELS["two axes"][1], "generic-x86-64")
    assert "choose a GPU" in found.verdict.reason and not found.findings
    assert [(row.capacity, row.traffic.status) for row in found.levels] == [(0, "exact")]


# -- launches -----------------------------------------------------------------------------------------
ROWS = """
row = cuda.grid(1)
if row < y.size:
    for p in range(A[row], A[row + 1]):
        y[row] += x[p]
"""
IN_STEPS = """
step = cuda.gridDim.x * cuda.blockDim.x
for i in range(cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x, x.size, step):
    y[i] = a * x[i]
"""
A_BLOCK_A_ROW = """
row = cuda.blockIdx.x
s = 0.0
for k in range(cuda.threadIdx.x, A.shape[1], cuda.blockDim.x):
    s += A[row, k]
y[row] = s
"""
TILED = """
tile = cuda.shared.array((16, 17), np.float64)
j, i = cuda.grid(2)
tx = cuda.threadIdx.x
ty = cuda.threadIdx.y
if i < A.shape[0] and j < A.shape[1]:
    tile[ty, tx] = a * A[i, j]
cuda.syncthreads()
A[j, i] = tile[tx, ty]
"""


def bound(body: str, bind: str):
    text = f"{HEAD}@cuda.jit\ndef kernel(a, x, y, A):" + body.replace("\n", "\n    ")
    [result] = analyze_source(text, "k.py", Options(machines=("a100-40gb",), bind=bind)).kernels
    cost = result.reports[0].cost
    values, problems = resolve_values(cost.kernel, parse_facts(bind))
    assert not problems
    return cost, values


BY_WHILE = """
i = cuda.grid(1)
while i < x.size:
    y[i] = a * x[i]
    i += cuda.gridsize(1)
"""
ROWS_BY_BLOCK = """
s = cuda.shared.array(64, np.float64)
t = cuda.threadIdx.x
acc = 0.0
j = t
while j < A.shape[1]:
    acc += A[cuda.blockIdx.x, j] * x[j]
    j += cuda.blockDim.x
s[t] = acc
cuda.syncthreads()
k = cuda.blockDim.x // 2
while k != 0:
    if t < k:
        s[t] += s[t + k]
    cuda.syncthreads()
    k = k // 2
if t == 0:
    y[cuda.blockIdx.x] = s[0]
"""
CASES = {
    "a while loop over all threads": (BY_WHILE, "x=f8[1000] grid=3 block=64", 1000),
    "a product of a matrix and a vector": (ROWS_BY_BLOCK, "A=f8[50,1000] grid=50 block=64", 50 * (2000 + 63)),
    "fewer threads than elements": (KERNELS["a stride of the whole grid"][1], "x=f8[1000] grid=3 block=64", 1000),
    "more threads than elements": (KERNELS["a stride of the whole grid"][1], "x=f8[100] grid=3 block=64", 100),
    "the step by hand": (IN_STEPS, "x=f8[1000] grid=3 block=64", 1000),
    "an exact fit": (KERNELS["a guard"][1], "x=f8[192] grid=3 block=64", 384),
    "one too many": (KERNELS["a guard"][1], "x=f8[191] grid=3 block=64", 382),
    "too few threads": (KERNELS["a guard"][1], "x=f8[1000] grid=3 block=64", 384),
    "a y that nothing asks for": (KERNELS["a guard"][1], "x=f8[100] grid=(2,3) block=(64,2)", 1200),
    "two axes": (KERNELS["two axes"][1], "A=f8[100,50] grid=(4,8) block=(32,8)", 5000),
    "a block a row": (A_BLOCK_A_ROW, "A=f8[50,1000] grid=50 block=128", 50000),
    "a block a row that is short": (A_BLOCK_A_ROW, "A=f8[50,10] grid=50 block=128", 500),
    "a tile with its guard": (TILED, "A=f8[100,100] grid=(7,7) block=(16,16)", 10000),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_bound_launch_is_counted(name: str) -> None:
    body, bind, flops = CASES[name]
    cost, values = bound(body, bind)
    assert (cost.status, cost.flops.evaluate(values)) == ("exact", flops)


def test_rows_of_unknown_length_are_counted_under_a_guard() -> None:
    cost, _ = bound(ROWS, "y=f8[100]")
    assert (cost.status, str(cost.flops)) == ("parametric", "nnz")


def test_an_exact_fit_is_what_the_counts_ask_for() -> None:
    cost, _ = bound(KERNELS["a guard"][1], "")
    assert (cost.status, str(cost.flops)) == ("exact", "2*x_shape_0")
    assert [str(g) for g in cost.conditions] == ["threads_x - x_shape_0"]


def test_a_typical_launch_is_stated_and_covers_the_work() -> None:
    cost, _ = bound(KERNELS["two axes"][1], "")
    assert any("blocks of (32, 8) threads" in text for text in cost.kernel.assumptions)
    assert {name: str(value) for name, value in cost.kernel.values.items()} == {
        "threads_x": "block_x*ceiling(n/block_x)", "threads_y": "block_y*ceiling(m/block_y)",
    }  # fmt: skip


def test_the_threads_that_fill_a_shared_array_are_the_block() -> None:
    cost, _ = bound(TILED, "")
    assert dict(cost.kernel.guesses) == {"block_x": 16, "block_y": 16}


def test_words_of_the_launch_are_parameters_where_a_kernel_has_them() -> None:
    text = f"{HEAD}@cuda.jit\ndef kernel(x, grid):\n    i = cuda.grid(1)\n    if i < grid:\n        x[i] *= 2.0\n"
    [result] = analyze_source(text, "k.py", Options(machines=("a100-40gb",), bind="grid=100")).kernels
    assert str(result.reports[0].cost.flops) == "100"
    assert "threads_x" in result.kernel.values and str(result.kernel.values["threads_x"]) != "100"


def test_places_in_the_grid_are_one_loop_an_axis_unless_blocks_matter() -> None:
    whole, _ = bound(IN_STEPS, "")
    split, _ = bound(A_BLOCK_A_ROW, "")
    parts = [[loop.axis.part for loop in loops(cost.kernel.body) if loop.axis] for cost in (whole, split)]
    assert parts == [["grid"], ["block", "thread"]]


def test_memories_barriers_and_atomics_are_in_the_tree() -> None:
    cost, _ = bound(TILED, "")
    assert {array.name: array.space for array in cost.kernel.arrays} == {"A": "global", "tile": "shared"}
    assert sum(isinstance(node, Barrier) for node in walk(cost.kernel.body)) == 1
    added, _ = bound(KERNELS["an atomic sum"][1], "")
    assert [access.atomic for access in accesses(added.kernel.body)] == [False, True, True]


# -- functions ----------------------------------------------------------------------------------------
FUNCTIONS = {
    "libdevice.fast_expf(x[i])": 1, "libdevice.sqrt(x[i])": 1, "libdevice.fmul_rn(x[i], x[i])": 1,
    "cuda.fma(x[i], x[i], x[i])": 2, "cuda.fp16.hfma(a, x[i], y[i])": 2, "libdevice.fabs(x[i])": 0,
    "cuda.shfl_down_sync(0xffffffff, x[i], 1) + x[i]": 1, "cuda.selp(x[i] > 0.0, x[i], y[i])": 0,
    "cuda.atomic.max(x, i, a)": 1, "cuda.atomic.exch(x, i, a)": 0, "cuda.popc(i) * x[i]": 1,
    "cuda.float32x2(x[i], y[i]).y * a": 1, "cuda.atomic.compare_and_swap(x, a, a)": 0,
    "libdevice.sincos(x[i])[1]": 2, "libdevice.isnand(x[i]) * 1.0": 1, "libdevice.double2int_rn(x[i])": 0,
    "libdevice.int2double_rn(i) * x[i]": 1, "libdevice.mulhi(i, 3)": 0, "libdevice.j0(x[i])": 1,
    "libdevice.frsqrt_rn(x[i])": 1, "cuda.atomic.cas(x, i, a, a)": 0, "cuda.ballot_sync(0xffffffff, x[i] > 0.0)": 0,
    "x[i] if cuda.fp16.hgt(a, a) else y[i]": 0, "cuda.shfl_xor_sync(0xffffffff, a * x[i], 1) * x[i]": 2,
}  # fmt: skip


@pytest.mark.parametrize("call", FUNCTIONS)
def test_functions_of_the_device_are_counted(call: str) -> None:
    body = f"\ni = cuda.grid(1)\nif i < x.size:\n    y[i] = {call}\n"
    text = f"{HEAD}from numba.cuda import libdevice\n@cuda.jit\ndef kernel(a, x, y, A):" + body.replace("\n", "\n    ")
    [result] = analyze_source(text, "k.py", Options(machines=("a100-40gb",))).kernels
    cost = result.reports[0].cost
    each = cost.flops.evaluate({"x_shape_0": 640, "threads_x": 640, "block_x": 64}) / 640
    assert (cost.status, each) == ("exact", FUNCTIONS[call])


def test_a_tree_of_sums_in_a_block_is_exact() -> None:
    body = """
s = cuda.shared.array(64, np.float64)
tid = cuda.threadIdx.x
i = cuda.grid(1)
s[tid] = x[i] if i < x.size else 0.0
cuda.syncthreads()
k = cuda.blockDim.x // 2
while k > 0:
    if tid < k:
        s[tid] += s[tid + k]
    cuda.syncthreads()
    k //= 2
if tid == 0:
    y[cuda.blockIdx.x] = s[0]
"""
    cost, values = bound(body, "x=f8[1000] grid=16 block=64")
    assert (cost.status, cost.flops.evaluate(values)) == ("exact", 16 * 63)


def test_lanes_are_counted_along_x_first() -> None:
    body = "\ni, j = cuda.grid(2)\nif cuda.laneid == 0:\n    cuda.atomic.add(y, 0, 1.0)\n"
    cost, values = bound(body, "grid=(2,2) block=(16,4)")
    assert cost.flops.evaluate(values) == 4 * 2


def test_constant_memory_is_a_space_of_its_own() -> None:
    text = f"{HEAD}TABLE = np.array([1.0, 2.0])\n@cuda.jit\ndef kernel(x):\n    t = cuda.const.array_like(TABLE)\n"
    text += "    i = cuda.grid(1)\n    if i < x.size:\n        x[i] *= t[0]\n"
    [result] = analyze_source(text, "k.py", Options(machines=("a100-40gb",))).kernels
    assert {array.space for array in result.kernel.arrays} == {"global", "constant"}


# -- launches in the file -----------------------------------------------------------------------------
LAUNCHES = {
    "a ceil-division": ("def host(x, n):\n    kernel[(n + 127) // 128, 128](x, n)\n", "ceiling(n/128)", "128"),
    "math.ceil and a transfer": ("""
def host(x):
    d_x = cuda.to_device(x)
    blocks = math.ceil(x.shape[0] / TPB)
    kernel[blocks, TPB](d_x, x.shape[0])
""", "ceiling(x_shape_0/96)", "96"),
    "a helper, a stream and dynamic shared memory": ("""
def ceil_div(a, b):
    return -(-a // b)
def host(x, n):
    stream = cuda.stream()
    kernel[ceil_div(n, 64), 64, stream, 4 * 64](x, n)
""", "ceiling(n/64)", "64"),
    "forall": ("def host(x):\n    kernel.forall(x.size, tpb=32)(x, x.size)\n", "ceiling(n/block_x)", "32"),
    "forall asks the driver": ("def host(x):\n    kernel.forall(x.size)(x, x.size)\n", "ceiling(n/block_x)", "1024"),
    "two launches that agree": ("def host(x, n):\n    kernel[8, 64](x, n)\n    kernel[8, 64](x, n)\n", "8", "64"),
    "a method": ("class Run:\n    def go(self, x, n):\n        kernel[n // 8, 8](x, n)\n", "floor(n/8)", "8"),
    "a size of the class": (
        "class Run:\n    t = 8\n    def go(self, x, n):\n        kernel[(n + 7) // self.t, self.t](x, n)\n",
        "ceiling(n/8)", "8",
    ),
    "a launch with a name": ("def host(x, n):\n    go = kernel[7, 16]\n    go(x, n)\n", "7", "16"),
    "configure": ("def host(x, n):\n    go = kernel.configure(7, 16)\n    go(x, n)\n", "7", "16"),
    "configure by name": (
        "def host(x, n):\n    kernel.configure(blockdim=8, griddim=(n + 7) // 8)(x, n)\n", "ceiling(n/8)", "8",
    ),
    "a default": ("def host(x, n, tpb=320):\n    kernel[-(-n // tpb), tpb](x, n)\n", "ceiling(n/320)", "320"),
    "a constant that is worked out": (
        "N = 2 * HALF\nHALF = 1 << 10\ndef host(x, n):\n    kernel[(N + 31) // 32, 32](x, n)\n", "64", "32",
    ),
    "the size that an array is made with": (
        "def host(m, n):\n    x = np.zeros(m)\n    d = cuda.to_device(x)\n    kernel[m // 64, 64](d, n)\n",
        "floor(x_shape_0/64)", "64",
    ),
    "a size inside a transfer and a conversion": (
        "def host(n):\n    m = 1000000\n    d = cuda.to_device(np.random.rand(m).astype(np.float32))\n"
        "    kernel[math.ceil(m / 64), 64](d, n)\n", "ceiling(x_shape_0/64)", "64",
    ),
    "a launch of the file": ("kernel[10, 100](np.zeros(1000), 1000)\n", "10", "100"),
}  # fmt: skip


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_launch_is_read_from_the_file(name: str) -> None:
    host, grid, block = LAUNCHES[name]
    text = (
        f"{HEAD}TPB = 96\n@cuda.jit\ndef kernel(x, n):\n    i = cuda.grid(1)\n    if i < n:\n        x[i] *= 2.0\n"
        + host
    )
    kernel = next(k.kernel for k in analyze_source(text, "k.py").kernels if k.kernel.name == "kernel")
    assert {name: str(value) for name, value in kernel.values.items()} == {
        "block_x": block, "threads_x": _times_block(grid),
    }  # fmt: skip


def test_a_gufunc_for_cuda_is_a_launch_with_a_thread_for_each_row() -> None:
    text = """from numba import guvectorize
# roofscan: a=f8[65536,256] b=f8[65536,256]
@guvectorize(["void(f8[:], f8[:], f8, f8[:])"], "(n),(n),()->()", target="cuda")
def dots(a, b, c, out):
    s = c
    for i in range(a.shape[0]):
        s += a[i] * b[i]
    out[0] = s
"""
    [result] = analyze_source(text, "k.py", Options(machines=("h200",))).kernels
    report = result.reports[0]
    rows, levels = 65536, [level.traffic.total for level in report.levels]
    assert report.cost.status == "exact"
    assert report.cost.flops.evaluate(report.cost.sample_point) == 2 * rows * 256
    assert levels[0].load.evaluate(report.cost.sample_point) == 32 * 2 * rows * 256 + 8 * rows  # a row a thread
    assert levels[2].load.evaluate(report.cost.sample_point) == 2 * rows * 256 * 8 + 8 * rows
    assert report.verdict.limit == "wavefronts"


def _times_block(grid: str) -> str:
    return f"{grid}*block_x" if grid.isdigit() else f"block_x*{grid}"


def test_of_launches_that_differ_the_first_is_held() -> None:
    text = f"{HEAD}@cuda.jit\ndef kernel(x, n):\n    i = cuda.grid(1)\n    if i < n:\n        x[i] *= 2.0\n"
    text += "def host(x, n):\n    kernel[8, 64](x, n)\n    kernel[n, 64](x, n)\n"
    kernel = next(k.kernel for k in analyze_source(text, "k.py").kernels if k.kernel.name == "kernel")
    assert str(kernel.values["threads_x"]) == "8*block_x"
    assert any("grid 8, block 64 (otherwise in line" in said for said in kernel.assumptions)


TYPES_AT_LAUNCHES = {
    "cast on the host": ("h = np.random.rand(n).astype(np.float32)\n    x = cuda.to_device(h)", "float32"),
    "named": ("x = cuda.device_array(n, dtype=np.float32)", "float32"),
    "by place": ("x = cuda.to_device(np.zeros((n,), np.uint8))", "uint8"),
    "like another": ("a = np.ones(n, 'f4')\n    x = cuda.device_array_like(cuda.to_device(a))", "float32"),
    "NumPy's default": ("x = np.zeros(n)", "float64"),
    "by its values": ("x = np.arange(n)", "float64"),  # not known: the default
}


@pytest.mark.parametrize("name", TYPES_AT_LAUNCHES)
def test_a_launch_tells_the_types_of_arrays(name: str) -> None:
    made, dtype = TYPES_AT_LAUNCHES[name]
    text = f"import numpy as np\n{HEAD}@cuda.jit\ndef kernel(x, a):\n    i = cuda.grid(1)\n    if i < x.size:\n"
    text += f"        x[i] *= a\ndef host(n):\n    {made}\n    kernel[n // 64, 64](x, np.float32(2.0))\n"
    kernel = next(k.kernel for k in analyze_source(text, "k.py").kernels if k.kernel.name == "kernel")
    assert kernel.array("x").dtype.name == dtype
    said = [text for text in kernel.assumptions if "launches it" in text]
    line = text.splitlines().index("    kernel[n // 64, 64](x, np.float32(2.0))") + 1
    names = "a" if dtype == "float64" else "x"
    assert f"{names} is {'float32' if names == 'a' else dtype} (as line {line} launches it)" in said


SCRIPTS = {
    "a script": (
        "if __name__ == '__main__':\n    n = 4096\n    a = np.zeros(n, dtype=np.float32)\n    threads = (64,)\n"
        "    blocks = int(np.ceil(a.shape[0] / threads[0]))\n    d = cuda.to_device(a)\n"
        "    for _ in range(9):\n        kernel[blocks, threads](d)\n",
        "64",
    ),
    "arrays of an object": (
        "class Solver:\n    t = 32\n    def __init__(self, n):\n        start = np.ones(n, np.float32)\n"
        "        self.x = cuda.to_device(start)\n    def step(self):\n        kernel[self.blocks, self.t](self.x)\n",
        "32",
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_launches_of_scripts_and_of_objects_tell_types_and_sizes(name: str) -> None:
    host, block = SCRIPTS[name]
    text = f"import numpy as np\n{HEAD}@cuda.jit\ndef kernel(x):\n    i = cuda.grid(1)\n    if i < x.size:\n"
    found = analyze_source(f"{text}        x[i] *= np.float32(2.0)\n{host}", "k.py").kernels
    kernel = next(k.kernel for k in found if k.kernel.name == "kernel")
    assert kernel.array("x").dtype.name == "float32"
    assert str(kernel.values["block_x"]) == block


def test_types_that_the_user_binds_win_over_a_launch() -> None:
    text = f"import numpy as np\n{HEAD}@cuda.jit\ndef kernel(x):\n    i = cuda.grid(1)\n    if i < x.size:\n"
    text += "        x[i] *= 2.0\ndef host(n):\n    kernel[n // 64, 64](np.zeros(n, np.float32))\n"
    found = analyze_source(text, "k.py", Options(bind="x=f8[64]"))
    kernel = next(k.kernel for k in found.kernels if k.kernel.name == "kernel")
    assert kernel.array("x").dtype.name == "float64"


IMPORTERS = {
    "by its name": "from pkg.kernels import scale\ndef host(x):\n    scale[x.size // 64, 64](x)\n",
    "by another name": "from .kernels import scale as go\ndef host(y):\n    go[len(y) // 64, 64](y)\n",
    "by its module": "import pkg.kernels as k\ndef host(x):\n    b = x.shape[0] // 64\n    k.scale[b, 64, 0, 256](x)\n",
    "through the package": "from pkg import scale\ndef host(x):\n    scale[(x.size // 64,), (64,)](x)\n",
}
NOT_IMPORTERS = {
    "another kernel of the name": "from cuda import scale\ndef host(x):\n    scale[7, 64](x)\n",
    "one of its own": "def scale(x): ...\ndef host(x):\n    scale[7, 64](x)\n",
    "no Python": "from pkg.kernels import scale\ndef host(x:\n    scale[7, 64](x)\n",
}


@pytest.mark.parametrize("name", [*IMPORTERS, *NOT_IMPORTERS])
def test_a_launch_in_another_file_of_the_package(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "pkg"
    (folder / "below").mkdir(parents=True)
    (folder / "__init__.py").write_text("from .kernels import scale\n")
    (folder / "host.py").write_text((IMPORTERS | NOT_IMPORTERS)[name])
    (folder / "kernels.py").write_text(
        f"{HEAD}@cuda.jit\ndef scale(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] *= 2.0\n"
    )
    [result] = analyze_file(str(folder / "kernels.py")).kernels
    said = [text for text in result.kernel.assumptions if text.startswith("launched as")]
    line = 4 if name == "by its module" else 3
    told = f"launched as in line {line} of host.py: grid floor(x_shape_0/64), block 64"
    assert said == ([told] if name in IMPORTERS else [])


def test_what_the_user_says_wins_over_the_file() -> None:
    text = f"{HEAD}@cuda.jit\ndef kernel(x, n):\n    i = cuda.grid(1)\n    if i < n:\n        x[i] *= 2.0\n"
    text += "def host(x, n):\n    kernel[8, 64](x, n)\n"
    found = analyze_source(text, "k.py", Options(bind="grid=5 block=32"))
    kernel = next(k.kernel for k in found.kernels if k.kernel.name == "kernel")
    assert {name: str(value) for name, value in kernel.values.items()} == {"block_x": "32", "threads_x": "5*block_x"}


def test_rows_that_threads_take_in_turn_add_up() -> None:
    body = """
for row in range(cuda.grid(1), y.size, cuda.gridsize(1)):
    for p in range(A[row], A[row + 1]):
        y[row] += x[p]
"""
    cost, _ = bound(body, "")
    assert (cost.status, str(cost.flops)) == ("parametric", "nnz")


REFUSED = {
    "grid=(3,4,5,6)": "grid has 4 dimensions; a launch has at most 3",
    "grid=0": "grid is 0; it is at least 1",
    "grid=(1,2,3,4) block=0": "grid has 4 dimensions; a launch has at most 3",
    "block=0": "block is 0; it is at least 1",
    "grid=1000000000000": "grid is 1000000000000 along x",
    "grid=1.5": "grid: write integers",
    "grid=1e3": "grid: write integers",
    "registers=(1,2)": "registers: write integers",
    "grid=(1,70000)": "grid is 70000 along y; there it is at most 65535",
    "block=(1,1,128)": "block is 128 along z; there it is at most 64",
    "block=(1024,2)": "block has 2048 threads; a block has at most 1024",
    "registers=300": "registers is 300; a thread has at most 255",
}


@pytest.mark.parametrize("bind", REFUSED)
def test_what_no_launch_can_be_is_refused(bind: str) -> None:
    text = f"{HEAD}@cuda.jit\ndef scale(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] *= 2.0\n"
    [result] = analyze_source(text, "k.py").kernels
    problem, *_ = resolve_values(result.kernel, parse_facts(bind))[1]
    assert problem.startswith(REFUSED[bind])
    [result] = analyze_source(text, "k.py", Options(bind=bind)).kernels
    assert result.conflicts and result.reports[0].cost.status == "exact"
    plain = "from numba import njit\n@njit\ndef f(x, grid, block, registers):\n    for i in range(grid):\n"
    [result] = analyze_source(f"{plain}        x[i] += block * registers\n", "k.py").kernels
    problems = resolve_values(result.kernel, parse_facts(bind))[1]
    assert not any("launch" in text or "thread" in text for text in problems)


@pytest.mark.parametrize("sizes", ["-1, 256", "1.5, 0", "10**12, 10**12", "(1, 2, 3, 4), 32", "(), ()", "4, (64, 32)"])
def test_a_launch_in_the_source_that_cannot_be_leaves_a_typical_one(sizes: str) -> None:
    text = f"{HEAD}@cuda.jit\ndef scale(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] *= 2.0\n"
    options = Options(machines=("h200",))
    found = analyze_source(f"{text}def host(x):\n    scale[{sizes}](x)\n", "k.py", options).kernels
    assert [kernel.reports[0].cost.status for kernel in found] == ["exact"] * len(found)
    assert any("typical" in assumption for assumption in found[0].kernel.assumptions)


def test_threads_that_no_index_tells_apart_are_said_to_repeat_work() -> None:
    text = f"{HEAD}@cuda.jit\ndef scale(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] *= 2.0\n"
    said = "threads along y repeat one another's work: no index of the kernel tells them apart"
    for bind, repeated in (
        ("grid=4 block=(32,8)", True),
        ("grid=(4,2) block=32", True),
        ("grid=4 block=(256,1)", False),
    ):
        [result] = analyze_source(text, "k.py", Options(bind=bind)).kernels
        assert (said in result.kernel.assumptions) == repeated


def test_a_barrier_of_the_grid() -> None:
    body = "    i = cuda.grid(1)\n    x[i] += 1.0\n    g = cuda.cg.this_grid()\n    g.sync()\n    x[i] += 1.0\n"
    [result] = analyze_source(f"{HEAD}@cuda.jit\ndef twice(x):\n{body}", "k.py").kernels
    assert result.reports[0].cost.status == "exact" and not result.kernel.reasons
    assert [node.scope for node in walk(result.kernel.body) if isinstance(node, Barrier)] == ["grid"]


def test_a_loop_that_is_counted_leaves_no_reason() -> None:
    body = "    v, off = x[cuda.grid(1)], 16\n    while off > 0:\n        v += cuda.shfl_down_sync(-1, v, off)\n"
    body += "        off //= 2\n    x[cuda.grid(1)] = v\n"
    [result] = analyze_source(f"{HEAD}@cuda.jit\ndef total(x):\n{body}", "k.py").kernels
    assert result.reports[0].cost.status == "exact" and not result.kernel.reasons


def test_a_size_that_is_passed_is_its_own_name_in_the_grid() -> None:
    text = """
import numpy as np
from numba import cuda

@cuda.jit
def scale(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] *= 2.0

def host(n):
    x = cuda.to_device(np.ones(n))
    scale[(n + 127) // 128, 128](x, n)
"""
    kernel = next(
        r.kernel for r in analyze_source(text, "host.py", options=Options()).kernels if r.kernel.name == "scale"
    )
    assert any("grid ceiling(n/128), block 128" in said for said in kernel.assumptions)


@pytest.mark.parametrize(
    "guard", ["if i < n * m:", "N = n * m\n    if i < N:", "if i >= n * m:\n        return\n    if True:"]
)
def test_what_a_place_is_compared_with_is_a_number_of_elements(guard: str) -> None:
    head = "from numba import cuda\n@cuda.jit\ndef f(x, y, n, m):\n    i = cuda.grid(1)\n"
    text = f"{head}    {guard}\n        y[i] = x[i] + x[i]\n"
    cost = analyze_source(text).kernels[0].reports[0].cost
    assert (cost.status, str(cost.flops)) == ("exact", "m*n")
