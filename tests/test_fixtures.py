"""The fixtures hold: their comments agree with a run of each kernel, and roofscan agrees with both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle import Trace, run
from tests.oracle.fixtures import Fixture, all_fixtures
from tests.oracle.trace import FLOP_WEIGHT
from tests.oracle.words import Words, read_expression, read_words

FIXTURES = all_fixtures()
SHARES = ({"p1": 0, "p2": 0}, {"p1": 1, "p2": 1})
"""Nobody and everybody takes the branches that the data decides; figures without a share have one value."""

FIGURES = {"flops", "traffic 0", "compulsory", "fill", "footprint", *FLOP_WEIGHT}
RUNS = [
    pytest.param(fixture, line, id=f"{fixture.id} {line}") for fixture in FIXTURES for line in fixture.oracle
]


def fills_whole_lines(words: Words) -> bool:
    """Whether every row of every array fills its lines, so that bytes of lines are bytes of elements."""
    rows = (
        a.shape[0 if a.flags.f_contiguous else -1] * a.itemsize for a in words.arrays.values() if a.size > 1
    )
    return all(row % 64 == 0 for row in rows)


def measured(trace: Trace, words: Words) -> Iterator[tuple[str, int]]:
    """Every figure that a run can tell, by the name that the comments use."""
    yield "flops", trace.flops
    for kind in FLOP_WEIGHT:
        yield kind, trace.by_class.get(kind, 0)
    registers = trace.cache(0).total
    yield "traffic 0", registers.load + registers.writeback
    if fills_whole_lines(words):
        cold = trace.compulsory
        yield "compulsory", cold.load + cold.writeback
        yield "fill", cold.fill
        yield "footprint", trace.footprint


@pytest.mark.parametrize("fixture, line", RUNS)
def test_comments_agree_with_a_run(fixture: Fixture, line: str) -> None:
    words = read_words(line, fixture.parameters)
    found = dict(measured(run(fixture.source, fixture.name, words.arguments), words))
    for what in FIGURES & fixture.expected.keys() & found.keys():
        figure = read_expression(fixture.expected[what])
        least, most = (figure.evaluate({**words.symbols, **shares}) for shares in SHARES)
        assert least <= found[what] <= most, what


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda f: f.id)
def test_every_figure_is_checked_by_a_run(fixture: Fixture) -> None:
    """No comment stands unchecked: each figure is measured at one size at least."""
    known: set[str] = {"status", *(what for what in fixture.expected if what.startswith("verdict "))}
    for line in fixture.oracle:
        words = read_words(line, fixture.parameters)
        known |= {"flops", "traffic 0", *FLOP_WEIGHT}
        if fills_whole_lines(words):
            known |= FIGURES
    assert fixture.expected.keys() <= known
