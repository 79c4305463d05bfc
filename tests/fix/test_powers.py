"""``roofscan fix --unsafe``: powers with integer exponents are those of ``pow`` but for rounding."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.api import Options
from roofscan.fix.offers import Choice, FixedFile, fixed
from tests.oracle.run import run_target

TEXT = """import numpy as np
from numba import njit


@njit
def powers(x, y):
    for i in range(len(x)):
        y[i] = {}  # the power
"""


def made(expression: str, text: str = TEXT, unsafe: bool = True) -> FixedFile:
    options, choice = Options(select=("RFL507",)), Choice(unsafe=unsafe)
    return fixed("k.py", text.format(expression).encode(), options, choice, lambda found, _: found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x[i] ** 3.0", "x[i] ** 3"),
        ("2.0 * x[i]**-4.", "2.0 * x[i]**-4"),
        ("(x[i] + 1.0) ** (-3.0)", "(x[i] + 1.0) ** -3"),
        ("np.power(x[i] + 1.0, 3) * 2.0", "(x[i] + 1.0) ** 3 * 2.0"),
        ("np.power(x[i], -2.5)", "np.sqrt(x[i]) ** -5"),
        ("1.0 / (x[i] * x[i] + 0.5) ** 1.5", "1.0 / np.sqrt(x[i] * x[i] + 0.5) ** 3"),
        ("(x[i] ** 2.0 + x[i] ** 0.5) ** -0.5", "np.sqrt(x[i] ** 2.0 + x[i] ** 0.5) ** -1"),
    ],
)
def test_integer_exponents(before: str, after: str) -> None:
    """Once, and only the powers that are calls."""
    found = made(before)
    assert found.after.decode() == TEXT.format(after) and len(found.fixes) == 1
    assert "unsafe: products round differently; of integers, they are integers" in found.fixes[0]
    x, results = np.linspace(0.25, 9.0, 40), (np.zeros(40), np.zeros(40))
    for text, y in zip((found.before, found.after), results, strict=True):
        run_target(text.decode(), "powers")(x, y)
    np.testing.assert_allclose(*results, 1e-14)
    assert made(after).after == made(after).before


IN_PLACE = TEXT.replace("y[i] = {}", "y[i] = x[i]\n        {}").replace("def powers", "def in_place")
SCALAR = TEXT.replace("y[i] = {}", "s = x[i]\n        {}; y[i] = s").replace("def powers", "def in_place")


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        (IN_PLACE, "y[i] **= 3.0", "y[i] **= 3"),
        (IN_PLACE, "y[i] **= -4.0", "y[i] **= -4"),
        (SCALAR, "s **= -1.5", "s = np.sqrt(s) ** -3"),
    ],
)
def test_powers_in_place(text: str, before: str, after: str) -> None:
    found = made(before, text)
    assert found.after.decode() == text.format(after)
    x, results = np.linspace(0.25, 9.0, 40), (np.zeros(40), np.zeros(40))
    for version, y in zip((found.before, found.after), results, strict=True):
        run_target(version.decode(), "in_place")(x, y)
    np.testing.assert_allclose(*results, 1e-14)


def test_a_root_in_place_of_an_element_stays() -> None:
    found = made("y[i] **= 1.5", IN_PLACE)
    assert found.after == found.before


def test_it_is_unsafe() -> None:
    found = made("x[i] ** 3.0", unsafe=False)
    assert found.after == found.before and found.held_back == 1


def test_roots_need_a_name_for_numpy() -> None:
    found = made("x[i] ** 1.5", TEXT.replace("import numpy as np\n", ""))
    assert found.after == found.before
