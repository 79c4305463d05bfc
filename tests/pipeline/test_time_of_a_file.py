"""The time of a file is shared by its kernels: none that takes long leaves nothing for those after it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roofscan.api import analyze_source, load_run_config
from roofscan.config.options import Options
from roofscan.config.run_config import RunConfig
from roofscan.parse.reader.find import Candidate, find_candidates
from roofscan.parse.reader.module import Module, read_module
from roofscan.pipeline import driver
from roofscan.pipeline.driver import KernelResult, analyze_kernels

KERNEL = """
@njit
def {name}(x):
{lines}    for i in range(x.shape[0]):
        x[i] *= 2.0
"""
LINES = {"longest": 3, "short": 0, "longer": 1, "quick": 0}
SOURCE = "from numba import njit\n" + "".join(
    KERNEL.format(name=name, lines="    x[0] = 1.0\n" * lines) for name, lines in LINES.items()
)


CANDIDATES = find_candidates(read_module(SOURCE, "kernels.py"), plain=False).candidates
SETTING = load_run_config(Options(seconds=2.5))
[SOME] = analyze_source("from numba import njit\n" + KERNEL.format(name="k", lines="")).kernels


class Clock:
    """CPU time that passes as kernels are analysed: 0.01 s for the quick one, 3 s for another, or what it may take."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.asked: list[tuple[str, float]] = []
        monkeypatch.setattr(driver, "analyze_kernel", self.analyze)
        monkeypatch.setattr(driver, "process_time", lambda: self.now)

    def analyze(self, module: Module, candidate: Candidate, setting: RunConfig) -> KernelResult:
        seconds, needed = setting.options.seconds, 0.01 if candidate.name == "quick" else 3.0
        self.asked.append((candidate.name, round(seconds, 2)))
        self.now += min(needed, seconds)
        return replace(SOME, cut_short=needed > seconds)


def test_a_kernel_gets_some_even_shares_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    many = [next(c for c in CANDIDATES if c.name == "short")] * 20
    results = analyze_kernels(read_module(SOURCE, "kernels.py"), many, SETTING, 0.0)
    assert [seconds for _, seconds in clock.asked[:3]] == [1.6, round(4 * 6.4 / 19, 2), round(4 * 5.05 / 18, 2)]
    assert all(result.cut_short and result.seconds for result in results)
    assert clock.now < driver.FILE_SECONDS + 20 * driver.LEAST_SECONDS


def test_those_cut_short_get_what_the_others_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    shares = iter([0.5, 0.5, 0.5, 0.5, 4.0, 4.0, 4.0, 0.5])
    monkeypatch.setattr(driver, "seconds_in_file", lambda *_: next(shares))
    results = analyze_kernels(read_module(SOURCE, "kernels.py"), CANDIDATES, SETTING, 0.0)
    assert [name for name, _ in clock.asked[4:]] == ["short", "longer"], "the smallest first; no time for the longest"
    assert [result.cut_short for result in results] == [True, False, False, False]
