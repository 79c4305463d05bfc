"""Runs a Triton kernel program by program on NumPy. It counts the floating-point operations, and records the bytes that
are loaded and stored."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

SECTOR = 32
COUNTED = frozenset((
    np.add, np.subtract, np.multiply, np.true_divide, np.maximum, np.minimum, np.exp, np.exp2, np.log, np.log2, np.sqrt,
    np.tanh,
))  # fmt: skip


class Memory:
    """What the programs move, in bytes; ``sectors`` of 32 bytes, those of each tile for itself, and all that are
    touched. ``flops`` is what they compute."""

    def __init__(self) -> None:
        self.loaded = self.stored = self.sectors = self.flops = 0
        self.touched: dict[bool, set[tuple[int, int]]] = {False: set(), True: set()}  # by whether it is a store

    def touch(self, array: np.ndarray, places: np.ndarray, write: bool, atomic: bool = False) -> None:
        """An atomic update asks once, to read and to write."""
        found = {(id(array), int(sector)) for sector in np.unique(places * array.itemsize // SECTOR)}
        self.sectors += 0 if atomic else len(found)
        self.touched[write] |= found

    def compute(self, result: np.ndarray, each: int = 1) -> None:
        """Integers count nothing."""
        self.flops += each * result.size if result.dtype.kind == "f" else 0

    @property
    def footprint(self) -> int:
        """Bytes of the sectors that are read or written, each once."""
        return SECTOR * len(self.touched[False] | self.touched[True])


class Pointer:
    """Places in a flat array."""

    __array_ufunc__ = None

    def __init__(self, array: np.ndarray, offset: Any = 0) -> None:
        self.array, self.offset = array, np.asarray(offset)
        self.dtype = self.type = SimpleNamespace(element_ty=array.dtype)

    def __add__(self, other: Any) -> Pointer:
        return Pointer(self.array, self.offset + np.asarray(other))

    __radd__ = __add__


class Block:
    """A block of a matrix, by its first element."""

    def __init__(self, base: Pointer, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any) -> None:
        self.base, self.shape, self.strides, self.offsets = base, shape, strides, tuple(offsets)
        self.block_shape, self.order = block_shape, order

    def places(self, checked: tuple[int, ...]) -> tuple[Pointer, np.ndarray]:
        indices = np.meshgrid(
            *(np.asarray(o) + np.arange(n) for o, n in zip(self.offsets, self.block_shape)), indexing="ij"
        )  # fmt: skip
        inside = np.ones(self.block_shape, bool)
        for k in checked:
            inside &= indices[k] < self.shape[k]
        return self.base + sum(i * s for i, s in zip(indices, self.strides)), inside


class Value(np.ndarray):
    """A tile: an array with Triton's methods, whose operations are counted."""

    memory: Memory

    def __array_finalize__(self, made_from: Any) -> None:
        self.memory = getattr(made_from, "memory", Memory())

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any) -> Value:
        plain = [np.asarray(x) if isinstance(x, np.ndarray) else x for x in inputs]
        found = np.asarray(getattr(ufunc, method)(*plain, **options))
        sums = any(isinstance(x, Product) for x in inputs) and ufunc is np.add
        if ufunc in COUNTED and not sums:
            self.memory.compute(found)
        return tile(found, self.memory)

    def to(self, dtype: Any) -> Value:
        return tile(np.asarray(self).astype(dtype), self.memory)


class Product(Value):
    """Of ``tl.dot``: its sums are counted where it is made."""


def tile(data: Any, memory: Memory, kind: type[Value] = Value) -> Value:
    found = np.asarray(data).view(kind)
    found.memory = memory
    return found


def _elementwise(function: Callable[..., np.ndarray]) -> Callable[..., Value]:
    def method(self: Language, *operands: Any) -> Value:
        return self.counted(function(*map(np.asarray, operands)))

    return method


class Language(ModuleType):
    """``triton.language``."""

    constexpr = int
    float32, float16, int32, int64 = np.float32, np.float16, np.int32, np.int64

    def __init__(self) -> None:
        super().__init__("triton.language")
        self.memory, self.place, self.grid = Memory(), (0, 0, 0), (1, 1, 1)
        self.math = self

    def tile(self, data: Any) -> Value:
        return tile(data, self.memory)

    def counted(self, data: Any, each: int = 1) -> Value:
        self.memory.compute(np.asarray(data), each)
        return self.tile(data)

    # -- programs, places and memory ----------------------------------------------------------------
    def program_id(self, axis: int) -> Value:
        return self.tile(self.place[axis])

    def num_programs(self, axis: int) -> int:
        return (*self.grid, 1, 1)[axis]

    def swizzle2d(self, i: int, j: int, rows: int, columns: int, group: int) -> tuple[int, int]:
        """In groups of so many rows, column by column."""
        at = int(i) * columns + int(j)
        first = at // (group * columns) * group
        height = min(rows - first, group)
        return first + at % (group * columns) % height, at % (group * columns) // height

    make_block_ptr = Block

    def advance(self, block: Block, by: Any) -> Block:
        offsets = [o + d for o, d in zip(block.offsets, by)]
        return Block(block.base, block.shape, block.strides, offsets, block.block_shape, block.order)

    def arange(self, a: int, b: int) -> Value:
        return self.tile(np.arange(a, b))

    def load(
        self, pointer: Any, mask: Any = None, other: Any = 0.0, boundary_check: Any = (), padding_option: str = ""
    ) -> Value:  # fmt: skip
        if isinstance(pointer, Block):
            pointer, mask = pointer.places(boundary_check)
        where = self._where(pointer, mask)
        self.memory.loaded += int(where.sum()) * pointer.array.itemsize
        offset = np.broadcast_to(pointer.offset, where.shape)
        self.memory.touch(pointer.array, offset[where], False)
        found = np.where(where, pointer.array[np.where(where, offset, 0)], np.asarray(other, pointer.array.dtype))
        return self.tile(found)

    def store(self, pointer: Any, value: Any, mask: Any = None, boundary_check: Any = ()) -> None:
        if isinstance(pointer, Block):
            pointer, mask = pointer.places(boundary_check)
        where = self._where(pointer, mask)
        self.memory.stored += int(where.sum()) * pointer.array.itemsize
        offset = np.broadcast_to(pointer.offset, where.shape)
        self.memory.touch(pointer.array, offset[where], True)
        pointer.array[offset[where]] = np.broadcast_to(np.asarray(value), where.shape)[where]

    def atomic_xchg(self, pointer: Pointer, value: Any, mask: Any = None) -> Value:
        where = self._where(pointer, mask)
        found = self.tile(pointer.array[np.where(where, pointer.offset, 0)])
        self.memory.loaded += int(where.sum()) * pointer.array.itemsize
        self.memory.touch(pointer.array, np.broadcast_to(pointer.offset, where.shape)[where], False, atomic=True)
        self.store(pointer, value, mask)
        return found

    def atomic_add(self, pointer: Pointer, value: Any, mask: Any = None) -> Value:
        found = np.zeros(self._where(pointer, mask).shape, pointer.array.dtype)
        self.counted(found)
        return self.atomic_xchg(pointer, value, mask)

    def atomic_cas(self, pointer: Pointer, expected: Any, value: Any) -> Value:
        return self.atomic_xchg(pointer, value)

    def _where(self, pointer: Pointer, mask: Any) -> np.ndarray:
        shape = np.broadcast_shapes(pointer.offset.shape, np.shape(True if mask is None else mask))
        return np.broadcast_to(np.asarray(True if mask is None else mask), shape)

    # -- values -------------------------------------------------------------------------------------
    def zeros(self, shape: Any, dtype: Any) -> Value:
        return self.tile(np.zeros(shape, dtype))

    def full(self, shape: Any, value: float, dtype: Any) -> Value:
        return self.tile(np.full(shape, value, dtype))

    def associative_scan(self, x: Any, axis: int, combine_fn: Any) -> Any:
        """Combines each element once. No value: what is stored does not matter here."""
        combine_fn(*x, *x) if isinstance(x, tuple) else combine_fn(x, x)
        return x

    def multiple_of(self, x: Any, n: int) -> Any:
        return x

    max_contiguous = multiple_of

    def debug_barrier(self) -> None:
        pass

    def static_range(self, *ends: Any) -> range:
        return range(*map(int, ends))

    def dot(self, a: Any, b: Any, acc: Any = 0.0, allow_tf32: bool = True) -> Value:
        wide = np.int32 if np.asarray(a).dtype.kind == "i" else np.float32
        found = np.asarray(a, wide) @ np.asarray(b, wide)
        self.memory.compute(found, 2 * a.shape[1])
        return tile(found + np.asarray(acc, wide), self.memory, Product)

    def cdiv(self, a: int, b: int) -> Any:
        return self.tile(-(-np.asarray(a) // b))

    def rand(self, seed: int, offsets: Any) -> Value:
        return self.counted(np.random.default_rng(seed).random(np.shape(offsets), np.float32))

    def where(self, condition: Any, a: Any, b: Any) -> Value:
        tiles = [x for x in (a, b) if np.ndim(x)] or [a, b]
        return self.tile(np.where(condition, a, b).astype(np.result_type(*map(np.asarray, tiles))))

    def trans(self, x: Any) -> Value:
        return self.tile(np.asarray(x).T)

    def sum(self, x: Any, axis: int | None = None) -> Value:
        return self.tile(np.asarray(self.counted(x)).sum(axis))

    def max(self, x: Any, axis: int | None = None) -> Value:
        return self.tile(np.asarray(self.counted(x)).max(axis))

    def argmax(self, x: Any, axis: int) -> Value:
        return self.tile(np.asarray(x).argmax(axis))

    def softmax(self, x: Any) -> Value:
        return self.counted(np.asarray(x), 5)

    exp, exp2, log, log2, sqrt, tanh = map(_elementwise, (np.exp, np.exp2, np.log, np.log2, np.sqrt, np.tanh))
    maximum, minimum = map(_elementwise, (np.maximum, np.minimum))
    rsqrt, sigmoid = _elementwise(lambda x: 1 / np.sqrt(x)), _elementwise(lambda x: 1 / (1 + np.exp(-x)))


def run(source: str, name: str, arguments: dict[str, Any], grid: tuple[int, ...]) -> Memory:
    """What all programs of a launch move and compute."""
    language = Language()
    triton = SimpleNamespace(
        jit=lambda f: f, autotune=lambda **options: lambda f: f, heuristics=lambda values: lambda f: f,
        Config=lambda *args, **options: None, cdiv=language.cdiv,
    )  # fmt: skip
    language.grid = grid
    scope = {"triton": triton, "tl": language}
    lines = [line for line in source.split("\n") if not line.startswith("import ")]
    exec(compile("from __future__ import annotations\n" + "\n".join(lines), name, "exec"), scope)
    given: dict[str, Any] = {}
    for key, value in arguments.items():
        given[key] = Pointer(value) if isinstance(value, np.ndarray) else value
        if isinstance(value, float):
            given[key] = language.tile(np.float32(value))
    for place in itertools.product(*map(range, grid)):
        language.place = (*place, 0, 0)[:3]
        with np.errstate(all="ignore"):
            scope[name](**given)
    return language.memory
