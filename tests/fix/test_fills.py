"""RFL304 and its fix: a new array that a loop stores again needs no numbers of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.finding import Finding, Subject
from roofscan.fix.model import Fix, Site
from roofscan.fix.once.fills import unfilled
from roofscan.fix.source import SourceTree
from tests.fix.proof import Proof

HEAD = "import numpy as np\nfrom numba import njit\n\n\n@njit\ndef kernel(a, x, t):\n    n, m = a.shape\n    {}\n"
LOOP = "for i in range(n):\n        {}"
NEST = "for i in range(n):\n        for j in range(m):\n            {}"
MADE = {
    "zeros": ("y = np.zeros(n)  # the result", LOOP.format("y[i] = 2.0 * a[i, 0]")),
    "ones of a type": ("y = np.ones(n, dtype=np.float32)", LOOP.format("y[i] = a[i, 0]")),
    "full": ("y = np.full((n, m), -np.inf)", NEST.format("y[i, j] = a[i, j]")),
    "full of a type": ("y = np.full((n, m), 1, dtype=np.int64)", NEST.format("y[i, j] = i + j")),
    "like": ("y = np.zeros_like(a)", NEST.format("y[i, j] = a[i, j] + 1.0")),
    "of another shape": ("y = np.zeros(max(n - 2, 0))", "for i in range(max(n - 2, 0)):\n        y[i] = a[i + 2, 0]"),
    "each place of an axis": ("y = np.zeros((n, 2))", LOOP.format("y[i, 0] = a[i, 0]\n        y[i, 1] = -a[i, 0]")),
    "sums that start in the loop": (
        "y = np.zeros(n)", LOOP.format("y[i] = 0.0\n        for j in range(m):\n            y[i] += a[i, j]")
    ),
    "a fill of its own": ("y = np.empty((n, m))\n    y[:] = np.nan", NEST.format("y[i, j] = a[i, j]")),
    "from the end": ("y = np.zeros(n)", LOOP.format("y[i - n] = a[i, 0]")),
}  # fmt: skip
BORDERS = {
    "ends": ("y = np.zeros(n)", "for i in range(1, n - 1):\n        y[i] = a[i - 1, 0] + a[i + 1, 0]"),
    "two at the start": ("y = np.full(n, 7.5)", "for i in range(2, n):\n        y[i] = a[i, 0] - a[i - 2, 0]"),
    "of two axes": (
        "y = np.zeros((n, m))",
        "for i in range(2, n - 1):\n        for j in range(1, m - 3):\n"
        "            y[i, j] = a[i - 2, j] + a[i + 1, j + 3]",
    ),
}
BRANCHES = {
    "a test": ("y = np.zeros(n)", LOOP.format("if a[i, 0] > t:\n            y[i] = a[i, 0]")),
    "tests in tests": (
        "y = np.empty((n, m))\n    y[:] = np.nan",
        NEST.format(
            "v = a[i, j]\n            if np.isfinite(v):\n                if v > t:\n"
            "                    y[i, j] = 0.0\n"
            "                elif v < 0.5:\n                    y[i, j] = v\n            else:\n                v = 1.0"
        ),
    ),
    "both arms": (
        "y = np.ones(n)", LOOP.format("if a[i, 0] > t:\n            y[i] = 3.0\n        else:\n            y[i] = t")
    ),
}  # fmt: skip
STAYS = [
    ("y = np.zeros(n)", LOOP.format("for j in range(m):\n            y[i] += a[i, j]")),  # the sums start there
    ("y = np.zeros(n)", LOOP.format("for j in range(m):\n            y[i] = a[i, j]")),  # no column, no store
    ("y = np.zeros(n)", LOOP.format("if a[i, 0] > t:\n            break\n        y[i] = a[i, 0]")),
    ("y = np.zeros(n)", LOOP.format("if a[i, 0] > t:\n            return y\n        y[i] = a[i, 0]")),
    ("y = np.zeros(n)", "for i in range(1, n):\n        y[i] = y[i - 1] + a[i, 0]"),  # reads the first
    ("y = np.zeros(n)", LOOP.format("if a[i, 0] > t:\n            y[i] = 1.0\n        a[i, 0] = y[i]")),
    ("y = np.zeros(n)\n    z = y", LOOP.format("a[i, 0] = z[i]\n        y[i] = a[i, 0]")),  # another name
    ("y = np.zeros(n)\n    if t > 0.5:\n        return y", LOOP.format("y[i] = a[i, 0]")),
    ("y = np.zeros(n)\n    s = y.sum()", LOOP.format("y[i] = a[i, 0] + s")),
    ("y = np.zeros(n)", "for i in range(len(x)):\n        y[i] = x[i]"),  # of another length
    ("y = np.zeros(n)", "for i in range(0, n, 2):\n        y[i] = a[i, 0]"),
    ("y = np.zeros(n)", "for i in range(-1, n - 1):\n        y[i] = a[i, 0]"),  # the last first
    ("y = np.zeros((n, 3))", LOOP.format("y[i, 0] = a[i, 0]\n        y[i, 2] = a[i, 0]")),
    (
        "y = np.zeros(n)",
        LOOP.format("if a[i, 0] > t:\n            continue\n        y[i] = a[i, 0]"),
    ),  # no else
    ("y = np.full(n, 2)", LOOP.format("y[i] = a[i, 0]")),  # of integers: np.empty takes another type
    ("try:\n        y = np.zeros(n)\n    except ValueError:\n        y = np.zeros(3)", LOOP.format("y[i] = a[i, 0]")),
]
ALL = {**MADE, **BORDERS, **BRANCHES}


def offered(made: str, loop: str) -> tuple[str, Fix | None]:
    text = HEAD.format(f"{made}\n    {loop}\n    return y")
    source = SourceTree(text.encode())
    [result] = analyze_source(text, "k.py", Options()).kernels
    function = source.function_at(result.kernel.line)
    assert function is not None
    finding = Finding("RFL304", "k.py", 9, 0, "", "kernel", subject=Subject("array", ("y",)))
    return text, unfilled(Site(finding, result.kernel, source, function))


def arguments() -> Iterator[dict[str, object]]:
    random = np.random.default_rng(1)
    for n, m in ((0, 1), (1, 2), (2, 4), (3, 1), (7, 9)):
        a = random.random((n, m))
        a.flat[::5] = np.nan
        yield {"a": a, "x": random.random(n), "t": 0.7}


@pytest.mark.parametrize(("made", "loop"), ALL.values(), ids=ALL)
def test_the_bits_are_the_same(made: str, loop: str) -> None:
    text, fix = offered(made, loop)
    assert fix is not None and fix.safety == "safe" and not fix.assumptions and fix.what == "make y with np.empty"
    assert "np.empty" in fix.module.code and not any(word in fix.module.code for word in ("zeros", "ones", "full"))
    proof = Proof()
    for given in arguments():
        proof.add(text, fix, "kernel", given)
    assert proof.runs and not proof.wrong


@pytest.mark.parametrize(("made", "loop"), STAYS)
def test_an_array_whose_numbers_count_keeps_them(made: str, loop: str) -> None:
    assert offered(made, loop)[1] is None


def test_an_else_stores_the_number() -> None:
    fix = offered(*BRANCHES["a test"])[1]
    assert fix is not None and "            y[i] = a[i, 0]\n        else:\n            y[i] = 0.0\n" in fix.module.code


def test_a_border_is_filled_by_slices() -> None:
    fix = offered(*BORDERS["of two axes"])[1]
    lines = "    y[:2] = 0.0\n    y[-1:] = 0.0\n    y[:, :1] = 0.0\n    y[:, -3:] = 0.0\n"
    assert fix is not None and lines in fix.module.code


def test_lengths_that_a_statement_asks_to_be_equal_are_named() -> None:
    """``a + x`` also holds for an ``x`` of one element."""
    fix = offered("w = a[:, 0] + x\n    y = np.zeros(n)", "for i in range(len(x)):\n        y[i] = x[i] * w[i]")[1]
    assert fix is not None and fix.assumptions
