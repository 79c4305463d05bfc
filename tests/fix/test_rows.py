"""``roofscan fix``: functions of a row that are stored before the loops give the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.finding import Finding, Subject
from roofscan.fix.model import Fix, Site
from roofscan.fix.once.rows import stored_before
from roofscan.fix.source import SourceTree
from tests.fix.proof import Proof
from tests.support.lowered_source import lowered

HEAD = "import math\nimport numpy as np\nfrom numba import njit\n\n\n@njit\ndef f(x, y, A, p):\n"
NEST = """    n, m = A.shape
    for i in range(n):
        # each row
        for j in range({}):
            {}
"""
LENGTH = "len(x)"


def offered(body: str, head: str = HEAD) -> Fix | None:
    text = head + body
    kernel, source = lowered(text), SourceTree(text.encode())
    function = source.function_at(kernel.line)
    assert function is not None
    [line] = [number for number, row in enumerate(text.splitlines(), 1) if "for i in" in row]
    finding = Finding("RFL503", "k.py", line, 0, "", kernel.name, subject=Subject("loop", ("i",)))
    return stored_before(Site(finding, kernel, source, function))


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("A[i, j] *= math.exp(-x[j])", ("exp_x",)),
        ("A[i, j] = np.cos(x[j] * p) + np.sin(x[j] * p) * np.cos(x[j] * p)", ("cos_x", "sin_x")),
        ("A[i, j] += math.exp(math.sin(x[j]) * p) * i", ("exp_x",)),
        ("y[i] += A[i, j] * math.cos(0.5 * j)", ("cos_row",)),
    ],
)
def test_rows_are_stored_once(statement: str, names: tuple[str, ...]) -> None:
    body = NEST.format(LENGTH, statement)
    fix = offered(body)
    assert fix is not None and fix.safety == "safe" and fix.what.startswith("store " + " and ".join(names))
    code = fix.module.code
    assert code.count("for j in range(len(x)):") == 2 and "# each row" in code
    calls = [row for row in code.splitlines() if "math." in row or "np.cos" in row or "np.sin" in row]
    assert all(any(row.strip().startswith(f"{name}[j] = ") for name in names) for row in calls)
    proof = Proof()
    for n, m in ((0, 3), (2, 0), (1, 1), (3, 5)):
        rng = np.random.default_rng(n)
        given = {"x": rng.random(m), "y": rng.random(n), "A": rng.random((n, m)), "p": 0.7}
        proof.add(HEAD + body, fix, "f", given)
    assert proof.runs and not proof.wrong


def test_what_may_raise_before_the_loop_is_unsafe() -> None:
    fix = offered(NEST.format("m", "A[i, j] *= math.exp(-x[j])"))
    assert fix is not None and fix.safety == "unsafe" and "exp_x = np.empty(max(m, 0))" in fix.module.code
    assert set(fix.assumptions) == {"A and x do not overlap", "x is float64"}


def test_a_variable_that_is_read_later_keeps_its_value() -> None:
    fix = offered("    j = 7\n" + NEST.format(LENGTH, "A[i, j] *= math.exp(-x[j])") + "    y[0] = j\n")
    assert fix is not None and "for j2 in range(len(x)):" in fix.module.code


@pytest.mark.parametrize(
    ("length", "statement"),
    [
        (LENGTH, "x[j] = math.exp(x[j])"),  # another value in each iteration
        (LENGTH, "A[i, j] *= math.exp(-x[j] * i)"),
        (LENGTH, "A[i, j] *= math.exp(-x[j] * p.scale)"),  # anything may change it
        (LENGTH, "A[i, j] *= math.exp(y[i])"),  # the compiler computes it once
        (LENGTH, "A[i, j] *= math.exp(1.0 / x[j])"),  # may raise
        (LENGTH, "A[i, j] = math.exp(-x[j]) if x[j] > 0.0 else 1.0"),  # only some
        (LENGTH, "p = p * 0.5; A[i, j] *= math.exp(-x[j] * p)"),
        ("i", "A[i, j] *= math.exp(-x[j])"),  # another part of the row in each iteration
    ],
)
def test_what_is_left_alone(length: str, statement: str) -> None:
    assert offered(NEST.format(length, statement)) is None


def test_arrays_of_other_types_are_left_alone() -> None:
    body = NEST.format(LENGTH, "A[i, j] *= np.sqrt(x[j]) * y[i]")
    for dtype, is_offered in (("float64", True), ("float32", False), ("int64", False)):
        head = HEAD.replace("@njit\n", f'@njit("void({dtype}[:], float64[:], float64[:, :], float64)")\n')
        assert head != HEAD and (offered(body, head) is not None) == is_offered
