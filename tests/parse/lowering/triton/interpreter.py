"""Runs a Triton kernel program by program on NumPy, and records the bytes that it loads and stores. Operations are
not counted here: they are derived by hand."""

from __future__ import annotations

import itertools
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

SECTOR = 32


class Memory:
    """What the programs move, in bytes; ``sectors`` of 32 bytes, those of each tile for itself, and all that are
    touched."""

    def __init__(self) -> None:
        self.loaded = self.stored = self.sectors = 0
        self.touched: dict[bool, set[tuple[int, int]]] = {False: set(), True: set()}  # by whether it is a store

    def touch(self, array: np.ndarray, places: np.ndarray, write: bool, atomic: bool = False) -> None:
        """An atomic update asks once, to read and to write."""
        found = {(id(array), int(sector)) for sector in np.unique(places * array.itemsize // SECTOR)}
        self.sectors += 0 if atomic else len(found)
        self.touched[write] |= found

    @property
    def footprint(self) -> int:
        return SECTOR * sum(map(len, self.touched.values()))


class Pointer:
    """Places in a flat array."""

    def __init__(self, array: np.ndarray, offset: Any = 0) -> None:
        self.array, self.offset = array, np.asarray(offset)
        self.dtype = SimpleNamespace(element_ty=array.dtype)

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
            *(o + np.arange(n) for o, n in zip(self.offsets, self.block_shape)), indexing="ij"
        )  # fmt: skip
        inside = np.ones(self.block_shape, bool)
        for k in checked:
            inside &= indices[k] < self.shape[k]
        return self.base + sum(i * s for i, s in zip(indices, self.strides)), inside


class Value(np.ndarray):
    """A tile: an array with Triton's methods."""

    def to(self, dtype: Any) -> Value:
        return tile(np.asarray(self).astype(dtype))


def tile(data: Any) -> Value:
    return np.asarray(data).view(Value)


class Language(ModuleType):
    """``triton.language``."""

    constexpr = int
    float32, float16, int32, int64 = np.float32, np.float16, np.int32, np.int64
    math = SimpleNamespace(exp2=np.exp2, rsqrt=lambda x: 1 / np.sqrt(x))

    def __init__(self) -> None:
        super().__init__("triton.language")
        self.memory, self.place, self.grid = Memory(), (0, 0, 0), (1, 1, 1)

    def program_id(self, axis: int) -> Value:
        return tile(self.place[axis])

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
        return tile(np.arange(a, b))

    def load(
        self, pointer: Any, mask: Any = None, other: Any = 0.0, boundary_check: Any = (), padding_option: str = ""
    ) -> Value:  # fmt: skip
        if isinstance(pointer, Block):
            pointer, mask = pointer.places(boundary_check)
        where = self._where(pointer, mask)
        self.memory.loaded += int(where.sum()) * pointer.array.itemsize
        offset = np.broadcast_to(pointer.offset, where.shape)
        self.memory.touch(pointer.array, offset[where], False)
        return tile(np.where(where, pointer.array[np.where(where, offset, 0)], np.asarray(other, pointer.array.dtype)))

    def store(self, pointer: Any, value: Any, mask: Any = None, boundary_check: Any = ()) -> None:
        if isinstance(pointer, Block):
            pointer, mask = pointer.places(boundary_check)
        where = self._where(pointer, mask)
        self.memory.stored += int(where.sum()) * pointer.array.itemsize
        offset = np.broadcast_to(pointer.offset, where.shape)
        self.memory.touch(pointer.array, offset[where], True)
        pointer.array[offset[where]] = np.broadcast_to(np.asarray(value), where.shape)[where]

    def atomic_add(self, pointer: Pointer, value: Any, mask: Any = None) -> None:
        where = self._where(pointer, mask)
        self.memory.loaded += int(where.sum()) * pointer.array.itemsize
        self.memory.touch(pointer.array, np.broadcast_to(pointer.offset, where.shape)[where], False, atomic=True)
        self.store(pointer, value, mask)

    def _where(self, pointer: Pointer, mask: Any) -> np.ndarray:
        shape = np.broadcast_shapes(pointer.offset.shape, np.shape(True if mask is None else mask))
        return np.broadcast_to(np.asarray(True if mask is None else mask), shape)

    def zeros(self, shape: Any, dtype: Any) -> Value:
        return tile(np.zeros(shape, dtype))

    def full(self, shape: Any, value: float, dtype: Any) -> Value:
        return tile(np.full(shape, value, dtype))

    def associative_scan(self, x: Any, axis: int, combine_fn: Any) -> Any:
        """No value: what is stored does not matter here."""
        return x

    def multiple_of(self, x: Any, n: int) -> Any:
        return x

    max_contiguous = multiple_of

    def debug_barrier(self) -> None:
        pass

    def log(self, x: Any) -> Value:
        return tile(np.log(x))

    def dot(self, a: Any, b: Any, acc: Any = 0.0, allow_tf32: bool = True) -> Value:
        wide = np.int32 if np.asarray(a).dtype.kind == "i" else np.float32
        return tile(np.asarray(a, wide) @ np.asarray(b, wide) + np.asarray(acc, wide))

    def cdiv(self, a: int, b: int) -> int:
        return -(-a // b)

    def rand(self, seed: int, offsets: Any) -> Value:
        return tile(np.random.default_rng(seed).random(np.shape(offsets), np.float32))

    def sigmoid(self, x: Any) -> Value:
        return tile(1 / (1 + np.exp(-np.asarray(x))))

    def trans(self, x: Any) -> Value:
        return tile(np.asarray(x).T)

    def sum(self, x: Any, axis: int | None = None) -> Value:
        return tile(np.asarray(x).sum(axis))

    def max(self, x: Any, axis: int | None = None) -> Value:
        return tile(np.asarray(x).max(axis))

    maximum, exp, sqrt, where = map(staticmethod, (np.maximum, np.exp, np.sqrt, np.where))


def run(source: str, name: str, arguments: dict[str, Any], grid: tuple[int, ...]) -> Memory:
    """What all programs of a launch move."""
    language = Language()
    triton = SimpleNamespace(
        jit=lambda f: f, autotune=lambda **options: lambda f: f, Config=lambda *args, **options: None,
    )  # fmt: skip
    language.grid = grid
    scope = {"triton": triton, "tl": language}
    lines = [line for line in source.split("\n") if not line.startswith("import ")]
    exec(compile("from __future__ import annotations\n" + "\n".join(lines), name, "exec"), scope)
    given = {key: Pointer(value) if isinstance(value, np.ndarray) else value for key, value in arguments.items()}
    for place in itertools.product(*map(range, grid)):
        language.place = (*place, 0, 0)[:3]
        with np.errstate(all="ignore"):
            scope[name](**given)
    return language.memory
