"""Type facts about arguments, from helpers and their helpers."""

from __future__ import annotations

import pytest

from roofscan.parse.inference.call_constraints import Helpers
from roofscan.parse.inference.collect import type_facts_of
from roofscan.parse.lowering.numpy.library_calls import TABLE
from roofscan.parse.reader.module import read_module
from tests.oracle.analysis import counted

CHAIN = """from numba import njit

@njit
def at(grid, i, j):
    return grid[i, j]

@njit
def around(grid, i, j):
    return at(grid, i - 1, j) + at(grid, i + 1, j)

@njit
def smooth(grid, out, n, m):
    for i in range(1, n - 1):
        for j in range(m):
            out[i, j] = 0.5 * around(grid, i, j)
"""


def test_an_array_is_known_by_what_a_helper_of_a_helper_does_with_it() -> None:
    found = counted(CHAIN, "smooth", "")
    assert found.cost.status == "exact"
    assert found.flops({"n": 7, "m": 5}) == 5 * 5 * 2
    assert {a.name for a in found.kernel.arrays} == {"grid", "out"}


def test_helpers_that_call_each_other_come_to_an_end() -> None:
    text = "def even(a, n):\n    return a[n] if n == 0 else odd(a, n)\n\ndef odd(a, n):\n    return even(a, n - 1)\n"
    module = read_module(text, "f.py")
    function = module.function("odd")
    assert function is not None
    usage = type_facts_of(function, TABLE, module, Helpers(module))
    assert usage.ranks == {"a": 1}


@pytest.mark.parametrize(
    ("reduced", "is_array"),
    [
        ("np.any(v == x[i, j])", True),
        ("np.sum(v ** 2)", True),
        ("np.sum(-v)", True),
        ("np.sum(v * x[i])", False),  # x[i] may be a row, and v a number
        ("np.sum(v * x[i, :])", False),
    ],
)
def test_what_is_reduced_alone_is_an_array(reduced: str, is_array: bool) -> None:
    module = read_module(f"import numpy as np\ndef f(x, v, w, i, j):\n    return {reduced}\n", "f.py")
    function = module.function("f")
    assert function is not None
    usage = type_facts_of(function, TABLE, module, Helpers(module))
    assert ("v" in usage.ranks, "v" in usage.assumed_ranks) == (is_array, is_array)
