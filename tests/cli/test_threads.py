"""``--threads``: cores that run parallel kernels, what they share, and how evenly they share the work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofscan.cli import main
from roofscan.machine.files import load_machine
from roofscan.machine.threads import on_threads

MACHINE = "xeon-6248r"
KERNELS = """
from numba import njit, prange

@njit(parallel=True)
def triangle(A, out):
    for i in prange(A.shape[0]):
        s = 0.0
        for j in range(i):
            s += A[i, j]
        out[i] = s

@njit(parallel=True)
def square(A, out):
    for i in prange(A.shape[0]):
        s = 0.0
        for j in range(A.shape[1]):
            s += A[i, j]
        out[i] = s

@njit(parallel=True)
def triad(x, y, z):
    for i in prange(len(x)):
        z[i] = x[i] + 3.0 * y[i]
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "kernels.py").write_text(KERNELS)
    return str(tmp_path / "kernels.py")


def seconds(capsys: pytest.CaptureFixture[str], where: str, bind: str, threads: int) -> float:
    words = ["report", where, "--machine", MACHINE, "--bind", bind, "--threads", str(threads), "--format", "json"]
    assert main(words) == 0
    [found] = json.loads(capsys.readouterr().out)["kernels"]
    return float(found["verdict"]["time_seconds"]["expected"]["value"])


@pytest.mark.parametrize(("name", "gain"), [("square", 2.0), ("triangle", 4 / 3)])
def test_the_slowest_thread_takes_the_time(
    name: str, gain: float, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Measured with two threads, 1000 and 2000 rows: squares 1.9 to 2.0 times faster, triangles 1.3 times."""
    one, two = (seconds(capsys, f"{source}::{name}", "A=f8[1000,1000]", threads) for threads in (1, 2))
    assert one / two == pytest.approx(gain, rel=0.05)


def test_a_few_iterations_keep_few_threads_busy(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    nine, eight = (seconds(capsys, f"{source}::square", f"A=f8[{rows},100000]", 8) for rows in (9, 8))
    assert nine / eight == pytest.approx(2.0, rel=0.1)


def test_memory_is_saturated_by_fewer_threads_than_cores(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    machine = load_machine(MACHINE)
    memory = machine.levels[-1]
    assert memory.bandwidth_core is not None and memory.bandwidth_all is not None
    enough = memory.bandwidth_all.value / memory.bandwidth_core.value
    big = "x=f8[100000000] y=f8[100000000] z=f8[100000000]"
    one, some, all_ = (seconds(capsys, f"{source}::triad", big, threads) for threads in (1, 2, machine.cores))
    assert one / some == pytest.approx(2.0, rel=0.15) and 2 < one / all_ <= enough * 1.15 < machine.cores


def test_a_machine_of_all_its_threads_is_itself() -> None:
    machine = load_machine(MACHINE)
    every = on_threads(machine, machine.cores)
    assert every.whole["fp64"].fma.value == pytest.approx(machine.whole["fp64"].fma.value)
    for ours, theirs in zip(every.levels, machine.levels, strict=True):
        if ours.bandwidth_all and theirs.bandwidth_all:
            assert ours.bandwidth_all.value == pytest.approx(theirs.bandwidth_all.value)


def test_no_more_threads_than_cores(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", source, "--machine", MACHINE, "--threads", "99"]) == 2
    assert "xeon-6248r has 24 cores; write at most 24" in capsys.readouterr().err
