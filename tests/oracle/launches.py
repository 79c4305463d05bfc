"""Runs a CUDA kernel thread by thread on a small grid and counts, by brute force, what its warps and blocks touch.

Lanes of a warp run in step: their n-th accesses to an array in one line of the code, in one iteration, are one request.
"""

from __future__ import annotations

import ast
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

WARP, SECTOR, BANKS, WORD, WIDTH = 32, 32, 32, 4, 128
ALIGNMENT = 4096
BARRIER = "cuda.syncthreads()"  # as a statement of the kernel itself

Triple = tuple[int, int, int]
Key = tuple[str, bool]  # array, and whether it is written


@dataclass(frozen=True)
class Touch:
    """One access of one thread."""

    array: str
    write: bool
    address: int
    size: int
    block: int
    thread: int
    place: tuple[
        object, ...
    ]  # the line, the iterations around it, and how many accesses to the array it has made there
    shared: bool = False


@dataclass
class Launch:
    grid: Triple
    block: Triple
    touches: list[Touch] = field(default_factory=list)

    def requests(self) -> Mapping[Key, list[list[Touch]]]:
        """The accesses to global memory, by warp and place."""
        found: dict[tuple[object, ...], list[Touch]] = defaultdict(list)
        for t in self.touches:
            found[t.array, t.write, t.shared, t.block, t.thread // WARP, t.place].append(t)
        requests: dict[Key, list[list[Touch]]] = defaultdict(list)
        for key, lanes in found.items():
            requests[str(key[0]), bool(key[1])].append(sorted(lanes, key=lambda t: t.thread))
        return requests

    def footprint(self, granule: int) -> Mapping[Key, int]:
        """Bytes of distinct granules of a block, summed over blocks."""
        waves = self.waves(granule, 1)
        return {key: sum(wave.get(key, 0) for wave in waves) for key in {key for wave in waves for key in wave}}

    def loaded(self, granule: int) -> Mapping[str, int]:
        """Bytes of the granules that hold an element which is read before anything writes it, by array. Threads and
        blocks run one after the other between barriers."""
        written: set[tuple[str, int]] = set()
        found: dict[str, set[int]] = defaultdict(set)
        for t in self.touches:
            every = range(t.address, t.address + t.size)
            if t.write:
                written.update((t.array, byte) for byte in every)
            elif not t.shared:
                found[t.array].update(byte // granule for byte in every if (t.array, byte) not in written)
        return {name: len(granules) * granule for name, granules in found.items() if granules}

    def waves(self, granule: int, blocks: int) -> list[dict[Key, int]]:
        """Bytes of distinct granules of each wave of so many blocks."""
        found: list[dict[Key, set[int]]] = [defaultdict(set) for _ in range(-(-math.prod(self.grid) // blocks))]
        for t in self.touches:
            touched = range(t.address // granule, (t.address + t.size - 1) // granule + 1)
            found[t.block // blocks][t.array, t.write].update(touched)
        return [{key: len(granules) * granule for key, granules in wave.items()} for wave in found]


def sectors(lanes: list[Touch], granule: int = SECTOR) -> int:
    return len({byte // granule for t in lanes for byte in range(t.address, t.address + t.size)})


def wavefronts(lanes: list[Touch]) -> int:
    """Groups of lanes that ask for 128 bytes together; each bank hands out one word a wavefront."""
    together = max(1, min(WARP, WIDTH // lanes[0].size))
    total = 0
    for first in range(0, len(lanes), together):
        words = {
            w
            for t in lanes[first : first + together]
            for w in range(t.address // WORD, (t.address + t.size - 1) // WORD + 1)
        }
        total += max(sum(w % BANKS == bank for w in words) for bank in range(BANKS))
    return total


class _Array:
    def __init__(self, run: _Run, name: str, values: np.ndarray[Any, Any], base: int, shared: bool = False) -> None:
        self._run, self._name, self.values, self._base, self._shared = run, name, values, base, shared
        self.shape, self.size, self.dtype = values.shape, values.size, values.dtype

    def __len__(self) -> int:
        return len(self.values)

    def touch(self, index: Any, write: bool) -> Any:
        index = index if isinstance(index, tuple) else (index,)
        assert all(0 <= i < extent for i, extent in zip(index, self.shape, strict=True)), (self._name, index)
        offset = sum(int(i) * stride for i, stride in zip(index, self.values.strides, strict=True))
        self._run.touch(self._name, write, self._base + offset, self.values.itemsize, self._shared)
        return index

    def __getitem__(self, index: Any) -> Any:
        return self.values[self.touch(index, False)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.values[self.touch(index, True)] = value


@dataclass
class _Thread:
    """Where a thread is, and what it has done so far."""

    block: int
    number: int
    where: Triple
    inside: Triple
    turns: dict[int, int] = field(default_factory=dict)
    times: defaultdict[object, int] = field(default_factory=lambda: defaultdict(int))
    arrays: int = 0


class _Run:
    """One launch. Where the kernel has barriers, each thread of a block is a generator that yields at them."""

    def __init__(self, grid: Triple, block: Triple) -> None:
        self.launch = Launch(grid, block)
        self._here = _Thread(0, 0, (0, 0, 0), (0, 0, 0))
        self._made: dict[tuple[int, int], _Array] = {}

    def touch(self, name: str, write: bool, address: int, size: int, shared: bool) -> None:
        line, here = sys._getframe(3).f_lineno, self._here
        at = (line, *here.turns.values())
        here.times[at, name, write] += 1
        place = (line, at, here.times[at, name, write])
        found = Touch(name, write, address, size, here.block, here.number, place, shared)
        self.launch.touches.append(found)

    def block(self, threads: Sequence[_Thread], start: Callable[[], Iterator[None] | None]) -> None:
        """From barrier to barrier, one thread after the other."""
        waiting: list[tuple[_Thread, Iterator[None]]] = []
        for self._here in threads:
            at_barrier = start()
            if at_barrier is not None:
                waiting.append((self._here, at_barrier))
        while waiting:
            waiting = [each for each in waiting if self._goes_on(*each)]

    def _goes_on(self, thread: _Thread, rest: Iterator[None]) -> bool:
        self._here = thread
        return next(rest, rest) is None

    def turn(self, loop: int) -> None:
        self._here.turns[loop] = self._here.turns.get(loop, 0) + 1

    def end(self, loop: int) -> None:
        self._here.turns.pop(loop, None)

    def module(self) -> Any:
        dims = SimpleNamespace(blockDim=_xyz(self.launch.block), gridDim=_xyz(self.launch.grid))
        return _Cuda(self, dims)

    def at(self, name: str) -> Any:
        if name == "threadIdx":
            return _xyz(self._here.inside)
        if name == "blockIdx":
            return _xyz(self._here.where)
        if name == "laneid":
            return self._here.number % WARP
        raise AttributeError(name)

    def place(self, rank: int) -> Any:
        here = self._here
        found = tuple(b * d + t for b, d, t in zip(here.where, self.launch.block, here.inside, strict=True))
        return found[0] if rank == 1 else found[:rank]

    def strides(self, rank: int) -> Any:
        found = tuple(g * b for g, b in zip(self.launch.grid, self.launch.block, strict=True))
        return found[0] if rank == 1 else found[:rank]

    def shared(self, shape: Any, dtype: Any) -> _Array:
        """The n-th shared array of a block is the same for all of its threads."""
        self._here.arrays += 1
        key = self._here.block, self._here.arrays
        if key not in self._made:
            self._made[key] = _Array(self, f"shared{self._here.arrays}", np.zeros(shape, dtype), 0, True)
        return self._made[key]

    @staticmethod
    def update(change: Callable[..., Any]) -> Callable[..., Any]:
        """An update is one request: the second cache reads and writes."""

        def updated(array: _Array, index: Any, *values: Any) -> Any:
            index = array.touch(index, True)
            old = array.values[index]
            array.values[index] = change(old, *values)
            return old

        return updated


class _Turns(ast.NodeTransformer):
    """Loops that tell where they are: ``turn_of(n)`` in each iteration, ``end_of(n)`` behind. Barriers of
    the kernel yield."""

    def __init__(self, kernel: str) -> None:
        self._kernel, self._inside = kernel, ""
        self._loops = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._inside = node.name
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        if self._inside == self._kernel and ast.unparse(node) == BARRIER:
            node.value = ast.copy_location(ast.Yield(), node.value)
        return node

    def visit_For(self, node: ast.For | ast.While) -> list[ast.stmt]:
        self._loops += 1
        turn, end = (
            ast.copy_location(ast.parse(f"{name}({self._loops})").body[0], node) for name in ("turn_of", "end_of")
        )
        self.generic_visit(node)
        node.body.insert(0, turn)
        return [node, end]

    visit_While = visit_For


class _Libdevice:
    """Its functions give numbers, which no address depends on."""

    def __getattr__(self, name: str) -> Any:
        return lambda *numbers: numbers[0]


class _Cuda:
    def __init__(self, run: _Run, dims: SimpleNamespace) -> None:
        self._run = run
        self.blockDim, self.gridDim = dims.blockDim, dims.gridDim
        self.grid, self.gridsize = run.place, run.strides
        self.shared = SimpleNamespace(array=run.shared)
        self.atomic = SimpleNamespace(
            add=run.update(lambda old, value: old + value),
            max=run.update(max),
            cas=run.update(lambda old, expected, value: value if old == expected else old),
        )
        self.local = SimpleNamespace(array=np.zeros)
        self.const = SimpleNamespace(array_like=lambda table: table)
        self.shfl_sync = self.shfl_up_sync = self.shfl_down_sync = self.shfl_xor_sync = lambda mask, value, lanes: value
        self.ballot_sync = lambda mask, value: int(value)
        self.popc = int.bit_count
        self.float32x2 = lambda x, y: SimpleNamespace(x=x, y=y)

    @staticmethod
    def jit(function: Callable[..., None] | None = None, **options: bool) -> Callable[..., Any]:
        return function if function is not None else lambda made: made

    def __getattr__(self, name: str) -> Any:
        return self._run.at(name)


def launched(text: str, function: str, arguments: Mapping[str, Any], grid: Triple, block: Triple) -> Launch:
    """What a launch touches. ``text`` imports nothing: it finds what such kernels import."""
    run = _Run(grid, block)
    scope: dict[str, Any] = {
        name: getattr(np, name)
        for name in ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "uint32")
    }
    scope |= {"cuda": run.module(), "libdevice": _Libdevice(), "math": math, "np": np}
    scope |= {"turn_of": run.turn, "end_of": run.end}
    exec(compile(ast.fix_missing_locations(_Turns(function).visit(ast.parse(text))), "<kernel>", "exec"), scope)
    bases = (ALIGNMENT << 32) * np.arange(1, len(arguments) + 1)
    traced = [
        _Array(run, name, value, int(base)) if isinstance(value, np.ndarray) else value
        for (name, value), base in zip(arguments.items(), bases, strict=True)
    ]
    kernel = scope[function]
    for number, where in enumerate(_all(grid)):
        threads = [_Thread(number, n, where, inside) for n, inside in enumerate(_all(block))]
        run.block(threads, lambda: kernel(*traced))
    return run.launch


def _all(extents: Triple) -> Iterator[Triple]:
    """x fastest."""
    for z, y, x in product(range(extents[2]), range(extents[1]), range(extents[0])):
        yield x, y, z


def _xyz(triple: Triple) -> SimpleNamespace:
    return SimpleNamespace(x=triple[0], y=triple[1], z=triple[2])
