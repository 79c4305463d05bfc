"""Launches of kernels that are counted, and their arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ids:
    """An array of integers: below a number, near the place along the last axis, offsets, or one value."""

    shape: tuple[int, ...]
    near: int = 0
    below: int = 0
    spread: int = 0
    value: int = 0

    def made(self, cupy: Any) -> Any:
        if self.value:
            return cupy.full(self.shape, self.value, "int32")
        if self.below:
            return cupy.random.randint(0, self.below, self.shape, dtype="int32")
        if self.near:
            far = cupy.random.randint(-self.near, self.near + 1, self.shape, dtype="int32")
            return cupy.clip(far + cupy.arange(self.shape[-1], dtype="int32"), 0, self.shape[-1] - 1).astype("int32")
        return cupy.sort(cupy.random.randint(-self.spread, self.spread + 1, self.shape, dtype="int32"))


@dataclass(frozen=True)
class Launch:
    """``args``: for each argument a shape and a type, a type alone or with its value, a number, or Ids."""

    grid: Any
    block: Any
    args: tuple[Any, ...]

    def described(self) -> dict[str, Any]:
        """As ``python -m benchmarks.gpu`` reads it."""
        return {"grid": self.grid, "block": self.block, "args": [_described(arg) for arg in self.args]}


def launch(grid: Any, block: Any, *args: Any) -> Launch:
    return Launch(grid, block, args)


def _described(arg: Any) -> Any:
    if isinstance(arg, Ids):
        return [*arg.shape, "int32"]
    return list(arg) if isinstance(arg, tuple) else arg
