"""``report --chart intensity``: the picture, and what is refused."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Command

KERNELS = """from numba import njit

@njit
def product(A, B, C, n):
    for i in range(n):
        for k in range(n):
            for j in range(n):
                C[i, j] += A[i, k] * B[k, j]

@njit
def scale(x, n):
    for i in range(n):
        x[i] *= 2.0
"""


def test_the_command_draws_it(roofscan: Command) -> None:
    pytest.importorskip("matplotlib")
    roofscan.write("k.py", KERNELS)
    outcome = roofscan("report", "k.py::product", "--format", "svg", "--chart", "intensity")
    assert (outcome.code, outcome.err) == (0, "")
    assert "<!-- product on generic-x86-64 -->" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("k.py::product", "--chart", "intensity"), "needs --format svg; add it"),
        (("k.py", "--format", "svg", "--chart", "intensity"), "name it as FILE::FUNCTION"),
        (("k.py::product", "--format", "svg", "--chart-symbol", "n"), "drop --chart-symbol"),
        (("k.py::product", "--format", "svg", "--chart", "intensity", "--cache", "32768"), "drop --cache"),
    ],
)
def test_arguments_that_make_no_chart_name_the_remedy(
    roofscan: Command, arguments: tuple[str, ...], remedy: str
) -> None:
    roofscan.write("k.py", KERNELS)
    outcome = roofscan("report", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert remedy in outcome.err
