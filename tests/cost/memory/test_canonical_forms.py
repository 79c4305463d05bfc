"""Nests of the same canonical form are analyzed once; each result names its own arrays and lines."""

from __future__ import annotations

from roofscan.budget import Budget
from roofscan.cost.memory.lru import analyze_reuse
from roofscan.cost.memory.lru.attempt import PRECISIONS, Attempt
from roofscan.cost.memory.lru.tree.build import TreeBuilder
from tests.support.nest_notation import nest

SIZES = {"n": 1000, "m": 1600}


def chain(statements: int) -> str:
    """t1 = f(t0), t2 = f(t1), …: each a nest over the entire array."""
    arrays = " ".join(f"t{k}[n,n]" for k in range(statements + 1))
    nests = [f"for i{k} 0 n\n  for j{k} 0 n\n    t{k}[i{k},j{k}] t{k + 1}[i{k},j{k}]=" for k in range(statements)]
    return "\n".join([arrays, *nests])


def work(statements: int) -> int:
    """Boxes and parts of unions that the model of a chain counts."""
    kernel = nest(chain(statements))
    builder = TreeBuilder(kernel, SIZES, 64)
    analysis = Attempt(kernel, builder, builder.build(), PRECISIONS[0], Budget())
    analysis.model(64)
    return analysis._footprints.work


def test_nests_of_one_form_cost_little_more_than_one() -> None:
    assert work(40) < 2 * work(10)


def test_each_nest_names_its_own_arrays() -> None:
    classes = analyze_reuse(nest(chain(3)), SIZES, 64).classes
    for found in classes:
        if found.place == "j2":
            assert {name for name, _ in found.between} <= {"t2", "t3"}
        if found.array == "t1" and found.place == "sequence":
            assert {name for name, _ in found.between} >= {"t1"}
    assert {c.array for c in classes} == {"t0", "t1", "t2", "t3"}


def test_sizes_that_are_equal_at_the_sample_point_stay_apart() -> None:
    text = "a[n] b[m]\nfor i 0 n\n  a[i]=\nfor j 0 m\n  b[j]="
    model = analyze_reuse(nest(text), {"n": 800, "m": 800}, 64)
    arrays = model.traffic(1 << 20).arrays
    assert arrays["a"].fill.symbols == {"n"}
    assert arrays["b"].fill.symbols == {"m"}
