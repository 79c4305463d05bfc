"""``roofscan fix``: rows and elements by subscript give the same bits as by iteration."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.finding import Finding, Subject
from roofscan.fix.columns.by_subscript import by_subscript
from roofscan.fix.model import Fix, Site
from roofscan.fix.offers import Choice, fixed
from roofscan.fix.source import SourceTree
from tests.fix.proof import Proof

HEAD = "from numba import njit\n\n\n@njit\ndef kernel(X, Y, out):\n"
ROWS = """    for k, row in enumerate(X):  # all rows
        s = 0.0
        for v in row:
            s += v
        out[k] = s
"""
PAIRS = """    for k, (a, b) in enumerate(zip(X, Y)):
        out[k] = a[0] * b[0]
"""
DISTANCES = """    for i, p in enumerate(X):
        for j, q in enumerate(Y):
            out[i] += p[0] * q[0] + j
"""
ALONE = """    total = 0.0
    for row in X:
        total += row[0]
        row[0] = total
"""


def offered(body: str) -> Fix | None:
    source = SourceTree((HEAD + body).encode())
    [result] = analyze_source(source.text, "k.py", Options()).kernels
    function = source.function_at(result.kernel.line)
    assert function is not None
    finding = Finding("RFL506", "k.py", 6, 0, "", "kernel", subject=Subject("array", ("X",)))
    return by_subscript(Site(finding, result.kernel, source, function))


def body_of(fix: Fix | None) -> str:
    assert fix is not None and fix.safety == "safe" and not fix.assumptions
    return fix.module.code.removeprefix(HEAD)


def test_rows_and_the_elements_of_rows() -> None:
    made = """    for k in range(len(X)):  # all rows
        row = X[k]
        s = 0.0
        for i in range(len(row)):
            v = row[i]
            s += v
        out[k] = s
"""
    assert body_of(offered(ROWS)) == made


def test_pairs_end_with_the_shorter_one() -> None:
    head = "    for k in range(min(len(X), len(Y))):\n        a = X[k]\n        b = Y[k]\n"
    assert body_of(offered(PAIRS)) == head + PAIRS.split("\n", 1)[1]


def test_without_a_counter_there_is_a_new_one() -> None:
    assert "    for i in range(len(X)):\n        row = X[i]\n" in body_of(offered(ALONE))


@pytest.mark.parametrize("body", [ROWS, PAIRS, ALONE, DISTANCES])
@pytest.mark.parametrize("shape", [(0, 2), (1, 1), (3, 2)])
def test_the_bits_are_the_same(body: str, shape: tuple[int, int]) -> None:
    fix, proof = offered(body), Proof()
    assert fix is not None
    x = np.random.default_rng(1).random(shape)
    proof.add(HEAD + body, fix, "kernel", {"X": x, "Y": x[:2] + 1, "out": np.zeros(shape[0])})
    assert proof.runs and not proof.wrong


@pytest.mark.parametrize(
    "body",
    [
        ROWS.replace("enumerate(X)", "enumerate(X, 1)"),
        ROWS.replace("        s = 0.0", "        X = Y\n        s = 0.0"),
        PAIRS.replace("zip(X, Y)", "zip(X, Y[1:])"),
        ROWS.replace("k, row", "pair").replace("in row", "in pair[1]").replace("out[k]", "out[pair[0]]"),
    ],
)
def test_none_is_offered(body: str) -> None:
    assert offered(body) is None


def test_it_answers_the_finding() -> None:
    text = HEAD.replace("njit\ndef", "njit(fastmath=True)\ndef") + ROWS
    text = text.replace(
        "for v in row:\n            s += v", "for j in range(len(row)):\n            s += row[j] * Y[j]"
    )
    made = fixed("k.py", text.encode(), Options(select=("RFL506",)), Choice(unsafe=True), lambda found, _: found)
    assert [line.split(": ")[1] for line in made.fixes] == ["RFL506 kernel"]
    assert "row = X[k]" in made.after.decode()
