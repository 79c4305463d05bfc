"""The model of warps and blocks against a run of every thread: requests, sectors, wavefronts, footprints are equal."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from roofscan.cost.memory.gpu.traffic.mover import UPDATE, Mover
from roofscan.cost.memory.gpu.warps.counter import RequestCounter
from roofscan.machine.files import load_machine
from roofscan.roofline.gpu.device import device_of
from tests.cost.memory.gpu.against_runs import DEVICE, THOROUGHNESS, compare, compare_waves, kernels, modelled, tiles
from tests.oracle.launches import Touch, Triple, launched, sectors


@settings(max_examples=30 * THOROUGHNESS, deadline=None)
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


@settings(max_examples=30 * THOROUGHNESS, deadline=None)
@given(kernels(guarded=False))
def test_footprints_of_waves_are_those_of_a_run(kernel: tuple[str, dict[str, Any], Triple, Triple]) -> None:
    compare_waves(*kernel)


@settings(max_examples=30 * THOROUGHNESS, deadline=None)
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
        ("cuda.atomic.max(b, i, a[i])", "line 7: atomic updates of b bypass L1"),
        ("b[cuda.shfl_sync(0xffffffff, i, 0)] = a[i]", "line 7: random elements of b"),
        ("b[cuda.popc(cuda.ballot_sync(0xffffffff, a[i] > 0.0))] = a[i]", "line 7: random elements of b"),
        (
            "if i < 10 or i > 25:\n        b[i] = a[i]",
            "line 8: lanes that take different branches of a condition are counted separately",
        ),
        (
            "for k in range(6):\n        if k % 2 == 0:\n            b[i] = a[i + k]",
            "line 8: all iterations pass the condition equally often",
        ),
        ("b[libdevice.float2int_rn(a[i])] = a[i]", "line 7: random elements of b"),
        (
            "p = cuda.local.array(4, float32)\n    p[cuda.threadIdx.x % 4] = a[i]\n    b[i] = p[0]",
            "line 8: p is assumed to stay in registers",
        ),
        (
            "p = cuda.local.array(512, float32)\n    p[0] = a[i]\n    b[i] = p[0]",
            "line 8: p is assumed to stay in registers",
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


@pytest.mark.parametrize("places", [1, 4, 8])
def test_random_updates_of_an_array_within_one_sector_ask_for_that_sector(places: int) -> None:
    text = ATOMIC.format(update="add(b, at[i], a[i])").replace("(a, b)", "(a, b, at)")
    at = np.arange(128, dtype=np.int32) % places
    arguments = {"a": np.zeros(128, np.float32), "b": np.zeros(places, np.float32), "at": at}
    moved = Mover(modelled(text, arguments, (2, 1, 1), (64, 1, 1)), DEVICE).movements()
    lanes = launched(text, "f", arguments, (2, 1, 1), (64, 1, 1)).requests()["b", True]
    assert moved.of("b", True).sectors == sum(map(sectors, lanes)) == 4
    assert moved.queue == pytest.approx(UPDATE * sum(_turns(each) for each in lanes), rel=0.03)


@pytest.mark.parametrize(
    ("place", "block"),
    [("0", (64, 1, 1)), ("cuda.threadIdx.y", (8, 8, 1)), ("i // 4", (64, 1, 1)), ("i % 2", (64, 1, 1))],
)
@pytest.mark.parametrize("space", ["global", "shared"])
def test_lanes_that_update_one_word_follow_one_another(place: str, block: Triple, space: str) -> None:
    array, made = "b", ""
    if space == "shared":
        array, made = "s", "s = cuda.shared.array(64, float32)"
    text = f"@cuda.jit\ndef f(b):\n    i = cuda.grid(1)\n    {made}\n    cuda.atomic.add({array}, {place}, 1.0)\n"
    moved = Mover(modelled(text, {"b": np.zeros(64, np.float32)}, (1, 1, 1), block), DEVICE).movements()
    run = launched(text, "f", {"b": np.zeros(64, np.float32)}, (1, 1, 1), block).requests()
    [lanes] = run.values()
    if space == "shared":
        assert moved.shared.data == sum(map(_turns, lanes))
    else:
        hit = len({t.address // 32 for each in lanes for t in each})
        assert moved.queue == sum(sectors(each) * _turns(each) for each in lanes) / min(DEVICE.slices, hit)


def _turns(lanes: list[Touch]) -> int:
    """Of the word that most lanes update."""
    return max(Counter(t.address for t in lanes).values())


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


IN_TILES = """@cuda.jit
def f(u, v):
    s = cuda.shared.array((16, 16), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    {places}
    if x < u.shape[1] and y < u.shape[0]:
        s[ty, tx] = u[y, x]
    cuda.syncthreads()
    if {inside}:
        v[y, x] = s[ty, tx - 1] + s[ty, tx + 1]
"""
OF_TILES = "x, y = cuda.blockIdx.x * 16 + tx, cuda.blockIdx.y * 16 + ty"


@pytest.mark.parametrize(
    ("places", "inside"),
    [
        (OF_TILES, "0 < tx < 15 and 0 < ty < 15"),
        (OF_TILES, "0 < tx < 15 and ty < 2"),
        (OF_TILES, "0 < tx < 9"),
        (OF_TILES, "0 < tx < 15 and y < 3"),
        (OF_TILES, "0 < tx < 15 and y == 7"),
        ("x, y = cuda.blockIdx.x * 14 + tx, cuda.blockIdx.y * 14 + ty", "0 < tx < 15 and 0 < ty < 15"),
    ],
)
def test_threads_inside_a_tile_write_what_is_theirs(places: str, inside: str) -> None:
    text = IN_TILES.format(places=places, inside=inside)
    arguments = {name: np.zeros((64, 64), np.float32) for name in "uv"}
    moved = Mover(modelled(text, arguments, (4, 4, 1), (16, 16, 1)), DEVICE).movements()
    [run] = launched(text, "f", arguments, (4, 4, 1), (16, 16, 1)).waves(DEVICE.sector, 16)
    assert (moved.least.load["u"], moved.least.store["v"]) == (run["u", False], run["v", True])
    assert moved.surely.store["v"] <= run["v", True]
