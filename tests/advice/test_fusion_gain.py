"""The predicted traffic of a fused loop is that of the hand-written loop, run through a simulated cache."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import pytest

from roofscan.advice import gain, interchange, most_moved, tile
from roofscan.advice.change import PieceCosts
from roofscan.api import analyze_source
from roofscan.config.options import Options
from roofscan.cost.result import KernelCost
from roofscan.roofline.streaming import most_streamed
from roofscan.symbolic.expr import Number
from tests.fixture_files import FIXTURES
from tests.support.lru_simulator import Tracer, simulate

CACHE = 16 * 1024

WRITTEN_AND_BY_HAND = {
    "temporaries": (
        "RFL301",
        """
        # roofscan: a=f8[n] b=f8[n] c=f8[n] y=f8[n]
        def written(a, b, c, y):
            y[:] = 0.5 * a + 0.25 * b - a * c

        # roofscan: a=f8[n] b=f8[n] c=f8[n] y=f8[n]
        @njit
        def by_hand(a, b, c, y):
            for i in range(len(a)):
                y[i] = 0.5 * a[i] + 0.25 * b[i] - a[i] * c[i]
        """,
    ),
    "a sum of an expression": (
        "RFL301",
        """
        # roofscan: x=f4[n] y=f4[n]
        def written(x, y):
            return np.sum((x - y) * (x - y))

        # roofscan: x=f4[n] y=f4[n]
        @njit
        def by_hand(x, y):
            s = np.float32(0.0)
            for i in range(len(x)):
                s += (x[i] - y[i]) * (x[i] - y[i])
            return s
        """,
    ),
    "an update in place": (
        "RFL301",
        """
        # roofscan: p=f8[n] g=f8[n]
        def written(p, g):
            p -= 0.1 * g + 0.01 * p

        # roofscan: p=f8[n] g=f8[n]
        @njit
        def by_hand(p, g):
            for i in range(len(p)):
                p[i] -= 0.1 * g[i] + 0.01 * p[i]
        """,
    ),
    "statements": (
        "RFL302",
        """
        # roofscan: u=f8[n] v=f8[n] w=f8[n]
        def written(u, v, w):
            s = u * v
            w[:] = s + u
            v += s

        # roofscan: u=f8[n] v=f8[n] w=f8[n]
        @njit
        def by_hand(u, v, w):
            for i in range(len(u)):
                s = u[i] * v[i]
                w[i] = s + u[i]
                v[i] += s
        """,
    ),
    "rows and their means": (
        "RFL302",
        """
        # roofscan: x=f8[n,100] y=f8[n,100]
        def written(x, y):
            mean = x.mean(axis=1, keepdims=True)
            y[:, :] = x - mean

        # roofscan: x=f8[n,100] y=f8[n,100]
        @njit
        def by_hand(x, y):
            for i in range(len(x)):
                s = 0.0
                for j in range(100):
                    s += x[i, j]
                for j in range(100):
                    y[i, j] = x[i, j] - s / 100
        """,
    ),
    "loops": (
        "RFL302",
        """
        # roofscan: a=f8[n] b=f8[n] c=f8[n]
        @njit
        def written(a, b, c):
            for i in range(1, len(a)):
                b[i] = 0.5 * a[i]
            for i in range(1, len(a)):
                c[i] = a[i] + b[i - 1]

        # roofscan: a=f8[n] b=f8[n] c=f8[n]
        @njit
        def by_hand(a, b, c):
            for i in range(1, len(a)):
                b[i] = 0.5 * a[i]
                c[i] = a[i] + b[i - 1]
        """,
    ),
    "passes": (
        "RFL303",
        """
        # roofscan: x=f8[n]
        def written(x):
            return x.min(), x.max(), x.var()

        # roofscan: x=f8[n]
        @njit
        def by_hand(x):
            low, high, mean, spread = x[0], x[0], 0.0, 0.0
            for i in range(len(x)):
                low, high = min(low, x[i]), max(high, x[i])
                change = x[i] - mean
                mean += change / (i + 1)
                spread += change * (x[i] - mean)
            return low, high, spread / len(x)
        """,
    ),
}


def sizes_of(cost: KernelCost, n: int) -> dict[str, Number]:
    """Every symbol's value: that of the pragma, else ``n``."""
    return {name: n if name in cost.free else value for name, value in cost.sample_point.items()}


def moved_in_a_run(cost: KernelCost, n: int) -> int:
    """Bytes, fills included."""
    return simulate(Tracer(cost.kernel, sizes_of(cost, n)).trace(), CACHE).with_allocation


@pytest.mark.parametrize("name", WRITTEN_AND_BY_HAND)
def test_a_fused_loop_moves_the_predicted_bytes(name: str) -> None:
    code, source = WRITTEN_AND_BY_HAND[name]
    lengths = (3072, 5000) if name != "rows and their means" else (300, 500)
    text = "import numpy as np\nfrom numba import njit\n" + dedent(source)
    written, by_hand = (kernel.reports[0] for kernel in analyze_source(text, options=Options(kernels="all")).kernels)
    [advice] = [a for a in written.advice if a.code == code]
    assert advice.intensity is not None
    for n in lengths:
        said = float(advice.intensity.bytes.evaluate(sizes_of(written.cost, n)))
        assert said == pytest.approx(moved_in_a_run(by_hand.cost, n), rel=0.01)
    n = lengths[0]
    assert moved_in_a_run(written.cost, n) > 1.1 * moved_in_a_run(by_hand.cost, n)


@pytest.mark.parametrize(
    "kernel",
    [
        "arrays::orbits", "networks::residual_block", "solvers::shortest_paths", "arrays::advect_columns",
        "arrays::alternate_directions",
    ],
)  # fmt: skip
def test_changes_that_cannot_pay_are_all_that_is_not_costed(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file, name = kernel.split("::")
    text, counted = (FIXTURES / f"{file}.py").read_text(encoding="utf-8"), PieceCosts.counted
    [quick] = analyze_source(text, functions=(name,)).kernels
    monkeypatch.setattr(PieceCosts, "counted", lambda *of: replace(counted(*of), seconds=0.0))
    monkeypatch.setattr(most_moved, "most_streamed", lambda *of: None)
    [exhaustive] = analyze_source(text, functions=(name,)).kernels
    assert quick.findings == exhaustive.findings
    assert quick.reports[0].advice == exhaustive.reports[0].advice
    assert quick.steps < exhaustive.steps or name == "shortest_paths"


ARRAY_OPERATIONS = """
import numpy as np

# roofscan: a=f8[n,m] b=f8[n,m] r=f8[m] c=f8[n]
def kernel(a, b, r, c):
    {}
"""


@pytest.mark.parametrize(
    "body", ["b[:] = a * 2.0", "b[:] = a + r", "b[1:-1] = a[:-2] + a[2:]", "b[:] = a * c[:, None]", "b[:, 0] = a[:, 1]"]
)
def test_array_operations_move_no_more_than_their_bound(body: str) -> None:
    [kernel] = analyze_source(ARRAY_OPERATIONS.format(body)).kernels
    cost, values = kernel.reports[0].cost, {"n": 70, "m": 90}
    bounds = most_streamed(cost.kernel, values, 64, [0])
    assert bounds is not None
    [bound] = bounds
    moved = simulate(Tracer(cost.kernel, values).trace(), CACHE).with_allocation
    assert 0.5 * bound < moved <= bound


@pytest.mark.parametrize(
    ("body", "times_less"),
    [
        ("b[:] = np.subtract.outer(c, r)", 1.1),  # the row stays for the next
        ("b[:, 0] = a[:, 1]", 1.0),
        ("for j in range(m):\n        b[:, j] = a[:, j] * 2.0", 3.0),  # the next columns are in the same lines
        ("for j in range(m):\n        b[:, j] = b[:, j] * c", 1.5),  # but each product has memory of its own
        ("for i in range(1, n):\n        b[i] += b[i - 1] * r", 1.1),
        ("for t in range(4):\n        b += a * r", 1.1),
    ],
)
@pytest.mark.parametrize("capacity", [CACHE // 8, CACHE, 4 * CACHE])
def test_what_the_next_iteration_finds_moves_once(body: str, times_less: float, capacity: int) -> None:
    [kernel] = analyze_source(ARRAY_OPERATIONS.format(body)).kernels
    cost, values = kernel.reports[0].cost, {"n": 70, "m": 90}
    bounds = most_streamed(cost.kernel, values, 64, [capacity, 0])
    assert bounds is not None
    bound, without = bounds
    assert simulate(Tracer(cost.kernel, values).trace(), capacity).with_allocation <= bound <= without
    assert capacity < 4 * CACHE or times_less * bound <= without


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("known_traffic", "cholesky_right"),  # two walks over pages that the same order of the loops mends
        ("known_traffic", "product_tiled_rows"),  # whose blocks can be no better
        ("stencils", "heat3d_tiled"),  # whose other orders must move as much
    ],
)
def test_bounds_of_time_lose_no_advice(file: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot pay by its bounds does not pay when it is costed in full."""
    text = (FIXTURES / f"{file}.py").read_text(encoding="utf-8")
    [quick] = analyze_source(text, functions=(name,)).kernels
    monkeypatch.setattr(gain, "seconds_between", lambda *of: None)
    monkeypatch.setattr(gain, "least_seconds", lambda *of: 0.0)
    monkeypatch.setattr(most_moved, "most_streamed", lambda *of: None)
    for module in (interchange, tile):
        monkeypatch.setattr(module, "may_pay", lambda *of: True)
    [exhaustive] = analyze_source(text, functions=(name,)).kernels
    assert quick.findings == exhaustive.findings
    assert quick.reports[0].advice == exhaustive.reports[0].advice
    assert quick.steps < exhaustive.steps
