"""The launch of a GPU kernel: a grid of blocks of threads, and the memories that they see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from roofscan.symbolic.expr import ZERO, Expr

Direction = Literal["x", "y", "z"]
DIRECTIONS: tuple[Direction, ...] = ("x", "y", "z")
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
class Launch:
    """``grid`` blocks of ``block`` threads along x, y and z, in symbols of the kernel; 1 along a direction that it does
    not use."""

    grid: tuple[Expr, Expr, Expr]
    block: tuple[Expr, Expr, Expr]
    registers: int | None = None  # a thread
    shared: Expr = ZERO  # bytes of dynamic shared memory a block
