"""A finding spans what it is about."""

from __future__ import annotations

from roofscan.api import check_source
from roofscan.config.options import Options


def test_a_finding_has_the_span_of_what_it_is_about() -> None:
    source = (
        "from numba import njit\n\n"
        "@njit\n"
        "def columns(A, B):\n"
        "    n, m = A.shape\n"
        "    for j in range(m):\n"
        "        for i in range(n):\n"
        "            B[i, j] = (2.0 *\n"
        "                       A[i, j])\n"
    )
    [loop] = check_source(source, "k.py", Options(select=("RFL202",)))
    assert (loop.line, loop.column, loop.end) == (7, 8, (9, 31))
    product = "# roofscan: a=f8[n] b=f8[n]\ndef f(a, b):\n    return (a * b\n            + a)\n"
    [whole] = [f for f in check_source(product, "k.py", Options(kernels="all")) if f.code == "RFL301"]
    assert (whole.line, whole.column, whole.end) == (3, 4, (4, 16))
