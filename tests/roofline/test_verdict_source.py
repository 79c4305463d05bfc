"""Verdicts and findings of real source, through all stages."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import pytest

from roofscan.cost.analyze import cost_kernel
from roofscan.ir.facts import Facts
from roofscan.machine.files import load_machine
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.pipeline.assess import assess
from roofscan.roofline.model import SymbolRanges
from roofscan.rules.codes import CODES
from tests.support.handmade_reports import level_report

GENERIC = load_machine("generic-x86-64")


def reports(source, machine=GENERIC):
    """The report of each kernel of a module, by its name."""
    module = read_module(dedent(source), "kernels.py")
    found = {}
    for candidate in find_candidates(module, plain=True).candidates:
        facts = candidate.pragma or Facts()
        found[candidate.name] = assess(cost_kernel(lower(module, candidate, facts), facts), machine)
    return found


def one(source, machine=GENERIC):
    [report] = reports(source, machine).values()
    return report


AXPY = """
from numba import njit

@njit
def axpy(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]
"""

MATMUL = """
from numba import njit

{above}
@njit{options}
def matmul(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for i in range(n):
        for {outer}:
            for {inner}:
                C[i, j] += A[i, k] * B[k, j]
"""
J, K = "j in range(p)", "k in range(m)"


def matmul(outer, inner, options="", above=""):
    return MATMUL.format(outer=outer, inner=inner, options=options, above=above)


def test_axpy():
    report = one(AXPY)
    assert (report.verdict.code, report.verdict.level, report.scope) == ("RFL102", "DRAM", "core")
    [found] = report.findings
    assert found.message == ("axpy: it streams, nothing to gain; memory-bound (AI 0.0833, ridge 3, generic-x86-64)")
    assert (found.path, found.line, found.column) == ("kernels.py", 5, 0)


def test_a_product_that_streams_its_rows():
    report = one(matmul(K, J, "(fastmath=True)"))
    assert report.verdict.code == "RFL103" and report.verdict.bound == "memory"
    memory = report.levels[-1]
    [(small, (start, end))] = [h.ranges for h in memory.memory_bound_when]
    assert small == (1, 47)  # compulsory traffic: n/16 < 3
    assert end is None and 2040 <= start <= 2050  # 8 n**2 bytes outgrow 32 MiB of L3
    assert f"for n >= {start} (AI 0.25, ridge 3)" in report.findings[0].message
    assert report.findings[0].detail.endswith(". The range is for all sizes equal.")


def test_a_product_with_column_access():
    report = one(matmul(J, K, "(fastmath=True)"))
    [found] = [f for f in report.findings if f.code == "RFL201"]
    assert "x by making j the innermost loop, if legal; 12.5 % of each line of B is used for n >= " in found.message
    assert found.detail.startswith(f"{found.message}. A stride of 8*p bytes: L1 evicts each 64-byte line")
    assert found.line == 12


def test_a_product_of_bound_sizes_on_the_good_side():
    report = one(matmul(K, J, "(fastmath=True)", "# roofscan: n=256 m=256 p=256"))
    assert report.levels[-1].bound == "compute" and [f.code for f in report.findings] == ["RFL603"]


def test_a_product_that_waits_for_its_sum():
    report = one(matmul(J, K))
    assert report.verdict.roof < 2e9 and "latency of C" in report.verdict.roof_limits


def test_a_stencil():
    report = one("""
        from numba import njit

        @njit
        def jacobi(u, v):
            n, m = u.shape
            for i in range(1, n - 1):
                for j in range(1, m - 1):
                    v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        """)
    assert report.verdict.bound == "memory" and report.verdict.code == "RFL102"
    assert "AI 0.167" in report.findings[0].message  # 4 FLOP for 8 loaded, 8 filled, 8 written back


@pytest.mark.parametrize(("options", "bound"), [("", "compute"), ("(fastmath=True)", "memory")])
def test_a_sum(options, bound):
    report = one(f"""
        from numba import njit

        @njit{options}
        def total(x):
            s = 0.0
            for i in range(len(x)):
                s += x[i]
            return s
        """)
    assert report.verdict.bound == bound


def test_sin_times_exp():
    report = one("""
        from math import exp, sin
        from numba import njit

        @njit
        def damped(x, y):
            for i in range(len(x)):
                y[i] = sin(x[i]) * exp(-x[i])
        """)
    assert report.verdict.bound == "compute" and report.verdict.roof_limits == "special functions"
    assert report.findings == ()


def test_all_cores():
    report = one(AXPY.replace("@njit", "@njit(parallel=True)").replace("import njit", "import njit, prange")
                 .replace("in range", "in prange"))  # fmt: skip
    assert report.scope == "socket" and report.levels[-1].ridge == 9.6


def test_a_plain_loop_is_for_the_interpreter():
    report = one(AXPY.replace("@njit", ""))
    assert report.verdict.reason == "interpreter-bound: compile it" and report.findings == ()


def test_integers_and_copies():
    found = reports("""
        from numba import njit

        # roofscan: a=i8[n] b=i8[n]
        @njit
        def shift(a, b):
            for i in range(len(a)):
                b[i] = a[i] + 1

        @njit
        def copy(a, b):
            for i in range(len(a)):
                b[i] = a[i]
        """)
    assert found["shift"].verdict.reason == "no floating-point work"
    assert found["copy"].verdict.bound == "memory" and not any(r.findings for r in found.values())


@pytest.mark.parametrize("code", ["RFL001", "RFL102", "RFL103", "RFL201"])
def test_the_examples_of_the_pages(code):
    """RFL101 and RFL202 need advice; 901, 902 and 999 are not about kernels."""
    page = CODES[code]
    assert code in {f.code for r in reports(page.bad).values() for f in r.findings}
    assert code not in {f.code for r in reports(page.good).values() for f in r.findings}


def test_a_right_hand_side_is_a_vector_by_assumption():
    report = one("import numpy as np\n\ndef solved(a, b):\n    return np.linalg.solve(a, b)\n")
    assert "b has 1 dimension (as line 4 reads)" in report.cost.kernel.readings


def test_sizes_whose_data_fit_the_first_cache_are_not_told():
    """A handful of points is cold and memory-bound, and so is what no cache holds: the text tells the latter alone."""
    report = one("""
    from numba import njit

    @njit
    def distances(x, out):
        n = x.shape[0]
        for i in range(n):
            for j in range(n):
                dx = x[i, 0] - x[j, 0]
                dy = x[i, 1] - x[j, 1]
                dz = x[i, 2] - x[j, 2]
                out[i, j] = (dx * dx + dy * dy + dz * dz) ** 0.5
    """)
    levels = {level.name: level for level in report.levels}
    [cold, large] = levels["DRAM"].memory_bound_when[0].ranges
    assert cold[1] <= levels["DRAM"].small < large[0]
    assert [when.ranges for when in levels["DRAM"].when_beyond_first_cache] == [(large,)]
    assert levels["DRAM"].bound_beyond_first_cache == "depends"


@pytest.mark.parametrize(
    ("ranges", "told", "bound"),
    [
        (((1, 9),), (), "compute"),
        (((1, 9), (40, None)), (SymbolRanges("n", ((40, None),)),), "depends"),
        (((7, 50),), (SymbolRanges("n", ((1, 50),)),), "depends"),
        (((8, None),), (), "memory"),
        (((12, None),), (SymbolRanges("n", ((12, None),)),), "depends"),
    ],
)
def test_small_sizes_and_small_gaps_are_left_out(ranges, told, bound):
    level = replace(
        level_report("DRAM", 2**20, 3.0, "depends"), memory_bound_when=(SymbolRanges("n", ranges),), small=10
    )
    assert (level.when_beyond_first_cache, level.bound_beyond_first_cache) == (told, bound)


def test_operands_of_unknown_shape_have_no_rate():
    text = "import numpy as np\n\n\ndef host(x, y):\n    y[...] = np.exp(x)\n"
    report = one(text)
    assert report.verdict.bound is None and not report.findings
    assert report.verdict.reason == "the source leaves open whether x is an array: if it is, --bind x=f8[n]"
    assert one(text.replace("def host", "# roofscan: x=f8[n]\ndef host")).verdict.bound is not None


def test_the_ranges_of_a_symbol_are_told_once() -> None:
    """Those of sizes that grow together, not those of the same size alone."""
    together, alone = SymbolRanges("n", ((1, 173),)), SymbolRanges("n", ((1, 721),), "fixed")
    other = SymbolRanges("m", ((6581, None),), "fixed")
    level = replace(level_report("DRAM", 2**20, 3.0, "depends"), memory_bound_when=(together, alone, other))
    assert level.when_beyond_first_cache == (together, other)
