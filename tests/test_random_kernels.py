"""Random loop nests: what roofscan derives from the text equals what a run of it does."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings

from roofscan.symbolic.expr import Number
from tests.oracle import Trace, run
from tests.oracle.analysis import Analysis, analyzed, counted, lowered
from tests.oracle.trace import FLOP_WEIGHT
from tests.oracle.tree import DependsOnData, Walk, events_of
from tests.oracle.words import Words, read_words
from tests.support.random_kernels import PLAIN_NESTS, Features, RandomKernel, kernels

T = TypeVar("T", bound=Callable[..., None])

TYPES = (
    "A=f8[A_shape_0,A_shape_1] B=f8[B_shape_0,B_shape_1] x=f8[x_shape_0] y=f8[y_shape_0] "
    "u=f8[u_shape_0] w=f8[w_shape_0] alpha=1.5"
)
"""What is said when the sizes stay symbols."""

CAPACITIES = (512, 1024, 2048, 4096, 8192, 32768)
RIGHT_AT_LEAST = 0.75
"""The share of cache levels whose traffic is in range. It was higher when this was written; it may only rise."""


THOROUGHNESS = int(os.environ.get("ROOFSCAN_TEST_EXAMPLES", "1"))
"""How many times as many examples as a quick run draws."""


def slowly(examples: int) -> Callable[[T], T]:
    return settings(
        max_examples=examples * THOROUGHNESS,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )


def run_at(kernel: RandomKernel, line: str) -> tuple[Trace, Words]:
    words = read_words(line)
    try:
        return run(kernel.source, kernel.name, words.arguments, limit=200_000), words
    except (OverflowError, ZeroDivisionError, IndexError):
        assume(False)
        raise


@slowly(80)
@given(kernels())
def test_the_lowered_tree_does_what_the_run_does(kernel: RandomKernel) -> None:
    """Every access, in order, at the same place of the same array; every operation, by class."""
    trace, words = run_at(kernel, kernel.words)
    tree, _ = lowered(kernel.source, kernel.name, words.bind)
    assume(tree.unsupported is None)
    try:
        walk = Walk(tree, words.symbols)
    except DependsOnData:
        pytest.fail("nothing in these kernels depends on data")
    assert {k: n for k, n in walk.operations.items() if n and k in FLOP_WEIGHT} == trace.by_class
    assert walk.events == events_of(trace)


@slowly(80)
@given(kernels(Features(seldom=True)))
def test_counts_at_bound_sizes(kernel: RandomKernel) -> None:
    """FLOPs by class, and bytes of every access by array, to the last one."""
    trace, words = run_at(kernel, kernel.words)
    analysis = counted(kernel.source, kernel.name, words.bind)
    assume(analysis.cost.status == "exact")
    assert analysis.by_class(words.symbols) == trace.by_class
    assert analysis.flops(words.symbols) == trace.flops
    registers = trace.cache(0)
    moved = _by_source_name(analysis.moved_by_array(analysis.cost.registers, words.symbols))
    assert moved == {name: (m.load, m.fill, m.writeback) for name, m in registers.arrays.items() if m != type(m)()}


def _by_source_name(moved: dict[str, tuple[Number, ...]]) -> dict[str, tuple[Number, ...]]:
    """What each array of the source moves: one made on several paths is ``w4``, ``w4_2`` … in the tree."""
    together: dict[str, tuple[Number, ...]] = {}
    for name, parts in moved.items():
        source = name.split("_")[0]
        together[source] = tuple(a + b for a, b in zip(parts, together.get(source, (0, 0, 0))))
    return {name: parts for name, parts in together.items() if any(parts)}


@slowly(40)
@given(kernels(Features(seldom=True)))
def test_symbolic_counts_hold_elsewhere(kernel: RandomKernel) -> None:
    """With free sizes: the expression, evaluated at sizes where its conditions hold, equals a run there."""
    analysis = counted(kernel.source, kernel.name, TYPES)
    assume(analysis.cost.status == "exact")
    for line in (kernel.words, kernel.elsewhere):
        trace, words = run_at(kernel, line)
        if analysis.holds_at(words.symbols):
            assert analysis.by_class(words.symbols) == trace.by_class
            accessed = analysis.moved(analysis.cost.registers, words.symbols)
            assert accessed == _every_access(trace, words)


def _every_access(trace: Trace, words: Words) -> tuple[int, int, int]:
    """Bytes by the types of TYPES: all of eight bytes."""
    return 8 * trace.reads, 0, 8 * trace.writes


@slowly(60)
@given(kernels(Features(data=True)))
def test_shares_of_branches_are_all_that_the_data_decides(kernel: RandomKernel) -> None:
    """With the share of each branch as the run had it, the counts are those of the run."""
    trace, words = run_at(kernel, kernel.words)
    analysis = counted(kernel.source, kernel.name, words.bind)
    assume(analysis.cost.status in ("exact", "parametric"))
    symbols = {**words.symbols, **analysis.measured(trace)}
    assert analysis.by_class(symbols) == trace.by_class
    if analysis.cost.registers.status == "exact":
        total = trace.cache(0).total
        assert analysis.moved(analysis.cost.registers, symbols) == (total.load, total.fill, total.writeback)


@pytest.mark.parametrize(
    "condition",
    [
        "(i // 2) % 2 == 0", "(i % 3) % 2 == 0", "(i + i % 3) % 2 == 0", "(i // 2 + i) % 3 == 0", "i % 3 == i % 2",
        "(i % 4) // 2 == 1", "i % 3 > 1", "(2 * i) % 3 == 1", "(n - i) % 3 == 0", "i // 3 == 2", "n % 2 == 0",
    ],
)  # fmt: skip
def test_conditions_on_remainders_are_counted_or_called_bounded(condition: str) -> None:
    body = f"    for i in range(n):\n        if {condition}:\n            x[i] = x[i] + 2.0\n"
    source = f"from numba import njit\n@njit\ndef kernel(x, n):\n{body}"
    analysis = counted(source, "kernel", "")
    for n in range(13):
        symbols = {"n": n, "x_shape_0": n}
        if analysis.cost.status == "exact" and analysis.holds_at(symbols):
            assert analysis.flops(symbols) == run(source, "kernel", {"x": np.ones(n), "n": n}).flops


def test_nearly_all_random_kernels_are_exact() -> None:
    """Nothing in them depends on data, so little else than `exact` is an honest answer."""
    statuses: Counter[str] = Counter()

    @settings(max_examples=100, deadline=None, derandomize=True, phases=[Phase.generate], database=None)
    @given(kernels())
    def judge(kernel: RandomKernel) -> None:
        statuses[counted(kernel.source, kernel.name, read_words(kernel.words).bind).cost.status] += 1

    judge()
    assert statuses["exact"] >= 0.95 * statuses.total()


def test_traffic_of_plain_nests_is_right_at_most_capacities() -> None:
    """By the rule: within what caches from 0.8 to 1.25 times the capacity move, and 5 % and two lines more."""
    verdicts: Counter[str] = Counter()

    @settings(
        max_examples=40,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(kernels(PLAIN_NESTS, longest=14))
    def judge(kernel: RandomKernel) -> None:
        trace, words = run_at(kernel, kernel.words)
        analysis = analyzed(kernel.source, kernel.name, words.bind)
        for capacity in CAPACITIES:
            verdicts[judged(analysis, trace, words, capacity)] += 1

    judge()
    assert not verdicts["false"], verdicts
    assert verdicts["right"] >= RIGHT_AT_LEAST * verdicts.total(), verdicts


@slowly(15)
@given(kernels())
def test_the_cache_model_takes_any_kernel(kernel: RandomKernel) -> None:
    """It may have no figure; it raises nothing and its figures can be evaluated."""
    analysis = analyzed(kernel.source, kernel.name, read_words(kernel.words).bind)
    if analysis.cost.reuse is None:
        return
    for capacity in (0, 512, 1 << 40):
        traffic = analysis.cost.reuse.traffic(capacity)
        if traffic.status != "unknown":
            assert min(analysis.moved(traffic, read_words(kernel.words).symbols)) >= 0


def judged(analysis: Analysis, trace: Trace, words: Words, capacity: int) -> str:
    """``right``, ``wrong``, or ``false`` where a wrong figure claims to be exact or is beyond its own bound."""
    assert analysis.cost.reuse is not None
    traffic = analysis.cost.reuse.traffic(capacity)
    load, fill, writeback = analysis.moved(traffic, words.symbols)
    ends = [cache.total for cache in trace.cache_range(capacity)]
    above = below = False
    for mine, truths in (
        (load + writeback, [m.load + m.writeback for m in ends]),
        (load + fill + writeback, [m.load + m.fill + m.writeback for m in ends]),
    ):
        above |= mine > max(truths) * 1.05 + 128
        below |= mine < min(truths) * 0.95 - 128
    if not (above or below):
        return "right"
    lies = {"exact": True, "lower_bound": above, "upper_bound": below}
    return "false" if lies.get(traffic.status, False) else "wrong"
