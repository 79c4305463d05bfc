"""Odd but legal kernels (``adversarial/*.py``): every figure is true, or the status says that it is not exact.

``# expect bound status`` is the status with all sizes bound, at each of the runs; ``# expect measured flops = exact``
says that the FLOPs are those of the run where the symbols for branch shares and trip counts have the run's values.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.ir.kernel import ABOVE, BELOW
from roofscan.symbolic.expr import Number
from tests.fixture_files import Fixture, fixtures_of
from tests.oracle import Trace, run
from tests.oracle.analysis import Analysis, analyzed, counted
from tests.oracle.trace import FLOP_WEIGHT
from tests.oracle.words import Words, read_words

KERNELS = {fixture.id: fixture for fixture in fixtures_of(Path(__file__).parent / "adversarial")}
CAPACITIES = (512, 2048, 1 << 40)


@pytest.mark.parametrize("name", KERNELS)
def test_figures_are_true(name: str) -> None:
    kernel = KERNELS[name]
    for line in kernel.oracle:
        words = kernel.words(line)
        trace = run(kernel.source, kernel.name, words.arguments)
        bound = analyzed(kernel.source, kernel.name, words.bind)
        assert bound.cost.status == kernel.expected["bound status"]
        operations_are_true(bound, trace, words)
        if "measured flops" in kernel.expected:
            assert bound.flops({**words.symbols, **bound.measured(trace)}) == trace.flops
        if bound.cost.status == "exact" and bound.cost.reuse is not None:
            traffic_is_true(bound, trace, words)
        operations_are_true(counted(kernel.source, kernel.name, types_of(words)), trace, words)


def test_most_of_them_are_counted() -> None:
    counted_ones = [k for k in KERNELS.values() if k.expected["bound status"] in ("exact", "parametric")]
    assert len(counted_ones) > 0.8 * len(KERNELS)


def types_of(words: Words) -> str:
    """The types of the arguments, with the sizes left free."""
    arrays = (
        f"{name}={array.dtype.str[1:]}[{','.join(f'{name}_shape_{k}' for k in range(array.ndim))}]"
        for name, array in words.arrays.items()
    )
    floats = (f"{name}={value}" for name, value in words.scalars.items() if isinstance(value, float))
    return " ".join((*arrays, *floats))


def operations_are_true(analysis: Analysis, trace: Trace, words: Words) -> None:
    """Exact counts are those of the run and bounds are bounds, where the conditions of the figures hold."""
    symbols: dict[str, Number] = {name: size for name, size in words.symbols.items() if size > 0}
    symbols |= {k: 0 for k, size in words.symbols.items() if not size and k in analysis.kernel.values}
    status, kernel, known = analysis.cost.status, analysis.cost.kernel, analysis.values(symbols).keys()
    if not analysis.cost.flops.symbols <= known or not analysis.holds_at(symbols):
        return
    effects = {reason.effect for reason in kernel.reasons}
    if status == "exact":
        assert analysis.flops(symbols) == trace.flops
        if {s for e in analysis.cost.operations.values() for s in e.symbols} <= known:
            assert analysis.by_class(symbols) == trace.by_class
    elif status == "bounded" and not (effects & {*ABOVE} and effects & {*BELOW}):
        weighed = sum(FLOP_WEIGHT[kind] * n for kind, n in trace.by_class.items())
        assert (analysis.flops(symbols) <= weighed) == bool(effects & {*BELOW}) or analysis.flops(symbols) == weighed
    if status == "exact":
        register_traffic_is_true(analysis, trace, symbols)


def register_traffic_is_true(analysis: Analysis, trace: Trace, symbols: dict[str, Number]) -> None:
    registers, ran = analysis.cost.registers, trace.cache(0).total
    parts = (registers.total.load, registers.total.fill, registers.total.writeback)
    if not {s for part in parts for s in part.symbols} <= analysis.values(symbols).keys():
        return
    moved, truth = analysis.moved(registers, symbols), (ran.load, ran.fill, ran.writeback)
    assert registers.status != "exact" or moved == truth
    assert registers.status != "lower_bound" or sum(moved) <= sum(truth)
    assert registers.status != "upper_bound" or sum(moved) >= sum(truth)


def traffic_is_true(analysis: Analysis, trace: Trace, words: Words) -> None:
    """Exact levels are exact to the byte, and bounds are bounds (up to 5 % and two lines)."""
    assert analysis.cost.reuse is not None
    for capacity in CAPACITIES:
        estimate, ran = analysis.cost.reuse.traffic(capacity), trace.cache(capacity).total
        parts = (estimate.total.load, estimate.total.fill, estimate.total.writeback)
        if not {s for part in parts for s in part.symbols} <= analysis.values(words.symbols).keys():
            continue
        truth = (ran.load, ran.fill, ran.writeback)
        moved = analysis.moved(estimate, words.symbols)
        assert estimate.status != "exact" or moved == truth
        assert estimate.status != "lower_bound" or sum(moved) <= sum(truth) * 1.05 + 128
        assert estimate.status != "upper_bound" or sum(moved) >= sum(truth) * 0.95 - 128


def test_an_array_that_shrinks_in_each_of_many_iterations_is_an_upper_bound() -> None:
    source = """
from numba import njit

@njit
def kernel(x, n):
    s = 0.0
    for k in range(n):
        for i in range(len(x)):
            s += x[i]
        x = x[1:]
    return s
"""
    words = read_words("n=20 x=f8[40]", ("x", "n"))
    analysis = counted(source, "kernel", words.bind)
    assert {reason.effect for reason in analysis.kernel.reasons} == {"upper"}
    assert analysis.flops(words.symbols) > run(source, "kernel", words.arguments).flops


def test_the_operand_of_a_chain_counts_where_the_chain_gets_to_it() -> None:
    source = """
from numba import njit

@njit
def kernel(x, a, w):
    for i in range(len(x)):
        if a <= x[i] <= a + w:
            x[i] = 2.0 * a
"""
    analysis = counted(source, "kernel", "")
    shares = {s.name: s.meaning for s in analysis.kernel.symbols if s.kind == "share"}
    assert len(analysis.cost.flops.symbols & shares.keys()) == 2
    assert any("`a <= x[i]`" in meaning for meaning in shares.values())


def test_work_bounded_by_a_counter_of_a_loop_that_breaks_is_not_lost() -> None:
    kernel: Fixture = KERNELS["induction::counter_after_a_loop_that_breaks"]
    cost = counted(kernel.source, kernel.name, "").cost
    assert cost.flops.evaluate({**cost.sample_point, "n": 1000}) > 500


def test_an_array_of_the_last_iteration_is_read_after_its_loop() -> None:
    source = """
from numba import njit

@njit
def kernel(x, n):
    for i in range(n):
        y = x * 2.0
    s = 0.0
    for v in y:
        s += v
    return s
"""
    words = read_words("n=5 x=f8[64]", ("x", "n"))
    reuse = analyzed(source, "kernel", words.bind).cost.reuse
    trace = run(source, "kernel", words.arguments)
    assert reuse is not None
    for capacity in (2048, 1 << 40):
        truth = trace.cache(capacity).total
        total = reuse.traffic(capacity).total
        moved = tuple(e.evaluate(words.symbols) for e in (total.load, total.fill, total.writeback))
        assert moved == (truth.load, truth.fill, truth.writeback)
