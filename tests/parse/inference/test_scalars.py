"""Numbers by what is computed from them: a helper of numbers streams nothing."""

from __future__ import annotations

import pytest

from roofscan.parse.inference.scalars import known_scalars
from roofscan.parse.lowering.numpy.library_calls import TABLE
from roofscan.parse.reader.module import read_module
from roofscan.parse.syntax_walk import walk


@pytest.mark.parametrize(("body", "numbers"), [
    ("d = b - a\n    s = d * d\n    if s == 0.0:\n        return a\n    return s", "a b d s"),
    ("t = a / b\n    return max(0.0, min(1.0, t))", "a b t"),
    ("s = np.sum(a)\n    if s > b:\n        return b\n    return s", "b s"),  # of what a call makes nothing is known
    ("s = a @ b\n    if s > 1.0:\n        return s\n    return 0.0", "s"),
    ("s = a * b\n    s = 0.5\n    if s > 0.0:\n        return s\n    return a", "s"),  # of which of the two?
    ("s = a[0] * b\n    if s > 0.0:\n        return s\n    return a", "b s"),
    ("return np.sqrt(a * a + b * b)", ""),
    ("d = np.arctan2(a, b) * 2.0\n    if d < 0.0:\n        return a\n    return d", "a b d"),
    ("if a == 1.0 and b > 2.0:\n        return a\n    return b", "a b"),
    ("if a and b:\n        return a\n    return b", ""),  # lists may be empty
])  # fmt: skip
def test_names(body: str, numbers: str) -> None:
    module = read_module(f"def f(a, b):\n    {body}\n", "f.py")
    function = module.function("f")
    assert function is not None
    assert known_scalars(list(walk(function.body)), TABLE, module.resolve_name) == set(numbers.split())


def test_what_a_compiled_function_lists_is_numbers() -> None:
    """NumPy makes a matrix of arrays, Numba does not take them."""
    text = "import numpy as np\ndef f(a, b):\n    t = np.sqrt(a)\n    return np.array([t, b[0]])\n"
    assert (_numbers(text, compiled=False), _numbers(text, compiled=True)) == (set(), {"a", "t"})


@pytest.mark.parametrize("imported", ["from math import sqrt", "from math import sqrt as root\nsqrt = root"])
def test_a_function_is_known_by_where_it_comes_from(imported: str) -> None:
    assert _numbers(f"{imported}\ndef f(a, b):\n    return sqrt(a * b)\n") == {"a", "b"}
    assert _numbers("from numpy import sqrt\ndef f(a, b):\n    return sqrt(a * b)\n") == set()


def test_a_sum_of_numbers_is_of_numbers() -> None:
    """A compiled name has one type, which its first value tells."""
    text = "def f(a, b):\n    acc = 0.0\n    for i in range(9):\n        acc += a * b\n    return acc\n"
    assert (_numbers(text, compiled=False), _numbers(text, compiled=True)) == (set(), {"a", "b"})


def _numbers(text: str, compiled: bool = False) -> set[str]:
    module = read_module(text, "f.py")
    function = module.function("f")
    assert function is not None
    return known_scalars(list(walk(function.body)), TABLE, module.resolve_name, compiled)
