"""The compute roof: arithmetic by hand on machines whose rates are round."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofscan.cost.result import Chain, NestCost
from roofscan.machine.files import load_machine
from roofscan.machine.model import Machine, MachineError
from roofscan.machine.ridge import bandwidth
from roofscan.roofline.roof import compute_roof
from roofscan.symbolic.expr import Expr, NotEvaluable, symbol

N = symbol("n")
VALUES = {"n": 1_000_000}
GENERIC = load_machine("generic-x86-64")  # 3 GHz; fp64: 48 G fma, 24 G plain, 1.5 G div, 0.15 G special
A100 = load_machine("a100-sxm-80gb")
H100 = load_machine("h100-sxm")


def nest(
    operations: dict[tuple[str, str], Expr | int],
    *,
    pairs: dict[str, Expr] | None = None,
    chains: tuple[Chain, ...] = (),
    strided: bool = False,
    library: str = "",
) -> NestCost:
    """A nest that does ``operations`` for each of n elements."""
    counts = {key: N * count for key, count in operations.items()}
    fused = {precision: N * count for precision, count in (pairs or {}).items()}
    return NestCost(1, bool(library), library, counts, fused, chains, strided)


def chain(kinds: dict[str, int], *, precision: str = "fp64", reorderable: bool = False) -> Chain:
    return Chain("s", 7, precision, kinds, N, True, reorderable)


def roof(a_nest: NestCost, machine: Machine = GENERIC, scope: str = "core") -> float:
    found = compute_roof(a_nest, VALUES, machine, scope)
    return found.flops / found.seconds


def intensity(flops: int, bytes_: int) -> float:
    return flops / bytes_


def ridge_at_memory(a_nest: NestCost) -> float:
    served = bandwidth(GENERIC.levels[-1], "core")
    assert served is not None
    return roof(a_nest) / served.value


MUL, ADD, DIV, SQRT, SPECIAL = (
    ("mul", "fp64"),
    ("add", "fp64"),
    ("div", "fp64"),
    ("sqrt", "fp64"),
    ("special", "fp64"),
)


# -- classes of throughput ------------------------------------------------------------------------
def test_pairs_run_at_the_peak() -> None:
    multiply_add = nest({MUL: 1, ADD: 1}, pairs={"fp64": Expr.of(1)})
    assert roof(multiply_add) == pytest.approx(48e9)
    assert roof(multiply_add, scope="socket") == pytest.approx(1536e9)
    assert str(compute_roof(multiply_add, VALUES, GENERIC, "core").limit) == "fused multiply-adds"


def test_what_does_not_pair_runs_at_half_of_it() -> None:
    assert roof(nest({MUL: 1, ADD: 1})) == pytest.approx(24e9)
    assert roof(nest({ADD: 5})) == pytest.approx(24e9)


def test_pairs_and_single_operations_share_the_pipes() -> None:
    # three sums, one of them fused: 2/48e9 + 2/24e9 seconds for 4 FLOP
    mixed = nest({MUL: 1, ADD: 3}, pairs={"fp64": Expr.of(1)})
    assert roof(mixed) == pytest.approx(4 / (2 / 48e9 + 2 / 24e9))


def test_no_more_pairs_than_there_are_products_and_sums() -> None:
    assert roof(nest({MUL: 1, ADD: 3}, pairs={"fp64": Expr.of(9)})) == pytest.approx(4 / (2 / 48e9 + 2 / 24e9))


def test_divisions_and_roots_share_the_divider() -> None:
    both = nest({DIV: 1, SQRT: 1})
    assert roof(both) == pytest.approx(2 / (1 / 1.5e9 + 1 / 1.2e9))
    assert str(compute_roof(both, VALUES, GENERIC, "core").limit) == "square roots"


@pytest.mark.parametrize(("sums", "limits"), [(8, "divisions"), (32, "adds and multiplications that do not fuse")])
def test_the_divider_works_beside_the_pipes(sums: int, limits: str) -> None:
    found = compute_roof(nest({DIV: 1, ADD: sums}), VALUES, GENERIC, "core")
    assert found.seconds == pytest.approx(1_000_000 * max(1 / 1.5e9, sums / 24e9))
    assert str(found.limit) == limits


def test_a_complex_division_is_eleven_flop() -> None:
    found = compute_roof(nest({("complex_div", "fp64"): 1}), VALUES, GENERIC, "core")
    assert found.flops == 11_000_000
    assert found.seconds == pytest.approx(1_000_000 * max(2 / 1.5e9, 9 / 24e9))


@pytest.mark.parametrize("kind", ["minmax", "compare", "convert"])
def test_these_take_a_slot_of_the_pipes(kind: str) -> None:
    found = compute_roof(nest({ADD: 1, (kind, "fp64"): 1}), VALUES, GENERIC, "core")
    assert found.seconds == pytest.approx(1_000_000 * 2 / 24e9)
    assert found.flops == (2_000_000 if kind == "minmax" else 1_000_000)


@pytest.mark.parametrize("kind", ["neg", "abs"])
def test_signs_are_free(kind: str) -> None:
    assert roof(nest({ADD: 1, (kind, "fp64"): 3})) == pytest.approx(24e9)
    alone = compute_roof(nest({(kind, "fp64"): 3}), VALUES, GENERIC, "core")
    assert (alone.flops, alone.seconds, alone.limit) == (0.0, 0.0, None)


def test_comparisons_alone_take_time_but_have_no_roof() -> None:
    found = compute_roof(nest({("compare", "fp64"): 1}), VALUES, GENERIC, "core")
    assert found.seconds > 0 and found.flops == 0


# -- precisions -----------------------------------------------------------------------------------
def test_precisions_share_the_pipes() -> None:
    assert roof(nest({MUL: 1, ("mul", "fp32"): 1})) == pytest.approx(2 / (1 / 24e9 + 1 / 48e9))


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_a_precision_that_the_machine_lacks_runs_in_a_wider_one(precision: str) -> None:
    assert roof(nest({("add", precision): 1})) == roof(nest({("add", "fp32"): 1})) == pytest.approx(48e9)


def test_a_machine_without_the_precision_or_a_wider_one() -> None:
    single = replace(GENERIC, core={"fp32": GENERIC.core["fp32"]})
    with pytest.raises(MachineError, match="no throughput for fp64"):
        roof(nest({ADD: 1}), single)


# -- latency --------------------------------------------------------------------------------------
def test_a_sum_that_may_not_be_reordered_waits_for_its_adds() -> None:
    ordered = nest({ADD: 1}, chains=(chain({"add": 1}),))
    found = compute_roof(ordered, VALUES, GENERIC, "core")
    assert found.flops / found.seconds == pytest.approx(3e9 / 4)  # 4 cycles an add
    assert str(found.limit) == "the latency of s (line 7)"


def test_it_draws_a_third_of_what_one_core_can_stream() -> None:
    drawn = 8 * roof(nest({ADD: 1}, chains=(chain({"add": 1}),)))
    served = bandwidth(GENERIC.levels[-1], "core")
    assert served is not None and 0.3 <= drawn / served.value <= 0.4


def test_an_ordered_sum_is_compute_bound_and_a_reordered_one_is_not() -> None:
    ordered = nest({ADD: 1}, chains=(chain({"add": 1}),))
    reordered = nest({ADD: 1}, chains=(chain({"add": 1}, reorderable=True),))
    assert ridge_at_memory(ordered) < intensity(1, 8) < ridge_at_memory(reordered)
    assert roof(reordered) == pytest.approx(24e9)


def test_a_chain_adds_the_latencies_on_its_path() -> None:
    # x = (x*a + b)/c: 4 + 4 + 14 cycles
    recurrence = nest({MUL: 1, ADD: 1, DIV: 1}, chains=(chain({"mul": 1, "add": 1, "div": 1}),))
    assert compute_roof(recurrence, VALUES, GENERIC, "core").seconds == pytest.approx(1_000_000 * 22 / 3e9)


def test_all_kinds_have_a_latency() -> None:
    kinds = {"sub": 1, "minmax": 1, "compare": 1, "convert": 1, "neg": 5, "abs": 5, "complex_div": 1}
    cycles = 4 + 4 + 4 + 4 + (4 + 4 + 14)
    found = compute_roof(nest({ADD: 1}, chains=(chain(kinds),)), VALUES, GENERIC, "core")
    assert found.seconds == pytest.approx(1_000_000 * cycles / 3e9)


def test_chains_of_one_nest_overlap() -> None:
    two = nest({ADD: 2}, chains=(chain({"add": 1}), chain({"mul": 1, "add": 1})))
    assert compute_roof(two, VALUES, GENERIC, "core").seconds == pytest.approx(1_000_000 * 8 / 3e9)


def test_a_slow_loop_hides_its_chain() -> None:
    hidden = nest({ADD: 1, SPECIAL: 1}, chains=(chain({"add": 1}),))
    assert str(compute_roof(hidden, VALUES, GENERIC, "core").limit) == "special functions"


def test_chains_run_side_by_side_on_all_cores() -> None:
    ordered = nest({ADD: 1}, chains=(chain({"add": 1}),))
    assert roof(ordered, scope="socket") == pytest.approx(32 * 3e9 / 4)


# -- special functions, strides -------------------------------------------------------------------
def test_a_loop_of_sin_times_exp_is_compute_bound() -> None:
    sin_exp = nest({SPECIAL: 2, MUL: 1})
    assert roof(sin_exp) == pytest.approx(3 / (2 / 0.15e9 + 1 / 24e9))
    assert ridge_at_memory(sin_exp) < 0.05 < intensity(3, 16)
    assert str(compute_roof(sin_exp, VALUES, GENERIC, "core").limit) == "special functions"


def test_a_stride_leaves_no_vector_code() -> None:
    strided = nest({ADD: 1}, strided=True)
    assert roof(strided) == pytest.approx(6e9)  # two adds a cycle
    assert roof(strided, scope="socket") == pytest.approx(32 * 6e9)
    assert "scalar code" in str(compute_roof(strided, VALUES, GENERIC, "core").limit)
    assert roof(nest({DIV: 1}, strided=True)) == pytest.approx(0.75e9)
    assert roof(nest({("add", "fp32"): 1}, strided=True)) == pytest.approx(6e9)


def test_a_stride_on_a_gpu_shows_in_the_traffic_alone() -> None:
    wide, strided = nest({ADD: 1}), nest({ADD: 1}, strided=True)
    assert roof(strided, A100, "device") == roof(wide, A100, "device")


# -- library calls, matrix units ------------------------------------------------------------------
def test_a_library_fuses_and_vectorizes_by_itself() -> None:
    call = nest({MUL: 1, ADD: 1}, chains=(chain({"add": 1}),), strided=True, library="matmul")
    assert roof(call, scope="socket") == pytest.approx(1536e9)


@pytest.mark.parametrize(
    ("machine", "precision", "library", "expected"),
    [
        (H100, "bf16", "matmul", 791.2e12),  # matrix units
        (H100, "bf16", "", 107.04e12),  # loops have none
        (H100, "fp32", "matmul", 53.52e12),  # no matrix units for plain fp32
        (A100, "fp16", "matmul", 249.6e12),
        (A100, "fp64", "matmul", 15.6e12),
    ],
)
def test_matrix_units_serve_library_calls_only(machine: Machine, precision: str, library: str, expected: float) -> None:
    product = {("mul", precision): 1, ("add", precision): 1}
    call = nest(product, pairs={precision: Expr.of(1)}, library=library)
    assert roof(call, machine, "device") == pytest.approx(expected)


def test_ridge_of_a_matrix_product_in_fp16_on_an_a100() -> None:
    call = nest({("mul", "fp16"): 1, ("add", "fp16"): 1}, library="matmul")
    served = bandwidth(A100.levels[-1], "device")
    assert served is not None
    assert roof(call, A100, "device") / served.value == pytest.approx(156)


def test_latency_is_hidden_on_a_gpu() -> None:
    ordered = nest({("add", "fp32"): 1}, chains=(chain({"add": 1}, precision="fp32"),))
    assert roof(ordered, A100, "device") == pytest.approx(15.6e12 / 2)


# -- the teaching machines ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "peak", "memory_bound"), [("teaching-scalar", 24e9, False), ("teaching-vector", 96e9, True)]
)
def test_sum_of_squares_on_two_teaching_machines(name: str, peak: float, memory_bound: bool) -> None:
    machine = load_machine(name)
    squares = nest({MUL: 1, ADD: 1}, chains=(chain({"add": 1}),))
    assert roof(squares, machine) == pytest.approx(peak)
    served = bandwidth(machine.levels[-1], "core")
    assert served is not None
    assert (intensity(2, 8) < roof(squares, machine) / served.value) == memory_bound
    assert min(roof(squares, machine), intensity(2, 8) * served.value) == pytest.approx(32e9 if memory_bound else 24e9)


# -- in general -----------------------------------------------------------------------------------
def test_a_symbol_without_a_value_is_not_guessed() -> None:
    with pytest.raises(NotEvaluable):
        compute_roof(nest({ADD: 1}), {}, GENERIC, "core")


def test_nothing_to_do() -> None:
    found = compute_roof(nest({}), VALUES, GENERIC, "core")
    assert (found.flops, found.seconds, found.limit) == (0.0, 0.0, None)


KINDS = st.sampled_from(["add", "sub", "mul", "div", "sqrt", "special", "minmax", "compare", "complex_div"])
WORK = st.dictionaries(st.tuples(KINDS, st.sampled_from(["fp64", "fp32"])), st.integers(1, 50), min_size=1)


@given(WORK, st.booleans())
def test_more_work_takes_longer_and_more_cores_are_faster(work: dict[tuple[str, str], int], strided: bool) -> None:
    one = compute_roof(nest(dict(work), strided=strided), VALUES, GENERIC, "core")
    twice = compute_roof(
        nest({key: 2 * count for key, count in work.items()}, strided=strided), VALUES, GENERIC, "core"
    )
    every = compute_roof(nest(dict(work), strided=strided), VALUES, GENERIC, "socket")
    assert twice.seconds == pytest.approx(2 * one.seconds)
    assert every.seconds == pytest.approx(one.seconds / 32)
    assert one.flops <= 48e9 * 2 * one.seconds


@given(WORK)
def test_scalar_code_is_never_faster(work: dict[tuple[str, str], int]) -> None:
    vector = compute_roof(nest(dict(work)), VALUES, GENERIC, "core")
    scalar = compute_roof(nest(dict(work), strided=True), VALUES, GENERIC, "core")
    assert scalar.seconds >= vector.seconds
