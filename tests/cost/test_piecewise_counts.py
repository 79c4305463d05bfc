"""Counts that hold whichever of two sizes is larger."""

from __future__ import annotations

import pytest

from tests.oracle import run
from tests.oracle.analysis import counted
from tests.oracle.words import read_words

HEAD = "import numpy as np\n\n\ndef kernel(x, y):\n    n = len(x)\n    m = len(y)\n    s = 0.0\n"
LOOPS = {
    "a guard": "    for e in range(n):\n        for w in range(m):\n            if e - w >= 0:\n"
    "                s += x[e - w] * y[w]\n",
    "a guard in the middle": "    for e in range(n):\n        for w in range(m):\n            if e >= w:\n"
    "                s += x[e - w] * y[w]\n            else:\n                s -= y[w]\n",
    "a triangle that ends": "    for e in range(n):\n        for w in range(e, m):\n            s += x[0] * y[w]\n",
    "a shorter walk": "    for e in range(min(n, m)):\n        s += x[e] * y[e]\n",
    "a longer walk": "    for e in range(max(n, m)):\n        s += 2.0 * s\n",
}


@pytest.mark.parametrize("loops", LOOPS)
def test_one_count_holds_on_both_sides_of_a_comparison(loops: str) -> None:
    source = HEAD + LOOPS[loops] + "    return s\n"
    analysis = counted(source, "kernel", "")
    assert (analysis.cost.status, analysis.cost.conditions) == ("exact", ())
    for n in (1, 2, 3, 6):
        for m in (1, 2, 4, 6, 7):
            words = read_words(f"x=f8[{n}] y=f8[{m}]")
            trace = run(source, "kernel", words.arguments)
            every, sizes = trace.cache(0).total, {"n": n, "m": m}
            assert analysis.flops(sizes) == trace.flops
            assert analysis.moved(analysis.cost.registers, sizes) == (every.load, every.fill, every.writeback)


def test_several_comparisons_keep_their_conditions() -> None:
    head = "def kernel(x, y, z):\n    s = 0.0\n"
    loops = "    for e in range(min(len(x), len(y))):\n        s += 2.0\n"
    loops += "    for e in range(max(len(y), len(z))):\n        s += 2.0\n"
    analysis = counted(head + loops, "kernel", "")
    assert len(analysis.cost.conditions) == 2


def test_a_quotient_without_a_value_between_the_sides_is_joined_by_nothing() -> None:
    loops = "    for e in range(n):\n        for w in range(m):\n            if e >= w:\n                s += y[w]\n"
    source = HEAD + loops + "    for k in range(1000 // (m - n)):\n        s += x[0]\n    return s\n"
    analysis = counted(source, "kernel", "")
    assert analysis.cost.status == "exact" and analysis.cost.conditions
    words = read_words("x=f8[3] y=f8[5]")
    assert analysis.flops({"n": 3, "m": 5}) == run(source, "kernel", words.arguments).flops


@pytest.mark.parametrize("test", ["m > n", "n < m", "m >= n"])
def test_sizes_that_are_equal_at_the_sample_point_are_told_apart(test: str) -> None:
    """A call at m > n leaves early: the count of the loop says that it holds elsewhere only."""
    source = f"def kernel(x, n, m):\n    s = x[n]\n    if {test}:\n        return s\n"
    source += "    for i in range(m):\n        s += x[i]\n    return s\n"
    analysis = counted(source, "kernel", "")
    assert analysis.cost.status == "exact" and analysis.holds_at({"n": 3, "m": 2})
    assert not analysis.holds_at({"n": 2, "m": 3})
