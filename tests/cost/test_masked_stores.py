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

from roofscan.api import FileReport, Options, analyze_file
from roofscan.cost.result import BodyWork, Masks

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
