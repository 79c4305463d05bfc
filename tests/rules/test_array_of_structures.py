"""RFL203: records of which only some fields are used."""

from __future__ import annotations

import textwrap

import pytest

from roofscan.api import check_source

HEAD = "from numba import njit\n@njit\n"


def found(body: str) -> list[tuple[str, int]]:
    return [(f.code, f.line) for f in check_source(HEAD + textwrap.dedent(body)) if f.code in ("RFL201", "RFL203")]


PAIR = """\
def kinetic(particles, e):
    for i in range(len(e)):
        e[i] = 0.5 * particles[i, 3] * particles[i, 5]
"""


def test_two_fields_of_six():
    assert found(PAIR) == [("RFL203", 5)]
    [finding] = [f for f in check_source(HEAD + PAIR) if f.code == "RFL203"]
    assert (
        finding.message
        == "kinetic: 2.3x by storing each field of particles in an array of its own; 2 of 6 fields are used"
    )
    assert finding.detail == f"{finding.message}, 33.3 % of each line"


@pytest.mark.parametrize(
    "body",
    [
        # every field is used
        """\
        def total(p, e):
            for i in range(len(e)):
                e[i] = p[i, 0] * p[i, 1] + p[i, 2]
        """,
        # another loop uses the rest of the line before it is gone
        """\
        def small(p, e):
            for j in range(len(e)):
                for i in range(16):
                    e[j] += p[i, 3] * p[i, 5]
        """,
        # fields in arrays of their own
        """\
        def kinetic(vx, vz, e):
            for i in range(len(e)):
                e[i] = 0.5 * vx[i] * vz[i]
        """,
    ],
)
def test_silence(body: str):
    assert found(body) == []


def test_long_rows_are_no_records():
    assert found("""\
        def column(A, s):
            n, m = A.shape
            for i in range(n):
                s[i] = A[i, 3] * 2.0
        """) == [("RFL201", 6)]


RECORDS = """\
import numpy as np
from numba import njit
cell = np.dtype([("a", "f8"), ("b", "f8"), ("c", "f4"), ("d", "i4"), ("flux", "f8", 5)])  # 64 bytes

@njit
def kernel(p, e):
    n = p.shape[0]
"""


def of_records(body: str) -> list[str]:
    findings = check_source(RECORDS + textwrap.indent(textwrap.dedent(body), "    "))
    return [f.message for f in findings if f.code in ("RFL201", "RFL203")]


FLUX = """\
for i in range(n):
    s = p[i].a{rest}
    for k in range(5):
        s += p[i].flux[k] * p[i].flux[k]
    e[i] = s
"""


@pytest.mark.parametrize(
    "body, said, gain",
    [
        # 1 of 8 elements that a line holds, read and written: 128 bytes a record, then 16
        ("for i in range(n):\n    p[i].a *= 2.0", "1 of 5 fields are used, 12.5 %", "8.1x by storing"),
        ("for q in p:\n    q.a += q.b", "2 of 5 fields are used, 25 %", "4.4x by storing"),
        ("for i in range(n):\n    e[i] = p['a'][i] + p[i]['c']", "2 of 5 fields are used, 18.8 %", "3.4x by storing"),
        (FLUX.format(rest=""), "2 of 5 fields are used, 75 %", "1.3x by storing"),
    ],
)
def test_fields_of_a_structured_type(body: str, said: str, gain: str):
    [message] = of_records(body)
    assert message == f"kernel: {gain} each field of p in an array of its own; {said} of each line"


@pytest.mark.parametrize(
    "body",
    [
        # every field is used
        "for i in range(n):\n    e[i] = p[i].a + p[i].b * p[i].c + p[i].d + p[i].flux[0] * p[i].flux[4]",
        FLUX.format(rest=" + p[i].b + p[i].c + p[i].d"),
        # most bytes are
        FLUX.format(rest=" + p[i].c"),
        # the records stay in the first cache
        "for j in range(n):\n    for i in range(16):\n        e[j] += p[i].a",
    ],
)
def test_silence_on_structured_types(body: str):
    assert of_records(body) == []
