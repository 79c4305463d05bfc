"""Dependence chains, fused pairs and strides of kernels built by hand."""

from __future__ import annotations

import pytest

from roofscan.api import analyze_source
from roofscan.cost.analyze import cost_kernel
from roofscan.cost.result import Chain, NestCost
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Carried, Operation
from tests.support.kernel_builder import Build, expr


@pytest.fixture(autouse=True)
def without_reuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofscan.cost.analyze.with_reuse", lambda cost, line: cost)


def nest(kernel: Kernel) -> NestCost:
    [found] = cost_kernel(kernel).nests
    return found


def chain(kernel: Kernel) -> Chain:
    [found] = nest(kernel).chains
    return found


def reduced(kind: str = "add", fastmath: bool = False, reversed_operands: bool = False) -> Kernel:
    """s = s op x[i]"""
    b = Build()
    x = b.array("x", "n")
    s, element = b.fresh(), b.read(b._arrays[0].name, "i")
    assert x == "x"
    step = b.op(kind, element, s) if reversed_operands else b.op(kind, s, element)
    return b.kernel(b.loop("i", 0, "n", step, carried=(Carried("s", s, step.id),)), fastmath=fastmath)


@pytest.mark.parametrize("kind", ["add", "mul", "minmax", "sub"])
def test_reductions(kind: str) -> None:
    found = chain(reduced(kind))
    assert (found.name, found.kinds, found.iterations) == ("s", {kind: 1}, expr("n"))
    assert found.reduction and not found.reorderable
    assert chain(reduced(kind, fastmath=True)).reorderable == (kind != "minmax")  # Numba leaves minima in order


def test_x_minus_s_is_no_reduction() -> None:
    assert not chain(reduced("sub", reversed_operands=True)).reduction
    assert not chain(reduced("div")).reduction


def test_horner_is_a_chain_of_two_operations_and_not_a_reduction() -> None:
    b = Build()
    c = b.array("c", "n", dtype="f4")
    s = b.fresh()
    step = b.op("add", b.op("mul", s, 0, dtype="f4"), b.read(c, "i"), dtype="f4")
    found = chain(b.kernel(b.loop("i", 0, "n", step, carried=(Carried("s", s, step.id),)), fastmath=True))
    assert (found.kinds, found.precision) == ({"mul": 1, "add": 1}, "fp32")
    assert not found.reduction and not found.reorderable


def test_a_running_sum_that_is_stored_is_no_reduction() -> None:
    b = Build()
    x = b.array("x", "n")
    s = b.fresh()
    step = b.op("add", s, b.read(x, "i"))
    stored = b.write(x, "i", value=step)
    assert not chain(b.kernel(b.loop("i", 0, "n", stored, carried=(Carried("s", s, step.id),)))).reduction


def test_the_slowest_path_counts() -> None:
    b = Build()
    s = b.fresh()
    slow = b.op("sqrt", b.op("div", s, 0))
    root = b.op("add", b.op("mul", s, 0), slow)
    found = chain(b.kernel(b.loop("i", 0, "n", root, carried=(Carried("s", s, root.id),))))
    assert found.kinds == {"div": 1, "sqrt": 1, "add": 1}


def test_a_value_that_is_only_carried_is_not_a_chain() -> None:
    b = Build()
    x = b.array("x", "n")
    old = b.fresh()
    new = b.read(x, "i")
    diff = b.write(x, "i", value=b.op("sub", new, old))
    assert nest(b.kernel(b.loop("i", 0, "n", diff, carried=(Carried("last", old, new.id),)))).chains == ()


def recurrence(*offset: str, stop: str = "n") -> Kernel:
    """x[i, …] = x[i - offset, …] * c"""
    b = Build()
    x = b.array("x", "n")
    update = b.write(x, "i", value=b.op("mul", b.read(x, *offset), 0))
    return b.kernel(b.loop("i", 2, stop, update))


def test_an_element_of_an_earlier_iteration() -> None:
    found = chain(recurrence("i - 1"))
    assert (found.name, found.iterations, found.reduction) == ("x", expr("n - 2"), False)
    assert chain(recurrence("i - 2")).iterations == expr("n/2 - 1")


@pytest.mark.parametrize("place", ["i", "i + 1", "2*i", "0", "i - n"])
def test_other_elements_are_no_chain(place: str) -> None:
    assert nest(recurrence(place)).chains == ()


def test_backward_loops_carry_forward_elements() -> None:
    b = Build()
    x = b.array("x", "n")
    update = b.write(x, "i", value=b.op("mul", b.read(x, "i + 1"), 0))
    assert chain(b.kernel(b.loop("i", "n - 2", -1, update, step=-1))).iterations == expr("n - 1")


def test_gauss_seidel_is_carried_by_the_inner_loop_only() -> None:
    b = Build()
    u = b.array("u", "n", "n")
    total = b.op("add", b.op("add", b.read(u, "i - 1", "j"), b.read(u, "i + 1", "j")), b.read(u, "i", "j - 1"))
    update = b.write(u, "i", "j", value=b.op("mul", total, 0))
    found = chain(b.kernel(b.loop("i", 1, "n - 1", b.loop("j", 1, "n - 1", update))))
    assert (found.kinds, found.iterations) == ({"add": 1, "mul": 1}, expr("(n - 2)**2"))


def test_an_element_that_stays_is_carried() -> None:
    b = Build()
    a, y = b.array("A", "n", "m"), b.array("y", "n")
    update = b.write(y, "i", value=b.op("add", b.read(y, "i"), b.read(a, "i", "j")))
    found = chain(b.kernel(b.loop("i", 0, "n", b.loop("j", 0, "m", update))))
    assert (found.name, found.reduction, found.iterations) == ("y", True, expr("m*n"))


def test_chains_in_a_branch_are_weighted_by_its_share() -> None:
    b = Build()
    b.symbol("p", "share")
    s = b.fresh()
    step = b.op("add", s, 0)
    loop = b.loop("i", 0, "n", b.branch("p", step), carried=(Carried("s", s, step.id),))
    assert chain(b.kernel(loop)).iterations == expr("n*p")


def test_a_chain_ends_where_an_arm_resets_its_value() -> None:
    b = Build()
    b.symbol("p", "share")
    s = b.fresh()
    step = b.op("add", s, 0)
    carried = Carried("s", s, step.id, goes_on=expr("1 - p"))
    assert chain(b.kernel(b.loop("i", 0, "n", step, carried=(carried,)))).iterations == expr("n - n*p")


RESET = """
from numba import njit

@njit
def f(x, y, k, cap):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        {test}
        s -= k * s
        y[i] = s
"""


@pytest.mark.parametrize(
    ("test", "share"),
    [
        ("if s > cap:\n            s = cap", "1 - p1"),
        ("if s > 1.0:\n            s = 1.0", "1 - p1"),
        ("if s <= cap:\n            y[i] = s\n        else:\n            s = cap", "p1"),
        ("if s > cap:\n            s = cap\n        if s < 0.0:\n            s = 0.0", "(1 - p1)*(1 - p2)"),
        ("pass", "1"),
    ],
)
def test_clamped_values_stay_chains(test: str, share: str) -> None:
    report = analyze_source(RESET.format(test=test)).kernels[0].reports[0]
    [found] = [c for nest in report.cost.nests for c in nest.chains]
    assert found.name == "s" and found.iterations == expr(f"x_shape_0*({share})")


ARMS = """
from numba import njit

@njit
def f(x, y):
    s = 1.0
    for i in range(x.shape[0]):
        {arms}
        y[i] = s
"""


@pytest.mark.parametrize(
    ("arms", "share", "length"),
    [
        ("if x[i] > 0.0:\n            s = s * 0.5 + x[i]\n        else:\n            s = s * 0.5", "p1/2 + 1/2", 2),
        ("if x[i] > 0.0:\n            s = s * 0.5\n        else:\n            s = s * 0.5 + x[i]", "1 - p1/2", 2),
        ("if x[i] > 0.0:\n            s = s * 0.5\n        else:\n            y[i] = s", "p1", 1),
        ("if x[i] > 0.0:\n            s = s * 0.5\n        else:\n            s = x[i] * 2.0", "p1", 1),
        (
            "if x[i] > 0.0:\n            s *= 0.5\n        elif x[i] < -1.0:\n            s += 2.0\n"
            "        else:\n            s -= x[i]",
            "1", 1,
        ),
    ],
)  # fmt: skip
def test_a_chain_goes_through_each_arm_that_goes_on_with_it(arms: str, share: str, length: int) -> None:
    """Measured: 5.4 ns an iteration of a strength index, whose arms divide, where half of that was said."""
    report = analyze_source(ARMS.format(arms=arms)).kernels[0].reports[0]
    [found] = [c for nest in report.cost.nests for c in nest.chains]
    assert found.iterations == expr(f"x_shape_0*({share})") and found.length == length


def test_library_style_sums_may_be_reordered() -> None:
    b = Build()
    s = b.fresh()
    step = b.op("add", s, 0)
    loop = b.loop("i", 0, "n", step, carried=(Carried("s", s, step.id),), array_expression=True)
    assert chain(b.kernel(loop, kind="none")).reorderable
    assert not chain(b.kernel(loop, kind="njit")).reorderable


# -- fused pairs ----------------------------------------------------------------------------------
def pairs(*roots: Operation, build: Build) -> object:
    return nest(build.kernel(build.loop("i", 0, "n", *roots))).fused_pairs


def test_one_product_a_sum() -> None:
    b = Build()
    assert pairs(b.op("add", b.op("mul"), b.op("mul")), build=b) == {"fp64": expr("n")}


def test_a_product_used_twice_is_not_fused() -> None:
    b = Build()
    product = b.op("mul")
    b2 = b.op("add", product)
    assert pairs(b2, b.op("sub", product.id), build=b) == {}


def test_a_product_that_is_stored_too_is_not_fused() -> None:
    b = Build()
    x = b.array("x", "n")
    product = b.op("mul")
    total = b.op("add", product)
    assert nest(b.kernel(b.loop("i", 0, "n", total, b.write(x, "i", value=product.id)))).fused_pairs == {}


def test_other_kinds_and_precisions_are_not_fused() -> None:
    b = Build()
    assert pairs(b.op("add", b.op("div")), build=b) == {}
    assert pairs(b.op("add", b.op("mul", dtype="f4")), build=b) == {}
    assert pairs(b.op("div", b.op("mul")), build=b) == {}


# -- strides --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("index", "step", "strided"),
    [
        (("i", "j"), 1, False), (("j", "i"), 1, True), (("i", "0"), 1, False), (("i", "-j + m - 1"), 1, False),
        (("i", "j"), 2, True), (("i", "2*j"), 1, True), (("j", "j"), 1, True), (("i", "i*j"), 1, True),
    ],
)  # fmt: skip
def test_strides_of_the_innermost_loop(index: tuple[str, ...], step: int, strided: bool) -> None:
    b = Build()
    a = b.array("A", "n", "m")
    kernel = b.kernel(b.loop("i", 0, "n", b.loop("j", 0, "m", b.op("add", b.read(a, *index)), step=step)))
    assert nest(kernel).strided_innermost is strided
