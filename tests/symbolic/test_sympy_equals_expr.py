"""What the user gets from SymPy equals our own expressions: for random ones, and for every figure of the fixtures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.report import figures
from roofscan.results.entry import reports_of
from roofscan.results.report import Report
from roofscan.symbolic.expr import Expr, NotEvaluable, Number, symbol
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import ceil_div, floor_div
from roofscan.symbolic.to_sympy import to_sympy
from tests.support.fixture_results import FILES, ResultsOf

NAMES = ("n", "m", "k")

leaves = st.one_of(st.sampled_from([symbol(name) for name in NAMES]), st.builds(Expr.of, st.integers(-9, 9)))


def larger(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.builds(lambda a, b: a + b, parts, parts),
        st.builds(lambda a, b: a * b, parts, parts),
        st.builds(lambda a, d: a / d, parts, st.integers(2, 7)),
        st.builds(lambda a, d: floor_div(a, Expr.of(d)), parts, st.integers(2, 7)),
        st.builds(lambda a, d: ceil_div(a, d), parts, st.integers(2, 7)),
        st.builds(lambda a: floor_div(a, symbol("n")), parts),
        st.builds(minimum, parts, parts),
        st.builds(maximum, parts, parts),
    )


expressions = st.recursive(leaves, larger, max_leaves=6)
values = st.fixed_dictionaries({name: st.integers(1, 50) for name in NAMES})


@given(expressions, values)
@settings(max_examples=150)
def test_values_equal(expr: Expr, at: dict[str, Number]) -> None:
    assert to_sympy(expr).subs(at) == sympy.Rational(str(expr.evaluate(at)))


@given(expressions, expressions, expressions, values)
@settings(max_examples=60)
def test_arithmetic_is_that_of_sympy(a: Expr, b: Expr, c: Expr, at: dict[str, Number]) -> None:
    apart = to_sympy(a) * to_sympy(b) + to_sympy(c)
    assert to_sympy(a * b + c).subs(at) == apart.subs(at)


@given(st.lists(st.tuples(leaves, leaves), min_size=1, max_size=5))
def test_polynomials_are_expanded_as_sympy_expands_them(pairs: list[tuple[Expr, Expr]]) -> None:
    product, apart = Expr.of(1), sympy.Integer(1)
    for a, b in pairs:
        product, apart = product * (a + b), apart * (to_sympy(a) + to_sympy(b))
    assert to_sympy(product) == sympy.expand(apart)


def figures_of(report: Report) -> Iterator[tuple[Expr, sympy.Expr]]:
    """Each figure of a kernel, as ours and as SymPy's."""
    own = report._report
    if own.cost.status == "unsupported":
        return
    yield own.cost.flops, report.flops
    yield from ((count, report.operations[kind]) for kind, count in figures.by_class(own.cost).items())
    pairs = [(own.footprint, report.footprint), (figures.compulsory_bytes(own), report.compulsory)]
    for level, public in zip(own.levels, report.levels, strict=True):
        if level.traffic.status != "unknown":
            total = level.traffic.total
            pairs += [(total.load, public.load), (total.fill, public.fill), (total.writeback, public.writeback)]
    yield from ((ours, theirs) for ours, theirs in pairs if ours is not None)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_figures_of_the_fixtures_are_the_same_in_sympy(path: Path, results_of: ResultsOf) -> None:
    seen = 0
    for report in reports_of(results_of(path)):
        sample_point = report._report.cost.sample_point
        for own, public in figures_of(report):
            try:
                value = own.evaluate(sample_point)
            except NotEvaluable:
                continue
            seen += 1
            assert float(public.subs(sample_point).doit()) == pytest.approx(float(value), rel=1e-12), report.name
    assert seen
