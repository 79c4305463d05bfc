"""RFL304: a new array is filled, and a loop then stores its elements again."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source
from roofscan.finding import Finding

TEXT = """import numpy as np
from numba import njit


@njit
def kernel(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        {}
    return y
"""
SHORT = "y[i] = 2.0 * x[i] + 1.0"


def found(text: str, bind: str = "") -> list[Finding]:
    return check_source(text, options=Options(kernels="all", bind=bind, select=("RFL304",)))


def test_the_pass_costs_time() -> None:
    """Measured: 1.4 for 10,000 elements, 1.6 to 1.7 from 200,000 on."""
    [finding] = found(TEXT.format(SHORT))
    assert finding.line == 8 and 1.3 < dict(finding.figures)["gain"] < 1.7
    assert "by making y with np.empty; line 9 stores each element again" in finding.message


@pytest.mark.parametrize(
    ("loop", "remedy"),
    [
        ("if x[i] > 0.0:\n            y[i] = x[i]", "making y with np.empty and filling the rest in an else"),
        ("y[i] = x[i + 2] - x[i]", "making y with np.empty and filling the border alone"),
    ],
)
def test_what_the_loop_leaves_is_named(loop: str, remedy: str) -> None:
    text = TEXT.format(loop).replace("range(n)", "range(n - 2)" if "border" in remedy else "range(n)")
    [finding] = found(text)
    assert remedy in finding.message


FRAME = """import numpy as np
from numba import njit


@njit
def kernel(x):
    n, m = x.shape
    y = np.zeros((n, m))
    for i in range({first}, n):
        for j in range({first}, m):
            y[i, j] = x[i - {first}, j] + x[i, j - {first}]
    return y
"""


def test_the_frame_of_an_image_must_gain_more() -> None:
    """Measured: 1.06 for 300 by 300, 1.33 for 2,000 by 2,000."""
    [finding] = found(FRAME.format(first=0))
    assert 1.25 < finding.gain < 1.4
    assert not found(FRAME.format(first=1))


@pytest.mark.parametrize(
    "text",
    [
        TEXT.format("y[i] += x[i]"),
        TEXT.format("y[i] = x[i] ** 1.7"),  # the power takes longer
        TEXT.format(SHORT).replace("zeros", "empty"),
        TEXT.format(SHORT).replace("@njit\n", ""),  # the system gives plain NumPy zeros for nothing
    ],
)
def test_silent(text: str) -> None:
    assert not found(text)


def test_a_fill_beside_more_bytes_is_left() -> None:
    """Two images of float64 into one of float32: measured 1.16 for 2,000 x 2,000, 1.36 for 300 x 300."""
    text = TEXT.format("y[i] = x[i] - z[i]").replace("(x)", "(x, z)").replace("zeros(n)", "zeros(n, dtype=np.float32)")
    assert not found(text) and found(text.replace(", dtype=np.float32", ""))


def test_a_cache_holds_a_short_array() -> None:
    """Measured: 1.0 for 1,000 elements."""
    assert not found(TEXT.format(SHORT), "x=f8[1000]")


def test_a_fusion_that_may_take_the_array_away_comes_first() -> None:
    text = TEXT.format("y[i] = x[i]\n    z = np.empty(n)\n    for i in range(n):\n        z[i] = y[i] + 1.0")
    findings = check_source(text.replace("return y", "return z"), options=Options(select=("RFL3",)))
    assert {finding.code for finding in findings} == {"RFL302"}


def test_a_cache_holds_what_others_call_for_vector_after_vector() -> None:
    """Measured for a gradient of 4 to 256 elements: 1.03 to 1.05."""
    text = "import numpy as np\nfrom numba import njit\n\n\n@njit\ndef signs(x, y):\n    out = np.zeros(x.shape)\n"
    text += "    for i in range(x.shape[0]):\n        out[i] = np.sign(x[i] - y[i])\n    return out\n"
    caller = "\n\n@njit\ndef move(points, at):\n    for i in range(len(points)):\n"
    caller += "        points[i] -= signs(points[i], points[at[i]])\n"
    fills = Options(select=("RFL304",))
    assert [f.line for f in check_source(text, options=fills)] == [7]
    assert not check_source(text + caller, options=fills)
