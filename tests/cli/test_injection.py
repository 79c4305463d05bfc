"""Nothing that roofscan reads is ever run: code fed through every door leaves no trace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import roofscan as package
from tests.cli.conftest import AXPY, Command

TRACE = "trace-of-an-attack"
CALL = f"__import__('os').system('touch {TRACE}')"
PATHLIKE = f"__import__('pathlib').Path('{TRACE}').touch()"
PAYLOADS = (
    CALL,
    PATHLIKE,
    f"[{CALL}]",
    f"f8[{CALL}]",
    f'exec("{CALL}")',
    f"${{{CALL}}}",
    f"$(touch {TRACE})",
)
FORMATS = ("text", "json", "markdown", "svg")


@pytest.fixture(autouse=True)
def no_trace(tmp_path: Path) -> Iterator[None]:
    yield
    assert not list(tmp_path.rglob(TRACE))


@pytest.mark.parametrize("form", FORMATS)
def test_source(roofscan: Command, form: str) -> None:
    roofscan.write(
        "k.py",
        f"""\
import numba
import numpy as np
{CALL}
SIZE = {CALL}
N = 4 if {CALL} else 5


@numba.njit("void(f8[:], {CALL})", cache={CALL})
def signed(x: "{CALL}", n: np.ndarray[{CALL}] = {CALL}) -> "{CALL}":
    for i in range(len(x)):
        x[i] *= {CALL}
    return eval("{CALL}")


@numba.guvectorize(["{CALL}"], "(n),({CALL})->()")
def laid_out(x, y, z):
    z[0] = x[0] * SIZE


@(lambda f: {CALL})
def wrapped(x):
    for i in range({CALL}):
        x[i] = {CALL} + N


class Hidden(metaclass={CALL}):
    @numba.njit(locals={{"t": "{CALL}"}})
    def method(self, x=[{CALL} for _ in range(3)]):
        for i in range(3):
            x[i] += 1.0
""",
    )
    assert roofscan("report", "k.py", "--format", form).code in (0, 2)
    assert roofscan("check", "k.py", "--kernels", "all").code in (0, 1)


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("before", ["", "n=", "x=", "x=f8[", "q "])
def test_pragma(roofscan: Command, before: str, payload: str) -> None:
    roofscan.write("k.py", AXPY.replace("@njit", f"# roofscan: {before}{payload}\n@njit"))
    assert roofscan("check", "k.py").code == 1
    assert roofscan("report", "k.py").code == 0


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("before", ["", "n=", "x=", "x=f8[", "a=1 "])
def test_bind(roofscan: Command, before: str, payload: str) -> None:
    roofscan.write("k.py", AXPY)
    assert roofscan("report", "k.py", "--bind", before + payload).code == 2


@pytest.mark.parametrize("option", ["--machine", "--cache", "--line", "--format", "--kernels", "--max-bytes"])
@pytest.mark.parametrize("payload", PAYLOADS)
def test_options(roofscan: Command, option: str, payload: str) -> None:
    roofscan.write("k.py", AXPY)
    assert roofscan("report", "k.py", option, payload).code == 2


@pytest.mark.parametrize("payload", PAYLOADS)
def test_function_and_path(roofscan: Command, payload: str) -> None:
    roofscan.write("k.py", AXPY)
    assert roofscan("report", f"k.py::{payload}").code == 2
    assert roofscan("report", payload).code == 2
    assert roofscan("explain", payload).code == 2
    assert roofscan("machine", "show", payload).code == 2
    assert roofscan("check", "k.py", "--select", payload).code == 2


@pytest.mark.parametrize("key", ["machine", "bind", "select", "kernels", "line", "exclude"])
@pytest.mark.parametrize("payload", PAYLOADS)
def test_config(roofscan: Command, key: str, payload: str) -> None:
    roofscan.write("k.py", AXPY)
    roofscan.write("pyproject.toml", f"[tool.roofscan]\n{key} = '''{payload}'''\n")
    assert roofscan("check", "k.py").code == (0 if key == "exclude" else 2)
    assert roofscan("report", "k.py").code == (0 if key == "exclude" else 2)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_machine_file(roofscan: Command, payload: str) -> None:
    roofscan.write("k.py", AXPY)
    roofscan.write("m.toml", f"name = '''{payload}'''\nkind = '''{payload}'''\ncores = '''{payload}'''\n")
    assert roofscan("report", "k.py", "--machine", "m.toml").code == 2


def test_the_api_builds_its_sympy_expressions_without_evaluating_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"""\
from numba import njit


@njit
def f(x, lambda_, S, I, E, oo, pi):
    for i in range(S):
        x[i] = x[i] * E + I
    return "{CALL}"
"""
    [report] = package.analyze_source(source)
    assert report.flops is not None
    assert report.flops.free_symbols
    assert {str(symbol) for symbol in report.flops.free_symbols} <= set(report.symbols)
    assert report.to_dict()["name"] == "f"
