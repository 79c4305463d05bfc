"""Nests of the same canonical form are analyzed once; each result names its own arrays and lines."""

from __future__ import annotations

from roofscan.budget import Budget
from roofscan.cost.memory.lru import analyze_reuse
from roofscan.cost.memory.lru.attempt import PRECISIONS, Attempt
from roofscan.cost.memory.lru.common_answers import AnswersAtPoint, CommonAnswers
from roofscan.cost.memory.lru.tree.build import TreeBuilder
from tests.support.kernel_builder import Build
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
    analysis = Attempt(kernel, builder, builder.build(), PRECISIONS[0], Budget(), AnswersAtPoint())
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


def test_models_of_kernels_with_nests_in_common_are_as_those_of_each_alone() -> None:
    texts = [chain(3), chain(2), "a[n,n] t1[n,n] b[n]\nfor i 0 n\n  for j 0 n\n    b[j] t1[i,j] a[i,j]="]
    common = CommonAnswers()
    for text in texts:
        alone, after = analyze_reuse(nest(text), SIZES, 64), analyze_reuse(nest(text), SIZES, 64, common=common)
        assert after.classes == alone.classes
        assert [after.traffic(size) for size in (1 << 12, 1 << 20)] == [alone.traffic(n) for n in (1 << 12, 1 << 20)]
    known = common.at(frozenset(SIZES.items())).of(PRECISIONS[0], False, False)
    before = len(known.contributions), len(known.footprints.boxes)
    analyze_reuse(nest(texts[0].replace("t", "u")), SIZES, 64, common=common)
    after = len(known.contributions), len(known.footprints.boxes)
    assert min(before) > 0
    assert before == after


def test_whether_figures_of_changes_are_exact_is_not_asked() -> None:
    kernel, size = nest(chain(2)), 1 << 40
    sure = analyze_reuse(kernel, SIZES, 64, common=CommonAnswers()).traffic(size)
    unsure = analyze_reuse(kernel, SIZES, 64, common=CommonAnswers(of_changes=True)).traffic(size)
    assert (sure.status, unsure.status) == ("exact", "estimate")
    assert sure.total == unsure.total


def test_places_that_depend_on_data_have_no_forms_in_common() -> None:
    build, common = Build(), CommonAnswers()
    build.array("a", "n")
    kernel = build.kernel(build.loop("i", 0, "n", build.read("a", None), build.write("a", "i")))
    for _ in range(2):
        assert analyze_reuse(kernel, SIZES, 64, common=common).classes == analyze_reuse(kernel, SIZES, 64).classes
    assert not common.at(frozenset(SIZES.items())).numbers.forms


def test_sizes_that_are_equal_at_the_sample_point_stay_apart() -> None:
    text = "a[n] b[m]\nfor i 0 n\n  a[i]=\nfor j 0 m\n  b[j]="
    model = analyze_reuse(nest(text), {"n": 800, "m": 800}, 64)
    arrays = model.traffic(1 << 20).arrays
    assert arrays["a"].fill.symbols == {"n"}
    assert arrays["b"].fill.symbols == {"m"}
