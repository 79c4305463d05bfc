"""Functions that call kernels in a loop over time: they have findings for what they add, and run where these run."""

from __future__ import annotations

from roofscan.api import analyze_source

HEAD = """
from numba import njit, prange


@njit(parallel=True)
def step(u, v):
    n, m = u.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@njit
def columns(u, v):
    n, m = u.shape
    for j in range(1, m - 1):
        for i in range(1, n - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@njit(parallel=True)
def move(x, r, a):
    for i in prange(len(r)):
        x[i] += a * r[i]


@njit(parallel=True)
def reduce(r, q, a):
    for i in prange(len(r)):
        r[i] -= a * q[i]


@njit
def plain(x, r, a):
    for i in prange(len(r)):
        x[i] += a * r[i]

"""


def said(driver: str) -> dict[str, tuple[str, list[str]]]:
    """The scope and the codes of each kernel."""
    reports = [report for result in analyze_source(HEAD + driver).kernels for report in result.reports]
    return {r.cost.kernel.name: (r.scope, [finding.code for finding in r.findings]) for r in reports}


def test_a_time_loop_around_a_parallel_kernel_runs_on_all_cores_and_adds_temporal_blocking() -> None:
    found = said("""
@njit
def run(u, v, steps):
    for t in range(steps):
        step(u, v)
        u, v = v, u
    return u
""")
    assert found["step"] == ("socket", ["RFL102"])
    assert found["run"] == ("socket", ["RFL103"])


def test_the_order_of_a_kernels_loops_is_a_finding_of_the_kernel() -> None:
    """Temporal blocking gains less than a quarter while the loops are in that order."""
    found = said("""
@njit
def run(u, v, steps):
    for t in range(steps):
        columns(u, v)
        u, v = v, u
    return u
""")
    assert found["columns"] == ("core", ["RFL101", "RFL202"])
    assert found["run"] == ("core", [])


def test_two_kernels_that_stream_the_same_arrays_are_fused_by_their_caller() -> None:
    found = said("""
@njit
def run(x, r, q, a, steps):
    for t in range(steps):
        move(x, r, a)
        reduce(r, q, a)


@njit
def once(x, r, q, a):
    move(x, r, a)
    reduce(r, q, a)
""")
    assert found["move"] == found["reduce"] == ("socket", ["RFL102"])
    assert found["run"][0] == found["once"][0] == "socket"
    assert "RFL302" in found["run"][1] and "RFL302" in found["once"][1]


def test_a_caller_that_only_calls_has_no_finding() -> None:
    assert said("""
@njit
def run(x, r, a):
    move(x, r, a)
""")["run"] == ("socket", [])


def test_a_test_of_convergence_around_a_parallel_kernel() -> None:
    found = said("""
@njit
def run(u, v, tol):
    err = 1.0
    while err > tol:
        step(u, v)
        err = abs(u[1, 1] - v[1, 1])
        u, v = v, u
""")
    assert found["step"] == ("socket", ["RFL102"])
    assert found["run"][0] == "socket"
    assert not {"RFL101", "RFL102", "RFL202"} & {*found["run"][1]}


def test_each_function_is_parallel_by_its_own_decorator() -> None:
    found = said("""
@njit(parallel=True)
def run(x, r, a):
    plain(x, r, a)
""")
    assert found["plain"][0] == found["run"][0] == "core"
