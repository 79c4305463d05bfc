"""The model of warps and blocks against a run of every thread: requests, sectors, wavefronts, footprints are equal."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.api import Options, analyze_source
from roofscan.cost.memory.gpu.boxes import BlockBox, EveryBlock, by_array
from roofscan.cost.memory.gpu.l1 import RequestCounter, RequestCounts
from roofscan.cost.memory.gpu.movement import Mover
from roofscan.cost.memory.gpu.program import Program
from roofscan.cost.memory.gpu.reader import read_program
from roofscan.machine.files import load_machine
from roofscan.roofline.gpu.device import device_of
from tests.oracle.launches import Launch, Triple, launched, sectors, wavefronts

_FOUND = device_of(load_machine("h200"))
assert _FOUND is not None
DEVICE = _FOUND
THOROUGHNESS = int(os.environ.get("ROOFSCAN_TEST_EXAMPLES", "1"))
GRANULE = DEVICE.granule  # 64 bytes
BLOCKS: dict[int, list[Triple]] = {
    1: [(32, 1, 1), (64, 1, 1), (48, 1, 1), (20, 1, 1)],
    2: [(32, 2, 1), (16, 4, 1), (8, 8, 1), (12, 5, 1), (4, 16, 1)],
    3: [(8, 4, 2), (4, 4, 4), (32, 2, 2), (5, 3, 4)],
}
INDEX = {1: "i = cuda.grid(1)", 2: "j, i = cuda.grid(2)", 3: "k, j, i = cuda.grid(3)"}
NAMES = {1: ("i",), 2: ("j", "i"), 3: ("k", "j", "i")}  # along x, y and z


@st.composite
def kernels(draw: st.DrawFn, guarded: bool = True) -> tuple[str, dict[str, Any], Triple, Triple]:
    """A kernel with guards, strides, offsets and a loop, its arguments, grid and block."""
    rank = draw(st.integers(1, 3))
    block = draw(st.sampled_from(BLOCKS[rank]))
    grid: Triple = tuple(draw(st.integers(1, 3)) if d < rank else 1 for d in range(3))  # type: ignore[assignment]
    names = NAMES[rank]
    guards, extents = [], {}
    for d, name in enumerate(names):
        threads = grid[d] * block[d]
        low, high = draw(st.integers(0, 2)), draw(st.integers(max(1, threads - 9), threads + 2))
        if guarded and draw(st.booleans()):
            guards.append(f"{low} <= {name} < {high}" if low else f"{name} < {high}")
            extents[name] = min(threads, high)
        else:
            extents[name] = threads
    trips = draw(st.integers(0, 3))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    order = draw(st.permutations(names))
    reads, shape = _subscripts(draw, order, extents, trips)
    writes, out = _subscripts(draw, draw(st.permutations(names)), extents, trips)
    lines = ["@cuda.jit", "def f(a, b):", f"    {INDEX[rank]}"]
    lines += _inside(guards, trips, f"b[{writes}] = a[{reads}]")
    arguments = {"a": np.zeros(shape, dtype), "b": np.zeros(out, dtype)}
    return "\n".join(lines) + "\n", arguments, grid, block


@st.composite
def tiles(draw: st.DrawFn) -> tuple[str, dict[str, Any], Triple, Triple]:
    """A kernel whose threads fill a tile in shared memory, wait, and read it in another order."""
    rank = draw(st.integers(1, 3))
    block = draw(st.sampled_from(BLOCKS[rank]))
    grid: Triple = tuple(draw(st.integers(1, 2)) if d < rank else 1 for d in range(3))  # type: ignore[assignment]
    threads = {f"t{name}": size for name, size in zip(NAMES[rank], block)}
    places = {name: g * size for name, g, size in zip(NAMES[rank], grid, block)}
    trips = draw(st.integers(0, 2))
    dtype = draw(st.sampled_from([np.float16, np.float32, np.float64]))
    order = draw(st.permutations(list(threads)))
    put, held = _subscripts(draw, order, threads, 0, BY_LANE)
    got, read = _subscripts(draw, draw(st.sampled_from([order, order[::-1]])), threads, trips, BY_LANE)
    tile = tuple(map(max, held, read))
    loads, shape = _subscripts(draw, draw(st.permutations(list(places))), places, 0)
    stores, out = _subscripts(draw, draw(st.permutations(list(places))), places, trips)
    lines = ["@cuda.jit", "def f(a, b):", f"    tile = cuda.shared.array({tile}, {np.dtype(dtype).name})"]
    lines += [f"    {INDEX[rank]}", *(f"    t{name} = cuda.threadIdx.{axis}" for name, axis in zip(NAMES[rank], "xyz"))]
    low, high = draw(st.integers(0, 2)), draw(st.integers(3, block[0] + 1))
    filled, given_out = draw(st.booleans()), draw(st.booleans())
    lines += _inside([f"{low} <= t{NAMES[rank][0]} < {high}"] if filled else [], 0, f"tile[{put}] = a[{loads}]")
    lines += ["    cuda.syncthreads()"]
    guards = [f"{draw(st.sampled_from(list(places)))} < {draw(st.integers(1, 9))}"] if given_out else []
    lines += _inside(guards, trips, f"b[{stores}] = tile[{got}]")
    arguments = {"a": np.zeros(shape, dtype), "b": np.zeros(out, dtype)}
    return "\n".join(lines) + "\n", arguments, grid, block


def _inside(guards: list[str], trips: int, statement: str) -> list[str]:
    heads = [f"if {' and '.join(guards)}:"] * bool(guards) + [f"for t in range({trips}):"] * bool(trips)
    return ["    " * n + line for n, line in enumerate((*heads, statement), start=1)]


def _subscripts(
    draw: st.DrawFn, order: list[str], extents: Mapping[str, int], trips: int, forms: Sequence[str] = ("{}",)
) -> tuple[str, tuple[int, ...]]:
    """One subscript for each name, with a stride and an offset; the loop's variable in the last one."""
    texts, shape = [], []
    for name in order:
        stride, offset = draw(st.sampled_from([1, 1, 1, 2, 3])), draw(st.integers(0, 3))
        form = draw(st.sampled_from(forms))
        last = stride * max(eval(form.format(place)) for place in range(extents[name])) + offset
        text = f"{stride} * {form.format(name)} + {offset}"
        if trips and name == order[-1]:
            step = draw(st.sampled_from([1, 2, 40]))
            text, last = f"{text} + {step} * t", last + step * (trips - 1)
        texts.append(text)
        shape.append(last + 1 + draw(st.sampled_from([0, 1, 5])))
    return ", ".join(texts), tuple(shape)


BY_LANE = ("{}", "{}", "({} ^ 1)", "({} ^ 6)", "({} & ~3)", "({} | 4)", "abs({} - 3)", "min({}, 5)", "({} // 3)")


def modelled(text: str, arguments: Mapping[str, Any], grid: Triple, block: Triple) -> Program:
    rank = 3
    arrays = [
        f"{name}={value.dtype.str[1:]}[{','.join(map(str, value.shape))}]" if isinstance(value, np.ndarray)
        else f"{name}={value}" for name, value in arguments.items()
    ]  # fmt: skip
    sizes = f"grid=({','.join(map(str, grid[:rank]))}) block=({','.join(map(str, block[:rank]))})"
    bind = " ".join((*arrays, sizes))
    head = "import numpy as np\nfrom numba import cuda, float16, float32, float64\nfrom numba.cuda import libdevice\n"
    report = analyze_source(head + text, options=Options(bind=bind, machines=("h200",)))
    [kernel] = [k for k in report.kernels if k.kernel.name == "f"]
    cost = kernel.reports[0].cost
    assert not kernel.conflicts and not cost.kernel.unsupported, cost.kernel.reasons
    return read_program(cost.kernel, cost.sample_point, symbolic=False)


def compare(text: str, arguments: Mapping[str, Any], grid: Triple, block: Triple, within: float = 0.0) -> None:
    """``within``: the share by which footprints of blocks may be larger."""
    program, run = modelled(text, arguments, grid, block), launched(text, "f", arguments, grid, block)
    counter = RequestCounter(program.launch, DEVICE)
    requests = run.requests()
    assert {(r.name, r.write) for r in program.references if r.array.space == "global"} >= {
        key for key in requests if not key[0].startswith("shared")
    }
    for write in (False, True):
        references = [r for r in program.references if r.write == write and r.array.space == "global"]
        for name, found in by_array(references).items():
            lanes = requests.get((name, write), [])
            counted = sum((counter.of(r) for r in found), start=RequestCounts())
            assert counted.requests == len(lanes), (text, name)
            assert counted.sectors == sum(map(sectors, lanes)), (text, name)
            assert counted.data == sum(map(wavefronts, lanes)), (text, name)
            _footprints(program, run, counter, found, within)
    in_shared = [r for r in program.references if r.array.space == "shared"]
    if in_shared:
        conflicts = sum((counter.of(r) for r in in_shared), start=RequestCounts()).data
        measured = [lanes for key, found in requests.items() if key[0].startswith("shared") for lanes in found]
        assert conflicts == sum(map(wavefronts, measured)), text


def _footprints(program: Program, run: Launch, counter: RequestCounter, found: list[Any], within: float) -> None:
    """Distinct sectors of each block."""
    extents = {loop.var: loop.trips for r in found for loop, _ in r.loops}
    every = EveryBlock(counter, program)
    touched = run.footprint(32).get((found[0].name, found[0].write), 0)
    assert touched <= every.bytes(found, extents, 32) <= touched * (1 + within), found


@settings(max_examples=120 * THOROUGHNESS, deadline=None)
@given(kernels())
def test_requests_and_block_footprints_are_those_of_a_run(kernel: tuple[str, dict[str, Any], Triple, Triple]) -> None:
    compare(*kernel)


BOUNDED_TRANSPOSE = """
@cuda.jit
def f(a, b):
    tile = cuda.shared.array((16, 17), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * 16 + tx, cuda.blockIdx.y * 16 + ty
    h, w = a.shape
    for j in range(0, 16, 8):
        if x < w and y + j < h:
            tile[ty + j, tx] = a[y + j, x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * 16 + tx, cuda.blockIdx.x * 16 + ty
    for j in range(0, 16, 8):
        if x < h and y + j < w:
            b[y + j, x] = tile[tx, ty + j]
"""
HALO = """
@cuda.jit
def f(a, b):
    i = cuda.grid(1)
    n = a.shape[0]
    total = float32(0.0)
    for k in range(-3, 4):
        if 0 <= i + k < n:
            total += a[i + k]
    if i < n:
        b[i] = total
"""
HALO_OF_TWO = """
@cuda.jit
def f(a, b):
    j, i = cuda.grid(2)
    n, m = a.shape
    if i < n and j < m:
        total = float32(0.0)
        for p in range(-1, 2):
            for q in range(-1, 2):
                if 0 <= i + p < n and 0 <= j + q < m:
                    total += a[i + p, j + q]
        b[i, j] = total
"""
BUTTERFLY = """
@cuda.jit
def f(a, b, half):
    t = cuda.grid(1)
    if t < b.shape[0] // 2:
        low = t & (half - 1)
        i = ((t - low) << 1) | low
        b[i] = a[i + half]
        b[i + half] = a[i]
"""


@pytest.mark.parametrize("size", [(40, 56), (32, 48), (33, 17), (24, 40)])
def test_threads_and_blocks_of_two_directions_in_one_condition(size: tuple[int, int]) -> None:
    """Blocks along x that end inside the matrix have fewer active threads along y."""
    arguments = {"a": np.zeros(size, np.float32), "b": np.zeros(size[::-1], np.float32)}
    compare(BOUNDED_TRANSPOSE, arguments, (-(-size[1] // 16), -(-size[0] // 16), 1), (16, 8, 1))


@pytest.mark.parametrize("size", [100, 128])
def test_iterations_that_let_other_threads_pass(size: int) -> None:
    arguments = {"a": np.zeros(size, np.float32), "b": np.zeros(size, np.float32)}
    compare(HALO, arguments, (4, 1, 1), (32, 1, 1), within=0.1)
    arguments = {name: np.zeros((20, 40), np.float32) for name in "ab"}
    compare(HALO_OF_TWO, arguments, (2, 5, 1), (32, 4, 1), within=0.4)


@pytest.mark.parametrize("half", [1, 2, 16, 32, 64])
def test_butterflies_whose_distance_is_bound(half: int) -> None:
    arguments = {"a": np.zeros(256, np.float32), "b": np.zeros(256, np.float32), "half": half}
    compare(BUTTERFLY, arguments, (2, 1, 1), (64, 1, 1))


def whole_waves(grid: Triple) -> Iterator[Triple]:
    """Boxes of blocks that follow one another in the order of their launch: in a row, in whole rows, in whole slabs."""
    x, y, z = grid
    yield from ((blocks, 1, 1) for blocks in range(1, x + 1))
    yield from ((x, rows, 1) for rows in range(2, y + 1))
    yield from ((x, y, slabs) for slabs in range(2, z + 1))


def compare_waves(text: str, arguments: Mapping[str, Any], grid: Triple, block: Triple) -> None:
    """Distinct granules of memory of the first wave, for waves of any number of blocks that is a box of them."""
    program, run = modelled(text, arguments, grid, block), launched(text, "f", arguments, grid, block)
    for extents, write in product(whole_waves(grid), (False, True)):
        [first, *_] = run.waves(GRANULE, prod(extents))
        box = BlockBox(extents, block, "a wave")
        for name, found in by_array(r for r in program.on_global.references if r.write == write).items():
            loops = {loop.var: loop.trips for r in found for loop, _ in r.loops}
            assert box.bytes(found, loops, GRANULE) == first.get((name, write), 0), (text, extents, name)


@settings(max_examples=120 * THOROUGHNESS, deadline=None)
@given(kernels(guarded=False))
def test_footprints_of_waves_are_those_of_a_run(kernel: tuple[str, dict[str, Any], Triple, Triple]) -> None:
    compare_waves(*kernel)


@settings(max_examples=60 * THOROUGHNESS, deadline=None)
@given(tiles())
def test_tiles_in_shared_memory_take_the_wavefronts_of_a_run(
    kernel: tuple[str, dict[str, Any], Triple, Triple],
) -> None:
    compare(*kernel)


GRID_STRIDE = """
@cuda.jit
def f(a, b):
    start = cuda.grid(1)
    for i in range(start, a.shape[0], cuda.gridsize(1)):
        b[i] = a[i]
"""

TILE = """
@cuda.jit
def f(a, b):
    tile = cuda.shared.array(({side}, {width}), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[cuda.blockIdx.y * {side} + y, cuda.blockIdx.x * {side} + x]
    cuda.syncthreads()
    b[cuda.blockIdx.x * {side} + y, cuda.blockIdx.y * {side} + x] = tile[x, y]
"""

STENCIL = """
@cuda.jit
def f(a, b):
    j, i = cuda.grid(2)
    n, m = a.shape
    if 0 < i < n - 1 and 0 < j < m - 1:
        b[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
"""


@pytest.mark.parametrize("size", [1024, 1000, 130, 999])
def test_a_loop_that_strides_over_the_grid(size: int) -> None:
    arguments = {"a": np.zeros(size, np.float64), "b": np.zeros(size, np.float64)}
    program, run = (
        modelled(GRID_STRIDE, arguments, (2, 1, 1), (64, 1, 1)),
        launched(GRID_STRIDE, "f", arguments, (2, 1, 1), (64, 1, 1)),
    )
    counter = RequestCounter(program.launch, DEVICE)
    for reference in program.references:
        lanes = run.requests()[reference.name, reference.write]
        counted = counter.of(reference)
        assert (counted.requests, counted.sectors) == (len(lanes), sum(map(sectors, lanes)))


@pytest.mark.parametrize("width", [8, 9])
def test_a_tile_in_shared_memory(width: int) -> None:
    arguments = {"a": np.zeros((16, 24), np.float32), "b": np.zeros((24, 16), np.float32)}
    compare(TILE.format(side=8, width=width), arguments, (3, 2, 1), (8, 8, 1))
    compare_waves(TILE.format(side=8, width=width), arguments, (3, 2, 1), (8, 8, 1))


@pytest.mark.parametrize("shape", [(64, 64), (34, 66), (33, 61), (17, 32)])
@pytest.mark.parametrize("block", [(32, 4, 1), (16, 8, 1), (8, 8, 1)])
def test_a_stencil(shape: tuple[int, int], block: Triple) -> None:
    grid = (-(-shape[1] // block[0]), -(-shape[0] // block[1]), 1)
    arguments = {"a": np.zeros(shape), "b": np.zeros(shape)}
    compare(STENCIL, arguments, grid, block)
    assert prod(grid) > 1


GATHER = """
@cuda.jit
def f(a, b, index):
    i = cuda.grid(1)
    b[i] = a[index[i]]
"""

SHARE = """
@cuda.jit
def f(a, b):
    i = cuda.grid(1)
    if a[i] > 0.0:
        b[i] = a[i] + 1.0
"""

TRIANGLE = """
@cuda.jit
def f(a, b):
    i = cuda.grid(1)
    for j in range(i):
        b[i, j] = a[i, j]
"""


@pytest.mark.parametrize("text", [GATHER, SHARE, TRIANGLE])
def test_what_depends_on_data_or_differs_from_lane_to_lane_is_not_exact(text: str) -> None:
    shape = (64, 64) if text is TRIANGLE else (64,)
    arguments: dict[str, Any] = {"a": np.zeros(shape), "b": np.zeros(shape)}
    if text is GATHER:
        arguments["index"] = np.zeros(64, np.int64)
    assert not modelled(text, arguments, (2, 1, 1), (32, 1, 1)).is_affine


WARPS = """
@cuda.jit
def f(a, b):
    t = cuda.threadIdx.x
    warp, lane = t // 32, t % 32
    row = cuda.blockIdx.x * 4 + warp
    total = 0.0
    for j in range(lane, a.shape[1], 32):
        total += a[row, j]
    if lane == 0:
        b[row] = total
"""

OF_GRID = """
@cuda.jit
def f(a, b):
    row = cuda.grid(1) // 16
    for j in range(cuda.grid(1) % 16, a.shape[1], 16):
        b[row, j] = a[row, j]
"""

HALVING = """
@cuda.jit
def f(a, b):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    k = 32
    while k > 0:
        if t < k:
            part[t] += part[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        b[cuda.blockIdx.x] = part[0]
"""

FLAT = """
@cuda.jit
def f(a, b):
    i = cuda.grid(1)
    n, m = a.shape
    y, x = i // m, i % m
    b[y, x] = a[y, x]
"""

OF_THE_DEVICE = {
    "shuffles": """
v = a[2 * i]
for k in (16, 8, 4, 2, 1):
    v += cuda.shfl_down_sync(0xffffffff, v, k)
v += cuda.shfl_xor_sync(0xffffffff, cuda.shfl_up_sync(0xffffffff, v, 1), 3)
if cuda.laneid == 0:
    b[i // 32] = v
""",
    "a ballot": """
b[i + 1] = cuda.popc(cuda.ballot_sync(0xffffffff, a[3 * i] > 0.0))
""",
    "the number of a lane": """
b[i] = a[5 * cuda.laneid + 1]
""",
    "lanes under a guard": """
if cuda.laneid < 20:
    b[2 * i] = a[i]
""",
    "constant memory": """
t = cuda.const.array_like(TABLE)
b[i] = a[i + 3] * t[0] + t[cuda.threadIdx.x % 8]
""",
    "local memory": """
p = cuda.local.array(4, float32)
for k in range(4):
    p[k] = a[4 * i + k]
for k in range(4):
    b[i + 64 * k] = p[3 - k]
""",
    "libdevice": """
b[i] = libdevice.rsqrtf(a[i]) + libdevice.fast_sinf(a[i + 9])
""",
    "a function of the device": """
b[i] = of_two(a, 2 * i)
""",
    "a vector": """
v = cuda.float32x2(a[2 * i], a[2 * i + 1])
b[i] = v.x * v.y
""",
}
MODULE = (
    "TABLE = np.arange(8, dtype=np.float32)\n@cuda.jit(device=True)\ndef of_two(x, k):\n    return x[k] * x[k + 1]\n"
)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", OF_THE_DEVICE)
def test_functions_and_memories_of_the_device(name: str, dtype: type[np.floating[Any]]) -> None:
    body = OF_THE_DEVICE[name].strip().replace("\n", "\n    ")
    text = f"{MODULE}@cuda.jit\ndef f(a, b):\n    i = cuda.grid(1)\n    {body}\n"
    arguments = {"a": np.ones(2048, dtype), "b": np.zeros(1024, dtype)}
    compare(text, arguments, (3, 1, 1), (64, 1, 1))
    assert modelled(text, arguments, (3, 1, 1), (64, 1, 1)).is_affine


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("cuda.atomic.max(b, i, a[i])", "line 7: atomic updates of b pass by the first cache"),
        ("b[cuda.shfl_sync(0xffffffff, i, 0)] = a[i]", "line 7: random elements of b"),
        ("b[cuda.popc(cuda.ballot_sync(0xffffffff, a[i] > 0.0))] = a[i]", "line 7: random elements of b"),
        (
            "if i < 10 or i > 25:\n        b[i] = a[i]",
            "line 8: lanes that take different parts of a condition are counted apart",
        ),
        (
            "for k in range(6):\n        if k % 2 == 0:\n            b[i] = a[i + k]",
            "line 8: all iterations alike pass the condition",
        ),
        ("b[libdevice.float2int_rn(a[i])] = a[i]", "line 7: random elements of b"),
        (
            "p = cuda.local.array(4, float32)\n    p[cuda.threadIdx.x % 4] = a[i]\n    b[i] = p[0]",
            "line 8: p is taken to lie in registers",
        ),
        (
            "p = cuda.local.array(512, float32)\n    p[0] = a[i]\n    b[i] = p[0]",
            "line 8: p is taken to lie in registers",
        ),
    ],
)
def test_an_estimate_says_why(body: str, why: str) -> None:
    text = f"@cuda.jit\ndef f(a, b):\n    i = cuda.grid(1)\n    {body}\n"
    arguments = {"a": np.ones(64, np.float32), "b": np.zeros(64, np.float32)}
    program = modelled(text, arguments, (1, 1, 1), (64, 1, 1))
    assert why in program.unknown and not program.is_affine


ATOMIC = """
@cuda.jit
def f(a, b):
    i = cuda.grid(1)
    cuda.atomic.{update}
"""


@pytest.mark.parametrize(
    ("text", "a", "b", "grid", "block"),
    [
        (WARPS, (12, 96), (12,), 3, 128),
        (WARPS, (8, 64), (8,), 2, 128),
        (OF_GRID, (16, 48), (16, 48), 4, 64),
        (HALVING, (256,), (4,), 4, 64),
        (FLAT, (16, 24), (16, 24), 6, 64),
    ],
)
def test_threads_taken_apart_and_halving_loops(
    text: str, a: tuple[int, ...], b: tuple[int, ...], grid: int, block: int
) -> None:
    arguments = {"a": np.zeros(a, np.float32), "b": np.zeros(b, np.float32)}
    compare(text, arguments, (grid, 1, 1), (block, 1, 1))
    compare_waves(text, arguments, (grid, 1, 1), (block, 1, 1))


LANES = """@cuda.jit
def f(a, b):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    {}
"""
SUBSCRIPTS = (
    "i & 7", "i & 31", "i >> 1", "i >> 3", "i % 8", "t & 15", "(t & 3) * 8 + (t >> 2)", "i // 4 * 4",
    "(i % 4) * 64 + i // 4", "t // 2 + 64 * (t % 2)", "63 - i % 64", "t % 32 + 32 * (t // 64)", "cuda.laneid",
    "i ^ 1", "i ^ 16", "i ^ 33", "t & ~31", "i | 4", "i & 6", "~t + 64", "63 - (t ^ 5)", "(t ^ (t >> 3)) & 63",
    "abs(t - 20)", "min(t, 40)", "max(t - 5, 0)", "t // 3", "t % 48 + t // 16", "t * (t + 1) // 8",
)  # fmt: skip
CONDITIONS = (
    "i % 2 == 0", "t & 1", "t % 32 < 5", "t >> 4 == 1", "t ^ 1 > t", "t & 6 == 2", "(t | 1) == t", "abs(t - 9) < 20",
    "t % 3 == 0 and t < 50", "i < 150 and t & 1", "i < 150 and t // 8 % 3 == 0",
)  # fmt: skip
SQUARES = """@cuda.jit
def f(a, b):
    tile = cuda.shared.array((16, 16), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * 16, cuda.blockIdx.y * 16
    {}
"""
OF_TWO = (
    "tile[ty, tx ^ ty] = a[y + ty, x + tx]\ncuda.syncthreads()\nb[x + ty, y + tx] = tile[tx, ty ^ tx]",
    "for k in range(2):\n    b[ty, (tx + ty + k) % 16] = a[ty, tx ^ k]",
    "if (tx + ty) % 2 == 0:\n    b[ty, tx] = a[y + ty, x + tx]",
    "if tx < ty:\n    b[x + ty, tx] = a[tx, y + ty]",
    "for k in range(4):\n    if tx != ty:\n        b[ty, tx + k] = a[y + ty, abs(tx - ty) + k]",
    "b[y + ty, x + (tx ^ 3)] = a[x + tx, y + max(ty, tx)]",
)


@pytest.mark.parametrize(
    "statement", [*(f"b[i] = a[{e}]" for e in SUBSCRIPTS), *(f"if {c}:\n        b[i] = a[i]" for c in CONDITIONS)]
)
def test_bits_of_a_lane(statement: str) -> None:
    text, arguments = LANES.format(statement), {name: np.zeros(768, np.float32) for name in "ab"}
    grid, block = (3, 1, 1), (64, 1, 1)
    program, run = modelled(text, arguments, grid, block), launched(text, "f", arguments, grid, block)
    assert program.is_affine
    counter, requests = RequestCounter(program.launch, DEVICE), run.requests()
    for reference in program.references:
        found, lanes = counter.of(reference), requests[reference.name, reference.write]
        assert found.requests == len(lanes)
        assert found.sectors == sum(map(sectors, lanes))
        assert found.data == sum(map(wavefronts, lanes))


@pytest.mark.parametrize("statements", OF_TWO)
def test_lanes_of_two_dimensions(statements: str) -> None:
    text = SQUARES.format(statements.replace("\n", "\n    "))
    arguments = {name: np.zeros((40, 48), np.float32) for name in "ab"}
    compare(text, arguments, (2, 2, 1), (16, 16, 1))
    compare_waves(text, arguments, (2, 2, 1), (16, 16, 1))
    assert modelled(text, arguments, (2, 2, 1), (16, 16, 1)).is_affine


BY_ITERATION = {
    "a row by a block": (
        "t, row = cuda.threadIdx.x, cuda.blockIdx.x\nfor j in range(t, a.shape[1], cuda.blockDim.x):\n"
        "    b[row, j] = a[row, j]",
        (8, 100), (8, 100), (8, 1, 1), (64, 1, 1),
    ),
    "the same, counted by hand": (
        "j = cuda.threadIdx.x\nv = 0.0\nwhile j < a.shape[1]:\n    v += a[cuda.blockIdx.x, j]\n    j += 32\n"
        "b[cuda.blockIdx.x] = v",
        (8, 70), (8,), (8, 1, 1), (32, 1, 1),
    ),
    "over the grid, counted by hand": (
        "j = cuda.grid(1)\nwhile j < a.size:\n    b[j] = a[j]\n    j += cuda.gridsize(1)",
        (1000,), (1000,), (2, 1, 1), (64, 1, 1),
    ),
    "the same, of those that have any": (
        "j = cuda.grid(1)\nif j >= a.size:\n    return\nwhile j < a.size:\n    b[j] = a[j]\n    j += cuda.gridsize(1)",
        (1000,), (1000,), (2, 1, 1), (64, 1, 1),
    ),
    "tiles, the last of which is cut": (
        "s = cuda.shared.array((16, 16), float32)\ntx, ty = cuda.threadIdx.x, cuda.threadIdx.y\n"
        "y = cuda.blockIdx.y * 16 + ty\nfor p in range((a.shape[1] + 15) // 16):\n"
        "    if y < a.shape[0] and tx + p * 16 < a.shape[1]:\n        s[ty, tx] = a[y, tx + p * 16]\n"
        "    cuda.syncthreads()\n    for k in range(16):\n        v = s[ty, k]\n    cuda.syncthreads()\nb[y, tx] = v",
        (40, 330), (48, 16), (1, 3, 1), (16, 16, 1),
    ),
    "rows of a tile, by the height of a block": (
        "s = cuda.shared.array((32, 33), float32)\ntx, ty = cuda.threadIdx.x, cuda.threadIdx.y\n"
        "x, y = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty\nfor j in range(0, 32, cuda.blockDim.y):\n"
        "    if x < a.shape[1] and y + j < a.shape[0]:\n        s[ty + j, tx] = a[y + j, x]\n"
        "cuda.syncthreads()\nb[x, y] = s[tx, ty]",
        (50, 70), (96, 64), (3, 2, 1), (32, 8, 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_ITERATION)
def test_iterations_in_which_some_threads_of_a_block_pass_are_counted_apart(name: str) -> None:
    body, a, b, grid, block = BY_ITERATION[name]
    text = "@cuda.jit\ndef f(a, b):\n    " + body.replace("\n", "\n    ") + "\n"
    arguments = {"a": np.zeros(a, np.float32), "b": np.zeros(b, np.float32)}
    compare(text, arguments, grid, block, within=0.1)
    assert modelled(text, arguments, grid, block).is_affine


ROW_BY_WARP = """@cuda.jit
def f(starts, a, b):
    row, lane = cuda.grid(1) // 32, cuda.threadIdx.x % 32
    for p in range(starts[row] + lane, starts[row + 1], 32):
        b[row] = a[p]
"""


def test_rows_that_are_shorter_than_a_warp_are_read_by_some_of_its_lanes() -> None:
    starts, a = np.arange(0, 85, 5), np.zeros(80)
    arguments = {"starts": starts, "a": a, "b": np.zeros(16)}
    program = modelled(ROW_BY_WARP, arguments, (4, 1, 1), (128, 1, 1))
    run = launched(ROW_BY_WARP, "f", arguments, (4, 1, 1), (128, 1, 1)).requests()["a", False]
    [reference] = [r for r in program.references if r.name == "a"]
    counted = RequestCounter(program.launch, DEVICE).of(reference)
    assert (counted.requests, counted.sectors) == (len(run), sum(map(sectors, run)))


DRAWN_ROWS = """@cuda.jit
def f(index, a, b):
    {}
    b[row, k] = a[index[row], k]
"""


@pytest.mark.parametrize(
    ("places", "block"),
    [
        ("row, k = cuda.blockIdx.x, cuda.threadIdx.x", (64, 1, 1)),
        ("k, row = cuda.threadIdx.x, cuda.blockIdx.x * 8 + cuda.threadIdx.y", (64, 8, 1)),
        ("k, row = cuda.grid(2)", (16, 8, 1)),
    ],
)
def test_a_row_that_data_choose_is_read_by_neighbouring_threads(places: str, block: Triple) -> None:
    width, rows = block[0], 4 * block[1]
    index, a = np.random.default_rng(0).integers(0, 90, rows), np.zeros((90, width), np.float32)
    text = DRAWN_ROWS.format(places)
    grid = (1, 4, 1) if "grid(2)" in places else (4, 1, 1)
    program = modelled(text, {"index": index, "a": a, "b": a[:rows]}, grid, block)
    run = launched(text, "f", {"index": index, "a": a, "b": a[:rows]}, grid, block).requests()["a", False]
    [reference] = [r for r in program.references if r.name == "a"]
    counted = RequestCounter(program.launch, DEVICE).of(reference)
    assert (counted.requests, counted.sectors) == (len(run), sum(map(sectors, run)))
    assert "line 7: random rows of a" in program.unknown


def test_neighbouring_elements_of_a_row_that_data_choose_are_fetched_together() -> None:
    text = """@cuda.jit
def f(index, a, b):
    i = cuda.grid(1)
    j = index[i]
    b[i] = {}
"""
    arguments = {"index": np.zeros(1 << 16, np.int64), "a": np.zeros((1 << 18, 16)), "b": np.zeros(1 << 16)}
    one, three, far = (
        Mover(modelled(text.format(read), arguments, (256, 1, 1), (256, 1, 1)), DEVICE).movements().dram.load["a"]
        for read in ("a[j, 0]", "a[j, 0] + a[j, 1] + a[j, 2]", "a[j, 0] + a[j, 9]")
    )
    assert three == one and far > 1.5 * one


EXCHANGED = """@cuda.jit
def f(a, b, j, k):
    i = cuda.grid(1)
    other = i ^ j
    if other > i:
        if i & k == 0:
            b[other] = a[i]
        if i & k:
            b[i] = a[other]
"""
SCAN = """@cuda.jit
def f(a, b):
    s = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    first = cuda.blockIdx.x * 128
    s[t] = a[first + t]
    s[t + 64] = a[first + t + 64]
    stride = 1
    d = 64
    while d > 0:
        cuda.syncthreads()
        if t < d:
            s[stride * (2 * t + 2) - 1] += s[stride * (2 * t + 1) - 1]
        stride *= 2
        d //= 2
    if t == 0:
        s[127] = 0.0
    d = 1
    while d < 128:
        stride //= 2
        cuda.syncthreads()
        if t < d:
            s[stride * (2 * t + 2) - 1] += s[stride * (2 * t + 1) - 1]
        d *= 2
    cuda.syncthreads()
    b[first + t] = s[t]
"""


@pytest.mark.parametrize(("j", "k"), [(1, 2), (1, 8), (16, 32), (2, 4), (8, 64)])
def test_bits_of_a_place_that_facts_give_say_which_lanes_pass(j: int, k: int) -> None:
    arguments = {"a": np.zeros(384, np.float32), "b": np.zeros(384, np.float32), "j": j, "k": k}
    program = modelled(EXCHANGED, arguments, (6, 1, 1), (64, 1, 1))
    run = launched(EXCHANGED, "f", arguments, (6, 1, 1), (64, 1, 1))
    counter, requests = RequestCounter(program.launch, DEVICE), run.requests()
    for name, write in (("a", False), ("b", True)):
        counted = sum((counter.of(r) for r in program.references if r.write == write), start=RequestCounts())
        lanes = requests[name, write]
        assert (counted.requests, counted.sectors) == (len(lanes), sum(map(sectors, lanes)))


def test_strides_that_double_and_halve_beside_the_counter_of_a_loop() -> None:
    arguments = {"a": np.zeros(384, np.float32), "b": np.zeros(384, np.float32)}
    compare(SCAN, arguments, (3, 1, 1), (64, 1, 1))


AT_THE_ENDS = (
    "(i + 1) % n, (j - 1) % m",
    "max(i - 1, 0), min(j + 1, m - 1)",
    "i - 1 if i > 0 else n - 1, j + 1 if j < m - 1 else 0",
    "min(max(i + 2, 0), n - 1), (j + m - 3) % m",
)
FROM_THE_ENDS = """@cuda.jit
def f(a, b):
    j, i = cuda.grid(2)
    n, m = a.shape
    if i < n and j < m:
        b[i, j] = a[{}]
"""


@pytest.mark.parametrize("subscripts", AT_THE_ENDS)
def test_indices_that_few_threads_wrap_around_or_clamp_count_as_those_of_the_others(subscripts: str) -> None:
    text, arguments = FROM_THE_ENDS.format(subscripts), {name: np.zeros((40, 90), np.float32) for name in "ab"}
    program = modelled(text, arguments, (3, 5, 1), (32, 8, 1))
    assert program.unknown == ("indices that few threads wrap around or clamp count as those of the others",)
    counter = RequestCounter(program.launch, DEVICE)
    requests = launched(text, "f", arguments, (3, 5, 1), (32, 8, 1)).requests()
    for reference in program.references:
        lanes, counted = requests[reference.name, reference.write], counter.of(reference)
        assert counted.requests == len(lanes)
        assert counted.sectors == pytest.approx(sum(map(sectors, lanes)), rel=0.05)


OF_ITS_OWN = """@cuda.jit
def f(a, b):
    t = cuda.grid(1)
    for i in range(5):
        for j in range(5):
            b[t, i, j] = a[t, i, j] + a[t, j, i] + a[t, j, j]
"""


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_walks_in_several_directions_through_a_part_of_an_array_touch_that_part_once(dtype: type[Any]) -> None:
    arguments = {name: np.zeros((128, 5, 5), dtype) for name in "ab"}
    compare(OF_ITS_OWN, arguments, (2, 1, 1), (64, 1, 1))
    compare_waves(OF_ITS_OWN, arguments, (2, 1, 1), (64, 1, 1))


def test_few_blocks_are_blocks_like_many() -> None:
    """No loop of a kernel, whose few iterations could be counted one by one."""
    arguments = {"a": np.zeros(150, np.float32), "b": np.zeros(5, np.float32)}
    compare(IN_BLOCKS, arguments, (5, 1, 1), (32, 1, 1))


IN_BLOCKS = """@cuda.jit
def f(a, b):
    s = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < a.size:
        s[t] = a[i]
    cuda.syncthreads()
    if t == 0:
        b[cuda.blockIdx.x] = s[31]
"""


@pytest.mark.parametrize("update", ["add(b, 2 * i, a[i])", "max(b, 2 * i, a[i])", "cas(b, 2 * i, 0.0, a[i])"])
def test_atomic_updates_are_one_request_to_the_second_cache(update: str) -> None:
    text = ATOMIC.format(update=update)
    arguments = {"a": np.zeros(128, np.float32), "b": np.zeros(256, np.float32)}
    program = modelled(text, arguments, (2, 1, 1), (64, 1, 1))
    moved = Mover(program, DEVICE).movements()
    lanes = launched(text, "f", arguments, (2, 1, 1), (64, 1, 1)).requests()["b", True]
    assert moved.of("b", True).sectors == sum(map(sectors, lanes))
    assert moved.of("b", False).sectors == 0 and moved.misses.get("b", 0) == 0
    assert moved.queue == sum(map(sectors, lanes)) / min(DEVICE.slices, 256 * 4 / 32)


def test_wavefronts_of_64_lanes_and_shared_memory_of_its_own() -> None:
    """An MI300X: 64 floats are 4 sectors of 64 bytes, which its first cache hands out one a cycle."""
    machine = load_machine("mi300x")
    device = device_of(machine)
    assert device is not None and device.shared > device.l1
    arguments = {"a": np.zeros((16, 24), np.float32), "b": np.zeros((24, 16), np.float32)}
    tile = Mover(modelled(TILE.format(side=8, width=9), arguments, (3, 2, 1), (8, 8, 1)), device).movements()
    assert tile.misses["a"] == 6 * 8 * 64  # half a sector a row of 8
    arguments = {"a": np.zeros((64, 256), np.float32), "b": np.zeros((64, 256), np.float32)}
    text = "@cuda.jit\ndef f(a, b):\n    j, i = cuda.grid(2)\n    b[i, j] = a[i, j]\n"
    counts = Mover(modelled(text, arguments, (2, 64, 1), (128, 1, 1)), device).movements().of("a", False)
    assert (counts.requests, counts.sectors, counts.data) == (256, 256 * 4, 256 * 4)
