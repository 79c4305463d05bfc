"""The findings: which there are, their locations, their messages, and where there are none."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from roofscan.api import check_source
from roofscan.ir.kernel import Reason
from roofscan.pipeline.assess import assess
from roofscan.remedy import do
from roofscan.roofline.model import Advice, Ratio
from roofscan.roofline.time.speedup import Speedup
from roofscan.rules.size_dependent import _keep_within
from tests.support.handmade_costs import (
    Costs,
    accelerator,
    axpy,
    copy,
    dense_layer,
    machine,
    matmul,
    movement,
    number,
    sin_exp,
    total,
    touch,
)
from tests.support.kernel_builder import Build, expr


def codes(cost, target=None, advice=()):
    return [f.code for f in assess(cost, target or machine(), advice).findings]


def message(cost, code, target=None, advice=()):
    [found] = [f for f in assess(cost, target or machine(), advice).findings if f.code == code]
    return found.message


# -- RFL102 -------------------------------------------------------------------------------------------
def test_compulsory_traffic_left_of_the_ridge():
    assert message(axpy().cost(), "RFL102") == (
        "kernel: it streams, nothing to gain; memory-bound (AI 0.0833, ridge 3, testbed)"
    )
    assert message(axpy().cost(n=1 << 20), "RFL102").endswith("; memory-bound (AI 0.0833, ridge 3, testbed)")


@pytest.mark.parametrize(
    ("dtype", "precision", "size", "remedy"),
    [
        ("f8", "fp64", 8, "Where the precision allows it, float32 halves its bytes."),
        ("c16", "fp64", 16, "Where the precision allows it, complex64 halves its bytes."),
        ("f4", "fp32", 4, "Where the precision allows it, a smaller type halves its bytes."),
        ("f2", "fp16", 2, ""),
    ],
)
def test_the_remedy_fits_the_type(dtype, precision, size, remedy):
    [found] = assess(axpy(dtype, precision, size).cost(), machine()).findings
    assert (found.code, found.severity) == ("RFL102", "note")
    assert found.detail == (f"{found.message}. {remedy}" if remedy else "")


def test_temporaries_do_not_count_as_compulsory():
    """A scratch array of many passes: left of the ridge as written, right of it by what must cross its border."""
    b = Build()
    x, t = b.array("x", "n"), b.array("t", "n", role="local", live_out=False)
    work = b.op("add", b.read(x, "i"), 0)
    kernel = b.kernel(b.loop("i", 0, "n", b.write(t, "i", value=work)))
    moved = {x: movement("8*n"), t: movement("400*n", 0, "400*n")}
    costs = Costs(kernel, {("add", "fp64"): "60*n"}, moved, moved)
    assert assess(costs.cost(), machine()).verdict.bound == "memory"
    assert "RFL102" not in codes(costs.cost(), machine())
    returned = replace(kernel, arrays=tuple(replace(a, live_out=True) for a in kernel.arrays))
    assert "RFL102" in codes(replace(costs, kernel=returned).cost(), machine())


# -- RFL103 -------------------------------------------------------------------------------------------
def test_some_sizes_only():
    assert message(matmul().cost(), "RFL103") == (
        "kernel: tile its loops to keep B in cache; memory-bound at DRAM for n >= 362 (AI 0.25, ridge 3, testbed)"
    )


def test_a_batch_is_reported_by_its_own_range():
    assert message(dense_layer().cost(k=4096, n=4096), "RFL103", accelerator()) == (
        "kernel: make b at least 169; memory-bound at HBM for b <= 168 (ridge 156, accelerator)"
    )
    assert "b <= 156" in message(dense_layer().cost(), "RFL103", accelerator())
    assert "b <= 168" in message(dense_layer("size").cost(k=4096, n=4096), "RFL103", accelerator())


def test_a_range_of_sizes_is_short():
    """Up to ten million as they are; three digits that are not above a longer one."""
    path = SimpleNamespace(symbol="w")
    for ranges, said in (
        (((1, 2), (31_122_945, None)), "keep w between 3 and 3.11e7"),
        (((1, 2), (401, None)), "keep w between 3 and 400"),
        (((39_999_999, None),), "keep w below 3.99e7"),
        (((1, 168),), "make w at least 169"),
    ):
        assert str(_keep_within(SimpleNamespace(path=path, ranges=ranges))) == said


@pytest.mark.parametrize(
    ("count", "distance", "sizes", "remedy"),
    [
        ("n**3/(8*t)", 0, "t <= 24", "make t at least 25"),
        ("n**3/8", "8*t**2", "t >= 363", "keep t below 363"),
    ],
)
def test_a_tile_is_reported_by_its_own_range(count, distance, sizes, remedy):
    """Every t-th row is reused: 16/t bytes a multiply-add; or entire rows once t x t tiles outgrow the cache."""
    b = Build()
    b.symbol("t", "tile")
    a = b.array("A", "n", "n")
    kernel = b.kernel(b.loop("i", 0, "n", b.op("add", b.op("mul", b.read(a, "i", 0), b.read(a, 0, "i")), 0)))
    reuse = (touch("A", count, distance if distance else 1 << 40, "i"),)
    counts = {("mul", "fp64"): "n**3", ("add", "fp64"): "n**3"}
    costs = Costs(kernel, counts, {a: movement("16*n**3")}, {a: movement("8*n**2")}, reuse, {"fp64": "n**3"})
    plain = machine(96e9, 16e9, {"L1": 1 << 20})
    near, memory = plain.levels
    target = replace(plain, levels=(replace(near, bandwidth_core=number(1e15)), memory))
    found = message(costs.cost(), "RFL103", target)
    assert found == f"kernel: {remedy}; memory-bound at DRAM for {sizes} (ridge 6, testbed)"


def test_bound_sizes_on_the_good_side_are_silent():
    assert codes(matmul().cost(n=256), machine(48e9, 64e9)) == []
    assert codes(dense_layer().cost(b=512, k=4096, n=4096), accelerator()) == []


# -- at most one verdict, no noise --------------------------------------------------------------------
def gain(kind="tile", words="tile k by 64", intensity="4*n**3"):
    code = "RFL202" if kind == "interchange" else ""
    remedy = do(*words.split(" ", 1))
    return Advice(kind, 4, words, Ratio(expr(intensity), expr("n**3")), code=code, change=remedy, why="unit stride")


def test_advice_comes_first():
    found = assess(matmul().cost(), machine(), [gain()])
    assert [f.code for f in found.findings if f.code.startswith("RFL10")] == ["RFL101"]
    assert found.verdict.code == "RFL101" and found.advice == (gain(),)
    assert found.findings[0].message == (
        "kernel: tile k by 64; memory-bound at DRAM for n >= 362 (AI 0.25, then 4; ridge 3, testbed)"
    )


def test_advice_that_brings_little_is_no_finding():
    little = gain(intensity="n**3/4")
    assert codes(matmul().cost(), machine(), [little]) == ["RFL103"]
    assert codes(sin_exp().cost(), machine(), [gain()]) == []


def test_interchange_is_on_its_loop():
    advice = gain("interchange", "make j the innermost loop")
    found = assess(matmul().cost(), machine(), [replace(advice, speedup=Speedup(3.0, 2.0))]).findings
    said = "kernel: 1.5x by making j the innermost loop; unit stride"
    assert [(f.code, f.line, f.message) for f in found if f.code == "RFL202"] == [("RFL202", 4, said)]


@pytest.mark.parametrize(
    "cost",
    [sin_exp().cost(), total().cost(), copy().cost(), copy("i8").cost(), axpy(kind="none").cost()],
    ids=["compute", "latency", "copy", "integer", "interpreted"],
)
def test_silence(cost):
    assert codes(cost) == []


def test_helpers_without_a_loop_and_constant_loops_are_left_alone():
    b = Build()
    x = b.array("x", 3)
    straight = b.kernel(b.op("mul", b.read(x, 0), b.read(x, 1)))
    moved = {x: movement(64)}
    costs = Costs(straight, {("mul", "fp64"): 1}, {x: movement(16)}, moved)
    assert assess(costs.cost(), machine()).verdict.bound == "memory" and codes(costs.cost()) == []
    b = Build()
    x = b.array("x", 3)
    looped = b.kernel(b.loop("i", 0, 3, b.op("mul", b.read(x, "i"))))
    assert codes(replace(costs, kernel=looped, operations={("mul", "fp64"): 3}).cost()) == []


def test_no_finding_where_the_intensity_may_be_higher():
    costs = axpy()
    unsure = replace(costs.kernel, reasons=(Reason(3, "calls something unknown", "lower"),))
    assert codes(replace(costs, kernel=unsure).cost()) == []
    assert codes(replace(costs, traffic_status="upper_bound").cost()) == []
    assert codes(replace(costs, traffic_status="lower_bound").cost()) == ["RFL102"]
    assert "lower bound" in assess(replace(costs, kernel=unsure).cost(), machine()).notes[0]


def test_no_finding_where_a_branch_decides():
    """Left of the ridge at half of the branches, right of it if all are taken."""
    b = Build()
    b.symbol("p1", "share")
    x = b.array("x", "n")
    kernel = b.kernel(b.loop("i", 0, "n", b.branch("p1", b.op("mul", b.read(x, "i")))))
    moved = {x: movement("8*n")}
    for flops, expected in (("20*n*p1", []), ("4*n*p1", ["RFL102"])):
        costs = Costs(kernel, {("mul", "fp64"): flops}, moved, moved)
        cost = costs.cost()
        sample_point = {**cost.sample_point, "p1": expr("1/2").constant}
        cost = replace(cost, sample_point=sample_point, reuse=replace(cost.reuse, sample_point=sample_point))
        assert codes(cost, machine(48e9, 16e9)) == expected


# -- RFL001 -------------------------------------------------------------------------------------------
def test_outside_the_model():
    costs = axpy()
    reason = Reason(7, "solve calls itself", "unsupported")
    costs.kernel, costs.status = replace(costs.kernel, reasons=(reason,)), "unsupported"
    assert message(costs.cost(), "RFL001") == (
        "kernel is outside the model: solve calls itself (line 7); move that part out of the kernel"
    )


# -- RFL201 -------------------------------------------------------------------------------------------
def walk(stride=8, shape=("n",), index=("8*i",), dtype="f8", fetched="64*n", reads=None, classes=(), **more):
    """A loop over i that reads x at these places and sums."""
    b = Build()
    x = b.array("x", *shape, dtype=dtype, **more)
    places = reads or [index]
    nodes = [b.op("add", b.read(x, *place)) for place in places]
    kernel = b.kernel(b.loop("i", 0, "n", *nodes), fastmath=True)
    size = {"f8": 8, "f4": 4}[dtype]
    counts = {("add", "fp64"): f"{len(places)}*n"}
    return Costs(kernel, counts, {x: movement(f"{len(places) * size}*n")}, {x: movement(fetched)}, classes)


def test_the_strided_access_of_the_article():
    """8-byte numbers, 64 bytes apart: over 87 % of each line is wasted."""
    assert message(walk().cost(), "RFL201") == (
        "kernel: store what it uses of x contiguously; 12.5 % of each line of x is used"
    )
    [found] = [f for f in assess(walk().cost(), machine()).findings if f.code == "RFL201"]
    assert (
        found.detail
        == f"{found.message}. A stride of 64 bytes: L1 evicts each 64-byte line before the rest of it is used."
    )


def test_the_share_is_that_of_all_accesses_of_the_iteration():
    pairs = walk(reads=[("4*i",), ("4*i + 1",)], fetched="32*n")
    assert "; 50 % of each line of x is used" in message(pairs.cost(), "RFL201")
    whole = walk(reads=[("2*i",), ("2*i + 1",)], fetched="16*n")
    assert "RFL201" not in codes(whole.cost())
    far = walk(reads=[("16*i",), ("16*i + 1",)], fetched="64*n")
    assert "; 25 % of each line of x is used" in message(far.cost(), "RFL201")


def test_neighbours_of_a_column_share_its_lines():
    """A 5-point star by columns: i - 1 and i + 1 are reused, j - 1, j and j + 1 share a line."""
    star = [("i", "j"), ("i - 1", "j"), ("i + 1", "j"), ("i", "j - 1"), ("i", "j + 1")]
    b = Build()
    u = b.array("u", "n", "n")
    inner = b.loop("i", 1, "n - 1", *(b.op("add", b.read(u, *place)) for place in star))
    kernel = b.kernel(b.loop("j", 1, "n - 1", inner), fastmath=True)
    classes = (touch("u", "7*n**2/8", "64*n", "j"),)
    moved = {u: movement("40*n**2")}
    costs = Costs(kernel, {("add", "fp64"): "5*n**2"}, moved, {u: movement("8*n**2")}, classes)
    assert "; 37.5 % of each line of u is used for n >= 513" in message(costs.cost(), "RFL201")


def test_fields_of_a_record():
    """One of three coordinates is a third of what moves; all three are all of it."""
    one = walk(shape=("n", 3), index=("i", 0), fetched="24*n")
    assert "; 1 of 3 fields are used, 33.3 % of each line" in message(one.cost(), "RFL203")
    three = walk(shape=("n", 3), reads=[("i", 0), ("i", 1), ("i", 2)], fetched="24*n")
    assert not {"RFL201", "RFL203"} & set(codes(three.cost()))


def test_unit_stride_is_silent():
    assert "RFL201" not in codes(walk(index=("i",), fetched="8*n").cost())
    assert "RFL201" not in codes(walk(index=("n - i",), fetched="8*n").cost())


def test_columns_are_lost_from_some_size_on():
    """B is accessed by columns: the reuse distance of its lines is 72 n + 64 bytes."""
    found = message(matmul("ijk").cost(), "RFL201")
    assert found == "kernel: make j the innermost loop, if legal; 12.5 % of each line of B is used for n >= 455"
    assert "RFL201" in codes(matmul("ijk").cost(n=455)) and "RFL201" not in codes(matmul("ijk").cost(n=454))
    assert "RFL201" not in codes(matmul("ikj").cost())


def test_lines_that_another_loop_uses_in_time_are_not_lost():
    """The innermost loop is short: its lines are all still there in the next iteration of the loop around it."""
    b = Build()
    x = b.array("x", 3, "n")
    inner = b.loop("d", 0, 3, b.op("add", b.read(x, "d", "i")))
    kernel = b.kernel(b.loop("i", 0, "n", inner), fastmath=True)
    reuse = (touch("x", "21*n/8", 192, "i"),)
    costs = Costs(kernel, {("add", "fp64"): "3*n"}, {x: movement("24*n")}, {x: movement("24*n")}, reuse)
    assert "RFL201" not in codes(costs.cost())


def test_array_expressions_choose_their_own_order():
    costs = walk()
    [loop] = costs.kernel.body
    costs.kernel = replace(costs.kernel, body=(replace(loop, array_expression=True),))
    assert "RFL201" not in codes(costs.cost())


def test_it_is_on_the_access():
    costs = walk()
    [found] = [f for f in assess(costs.cost(), machine()).findings if f.code == "RFL201"]
    [access] = [n for n in costs.kernel.body[0].body if hasattr(n, "array")]
    assert (found.line, found.column) == (access.line, access.column)


# -- form ---------------------------------------------------------------------------------------------
def test_messages_are_one_line_that_editors_can_parse():
    ugly = replace(matmul("ijk").kernel, name="Outer.<locals>._k__", line=3, column=4)
    report = assess(replace(matmul("ijk"), kernel=ugly).cost(), machine(), [gain("interchange")])
    assert {f.code for f in report.findings} >= {"RFL101", "RFL201", "RFL202"}
    for found in report.findings:
        assert "\n" not in found.message and not re.search(r":\d+:\d*:? ", found.message)
        assert found.message.isascii() and len(found.message) < 150
        assert found.kernel == "Outer.<locals>._k__" and found.path == "kernel.py"
    first = report.findings[0]
    assert (first.line, first.column) == (3, 4) and first.message.startswith("Outer.<locals>._k__: ")


def test_a_search_is_no_finding():
    from roofscan.api import check_source

    head = "from numba import njit\n\n@njit\ndef kernel(s, eps):\n    least = eps * s[0]\n    n = 0\n"
    loop = "    for i in range(s.shape[0]):\n"
    test = "        if s[i] < least:\n            n += 1\n"
    assert check_source(f"{head}{loop}{test}    return n\n") == []
    [found] = check_source(f"{head}{loop}        s[i] *= eps\n{test}    return n\n")
    assert found.code == "RFL102"


def test_a_change_of_one_loop_is_named_once() -> None:
    """Two arrays that the same loop walks with a stride are mended by the same change."""
    source = """
import numpy as np
from numba import njit

@njit
def gradient(D, R, E, gamma):
    m, n = D.shape[0] - 1, D.shape[1] - 1
    for j in range(n, 0, -1):
        for i in range(m, 0, -1):
            a = np.exp((R[i + 1, j] - R[i, j] - D[i, j - 1]) / gamma)
            E[i, j] = E[i + 1, j] * a
"""
    assert [f.code for f in check_source(source)].count("RFL201") == 1
