"""Helpers that others call over and over: what they stream, their callers know."""

from __future__ import annotations

import pytest

from roofscan.api import analyze_source
from roofscan.parse.reader.find import is_helper
from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.units import Units

DISTANCE = """from numba import njit

@njit(fastmath=True)
def distance(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += abs(x[i] - y[i])
    return s

"""

IN_A_LOOP = """@njit
def all_pairs(X, D):
    for i in range(X.shape[0]):
        for j in range(X.shape[0]):
            D[i, j] = distance(X[i], X[j])
"""


@pytest.mark.parametrize(("rest", "helper"), [
    (IN_A_LOOP, True),
    ("@njit\ndef all_pairs(X):\n    return [distance(X[0], x) for x in X]\n", True),
    ("@njit\ndef all_pairs(X, D):\n    fill(D, X, distance)\n", True),
    ('TABLE = {"l1": distance}\n', True),
    ("@njit\ndef once(x, y):\n    return distance(x, y)\n", True),
    (IN_A_LOOP.replace("@njit\n", ""), False),  # a driver: each call may be a large one
    ("fast = njit(distance)\n", False),
    ("also = distance\n", False),
    ("", False),
])  # fmt: skip
def test_who_calls(rest: str, helper: bool) -> None:
    source = DISTANCE + rest
    assert is_helper(read_module(source, "kernel.py"), "distance") == helper
    findings = [f for k in analyze_source(source).kernels if k.kernel.name == "distance" for f in k.findings]
    assert [f.code for f in findings if f.code == "RFL102"] == ([] if helper else ["RFL102"])


def test_what_calls_itself_is_no_helper_of_others() -> None:
    source = "from numba import njit\n\n@njit\ndef f(x):\n    for i in range(3):\n        f(x)\n"
    assert not is_helper(read_module(source, "kernel.py"), "f")


def test_what_is_kept_of_a_helper_depends_on_its_callers() -> None:
    def digest(source: str) -> str:
        module = read_module(source, "kernel.py")
        return next(iter(Units(source, module.definitions, plain=False))).digest

    assert digest(DISTANCE) != digest(DISTANCE + IN_A_LOOP)
    assert digest(DISTANCE) == digest(DISTANCE + "@njit\ndef other(x):\n    return x[0]\n")
