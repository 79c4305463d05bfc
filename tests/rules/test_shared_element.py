"""RFL601: races of prange loops. Each kernel that has one gave wrong results under Numba 0.68 with two threads."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source

HEAD = "import numpy as np\nfrom numba import njit, prange\n\n\n@njit(parallel=True)\ndef f(x, A, h, p):\n"
LOOP = "    for i in prange(A.shape[0]):\n"


def found(body: str, head: str = HEAD) -> list[str]:
    return [f.message for f in check_source(head + body, options=Options(select=("RFL6",)))]


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ("        h[0] += x[i]\n", "change h[0]; add up in a variable, or in an element for each i"),
        (
            "        for j in range(A.shape[1]):\n            h[j] += A[i, j]\n",
            "change h[j]; add up in a variable, or",
        ),
        ("        if x[i] > 0.5:\n            h[0] += 1\n", "change h[0]; add up in a variable, or"),
        (
            "        for j in range(i):\n            h[j] = A[i, j]\n        x[i] = h[0]\n",
            "change h[j]; make h in the",
        ),
        (
            "        s = p[0]\n        for k in range(9):\n            s = (s * 1103.5 + 12345.0) % 2147483648.0\n"
            "            x[i] += s\n        p[0] = s\n",
            "change p[0]; use an element of its own for each i",
        ),
        (
            "        p[0] = (p[0] * 16807.0 + 1.0) % 2147483647.0\n        x[i] = p[0]\n",
            "change p[0]; use an element of its",
        ),
        ("        s = p[0] * 16807.0\n        x[i] = s\n        p[0] = s\n", "change p[0]; use an element of its own"),
    ],
)
def test_elements(body: str, end: str) -> None:
    [message] = found(LOOP + body)
    assert ": race, all threads " in message and end in message


@pytest.mark.parametrize("body", ["h[1:5] = A[i, 1:5]", "h[1:5] += A[i, 1:5]", "h[:] = A[i, :]"])
def test_slices(body: str) -> None:
    [message] = found(f"{LOOP}        {body}\n")
    assert ": race, all threads change h; " in message


@pytest.mark.parametrize(
    "body", ["A[i, 1:5] += x[1:5]", "h[4 * i:4 * i + 4] = 2.0 * A[i, :4]", "h[:] = 1.0", "h += A[i, :]"]
)
def test_slices_of_one_thread(body: str) -> None:
    assert not found(f"{LOOP}        {body}\n")


def test_what_adds_to_an_element_of_an_array_that_is_added_up_adds_to_that_of_its_thread() -> None:
    """Measured with four threads: 30 right results of 30."""
    assert not found(LOOP + "        if x[i] > 0.5:\n            h[0] += 1.0\n        h += A[i, :]\n")


def test_one_fault_is_one_finding_at_the_loop_of_called_stores() -> None:
    put = "@njit\ndef put(v, a):\n    v[0] = a\n    v[1] = 2.0 * a\n\n\n"
    head = HEAD.replace("@njit(", put + "@njit(")
    body = "    u = np.zeros(2)\n    v = np.zeros(2)\n" + LOOP + "        put(u, x[i])\n        put(v, A[i, 0])\n"
    source = head + body + "        h[i] = u[0] + u[1] * v[0] + v[1]\n"
    [finding] = check_source(source, options=Options(select=("RFL6",)))
    assert finding.message == "f: race, all threads change u[0], v[0]; make u, v in the loop"
    assert finding.subject.names == ("u", "v")
    assert source.splitlines()[finding.line - 1].startswith("    for i in prange")


def test_variables() -> None:
    [message] = found("    b = 0.0\n" + LOOP + "        if x[i] > b:\n            b = x[i]\n    return b\n")
    assert message.endswith(": race, each thread has its own b; write b = max(b, ...), or min")
    [message] = found("    b = 0.0\n" + LOOP + "        b += x[i]\n        h[i] = b\n")
    assert message.endswith("; for a running sum write range")


def test_variables_of_one_loop_are_one_finding() -> None:
    least = "        if x[i] > b:\n            b = x[i]\n        if x[i] < s:\n            s = x[i]\n"
    [message] = found("    b = s = c = 0.0\n" + LOOP + least + "        c += x[i]\n        h[i] = c\n    return b, s\n")
    assert message.endswith(
        ": race, each thread has its own b and s and c; write b = max(b, ...), or min and for a running sum write range"
    )


@pytest.mark.parametrize(
    "body",
    [
        "        h[i] += x[i]\n",
        "        for j in range(A.shape[1]):\n            A[i, j] += x[j]\n",
        "        tmp = np.zeros(4)\n        for j in range(4):\n            tmp[j] += A[i, j]\n        h[i] = tmp[0]\n",
        "        if x[i] > 0.5:\n            h[0] = 1.0\n",  # all store the same
        "        for j in range(p[i], p[i + 1]):\n            h[j] += x[i]\n",  # a part of its own
        "        for j in range(4 * i, 4 * i + 4):\n            h[j] += x[i]\n",
        "        if i == 0:\n            h[0] += x[i]\n",
        "        r = A[i]\n        for j in range(4):\n            r[j] += x[j]\n",
        "        h += x[i]\n",  # a reduction of a whole array
    ],
)
def test_no_race(body: str) -> None:
    assert not found(LOOP + body)


@pytest.mark.parametrize("update", ["s += x[i]", "s = max(s, x[i])", "s *= x[i]"])
def test_reductions_are_legal(update: str) -> None:
    assert not found(f"    s = 1.0\n{LOOP}        if x[i] > 0.5:\n            {update}\n    return s\n")
    assert not found(f"    s = 1.0\n{LOOP}        {update}\n    return s\n")


def test_prange_without_threads_is_a_plain_loop() -> None:
    assert not found(LOOP + "        h[0] += x[i]\n", HEAD.replace("(parallel=True)", ""))


# -- lines ------------------------------------------------------------------------------------------
HISTOGRAM = """
    for t in prange({trips}):
        for k in range(t * (len(x) // 4), (t + 1) * (len(x) // 4)):
            h[t, {place}] += 1.0
"""


def shared(trips: str, place: str, bind: str) -> list[str]:
    body = HISTOGRAM.format(trips=trips, place=place)
    return [f.message for f in check_source(HEAD + body, options=Options(bind=bind)) if f.code == "RFL602"]


def test_rows_of_threads_in_one_line() -> None:
    """RFL602. Measured with two threads: 2.7 to 4.5 times as long as with a line for each. Of 3 elements, sums wait
    for each other on a line of their own, too."""
    [message] = shared("4", "x[k]", "x=i8[20000] h=f8[4,3]")
    assert "1.9x by giving each t a row of 8 elements, or its own array; threads write to the same lines" in message


def test_sums_of_few_elements_wait_on_a_line_of_their_own() -> None:
    """Measured with two threads on Zen 5: 1.11 ms apart for 3 elements and 2 million sums, where loads and stores take
    0.34."""
    source = HEAD + HISTOGRAM.format(trips="4", place="x[k]")
    [sums], [stores] = (
        [f for f in check_source(text, options=Options(bind="x=i8[20000] h=f8[4,3]")) if f.code == "RFL602"]
        for text in (source, source.replace("+=", "="))
    )
    assert sums.gain is not None and stores.gain is not None and stores.gain > 1.5 * sums.gain


@pytest.mark.parametrize(
    ("trips", "place", "bind"),
    [
        ("4", "x[k]", "x=i8[20000] h=f8[4,8]"),  # a line each
        ("4", "0", "x=i8[20000] h=f8[4,3]"),  # stays in a register: measured
        ("4", "x[k]", "x=i8[80] h=f8[4,3]"),  # seldom
        ("len(h)", "x[k]", "x=i8[20000] h=f8[4000,3]"),  # threads meet at the ends of their parts
        ("len(h)", "x[k]", ""),
    ],
)
def test_rows_of_threads_apart(trips: str, place: str, bind: str) -> None:
    assert shared(trips, place, bind) == []
