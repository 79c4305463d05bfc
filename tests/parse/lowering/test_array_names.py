"""Arrays have names of their own, also where a helper's local has the name of an array of the function."""

from __future__ import annotations

from roofscan.api import Options, analyze_source

SOURCE = """
import numpy as np
from numba import njit

@njit
def filled(n):
    indices = np.zeros((n, 2))
    for i in range(n):
        indices[i, 0] = i * 0.5
    return indices

def make(indices):
    @njit
    def search(x, n):
        table = filled(n)
        s = 0.0
        for i in range(n):
            s += table[i, 0] * indices[i] + x[i]
        return s
    return search
"""


def test_a_helpers_array_gives_way_to_the_functions_own() -> None:
    [*_, search] = analyze_source(SOURCE, options=Options(kernels="all")).kernels
    found = [(array.name, array.role, len(array.shape)) for array in search.reports[0].cost.kernel.arrays]
    assert found == [("x", "parameter", 1), ("indices_2", "local", 2), ("indices", "global", 1)]
