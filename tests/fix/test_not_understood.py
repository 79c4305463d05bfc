"""What `roofscan fix` leaves as it is, or changes without a difference: exits, errors, NaN, aliased arguments."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from tests.fix.same_results import outcome
from tests.fix.test_from_zero import BLOCKS, SMOOTH
from tests.fix.test_fusion import TWO
from tests.fix.test_interchange import HEAD, MATMUL, fix
from tests.fix.test_scalars import LU, SCALED
from tests.fix.test_tiling import PRODUCT

DOWN = """def down(A, B):
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            B[i, j] = A[i, j] * 2.0
"""


@pytest.mark.parametrize(
    "line",
    [
        "if A[i, j] < 0.0: break",
        "if A[i, j] < 0.0:\n                return",
        "if A[i, j] < 0.0: raise ValueError('negative')",
        "assert A[i, j] >= 0.0",
        "print(A[i, j])",
        "log.append(A[i, j])",
        "B[i, j] = helper(A, i)",
        "while B[i, j] < 1.0:\n                B[i, j] += 0.5",
        "with lock: B[i, j] = 1.0",
    ],
)
@pytest.mark.parametrize("text", [DOWN])
def test_a_nest_with_effects_or_exits_stays(text: str, line: str) -> None:
    changed = HEAD + text.replace("B[i, j] = A", f"{line}\n            B[i, j] = A")
    made = fix(changed)
    assert not made.fixes and made.after == changed.encode()


@pytest.mark.parametrize(
    "statement",
    ["B[i, j] = min(A[i, j], B[i, j])", "B[i, j] = max(B[i, j], A[i, j])", "B[i, 0] = np.maximum(B[i, 0], A[i, j])",
     "B[i, 0] += A[i, j]", "B[0, j] = min(B[0, j], A[i, j])", "B[i, 0] = A[i, j] if A[i, j] < B[i, 0] else B[i, 0]"],
)  # fmt: skip
def test_nan_takes_the_same_way(statement: str) -> None:
    text = HEAD + DOWN.replace("B[i, j] = A[i, j] * 2.0", statement)
    made = fix(text)
    A = np.random.default_rng(0).random((6, 7))
    A[2, 3] = A[4, 0] = np.nan
    B = np.full((6, 7), 0.5)
    B[1, 0] = np.nan
    assert outcome(made.after.decode(), "down", {"A": A, "B": B}) == outcome(text, "down", {"A": A, "B": B})


@pytest.mark.parametrize("text", [MATMUL, DOWN, TWO, SMOOTH, BLOCKS, LU, SCALED, PRODUCT])
def test_without_assumptions_arguments_may_be_aliased(text: str) -> None:
    """Also with the parts of one array, where the fix names none; what names some is not made with ``--no-assume``."""
    made = fix(HEAD + text, assume=False)
    name = text.partition("(")[0].removeprefix("def ")
    parameters = text.partition("(")[2].partition(")")[0].split(", ")
    for one, other in combinations(parameters, 2):
        for shift in (0, 1):
            results = [
                _called(code, name, parameters, (one, other), shift) for code in (HEAD + text, made.after.decode())
            ]
            assert results[0] == results[1], (one, other, shift)


def _called(code: str, name: str, parameters: list[str], same: tuple[str, str], shift: int) -> bytes:
    scope: dict[str, Callable[..., None]] = {}
    exec(compile(code.replace("from numba import njit", "").replace("@njit", ""), "<kernel>", "exec"), scope)
    square = any(parameter.isupper() for parameter in parameters)
    memory = np.random.default_rng(1).random(64) + 1.0
    arrays = {p: memory[64 - 25 :].reshape(5, 5) if square else memory[40:49] for p in parameters}
    given: dict[str, object] = {p: arrays[p].copy() if p not in same else arrays[p] for p in parameters}
    first = memory[39 - shift : 64 - shift].reshape(5, 5) if square else memory[40 - shift : 49 - shift]
    given[same[1]] = first
    given |= {p: 2 for p in parameters if p == "size"}
    scope[name](**given)
    return memory.tobytes() + b"".join(a.tobytes() for a in given.values() if isinstance(a, np.ndarray))
