"""Scratch arrays have the block that an allocator hands back."""

from __future__ import annotations

from tests.oracle.analysis import lowered

TAKEN_APART = """
import numpy as np
from numba import njit

@njit
def every_other_row(A, out):
    for i in range(A.shape[0]):
        for j in range(2):
            d = np.zeros(4)
            {0}d[j] = 2.0 * A[i, j]
            out[i] += d[0] + {1}[3]
        if i % 2 == 0:
            out[i] = -out[i]
"""


def memories(source: str) -> tuple[int, set[str]]:
    """How many scratch arrays there are, and the names of their blocks."""
    kernel, _ = lowered(source, "every_other_row", "A=f8[40,8] out=f8[40]")
    scratch = [array for array in kernel.arrays if array.role in ("local", "temporary")]
    return len(scratch), {array.owner for array in scratch}


def test_a_loop_taken_apart_makes_one_array_in_both_halves() -> None:
    count, blocks = memories(TAKEN_APART.format("", "d"))
    assert count == 2 and len(blocks) == 1


def test_two_arrays_of_one_iteration_have_blocks_of_their_own() -> None:
    count, blocks = memories(TAKEN_APART.format("e = np.zeros(4)\n            ", "e"))
    assert count == 4 and len(blocks) == 2
