"""Rows that are added to a short vector: ``c += m[i] * pos[i]`` where ``m`` gives numbers elsewhere."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source

TEXT = """import numpy as np
from numba import njit


@njit
def kernel(pos, m):
    c = {made}
    total = 0.0
    for i in range(pos.shape[0]):
        c += {added}
        total += {number}
    return c / total
"""


def rank_of(made: str = "np.zeros(3)", added: str = "m[i] * pos[i]", number: str = "m[i]") -> int:
    text = TEXT.format(made=made, added=added, number=number)
    [result] = analyze_source(text, "k.py", Options()).kernels
    rank = len(result.kernel.array("pos").shape)
    assumed = any("pos has 2 dimensions" in str(a) for a in result.kernel.assumptions)
    assert assumed is (rank == 2)
    return rank


@pytest.mark.parametrize("added", ["m[i] * pos[i]", "pos[i] * m[i]", "2.0 * pos[i] / m[i]"])
def test_what_is_added_to_a_short_vector_is_a_row(added: str) -> None:
    assert rank_of(added=added) == 2
    assert rank_of("np.zeros((3,))", added) == 2


@pytest.mark.parametrize(
    "words",
    [
        {"made": "np.zeros(100)"},  # an array of numbers
        {"made": "np.zeros(pos.shape[0])"},
        {"made": "0.0"},
        {"number": "1.0"},  # either may be the row
        {"number": "pos[i]"},
        {"added": "m[i]"},
        {"added": "pos[i]"},
        {"added": "m[i] * abs(pos[i])"},
    ],
)
def test_else_it_is_a_number(words: dict[str, str]) -> None:
    assert rank_of(**words) == 1
