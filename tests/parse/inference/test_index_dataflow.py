"""Arithmetic that only yields indices, sizes and trip counts is not floating-point work, without any type given."""

from __future__ import annotations

import pytest

from tests.oracle import run
from tests.oracle.analysis import counted
from tests.oracle.words import read_words

HEAD = "import numpy as np\nfrom numba import njit\n\n@njit\n"

KERNELS = {
    "x=f8[9] indptr=i8[4]<9": """
def kernel(indptr, x):
    s = 0.0
    for i in range(len(indptr) - 1):
        middle = (indptr[i + 1] + indptr[i]) // 2
        s += x[middle] * 2.0
    return s
""",
    "flags=i8[7]<2": """
def kernel(flags):
    out = np.zeros(np.sum(flags))
    most = np.ones(flags.max() + 1)
    j = 0
    for i in range(len(flags)):
        if flags[i] == 1:
            out[j] = 2.0
            j += 1
    return out, most
""",
    "ptr=i8[5]<4 rows=i8[3]<4": """
def kernel(ptr, rows):
    return np.zeros(sum([ptr[g + 1] + ptr[g] for g in rows]))
""",
    "x=f8[9]": """
def kernel(x):
    stack = [0]
    stack.append(3)
    s = x[0]
    for i in range(2):
        j = stack[i]
        s += x[j + 1]
    return s
""",
    "x=f8[9] y=f8[9]": """
def kernel(x, y):
    k = len(x) // 2
    t = x[k] / y[k]
    s = t
    t = 2
    return s + x[t]
""",
}


@pytest.mark.parametrize("line", KERNELS)
def test_what_is_counted_is_what_a_run_does(line: str) -> None:
    source = HEAD + KERNELS[line].lstrip()
    words = read_words(line, line.split())
    analysis = counted(source, "kernel", "")
    assert analysis.cost.status == "exact"
    assert analysis.flops(words.symbols) == run(source, "kernel", words.arguments).flops


def test_what_also_meets_other_numbers_is_a_value() -> None:
    source = HEAD + (
        "def kernel(indptr, x, m):\n"
        "    s = 0.0\n"
        "    for i in range(m):\n"
        "        cnt = indptr[i + 1] - indptr[i]\n"
        "        s += x[cnt] / cnt\n"
        "    return s\n"
    )
    assert str(counted(source, "kernel", "").cost.flops) == "3*m"


RECORDS = {
    "tally['start'] + i": "0",
    "first + tally['length']": "0",
    "rows[i]['left'] + 1": "0",
    "rows['left'][i] + 1": "0",
    "int(rows[i]['height'] * 2.0)": "rows_shape_0",
}


@pytest.mark.parametrize("place", RECORDS)
def test_fields_used_as_indices_are_integers(place: str) -> None:
    """A record's other fields stay numbers."""
    source = HEAD + (
        "def kernel(tally, rows, x):\n"
        "    first = tally['first']\n"
        "    area = 0.0\n"
        "    for i in range(len(rows)):\n"
        f"        x[{place}] = rows[i]['area']\n"
        "    return x\n"
    )
    assert str(counted(source, "kernel", "").cost.flops) == RECORDS[place]


def test_an_index_argument_of_a_helper_is_an_integer() -> None:
    source = (
        "from numba import njit\n\n@njit\ndef at(x, k):\n    return x[k]\n\n@njit\ndef kernel(x, ptr):\n    s = 0.0\n"
        "    for i in range(len(ptr) - 1):\n        mid = ptr[i] + ptr[i + 1]\n"
        "        s += at(x, mid) * at(x, ptr[i] + 1)\n    return s\n"
    )
    words = read_words("x=f8[9] ptr=i8[4]<4", ("x", "ptr"))
    assert counted(source, "kernel", "").flops(words.symbols) == run(source, "kernel", words.arguments).flops == 6
