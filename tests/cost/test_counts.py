"""Operations, FLOPs and register traffic of kernels built by hand."""

from __future__ import annotations

import pytest

from roofscan.cost.analyze import cost_kernel
from roofscan.cost.result import KernelCost
from roofscan.ir.facts import Facts, ScalarFact
from roofscan.ir.kernel import Kernel, Reason
from roofscan.ir.tree import Carried, Node
from roofscan.symbolic.chamber import condition_text
from tests.support.kernel_builder import Build, expr
from tests.support.python_calls import counted_calls

MOST_CALLS = 10_000  # 7,616 when it was written


@pytest.fixture(autouse=True)
def without_reuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofscan.cost.analyze.with_reuse", lambda cost, line: cost)


def bind(**values: int) -> Facts:
    return Facts(scalars={name: ScalarFact(value, False) for name, value in values.items()})


def gemm() -> Kernel:
    b = Build()
    a, m, c = b.array("A", "n", "p"), b.array("B", "p", "m"), b.array("C", "n", "m")
    product = b.op("mul", b.read(a, "i", "k"), b.read(m, "k", "j"))
    update = b.write(c, "i", "j", value=b.op("add", b.read(c, "i", "j"), product))
    return b.kernel(b.loop("i", 0, "n", b.loop("j", 0, "m", b.loop("k", 0, "p", update))))


def test_gemm() -> None:
    cost = cost_kernel(gemm())
    assert cost.status == "exact"
    assert cost.flops == expr("2*n*m*p")
    assert cost.operations == {("mul", "fp64"): expr("n*m*p"), ("add", "fp64"): expr("n*m*p")}
    assert cost.conditions == ()
    assert cost.registers.status == "exact"
    assert cost.registers.total.load == expr("24*n*m*p")
    assert cost.registers.total.writeback == expr("8*n*m*p")
    assert cost.registers.arrays["C"].writeback == expr("8*n*m*p")
    assert cost.nests[0].fused_pairs == {"fp64": expr("n*m*p")}


def test_free_and_bound_symbols() -> None:
    cost = cost_kernel(gemm(), bind(n=10, m=0))
    assert cost.free == {"p"}
    assert cost.flops.evaluate({**cost.sample_point, "p": 7}) == 0
    assert (cost.sample_point["n"], cost.sample_point["m"]) == (10, 0)


def test_classes_weigh_what_they_should() -> None:
    b = Build()
    x = b.array("x", "n", dtype="f4")
    value = b.read(x, "i")
    for kind in ("neg", "abs", "compare", "convert", "sqrt", "special", "minmax", "div"):
        value = b.op(kind, value, dtype="f4")
    root = b.op("complex_div", value, dtype="c8")
    cost = cost_kernel(b.kernel(b.loop("i", 0, "n", root)))
    assert cost.flops == expr("(4 + 11)*n")
    assert cost.operations["neg", "fp32"] == expr("n")
    assert cost.registers.total.load == expr("4*n")


def test_counts_of_an_operation_may_depend_on_the_loops() -> None:
    b = Build()
    work = b.op("add", count="i*m", library="matmul")
    cost = cost_kernel(b.kernel(b.loop("i", 0, "n", work)))
    assert cost.flops == expr("m*(n**2/2 - n/2)")
    assert cost.nests[0].library == "matmul" and cost.nests[0].parallel


def test_shares_multiply_and_make_it_parametric() -> None:
    b = Build()
    b.symbol("p1", "share")
    yes, no = b.branch("p1", b.op("add")), b.branch("1 - p1", b.op("mul"))
    triangle = b.loop("i", 0, "n", b.loop("j", 0, "i", yes, no))
    cost = cost_kernel(b.kernel(triangle))
    assert cost.operations["add", "fp64"] == expr("p1*(n**2/2 - n/2)")
    assert (cost.flops, cost.status) == (expr("n**2/2 - n/2"), "exact")  # either arm costs one
    alone = cost_kernel(b.kernel(b.loop("k", 0, "n", yes)))
    assert (alone.flops, alone.status) == (expr("n*p1"), "parametric")


def test_conditions_split_the_domain() -> None:
    b = Build()
    first, later = b.when([("i", "eq")], b.op("mul")), b.when([("i", "ne")], b.op("add"))
    cost = cost_kernel(b.kernel(b.loop("i", 0, "n", first, later)))
    assert cost.operations == {("mul", "fp64"): expr("1"), ("add", "fp64"): expr("n - 1")}
    none = cost_kernel(b.kernel(b.loop("i", 0, "n", first, later)), bind(n=0))
    assert none.flops.evaluate(none.sample_point) == 0


def csr(*between: str) -> KernelCost:
    """y[i] += a[k] * x[idx[k]] over the rows of a CSR matrix; ``between`` are loops inside the rows'."""
    b = Build()
    b.symbol("nnz", "total")
    b.symbol("row", "trips")
    x, y = b.array("x", "n"), b.array("y", "r")
    entry = b.fresh()
    add = b.op("add", entry, b.op("mul", b.read(x, None), 0))
    node: Node = b.loop("k", 0, "row", add, total="nnz", total_over="i", carried=(Carried("s", entry, add.id),))
    for name in between:
        node = b.loop(name, 0, "m", node)
    return cost_kernel(b.kernel(b.loop("t", 0, "sweeps", b.loop("i", 0, "r", node, b.write(y, "i")))))


def test_rows_add_up_to_the_total() -> None:
    cost = csr()
    assert cost.status == "parametric"
    assert cost.flops == expr("2*nnz*sweeps")
    assert cost.registers.arrays["y"].writeback == expr("8*r*sweeps")
    assert cost.nests[0].chains[0].iterations == expr("nnz*sweeps")
    assert cost.sample_point["nnz"] == cost.sample_point["row"] * cost.sample_point["r"]


def test_a_loop_between_the_rows_and_the_total_multiplies() -> None:
    assert csr("j").flops == expr("2*m*nnz*sweeps")


def test_work_that_varies_inside_a_total_is_a_bound() -> None:
    b = Build()
    b.symbol("nnz", "total")
    b.symbol("row", "trips")
    inner = b.loop("k", 0, "row", b.loop("l", 0, "i", b.op("add")), total="nnz", total_over="i")
    cost = cost_kernel(b.kernel(b.loop("i", 0, "r", inner)))
    assert cost.status == "bounded"
    assert [r.effect for r in cost.kernel.reasons] == ["lower"]
    assert cost.flops == 0


def test_squares_of_a_mean_are_a_bound() -> None:
    b = Build()
    b.symbol("w", "trips", mean=True)
    inner = b.loop("k", 0, "w", b.loop("l", 0, "k", b.op("add")))
    assert cost_kernel(b.kernel(b.loop("i", 0, "n", inner))).status == "bounded"
    b = Build()
    b.symbol("w", "trips")
    once = b.loop("q", 0, "w", b.loop("l2", 0, "q", b.op("add")))
    cost = cost_kernel(b.kernel(once))
    assert (cost.status, cost.flops) == ("parametric", expr("w**2/2 - w/2"))


def test_a_test_in_a_loop_of_mean_trips_is_a_bound() -> None:
    """What passes it does not follow from the mean: without the test, the work is as much or more."""
    b = Build()
    b.symbol("w", "trips", mean=True)
    for condition in (("k - i", "eq"), ("i - k", "ge"), ("w - 3", "ge")):
        inner = b.loop("k", 0, "w", b.when([condition], b.op("add")))
        cost = cost_kernel(b.kernel(b.loop("i", 0, "n", inner)))
        assert (cost.status, cost.flops) == ("bounded", expr("n*w"))
        assert [r.effect for r in cost.kernel.reasons] == ["upper"]


def test_no_closed_form_is_a_true_bound() -> None:
    b = Build()
    body = b.when([("n - i*i*i*j*j", "ge")], b.op("add"))
    nest = b.loop("i", 0, "n", b.loop("j", "i", "n", body))
    cost = cost_kernel(b.kernel(nest))
    assert cost.status == "bounded"
    assert cost.kernel.reasons[0].effect == "upper"
    assert cost.flops == expr("n**2")
    bound = cost_kernel(b.kernel(nest), bind(n=30))
    true = sum(30 >= i**3 * j**2 for i in range(30) for j in range(i, 30))
    assert (bound.status, bound.flops.evaluate({"n": 30})) == ("exact", true)


def test_bounds_of_both_directions_become_lower_ones() -> None:
    b = Build()
    body = b.when([("n - i*i*i*j*j", "ge")], b.op("add"))
    call = Reason(3, "f is not known", "lower")
    nest = b.loop("i", 0, "n", b.op("mul"), b.loop("j", "i", "n", body))
    cost = cost_kernel(b.kernel(nest, reasons=(call,)))
    assert {r.effect for r in cost.kernel.reasons} == {"lower"}
    assert cost.flops == expr("n")
    assert cost.registers.status == "lower_bound"


def test_an_unsupported_kernel_has_no_figures() -> None:
    cost = cost_kernel(Build().kernel(reasons=(Reason(2, "a generator", "unsupported"),)))
    assert (cost.status, cost.flops, cost.registers.status, cost.reuse) == ("unsupported", 0, "unknown", None)
    assert cost.registers.why == "a generator (line 2)"


def test_an_integer_kernel_is_exact() -> None:
    b = Build()
    x = b.array("x", "n", dtype="i4")
    cost = cost_kernel(b.kernel(b.loop("i", 0, "n", b.write(x, "i", value=b.read(x, "i")))))
    assert (cost.status, cost.flops) == ("exact", 0)
    assert cost.registers.total.load == expr("4*n")


def test_pieces_of_a_kernel() -> None:
    b = Build()
    x = b.array("x", "n")
    first = b.loop("i", 0, "n", b.write(x, "i", value=b.op("sqrt", b.read(x, "i"))), parallel=True)
    second = b.loop("k", "n-1", -1, b.op("div"), step=-1)
    cost = cost_kernel(b.kernel(b.op("add"), first, b.op("add", library="matmul", count="n**2"), second))
    assert [(n.library, n.parallel) for n in cost.nests] == [
        ("", False), ("matmul", True), ("", True), ("", False),
    ]  # fmt: skip
    assert [list(n.operations.values()) for n in cost.nests] == [
        [expr(1)], [expr("n**2")], [expr("n")], [expr("n")],
    ]  # fmt: skip
    assert cost.flops == expr("n**2 + 2*n + 1")


def test_conditions_of_sizes_are_listed() -> None:
    b = Build()
    cost = cost_kernel(b.kernel(b.loop("i", 1, "n-1", b.loop("j", 0, "min(n, 2*m)", b.op("add")))))
    assert set(map(condition_text, cost.conditions)) == {"n >= 2", "2*m >= n + 1"}


def test_too_many_terms_end_in_a_reason() -> None:
    b = Build()
    node: Node = b.op("add")
    for k in range(40):
        node = b.loop(f"i{k}", 1, f"n{k} - 1", node)
    with counted_calls() as calls:
        cost = cost_kernel(b.kernel(node))
    assert cost.status == "bounded"
    assert "budget" in cost.kernel.reasons[0].message
    assert calls.count < 5_000_000


def test_a_typical_kernel_takes_few_calls() -> None:
    """About 3 ms of Python; how many calls does not depend on the machine."""
    kernel = gemm()
    cost_kernel(kernel)
    with counted_calls() as calls:
        cost_kernel(kernel)
    assert 0 < calls.count < MOST_CALLS


def test_bound_sizes_stand_in_the_expressions_of_free_ones() -> None:
    cost = cost_kernel(gemm(), bind(p=4))
    assert (cost.flops, cost.free) == (expr("8*n*m"), {"n", "m"})
    assert cost_kernel(gemm(), bind(n=2, m=3, p=4)).flops == expr("2*n*m*p")
