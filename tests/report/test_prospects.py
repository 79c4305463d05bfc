"""What is ruled out before the cache model would not have been found: the findings are those of the complete report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from roofscan.api import Options, analyze_kernel, load_setting
from roofscan.parse.find import find_candidates
from roofscan.parse.module import read_module
from roofscan.report.codes import CODES
from roofscan.report.model import Finding

FIXTURES = Path(__file__).parents[2] / "fixtures"

GATHER = """
from numba import njit

@njit
def gathered(x, at):
    s = 0.0
    for i in range(len(at)):
        s += x[at[i]] * x[at[i]] * x[at[i]] * x[at[i]]
    return s
"""
NO_FLOPS = """
from numba import njit

@njit
def transposed(A, B):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            B[j, i] = A[i, j]
"""
ON_A_GPU = """
from numba import cuda

@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2.0
"""
CALLS_UNKNOWN = """
from numba import njit
from elsewhere import helper

@njit
def unknown(x):
    for i in range(len(x)):
        x[i] = 2.0 * helper(x[i])
"""
STREAM = """
from numba import njit

@njit
def scale(x):
    for i in range(len(x)):
        x[i] *= 2.0
"""


def findings(text: str, only: bool) -> list[Finding]:
    setting = replace(load_setting(Options(kernels="all")), only_findings=only)
    module = read_module(text, "<text>", None, False)
    results = [analyze_kernel(module, c, setting) for c in find_candidates(module, plain=True).candidates]
    return [finding for result in results for finding in result.findings]


@pytest.mark.parametrize("name", ["fusion", "particles", "sparse", "streams"])
def test_the_findings_are_those_of_the_report(name: str) -> None:
    text = (FIXTURES / f"{name}.py").read_text(encoding="utf-8")
    assert findings(text, True) == findings(text, False)


@pytest.mark.parametrize("code", CODES)
def test_the_examples_of_every_code_have_the_findings_of_their_report(code: str) -> None:
    for text in map(dedent, (CODES[code].bad, CODES[code].good)):
        assert findings(text, True) == findings(text, False)


@pytest.mark.parametrize("text", [GATHER, NO_FLOPS, ON_A_GPU, CALLS_UNKNOWN])
def test_without_prospects_there_is_no_cache_model(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not findings(text, False)

    def refuse(*_: object) -> None:
        raise AssertionError("the cache model was asked")

    monkeypatch.setattr("roofscan.report.assess.with_reuse", refuse)
    assert not findings(text, True)
    assert "AssertionError" in findings(STREAM, True)[0].message
