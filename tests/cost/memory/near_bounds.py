"""A kernel's figure of the bytes that cross a cache, beside those of its first run."""

from __future__ import annotations

from roofscan.symbolic.expr import Number
from tests.fixture_files import Fixture
from tests.oracle.analysis import analyzed
from tests.oracle.compare import symbols_of
from tests.oracle.run import run


def bound_and_moved(kernel: Fixture, capacity: int) -> tuple[Number, Number]:
    return figure_and_moved(kernel, capacity, ("upper_bound",))


def figure_and_moved(
    kernel: Fixture, capacity: int, statuses: tuple[str, ...] = ("upper_bound", "estimate")
) -> tuple[Number, Number]:
    words = kernel.words(kernel.oracle[0])
    trace = run(kernel.source, kernel.name, words.arguments)
    analysis = analyzed(kernel.source, kernel.name, words.bind)
    assert analysis.cost.reuse is not None
    level = analysis.cost.reuse.traffic(capacity)
    assert level.status in statuses
    truth = trace.cache(capacity).total
    return sum(analysis.moved(level, symbols_of(analysis, words, trace))), truth.load + truth.fill + truth.writeback
