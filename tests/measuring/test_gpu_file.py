"""The machine file of a measured GPU: its figures are those of a device that is made up."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from roofscan.api import Options, analyze_source
from roofscan.cli import main
from roofscan.machine.files import load_machine
from roofscan.measuring.gpu.machine_file import STEPS, measured_gpu


class MadeUp(SimpleNamespace):
    """An H100 whose memory reads 3 TB/s, writes 2 and copies 2.5."""

    name, capability, multiprocessors, clock = "NVIDIA H100", (9, 0), 132, 1.98e9
    second_cache, shared, threads = 50 << 20, 233_472, 2048

    def stream(self, what: str, size: int) -> float:
        return size / {"read": 3e12, "write": 2e12, "copy": 2.5e12}[what]

    def stream_again(self, size: int) -> float:
        return size / 8e12

    def chase(self, size: int) -> float:
        return (34 if size < 1 << 18 else 265 if size < self.second_cache else 800) / self.clock

    def empty(self) -> float:
        return 2.2e-6

    def dispatch(self, arrays: int) -> float:
        return 6e-6 + arrays * 3e-6


def test_the_file_is_a_machine_that_times_a_launch(tmp_path: Path) -> None:
    file, steps = tmp_path / "gpu.toml", list[str]()
    file.write_text(measured_gpu(MadeUp(), steps.append), encoding="utf-8")
    machine = load_machine(str(file))
    assert machine.gpu is not None and machine.kind == "gpu" and machine.cores == 132
    figures = {key: figure.value for key, figure in machine.gpu.items()}
    assert (figures["dram_read"], figures["dram_write"], figures["start"]) == (3e12, 2e12, 2.2e-6)
    assert [round(figures[f"latency_{level}"]) for level in ("l1", "l2", "dram")] == [34, 265, 800]
    assert figures["dispatch_array"] == pytest.approx(3e-6) and figures["fp64"] == 64
    assert [round(level.bandwidth_all.value / 1e11) for level in machine.levels if level.bandwidth_all] == [335, 80, 25]
    assert all(figure.source for figure in machine.gpu.values()) and len(steps) <= STEPS + 2
    text = "from numba import cuda\n@cuda.jit\ndef f(x, y):\n    i = cuda.grid(1)\n    y[i] = 2.0 * x[i]\n"
    bind = "x=f8[67108864] y=f8[67108864] grid=(262144,) block=(256,)"
    verdict = analyze_source(text, options=Options(machines=(str(file),), bind=bind)).kernels[0].reports[0].verdict
    assert verdict.time.expected == pytest.approx(2**29 / 3e12 + 2**29 / 2e12, rel=0.1)


def test_a_newer_architecture_is_taken_for_the_last_one_known(tmp_path: Path) -> None:
    file = tmp_path / "gpu.toml"
    file.write_text(measured_gpu(MadeUp(capability=(11, 0)), lambda what: None), encoding="utf-8")
    assert load_machine(str(file)).cores == 132


def test_without_a_device_a_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["machine", "measure", "--gpu"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.startswith("roofscan: no GPU is measured: ")


def test_a_numba_that_does_not_fit_is_an_error_of_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(self: object) -> float:
        raise AttributeError("module 'numpy' has no attribute 'row_stack'")

    gpu = MadeUp()
    monkeypatch.setattr(MadeUp, "empty", broken)
    monkeypatch.setitem(sys.modules, "roofscan.measuring.gpu.numba_gpu", SimpleNamespace(NumbaGpu=lambda: gpu))  # type: ignore[arg-type]
    assert main(["machine", "measure", "--gpu"]) == 2
    [line] = [line for line in capsys.readouterr().err.splitlines() if "numba-cuda" in line]
    assert "no attribute 'row_stack'" in line and line.endswith("update numba-cuda and NumPy together")
