"""Kernels with flags: the arms that do not run leave, and free figures are right in every case."""

from __future__ import annotations

import pytest

from roofscan.cost.analyze import cost_kernel
from roofscan.cost.cases import cases_of
from roofscan.cost.decided_tests import with_decided_tests
from roofscan.parse.reader.facts import parse_facts
from tests.oracle.analysis import lowered

MODES = """@njit
def f(x, y, z, mode):
    if mode == 0:
        for i in range(len(x)):
            x[i] = x[i] + y[i]
    elif mode == 1:
        for i in range(len(x)):
            x[i] = x[i] * z[i]
    if mode == 2:
        g(x)
"""
TWO_MODES = MODES[: MODES.index("    if mode == 2")]


def test_an_arm_that_does_not_run_takes_its_arrays_symbols_and_reasons_along() -> None:
    kernel, _ = lowered(MODES, "f", "")
    other = with_decided_tests(kernel, {"p1": 1})
    assert [a.name for a in other.arrays] == ["x", "y"]
    assert not [s for s in other.symbols if s.kind == "flag"]
    assert other.reasons == ()


def test_tests_for_different_constants_are_never_both_true() -> None:
    cases = cases_of(lowered(MODES, "f", "")[0])
    assert cases is not None and len(cases) == 4
    assert str(cases[0].weight) == "p1"


@pytest.mark.parametrize(("flags", "moved"), [((1, 0), 24), ((0, 1), 24), ((0, 0), 0)])
def test_free_traffic_is_that_of_the_case(flags: tuple[int, int], moved: int) -> None:
    cost = cost_kernel(lowered(TWO_MODES, "f", "")[0])
    assert cost.reuse is not None
    traffic = cost.reuse.traffic(1 << 15)
    total = traffic.total.load + traffic.total.fill + traffic.total.writeback
    [n] = [s.name for s in cost.kernel.symbols if s.kind == "size" and s.name in total.symbols]
    assert traffic.status == "exact"
    assert total.evaluate({n: 4096, "p1": flags[0], "p2": flags[1]}) == moved * 4096


def test_the_verdict_is_for_one_case_and_says_which() -> None:
    kernel, _ = lowered(TWO_MODES, "f", "")
    cost = cost_kernel(kernel)
    assert {cost.sample_point[s.name] for s in kernel.symbols if s.kind == "flag"} <= {0, 1}
    assert "mode == 1 (for the verdict; bind mode to choose)" in cost.kernel.assumptions
    assert not any("verdict" in text for text in cost_kernel(kernel, parse_facts("p1=1")).kernel.assumptions)
