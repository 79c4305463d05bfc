"""The launch of a GPU kernel: a grid of blocks of threads, and the memories that they see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, Union

from roofscan.frozen import dataclass
from roofscan.symbolic.expr import ONE, ZERO, Expr

Direction = Literal["x", "y", "z"]
DIRECTIONS: tuple[Direction, ...] = ("x", "y", "z")
MOST_REGISTERS = 255  # of a thread
MOST_THREADS = 1024  # of a block
MOST_ALONG = {"grid": ((1 << 31) - 1, 65535, 65535), "block": (1024, 1024, 64)}
LaunchPart = Literal[
    "grid",  # all threads along a direction: blocks times the threads of a block
    "block",  # the blocks
    "thread",  # the threads of one block
    "lane",  # the elements of a tile, which the threads of one block share out, neighbours to neighbours
]
MemorySpace = Literal[
    "global",
    "shared",  # of a block, on the multiprocessor
    "local",  # of a thread: registers, or memory where they do not suffice
    "constant",
]
GLOBAL: MemorySpace = "global"
BarrierScope = Literal["block", "warp", "grid"]


WORDS = ("grid", "block", "registers")
"""The facts that tell of a launch."""


@dataclass(frozen=True)
class LaunchAxis:
    """What the iterations of a loop are. Where x, y and z are loops, x is the innermost: lanes of a warp differ in x
    first. The loop over ``grid x`` holds block ``i // block[0]`` and thread ``i % block[0]``."""

    part: LaunchPart
    direction: Direction


@dataclass(frozen=True)
class Configuration:
    """One that a tuner tries: constants of the kernel, and options of the launch (``num_warps``)."""

    constants: tuple[tuple[str, int], ...]
    options: tuple[tuple[str, int], ...] = ()

    @property
    def block(self) -> tuple[Expr, Expr, Expr]:
        """The threads of a program: four warps, unless it says otherwise."""
        return Expr.of(32 * max(1, dict(self.options).get("num_warps", 4))), ONE, ONE

    @property
    def stages(self) -> int:
        """The iterations of a loop whose tiles are in shared memory at once."""
        return max(1, dict(self.options).get("num_stages", 3))


@dataclass(frozen=True)
class Launch:
    """``grid`` blocks of ``block`` threads along x, y and z, in symbols of the kernel; 1 along a direction that it does
    not use."""

    grid: tuple[Expr, Expr, Expr]
    block: tuple[Expr, Expr, Expr]
    registers: int | None = None  # a thread
    shared: Expr = ZERO  # bytes of dynamic shared memory per block
    configurations: tuple[Configuration, ...] = ()  # that a tuner tries, where each does the same work
    held: Expr = ZERO  # registers that all threads of a block together need for tiles
    products: tuple[tuple[Expr, Expr, Expr, Expr], ...] = ()  # of tiles on matrix units: m, n, k, bytes per element

    def mapped(self, change: Callable[[Expr], Expr]) -> Launch:
        x, y, z = map(change, self.grid)
        u, v, w = map(change, self.block)
        products = tuple((change(m), change(n), change(k), size) for m, n, k, size in self.products)
        return replace(
            self, grid=(x, y, z), block=(u, v, w), shared=change(self.shared), held=change(self.held), products=products
        )


@dataclass(frozen=True)
class LaunchWork:
    """The work of a loop over the threads of a kernel, in a function that launches it."""

    kernel: str
    launch: Launch
    arrays: int  # among its arguments

    def mapped(self, change: Callable[[Expr], Expr]) -> LaunchWork:
        return replace(self, launch=self.launch.mapped(change))


@dataclass(frozen=True)
class TransferWork:
    """The work of a loop that copies an array between the memories of the host and of the device."""

    to_device: bool
    implicit: bool = False  # of a host's array that a launch is given

    def mapped(self, change: Callable[[Expr], Expr]) -> TransferWork:
        return self


DeviceWork = Union[LaunchWork, TransferWork]
