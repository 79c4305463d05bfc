"""Stores under branches on data, in vector code under masks: what is scalar code without masks for elements of all
sizes, against what Numba makes of the loops of `masked_loops.py` for AVX2."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from roofscan.api import FileReport, Options, analyze_file, analyze_source
from roofscan.cost.result import BodyWork, Masks
from roofscan.symbolic.expr import ONE

FILE = Path(__file__).with_name("masked_loops.py")
LOOPS = re.findall(r"# (vector|scalar|scalar stores)\n@njit\ndef (\w+)", FILE.read_text(encoding="utf-8"))
AVX2 = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+bmi,+bmi2,+fma,+lzcnt,+popcnt,+sse4.2"}


@pytest.fixture(scope="module")
def analysis() -> FileReport:
    return analyze_file(str(FILE), Options(kernels="all"))


def bodies(analysis: FileReport, name: str) -> tuple[BodyWork, ...]:
    [kernel] = [found for found in analysis.kernels if found.kernel.name == name]
    return kernel.reports[0].cost.nests[-1].bodies


@pytest.mark.parametrize(("code", "name"), LOOPS)
def test_what_needs_masks_for_all_elements(analysis: FileReport, code: str, name: str) -> None:
    needed = {body.masks is not None and body.masks.needed for body in bodies(analysis, name)}
    assert needed == {code != "vector"}


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the rules are of x86-64")
def test_numba_does_so_for_avx2() -> None:
    pytest.importorskip("numba", reason="compiles loops with Numba")
    command = [sys.executable, "-m", "tests.cost.masked_loops", *(name for _, name in LOOPS)]
    root = str(FILE.parents[2])
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=root, env={**os.environ, **AVX2, "PYTHONPATH": root}
    )
    assert json.loads(done.stdout) == {name: code != "scalar" for code, name in LOOPS}


def masks(analysis: FileReport, name: str) -> list[Masks]:
    return [body.masks for body in bodies(analysis, name) if body.masks is not None]


def test_a_store_in_one_arm_is_under_a_mask(analysis: FileReport) -> None:
    assert [found.stored for found in masks(analysis, "one_arm")] == [0.0, 8.0]
    assert masks(analysis, "two_arms") == []


BRANCHES = """
import math
from numba import njit


@njit
def nozzle(pressure, flow):
    for i in range(pressure.size):
        if pressure[i] > 0.53:
            flow[i] = math.sqrt(pressure[i])
        else:
            flow[i] = 0.68


@njit
def counted(start, stop, points, inside):
    for i in range(start.size):
        found = 0
        for j in range(points.size):
            if points[j] >= start[i] and points[j] < stop[i]:
                found += 1
        inside[i] = found


@njit
def counted_between(start, stop, points, inside):
    for i in range(start.size):
        found = 0
        least, most = start[i], stop[i]
        for j in range(points.size):
            if points[j] >= least and points[j] < most:
                found += 1
        inside[i] = found
"""


def in_branches(name: str, bind: str) -> list[BodyWork]:
    """The bodies of the innermost loop that a branch holds."""
    [kernel] = analyze_source(BRANCHES, "kernels.py", Options(kernels="all", bind=bind), functions=(name,)).kernels
    found = (body for nest in kernel.reports[0].cost.nests for body in nest.bodies)
    return [body for body in found if body.reached != ONE]


def test_all_iterations_of_vector_code_compute_both_arms() -> None:
    """Timed on Zen 4: roots of half of 2,000 elements take as long as those of all."""
    root = next(b for b in in_branches("nozzle", "pressure=f8[n] flow=f8[n] n=2000") if b.operations)
    assert root.reached * 2000 == root.executions


@pytest.mark.parametrize(("name", "held"), [("counted", 1), ("counted_between", 0)])
def test_what_a_branch_alone_loads_is_gathered(name: str, held: int) -> None:
    """Of ``stop[i]``, which the loop does not move: LLVM may not load it before the loop. 0.36 ns an element, and 0.08
    where it is loaded first."""
    [body] = in_branches(name, "start=f8[n] stop=f8[n] points=f8[m] inside=i8[n] n=50 m=64")
    assert body.held_in_branch == held
