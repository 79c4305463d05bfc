"""``roofscan.measure`` with real arguments, and the pytest fixture ``roofline``."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofscan
from roofscan.measuring.real_arguments import binding_of, class_of

pytest_plugins = ["pytester"]


def axpy(y, x, a=2.0):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] += a * x[i]


def test_arguments_bind_the_sizes() -> None:
    given = {
        "x": np.ones((3, 4), np.float32), "f": np.ones((3, 4), order="F"), "i": np.arange(5), "n": 7, "a": 0.5,
        "c": np.float32(0.25), "k": np.int64(3), "flag": True, "z": 1 + 2j, "w": None, "t": (1, 2), "inf": np.inf,
    }  # fmt: skip
    assert binding_of(given).split() == [
        "x=f4[3,4]", "f=f8[3,4]F", "i=i8[5]", "n=7", "a=0.5", "c=f4:0.25", "k=3", "flag=True",
        "z=1+2j", "w=None",
    ]  # fmt: skip


def test_records_bind_their_extents() -> None:
    assert binding_of({"p": np.zeros((3, 2), [("x", "f8"), ("k", "i4")])}) == "p.shape[0]=3 p.shape[1]=2"


def test_calls_alike_are_of_one_class() -> None:
    assert class_of(np.ones(3)) == class_of(np.zeros(3)) != class_of(np.ones(4))
    assert class_of(3) != class_of(4) and class_of(0.5) == class_of(0.7)


def test_a_call_is_counted_exactly() -> None:
    x = np.ones(500)
    found = roofscan.measure(axpy, np.zeros(500), x, a=3.0)
    assert (found.name, found.flops, found.bytes) == ("axpy", 1000, 3 * 500 * 8 + 3 * 8 * 4)
    assert 0 < found.least <= found.median and found.runs >= 5
    assert found.gflops == pytest.approx(1000 / found.least / 1e9)
    assert "y=f8[500] x=f8[500] a=3.0" in str(found)


def test_a_plain_function_has_no_share() -> None:
    found = roofscan.measure(axpy, np.zeros(50), np.ones(50))
    assert found.expected is None and found.limit is None
    with pytest.raises(roofscan.AnalysisError, match=r"axpy has no bound: .*interpreter"):
        _ = found.share


def test_views_are_told() -> None:
    found = roofscan.measure(axpy, np.zeros(100)[::2], np.ones(50))
    assert found.notes == ("y is a view with gaps; its bytes are counted as if it were contiguous.",)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(roofscan.AnalysisError, match="not a Python function"):
        roofscan.measure(len, [1])


class Scaled:
    def run(self, x):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            x[i] *= 2.0


def test_a_method_is_measured() -> None:
    found = roofscan.measure(Scaled().run, np.ones(30))
    assert (found.name, found.flops, found.binding) == ("Scaled.run", 30, "x=f8[30]")


def test_the_machine_is_chosen_by_options() -> None:
    found = roofscan.measure(axpy, np.zeros(5), np.ones(5), options=roofscan.Options(machines=("xeon-6248r",)))
    assert found.report is not None and found.report.machine is not None
    assert found.report.machine.name == "xeon-6248r"


NOTEBOOK = """
import linecache, numpy as np, roofscan
text = '''
FACTOR = 3.0

def twice(x):
    return 2.0 * x

def kernel(x, y):
    for i in range(x.shape[0]):
        y[i] = twice(x[i]) * FACTOR
'''
linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
exec(compile(text, "<cell 1>", "exec"), globals())
print(roofscan.measure(kernel, np.ones(10), np.ones(10)).flops)
"""


def test_a_function_of_a_notebook_is_read_from_its_source() -> None:
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "20"


def test_the_plugin_is_an_entry_point_of_pytest() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nroofscan = "roofscan.pytest_plugin"\n' in text
    assert callable(importlib.import_module("roofscan.pytest_plugin").roofline)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'optoins'"):
        _ = roofscan.optoins  # type: ignore[attr-defined]


def test_measuring_is_loaded_when_it_is_used() -> None:
    program = (
        "import sys, roofscan, roofscan.pytest_plugin\nprint(sorted({'numpy', 'numba', 'sympy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_fixture_roofline(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        """
        import numpy as np

        def scale(x, a):
            for i in range(x.shape[0]):
                x[i] *= a

        def test_counts(roofline):
            assert roofline(scale, np.ones(100), 1.0).flops == 100

        def test_share(roofline):
            assert roofline(scale, np.ones(100), 1.0).share > 0.5
        """
    )
    result = pytester.runpytest_inprocess("-p", "roofscan.pytest_plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*AnalysisError: scale has no bound: *interpreter*"])


def test_the_types_of_the_api_are_complete(tmp_path: Path) -> None:
    file = tmp_path / "user.py"
    file.write_text(
        "import roofscan\n\ndef f(x: float) -> float:\n    return x\n\n"
        "m = roofscan.measure(f, 1.0)\nreveal_type(m.share)\nreveal_type(m.expected)\nreveal_type(m.name)\n"
        "o: roofscan.Options = roofscan.Options(cold=True)\n"
        "with roofscan.watch(o) as w:\n    reveal_type(w.calls)\n"
        "reveal_type(roofscan.analyze_file('a.py')[0].levels[0].ridge)\n"
    )
    root = str(Path(__file__).parents[2])
    mypy = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--follow-imports=silent", str(file)]
    done = subprocess.run(mypy, capture_output=True, text=True, cwd=root, check=False)
    told = [line.partition("is ")[2] for line in done.stdout.splitlines() if "Revealed" in line]
    assert [text.replace("builtins.", "") for text in told[:3]] == ['"float"', '"float | None"', '"str"']
    assert "MeasuredCall" in told[3] and told[4].replace("builtins.", "") == '"float | None"', done.stdout
    assert "error" not in done.stdout, done.stdout


@pytest.mark.parametrize("function", [np.sum, np.dot, np.add, np.linalg.inv])
def test_functions_of_numpy_are_no_kernels(function: Any) -> None:
    with pytest.raises(roofscan.AnalysisError, match="is a function of NumPy; measure a function of yours"):
        roofscan.measure(function, np.ones((3, 3)))
