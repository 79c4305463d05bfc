"""``roofscan fix --unsafe``: products with a reciprocal are quotients but for rounding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.api import Options
from roofscan.finding import Finding, Subject
from roofscan.fix.model import Site
from roofscan.fix.offers import Choice, fixed
from roofscan.fix.once.reciprocals import multiplied
from roofscan.fix.source import SourceTree
from tests.fix.test_interchange import HEAD, THOROUGHNESS
from tests.oracle.run import run_target
from tests.support.lowered_source import lowered

SCALED = """def f(x, y, A, c, d, n):
    for i in range(2):
        s = 0.5
        for j in range(n):  # all
            {}
        y[0] += s
"""
OFFERED = (
    "y[j] = x[j] / c",
    "y[j] = (x[j] / c - 1.0) / 3.0",
    "A[i, j] /= c",
    "y[j] = 2.0 - x[j] / (c * d + 1.0) / d",
    "y[j] = x[j] / (1.0 + c / d)",
    "s += x[j] / c",
    "y[j] = np.sqrt(x[j] / c) + x[j] * 1.0 / c",
)
REFUSED = (
    "y[j] = x[j] / 4.0",  # exact
    "y[j] = c / x[j]",
    "y[j] = x[j] / A[i, 0]",  # the loop may write it
    "y[int(x[j] / c)] = 1.0",  # cut
    "y[j] = x[j] // c",
    "y[j] = (x[j] / c) % 1.0",
    "y[j] = 1.0 if x[j] / c > 0.5 else 0.0",
    "s = x[j] / c; c = s",
    "y[j] = x[j] / c if c != 0.0 else 0.0",
    "y[j] = x[j] + 1.0 / c",  # LLVM computes it once
    "y[j] = x[j] / 0.0",
)


def after(statement: str) -> str | None:
    text = HEAD + SCALED.format(statement)
    kernel, source = lowered(text), SourceTree(text.encode())
    function = source.function_at(kernel.line)
    assert function is not None
    [line] = [number for number, row in enumerate(text.splitlines(), 1) if "for j in" in row]
    finding = Finding("RFL503", "k.py", line, 0, "", kernel.name, subject=Subject("loop", ("j",)))
    made = multiplied(Site(finding, kernel, source, function))
    assert made is None or (made.safety == "unsafe" and "rounds" in made.why_unsafe)
    return None if made is None else made.module.code


@settings(max_examples=40 * THOROUGHNESS, deadline=None)
@given(st.sampled_from(OFFERED), st.sampled_from((0, 1, 2, 7)), st.integers(0, 99), st.booleans())
def test_the_values_are_the_same_but_for_rounding(statement: str, n: int, seed: int, aliased: bool) -> None:
    made = after(statement)
    assert made is not None
    left = []
    for source in (HEAD + SCALED.format(statement), made):
        x, y, A = (np.random.default_rng(seed).random(shape) for shape in (n + 1, n + 1, (2, n + 1)))
        run_target(source, "f")(x, x if aliased else y, A, 3.7, 0.3, n)
        left.append((x, y, A))
    assert all(np.allclose(one, other, 1e-9, equal_nan=True) for one, other in zip(*left, strict=True))


@pytest.mark.parametrize("statement", REFUSED)
def test_another_quotient_stays(statement: str) -> None:
    assert after(statement) is None


def test_what_is_written() -> None:
    made = after(OFFERED[3])
    assert made is not None and made.count("/ d") == 1 and "for j in range(n):  # all\n" in made
    assert "        reciprocal = 1.0 / (c * d + 1.0)\n        d_reciprocal = 1.0 / d\n        for j" in made or (
        "        d_reciprocal = 1.0 / d\n        reciprocal = 1.0 / (c * d + 1.0)\n        for j" in made
    )
    assert "y[j] = 2.0 - x[j] * reciprocal * d_reciprocal\n" in made


def test_it_is_offered_as_unsafe_alone_and_once() -> None:
    text = HEAD + "@njit\ndef f(x, y, c):\n    for i in range(len(x)):\n        y[i] = x[i] / c\n"
    for unsafe in (False, True):
        options = Options(select=("RFL503",), bind="x=f8[1500] y=f8[1500]")
        made = fixed("k.py", text.encode(), options, Choice(unsafe=unsafe), lambda found, _: found)
        assert len(made.fixes) == unsafe
    assert "y[i] = x[i] * c_reciprocal" in made.after.decode()
