"""RFL505: signatures that allow arrays of any strides."""

from __future__ import annotations

from roofscan.api import Options, check_source
from roofscan.finding import Finding

AXPY = '@njit("void({0}, {0}, f8)")\ndef axpy(x, y, a):\n    for i in range(len(x)):\n        y[i] += a * x[i]\n'
DOT = '@njit("f8({0}, {0})")\ndef dot(a, b):\n    s = 0.0\n    for i in range(len(a)):\n        s += a[i] * b[i]\n'
WALK = AXPY.replace("len(x)", "len(x) // 2").replace("[i]", "[2 * i]")


def findings(text: str, kind: str, select: str = "RFL505") -> list[Finding]:
    return check_source("from numba import njit\n" + text.format(kind), options=Options(select=(select,)))


def test_what_reads_rows_through_any_strides_is_scalar_code() -> None:
    [finding] = findings(AXPY, "f8[:]")
    assert finding.line == 3 and 1.5 < finding.gain < 4
    assert "by writing [::1] for x and y in the signature; [:] allows any strides" in finding.message
    assert not findings(AXPY, "f8[::1]")


def test_a_chain_of_additions_needs_fastmath_too() -> None:
    [finding] = findings(DOT, "f8[:]")
    assert 'compiling with fastmath={"reassoc", "nsz"}' in finding.message
    assert not findings(DOT, "f8[:]", "RFL501"), "it gains nothing where the loads are scalar"


def test_a_walk_of_every_other_element_stays_scalar() -> None:
    assert not findings(WALK, "f8[:]")


def test_a_called_function_has_a_signature_of_its_own() -> None:
    """What its caller's says changes nothing."""
    head = "from numba import njit\nfrom math import sqrt\n" + DOT.format("f8[:]")
    caller = '@njit("f8({0}, {0})"{1})\ndef norm(a, b):\n    return sqrt(dot(a, b))\n'
    for kind in ("f8[:]", "f8[::1]"):
        found = check_source(head + caller.format(kind, ""), options=Options(select=("RFL505",)))
        assert "norm" not in [f.kernel for f in found]
    lazy = head.replace('@njit("f8(f8[:], f8[:])")', "@njit") + caller.format("f8[:]", ", fastmath=True")
    found = check_source(lazy, options=Options(select=("RFL505",)))
    assert [f.kernel for f in found] == ["norm"]


def test_fastmath_is_told_once() -> None:
    """RFL505 names it too, with what else the loop needs."""
    source = '@njit("f8({0}, {0})")\ndef dist(a, b):\n    return np.sum(np.square(a - b))\n'
    source = "import numpy as np\n" + source
    assert [f.code for f in findings(source, "f8[:]", "RFL5") if "fastmath" in f.message] == ["RFL505"]
