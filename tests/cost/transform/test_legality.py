"""Loop orders that are called legal leave the same arrays behind, and those that would not are called illegal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from roofscan.cost.dependence import dependences
from roofscan.cost.transform.interchange import Interchange, is_tilable, legal_orders, strided
from roofscan.cost.transform.perfect_nests import Perfect, perfect_nests
from roofscan.cost.transform.tile import Tile, may_be_tiled, tiled
from roofscan.ir.kernel import Kernel
from tests.cost.transform.interpreter import memory_after
from tests.support.lowered_source import kernel_of

SIZES = {"n": 7, "m": 6, "p": 5}


def only(kernel: Kernel) -> Perfect:
    [perfect] = perfect_nests(kernel)
    return perfect


def orders(kernel: Kernel) -> list[str]:
    """The legal orders of the kernel's nest, as names: ``["ijk", "ikj"]``."""
    perfect = only(kernel)
    return [
        "".join(perfect.nest.loops[i].source_name for i in order.positions)
        for order in legal_orders(kernel, perfect.nest)
    ]


def versions(kernel: Kernel, size: int = 2) -> list[Kernel]:
    """The kernel in all legal orders, and in all legal tilings of those."""
    made = []
    for perfect in perfect_nests(kernel):
        signs = dependences(kernel, perfect.nest)
        for order in legal_orders(kernel, perfect.nest):
            assert not order.reordered
            interchange = Interchange(perfect, order)
            made.append(interchange.apply(kernel))
            for place, position in enumerate(order.positions):
                if may_be_tiled(interchange.nest, place) and is_tilable(signs, position):
                    made.append(Tile(replace(perfect, nest=interchange.nest), place, 0, size).apply(kernel))
    return made


# -- by brute force -----------------------------------------------------------------------------------
OFFSETS = st.integers(-1, 1)
DEPTHS = st.integers(2, 3)
VARIABLES = "ijk"


@st.composite
def subscripts(draw: st.DrawFn, depth: int, moving: bool = True) -> str:
    """One subscript: mostly a loop variable and an offset; sometimes a sum of two, a multiple or a constant."""
    var = draw(st.sampled_from(VARIABLES[:depth]))
    other = draw(st.sampled_from(VARIABLES[:depth]))
    offset = draw(OFFSETS)
    forms = [f"{var} + {offset}"] * 6 + [f"{var} + {other}", f"2*{var} + {offset}", f"{offset + 1}"]
    return draw(st.sampled_from(forms))


@st.composite
def elements(draw: st.DrawFn, depth: int) -> str:
    name = draw(st.sampled_from("ABCxy"))
    count = 1 if name in "xy" else 2
    return f"{name}[{', '.join(draw(subscripts(depth)) for _ in range(count))}]"


@st.composite
def ranges(draw: st.DrawFn, depth: int) -> str:
    """Mostly rectangular; triangles, steps, reversed and short loops too. From 2 on: no subscript is negative."""
    outer = VARIABLES[draw(st.integers(0, depth - 1))] if depth else "n"
    forms = ["range(2, n - 1)", "range(2, m)", "range(2, p)", "range(2, n)", "range(n - 1, 1, -1)", "range(2, n, 2)"]
    forms += [f"range(2, {outer})", f"range({outer}, m)"] if depth else ["range(2, 4)"]
    return draw(st.sampled_from(forms))


@st.composite
def nests(draw: st.DrawFn) -> str:
    """A function's body: a nest, its statements, and sometimes something between the loops."""
    depth = draw(DEPTHS)
    lines = []
    between = draw(st.sampled_from(["nothing", "nothing", "scalar", "start", "read", "finish"]))
    for level in range(depth):
        if level == depth - 1:
            lines += [f"{'    ' * level}{line}" for line in _before(draw, between, depth)]
        lines.append(f"{'    ' * level}for {VARIABLES[level]} in {draw(ranges(level))}:")
    inside = "    " * depth
    if between == "scalar":
        lines.append(f"{inside}s += {draw(elements(depth))} * {draw(elements(depth))}")
        result = draw(st.sampled_from(["s", "s / 3.0", "s * 2.0 + x[0]"]))
        lines.append(f"{'    ' * (depth - 1)}{_outer(draw, depth)} = {result}")
        return "\n".join(lines)
    extra = "t + " if between == "read" else ""
    for _ in range(draw(st.integers(1, 2))):
        target = draw(elements(depth))
        sign = draw(st.sampled_from(["=", "+=", "-="]))
        lines.append(f"{inside}{target} {sign} {extra}{draw(elements(depth))} * {draw(elements(depth))}")
    if between == "finish":
        lines.append(f"{'    ' * (depth - 1)}{_outer(draw, depth)} *= 2.0")
    return "\n".join(lines)


def _outer(draw: st.DrawFn, depth: int) -> str:
    """An element that the outer loops choose."""
    deep, flat = ["C[i, j]", "C[j, i]", "B[i, j + 1]", "y[j]"], ["y[i]", "x[i + 1]", "C[i, 0]"]
    return draw(st.sampled_from(deep if depth == 3 else flat))


def _before(draw: st.DrawFn, between: str, depth: int) -> list[str]:
    if between == "scalar":
        return [draw(st.sampled_from(["s = 0.0", f"s = {_outer(draw, depth)}", "s = x[0]"]))]
    if between == "start":
        return [f"{_outer(draw, depth)} = 0.0"]
    return [f"t = {_outer(draw, depth)}"] if between == "read" else []


@settings(max_examples=40, deadline=None)
@given(nests())
def test_legal_versions_leave_the_same_arrays(source: str) -> None:
    kernel = kernel_of(source)
    made = versions(kernel)
    assume(len(made) > 1)
    event(f"{min(len(made), 10)} versions")
    expected = memory_after(kernel, SIZES)
    for version in made:
        assert memory_after(version, SIZES) == expected


# -- by example ---------------------------------------------------------------------------------------
PRODUCT = """
    for i in range(n):
        for j in range(m):
            for k in range(p):
                C[i, j] += A[i, k] * B[k, j]
    """
ACCUMULATED = """
    for i in range(n):
        for j in range(m):
            s = 0.0
            for k in range(p):
                s += A[i, k] * B[k, j]
            C[i, j] = s
    """


@pytest.mark.parametrize("source", [PRODUCT, ACCUMULATED])
def test_a_product_may_run_in_all_six_orders(source: str) -> None:
    kernel = kernel_of(source)
    assert orders(kernel) == ["ijk", "ikj", "jik", "jki", "kij", "kji"]
    assert len(versions(kernel)) > 6
    expected = memory_after(kernel, SIZES)
    assert all(memory_after(version, SIZES) == expected for version in versions(kernel))


def test_only_some_orders_are_dense() -> None:
    kernel = kernel_of(PRODUCT)
    nest = only(kernel).nest
    assert [strided(kernel, nest, innermost) for innermost in range(3)] == [3, 0, 1]


def test_the_element_takes_the_place_of_the_scalar() -> None:
    perfect = only(kernel_of(ACCUMULATED))
    assert perfect.accumulator == "s" and perfect.element is not None and perfect.element.array == "C"
    assert perfect.before and not perfect.after


def test_a_scalar_reset_in_each_iteration_is_not_carried() -> None:
    kernel = kernel_of("s = 1.0" + ACCUMULATED.replace("\n    ", "\n"))
    assert len(orders(kernel)) == 6
    assert all(memory_after(version, SIZES) == memory_after(kernel, SIZES) for version in versions(kernel))


def test_a_mean_is_divided_last() -> None:
    kernel = kernel_of("""
        for j in range(m):
            s = 0.0
            for i in range(n):
                s += A[i, j]
            y[j] = s / n
        """)
    assert orders(kernel) == ["ji", "ij"] and only(kernel).after
    assert len({tuple(sorted(memory_after(k, SIZES).items())) for k in (kernel, *versions(kernel))}) == 1


def illegal(*lines: str, options: str = "") -> Kernel:
    return kernel_of("\n".join(lines), options=options)


@pytest.mark.parametrize(
    "body",
    [
        "A[i, j] = A[i - 1, j + 1] + 1.0",  # a wavefront against the loops
        "A[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j - 1])",
        "A[i, j] = A[j, i] + 1.0",  # two linear parts
        "A[i, j] = A[i - 1, (j * j) % 3]",  # no affine subscript
        "y[i + j] = y[i + j - 1] + A[i, j]",
        "x[0] = x[0] * A[i, j] + 1.0",
    ],
)
def test_what_must_stay_in_order(body: str) -> None:
    kernel = illegal("for i in range(1, n - 1):", "    for j in range(1, m - 1):", f"        {body}")
    assert orders(kernel) == ["ij"]


def test_gauss_seidel_may_be_interchanged_and_not_be_reversed() -> None:
    """Its dependences are (1, 0) and (0, 1): rows and columns are alike; with a corner they are not."""
    star = illegal(
        "for i in range(1, n - 1):", "    for j in range(1, m - 1):",
        "        A[i, j] = 0.25 * (A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1])",
    )  # fmt: skip
    assert orders(star) == ["ij", "ji"]
    expected = memory_after(star, SIZES)
    assert all(memory_after(version, SIZES) == expected for version in versions(star))
    corner = illegal(
        "for i in range(1, n - 1):", "    for j in range(1, m - 1):",
        "        A[i, j] = 0.25 * (A[i - 1, j + 1] + A[i, j - 1])",
    )  # fmt: skip
    assert orders(corner) == ["ij"]


@pytest.mark.parametrize(("place", "expected"), [("j + 1", ["ij", "ji"]), ("j - 1", ["ij"])])
def test_a_loop_that_counts_down_reverses_its_dependences(place: str, expected: list[str]) -> None:
    body = f"        A[i, j] = A[i - 1, {place}] * 0.5"
    kernel = illegal("for i in range(1, n):", "    for j in range(m - 1, 1, -1):", body)
    assert orders(kernel) == expected
    reference = memory_after(kernel, SIZES)
    assert all(memory_after(version, SIZES) == reference for version in versions(kernel))


def test_triangles_turn_their_bounds_round_where_each_has_one() -> None:
    kernel = illegal("for j in range(n):", "    for i in range(j, n):", "        C[i, j] = 2.0 * A[i, j]")
    assert orders(kernel) == ["ji", "ij"]
    reference = memory_after(kernel, SIZES)
    assert all(memory_after(version, SIZES) == reference for version in versions(kernel))
    inner = illegal(
        "for k in range(n):", "    for j in range(k + 1, n):", "        for i in range(k + 1, n):",
        "            A[i, j] -= A[i, k] * A[k, j]",
    )  # fmt: skip
    assert orders(inner) == ["kji", "kij"]


@pytest.mark.parametrize(
    ("first", "body", "last"),
    [
        ("s = 0.0", "s += A[i, j]", "y[0] = s"),  # one element for all
        ("s = 0.0", "s += A[i, j] * y[j]", "y[i] = s"),  # what is stored is read
        ("s = 0.0", "s = s * 0.5 + y[i + 1] * A[i, j]", "y[i] = s"),
        ("y[i] = 0.0", "y[i + 1] += A[i, j]", "pass"),  # the start undoes what was added
        ("t = y[i]", "y[i + 1] += t * A[i, j]", "pass"),
    ],
)
def test_a_statement_between_the_loops_may_forbid(first: str, body: str, last: str) -> None:
    lines = ["for i in range(n):", f"    {first}", "    for j in range(m):", f"        {body}", f"    {last}"]
    assert not list(perfect_nests(illegal(*lines)))


@pytest.mark.parametrize(
    "body",
    [
        "s += A[i, j]",
        "c += 1\n        y[c] = A[i, j]",
        "c = c * 31 + i\n        C[i, j] = A[i, j]",
        "if A[i, j] > s:\n            s = A[i, j]",
        "if A[i, j] > 3.0:\n            break\n        C[i, j] = A[i, j]",
        "found.append(A[i, j])",
    ],
)
def test_a_loop_carried_dependence_forbids(body: str) -> None:
    lines = ["s = 0.0", "c = 0", "found = []", "for i in range(n):", "    for j in range(m):", f"        {body}"]
    lines.append("x[0] = s")
    assert not list(perfect_nests(illegal(*lines)))


def test_a_value_that_is_used_behind_the_nest_forbids() -> None:
    kernel = illegal("t = 0.0", "for i in range(n):", "    for j in range(m):", "        t = A[i, j]", "x[0] = t * 2.0")
    assert not list(perfect_nests(kernel))


@pytest.mark.parametrize(
    ("stop", "body"),
    [("x[i + 1]", "y[i] += A[j, i]"), ("m", "y[places[j]] += A[j, i]"), ("m", "y[i] += helper(A[j, i])")],
    ids=["rows that data bound", "a scatter", "a call"],
)
def test_what_the_tree_does_not_know_forbids(stop: str, body: str) -> None:
    kernel = illegal("for i in range(n):", f"    for j in range({stop}):", f"        {body}")
    assert not list(perfect_nests(kernel))


def test_reductions_are_reordered_only_where_fastmath_allows() -> None:
    lines = ("for j in range(m):", "    for i in range(n):", "        y[0] += A[i, j]")
    assert orders(illegal(*lines)) == ["ji"]
    fast = illegal(*lines, options="fastmath=True")
    assert [order.reordered for order in legal_orders(fast, only(fast).nest)] == [False, True]


def test_parallel_loops_stay_where_they_are() -> None:
    kernel = kernel_of(PRODUCT.replace("i in range", "i in prange"), options="parallel=True")
    assert orders(kernel) == ["ijk", "ikj"]


def test_blocks_need_dependences_that_do_not_go_back() -> None:
    kernel = illegal(
        "for i in range(1, n):", "    for j in range(1, m - 1):", "        A[i, j] = A[i - 1, j + 1] + 1.0",
    )  # fmt: skip
    nest = only(kernel).nest
    assert not is_tilable(dependences(kernel, nest), 1)
    with pytest.raises(ValueError, match="positive constant"):
        down = illegal("for i in range(n):", "    for j in range(m, 0, -1):", "        A[i, j] = 1.0")
        tiled(only(down).nest, 1, 4)
