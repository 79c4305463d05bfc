"""RFL603: an outermost loop that all cores could share."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source, check_source
from roofscan.finding import Finding
from roofscan.roofline.time.prediction import TimePrediction

HEAD = "import numpy as np\nfrom math import exp\nfrom numba import njit, prange\n\n@njit\ndef f(A, B, x, y):\n"
SAID = "x by making i a prange (parallel=True); independent iterations ("


def found(body: str, bind: str = "A=f8[n,m] B=f8[n,m] x=f8[n] y=f8[n]") -> list[Finding]:
    return check_source(HEAD + body, options=Options(select=("RFL603",), bind=bind))


STREAM = "    for i in range(A.shape[0]):\n        for j in range(A.shape[1]):\n            B[i, j] += 2.0 * A[i, j]\n"
ROWS = "    for i in range(A.shape[0]):\n        s = 0.0\n        for j in range(A.shape[1]):\n"
ROWS += "            s += exp(A[i, j])\n        y[i] = s\n"
SCRATCH = """\
    for i in range(A.shape[0]):
        row = np.zeros(A.shape[1])
        for j in range(A.shape[1]):
            row[j] = exp(A[i, j])
        for j in range(A.shape[1]):
            B[i, j] = row[j] + row[0]
"""


@pytest.mark.parametrize("body", [STREAM, ROWS, SCRATCH])
def test_independent_iterations(body: str) -> None:
    [finding] = found(body)
    assert finding.line == 7 and finding.subject.names == ("i",) and finding.severity == "warning"
    assert SAID in finding.message
    assert 2 <= (finding.gain or 0) <= 32


def test_a_prange_without_the_option_is_told_of_the_option() -> None:
    [finding] = found(ROWS.replace("i in range", "i in prange"))
    assert "x with parallel=True; independent iterations (" in finding.message


def test_memory_gives_less_than_arithmetic() -> None:
    [stream], [rows] = found(STREAM), found(ROWS)
    assert (stream.gain or 0) < 16 < (rows.gain or 0)


@pytest.mark.parametrize(
    "body",
    [
        "    for i in range(1, len(x)):\n        y[i] = y[i - 1] + x[i]\n",  # the element before
        "    for i in range(len(x) - 1):\n        x[i] = 2.0 * x[i + 1]\n",  # the element behind
        "    for i in range(len(x)):\n        y[0] += x[i]\n",
        "    for i in range(len(x)):\n        y[int(x[i])] += 1.5 * x[i]\n",
        "    s = 0.0\n    for i in range(len(x)):\n        s += x[i]\n    y[0] = s\n",  # a sum
        "    s = 0.0\n    for i in range(len(x)):\n        s = 0.5 * s + x[i]\n        y[i] = s\n",
        "    for i in range(len(x)):\n        if x[i] < 0.0:\n            break\n        y[i] = 2.0 * x[i]\n",
        "    row = np.zeros(A.shape[1])\n    for i in range(A.shape[0]):\n        for j in range(A.shape[1]):\n"
        "            row[j] = exp(A[i, j])\n        for j in range(A.shape[1]):\n            B[i, j] = row[j]\n",
        "    for i in range(A.shape[0]):\n        for j in range(A.shape[0]):\n            A[j, i] = 2.0 * A[i, j]\n",
        "    for t in range(100):\n        for i in range(1, len(x) - 1):\n            y[i] = x[i - 1] + x[i + 1]\n",
    ],
)
def test_what_depends_on_other_iterations_has_none(body: str) -> None:
    assert found(body) == []


def test_short_calls_and_parallel_loops_have_none() -> None:
    assert found(STREAM, "A=f8[50,50] B=f8[50,50]") == []
    source = (HEAD + STREAM).replace("@njit", "@njit(parallel=True)").replace("i in range", "i in prange")
    assert check_source(source, options=Options(select=("RFL603",))) == []


def test_helpers_have_none() -> None:
    caller = "\n@njit\ndef g(A, B, x, y):\n    for k in range(A.shape[0]):\n        f(A, B, x, y)\n"
    findings = check_source(HEAD + STREAM + caller, options=Options(select=("RFL603",)))
    assert {finding.kernel for finding in findings} <= {"g"}


def test_a_stream_that_all_cores_could_share_has_nothing_to_gain_on_one() -> None:
    nest = "from numba import njit\n\n@njit\ndef add(a, b):\n{}"
    rows = "    for i in range(a.shape[0]):\n        for j in range(a.shape[1]):\n            b[i, j] += a[i, j]\n"
    line = "    for i in range(a.shape[0]):\n        b[i] += a[i]\n"
    [shared], [alone] = (check_source(nest.format(body)) for body in (rows, line))
    assert "add: it streams, nothing to gain on one core; " in shared.message
    assert "add: it streams, nothing to gain; " in alone.message


def test_the_promise_is_what_the_changed_kernel_takes() -> None:
    """Planes that one core keeps in the last cache, all cores together do not."""
    body = "    for i in range(4, A.shape[0] - 4):\n        for j in range(A.shape[1]):\n"
    body += "            B[i, j] = A[i - 4, j] + A[i, j] + A[i + 4, j]\n"
    bind = "A=f8[40000,60000] B=f8[40000,60000] x=f8[1] y=f8[1]"
    [finding] = found(body, bind)
    shared = (HEAD + body).replace("@njit", "@njit(parallel=True)").replace("in range(4", "in prange(4")
    one, all_cores = (
        analyze_source(text, options=Options(bind=bind)).kernels[0].reports[0].time for text in (HEAD + body, shared)
    )
    assert isinstance(one, TimePrediction) and isinstance(all_cores, TimePrediction)
    assert finding.gain == pytest.approx(float(one.expected) / float(all_cores.expected), rel=0.02)
