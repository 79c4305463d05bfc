"""The rules of `cost/compiled/machine_code.py` against what Numba makes of the loops of `compiled_loops.py`: each is
said to be vector or scalar code, and is. In vector code contiguous vectors move nearly all elements, in the loop that
runs. Packed types alone prove nothing, as gathers of four lanes are as slow as scalar code, and a loop may stand behind
a test (of a stride, of overlap) that fails. Needs Numba on x86-64."""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Iterator
from typing import Any

import pytest

from roofscan.api import FileReport, Options, analyze_file

pytest.importorskip("numba", reason="compiles loops with Numba")

import numba

from tests.cost import compiled_loops
from tests.support.vector_accesses import Accesses, accesses, counters_in_compiled_code

FILE = compiled_loops.__file__
_EXAMPLE = re.compile(
    r"# (vector|scalar: (?P<reason>[^;\n]+))(; known: (?P<known>[^\n]+))?\n@njit[^\n]*\ndef (?P<name>\w+)"
)

pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the rules are of x86-64")


def examples() -> Iterator[Any]:
    with open(FILE, encoding="utf-8") as file:
        text = file.read()
    for found in _EXAMPLE.finditer(text):
        known = [pytest.mark.xfail(reason=found["known"], strict=True)] if found["known"] else []
        yield pytest.param(found["name"], found["reason"], marks=known, id=found["name"])


def moved_by(function: Any) -> Accesses:
    given = compiled_loops.arguments(inspect.signature(function.py_func).parameters)
    with counters_in_compiled_code(integers="counts" in inspect.signature(function.py_func).parameters):
        function(*given)
    return accesses(lambda: function(*given))


@pytest.fixture(scope="module")
def analysis() -> FileReport:
    return analyze_file(FILE, Options(kernels="all"))


@pytest.mark.parametrize(("name", "reason"), [*examples()])
def test_the_rule_is_what_numba_does(analysis: FileReport, name: str, reason: str | None) -> None:
    [kernel] = [found for found in analysis.kernels if found.kernel.name == name]
    cost = kernel.reports[0].cost
    [*_, body] = (cost.fused or cost).nests[-1].bodies
    moved = moved_by(getattr(compiled_loops, name))
    where = f"Numba {numba.__version__} for {numba.core.codegen.ll.get_host_cpu_name()}"
    assert body.scalar_because == reason
    assert moved.by_vectors + moved.by_scalars > 0
    assert moved.is_vector_code == (reason is None), f"{where}: {moved} of {name}"
