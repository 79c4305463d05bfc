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
    assert finding.message == (
        "particles uses 2 of 6 fields of each record, 33.3 % of each 64-byte line; "
        "store each field in an array of its own"
    )


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
