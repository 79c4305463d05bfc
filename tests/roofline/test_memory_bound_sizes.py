"""For which sizes a kernel is left of a ridge, against trying every size."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from roofscan.roofline.memory_bound_sizes import left_of, significant
from roofscan.roofline.piecewise_bytes import BytesPiece, at, below_where, positive_from
from roofscan.roofline.size_paths import POSITION, diagonal, fixed_path, single_symbol_paths
from roofscan.roofline.traffic_curve import TrafficCurve
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel, TrafficPolicy
from roofscan.symbolic.expr import ONE, Expr, Func, symbol
from tests.support.handmade_costs import axpy, dense_layer, matmul, touch

X = symbol(POSITION)
ALL = TrafficPolicy()


def solve(costs, ridge, capacity, **bound):
    cost = costs.cost(**bound)
    path = diagonal(cost)
    pieces = TrafficCurve(TrafficModel(cost, ALL), path).into(capacity)
    return left_of(cost.flops, Fraction(ridge), pieces, path).ranges


def brute(costs, ridge, capacity, upto):
    """Every n up to ``upto``, each with a cost of its own, bound to it: no recombination involved."""
    cost = costs.cost()
    found = set()
    for n in range(1, upto + 1):
        bound = {"n": n}
        traffic = cost.registers if not capacity else replace(cost.reuse, sample_point=bound).traffic(capacity)
        if cost.flops.evaluate(bound) < ridge * ALL.of(traffic.total).evaluate(bound):
            found.add(n)
    return found


@pytest.mark.parametrize("order", ["ikj", "ijk"])
@pytest.mark.parametrize("capacity", [0, 0x1000, 0x8000, 0x100000])
@pytest.mark.parametrize("ridge", [Fraction(1, 30), Fraction(3, 2), 40])
def test_matmul_equals_trying_every_size(order, capacity, ridge):
    ranges = solve(matmul(order), ridge, capacity)
    members = {n for lo, hi in ranges for n in range(lo, min(hi or 700, 700) + 1)}
    assert members == brute(matmul(order), ridge, capacity, 700)


def test_matmul_at_a_mebibyte_of_cache():
    """Compulsory traffic 32 n**2 is left of ridge 3 up to n = 47; from n = 362 on, 8 n**2 no longer fit."""
    assert solve(matmul(), 3, 1 << 20) == ((1, 47), (362, None))


def test_axpy_is_left_of_the_ridge_at_every_size_or_at_none():
    assert solve(axpy(), 3, 1 << 20) == ((1, None),)
    assert solve(axpy(), Fraction(1, 12), 1 << 20) == ()


def test_dense_layer_of_the_article():
    """x of b x k, W of k x n in fp16, ridge 156: b < 156 k n / (k n - 156 (k + n))."""
    for k, n in ((4096, 4096), (1024, 8192), (400, 400)):
        cost = dense_layer().cost(k=k, n=n)
        [path] = single_symbol_paths(cost, cost.sample_point)
        bound_sizes = left_of(cost.flops, 156, TrafficCurve(TrafficModel(cost, ALL), path).into(1 << 25), path)
        limit = Fraction(156 * k * n, k * n - 156 * (k + n))
        assert bound_sizes.ranges == ((1, -(-limit // 1) - 1),)
        assert bound_sizes.symbol_ranges.symbol == "b" and bound_sizes.symbol_ranges.others == "fixed"
    assert 169 > 156 * 4096 / (4096 - 312) > 168


def test_dense_layer_with_large_weights():
    cost = dense_layer().cost()
    by_symbol = {
        path.symbol: left_of(cost.flops, 156, TrafficCurve(TrafficModel(cost, ALL), path).into(1 << 25), path).ranges
        for path in single_symbol_paths(cost, {"b": 64, "k": 1 << 40, "n": 1 << 40})
    }
    assert by_symbol["b"] == ((1, 156),)
    assert by_symbol["k"] == by_symbol["n"] == ((1, None),)  # the batch is held at 64, below the threshold


def test_all_sizes_grow_together():
    cost = dense_layer("size").cost()
    path = diagonal(cost)
    assert {str(v) for v in path.values.values()} == {POSITION} and path.others == "grow"
    bound_sizes = left_of(cost.flops, 156, TrafficCurve(TrafficModel(cost, ALL), path).into(1 << 25), path)
    assert bound_sizes.ranges == ((1, 467),)  # n/3 < 156
    for alone in single_symbol_paths(cost, cost.sample_point):
        assert alone.values[alone.symbol] == X
        assert sorted(v == cost.sample_point[name] for name, v in alone.values.items()) == [False, True, True]


def test_floors_are_solved_by_sampling():
    """2 FLOPs an element against full lines: AI < 0.2 while the last line is mostly empty."""
    lines = Expr.atom(Func("floor", (X + 7, Expr.of(8))))
    ranges = below_where(2 * X, Fraction(1, 5), (BytesPiece((1, None), 64 * lines),))
    assert ranges[0][0] == 1 and ranges[-1][1] is not None
    for lo, hi in ranges:
        for n, inside in ((lo, True), (hi, True), (hi + 1, False)):
            assert (2 * n * 5 < 64 * -(-n // 8)) is inside


def test_sizes_without_work_are_not_asked_about():
    flops = 4 * (X - 2) ** 2
    pieces = (BytesPiece((1, None), 16 * X**2),)
    assert positive_from(flops, pieces) == 3
    cost = axpy().cost()
    bound_sizes = left_of((symbol("n") - 2) ** 2, 3, pieces, diagonal(cost))
    assert bound_sizes.domain == (3, None) and bound_sizes.always


def test_classes_that_do_not_add_up_are_not_trusted():
    """Where the model refines its classes, the expression of the sample point's chamber is used for all sizes."""
    cost = matmul().cost()
    whole = TrafficCurve(TrafficModel(cost, ALL), diagonal(cost)).into(1 << 20)
    assert len(whole) > 1
    torn = replace(cost.reuse, classes=())
    odd = _Torn(cost.reuse, torn)
    [piece] = TrafficCurve(TrafficModel(replace(cost, reuse=odd), ALL), diagonal(cost)).into(1 << 20)
    assert piece.span == (1, None)
    assert piece.expr == ALL.of(cost.reuse.traffic(1 << 20).total).subs({"n": X})


class _Torn:
    """Says the traffic of one analysis, and shows the classes of another."""

    def __init__(self, said, shown):
        self.classes, self.line, self.traffic = shown.classes, shown.line, said.traffic


def test_one_array_alone():
    cost = matmul("ijk").cost()
    fetched = TrafficCurve(TrafficModel(cost, ALL).narrowed(TrafficPolicy(writeback=False), "B"), diagonal(cost)).into(
        0x8000
    )
    assert at(fetched, 60) == 8 * 60**2
    assert at(fetched, 1000) == 64 * 1000**3


def test_a_path_that_stays():
    cost = matmul().cost(n=100)
    assert diagonal(cost) is None and list(single_symbol_paths(cost, cost.sample_point)) == []
    path = fixed_path(cost)
    assert path.at(cost.flops, 1) == 2 * 100**3
    assert at(TrafficCurve(TrafficModel(cost, ALL), path).into(UNLIMITED), 1) == 32 * 100**2


def test_only_significant_answers_are_given():
    cost = axpy().cost()
    path = diagonal(cost)
    pieces = TrafficCurve(TrafficModel(cost, ALL), path).into(0)
    answers = [left_of(cost.flops, ridge, pieces, path) for ridge in (Fraction(1, 100), 100)]
    assert not list(significant([*answers, None]))
    assert left_of(cost.flops * Expr.of("unknown"), 1, pieces, path) is None
    assert left_of(ONE * 1000, 1, pieces, path).symbol_ranges.ranges == ((42, None),)


def test_the_parts_of_a_class_miss_one_by_one():
    """A class of eight parts, at distances of 512 n to 4096 n: exact piece by piece, without sampling."""
    ramp = touch("x", "n", "512*n", "i", rise=512 * symbol("n"), parts=8)
    costs = axpy()
    costs.classes = (ramp,)
    cost = costs.cost()
    pieces = TrafficCurve(TrafficModel(cost, ALL), diagonal(cost)).into(1 << 20)
    assert len(pieces) == 9
    for n in (1, 256, 257, 400, 2048, 2049):
        assert at(pieces, n) == 24 * n + 64 * n * sum(512 * n * p > 1 << 20 for p in range(1, 9))


@pytest.mark.parametrize("capacity", [0, 0x1000, 0x8000, 0x100000, UNLIMITED])
def test_what_moves_at_one_position_needs_no_pieces(capacity):
    cost = matmul("ijk").cost()
    pieces = TrafficCurve(TrafficModel(cost, ALL), diagonal(cost)).into(capacity)
    road = TrafficCurve(TrafficModel(cost, ALL), diagonal(cost))
    assert all(road.at(capacity, x) == at(pieces, x) for x in (1, 40, 361, 362, 5000))
