"""The evaluation point of a verdict, also where expressions hold at no other sizes."""

from __future__ import annotations

from dataclasses import replace

import pytest

import roofscan
from roofscan.cost.sample_point import WORKING_SET_BYTES
from roofscan.ir.conditions import Condition
from roofscan.pipeline.assess import assess
from roofscan.roofline.evaluation_point import at_sample_point, evaluation_point
from roofscan.roofline.size_paths import POSITION, diagonal
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.roofline.traffic_model import TrafficModel, TrafficPolicy
from roofscan.symbolic.expr import symbol
from tests.fixture_files import FIXTURES
from tests.oracle.analysis import counted
from tests.support.handmade_costs import axpy, dense_layer, machine, matmul, touch

ALL = TrafficPolicy()


def test_free_sizes_are_as_large_as_a_memory():
    for costs, per_size in ((axpy(), lambda n: 24 * n), (matmul(), lambda n: 32 * n * n)):
        place = evaluation_point(TrafficModel(costs.cost(), ALL))
        n = place.values["n"]
        assert per_size(n) <= WORKING_SET_BYTES < per_size(n + 1)


def test_a_call_takes_no_longer_than_a_minute():
    for power in (1, 2, 3):
        n = evaluation_point(TrafficModel(matmul().cost(), ALL), lambda n, power=power: (n / 500) ** power).values["n"]
        assert 0.97 < n / 500 / 60 ** (1 / power) <= 1


@pytest.mark.parametrize(
    ("position", "even"), [(50, 50), (210, 210), (255, 255), (257, 256), (738, 736), (1625, 1632), (3423, 3392)]
)
def test_the_even_position_is_a_multiple_of_a_power_of_two_nearby(position: int, even: int) -> None:
    place = evaluation_point(TrafficModel(matmul().cost(), ALL))
    assert replace(place, position=position).even.position == even


def test_bound_sizes_are_even_as_they_are() -> None:
    place = evaluation_point(TrafficModel(matmul().cost(n=1001), ALL))
    assert place.even.values == {"n": 1001}


def test_guards_hold_at_the_even_position() -> None:
    place = evaluation_point(TrafficModel(matmul().cost(), ALL))
    at_most = Condition(1000 - symbol("n"), "ge")
    place = replace(place, path=replace(place.path, guards=(at_most,)))
    assert [replace(place, position=n).even.position for n in (990, 1000)] == [992, 1000]


def test_bound_sizes_stay():
    place = evaluation_point(TrafficModel(matmul().cost(n=100), ALL))
    assert place.values == {"n": 100} and place.position == 1 and place.generalises


def test_a_held_symbol_keeps_its_reference_size():
    place = evaluation_point(TrafficModel(dense_layer().cost(), ALL))
    assert place.values["b"] == 64 and place.values["k"] == place.values["n"] > 1000


def test_sizes_that_no_memory_holds_make_no_verdict():
    """Rows outgrow the last cache only from n = 2**26 on, where a matrix has 2**55 bytes."""
    costs = matmul()
    costs.classes = (touch("B", "n**3", "n/2", "i"),)
    cost = costs.cost()
    sample_point = {"n": 1 << 30}
    cost = replace(cost, sample_point=sample_point, reuse=replace(cost.reuse, sample_point=sample_point))
    report = assess(cost, machine(3e9, 16e9, {"L1": 1 << 25}))
    assert report.levels[-1].memory_bound_when[0].ranges[-1] == ((1 << 26) + 1, None)
    assert (report.verdict.bound, report.verdict.code) == ("compute", None)


def test_expressions_that_are_impossible_elsewhere_are_not_used_there():
    """A count with the number of the sample point in place of the size would exceed what all accesses can move."""
    costs = matmul()
    large, n = costs.cost().sample_point["n"], symbol("n")
    torn = [replace(c, count=n * large * (large - 1) / 8) for c in costs.classes]
    sound = assess(costs.cost(), machine(48e9, 16e9))
    report = assess(replace(costs, classes=tuple(torn)).cost(), machine(48e9, 16e9))
    assert all(row.memory_bound_when == () for row in report.levels) and sound.levels[-1].memory_bound_when
    assert report.verdict.bound == "memory"
    assert report.verdict.attainable == pytest.approx(sound.verdict.attainable, rel=0.01)


def test_traffic_below_nothing_is_not_used():
    """A count of the rows beyond the sample point's, as a loop has that no row enters where the sizes are equal."""
    costs = matmul()
    large, n = costs.cost().sample_point["n"], symbol("n")
    torn = replace(costs, classes=tuple(replace(c, count=n * n * (n - large + 1)) for c in costs.classes))
    report = assess(torn.cost(), machine(48e9, 16e9))
    assert all(row.memory_bound_when == () for row in report.levels)


def test_the_sample_point_as_evaluation_point():
    place = at_sample_point(TrafficModel(matmul().cost(), ALL))
    assert not place.generalises and place.values == matmul().cost().sample_point


def test_impossible_expressions_give_a_finding_at_large_sizes():
    costs = axpy()
    constant = touch("x", costs.cost().sample_point["n"] // 8, 1 << 30, "i")
    report = assess(replace(costs, classes=(constant,)).cost(), machine())
    [found] = [f for f in report.findings if f.code == "RFL102"]
    assert "memory-bound at large sizes even if each byte moved once (AI " in found.message
    assert "The AI is at best 0.0833." in found.detail


@pytest.mark.parametrize("name", ["small_network", "dense_layers"])
def test_no_time_is_longer_than_a_minute(name: str) -> None:
    """Where expressions hold at larger sizes only, there is no time until sizes are bound."""
    [report] = [r for r in roofscan.analyze_file(str(FIXTURES / "networks.py")) if r.name == name]
    time = report.verdict.time
    if isinstance(time, NoTime):
        assert time.beyond_a_minute and "bind" in time.why
    else:
        assert isinstance(time, TimePrediction) and time.expected <= 61


def test_a_selection_grows_with_what_it_chooses_from():
    source = "def f(a):\n    a[a > 0] = 0.0\n"
    cost = counted(source, "f", "a=f8[n,n]").cost
    [length] = [s.name for s in cost.kernel.symbols if s.kind == "length"]
    path = diagonal(cost)
    assert path is not None
    assert path.values[length] == symbol(POSITION) ** 2 / 2
    assert cost.sample_point[length] == pytest.approx(cost.sample_point["n"] ** 2 / 2, rel=0.01)
    assert diagonal(counted(source, "f", "a=f8[300,400]").cost) is None
