"""``roofscan fix``: neighbouring loops in one give the same bits, or are not offered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.cost.transform.fuse_loops import loop_fusions
from roofscan.finding import Finding
from roofscan.fix.fusion import fused
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import SourceTree
from tests.fix.same_results import outcome
from tests.fix.test_interchange import HEAD, THOROUGHNESS, body
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


@settings(max_examples=200 * THOROUGHNESS, deadline=None)
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
