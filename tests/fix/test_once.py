"""``roofscan fix``: reductions that a loop repeats are computed once before it, with the same bits, or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.finding import Finding, Subject
from roofscan.fix.model import Fix, Site
from roofscan.fix.once.reductions import hoisted
from roofscan.fix.source import SourceTree
from tests.fix.proof import Proof

HEAD = """import numpy as np
from numba import njit


@njit
def kernel(x, y, A, c):
"""
NEST = """    for i in range(A.shape[0]):  # rows
        for j in range(A.shape[1]):
            A[i, j] = {}
    return A
"""


def offered(body: str, head: str = HEAD) -> Fix | None:
    source = SourceTree((head + body).encode())
    [result] = analyze_source(source.text, "k.py", Options()).kernels
    line = next(n for n, text in enumerate(source.text.splitlines(), 1) if text.startswith("    for i"))
    function = source.function_at(result.kernel.line)
    assert function is not None
    finding = Finding("RFL503", "k.py", line, 0, "", "kernel", subject=Subject("loop", ("i",)))
    return hoisted(Site(finding, result.kernel, source, function))


@pytest.mark.parametrize(
    ("value", "made", "safety"),
    [
        ("y[j] / np.sum(x)", {"x_sum"}, "safe"),
        ("np.sum((x - c) ** 2) + y[j] * np.sum(x) - np.sum(x)", {"x_sum", "x_sum2"}, "safe"),
        ("(y[j] - x.min()) / (x.max() - x.min())", {"x_min", "x_max"}, "unsafe"),  # of nothing, both raise
        ("y[j] - x.mean() if y[j] > 0 else 0.0", {"x_mean"}, "unsafe"),
    ],
)
@pytest.mark.parametrize("shape", [(0, 2), (1, 1), (2, 5), (3, 0)])
def test_the_bits_are_the_same(value: str, made: set[str], safety: str, shape: tuple[int, int]) -> None:
    body = NEST.format(value)
    fix, proof = offered(body), Proof()
    assert fix is not None and fix.safety == safety
    assert all(f"    {name} = " in fix.module.code for name in made)
    random = np.random.default_rng(1)
    x, y = random.random(4) + 0.5, random.random(5)
    if min(shape):
        proof.add(HEAD + body, fix, "kernel", {"x": x, "y": y, "A": random.random(shape), "c": 0.75})
        assert proof.runs and not proof.wrong


def test_names_stay_free_and_comments_stay() -> None:
    fix = offered("    x_sum = 2.0\n" + NEST.format("np.sum(x) * x_sum"))
    assert fix is not None and "    x_sum2 = np.sum(x)\n    for i in range(A.shape[0]):  # rows\n" in fix.module.code
    assert fix.assumptions == ("A and x do not overlap",)


@pytest.mark.parametrize(
    "value",
    [
        "np.sum(A)",  # the loop changes it
        "np.sum(A[i])",
        "np.sum(x * i)",
        "np.sum(x[:j])",
        "np.sum(x > c)",  # of a test
        "y[j]",
    ],
)
def test_what_may_change_stays(value: str) -> None:
    assert offered(NEST.format(value)) is None


@pytest.mark.parametrize(
    "text",
    [
        HEAD.replace("@njit", "@njit(parallel=True)"),  # the sum before the loop would be added up by threads
        HEAD.replace("@njit", "def change(x):\n    x[0] = 1.0\n\n\n@njit"),
    ],
)
def test_what_is_not_known_stays(text: str) -> None:
    body = NEST.format("np.sum(x)")
    changed = body.replace("        for j", "        change(x)\n        for j") if "change" in text else body
    assert offered(changed, text) is None


def test_a_sum_of_a_row_stays_in_its_loop() -> None:
    assert offered(NEST.format("np.sum(row)").replace("        for j", "        row = A[i]\n        for j")) is None
