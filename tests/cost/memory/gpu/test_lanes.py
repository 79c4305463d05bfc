"""Lanes that conditions, subscripts and loops tell apart, against a run of every thread."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.cost.memory.gpu.traffic.mover import Mover
from roofscan.cost.memory.gpu.warps.counter import RequestCounter
from roofscan.cost.memory.gpu.warps.counts import RequestCounts
from tests.cost.memory.gpu.against_runs import DEVICE, compare, compare_waves, modelled
from tests.oracle.launches import Triple, launched, sectors, wavefronts

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
    assert program.unknown == ("indices that few threads wrap around or clamp are counted like the others",)
    counter = RequestCounter(program.launch, DEVICE)
    requests = launched(text, "f", arguments, (3, 5, 1), (32, 8, 1)).requests()
    for reference in program.references:
        lanes, counted = requests[reference.name, reference.write], counter.of(reference)
        assert counted.requests == len(lanes)
        assert counted.sectors == pytest.approx(sum(map(sectors, lanes)), rel=0.05)


REMAINDERS = {
    "of the thread": ("i = cuda.grid(1)", "table[i % 96]", (96,)),
    "of a row, in a loop": ("i = cuda.grid(1)", "table[k, i % 96]", (3, 96)),
    "of more than all": ("i = cuda.grid(1)", "table[i % 512]", (512,)),
    "of half a table": ("i = cuda.grid(1)", "table[i % 96]", (192,)),
    "with an offset": ("i = cuda.grid(1) + 8", "table[i % 96 + 32]", (128,)),
}


@pytest.mark.parametrize("name", REMAINDERS)
def test_a_remainder_of_more_than_a_block_takes_the_whole_table(name: str) -> None:
    place, read, shape = REMAINDERS[name]
    text = f"@cuda.jit\ndef f(table, y):\n    {place}\n    for k in range(3):\n        y[k, cuda.grid(1)] = {read}\n"
    arguments = {"table": np.zeros(shape, np.float32), "y": np.zeros((3, 320), np.float32)}
    compare(text, arguments, (5, 1, 1), (64, 1, 1))
    moved = Mover(modelled(text, arguments, (5, 1, 1), (64, 1, 1)), DEVICE).movements()
    run = launched(text, "f", arguments, (5, 1, 1), (64, 1, 1)).loaded(32)["table"]
    assert (moved.least.load["table"], moved.dram.load["table"]) == (run, -(-run // 64) * 64)


def test_a_remainder_of_more_than_the_second_cache_comes_from_memory_again() -> None:
    text = "@cuda.jit\ndef f(table, y):\n    i = cuda.grid(1)\n    y[i] = table[i % 33554432]\n"
    arguments = {"table": np.zeros(2**25, np.float32), "y": np.zeros(2**26, np.float32)}
    moved = Mover(modelled(text, arguments, (2**18, 1, 1), (256, 1, 1)), DEVICE).movements()
    assert (moved.least.load["table"], moved.dram.load["table"]) == (2**27, 2**28)
