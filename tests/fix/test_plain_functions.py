"""``roofscan fix --unsafe``: plain functions as people write them, of arrays of any rank, with names bound anew, means,
powers of numbers, and arrays spread along new axes."""

from __future__ import annotations

from itertools import product
from warnings import catch_warnings

import numpy as np
import pytest

from tests.fix.test_interchange import fix
from tests.oracle.run import run_target

NUMPY = "import numpy as np\n\n\n"
SHAPES = ((0,), (1,), (2,), (7,), (3, 5), (0, 4), (2, 3, 4))

ANY_RANK = {
    "mean": "def f(x, y):\n    return np.sqrt(np.mean((x - y) ** 2)) + np.sum(x) + y.size\n",
    "numbers": "def f(x, y, lo=0.0, hi=1.0):\n    s, t = x.sum(), np.sum(y)\n"
    "    return lo + (x - s) * (hi - lo) / (1.0 + t * t)\n",
    "rebound": "def f(x, y, s=2.0):\n    m = np.sum(x)\n    x = x - m\n    x = x * s\n    return x\n",
    "given": "def f(x, y, k=3):\n    return x * (1.0 - 0.5**k) + np.sum(x) * x - k / 2 * x\n",
    "read before": "def f(x, y):\n    n = np.sqrt(np.sum(x * x - x))\n    x = np.abs(x)\n    return x, n\n",
}


@pytest.mark.parametrize("name", ANY_RANK)
def test_arrays_of_any_rank_and_layout(name: str) -> None:
    text = NUMPY + ANY_RANK[name]
    made = fix(text, unsafe=True).after.decode()
    assert "@njit" in made
    for shape, order, step in product(SHAPES, "CF", (1, 2)):
        x, y = np.random.default_rng(1).normal(0.0, 3.0, (2, *shape))
        given = [
            np.repeat(a, step, axis=0)[::step].copy(order) if step == 1 else np.repeat(a, 2, 0)[::2] for a in (x, y)
        ]
        with np.errstate(all="ignore"), catch_warnings(action="ignore"):
            before, after = (run_target(source, "f")(*given) for source in (text, made))
        for one, other in zip(*(r if isinstance(r, tuple) else (r,) for r in (before, after)), strict=True):
            assert np.shape(one) == np.shape(other) and np.allclose(one, other, 1e-12, equal_nan=True)


def test_elements_of_any_rank_lie_in_a_row_and_numbers_are_pythons() -> None:
    made = fix(NUMPY + ANY_RANK["given"], unsafe=True).after.decode()
    assert "def _f_loop(x, number, number2, number3, result):\n    for i in range(len(x)):\n" in made
    assert "_f_loop(x.ravel(), (1.0 - 0.5**k), np.sum(x), k / 2, result.reshape(-1))\n" in made


def test_a_parameter_bound_anew_is_a_number_of_the_iteration() -> None:
    made = fix(NUMPY + ANY_RANK["rebound"], unsafe=True).after.decode()
    assert "x_element = x[i] - m\n        result[i] = x_element * s\n" in made
    assert made.endswith("_f_loop(x.ravel(), m, s, result.reshape(-1))\n    x = result\n    return x\n")


DISTANCES = "def f(a, b):\n    return np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=-1))\n"
SPREAD = "def f(a, b):\n    x, y = a[:, 0], b[:, 0]\n    return np.abs(x[:, np.newaxis] - y[None, :]) * 2.0\n"


def test_distances_need_no_array_of_differences() -> None:
    found = fix(NUMPY + DISTANCES, unsafe=True)
    made = found.after.decode()
    assert "a.shape[1] and b.shape[1] are equal" in found.fixes[0] and "another order" in found.fixes[0]
    assert "result = np.empty((a.shape[0], b.shape[0]))\n" in made and "result[i, j] = np.sqrt(total)\n" in made
    for n, m, k in product((0, 1, 2, 5), (0, 1, 3), (0, 1, 3)):
        a, b = np.random.default_rng(1).random((n, k)), np.random.default_rng(2).random((m, k)).T.copy().T
        before, after = (run_target(text, "f")(a, b) for text in (NUMPY + DISTANCES, made))
        assert before.shape == after.shape and np.allclose(before, after, 1e-12)


def test_an_expression_of_shifted_elements_is_stored_by_way_of_an_array() -> None:
    stored = "        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])\n"
    body = f"def f(u, k=0.1, steps=3):\n    for _ in range(steps):\n{stored}"
    text = f"{NUMPY}# roofscan: u=f8[n]\n{body}"
    made = fix(text, unsafe=True).after.decode()
    assert "        result = np.empty_like(u[2:])\n        _f_loop(u, k, result)\n        u[1:-1] += result\n" in made
    for n in (2, 3, 9):
        u, v = np.ones((2, n)) * np.arange(n) ** 2
        run_target(text, "f")(u), run_target(made, "f")(v)
        assert np.allclose(u, v, 1e-12)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("def f(y, p):\n    return np.sum((y - p) ** 2) + np.mean(y)\n", "p may be a number or an array"),
        ("def f(x, w):\n    return (x * w).sum() / w.sum()\n", "x may be a number or an array"),
        ("def f(x):\n    g = lambda: x\n    x = x * x - 1.0\n    return x, g()\n", "a function sees the name"),
        ("def f(x):\n    while x.sum() > 1.0:\n        x = x * x - 0.5 * x\n    return x\n", "a loop binds the name"),
        ("def f(a):\n    return (a[:, None] * a[None, :]).sum(axis=0)\n", "a sum along another axis"),
    ],
)
def test_functions_that_stay_as_they_are(body: str, why: str) -> None:
    assert "@njit" not in fix(NUMPY + body, unsafe=True).after.decode(), why
