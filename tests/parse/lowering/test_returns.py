"""An index that a helper returns in one of several places is as known as one that the kernel chooses itself."""

from __future__ import annotations

import pytest

from tests.oracle.analysis import counted

KERNEL = """from numba import njit

@njit
def place(i, n):
{helper}

@njit
def kernel(x, out):
    n = x.shape[0]
    for j in range(n):
        for k in range(-2, 3):
            out[j] += x[place(j + k, n)]
"""


def _reasons(helper: str) -> set[str]:
    source = KERNEL.format(helper="\n".join(f"    {line}" for line in helper.splitlines()))
    return {reason.effect for reason in counted(source, "kernel", "").kernel.reasons}


@pytest.mark.parametrize("helper", [
    "if i < 0:\n    return -i\nif i >= n:\n    return 2 * n - 2 - i\nreturn i",
    "if i < 0:\n    return -i\nelif i >= n:\n    return 2 * n - 2 - i\nelse:\n    return i",
    "if i < 0:\n    return 0\nif i >= n:\n    return n - 1\nreturn i",
    "if i < 0:\n    return i + n\nif i >= n:\n    return i - n\nreturn i",
    "last = n - 1\nif i > last:\n    return last\nreturn max(i, 0)",
    "if n < 1:\n    raise ValueError(n)\nif i < 0:\n    return 0\nreturn min(i, n - 1)",
])  # fmt: skip
def test_a_returned_index_is_known(helper: str) -> None:
    assert "scattered" not in _reasons(helper)


def test_what_no_expression_says_stays_unknown() -> None:
    assert "scattered" in _reasons("if i < 0:\n    return 3\nif i >= n:\n    return 1\nreturn i")
