"""Arguments of unknown number, and fields of an object that share the name of an attribute of arrays."""

from __future__ import annotations

import pytest

from tests.oracle.analysis import counted

HELPER = """from numba import njit

@njit
def scale(A, n, m, s=2.0):
    for i in range(n):
        for j in range(m):
            A[i, j] *= s
"""
METHOD = f"""{HELPER}

class Solver:
    def step(self, s):
        scale(self.T, *self.T.shape, s)
"""
OPEN = f"""{HELPER}

@njit
def step(A, args, k):
    scale(A, *args, k)
"""
DEFAULT = """from numba import njit

@njit
def scale(A, n=3):
    for i in range(n):
        A[i] *= 2.0

@njit
def step(A, args):
    scale(*args)
"""


def test_the_shape_of_a_field_is_passed_on() -> None:
    found = counted(METHOD, "Solver.step", "")
    assert str(found.cost.flops) == "self_T_shape_0*self_T_shape_1"
    assert not any("self " in str(each) for each in found.kernel.assumptions)


@pytest.mark.parametrize("text", [OPEN, DEFAULT])
def test_no_parameter_behind_an_open_argument_is_known(text: str) -> None:
    found = counted(text, "step", "")
    symbols = {str(symbol) for symbol in found.cost.flops.symbols}
    assert "k" not in symbols and found.cost.flops.constant is None
    assert found.cost.status != "exact"
