"""Symbolic execution counts against loops that run.

A random nest is run by :func:`run` at a random sample point; the expression must equal it there, whatever the
sizes, and at every other point where the conditions of its chamber hold.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from roofscan.cost.statement_domain import Domain
from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Branch, Loop, When
from roofscan.symbolic.chamber import Chamber, condition_text
from roofscan.symbolic.counting import lattice_points
from roofscan.symbolic.counting.constraints import Constraints
from roofscan.symbolic.counting.lattice_points import LatticePointCounter, Uncountable
from roofscan.symbolic.counting.polyhedron import Polyhedron
from roofscan.symbolic.expr import Expr, Number
from tests.support.kernel_builder import Build, atom, expr

Path = list[Loop | When | Branch]
SIZES = ("n", "m", "t")


def run(path: Path, values: dict[str, Number], weight: Expr) -> Number:
    if not path:
        return weight.evaluate(values)
    node, rest = path[0], path[1:]
    if isinstance(node, Loop):
        start, stop, step = (int(x.evaluate(values)) for x in (node.start, node.stop, node.step))
        return sum((run(rest, {**values, node.var: v}, weight) for v in range(start, stop, step)), start=0)
    assert isinstance(node, When)
    return run(rest, values, weight) if all(holds(c, values) for c in node.conditions) else 0


def holds(condition: Condition, values: dict[str, Number]) -> bool:
    value = condition.expr.evaluate(values)
    if condition.modulus:
        value = value % condition.modulus
    return {"ge": value >= 0, "eq": value == 0, "ne": value != 0}[condition.relation]


def count(path: Path, sample_point: dict[str, Number], weight: Expr) -> tuple[Expr, Chamber]:
    chamber = Chamber(sample_point)
    counter, domain = LatticePointCounter(chamber), Domain()
    for node in path:
        domain = domain.enter(node, counter)
    return domain.count(counter, weight), chamber


def check(path: Path, sample_point: dict[str, Number], weight: str = "1", others: int = 12) -> Expr:
    """Checks equality at the sample point and wherever the chamber's conditions hold; returns the expression."""
    made, chamber = count(path, sample_point, expr(weight))
    assert made.evaluate(sample_point) == run(path, sample_point, expr(weight)), (made, path)
    random = Random(str(path))
    for _ in range(others):
        values: dict[str, Number] = {s: random.randint(1, 9) for s in sample_point}
        if all(g.evaluate(values) >= 0 for g in chamber.facts):
            assert made.evaluate(values) == run(path, values, expr(weight)), (made, values, chamber.facts)
    return made


# -- random nests ---------------------------------------------------------------------------------
@st.composite
def nests(draw: st.DrawFn) -> Path:
    build, path, outer = Build(), [], []
    for depth in range(draw(st.integers(1, 4))):
        var = "ijkl"[depth]
        path.append(draw(_loops(build, var, outer)))
        outer.append(var)
        if draw(st.integers(0, 3)) == 0:
            path.append(draw(_whens(build, outer)))
    return path


@st.composite
def _affine(draw: st.DrawFn, outer: list[str], sizes: tuple[str, ...] = SIZES[:2]) -> str:
    variable = draw(st.sampled_from([*outer, "0"]))
    size = draw(st.sampled_from([*sizes, "0", "0"]))
    sign = draw(st.sampled_from(["", "", "-"]))
    return f"{sign}{variable} + {size} + {draw(st.integers(-3, 3))}"


@st.composite
def _loops(draw: st.DrawFn, build: Build, var: str, outer: list[str]) -> Loop:
    start = draw(st.one_of(st.just("0"), _affine(outer, ())))
    stop = draw(st.one_of(st.sampled_from(["n", "m"]), _affine(outer)))
    step = draw(st.sampled_from(["1", "1", "1", "2", "3", "-1", "-2", "t"]))
    kind = draw(st.integers(0, 5))
    if kind == 0:
        stop = f"min({stop}, {draw(_affine(outer))})"
    elif kind == 1:
        start = f"max({start}, {draw(_affine(outer))})"
    elif kind == 2 and outer:
        stop = f"({stop}) // {draw(st.integers(2, 3))}"
    if step.startswith("-"):
        start, stop = stop, start
    return build.loop(var, start, stop, step=expr(step))


@st.composite
def _whens(draw: st.DrawFn, build: Build, outer: list[str]) -> When:
    relation = draw(st.sampled_from(["ge", "ge", "eq", "ne"]))
    modulus = draw(st.sampled_from([0, 0, 2, 3])) if relation != "ge" else 0
    text = draw(_affine(outer, ("n",)))
    if draw(st.booleans()):
        text += f" - {draw(st.integers(1, 2))}*{draw(st.sampled_from(outer))}"
    return build.when([(text, relation, modulus)])


SAMPLE_POINTS = st.fixed_dictionaries({"n": st.integers(0, 7), "m": st.integers(0, 7), "t": st.integers(1, 4)})


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(nests(), SAMPLE_POINTS, st.sampled_from(["1", "1", "i + 2*n"]))
def test_random_nests(path: Path, sample_point: dict[str, Number], weight: str) -> None:
    try:
        check(path, sample_point, weight)
    except Uncountable as why:  # the budget is the one reason that there may be
        if not str(why).startswith("budget"):
            raise
        assume(False)


# -- nests that are written -----------------------------------------------------------------------
B = Build()
GRID = [dict(zip(SIZES, point)) for point in product((0, 1, 2, 5, 8), (0, 1, 3, 6), (1, 2, 3))]
WRITTEN: dict[str, tuple[Path, str]] = {
    "rectangle": ([B.loop("i", 0, "n"), B.loop("j", 0, "m")], "m*n"),
    "triangle": ([B.loop("i", 0, "n"), B.loop("j", 0, "i")], "n**2/2 - n/2"),
    "pyramid": (
        [B.loop("i", 0, "n"), B.loop("j", 0, "i+1"), B.loop("k", "j", "i+1")], "n**3/6 + n**2/2 + n/3",
    ),
    "reversed": ([B.loop("i", "n-1", -1, step=-1), B.loop("j", "i", "n")], "n**2/2 + n/2"),
    "tiles": (
        [B.loop("ii", 0, "n", step="t"), B.loop("jj", 0, "m", step="t"), B.loop("i", "ii", "min(ii+t, n)"),
         B.loop("j", "jj", "min(m, jj+t)")], "m*n",
    ),
    "tiles in the interior": (
        [B.loop("ii", 0, "n", step="t"), B.loop("i", "max(ii, 1)", "min(ii+t, n-1)")], "n - 2",
    ),
    "three bounds of two slopes": (
        [B.loop("i", 0, "n"), B.loop("j", "i", "n"), B.when([("n - 2*i", "ge", 0)]), B.loop("k", "i", "n"),
         B.when([("i", "eq", 2)])],
        "-2*n*floor(n/4)**2 + n**2*floor(n/4) + 4*floor(n/4)**3/3 - 2*n*floor(n/4) + n**2 + 2*floor(n/4)**2"
        " + 2*floor(n/4)/3",
    ),
    "tiles in tiles": (
        [B.loop("iii", 0, "n", step=6), B.loop("ii", "iii", "min(iii+6, n)", step=3),
         B.loop("i", "ii", "min(ii+3, n)")], "n",
    ),
    "tiles in symbolic tiles": (
        [B.loop("iii", 0, "n", step="m"), B.loop("ii", "iii", "min(iii+m, n)", step="t"),
         B.loop("i", "ii", "min(ii+t, iii+m, n)")], "n",
    ),
    "whole tiles": ([B.loop("ii", 0, "n", step=3), B.loop("i", "ii", "ii+3")], "3*ceiling(n/3)"),
    "lower tiles": (
        [B.loop("ii", 0, "n", step="t"), B.loop("jj", 0, "ii+1", step="t"), B.loop("i", "ii", "min(ii+t, n)"),
         B.loop("j", "jj", "min(jj+t, i+1)")], "n**2/2 + n/2",
    ),
    "stepped triangle": ([B.loop("i", 0, "n"), B.loop("j", "i", "n", step=3)], ""),
    "band": ([B.loop("i", 0, "n"), B.loop("j", "max(0, i-m)", "min(n, i+m+1)")], ""),
    "checkerboard": ([B.loop("i", 1, "n-1"), B.loop("j", "1 + i", "m-1", step=2)], ""),
    "red black": ([B.loop("i", 1, "n"), B.loop("j", 1, "m"), B.when([("i+j", "eq", 2)])], ""),
    "off the diagonal": (
        [B.loop("i", 0, "n"), B.loop("j", 0, "n"), B.when([("i-j", "ne")])], "n**2 - n",
    ),
    "parabola": ([B.loop("i", 0, "n"), B.loop("j", 0, "i*i")], "n**3/3 - n**2/2 + n/6"),
    "hyperbola": ([B.loop("i", 1, "n"), B.loop("j", 1, "n"), B.when([("n - i*j", "ge")])], ""),
    "one end in two floors": (
        [B.loop("i", 0, "n"), B.loop("j", 0, "i+n"), B.loop("k", 0, "i + n - (i+n)//2"),
         B.when([("i - 2*k + n + 1", "ne", 3)])], "",
    ),
    "halves": ([B.loop("i", 0, "n"), B.loop("j", 0, "i//2"), B.loop("k", "j//2", "m")], ""),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_written_nests_at_every_size(name: str) -> None:
    path, _ = WRITTEN[name]
    for sample_point in GRID:
        if all(loop.step.evaluate(sample_point) for loop in path if isinstance(loop, Loop)):
            check(path, sample_point, others=3)


@pytest.mark.parametrize("name", [name for name, (_, text) in WRITTEN.items() if text])
def test_closed_forms_of_written_nests(name: str) -> None:
    path, text = WRITTEN[name]
    made, _ = count(path, {"n": 640, "m": 128, "t": 16}, expr("1"))
    assert str(made) == text


HALVING: dict[str, Path] = {
    "outer doubles": [B.loop("s", 0, "ilog2(n) + 1"), B.loop("i", 0, "n", step=expr("pow2(s)"))],
    "butterflies": [
        B.loop("s", 0, "ilog2(n)"), B.loop("i", 0, "n", step=expr("2*pow2(s)")), B.loop("j", 0, expr("pow2(s)")),
    ],
    "sieve": [B.loop("i", 1, "n"), B.loop("s", 0, atom("ilog2", "(n-1)//i") + 1)],
    "halving spans": [
        B.loop("s", 0, "ilog2(n) + 1"), B.loop("i", 0, "n", step=expr("2*(n // pow2(s))")),
        B.loop("j", 0, expr("n // pow2(s)")),
    ],
    "shift": [B.loop("i", 0, "n"), B.loop("s", 0, 4), B.when([("i - pow2(s)", "ge")])],
}  # fmt: skip


@pytest.mark.parametrize("name", HALVING)
def test_halving_loops(name: str) -> None:
    for n in range(1, 40):
        check(HALVING[name], {"n": n}, others=4)


def test_sixty_independent_loops() -> None:
    made, chamber = count([B.loop(f"i{k}", 0, "n") for k in range(60)], {"n": 640}, expr("1"))
    assert str(made) == "n**60"
    assert chamber.conditions() == ()


def test_conditions_are_reported() -> None:
    band, _ = WRITTEN["band"]
    _, chamber = count(band, {"n": 640, "m": 8}, expr("1"))
    assert [condition_text(g) for g in chamber.conditions()] == ["n >= 2*m + 2"]


@pytest.mark.parametrize("sample_point", [{"n": 7, "m": 4, "t": 1}, {"n": 1, "m": 1, "t": 1}])
@pytest.mark.parametrize("bounds", [("0", "n"), ("1", "m - 2"), ("n", "0"), ("t - 2", "2*n + 1"), ("0", "0")])
def test_a_box_is_counted_in_one_step(
    bounds: tuple[str, str], sample_point: dict[str, Number], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the count and the conditions that taking it apart gives."""
    build = Build()
    box = [build.loop("i", 0, "n"), build.loop("j", *bounds)]
    found, chamber = count(box, sample_point, Expr.of(1))
    monkeypatch.setattr(lattice_points, "_single_range", lambda piece: None)
    taken_apart, other = count(box, sample_point, Expr.of(1))
    assert found == taken_apart
    assert list(chamber.facts) == list(other.facts)


def test_the_sides_of_a_box_are_not_simplified(monkeypatch: pytest.MonkeyPatch) -> None:
    build, simplified, asked = Build(), Constraints.simplified, list[tuple[str, ...]]()

    def counted(self: Constraints, piece: Polyhedron) -> Polyhedron | None:
        asked.append(piece.variables)
        return simplified(self, piece)

    monkeypatch.setattr(Constraints, "simplified", counted)
    count([build.loop("i", 0, "n"), build.loop("j", 1, "m")], {"n": 7, "m": 4}, Expr.of(1))
    assert asked == [("i", "j")]
