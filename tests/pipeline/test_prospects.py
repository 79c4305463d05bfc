"""What is ruled out before the cache model would not have been found: the findings are those of the complete report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from roofscan.api import Options, analyze_kernel, load_run_config
from roofscan.finding import Finding
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.pipeline.assess import assess
from roofscan.roofline.memory_bound_sizes import MemoryBoundSizes, memory_bound_sizes
from roofscan.roofline.traffic_curve import TrafficCurve
from roofscan.rules.codes import CODES, is_default
from roofscan.symbolic.expr import Expr, Number

FIXTURES = Path(__file__).parents[2] / "fixtures"

GATHER = """
from numba import njit

@njit(fastmath=True)
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
            B[i, j] = A[i, j]
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
OF_NUMBERS = """
import numpy as np
from numba import njit

@njit
def near(e, n, u):
    d = np.sqrt(e**2 + n**2 + u**2)
    return 3 * e * u / d**5 - n / d**3 + u
"""
FEW = """
from numba import njit

@njit
def polynomial(c, x):
    s = 0.0
    for k in range(8):
        s += c[k] * x[k]
    return s
"""
MOVES_DATA = """
from numba import njit

@njit
def shifted(A, B, f):
    n, m = A.shape
    for i in range(n):
        f[0] *= 2.0
        for j in range(m):
            B[i, j] = A[i, j]
"""
GATHERS = """
from numba import njit

@njit
def gathered(x, y, at, n):
    for i in range(n):
        y[at[i]] += x[at[i]] * x[at[i]]
"""
SMALL_TEMPORARIES = """
import numpy as np
from numba import njit

@njit
def pushed(y, at):
    v = np.zeros(500)
    for i in range(len(at)):
        v[:] = np.exp(np.sin(v))
        y[at[i]] += v[0] * v[1]
    return v
"""
WORK_ELSEWHERE = """
import numpy as np
from math import exp
from numba import njit

@njit
def pushed(x, y, at):
    for i in range(len(at)):
        s = y[at[i]]
        for k in range(1000):
            s += exp(s)
        y[at[i]] = s
    x[:] = 2.0 * x - x * x
"""
STREAM = """
from numba import njit

@njit
def scale(x):
    for i in range(len(x)):
        x[i] *= 2.0
"""


def findings(text: str, only: bool) -> list[Finding]:
    setting = replace(load_run_config(Options(kernels="all")), only_findings=only)
    module = read_module(text, "<text>", None, False)
    results = [analyze_kernel(module, c, setting) for c in find_candidates(module, plain=True).candidates]
    return [_without_place(finding) for result in results for finding in result.findings]


def by_all_traffic(text: str) -> list[Finding]:
    """The findings where no kernel is ruled out by its counts."""
    module = read_module(text, "<text>", None, False)
    config = load_run_config(Options(kernels="all"))
    results = [analyze_kernel(module, c, config) for c in find_candidates(module, plain=True).candidates]
    reports = [assess(result.reports[0].cost, config.machines[0], None) for result in results]
    return [_without_place(finding) for report in reports for finding in report.findings]


def _without_place(finding: Finding) -> Finding:
    """Columns and ends come from the syntax, after the analysis."""
    return replace(finding, column=0, end_line=None, end_column=None)


@pytest.mark.parametrize("name", ["fusion", "particles", "sparse", "streams"])
def test_counts_rule_out_no_finding(name: str) -> None:
    text = (FIXTURES / f"{name}.py").read_text(encoding="utf-8")
    assert findings(text, True) == by_all_traffic(text)


@pytest.mark.parametrize("code", [c for c in CODES if not c.startswith(("RFL0", "RFL9"))])
def test_it_rules_out_no_finding_of_the_examples_of_a_code(code: str) -> None:
    for text in map(dedent, (CODES[code].bad, CODES[code].good)):
        assert findings(text, True) == by_all_traffic(text)


def refuse_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the classes of the cache model were asked")

    monkeypatch.setattr("roofscan.pipeline.stages.with_reuse", refuse)


@pytest.mark.parametrize("text", [NO_FLOPS, ON_A_GPU, CALLS_UNKNOWN, OF_NUMBERS, FEW])
def test_without_prospects_there_is_no_cache_model(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not by_all_traffic(text)
    refuse_classes(monkeypatch)
    assert not findings(text, True)
    assert "AssertionError" in findings(STREAM, True)[0].message


def test_a_kernel_of_another_kind_of_machine_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofscan.pipeline.driver.count_kernel", lambda *_: 1 / 0)
    assert not findings(ON_A_GPU, True)
    assert "ZeroDivisionError" in findings(STREAM, True)[0].message


@pytest.mark.parametrize("text", [MOVES_DATA, GATHERS, SMALL_TEMPORARIES, WORK_ELSEWHERE, GATHER])
def test_traffic_may_tell_that_there_is_nothing(text: str) -> None:
    assert not [f for f in by_all_traffic(text) if is_default(f.code)]
    assert not findings(text, True)


def test_findings_take_no_size_path_that_only_the_report_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of single symbols only tiles decide on a verdict; the report says it of trips too."""
    halved = "        while x[i] > 1.0:\n            x[i] *= 0.5\n"
    added = "        for j in range(len(y)):\n            y[j] += x[i]\n"
    text = f"from numba import njit\n\n@njit\ndef walk(x, y):\n    for i in range(len(x)):\n{halved}{added}"
    asked: list[str] = []

    def noted(flops: Expr, ridge: Number, road: TrafficCurve, capacity: int) -> MemoryBoundSizes | None:
        asked.append(road.path.others)
        return memory_bound_sizes(flops, ridge, road, capacity)

    monkeypatch.setattr("roofscan.roofline.interfaces.memory_bound_sizes", noted)
    findings(text, True)
    assert set(asked) == {"grow"}
    findings(text, False)
    assert set(asked) == {"grow", "fixed"}
