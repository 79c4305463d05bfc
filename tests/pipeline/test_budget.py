"""Analyses end by steps, not by the clock; what was cut short says so and is never kept."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Thread

import pytest

from roofscan.api import analyze_source
from roofscan.budget import Budget, BudgetExceeded, spend
from roofscan.cache.lookup import check
from roofscan.cache.store import Store
from roofscan.config.options import Options
from roofscan.config.run_config import load_run_config
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.pipeline import driver
from roofscan.pipeline.driver import FileAnalysis
from roofscan.report.json_ import render_json

STRIDED = """
from numba import njit

@njit
def columns(A, B):
    n, m = A.shape
    for j in range(m):
        for i in range(n):
            B[i, j] = 2.0 * A[i, j]
"""
FIXTURES = Path(__file__).parents[2] / "fixtures"


def test_a_budget_ends_at_its_steps() -> None:
    budget = Budget(10)
    budget.spend(10)
    with pytest.raises(BudgetExceeded) as stop:
        budget.spend(1)
    assert stop.value.budget is budget and not stop.value.by_clock


def test_what_is_spent_inside_is_spent_outside_too() -> None:
    outer = Budget(100)
    with outer.in_force():
        inner = Budget(1000)
        with pytest.raises(BudgetExceeded) as stop:
            inner.spend(200)
    assert stop.value.budget is outer
    assert inner.spent == 200


def test_a_budget_is_in_force_in_its_own_thread_alone() -> None:
    budget = Budget(10)
    with budget.in_force():
        other = Thread(target=spend, args=(1000,))
        other.start()
        other.join()
        spend(4)
    spend(1000)
    assert budget.spent == 4


def test_the_clock_ends_what_takes_few_steps() -> None:
    budget = Budget(10**9, seconds=0.0)
    with pytest.raises(BudgetExceeded) as stop:
        for _ in range(10_000):
            budget.spend(1)
    assert stop.value.by_clock


@pytest.mark.parametrize("options", [Options(steps=300), Options(seconds=0.0)])
def test_what_is_cut_short_is_not_kept(tmp_path: Path, options: Options) -> None:
    """By steps or by the clock: the next run, which has more of them, finds what there is."""
    store = Store(str(tmp_path / "cache"))
    assert not check(STRIDED, "k.py", options, store=store).findings
    found = check(STRIDED, "k.py", Options(), store=store).findings
    assert found == check(STRIDED, "k.py", Options()).findings and found


def test_what_is_cut_short_leaves_the_other_kernels_of_the_file_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = STRIDED + STRIDED.replace("columns", "others").replace("from numba import njit\n", "")
    seen: list[str] = []
    original = driver.analyze_kernel

    def analyze(module: object, candidate: object, setting: object, steps: int) -> object:
        seen.append(candidate.name)  # type: ignore[attr-defined]
        return original(module, candidate, setting, 300 if candidate.name == "others" else steps)  # type: ignore

    monkeypatch.setattr(driver, "analyze_kernel", analyze)
    store = Store(str(tmp_path / "cache"))
    check(source, "k.py", Options(), store=store)
    check(source, "k.py", Options(), store=store)
    assert seen == ["columns", "others", "others"]


def test_a_kernel_that_takes_too_many_steps_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*args: object) -> object:
        while True:
            spend()

    monkeypatch.setattr("roofscan.pipeline.facts.lower", endless)
    [kernel] = analyze_source(STRIDED, "k.py", Options(steps=1000)).kernels
    assert kernel.cut_short and "budget" in kernel.kernel.reasons[0].message
    [kernel] = analyze_source(STRIDED, "k.py", Options(seconds=0.05, steps=10**9)).kernels
    assert kernel.cut_short and "0.05 s of CPU time" in kernel.kernel.reasons[0].message


def test_layer_conditions_beyond_the_budget_leave_the_traffic(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(report: object) -> object:
        while True:
            spend()

    monkeypatch.setattr("roofscan.roofline.gpu.layers.conditions_of", endless)
    [kernel] = analyze_source(STRIDED, "k.py", Options(layers=True)).kernels
    [report] = kernel.reports
    assert kernel.cut_short and report.notes[-1] == driver.LEFT_OUT
    assert all(level.traffic for level in report.levels) and not report.steps


def test_a_file_s_kernels_share_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "FILE_STEPS", 1000)
    monkeypatch.setattr(driver, "LEAST_STEPS", 50)
    given: list[int] = []

    def analyze(module: object, candidate: object, setting: object, steps: int) -> object:
        given.append(steps)
        return driver.KernelResult(None, (), steps=steps)  # type: ignore[arg-type]

    monkeypatch.setattr(driver, "analyze_kernel", analyze)
    module = read_module(STRIDED, "k.py")
    [candidate] = find_candidates(module, plain=False).candidates
    analysis = FileAnalysis(module, load_run_config(Options()))
    for _ in range(6):
        analysis.of(candidate)
    assert given == [500, 250, 125, 62, 50, 50]


@pytest.mark.parametrize("name", ["stencils.py", "fusion.py", "streams.py"])
def test_a_machine_ten_times_slower_says_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (FIXTURES / name).read_text()
    options = Options(kernels="all", layers=True, seconds=60.0)
    here = render_json([k.reports for k in analyze_source(text, name, options).kernels], [{}])
    for clock in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        original = getattr(time, clock)
        monkeypatch.setattr(time, clock, lambda original=original: original() * 10)
    slower = render_json([k.reports for k in analyze_source(text, name, options).kernels], [{}])
    assert here == slower
