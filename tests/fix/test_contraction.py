"""``roofscan fix``: an array that passes elements from one loop to the next becomes a scalar that rounds as it did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.cost.transform.fuse_loops import loop_fusions
from roofscan.finding import Finding
from roofscan.fix.contraction.contracted import contracted
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import SourceTree
from roofscan.ir.kernel import Kernel
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from tests.fix.same_results import outcome
from tests.fix.test_interchange import HEAD, THOROUGHNESS, body
from tests.oracle.words import read_words

HOSTILE = Path(__file__).parent / "hostile"
CONTRACTED = {
    "contraction": {
        "plain", "single", "integers", "lengths", "sum", "arms", "named", "of_planes", "of_steps", "stores_over",
        "reads_ahead", "of_two", "of_three", "divides",
    },
    "consumers": {"items", "items_twice", "counter_moves", "filled_between"},
}  # fmt: skip
"""The hostile kernels of which one loop can be made, without the array."""


def fixes_of(text: str, kernel: Kernel) -> Iterator[Fix]:
    source = SourceTree(text.encode())
    function = source.function_at(kernel.line)
    assert function is not None
    for fusion in loop_fusions(kernel):
        finding = Finding("RFL302", "k.py", kernel.line, 0, "", kernel.name, transformation=fusion.record)
        made = contracted(Site(finding, kernel, source, function))
        if made is not None:
            yield made


def kernels(text: str) -> Iterator[Kernel]:
    module = read_module(text, "k.py")
    return (lower(module, candidate) for candidate in find_candidates(module, False).candidates)


@pytest.mark.parametrize("name", CONTRACTED)
def test_what_is_contracted(name: str) -> None:
    """That these do the same is tested with the other hostile kernels."""
    text = (HOSTILE / f"{name}.py").read_text()
    made = {kernel.name.removeprefix(f"{name}_") for kernel in kernels(text) if [*fixes_of(text, kernel)]}
    assert made == CONTRACTED[name]


PASSED = """def passed(x):
    n = len(x)
    d = np.empty(n)
    for i in range(n):
        d[i] = x[i] * 1000
    # the result
    out = np.empty(n)
    for k in range(len(d)):
        out[k] = d[k] + 2.0  # end
    return out
"""


def test_the_array_goes_and_comments_stay() -> None:
    assert body(PASSED, "RFL302") == (
        "def passed(x):\n    n = len(x)\n    # the result\n    out = np.empty(n)\n    for i in range(n):\n"
        "        d_i = np.float64(x[i] * 1000)\n        out[i] = d_i + 2.0  # end\n    return out\n"
    )


def only_fix(text: str) -> Fix | None:
    [kernel] = kernels(HEAD + text)
    return next(fixes_of(HEAD + text, kernel), None)


@pytest.mark.parametrize(
    ("change", "assumed"),
    [
        (("", ""), ()),  # lengths of arrays are not negative
        (("np.empty(n)\n    for i", "np.empty(len(x))\n    for i"), ()),
        (("n = len(x)", "n = len(x) - 1"), ("len(x) - 1 is not negative",)),
        (("x[i] * 1000", "x[i] / x[0]"), ()),  # nobody sees what is stored before an error
    ],
)
def test_it_is_safe(change: tuple[str, str], assumed: tuple[str, ...]) -> None:
    made = only_fix(PASSED.replace(*change))
    assert made is not None and (made.safety, made.assumptions) == ("safe", assumed)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("return out", "return out, d"), "it is returned"),
        (("return out", "return out[d[0]]"), "an element is read later"),
        (("return out", "return out, k"), "the second variable is read afterwards"),
        (("out = np.empty(n)", "out = np.empty(n)\n    e = d"), "it has another name"),
        (("out[k] = d[k] + 2.0", "out[k] = d[k] + d[0]"), "another element is read"),
        (("out[k] = d[k] + 2.0", "out[k] = d[k] + helper(d)"), "a function gets it"),
        (("np.empty(n)\n    for i", "np.empty(n, x.dtype)\n    for i"), "the type is not told"),
        (("np.empty(n)\n    for i", "np.empty(n + 1)\n    for i"), "the loops have other ranges"),
        (("    n = len(x)\n", "    n = len(x)\n    d = x\n"), "the name is bound twice"),
        (("d[i] = x[i] * 1000", "d[i] += x[i] * 1000"), "the element is read before it is stored"),
        (("out = np.empty(n)", "out = np.empty(int(d[0]))"), "an allocation needs an element"),
    ],
)
def test_an_array_that_is_needed_stays(change: tuple[str, str], why: str) -> None:
    assert only_fix(PASSED.replace(*change)) is None, why


# -- what reads the elements -------------------------------------------------------------------------
def test_the_item_of_a_loop_is_the_element() -> None:
    text = (
        "def counted(X):\n    d = np.zeros(len(X) - 1)\n"
        "    for i in range(len(d)): d[i] = abs(X[i + 1] - X[i]) * 1000\n"
        "    s = 0\n    for v in d:\n        if v > 40: s += 1\n    return s / len(d)\n"
    )
    assert body(text, "RFL302") == (
        "def counted(X):\n    s = 0\n    for i in range(len(X) - 1):\n"
        "        v = np.float64(abs(X[i + 1] - X[i]) * 1000)\n        if v > 40:\n            s += 1\n"
        "    return s / (len(X) - 1)\n"
    )


SUMMED = """def summed(x):
    n = len(x)
    d = np.zeros(n)
    for i in range(n):
        d[i] = x[i] * 0.1
    # its mean
    return 2.0 * np.mean(d)
"""


def test_a_sum_is_made_in_the_loop() -> None:
    assert body(SUMMED, "RFL302") == (
        "def summed(x):\n    n = len(x)\n    # its mean\n    total = 0.0\n    for i in range(n):\n"
        "        d_i = x[i] * 0.1\n        total += d_i\n    return 2.0 * np.divide(total, n)\n"
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("2.0 * np.mean(d)", "d[0] * np.mean(d)"), "an element is read too"),
        (("2.0 * np.mean(d)", "np.sum(d) * np.mean(d)"), "two sums"),
        (("2.0 * np.mean(d)", "np.mean(d, 0)"), "an axis is named"),
        (("2.0 * np.mean(d)", "np.max(d)"), "an extremum of nothing raises"),
        (("np.zeros(n)", "np.zeros(n, np.int64)"), "integers are added up in other types"),
        (("np.zeros(n)", "np.zeros(n + 1)"), "one more element is in the mean"),
        (("    # its mean\n", "    x[0] = d[0]\n"), "an element is read before"),
    ],
)
def test_a_sum_of_more_than_the_loop_makes_stays(change: tuple[str, str], why: str) -> None:
    assert only_fix(SUMMED.replace(*change)) is None, why


@pytest.mark.parametrize(("of", "dtype"), [("np.sum(d)", "float64"), ("d.mean()", "float32")])
def test_numba_adds_as_the_loop_does(of: str, dtype: str) -> None:
    text = HEAD + SUMMED.replace("np.mean(d)", of).replace("np.zeros(n)", f"np.zeros(n, np.{dtype})")
    made = only_fix(text.removeprefix(HEAD))
    assert made is not None and made.safety == "safe"
    pytest.importorskip("numba")
    before, after = compiled(text), compiled(made.module.code)
    for size in (1, 2, 7, 8, 1001):
        x = np.random.default_rng(size).standard_normal(size)
        assert before(x) == after(x)
    assert np.isnan(after(np.zeros(0))) == np.isnan(before(np.zeros(0)))


def compiled(text: str) -> Callable[[object], float]:
    scope: dict[str, Any] = {}
    exec(text, scope)
    found: Callable[[object], float] = scope["summed"]
    return found


# -- at random ----------------------------------------------------------------------------------------
PARAMETERS = ("x", "y", "n")
WORDS = "n=5 x=f8[9] y=f8[9]"
STORES = (
    "d[{i}] = x[{i}] * 3",
    "d[{i}] += y[{i}]",
    "d[{i}] *= 2 + t",
    "d[{i}] += c",
    "x[{i}] = d[{i}]",
    "e[{i}] = d[{i}] - 0.5",
)
ITEMS = ("s += v", "c += 1", "if v > 1: c += 1", "out[c] = v", "v *= 2; s += v", "t = v", "s += {i}", "s += d[0]")
READS = ("out[{i}] = d[{i}] + e[{i}]", "s += d[{i}]", "y[{i}] = d[{i}] * e[{i}]", "t = e[{i}]", "out[{i}] = d[{j}]")
MAKERS = st.sampled_from(("empty", "zeros"))
TYPES = ("", "", ", dtype=np.float32", ", np.int64")


@st.composite
def passing(draw: st.DrawFn) -> str:
    """Loops that store and read elements of two local arrays."""
    lines = ["t = 2.0", "s = 0.0", "c = 0", "out = np.zeros(n + 1)"]
    lines += [f"{name} = np.{draw(MAKERS)}(n{draw(st.sampled_from(TYPES))})" for name in "de"]
    first = ("d[{i}] = x[{i}] * 1.5", "e[{i}] = x[{i}] + y[{i}]")
    for number, name in enumerate(draw(st.sampled_from(("ii", "ik", "iii", "iki")))):
        over_items = number and draw(st.booleans())
        array = draw(st.sampled_from("dde"))
        heads = [f"for {name} in range({length}):" for length in ("n", "n", "len(d)")]
        lines.append(f"for v in {array}:" if over_items else draw(st.sampled_from(heads)))
        choices = ITEMS if over_items else READS if number else STORES
        wanted = draw(st.lists(st.sampled_from(choices), min_size=1, max_size=3))
        other = draw(st.sampled_from((name, name, name, "0")))
        lines += [f"    {line}".format(i=name, j=other) for line in (*(() if number else first), *wanted)]
        lines += draw(st.sampled_from(((), (), ("u = np.zeros(n)",), ("q = 0.5",), ("c = 1",))))
    lines.append(f"return {draw(st.sampled_from(('s', 'out', 't', 'd', 'c', 'v')))}")
    inner = "".join(f"    {line}\n" for line in lines)
    return f"{HEAD}def f({', '.join(PARAMETERS)}):\n{inner}"


@settings(max_examples=50 * THOROUGHNESS, deadline=None)
@given(passing(), st.sampled_from((0, 1, 2, 5)))
def test_contracted_loops_give_the_same_bits(text: str, n: int) -> None:
    arguments = read_words(WORDS.replace("n=5", f"n={n}"), PARAMETERS).arguments
    before = outcome(text, "f", arguments)
    for kernel in kernels(text):
        for made in fixes_of(text, kernel):
            assert before in (None, outcome(made.module.code, "f", arguments)), made.module.code
