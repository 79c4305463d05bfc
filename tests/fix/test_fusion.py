"""``roofscan fix``: neighbouring loops in one give the same bits, or are not offered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.cost.transform.fuse_loops import loop_fusions
from roofscan.cost.transform.fuse_passes import pass_fusions
from roofscan.finding import Finding
from roofscan.fix.fusion import fused, one_pass
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import SourceTree
from tests.fix.same_results import outcome
from tests.fix.test_interchange import HEAD, THOROUGHNESS, body, fix
from tests.oracle.words import read_words
from tests.support.lowered_source import lowered

PARAMETERS = ("x", "y", "z", "U", "V", "W", "n", "m")
WORDS = "n=5 m=4 x=f8[9] y=f8[9] z=f8[9] U=f8[9,9] V=f8[9,9] W=f8[9,9]"

VECTORS = ("x[{i}]", "y[{i}]", "z[{i}]", "x[{i} + 1]", "y[{i} + 1]", "y[{i} + 2]", "t", "s", "x[0]")
PLANES = ("U[{i}, {j}]", "V[{i}, {j}]", "W[{i}, {j}]", "V[{i} + 1, {j}]", "V[{i}, {j} + 1]", "V[{j}, {i}]", "t")


@st.composite
def neighbours(draw: st.DrawFn) -> str:
    """Two or three loops in a row, over vectors or planes."""
    nested, lines = draw(st.booleans()), ["t = 2.0", "s = 0.0"]
    places = PLANES if nested else VECTORS
    for name in draw(st.sampled_from(("ii", "ik", "iii", "ki"))):
        lines.append(f"for {name} in range({draw(st.sampled_from(('n', 'n', 'n', 'm')))}):")
        if nested:
            lines.append("    for j in range(m):")
        for _ in range(draw(st.integers(1, 2))):
            store = draw(st.sampled_from((*places[:-1], "t", "s")))
            op = draw(st.sampled_from(("=", "=", "+=")))
            reads = (draw(st.sampled_from(places)) for _ in range(2))
            text = f"{store} {op} {' * '.join(reads)}".format(i=name, j="j")
            lines.append("    " * (2 if nested else 1) + text)
    lines.append(f"return {draw(st.sampled_from(('0.0', 's', 't')))}")
    inner = "".join(f"    {line}\n" for line in lines)
    return f"{HEAD}def f({', '.join(PARAMETERS)}):\n{inner}"


def fixes_of(text: str) -> Iterator[Fix]:
    """The fixes for every legal fusion, whether it pays or not."""
    kernel = lowered(text)
    for fusion in loop_fusions(kernel):
        source = SourceTree(text.encode())
        function = source.function_at(kernel.line)
        assert function is not None
        finding = Finding("RFL302", "k.py", kernel.line, 0, "", kernel.name, transformation=fusion.record)
        made = fused(Site(finding, kernel, source, function))
        if made is not None:
            yield made


@settings(max_examples=100 * THOROUGHNESS, deadline=None)
@given(neighbours())
def test_every_legal_fusion_gives_the_same_bits(text: str) -> None:
    arguments = read_words(WORDS, PARAMETERS).arguments
    before = outcome(text, "f", arguments)
    for made in fixes_of(text):
        assert outcome(made.module.code, "f", arguments) == before, made.module.code


TWO = """def two(x, y, z):
    n = len(x)
    for i in range(n):
        t = 2.0 * x[i]
        y[i] = t + 1.0
    # then z
    for k in range(n):
        t = x[k] + y[k]
        z[k] = t * y[k]  # end
"""


def test_comments_stay_and_the_second_variable_goes() -> None:
    assert (
        body(TWO)
        == """def two(x, y, z):
    n = len(x)
    for i in range(n):
        t = 2.0 * x[i]
        y[i] = t + 1.0
        # then z
        t = x[i] + y[i]
        z[i] = t * y[i]  # end
"""
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("z[k] = t * y[k]", "z[k] = t * y[k + 1]"), "the second loop reads what the first has yet to write"),
        (("    # then z", "    y[0] = 1.0"), "a statement stands between the loops"),
        (("# end\n", "# end\n    z[0] = t\n"), "the scalar is read afterwards"),
        (("# end\n", "# end\n    z[0] = k\n"), "the variable is read afterwards"),
        (("t = x[k] + y[k]", "t += x[k] + y[k]"), "the scalar flows from loop to loop"),
    ],
)
def test_loops_that_stay_apart(change: tuple[str, str], why: str) -> None:
    text = TWO.replace(*change)
    assert body(text) == text, why


# -- passes -------------------------------------------------------------------------------------------
SUMS = (
    "s += x[{i}]",
    "t += x[{i}] * y[{i}]",
    "p *= 1.0 + x[{i}]",
    "d = x[{i}] - y[{i}]\n        q += d * d",
    "t += s * x[{i}]",
)
STARTS = ("t = 0.0", "q = 0", "t = s", "n = m", "s = 1.0", "x = y", "u = 2.0  # a start", "")


@st.composite
def passes(draw: st.DrawFn) -> str:
    lines = ["s = 0.0", "t = 0.0", "p = 1.0", "q = 0.0", "k = 0"]
    for name in draw(st.sampled_from(("ii", "ik", "iii", "ki"))):
        lines += [f"for {name} in range(n):", f"    {draw(st.sampled_from(SUMS)).format(i=name)}"]
        lines += filter(None, [draw(st.sampled_from(STARTS))])
    lines.append(f"return s, t, p, q, {draw(st.sampled_from(('0', 'k')))}")
    inner = "".join(f"    {line}\n" for line in lines)
    return f"{HEAD}def f({', '.join(PARAMETERS)}):\n{inner}"


@settings(max_examples=60 * THOROUGHNESS, deadline=None)
@given(passes(), st.sampled_from((0, 1, 2, 5)))
def test_passes_in_one_give_the_same_bits(text: str, n: int) -> None:
    arguments = read_words(WORDS.replace("n=5", f"n={n}"), PARAMETERS).arguments
    before = outcome(text, "f", arguments)
    for made in passes_of(text):
        assert before in (None, outcome(made.module.code, "f", arguments))


def passes_of(text: str) -> Iterator[Fix]:
    kernel, source = lowered(text), SourceTree(text.encode())
    function = source.function_at(kernel.line)
    assert function is not None
    for found in pass_fusions(kernel):
        finding = Finding("RFL303", "k.py", kernel.line, 0, "", kernel.name, transformation=found.record)
        made = one_pass(Site(finding, kernel, source, function))
        if made is not None:
            yield made


MOMENTS = """def moments(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]

    # squares
    t = 0.0
    for k in range(len(x)):
        t += x[k] * x[k]
    return s, t
"""


def test_two_sums_of_one_array_take_one_pass() -> None:
    [made] = passes_of(HEAD + MOMENTS)
    assert made.safety == "safe" and not made.assumptions
    assert made.module.code.removeprefix(HEAD) == (
        "def moments(x):\n    s = 0.0\n    # squares\n    t = 0.0\n    for i in range(len(x)):\n        s += x[i]\n"
        "        t += x[i] * x[i]\n    return s, t\n"
    )


def test_under_fastmath_no_change_of_loops_keeps_the_bits() -> None:
    head = HEAD.replace("@njit", '@njit(fastmath={"reassoc", "nsz"})')
    [line] = fix(head + MOMENTS, unsafe=True).fixes
    assert "fuse the 2 loops over i (unsafe: with fastmath, other loops round differently too)" in line
    assert not fix(head + MOMENTS).fixes


@pytest.mark.parametrize("between", ["m = t", "x = y", "print(s)", "s = 2.0", "t = x[0]"])
def test_what_may_not_move_keeps_the_passes_apart(between: str) -> None:
    text = MOMENTS.replace("def moments(x):", "def moments(x, y, m):").replace("t = 0.0", f"t = 0.0\n    {between}")
    found = [*passes_of(HEAD + text)]
    assert not found or between == "m = t"
