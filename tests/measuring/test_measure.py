"""``roofscan measure``: arguments from a bound report, a process of its own, times beside the expected ones."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.cli import main
from roofscan.cli.errors import UsageError
from roofscan.cli.measure_command import bindings
from roofscan.errors import AnalysisError
from roofscan.measuring.arguments import Argument, arguments_of
from roofscan.measuring.child import made
from roofscan.measuring.run_kernel import run_kernel
from roofscan.measuring.timer import times
from roofscan.parse.reader.facts import parse_facts

KERNEL = """\
import numpy as np


def scaled(x, index, n, factor=2.0):
    total = 0.0
    for i in range(n):
        total += factor * x[index[i]]
    return total


def endless(x):
    while True:
        pass


def failing(x):
    raise ValueError("no such thing")


def prepared():
    return np.ones(4), np.zeros(4, np.int64), 4
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    file = tmp_path / "kernels.py"
    file.write_text(KERNEL, encoding="utf-8")
    return str(file)


def arguments(bind: str) -> list[Argument]:
    options = Options(kernels="all", bind=bind)
    kernels = analyze_source(KERNEL, "kernels.py", options, functions=("scaled",)).kernels
    return arguments_of(kernels[0].reports[0].cost, parse_facts(bind))


def test_arguments_follow_the_binding() -> None:
    x, index, n, factor = arguments("x=f4[50] index=i8[20] n=20 factor=3.0")
    assert (x.dtype, x.shape, index.dtype, index.shape) == ("float32", (50,), "int64", (20,))
    assert (n.value, factor.value) == (20, 3)
    assert index.below == 50


def test_free_sizes_are_named() -> None:
    with pytest.raises(AnalysisError, match="bind n"):
        arguments("x=f8[50] index=i8[20]")


def test_arrays_are_made_as_described() -> None:
    fortran = Argument("a", "array", "float64", (3, 4), True)
    index = Argument("i", "array", "uint8", (100,), below=7)
    flags = Argument("m", "array", "bool", (5,))
    a, i, m, v = made([s.data for s in (fortran, index, flags, Argument("v", "number", value=3))])
    assert a.flags.f_contiguous and a.shape == (3, 4) and 0.5 <= a.min() <= a.max() <= 1.5
    assert i.dtype == np.uint8 and i.max() < 7
    assert m.dtype == np.bool_ and v == 3


def test_times_are_sorted_and_positive() -> None:
    found = times(lambda: math.sqrt(2.0), 0.05)
    assert found == sorted(found) and 0 < found[0] < 1e-5 and len(found) >= 5


def test_a_kernel_runs_in_a_process_of_its_own(source: str) -> None:
    found = run_kernel(source, "scaled", arguments("x=f8[50] index=i8[20] n=20 factor=3.0"), "", 60.0)
    assert 0 < found.least <= found.median and found.runs >= 5


def test_a_setup_makes_the_arguments(source: str) -> None:
    assert run_kernel(source, "scaled", [], f"{source}:prepared", 60.0).least > 0


def test_an_endless_kernel_is_stopped(source: str) -> None:
    with pytest.raises(AnalysisError, match="more than 3 s"):
        run_kernel(source, "endless", [Argument("x", "number")], "", 3.0)


def test_what_a_kernel_raises_is_told(source: str) -> None:
    with pytest.raises(AnalysisError, match="ValueError: no such thing; make its arguments with --setup"):
        run_kernel(source, "failing", [Argument("x", "number")], "", 60.0)


def test_a_module_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text("import no_such_module\n\n\ndef k(x):\n    return x\n")
    with pytest.raises(AnalysisError, match="needs the module no_such_module; install it"):
        run_kernel(str(tmp_path / "k.py"), "k", [], "", 60.0)


def test_a_range_of_sizes() -> None:
    logarithmic = list(bindings("x=f8[n] n=100:100000000:log"))
    assert logarithmic == [f"x=f8[n] n={10**k}" for k in range(2, 9)]
    assert [b.rpartition("=")[2] for b in bindings("n=1:7")] == list("1234567")
    assert list(bindings("n=5")) == ["n=5"]
    with pytest.raises(UsageError, match="FIRST < LAST"):
        list(bindings("n=7:1"))


def test_the_command_prints_measured_beside_expected(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    facts = "x=f8[50] index=i8[20] n=20 factor=3.0"
    assert main(["measure", f"{source}::scaled", "--bind", facts]) == 0
    printed = capsys.readouterr()
    assert "measured" in printed.out and facts in printed.out
    assert "interpreter-bound" in printed.out
    assert "check and report never run" in printed.err


@pytest.mark.parametrize("form", ["csv", "json"])
def test_what_is_written_goes_beside_the_predicted(
    source: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = str(tmp_path / f"measured.{form}")
    facts = "x=f8[n] index=i8[n] n=100:1000 factor=3.0"
    assert main(["measure", f"{source}::scaled", "--bind", facts, "--output", saved]) == 0
    assert main(["report", f"{source}::scaled", "--measured", saved, "--format", "json"]) == 0
    printed = capsys.readouterr()
    [kernel] = json.loads(printed.out)["kernels"]
    assert [m["sizes"]["n"] for m in kernel["measured"]] == [100, 250, 400, 550, 700, 850, 1000]
    assert all(m["tool"] == "roofscan measure" and m["seconds"]["measured"] > 0 for m in kernel["measured"])
    assert kernel["measured"][0]["flops"]["predicted"] == 200
    assert "left out" not in printed.err


def test_the_format_wins_over_the_ending(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    facts = "x=f8[50] index=i8[20] n=20 factor=3.0"
    assert main(["measure", f"{source}::scaled", "--bind", facts, "--format", "csv"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.startswith("kernel,tool,seconds,median,runs") and row.startswith("scaled,roofscan measure,")


def test_a_limit_is_a_time(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", f"{source}::scaled", "--limit", "soon"]) == 2
    assert '"soon" is not a time; write seconds above 0' in capsys.readouterr().err


def test_the_command_wants_one_function(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", source]) == 2
    assert "::FUNCTION" in capsys.readouterr().err
