"""``roofscan fix``: a call of the file's own function may move where that computes a value and does nothing else."""

from __future__ import annotations

import libcst as cst
import numpy as np
import pytest

from roofscan.fix.helpers import pure_helpers
from roofscan.fix.source import SourceTree
from tests.fix.same_results import outcome
from tests.fix.test_interchange import fix

HEAD = "import math\nimport numpy as np\nfrom numba import njit\n\n\n"
DOWN = """

@njit
def down(A, B):
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            B[i, j] = helper(A[i, j])
"""
PURE = (
    "    return 2.0 * v + math.sqrt(v)",
    '    """Twice."""\n    w = 2.0 * v\n    w += 1.0\n    return w',
    "    if v > 0.5:\n        return v\n    return -v",
    "    a, b = v, 2.0\n    return max(a, b)",
    "    return other(v) - 1.0",
)
IMPURE = (
    "    v += 1.0\n    return v",  # of an array it would change the caller's
    "    w = v\n    w += 1.0\n    return w",
    "    print(v)\n    return v",
    "    return np.random.random() * v",
    "    if v < 0.0:\n        raise ValueError\n    return v",
    "    assert v > 0.0\n    return v",
    "    while v > 1.0:\n        v = 0.5 * v\n    return v",
    "    return unknown(v)",
    "    return helper(v)",
    "    TABLE[0] = v\n    return v",
)
OTHER = "@njit\ndef other(v):\n    return v * v\n\n\n"


def text_of(body: str) -> str:
    return HEAD + OTHER + f"@njit\ndef helper(v):\n{body}\n" + DOWN


def names_in(text: str) -> frozenset[str]:
    source = SourceTree(text.encode())
    [*_, function] = (node for node in source.module.body if isinstance(node, cst.FunctionDef))
    return pure_helpers(source, function)


@pytest.mark.parametrize("body", PURE)
def test_loops_with_its_calls_change_order(body: str) -> None:
    text = text_of(body)
    assert "helper" in names_in(text)
    made = fix(text)
    assert len(made.fixes) == 1 and "(safe; assumes A and B do not overlap)" in made.fixes[0]
    A = np.random.default_rng(0).random((3, 5))
    given = {"A": A, "B": np.zeros_like(A)}
    assert outcome(made.after.decode(), "down", given) == outcome(text, "down", given) is not None


@pytest.mark.parametrize("body", IMPURE)
def test_a_function_that_does_more_stays_where_it_is_called(body: str) -> None:
    assert "helper" not in names_in(text_of(body))
    assert not fix(text_of(body)).fixes


def test_its_division_may_raise_in_another_iteration() -> None:
    assert "(unsafe: a division by zero raises" in fix(text_of("    return 1.0 / v"), unsafe=True).fixes[0]


@pytest.mark.parametrize(
    "change",
    [
        ("@njit\ndef helper", "def helper"),  # Python calls it
        ("def down(A, B):", "def down(A, B, helper):"),
        ("\n\n@njit\ndef down", "\nhelper = print\n\n\n@njit\ndef down"),
        ("    for j in", "    helper = math.sin\n    for j in"),
    ],
)
def test_another_function_of_its_name_is_not_taken_for_it(change: tuple[str, str]) -> None:
    text = text_of("    return 2.0 * v").replace(*change)
    assert "helper" not in names_in(text)
