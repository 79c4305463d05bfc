"""The rules of `cost/machine_code.py` against what Numba makes of the loops of `compiled_loops.py`: each is said to be
vector or scalar code, and is. Vector code has contiguous packed loads or stores in a loop, and that loop runs: the
function is faster than without the vectorizer. Packed types alone prove nothing, as gathers of four lanes are as slow
as scalar code, and a loop may stand behind a test (of a stride, of overlap) that fails. Needs Numba on x86-64."""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roofscan.api import Options, analyze_file

pytest.importorskip("numba", reason="compiles loops with Numba")

import numba

from roofscan.measuring.quiet_timer import timed
from tests.cost import compiled_loops

FILE = Path(compiled_loops.__file__)
FASTER = 1.2
_EXAMPLE = re.compile(
    r"# (vector|scalar: (?P<reason>[^;\n]+))(; known: (?P<known>[^\n]+))?\n@njit[^\n]*\ndef (?P<name>\w+)"
)
_LABEL, _JUMP = re.compile(r"(\.\w+):"), re.compile(r"\s+j\w+\s+(\.\w+)")
_PACKED = re.compile(r"v?(mov[au]p[ds]|(add|sub|mul|div|max|min|sqrt|fn?m(add|sub)\d+)p[ds])\s.*\(")

pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the rules are of x86-64")


def examples() -> Iterator[Any]:
    for found in _EXAMPLE.finditer(FILE.read_text(encoding="utf-8")):
        known = [pytest.mark.xfail(reason=found["known"], strict=True)] if found["known"] else []
        yield pytest.param(found["name"], found["reason"], marks=known, id=found["name"])


def innermost_loops(assembly: str) -> Iterator[list[str]]:
    """The lines between a label and a jump back to it, without labels between them."""
    lines = assembly.splitlines()
    labels = {found[1]: n for n, line in enumerate(lines) if (found := _LABEL.match(line))}
    for n, line in enumerate(lines):
        found = _JUMP.match(line)
        if found and labels.get(found[1], n) < n:
            body = lines[labels[found[1]] + 1 : n]
            if not any(_LABEL.match(inside) for inside in body):
                yield body


def is_vector_code(function: Any) -> bool:
    """Whether a loop of the compiled function loads or stores contiguous vectors, and runs."""
    given = compiled_loops.arguments(inspect.signature(function.py_func).parameters)
    function(*given)
    [assembly] = function.inspect_asm().values()
    packed = any(_PACKED.search(line) for body in innermost_loops(assembly) for line in body)
    return packed and _without_vectorizer(function, given) > FASTER * timed(lambda: function(*given), 30).seconds


def _without_vectorizer(function: Any, given: list[Any]) -> float:
    before = numba.config.LOOP_VECTORIZE
    numba.config.LOOP_VECTORIZE = 0
    try:
        plain = numba.njit(**{k: v for k, v in function.targetoptions.items() if k in ("fastmath", "error_model")})
        return timed(_called(plain(function.py_func), given), 30).seconds
    finally:
        numba.config.LOOP_VECTORIZE = before


def _called(function: Any, given: list[Any]) -> Any:
    return lambda: function(*given)


@pytest.mark.parametrize(("name", "reason"), [*examples()])
def test_the_rule_is_what_numba_does(name: str, reason: str | None) -> None:
    cost = analyze_file(str(FILE), Options(kernels="all"), [name]).kernels[0].reports[0].cost
    [*_, body] = (cost.fused or cost).nests[-1].bodies
    made = "vector code" if is_vector_code(getattr(compiled_loops, name)) else "scalar code"
    where = f"Numba {numba.__version__} for {numba.core.codegen.ll.get_host_cpu_name()}"
    assert body.scalar_because == reason
    assert made == ("scalar code" if reason else "vector code"), f"{where} makes {made} of {name}"
