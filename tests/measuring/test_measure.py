"""``roofscan measure``: arguments from a bound report, a process of its own, times beside the expected ones."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.cli import main
from roofscan.cli.errors import UsageError
from roofscan.cli.measure_command import bindings
from roofscan.errors import AnalysisError
from roofscan.measuring import timer
from roofscan.measuring.arguments import Argument, arguments_of
from roofscan.measuring.child import UNKNOWN_NUMBER, made
from roofscan.measuring.run_kernel import Setup, run_kernel
from roofscan.measuring.timer import times
from roofscan.parse.reader.facts import parse_facts

KERNEL = """\
import os

import numpy as np


def scaled(x, index, n, factor=2.0):
    total = 0.0
    for i in range(n):
        total += factor * x[index[i]]
    return total


def sampled(x, y, factor, start):
    for i in range(len(y)):
        if i * factor < start:
            y[i] = x[i] + x[0]
        elif y[i] > 0:
            y[i] = x[i * factor]
        y[i] += x[i % factor]
        for k in range(i, len(y)):
            for j in range(i + 1, k):
                y[k] += x[i * factor + 2]


def blocked(x, y, factor):
    for i in range(len(y)):
        for k in range(factor):
            y[i] += x[i * factor + k]


def count_votes(votes):
    total = 0
    for i in range(len(votes)):
        if votes[i] > 3:
            total += 1
    return total


def windows(votes):
    total = 0
    for i in range(len(votes)):
        near = votes[max(i - 2, 0):i + 1].copy()
        for k in range(len(near)):
            total += near[k]
    return total


def endless(x):
    while True:
        pass


def exits(x):
    raise SystemExit(0)


def aborts(x):
    os.abort()


def leaves(x):
    os._exit(0)


def chatty(x, *, y):
    print("no JSON", end="")
    for i in range(len(x)):
        y[i] = x[i]


def failing(x):
    raise ValueError("no such thing")


def prepared():
    return np.ones(4), np.zeros(4, np.int64), 4


def sized(n):
    return {"x": np.ones(2 * n), "index": np.zeros(n, np.int64), "n": n}


def nothing():
    return None


def one():
    return np.ones((3, 4))
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    file = tmp_path / "kernels.py"
    file.write_text(KERNEL, encoding="utf-8")
    return str(file)


def arguments(bind: str, function: str = "scaled") -> list[Argument]:
    options = Options(kernels="all", bind=bind)
    kernels = analyze_source(KERNEL, "kernels.py", options, functions=(function,)).kernels
    return arguments_of(kernels[0].reports[0].cost, parse_facts(bind))


def test_arguments_follow_the_binding() -> None:
    x, index, n, factor = arguments("x=f4[50] index=i8[20] n=20 factor=3.0")
    assert (x.dtype, x.shape, index.dtype, index.shape) == ("float32", (50,), "int64", (20,))
    assert (n.value, factor.value) == (20, 3)
    assert index.below == 50


def test_integers_that_index_nothing_are_not_all_zero() -> None:
    assert arguments("votes=i8[20]", "count_votes")[0].below == 1000
    assert arguments("votes=i8[20]", "windows")[0].below == 1000, "beside an array whose length differs"


def test_values_have_the_type_that_is_said_and_the_default_where_nothing_is() -> None:
    bind = "x=f8[4] a=f4:2.5 b=c16 c=2+1j d=None e='left' f=(3,4) g=f4"
    source = "def k(x, a, b, c, d, e, f, g, h=7.0):\n    for i in range(len(x)):\n        x[i] = a * b * c * g * h\n"
    kernel = analyze_source(source, options=Options(kernels="all", bind=bind)).kernels[0]
    values = made([s.data for s in arguments_of(kernel.reports[0].cost, parse_facts(bind))])[1:]
    assert values == [2.5, UNKNOWN_NUMBER, 2 + 1j, None, "left", (3, 4), np.float32(UNKNOWN_NUMBER), UNKNOWN_NUMBER]
    assert list(map(type, values[:3])) == [np.float32, np.complex128, np.complex128]


def test_a_default_that_is_not_bound_is_left_to_the_kernel(source: str) -> None:
    found = run_kernel(source, "scaled", arguments("x=f8[50] index=i8[20] n=20"), 60.0)
    assert found.binding.endswith("factor=2.0")


def test_free_sizes_are_named() -> None:
    with pytest.raises(AnalysisError, match="bind n"):
        arguments("x=f8[50] index=i8[20]")


def test_sizes_that_lead_beyond_an_array_are_refused() -> None:
    assert arguments("x=f8[512] y=f8[128] factor=4", "blocked")
    with pytest.raises(AnalysisError, match="goes beyond the 511 elements of x at these sizes; bind others"):
        arguments("x=f8[511] y=f8[128] factor=4", "blocked")


def test_what_tests_and_empty_loops_keep_inside_is_measured() -> None:
    """The innermost loop ends two iterations before the last ones; a test of data may keep all others inside."""
    assert arguments("x=f8[31] y=f8[10] factor=4 start=40", "sampled")
    with pytest.raises(AnalysisError, match="beyond the 30 elements"):
        arguments("x=f8[30] y=f8[10] factor=4 start=40", "sampled")


def test_arrays_are_made_as_described() -> None:
    fortran = Argument("a", "array", "float64", (3, 4), True)
    index = Argument("i", "array", "uint8", (100,), below=7)
    flags = Argument("m", "array", "bool", (5,))
    a, i, m, v = made([s.data for s in (fortran, index, flags, Argument("v", "value", value=3))])
    assert a.flags.f_contiguous and a.shape == (3, 4) and 0.5 <= a.min() <= a.max() <= 1.5
    assert i.dtype == np.uint8 and i.max() < 7
    assert m.dtype == np.bool_ and v == 3


def test_times_are_sorted_and_positive() -> None:
    found = times(lambda: math.sqrt(2.0), 0.05)
    assert found == sorted(found) and 0 < found[0] < 1e-5 and len(found) >= 5


def test_a_kernel_runs_in_a_process_of_its_own(source: str) -> None:
    found = run_kernel(source, "scaled", arguments("x=f8[50] index=i8[20] n=20 factor=3.0"), 60.0)
    assert 0 < found.least <= found.median and found.runs >= 5


def test_threads_of_a_kernel_have_cores_of_their_own(tmp_path: Path) -> None:
    """Two of them on one core took 4 ms of turns for a region of 3 microseconds while other programs ran."""
    file = tmp_path / "settings.py"
    file.write_text("import os\n\ndef told(n):\n    assert os.environ['OMP_PROC_BIND'] == 'true'\n")
    assert run_kernel(str(file), "told", [Argument("n", "value")], 60.0).runs >= 5


def test_an_interrupted_call_does_not_say_how_many_make_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    taken = iter([0.004])

    def elapsed(call: object, repeats: int) -> float:
        asked.append(repeats)
        return next(taken, 4e-6 * repeats)

    monkeypatch.setattr(timer, "elapsed", elapsed)
    assert times(lambda: None, 0.001)[0] == pytest.approx(4e-6)
    assert asked[-1] == 50


def test_a_setup_makes_the_arguments(source: str) -> None:
    assert run_kernel(source, "scaled", [], 60.0, Setup(f"{source}:prepared")).least > 0


def test_an_endless_kernel_is_stopped(source: str) -> None:
    with pytest.raises(AnalysisError, match="more than 3 s"):
        run_kernel(source, "endless", [Argument("x", "value")], 3.0)


def test_what_a_kernel_raises_is_told(source: str) -> None:
    with pytest.raises(AnalysisError, match="ValueError: no such thing; make its arguments with --setup"):
        run_kernel(source, "failing", [Argument("x", "value")], 60.0)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("exits", "exits failed: SystemExit: 0; make its arguments"),
        ("aborts", r"aborts crashed \(SIGABRT\)"),
        ("leaves", "leaves ended the process with exit code 0; take that out"),
        ("no_such", "has no no_such"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals have no names there")
def test_a_kernel_that_ends_the_process(source: str, function: str, told: str) -> None:
    with pytest.raises(AnalysisError, match=told):
        run_kernel(source, function, [Argument("x", "value")], 60.0)


def test_what_a_kernel_prints_is_no_result(source: str, capfd: pytest.CaptureFixture[str]) -> None:
    made = [Argument(name, "array", "float64", (4,)) for name in ("x", "y")]
    assert run_kernel(source, "chatty", made, 60.0).runs >= 5
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("maker", "told"),
    [
        ("nothing", "nothing failed: ValueError: it returned None; return the arguments as a tuple, or as a dict"),
        ("one", "cannot be called with what .*:one made: TypeError: missing a required argument: 'index'"),
        ("no_such", "no_such failed: LookupError: .* has no no_such"),
        ("failing", "failing failed: TypeError"),
    ],
)
def test_a_setup_that_makes_no_call(source: str, maker: str, told: str) -> None:
    with pytest.raises(AnalysisError, match=told):
        run_kernel(source, "scaled", [], 60.0, Setup(f"{source}:{maker}"))


def test_a_module_of_a_package_may_import_from_it(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "other.py").write_text("def twice(x):\n    return 2.0 * x\n")
    file = tmp_path / "pack" / "k.py"
    file.write_text("from .other import twice\n\n\ndef k(x):\n    return twice(x)\n")
    assert run_kernel(str(file), "k", [Argument("x", "value", value=1.0)], 60.0).runs >= 5


def test_the_sizes_are_those_that_a_setup_made(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["measure", f"{source}::scaled", "--setup", f"{source}:sized", "--format", "json"]
    assert main([*command, "--bind", "n=100:400"]) == 0
    rows = json.loads(capsys.readouterr().out)["measurements"]
    assert [(r["flops"], r["bind"]) for r in rows[::6]] == [
        (200, "x=f8[200] index=i8[100] n=100 factor=2.0"),
        (800, "x=f8[800] index=i8[400] n=400 factor=2.0"),
    ]
    assert main([*command, "--bind", "n=100 x=f8[200]"]) == 2
    assert "makes x; take it out of --bind" in capsys.readouterr().err


def test_a_setup_is_a_function_of_a_file(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    for setup, told in ((source, "is not FILE.py:FUNCTION"), ("no.py:f", 'there is no file "no.py"')):
        assert main(["measure", f"{source}::scaled", "--setup", setup]) == 2
        assert told in capsys.readouterr().err


def test_a_module_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text("import no_such_module\n\n\ndef k(x):\n    return x\n")
    with pytest.raises(AnalysisError, match="needs the module no_such_module; install it"):
        run_kernel(str(tmp_path / "k.py"), "k", [], 60.0)


def test_a_range_of_sizes() -> None:
    logarithmic = list(bindings("x=f8[n] n=100:100000000:log"))
    assert logarithmic == [f"x=f8[n] n={10**k}" for k in range(2, 9)]
    assert [b.rpartition("=")[2] for b in bindings("n=1:7")] == list("1234567")
    assert list(bindings("x.shape[0]=1:7 m=2:14"))[3] == "x.shape[0]=4 m=8"
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
