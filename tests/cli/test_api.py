"""The public Python API: SymPy expressions, in source order, and errors of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import roofscan
from roofscan.config.options import Options
from tests.cli.conftest import AXPY, OUTSIDE, PLAIN

sympy = pytest.importorskip("sympy")

PRODUCT = """
from numba import njit

@njit
def product(A, B, C):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
"""


def test_figures_are_sympy_expressions() -> None:
    [axpy] = roofscan.analyze_source(AXPY, "k.py")
    assert (axpy.name, axpy.path, axpy.line, axpy.status) == ("axpy", "k.py", 5, "exact")
    assert isinstance(axpy.flops, sympy.Expr)
    [size] = axpy.flops.free_symbols
    assert sympy.simplify(axpy.flops - 2 * size) == 0
    assert set(axpy.operations) == {"add", "mul"}
    assert str(size) in axpy.symbols
    assert axpy.levels[-1].intensity is not None
    assert sympy.N(axpy.levels[0].intensity) == pytest.approx(2 / 24)
    assert axpy.verdict.bound == "memory"
    assert axpy.compulsory is not None and axpy.footprint is not None


def test_figures_hold_at_every_size() -> None:
    [product] = roofscan.analyze_source(PRODUCT)
    memory = product.levels[-1]
    assert memory.load is not None and memory.load.has(sympy.Piecewise)
    for n in (64, 1000, 2040, 2048, 4096):
        bound = product.at(n=n).levels[-1]
        assert memory.load.subs("n", n) == bound.load.subs("n", n)
        assert memory.intensity.subs("n", n) == bound.intensity.subs("n", n)
    assert (product.at(n=1000).levels[-1].status, product.compulsory_status) == ("exact", "exact")
    with pytest.raises(roofscan.AnalysisError, match="no m"):
        product.at(m=3)


def test_printed_expressions_parse_back() -> None:
    [axpy] = roofscan.analyze_source(AXPY)
    assert axpy.flops is not None
    text = axpy.to_dict()["flops"]["expr"]
    names = {str(symbol): symbol for symbol in axpy.flops.free_symbols}
    assert sympy.sympify(text, locals=names) == axpy.flops


def test_plain_functions_are_reported_too() -> None:
    assert [report.name for report in roofscan.analyze_source(AXPY + "\n\n" + PLAIN)] == ["axpy", "scale"]


def test_options_reach_the_analysis() -> None:
    options = Options(machines=("h200", "teaching-scalar"), bind="x=f8[10] y=f8[10]")
    [axpy] = roofscan.analyze_source(AXPY, options=options)
    assert axpy.to_dict()["flops"]["value"] == 20
    assert len(axpy.elsewhere) == 1


def test_an_unsupported_kernel_has_no_figures() -> None:
    source = OUTSIDE
    [kernel] = roofscan.analyze_source(source)
    assert kernel.status == "unsupported"
    assert kernel.flops is None and kernel.footprint is None and kernel.compulsory is None
    assert "raised and caught" in kernel.reasons[0]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(AXPY)
    [axpy] = roofscan.analyze_file(path)
    assert axpy.path == str(path)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("def f(:", None, "k.py:1"),
        (AXPY, Options(machines=("nope",)), "nope"),
        (AXPY, Options(bind="x=f9["), "x=f9"),
    ],
)
def test_errors(source: str, options: Options | None, message: str) -> None:
    with pytest.raises(roofscan.AnalysisError, match=message):
        roofscan.analyze_source(source, "k.py", options)


def test_a_missing_file() -> None:
    with pytest.raises(roofscan.AnalysisError, match="missing"):
        roofscan.analyze_file("missing.py")


def test_importing_the_package_is_light() -> None:
    code = "import sys, roofscan; assert not {'libcst', 'sympy', 'networkx', 'rich'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(roofscan.__file__).parents[1]).returncode == 0
