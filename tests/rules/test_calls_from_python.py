"""RFL502: loops of plain Python that call kernels with less work than the call."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.api import Options, check_source
from roofscan.finding import Finding

HEAD = """
import math

import numpy as np
from numba import njit, prange, vectorize


@njit
def blend(a, b):
    return 0.3 * a + 0.7 * b


@njit
def distance(p, q):
    s = 0.0
    for k in range(3):
        s += (p[k] - q[k]) ** 2
    return math.sqrt(s)


@njit
def bump(A, i):
    A[i] = 2.0 * A[i] + 1.0


@njit
def whole(x, y):
    for i in range(len(x)):
        y[i] = 2.0 * x[i]


@njit
def formula(x):
    return math.exp(math.sin(x) * math.log(x)) + math.exp(math.cos(x)) + math.exp(-x * x)


@njit(parallel=True)
def both(A, i):
    for k in prange(4):
        A[i, k] = 2.0 * A[i, k]


"""


def found(source: str) -> list[Finding]:
    return check_source(HEAD + source, options=Options(select=("RFL502",)))


@pytest.mark.parametrize(
    "source, kernel",
    [
        ("def run(x, y, z):\n    for i in range(len(z)):\n        z[i] = blend(x[i], y[i])\n", "blend"),
        ("def run(x, y, z):\n    for i in range(len(z)):\n        z[i] = blend(b=x[i], a=2.0 * i)\n", "blend"),
        ("def run(P, q, z):\n    for i in range(len(z)):\n        z[i] = distance(P[i], q)\n", "distance"),
        ("def run(A):\n    for i in range(len(A)):\n        bump(A, i)\n", "bump"),
        ("def run(A):\n    for i in range(9999999999999999999999, 0, 1 - 2):\n        bump(A, i)\n", "bump"),
        ("def run(A):\n    for i in range(0, 9999999999999999999999):\n        bump(A, i)\n", "bump"),
        ("def run(A):\n    if len(A) > 2:\n        for i in range(1, len(A)):\n            bump(A, i - 1)\n", "bump"),
        ("def run(A):\n    print('start')\n    for i in range(1000):\n        bump(A, i)\n    print('end')\n", "bump"),
        ("def run(n):\n    s = 0.0\n    for i in range(n):\n        s += blend(s, i)\n    return s\n", "blend"),
        ("W = 5\ndef run(x):\n    for i in range(len(x)):\n        if x[i] > 0:\n            x[i] = blend(x[i], W)\n",
         "blend"),
        ("def run(x, w):\n    for i in range(len(x)):\n        x[i] = blend(x[i], w)\n", "blend"),
        ("def run(x, w: float):\n    for i in range(len(x)):\n        x[i] = blend(x[i], w)\n", "blend"),
        ("def run(n):\n    z = np.zeros((n, n))\n    for i in range(n):\n        for j in range(3):\n"
         "            z[i, j] = blend(i, j)\n", "blend"),
        ("class Solver:\n    def run(self, A):\n        for i in range(len(A)):\n            bump(A, i)\n", "bump"),
    ],
)  # fmt: skip
def test_loops_that_could_be_compiled(source: str, kernel: str) -> None:
    [finding] = found(source)
    assert finding.kernel == kernel and finding.gain is not None and finding.gain > 5
    lines = (HEAD + source).split("\n")
    assert lines[finding.line - 1][finding.column :].startswith("for i in range(")
    assert (
        finding.message.startswith(f"{kernel}: ")
        and "by compiling the loop over i in run; a call takes" in finding.message
    )


@pytest.mark.parametrize(
    "loop",
    [
        "def run(x, y):\n    for i in range(10):\n        whole(x[i], y[i])",  # its work is not known to be small
        "def run(x, y, n):\n    for i in range(n):\n        whole(x, y)",  # a benchmark
        "def run(A, n):\n    for _ in range(n):\n        bump(A, 0)",
        "def run(A):\n    for i in range(999):\n        bump(A, i)",  # all of it takes no time
        "def run(x, y, dt, n):\n    for t in range(n):\n        x = blend(x, dt)",  # whole arrays, perhaps
        "def run(x, z, w):\n    w[0] = 1.0\n    for i in range(len(x)):\n        z[i] = blend(x[i], w)",  # an array
        "def run(x, z, w=None):\n    for i in range(len(x)):\n        z[i] = blend(x[i], w)",
        "def run(x, y):\n    for a, b in zip(x, y):\n        print(blend(a, b))",
        "def run(x, z):\n    for i in range(len(x)):\n        z.append(blend(x[i], 1.0))",
        "def run(x, z):\n    z = [0.0] * 9\n    for i in range(len(x)):\n        z[i] = blend(x[i], 1.0)",
        "def run(x, z: list):\n    for i in range(len(x)):\n        z[i] = blend(x[i], 1.0)",
        "def run(x, z):\n    for i in range(len(x)):\n        z['n'] = blend(x[i], 1.0)",
        "def run(x, z):\n    for i in range(len(x)):\n        z[i] = blend(x[i].mass, 1.0)",
        "def run(x, z):\n    for i in range(len(x)):\n        z[i] = blend(x[i], x[i, :])",  # rows
        "def run(x, z):\n    for i in range(len(x)):\n        z[i] = blend(x[i], x.sum())",
        "def run(x, z):\n    for i in range(len(x)):\n        z[i] = blend(*x[i])",
        "def run(x, z):\n    for i in range(len(x)):\n        z[i] = blend(x[i], 1.0)\n        print(i)",
        "def run(x, z, log):\n    for i in range(len(x)):\n        z[i] = blend(x[i], log(i))",
        "def run(x, z):\n    for i in range(len(x)):\n        with z as f:\n            z[i] = blend(x[i], 1.0)",
        "def run(x, z, blend):\n    for i in range(len(x)):\n        z[i] = blend(x[i], 1.0)",
        "def run(x, z, range):\n    for i in range(len(x)):\n        z[i] = blend(x[i], 1.0)",
        "def run(x, z):\n    for i in range(len(x)):\n        z[i] = blend.py_func(x[i], 1.0)",
        "def run(x, z):\n    for i in range(len(x)):\n        yield blend(x[i], 1.0)",
        "@njit\ndef run(x, z):\n    for i in range(len(x)):\n        z[i] = blend(x[i], 1.0)",
        "def run(x, z):\n    for i in range(len(x)):\n        z[i] = blend(x[i], 1.0)\nfast = njit(run)",
        "@memory.cache\ndef run(x, z):\n    for i in range(len(x)):\n        z[i] = blend(x[i], 1.0)",
        "def run(A):\n    for i in range(len(A)):\n        both(A, i)",  # a call waits for its threads in any case
        "def f(a):\n    return a\nfast = njit(f)\ndef run(x):\n    for i in range(len(x)):\n        x[i] = f(x[i])",
        "def run(A):\n    for i in range(0, 9999, 0):\n        bump(A, i)",
        "def run(A):\n    for i in range():\n        bump(A, i)",
        "@vectorize\ndef f(a):\n    return 2.0 * a\ndef run(x):\n    for i in range(len(x)):\n        x[i] = f(x[i])",
    ],
)  # fmt: skip
def test_loops_that_could_not_or_gain_nothing(loop: str) -> None:
    assert found(loop + "\n") == []


def test_more_work_gains_less() -> None:
    """Measured, with the time of the interpreter: 1,555 times for a product and a sum, 13 times for five functions."""
    run = "def run(x):\n    for i in range(len(x)):\n        x[i] = {}\n"
    [small], [large] = found(run.format("blend(x[i], 2.0)")), found(run.format("formula(x[i])"))
    assert small.gain and large.gain and small.gain > 10 * large.gain > 20


def test_a_moved_loop_is_found_again(tmp_path: Path) -> None:
    run = "def run(A):\n    for i in range(len(A)):\n        bump(A, i)\n"
    options = Options(select=("RFL502",), cache_dir=str(tmp_path))
    for blank in range(3):
        text = HEAD + "\n" * blank + run
        [finding] = check_source(text, options=options)
        assert text.split("\n")[finding.line - 1].lstrip().startswith("for i")
