"""Plain functions that call compiled kernels one after the other: the loops run compiled, and may be one."""

from __future__ import annotations

from roofscan.api import Options, analyze_source, check_source

KERNELS = """import numpy as np
from numba import njit

@njit
def scale(x, a):
    for i in range(x.shape[0]):
        x[i] = x[i] * a

@njit
def add(x, y, z):
    for i in range(x.shape[0]):
        z[i] = x[i] + y[i]

def plain(x, y, z):
    for i in range(x.shape[0]):
        z[i] = x[i] + y[i]

"""
DRIVER = """def driver(x, y, z):
    scale(x, 2.0)
    add(x, y, z)
"""


def test_calls_of_kernels_that_stream_the_same_arrays() -> None:
    found = [f for f in check_source(KERNELS + DRIVER, "driver.py", Options(kernels="all")) if f.code == "RFL302"]
    assert [f.line for f in found] == [20]
    assert "lines 19 and 20 stream the same arrays (x)" in found[0].detail


def test_the_loops_of_a_compiled_callee_are_not_interpreted() -> None:
    for text, reason in ((DRIVER, ""), (DRIVER.replace("add", "plain"), "interpreter-bound: compile it")):
        [kernel] = analyze_source(KERNELS + text, "driver.py", Options(kernels="all"), functions=["driver"]).kernels
        assert kernel.reports[0].verdict.reason == reason


def test_a_function_that_calls_one_kernel_is_no_kernel() -> None:
    text = DRIVER.replace("    add(x, y, z)\n", "")
    report = analyze_source(KERNELS + text, "driver.py", Options(kernels="all"))
    assert "driver" not in {kernel.kernel.name for kernel in report.kernels}
