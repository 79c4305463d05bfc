"""The fixtures hold: their comments agree with a run of each kernel, and roofscan agrees with both."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from roofscan.api import analyze_source
from roofscan.config.options import Options
from roofscan.symbolic.expr import Expr, Number
from tests.fixture_files import Fixture, fixtures_of
from tests.oracle import Trace, run
from tests.oracle.analysis import Analysis, analyzed, counted
from tests.oracle.trace import FLOP_WEIGHT
from tests.oracle.words import Words, read_expression

SHARES = ({"p1": 0, "p2": 0}, {"p1": 1, "p2": 1})
"""Nobody and everybody takes the branches that the data decides; figures without a share have one value."""

FIXTURES = fixtures_of()
FROM_LINES = {"compulsory", "fill", "footprint"}
"""Figures that come from the reuse model: equal where it says `exact`, within 2 % where it says `estimate`."""
FIGURES = {"flops", "traffic 0", *FROM_LINES, *FLOP_WEIGHT}
RUNS = [pytest.param((fixture, line), id=f"{fixture.id} {line}") for fixture in FIXTURES for line in fixture.oracle]
COUNTED = [
    pytest.param(fixture, what, id=f"{fixture.id} {what}")
    for fixture in FIXTURES
    for what in sorted(FIGURES & fixture.expected.keys())
]
JUDGED = [
    pytest.param(fixture, what, id=f"{fixture.id} {what}")
    for fixture in FIXTURES
    for what in fixture.expected
    if what.startswith(("verdict ", "finding "))
]
EVERYTHING = 1 << 100
"""Bytes of a cache that holds every array."""


Run = tuple[Fixture, Words, Trace]


@pytest.fixture(scope="module", params=RUNS)
def ran(request: pytest.FixtureRequest) -> Run:
    """A kernel, one of its oracle lines and what the run did: of the module, so that all tests of a run follow it."""
    fixture, line = request.param
    words = fixture.words(line)
    return fixture, words, run(fixture.source, fixture.name, words.arguments)


# -- the comments against a run -----------------------------------------------------------------------


def fills_whole_lines(words: Words) -> bool:
    """Whether every row of every array fills its lines, so that bytes of lines are bytes of elements."""
    rows = (a.shape[0 if a.flags.f_contiguous else -1] * a.itemsize for a in words.arrays.values() if a.size > 1)
    return all(row % 64 == 0 for row in rows)


def measured(trace: Trace, words: Words) -> Iterator[tuple[str, int]]:
    """Every figure that a run gives, by the name that the comments use."""
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


def test_comments_agree_with_a_run(ran: Run) -> None:
    fixture, words, trace = ran
    found = dict(measured(trace, words))
    for what in FIGURES & fixture.expected.keys() & found.keys():
        figure = read_expression(fixture.expected[what])
        least, most = (figure.evaluate({**words.symbols, **shares}) for shares in SHARES)
        assert least <= found[what] <= most, what


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda f: f.id)
def test_every_figure_is_checked_by_a_run(fixture: Fixture) -> None:
    """Each figure of a comment is measured at one size at least."""
    known: set[str] = {"status", *(what for what in fixture.expected if what.startswith(("verdict ", "finding ")))}
    for line in fixture.oracle:
        words = fixture.words(line)
        known |= {"flops", "traffic 0", *FLOP_WEIGHT}
        if fills_whole_lines(words):
            known |= FIGURES
    assert fixture.expected.keys() <= known


# -- roofscan against a run ---------------------------------------------------------------------------


def test_roofscan_counts_what_the_run_does(ran: Run) -> None:
    """At bound sizes, with the shares and trip counts that the run had."""
    fixture, words, trace = ran
    analysis = counted(fixture.source, fixture.name, words.bind)
    symbols = {**words.symbols, **analysis.measured(trace)}
    assert analysis.by_class(symbols) == trace.by_class
    assert analysis.flops(symbols) == trace.flops
    if analysis.cost.registers.status == "exact":
        total = trace.cache(0).total
        assert analysis.moved(analysis.cost.registers, symbols) == (total.load, total.fill, total.writeback)


def test_what_any_cache_must_move(ran: Run) -> None:
    """Cold lines and final write-backs at bound sizes: to the line where they claim to be exact, else as they claim."""
    fixture, words, trace = ran
    analysis = analyzed(fixture.source, fixture.name, words.bind)
    if analysis.cost.reuse is None:
        pytest.skip("the cache model gives up here")
    if analysis.measured(trace):
        pytest.skip("what is touched depends on data")
    traffic, cold = analysis.cost.reuse.traffic(EVERYTHING), trace.compulsory
    mine, truth = sum(analysis.moved(traffic, words.symbols)), cold.load + cold.fill + cold.writeback
    if traffic.status in ("exact", "estimate"):
        slack = 0 if traffic.status == "exact" else Fraction(truth, 8) + 128
        assert -slack <= mine - truth <= slack
    assert mine <= truth or traffic.status != "lower_bound"
    assert mine >= truth or traffic.status != "upper_bound"


# -- roofscan against the comments --------------------------------------------------------------------


def types_of(fixture: Fixture) -> str:
    """The element types that are not the default, as ``--bind`` takes them, with all sizes free."""
    if not fixture.oracle:
        return ""
    arrays = fixture.words(fixture.oracle[0]).arrays
    codes = {name: array.dtype.str[1:] for name, array in arrays.items()}
    return " ".join(f"{name}={code}" for name, code in codes.items() if code not in ("f8", "i8"))


def figure_of(analysis: Analysis, what: str) -> Expr:
    cost = analysis.cost
    if what == "flops":
        return cost.flops
    if what == "traffic 0":
        return cost.registers.total.load + cost.registers.total.writeback
    if what in FLOP_WEIGHT:
        return sum((e for (kind, _), e in cost.operations.items() if kind == what), start=Expr())
    assert cost.reuse is not None
    if what == "footprint":
        return cost.reuse.footprint
    cold = cost.reuse.traffic(EVERYTHING).total
    return cold.fill if what == "fill" else cold.load + cold.writeback


def large_sizes(symbols: frozenset[str], sample_point: dict[str, Number], factor: int) -> dict[str, Number]:
    """Sizes that fill entire lines and keep the order of the sample point; shares stay shares."""
    ordered = sorted(symbols, key=lambda s: (sample_point.get(s, 0), s))
    return {s: 64 * factor * (k + 1) if sample_point.get(s, 2) > 1 else sample_point[s] for k, s in enumerate(ordered)}


@pytest.mark.parametrize("fixture", [f for f in FIXTURES if "status" in f.expected], ids=lambda f: f.id)
def test_status(fixture: Fixture) -> None:
    assert counted(fixture.source, fixture.name, types_of(fixture)).cost.status == fixture.expected["status"]


@pytest.mark.parametrize("fixture, what", COUNTED)
def test_symbolic_figures(fixture: Fixture, what: str) -> None:
    """With all sizes free: the comment's expression, or one of the same value wherever sizes are large."""
    look = analyzed if what in FROM_LINES else counted
    analysis = look(fixture.source, fixture.name, types_of(fixture))
    mine, expected = figure_of(analysis, what), read_expression(fixture.expected[what])
    if mine == expected:
        return
    symbols = mine.symbols | expected.symbols
    estimated = what in FROM_LINES and analysis.cost.reuse and analysis.cost.reuse.status == "estimate"
    for factor in (3, 8, 50):
        sizes = large_sizes(symbols, dict(analysis.cost.sample_point), factor)
        truth = expected.evaluate(sizes)
        slack = Fraction(truth) / 50 if estimated else 0
        assert -slack <= mine.evaluate(sizes) - truth <= slack, f"{mine} is not {expected} at {sizes}"


@pytest.mark.parametrize("fixture, what", JUDGED)
def test_verdicts_and_findings(fixture: Fixture, what: str) -> None:
    """A verdict: its code, if one is given, and its bound. A finding: its code, and words of its message."""
    kind, machine = what.split()
    options = Options(machines=(machine,), kernels="all")
    [result] = analyze_source(fixture.source, "fixture.py", options, functions=[fixture.name]).kernels
    first, _, rest = fixture.expected[what].partition(" ")
    if kind == "finding":
        assert any(f.code == first and rest in f.message for f in result.findings)
        return
    verdict = result.reports[0].verdict
    if first.startswith("RFL"):
        assert verdict.code == first
    assert (verdict.bound or "none") == (rest or first)
