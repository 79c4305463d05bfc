"""Random loop nests as source text, for Hypothesis.

A drawn kernel comes with the words that bind its arguments. What decides how often a statement runs is a
loop index or a size, so a static analysis can count all of it. Arrays of the nests are roomy: subscripts
stay inside at the drawn sizes (a subscript that is negative for a few iterations wraps, as in NumPy).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.support.random_kernels.scope import ANYTHING, Features
from tests.support.random_kernels.statements import Writer

__all__ = ["ANYTHING", "HEADER", "PLAIN_NESTS", "Features", "RandomKernel", "kernels"]

HEADER = """import math
import numpy as np
from numba import njit, prange


@njit
def blend(a, b, t):
    return a + t * (b - a)


@njit
def add_to(target, i, amount):
    target[i] += amount


@njit
def row_sum(matrix, i, count):
    total = 0.0
    for j in range(count):
        total += matrix[i, j]
    return total


"""

LONGEST_LOOP = 9
ROOM = 2 * LONGEST_LOOP + 8
"""Elements an axis has at least: the largest subscript is 2*i + offset or i + j + offset."""

PLAIN_NESTS = Features(
    conditions=False, whiles=False, locals=False, helpers=False, iterables=False, aliases=False, returns=False
)
"""Loops over affine subscripts and nothing else: what a reuse model of caches is about."""


@dataclass(frozen=True)
class RandomKernel:
    """``words`` bind the arguments at the drawn sizes, ``elsewhere`` at other sizes."""

    source: str
    words: str
    elsewhere: str
    name: str = "kernel"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Shows a failing kernel as the text that it is."""
        printer.text(str(self))

    def __str__(self) -> str:
        return f"\n{self.source.removeprefix(HEADER)}# oracle {self.words}\n# elsewhere {self.elsewhere}\n"


@st.composite
def kernels(
    draw: Callable[[st.SearchStrategy[int]], int], features: Features = ANYTHING, longest: int = LONGEST_LOOP
) -> RandomKernel:
    """Kernels of loop nests with the words for two runs; loops run up to ``longest`` (+ 1) times."""
    writer = Writer(draw, features)
    text = writer.kernel()
    order = "F" if writer.rarely() else ""
    dtype = "f4" if writer.rarely() else "f8"
    room = [ROOM - 2 * LONGEST_LOOP + 2 * longest + writer.below(9) for _ in range(4)]

    def words() -> str:
        n, m, t = 1 + writer.below(longest), 1 + writer.below(longest), 1 + writer.below(4)
        matrices = f"A=f8[{room[0]},{room[1]}] B={dtype}[{room[2]},{room[3]}]{order}"
        vectors = f"x=f8[{room[1]}] y={dtype}[{room[0]}]"
        iterated = f"u=f8[{n}] w=f8[{n}] " if writer.iterates else ""
        return f"{matrices} {vectors} {iterated}n={n} m={m} t={t} alpha=1.5"

    return RandomKernel(HEADER + text, words(), words())
