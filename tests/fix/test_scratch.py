"""``roofscan fix``: scratch arrays of iterations are made once, before their loop, unless one may be kept."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.finding import Finding, Subject
from roofscan.fix.model import Fix, Site
from roofscan.fix.once.scratch import made_before
from roofscan.fix.source import SourceTree
from tests.fix.proof import Proof

HEAD = """import numpy as np
from numba import njit


@njit
def kernel(a, out, kept):
    # rows
    for i in range(a.shape[0]):
        {}
    return out
"""
ROWS = {
    "elements": "d = np.empty(2); d[0] = a[i, 0]; d[1] = a[i, 1]; out[i] = d[0] - d[1]",
    "a copy": "d = np.empty(2, dtype=np.float64); d[:] = a[i, :2]; a[i, :2] = d",
    "as long as an argument": "d = np.empty(a.shape[1]); d[:] = a[i]; out[i] = np.sum(d * d)",
    "two of them": "d = np.empty(2); e = np.empty((2, 2)); d[:] = 1.0; e[:] = a[i, 0]; out[i] = (e[1] + d)[0] + e.size",
    "updates": "d = np.empty(3); d[:] = a[i, 0]; d[1:] += 2.0; out[i] = d.max() + np.dot(d, d)",
}


def offered(row: str, decorator: str = "@njit") -> tuple[str, Fix | None]:
    source = SourceTree(HEAD.format("\n        ".join(row.split("; "))).replace("@njit", decorator).encode())
    [result] = analyze_source(source.text, "k.py", Options()).kernels
    function = source.function_at(result.kernel.line)
    line = next(n for n, text in enumerate(source.text.splitlines(), 1) if text.startswith("    for i"))
    assert function is not None
    finding = Finding("RFL504", "k.py", line, 0, "", "kernel", subject=Subject("loop", ("i",)))
    return source.text, made_before(Site(finding, result.kernel, source, function))


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_the_bits_are_the_same(row: str) -> None:
    text, fix = offered(row)
    assert fix is not None and fix.safety == "safe" and not fix.assumptions
    assert "    # rows\n    d = np.empty(" in fix.module.code and "        d = np.empty(" not in fix.module.code
    proof, random = Proof(), np.random.default_rng(1)
    for rows in (0, 1, 2, 5):
        given = {"a": random.random((rows, 3)), "out": np.zeros(rows), "kept": np.zeros(3)}
        proof.add(text, fix, "kernel", given)
    assert proof.runs and not proof.wrong


@pytest.mark.parametrize(
    "row",
    [
        "d = np.empty(2); d[0] = a[i, 0]; kept = d; out[i] = kept[0]",  # another name keeps it
        "d = np.empty(2); d[0] = a[i, 0]; out[i] = helper(d)",
        "d = np.empty(2); d[0] = a[i, 0]; e = d[:1]; out[i] = e[0]",
        "d = np.empty(2); d[0] = a[i, 0]; e = d[...]; out[i] = e[0]",
        "d = np.empty(2); d[0] = a[i, 0]; kept = (d, i)",
        "d = np.zeros(2); d[0] += a[i, 0]; out[i] = d[0] + d[1]",  # each iteration starts from 0
        "d = np.empty(int(a[i, 0])); d[:] = 1.0; out[i] = d[0]",  # of another length
        "d = np.empty(i + 1); d[:] = 1.0; out[i] = d[0]",
        "d = np.empty(2); d[0] = 1.0; d = d * 2.0; out[i] = d[0]",  # bound twice
        "out[i] = a[i, 0] if i == 0 else d[0]; d = np.empty(2); d[0] = a[i, 0]",  # of the iteration before
        "d = np.empty(2); d[0] = a[i, 0]; return d",
        "d = np.empty(2, a.dtype); d[0] = a[i, 0]; out[i] = d[0]",  # a type that is not told
    ],
)
def test_what_an_iteration_may_keep_stays(row: str) -> None:
    assert offered(row)[1] is None


def test_the_array_of_no_iteration_is_no_array() -> None:
    """Without iterations the name has no value, and ``else`` raises."""
    assert offered("d = np.empty(2); d[0] = a[i, 0]\n    else:\n        out[0] = d[0]")[1] is None


def test_threads_have_arrays_of_their_own() -> None:
    assert offered(ROWS["elements"], "@njit(parallel=True)")[1] is None
