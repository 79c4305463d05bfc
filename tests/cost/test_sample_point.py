"""The sample point: values from facts, and generic values for the other symbols."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from roofscan.api import analyze_file, analyze_source
from roofscan.config.options import Options
from roofscan.cost.bindings import resolve_values
from roofscan.cost.fitted_sizes import Fitting
from roofscan.cost.sample_point import WORKING_SET_BYTES, choose_sample_point
from roofscan.ir.dtypes import F8
from roofscan.ir.facts import ArrayFact, Facts, ScalarFact
from roofscan.ir.kernel import Kernel
from roofscan.symbolic.expr import Number, apply
from tests.support.kernel_builder import Build, expr


def facts(arrays: dict[str, tuple[str, ...] | None] | None = None, **scalars: Number) -> Facts:
    shapes = {n: None if s is None else tuple(expr(x) for x in s) for n, s in (arrays or {}).items()}
    return Facts(
        {name: ArrayFact(F8, shape) for name, shape in shapes.items()},
        {name: ScalarFact(value, False) for name, value in scalars.items()},
    )


def kernel(*shape: str, **kinds: str) -> Kernel:
    b = Build()
    b.array("A", *shape)
    for name, kind in kinds.items():
        b.symbol(name, kind)
    return b.kernel()


def test_scalars_by_name() -> None:
    assert resolve_values(kernel("n", p1="share"), facts(n=5, p1=Fraction(1, 10))) == (
        {"n": 5, "p1": Fraction(1, 10)}, [],
    )  # fmt: skip


def test_parameters_that_are_not_symbols_give_nothing() -> None:
    assert resolve_values(kernel("n"), facts(alpha=2)) == ({}, [])


def test_a_value_of_no_symbol_says_nothing() -> None:
    """``mismatch=-1`` in a call that leaves it out: the default of a parameter that no figure names."""
    made = replace(kernel("n"), values={"mismatch": expr("-1")})
    assert resolve_values(made, facts(n=5)) == ({"n": 5}, [])


def test_extents_are_equations() -> None:
    given = facts({"A": ("1000", "10", "9")})
    assert resolve_values(kernel("n", "2*m", "k - 1"), given) == ({"n": 1000, "m": 5, "k": 10}, [])


def test_equations_feed_each_other() -> None:
    given = facts({"A": ("12", "m")}, k=3)
    assert resolve_values(kernel("n + k", "n", m="size"), given) == ({"k": 3, "n": 9, "m": 9}, [])


def test_values_of_the_kernel_count() -> None:
    b = Build()
    b.array("A", "A_shape_0")
    b.symbol("n", "size")
    made = b.kernel(values={"A_shape_0": expr("n")})
    assert resolve_values(made, facts(n=8)) == ({"n": 8, "A_shape_0": 8}, [])
    free = choose_sample_point(made, {})
    assert free["A_shape_0"] == free["n"]


def test_contradictions() -> None:
    _, problems = resolve_values(kernel("n", "n"), facts({"A": ("4", "4")}, n=5))
    assert len(problems) == 2 and all("n=5" in p for p in problems)
    _, problems = resolve_values(kernel("n"), facts({"A": ("4", "4")}))
    assert problems == ["A[4,4] has 2 dimensions, in the source 1"]
    _, problems = resolve_values(kernel("2*n"), facts({"A": ("7",)}))
    assert problems == ["A[7]: 7/2 is not an integer"]
    _, problems = resolve_values(kernel("n - 3"), facts({"A": ("-7",)}))
    assert problems == ["A[-7]: -4 is below 0; write an integer from 0 on"]
    _, problems = resolve_values(kernel("n", p="share"), facts(p=2))
    assert problems == ["p=2: 2 is not a share between 0 and 1"]
    _, problems = resolve_values(kernel("5"), facts({"A": ("7",)}))
    assert problems == ["A[7] contradicts the source"]


def test_an_array_without_extents_gives_nothing() -> None:
    assert resolve_values(kernel("n"), facts({"A": None, "B": ("3",)})) == ({}, [])


def test_generic_values_by_kind() -> None:
    kinds = {"t": "tile", "p": "share", "w": "trips", "nnz": "total", "k": "int", "x": "float", "c": "cost"}
    sample_point = choose_sample_point(kernel("n", "m", **kinds), {})
    sizes = [sample_point["n"], sample_point["m"]]
    assert sizes[0] != sizes[1] and all(s % 64 == 0 for s in sizes)
    assert WORKING_SET_BYTES * 0.9 <= 8 * sizes[0] * sizes[1] <= WORKING_SET_BYTES * 1.1
    assert sample_point["p"] == Fraction(1, 2)
    assert 32 <= sample_point["t"] <= 128 and 500 <= sample_point["w"] <= 2000
    assert all(name in sample_point for name in kinds)


def test_bound_symbols_keep_their_values() -> None:
    assert choose_sample_point(kernel("n", "m"), {"n": 3})["n"] == 3


def test_arrays_grow_until_subscripts_fit() -> None:
    b = Build()
    x = b.array("x", "x_shape_0")
    b.symbol("n", "size")
    made = b.kernel(b.loop("i", 0, "n", b.loop("j", 0, "i", b.read(x, "2*i + j + 1"))))
    sample_point = choose_sample_point(made, {})
    assert 3 * (sample_point["n"] - 1) < sample_point["x_shape_0"] <= 3 * sample_point["n"] + 64


def test_a_free_total_is_what_the_arrays_of_known_extent_hold() -> None:
    b = Build()
    x = b.array("x", "900")
    rows = b.loop("row", 0, "100", replace(b.loop("k", 0, "mean", b.read(x, "k")), total=expr("nnz"), total_over="row"))
    b.symbol("mean", "trips")
    b.symbol("nnz", "total")
    sample_point = choose_sample_point(b.kernel(rows), {})
    assert 900 <= sample_point["nnz"] <= 964 and 100 * sample_point["mean"] == sample_point["nnz"]


def test_loops_run() -> None:
    b = Build()
    b.symbol("h", "size")
    b.symbol("n", "size")
    sample_point = choose_sample_point(b.kernel(b.loop("i", 0, "n - h + 1", b.op("add"))), {})
    assert sample_point["n"] > sample_point["h"] > 1


def test_slices_are_never_shorter_than_nothing() -> None:
    b = Build()
    b.symbol("A_shape_0", "size")
    b.symbol("n", "size")
    tail = b.loop("e", 0, "A_shape_0 - i - 1", b.op("add"), array_expression=True)
    sample_point = choose_sample_point(b.kernel(b.loop("i", 0, "n", tail)), {})
    assert sample_point["A_shape_0"] >= sample_point["n"]


def test_exponents_are_small() -> None:
    b = Build()
    b.symbol("R", "size")
    b.symbol("K", "tile")
    b.array("A", apply("pow", [expr("R"), expr("K")]))
    sample_point = choose_sample_point(b.kernel(), {})
    assert (
        sample_point["K"] < 8
        and WORKING_SET_BYTES // 4 < 8 * sample_point["R"] ** sample_point["K"] < 4 * WORKING_SET_BYTES
    )


def test_a_size_in_a_logarithm_is_no_exponent() -> None:
    """Stages of a transform: the exponent runs up to log2(n), and n is as large as any size."""
    (kernel,) = analyze_file("fixtures/shapes.py", Options(kernels="all"), ["fft_stages"]).kernels
    assert kernel.reports[0].cost.sample_point["n"] > 1 << 30


def test_a_size_that_divides_another_is_far_smaller() -> None:
    """Rows of ``x.reshape(-1, k)``: there are many, and they move what the flat array moves."""
    source = "from numba import njit\n\n@njit\ndef f(x, k):\n    return x.reshape(-1, k) * 2.0\n"
    (kernel,) = analyze_source(source, options=Options(kernels="all")).kernels
    sample_point, reuse = kernel.reports[0].cost.sample_point, kernel.reports[0].cost.reuse
    assert sample_point["x_shape_0"] % sample_point["k"] == 0 and sample_point["x_shape_0"] > 1000 * sample_point["k"]
    assert reuse is not None
    assert reuse.traffic(1 << 25).arrays["x"].load.evaluate({"x_shape_0": 640, "k": 8}) == 8 * 640


def test_a_window_that_reaches_to_both_sides_leaves_iterations() -> None:
    """``range(k // 2, n - k // 2)``: the window's size is in a floor; the sample point must leave iterations."""
    source = "from numba import njit\n\n@njit\ndef f(x, w, y):\n" + (
        "    half = w.shape[0] // 2\n    for i in range(half, x.shape[0] - half):\n        s = 0.0\n"
        "        for j in range(w.shape[0]):\n            s += w[j] * x[i - half + j]\n        y[i] = s\n"
    )
    (kernel,) = analyze_source(source).kernels
    flops = kernel.reports[0].cost.flops
    assert flops.evaluate({"x_shape_0": 100, "w_shape_0": 5}) == 2 * 5 * (100 - 4)


def test_sizes_of_a_call_are_changed_where_they_lead_outside() -> None:
    text = "def f(x, y, k):\n    for i in range(len(y)):\n        for j in range(k):\n            y[i] += x[i*k + j]\n"
    [result] = analyze_source(text, "k.py", Options(kernels="all")).kernels
    equal: dict[str, Number] = {"x_shape_0": 100, "y_shape_0": 100, "k": 100}
    for before, after in ((100, 10020), (10000, 10000)):
        sizes = {**equal, "x_shape_0": before}
        Fitting(result.kernel, sizes, {s.name: s.kind for s in result.kernel.symbols if s.name in equal}).fit()
        assert sizes == {**equal, "x_shape_0": after}


def test_a_stack_pops_no_more_than_was_pushed() -> None:
    """A counter that falls by the trips in each iteration around would run below 0: no sample point of a run."""
    source = """
from numba import njit
@njit
def merge(y, level, weight):
    m = 0
    for i in range(y.shape[0]):
        level[m] = y[i]
        weight[m] = 1.0
        m += 1
        while m > 1 and level[m - 2] > level[m - 1]:
            level[m - 2] += level[m - 1]
            weight[m - 2] += weight[m - 1]
            m -= 1
    return m
"""
    (result,) = analyze_source(source).kernels
    cost = result.reports[0].cost
    trips = next(name for name in cost.sample_point if name.startswith("trips"))
    assert 0 < cost.sample_point[trips] < 1 and cost.reuse is not None
    sizes = dict.fromkeys(cost.sample_point, 1000)
    assert cost.reuse.footprint.evaluate({**sizes, trips: Fraction(9, 10)}) >= 8000


def test_a_loop_through_an_array_of_one_element_has_an_iteration() -> None:
    """With three quarters of one it touched nothing, and said so exactly."""
    source = """
from numba import njit
@njit
def chain(x, order):
    count = 0
    top = 0
    while top >= 0:
        top = x[count]
        order[count] = 1.0
        count += 1
    return count
"""
    (result,) = analyze_source(source, options=Options(bind="x=i8[1] order=f8[1]")).kernels
    cost = result.reports[0].cost
    [trips] = cost.sample_point
    assert cost.reuse is not None and cost.reuse.footprint.evaluate({trips: 1}) == 128


@pytest.mark.parametrize("extent", [100, 8])
def test_a_free_filter_leaves_work_on_an_array_of_the_users(extent: int) -> None:
    """At sizes of the filter that leave none, the count would be 0."""
    b = Build()
    x = b.array("x", "n")
    w = b.array("w", "m")
    made = b.kernel(b.loop("i", "m", "n - m", b.read(x, "i"), b.read(w, "0")))
    sample_point = choose_sample_point(made, {"n": extent})
    assert 2 * sample_point["m"] < extent
    assert choose_sample_point(made, {})["m"] > 16
