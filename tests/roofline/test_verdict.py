"""The verdict: roofs, ridges, what binds, and the cases in which there is none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from roofscan.cost.memory.base import Sharing
from roofscan.cost.result import Chain
from roofscan.ir.kernel import Reason
from roofscan.machine.files import load_machine
from roofscan.pipeline.assess import assess, assess_caches
from roofscan.symbolic.expr import Expr, Func, symbol
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
)
from tests.support.kernel_builder import Build, expr


def level(report, name):
    return next(row for row in report.levels if row.name == name)


def test_rows_are_the_interfaces():
    """Named after the level that serves, with the capacity of the cache that is filled."""
    report = assess(axpy().cost(), machine())
    assert [(row.name, row.capacity) for row in report.levels] == [("L1", 0), ("L2", 32768), ("DRAM", 1 << 20)]
    assert [row.traffic.capacity for row in report.levels[1:]] == [32768, 1 << 20]


def test_axpy_by_hand():
    """2 FLOP for 24 B; 48 GFLOP/s over 16 GB/s is a ridge of 3; attainable 16e9 / 12."""
    report = assess(axpy().cost(), machine(48e9, 16e9))
    memory = level(report, "DRAM")
    assert (memory.ridge, memory.bound) == (3.0, "memory")
    assert memory.intensity.flops == 2 * symbol("n") and memory.intensity.bytes == 24 * symbol("n")
    assert (report.scope, report.precision) == ("core", "fp64")
    verdict = report.verdict
    assert (verdict.level, verdict.bound, verdict.code) == ("DRAM", "memory", "RFL102")
    assert verdict.attainable == pytest.approx(16e9 / 12) and verdict.roof == 48e9
    assert verdict.attainable_expr == Fraction(16 * 10**9, 12)
    assert report.compulsory.total.load == 16 * symbol("n") and report.footprint == 16 * symbol("n")


def test_fills_count_where_stores_allocate():
    plain, allocating = machine(), machine(write_allocate=True)
    moved = [level(assess(copy().cost(), m), "DRAM").intensity.bytes for m in (plain, allocating)]
    assert moved == [16 * symbol("n"), 24 * symbol("n")]
    assert level(assess(copy().cost(), allocating), "L1").intensity.bytes == 16 * symbol("n")


def test_special_functions_are_compute_bound():
    """sin and exp at 0.15 G a second each: 13.4 ns for 16 B, so the AI of 0.19 is right of the ridge."""
    report = assess(sin_exp().cost(), machine(48e9, 16e9))
    assert (report.verdict.bound, report.verdict.code) == ("compute", None)
    assert report.verdict.roof_limits == "special functions"
    assert level(report, "DRAM").intensity.flops == 3 * symbol("n")


def test_a_sum_waits_for_its_adds():
    """Four cycles an add at 3 GHz: 0.75 GFLOP/s where memory would let 2 through. With fastmath memory binds."""
    strict, fast = (assess(total(fastmath).cost(), machine(48e9, 16e9)) for fastmath in (False, True))
    assert strict.verdict.bound == "compute" and strict.verdict.attainable == 0.75e9
    assert "latency of s" in strict.verdict.roof_limits
    assert fast.verdict.bound == "memory" and fast.verdict.attainable == 2e9


def test_all_cores_for_parallel_nests_and_libraries():
    costs = axpy()
    costs.parallel = True
    report = assess(costs.cost(), machine(48e9, 16e9))
    assert report.scope == "socket" and report.verdict.roof == 8 * 48e9
    assert level(report, "DRAM").ridge == 8 * 48e9 / 64e9
    assert assess(dense_layer().cost(), machine()).scope == "socket"
    assert assess(dense_layer().cost(), accelerator()).scope == "device"


def test_the_scope_is_that_of_the_longest_nest():
    cost = axpy().cost()
    [nest] = cost.nests
    short = {key: count / 1000 for key, count in nest.operations.items()}
    small = replace(nest, operations=short, fused_pairs={}, parallel=True)
    for nests, scope in (((nest, small), "core"), ((replace(nest, parallel=True), small), "socket")):
        assert assess(replace(cost, nests=nests), machine()).scope == scope


def with_shared_l3():
    plain = machine(caches={"L1": 1 << 15, "L2": 1 << 20, "L3": 1 << 25})
    shared = replace(plain.levels[2], shared_by=8, exclusive=True)
    return replace(plain, levels=(*plain.levels[:2], shared, plain.levels[3]))


def test_cores_side_by_side_share_a_common_cache():
    cost = axpy().cost()
    cores = replace(cost, nests=tuple(replace(nest, parallel=True, split=True) for nest in cost.nests))
    report = assess(cores, with_shared_l3())
    outer = level(report, "DRAM")
    assert outer.capacity == 1 << 25
    assert outer.sharing == Sharing(threads=8, caches=1)
    assert outer.notes == ("L3 holds the private data of 8 threads, and their shared data once",)
    assert outer.cache.shared_by == 8 and outer.cache.exclusive
    assert level(report, "L3").sharing == Sharing(threads=1, caches=8)


def test_one_core_and_library_calls_have_all_of_a_common_cache():
    for cost in (axpy().cost(), dense_layer().cost()):
        outer = level(assess(cost, with_shared_l3()), "DRAM")
        assert outer.capacity == 1 << 25
        assert outer.notes == ()


def test_a_nearer_level_speaks_where_it_binds_tighter():
    """A product whose data fit the last cache streams B from L2: L2's bandwidth binds, not memory's."""
    report = assess(matmul().cost(n=256), machine(96e9, 16e9))
    assert (report.verdict.level, report.verdict.bound, report.verdict.code) == ("L2", "memory", None)
    assert level(report, "DRAM").bound == "compute"
    ai = Fraction(2 * 256**3, 8 * 256**2 * 255 + 32 * 256**2)
    assert report.verdict.attainable == pytest.approx(float(ai * 64 * 10**9))


def test_depends_on_the_size():
    report = assess(matmul().cost(), machine(48e9, 16e9))
    [holds] = level(report, "DRAM").memory_bound_when
    assert (holds.symbol, holds.ranges, holds.others) == ("n", ((1, 47), (362, None)), "grow")
    assert (report.verdict.bound, report.verdict.code) == ("depends", "RFL103")


def test_small_sizes_do_not_make_a_verdict():
    """A last cache of 1 GiB: memory-bound only while everything fits and starts cold, which is not a finding."""
    report = assess(matmul().cost(n=100), machine(24e9, 160e9, {"L1": 1 << 30}))
    assert report.verdict.bound == "compute"
    costs = matmul()
    costs.classes = ()
    report = assess(costs.cost(), machine(12e9, 16e9))
    assert level(report, "DRAM").memory_bound_when[0].ranges == ((1, 11),)
    assert (report.verdict.bound, report.findings) == ("compute", ())


def test_bounds_from_below_do_not_enter_but_for_memory():
    """A library call moves at least its operands: what caches see is not known, what memory sees counts."""
    slow_caches = accelerator()
    levels = tuple(replace(row, bandwidth_all=number(2e12)) for row in slow_caches.levels)
    report = assess(dense_layer().cost(b=4096, k=4096, n=4096), replace(slow_caches, levels=levels))
    assert level(report, "L2").traffic.status == "lower_bound"
    assert report.verdict.level == "HBM" and report.verdict.bound == "compute"


def test_matrix_units_and_the_ridge_of_the_article():
    report = assess(dense_layer().cost(k=4096, n=4096), accelerator())
    memory = level(report, "HBM")
    assert memory.ridge == 156.0 and memory.bound == "depends"
    [holds] = memory.memory_bound_when
    assert (holds.symbol, holds.ranges, holds.others) == ("b", ((1, 168),), "fixed")


def test_copies_are_memory_bound_without_a_finding():
    report = assess(copy().cost(), machine())
    assert (report.verdict.bound, report.verdict.attainable, report.verdict.reason) == ("memory", 0.0, "")
    assert [row.bound for row in report.levels] == ["memory"] * 3
    assert level(report, "DRAM").intensity.flops == 0 and report.findings == ()


def test_integer_kernels_have_no_verdict():
    report = assess(copy("i8").cost(), machine())
    assert report.verdict.reason == "no floating-point work" and report.verdict.bound is None
    assert {row.bound for row in report.levels} == {None} and level(report, "L1").intensity is not None


def test_a_scalar_helper_has_no_intensity():
    b = Build()
    kernel = b.kernel(b.op("mul", 0, 0), b.op("add", 0, 0))
    costs = Costs(kernel, {("mul", "fp64"): 1, ("add", "fp64"): 1}, {}, {}, fused={"fp64": 1})
    report = assess(costs.cost(), machine())
    assert all(row.intensity is None for row in report.levels)
    assert (report.verdict.bound, report.verdict.attainable, report.findings) == ("compute", 48e9, ())


def test_plain_loops_run_in_the_interpreter():
    report = assess(axpy(kind="none").cost(), machine())
    assert report.verdict.reason == "interpreter-bound: compile it" and report.verdict.bound is None
    assert all(row.ridge is None and row.bound is None for row in report.levels)
    assert report.levels[0].intensity is not None and report.findings == ()
    assert [note for note in report.notes if "interpreter-bound: compile it" in note and "line" in note]


@pytest.mark.parametrize("kind", ["none", "pragma"])
def test_array_expressions_run_by_numpy_have_a_verdict(kind):
    b = Build()
    x, y = b.array("x", "n"), b.array("y", "n")
    loop = b.loop("i", 0, "n", b.write(y, "i", value=b.op("add", b.read(x, "i"), 0)), array_expression=True)
    moved = {x: movement("8*n"), y: movement(0, 0, "8*n")}
    costs = Costs(b.kernel(loop, kind=kind), {("add", "fp64"): "n"}, moved, moved)
    assert assess(costs.cost(), machine()).verdict.code == "RFL102"


def test_a_python_loop_around_array_expressions_has_a_verdict():
    b = Build()
    x = b.array("x", "n")
    inner = b.loop("i", 0, "n", b.write(x, "i", value=b.op("add", b.read(x, "i"), 0)), array_expression=True)
    moved = {x: movement("80*n", 0, "80*n")}
    costs = Costs(b.kernel(b.loop("t", 0, 10, inner), kind="none"), {("add", "fp64"): "10*n"}, moved, moved)
    assert assess(costs.cost(), machine()).verdict.bound == "memory"


def test_unsupported_kernels_give_the_reason():
    costs = axpy()
    costs.status = "unsupported"
    costs.kernel = replace(costs.kernel, reasons=(Reason(7, "calls itself", "unsupported"),))
    report = assess(costs.cost(), machine())
    assert report.verdict.reason == "calls itself" and report.levels == ()
    assert [f.code for f in report.findings] == ["RFL001"]


def test_counts_without_a_value_are_no_failure():
    long = Expr.atom(Func("sum", (expr("t"), expr("t"), expr(0), expr("n**3"))))
    cost = replace(axpy().cost(), flops=long)
    report = assess(cost, machine())
    assert report.verdict.bound is None and "too long" in report.verdict.reason


def test_traffic_of_unknown_size_gives_no_verdict():
    costs = axpy()
    costs.traffic_status = "unknown"
    cost = costs.cost()
    cost = replace(cost, registers=replace(cost.registers, status="unknown"))
    report = assess(cost, machine())
    assert report.verdict.reason == "its traffic is not known" and report.levels[-1].intensity is None


def test_caches_alone():
    report = assess_caches(matmul().cost(), [4096, 1 << 20], 64)
    assert [(row.name, row.capacity, row.ridge, row.bound) for row in report.levels] == [
        ("4096", 4096, None, None), ("1048576", 1 << 20, None, None),
    ]  # fmt: skip
    assert report.machine is None and report.verdict.attainable is None and report.findings == ()
    assert report.levels[0].intensity.flops == 2 * symbol("n") ** 3


def test_launch_overhead_on_small_work():
    """5 us of 312 TFLOP/s are 1.56 GFLOP, of 2 TB/s 10 MB: n**3 < 0.78e9 and 6 n**2 < 1e7."""
    [note] = (n for n in assess(dense_layer("size").cost(), accelerator()).notes if "launch" in n)
    assert note == "launch overhead (5 µs) outweighs the work for b <= 920"
    bound = dense_layer().cost(b=128, k=128, n=128)
    assert any("outweighs the work at these sizes" in note for note in assess(bound, accelerator()).notes)
    assert not assess(dense_layer().cost(b=4096, k=4096, n=4096), accelerator()).notes


def test_tensor_cores_want_multiples_of_eight():
    report = assess(dense_layer().cost(b=8192, k=4096, n=4100), accelerator())
    assert report.notes == ("tensor cores need multiples of 8: n is 4100",)


def test_a_line_size_of_another_machine_is_remarked_upon():
    levels = tuple(replace(row, line=128) for row in machine().levels)
    assert assess(axpy().cost(), machine(levels=levels)).notes == ("counted in lines of 64 bytes; testbed has 128",)


@pytest.mark.parametrize(
    ("name", "bound", "rate"), [("teaching-scalar", "compute", 24e9), ("teaching-vector", "memory", 32e9)]
)
def test_sum_of_squares_of_the_article(name, bound, rate):
    """2 FLOP for 8 B: right of the ridge 24/128, left of the ridge 96/128 at 0.25 x 128 GFLOP/s."""
    b = Build()
    x = b.array("x", "n")
    chain = Chain("s", 3, "fp64", {"add": 1}, expr("n"), True, True)
    moved = {x: movement("8*n")}
    kernel = b.kernel(b.loop("i", 0, "n", b.read(x, "i")), fastmath=True)
    counts = {("mul", "fp64"): "n", ("add", "fp64"): "n"}
    costs = Costs(kernel, counts, moved, moved, fused={"fp64": "n"}, chains=(chain,))
    verdict = assess(costs.cost(), load_machine(name)).verdict
    assert (verdict.bound, verdict.attainable) == (bound, rate)


def test_a_ridge_is_free_of_the_noise_of_floats():
    """The roof is a quotient of floats; 468/3 is exactly the ridge, so 467 is the last size left of it."""
    for flops in (311.9999999999999e12, 312.0000000000001e12):
        report = assess(dense_layer("size").cost(), accelerator(tensor={"fp16": number(flops)}))
        assert level(report, "HBM").memory_bound_when[0].ranges == ((1, 467),)
