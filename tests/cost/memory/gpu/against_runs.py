"""Random launches, and the model of warps and blocks against a run of every thread."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from roofscan.api import Options, analyze_source
from roofscan.cost.memory.gpu.programs.program import Program
from roofscan.cost.memory.gpu.programs.reader import read_program
from roofscan.cost.memory.gpu.touched.boxes import BlockBox, EveryBlock, by_array
from roofscan.cost.memory.gpu.warps.counter import RequestCounter
from roofscan.cost.memory.gpu.warps.counts import RequestCounts
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
    every = EveryBlock(counter.active, program)
    touched = run.footprint(32).get((found[0].name, found[0].write), 0)
    assert touched <= every.bytes(found, extents, 32) <= touched * (1 + within), found


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
