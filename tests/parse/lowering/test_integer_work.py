"""Integer work of loops against the machine code that Numba 0.68 makes for x86-64: how wide its operations are, and
what runs on from one row into the next."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source
from roofscan.cost.result import LoopIntegers, NestCost

KERNELS = """
import numpy as np
from numba import njit


@njit
def stored(a, b, out):
    for i in range(a.size):
        out[i] = a[i] + b[i]


@njit
def compared(a, b, out):
    for i in range(a.size):
        out[i] = 1 if a[i] + b[i] > 100 else 0


@njit
def compared_after_a_shift(a, b, out):
    for i in range(a.size):
        out[i] = 1 if (a[i] + b[i]) >> 1 > 100 else 0


@njit
def distance_compared(a, b, out):
    for i in range(a.size):
        out[i] = 1 if abs(np.int64(a[i]) - np.int64(b[i])) > 20 else 0


@njit
def element_compared(a, b, out):
    for i in range(a.size):
        out[i] = 1 if a[i] > b[i] else 0


@njit
def folded(words, out):
    for i in range(words.size):
        w = words[i]
        w ^= w >> np.uint64(32)
        w ^= w >> np.uint64(1)
        out[i] = w & np.uint64(1)


@njit
def labels(grid, out):
    last = 0
    for i in range(grid.shape[0]):
        inside = False
        for j in range(grid.shape[1]):
            if grid[i, j] > 20:
                if not inside:
                    last += 1
                    inside = True
                out[i, j] = last
            else:
                inside = False
                out[i, j] = 0
    return last


@njit
def longest_runs(grid, out):
    for i in range(grid.shape[0]):
        run = 0
        best = 0
        for j in range(grid.shape[1]):
            run = (run + 1) * grid[i, j]
            best = max(best, run)
        out[i] = best
"""


def nest(name: str, bind: str) -> NestCost:
    [kernel] = analyze_source(KERNELS, "kernels.py", Options(kernels="all", bind=bind), functions=(name,)).kernels
    [found] = kernel.reports[0].cost.nests
    return found


def innermost(name: str, bind: str) -> LoopIntegers:
    return nest(name, bind).integers[-1]


def sizes(name: str, kind: str, bind: str = "a=u1[n] b=u1[n] out=u1[n] n=3000") -> list[int]:
    """Bytes of the operations of a kind."""
    found = [o for o in innermost(name, bind).work.operations if o.kind == kind]
    return sorted(o.size for o in found for _ in range(o.count))


@pytest.mark.parametrize("name", ["compared", "compared_after_a_shift", "distance_compared"])
def test_what_is_computed_is_compared_at_64_bits(name: str) -> None:
    """Timed on Zen 4: 3,000 bytes take 0.53 microseconds, those of ``element_compared`` 0.24."""
    assert sizes(name, "plain") == [8] and sizes(name, "compare") == [8] and sizes(name, "lanes") == [8, 8]


def test_elements_are_compared_and_sums_are_stored_at_their_own_size() -> None:
    assert sizes("element_compared", "compare") == [1]
    assert sizes("stored", "plain") == [1]


def test_what_is_shifted_down_keeps_its_high_bits() -> None:
    """Only the last exclusive or and the mask are those of the byte that is stored."""
    assert sizes("folded", "plain", "words=u8[n] out=u1[n] n=3000") == [1, 1, 8]


@pytest.mark.parametrize(
    ("name", "bind", "continuing"),
    [
        ("labels", "grid=u1[h,w] out=i4[h,w] h=60 w=60", {"last"}),
        ("longest_runs", "grid=u1[h,w] out=i8[h] h=60 w=60", set()),
    ],
)
def test_a_chain_that_no_row_begins_anew(name: str, bind: str, continuing: set[str]) -> None:
    chains = innermost(name, bind).work.chains
    assert chains and {chain.name for chain in chains if chain.continues} == continuing


def test_a_store_of_both_arms_is_not_guessed() -> None:
    """LLVM selects what it stores: 1.0 million elements take 0.55 ms, where guesses would take 1.6."""
    bodies = nest("labels", "grid=u1[h,w] out=i4[h,w] h=1000 w=1000").bodies
    assert len(bodies) == 3 and all(body.branch_share is None for body in bodies)
