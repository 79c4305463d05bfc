"""RFL507: powers for which Numba calls ``pow`` although their exponent is whole, or half of a whole number."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source
from roofscan.finding import Finding

POWERS = """import numpy as np
from numba import njit


@njit<options>
def powers(x, y, n):
    for i in range(n):
        y[i] = {}
"""


def findings(expression: str, options: str = "") -> list[Finding]:
    text = POWERS.format(expression).replace("<options>", options)
    return list(check_source(text, options=Options(select=("RFL507",))))


@pytest.mark.parametrize(
    ("expression", "least"),
    [
        ("x[i] ** 3.0", 10),
        ("2.0 * x[i] ** -2.0", 8),
        ("np.power(x[i], 4)", 10),
        ("x[i] ** 1.5", 10),
        ("(x[i] * x[i] + 1.0) ** -1.5", 4),
    ],
)
def test_calls_of_pow(expression: str, least: float) -> None:
    """Measured: 66, 15, 76, 21 and 9 times."""
    [found] = findings(expression)
    assert found.line == 8 and found.gain is not None and least < found.gain < 80


@pytest.mark.parametrize(
    "expression",
    ["x[i] ** 3", "x[i] ** 2.0", "x[i] ** 0.5", "x[i] ** -1.0", "x[i] ** 0.3", "x[i] ** n", "x[i] ** 99.5"],
)
def test_what_is_no_call_or_has_no_products(expression: str) -> None:
    assert not findings(expression)


def test_all_of_fastmath_opens_powers() -> None:
    assert not findings("x[i] ** 3.0", "(fastmath=True)")
    assert findings("x[i] ** 3.0", '(fastmath={"reassoc", "nsz"})')


def test_single_precision_would_stay_single() -> None:
    """``x ** 3.0`` is in double precision there, and ``x ** 3`` is not."""
    text = POWERS.format("x[i] ** 3.0").replace("<options>", '("(f4[::1], f8[::1], i8)")')
    assert not list(check_source(text, options=Options(select=("RFL507",))))


def test_a_power_of_a_row_is_not_stored_but_opened() -> None:
    nest = POWERS.replace("    for i", "    for k in range(n):\n      for i").replace("y[i]", "y[k, i]")
    text = nest.format("x[i] ** 1.5").replace("<options>", "")
    assert [f.code for f in check_source(text, options=Options(select=("RFL5",)))] == ["RFL507"]
