"""Compulsory traffic is computed before reuse classes, and does not depend on the order of the queries."""

from __future__ import annotations

import re

import pytest

from roofscan.api import analyze_source
from roofscan.budget import Budget
from roofscan.cost.memory.lru import ReuseAnalysis, analyze_reuse
from roofscan.ir.kernel import Kernel
from tests.cost.memory.reuse_kernels import NESTS
from tests.cost.memory.test_reuse import gathers
from tests.oracle import run
from tests.oracle.analysis import analyzed
from tests.oracle.compare import symbols_of
from tests.oracle.words import read_words
from tests.support.nest_notation import nest

UNLIMITED = 1 << 60
NAMED = ("stream", "star 3-D", "time loop", "gemm ijk", "cholesky")


KERNELS = [(nest(NESTS[name][0]), NESTS[name][1][0]) for name in NAMED] + [(gathers(), {"n": 64, "m": 48, "p": 10**6})]


@pytest.mark.parametrize(("kernel", "sizes"), KERNELS)
def test_what_must_move_is_what_an_unlimited_cache_moves(kernel: Kernel, sizes: dict[str, int]) -> None:
    survey = ReuseAnalysis(kernel, sizes, 64)
    least = survey.compulsory()
    assert least is not None and not least.classes
    expected = analyze_reuse(kernel, sizes, 64)
    assert least.traffic(512).total == least.traffic(UNLIMITED).total == expected.traffic(UNLIMITED).total
    assert survey.model().classes == expected.classes


def test_many_boxes_are_too_much_before_they_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop of 64 iterations that are looked at one by one, in another."""
    kernel = nest("x[n*n]\n" + "for i 0 n\n  for j 0 n\n    " + " ".join(f"x[i*i+{k}*j*j]" for k in range(1, 5)))
    monkeypatch.setattr("roofscan.cost.memory.lru.analysis.MODEL_STEPS", 20_000)
    budget = Budget()
    with budget.in_force():
        assert ReuseAnalysis(kernel, {"n": 1000}, 64).compulsory() is None
    assert budget.spent < 400_000


def test_a_report_gets_what_must_move_where_all_takes_too_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """By steps, not by the clock: the same on every machine."""
    kernel, sizes = KERNELS[NAMED.index("gemm ijk")]
    every = analyze_reuse(kernel, sizes, 64)
    monkeypatch.setattr("roofscan.cost.memory.lru.analysis.MODEL_STEPS", 400)
    short = analyze_reuse(kernel, sizes, 64)
    assert short.status == "lower_bound" and not short.classes
    assert short.footprint == every.footprint
    monkeypatch.setattr("roofscan.cost.memory.lru.analysis.COMPULSORY_STEPS", 0)
    unknown = analyze_reuse(kernel, sizes, 64)
    assert unknown.status == "unknown" and "too many" in unknown.traffic(512).why


TORUS = """
def torus(u, v, c, steps):
    nx, ny, nz = u.shape
    for t in range(steps):
        for i in range(nx):
            for j in range(ny):
                for k in range(nz):
                    around = u[(i + 1) % nx, j, k] + u[(i - 1) % nx, j, k]
                    around += u[i, (j + 1) % ny, k] + u[i, (j - 1) % ny, k]
                    around += u[i, j, (k + 1) % nz] + u[i, j, (k - 1) % nz]
                    v[i, j, k] = u[i, j, k] + c * (around - 6.0 * u[i, j, k])
        u, v = v, u
"""


PANELS = """
import numpy as np

def panels(A, nb):
    n = A.shape[0]
    for k in range(0, n, nb):
        for j in range(k, k + nb):
            A[j, j] = np.sqrt(A[j, j] * A[j, j] + 1.0)
            for i in range(j + 1, n):
                A[i, j] /= A[j, j]
            for c in range(j + 1, k + nb):
                for i in range(c, n):
                    A[i, c] -= A[i, j] * A[c, j]
        for j in range(k + nb, n):
            for p in range(k, k + nb):
                for i in range(j, n):
                    A[i, j] -= A[i, p] * A[j, p]
"""
"""One sample of each of its loops would move a thirtieth of the bytes, so that the coarsest precision will not do."""


@pytest.mark.parametrize(
    ("source", "name", "arguments", "capacity"),
    [
        (TORUS, "torus", "u=f8[10,12,16] v=f8[10,12,16] c=0.1 steps=3", 8192),
        (PANELS, "panels", "A=f8[64,64] nb=16", 512),
        (PANELS, "panels", "A=f8[64,64] nb=16", 2048),
    ],
)
def test_what_is_too_much_to_sample_finely_is_near_the_run(
    source: str, name: str, arguments: str, capacity: int
) -> None:
    words = read_words(arguments)
    analysis = analyzed(source, name, words.bind)
    level, run_of_it = analysis.cost.reuse.traffic(capacity), run(source, name, words.arguments)
    assert level.status == "estimate"
    moved = sum(analysis.moved(level, symbols_of(analysis, words, run_of_it)))
    truth = run_of_it.cache(capacity).total
    assert moved == pytest.approx(truth.load + truth.fill + truth.writeback, rel=0.2)


def test_what_is_left_of_the_budget_is_not_spent_on_other_versions() -> None:
    [kernel] = analyze_source(f"from numba import njit\n@njit{TORUS}").kernels
    assert [level.traffic.status for level in kernel.reports[0].levels[1:]] == ["estimate"] * 3


GROWN = """
import numpy as np

def grown(K, L):
    R = np.ones(K.shape)
    for _ in range(L - 1):
        R = 1.0 + K * R
    return 1 + np.sum(K * R)
"""


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_a_loop_that_makes_no_iterations_leaves_the_array_before_it(rounds: int) -> None:
    """Behind the loop the array of the last iteration is read, or the one before the loop."""
    analysis = analyzed(GROWN, "grown", read_words(f"K=f8[8,8] L={rounds}").bind)
    traffic = analysis.cost.reuse.traffic(UNLIMITED)
    assert traffic.status == "exact"
    if rounds == 1:
        alone = re.sub(r" +for .*\n.*\n", "", GROWN)
        plain = analyzed(alone, "grown", read_words("K=f8[8,8]").bind)
        assert traffic.total == plain.cost.reuse.traffic(UNLIMITED).total
