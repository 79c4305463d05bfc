"""``report --measured``: measured beside predicted in every format, and what belongs to no kernel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofscan.cli import main

DATA = Path(__file__).parents[1] / "counters" / "data"

SOLVER = """
from numba import njit

@njit
def jacobi(u, v):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

@njit
def scaled(x, a):
    for i in range(x.shape[0]):
        x[i] = a * x[i]
"""


@pytest.fixture
def solver(tmp_path: Path) -> str:
    file = tmp_path / "solver.py"
    file.write_text(SOLVER)
    return str(file)


def report(*words: str) -> int:
    return main(["report", *words])


def test_measured_figures_stand_beside_the_predicted(solver: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(solver, "--measured", str(DATA / "plain.csv"), "--format", "json") == 0
    printed = capsys.readouterr()
    jacobi, scaled = json.loads(printed.out)["kernels"]
    first, second = jacobi["measured"]
    assert first["sizes"] == {"n": 10000, "m": 10000} and "measured" not in scaled
    assert first["seconds"]["measured"] == 0.12045 and first["seconds"]["predicted"] > first["seconds"]["at_least"] > 0
    assert first["flops"] == {"measured": 399840016, "predicted": 4 * 9998 * 9998}
    assert first["bytes"]["DRAM"]["measured"] == 2.4e9
    assert first["bytes"]["DRAM"]["predicted"] == pytest.approx(2.4e9, rel=0.01)
    assert second["bytes"]["L2"]["measured"] == 4.1e7 and second["bytes"]["DRAM"]["measured"] is None
    assert printed.err.count("elsewhere") == 1 and "no reported kernel is called" in printed.err


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_format_for_people_has_the_table(solver: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(solver, "--measured", str(DATA / "plain.csv"), "--format", form) == 0
    printed = capsys.readouterr().out
    assert "measured by" in printed and "120 ms" in printed and "m = 10000, n = 10000" in printed


def test_a_file_without_names_is_of_the_only_kernel(solver: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(f"{solver}::jacobi", "--measured", str(DATA / "perf.csv")) == 0
    assert "perf stat" in capsys.readouterr().out
    assert report(solver, "--measured", str(DATA / "perf.csv")) == 0
    assert "perf.csv names no kernel; write --measured KERNEL=" in capsys.readouterr().err
    assert report(solver, "--measured", f"jacobi@10={DATA / 'perf.csv'}") == 0
    assert "121 ms" in capsys.readouterr().out


def test_several_files_and_machines(solver: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--measured", str(DATA / "plain.csv"), "--measured", str(DATA / "likwid_regions.csv")]
    machines = ["--machine", "xeon-6248r", "--machine", "generic-x86-64"]
    assert report(solver, *files, *machines, "--bind", "n=10000 m=10000") == 0
    printed = capsys.readouterr()
    assert "LIKWID" in printed.out and "measured by (xeon-6248r)" in printed.out
    assert '"setup"' in printed.err and '"elsewhere"' in printed.err


def test_columns_that_are_no_symbols_are_named(solver: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.csv").write_text("kernel,seconds,threads\nscaled,1,4\n")
    assert report(solver, "--measured", str(tmp_path / "m.csv")) == 0
    assert 'm.csv:2: "threads" is not a symbol of scaled; it is left out' in capsys.readouterr().err


def test_sizes_that_nothing_tells_are_asked_for(solver: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"{solver}::jacobi", "--measured", str(DATA / "perf.csv")]
    assert report(*words) == 0
    assert "jacobi: the measured sizes are not known; bind m, n with --bind" in capsys.readouterr().err
    assert report(*words, "--bind", "n=1000 m=1000") == 0
    assert not capsys.readouterr().err


def test_a_bad_file_is_a_usage_error(solver: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.csv").write_text("kernel,seconds\nscaled,soon\n")
    assert report(solver, "--measured", str(tmp_path / "m.csv")) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "m.csv:2:" in line and "correct it" in line


def test_kernels_on_a_gpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gpu.py"
    file.write_text(
        "from numba import cuda\n\n@cuda.jit\ndef copy1d(a, b):\n    i = cuda.grid(1)\n"
        "    if i < a.shape[0]:\n        b[i] = a[i]\n"
    )
    measured = ["--measured", str(DATA / "nsight_raw.csv"), "--machine", "h200", "--format", "json"]
    assert report(str(file), *measured) == 0
    [copy] = json.loads(capsys.readouterr().out)["kernels"]
    [found] = copy["measured"]
    assert found["calls"] == 2 and found["seconds"]["measured"] == pytest.approx(277.536e-6, rel=1e-3)
    assert sum(level["measured"] is not None for level in found["bytes"].values()) == 3


def test_the_chart_has_the_measured_points(solver: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plain, measured = tmp_path / "plain.svg", tmp_path / "measured.svg"
    assert report(solver, "--format", "svg", "--output", str(plain)) == 0
    words = ["--measured", str(DATA / "plain.csv"), "--format", "svg", "--output", str(measured)]
    assert report(solver, *words) == 0
    assert len(measured.read_text()) > len(plain.read_text())
