"""``roofscan fix --unsafe``: signatures for arrays in C order (RFL505)."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source
from roofscan.fix.offers import Choice, fixed

IMPORTS = "import numba\nfrom numba import f8, njit, void\n\n\n"
AXPY = "def axpy(x, y, a):\n    for i in range(len(x)):\n        y[i] += a * x[i]\n"


def decorated(decorator: str, function: str = AXPY) -> str:
    text = f"{IMPORTS}@{decorator}\n{function}"
    made = fixed("k.py", text.encode(), Options(select=("RFL505",)), Choice(unsafe=True), lambda found, _: found)
    return made.after.decode().split("\n")[4]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('njit("void(f8[:], f8[:], f8)")', '@njit("void(f8[::1], f8[::1], f8)")'),
        ("njit('void(f8[:], f8[::1], f8)', cache=True)", "@njit('void(f8[::1], f8[::1], f8)', cache=True)"),
        ("njit(void(f8[:], f8[:], f8))", "@njit(void(f8[::1], f8[::1], f8))"),
        ("njit((f8[:], f8[:], f8))", "@njit((f8[::1], f8[::1], f8))"),
        (
            'numba.njit(["void(f8[:], f8[:], f8)", void(f8[:], f8[:], f8)])',
            '@numba.njit(["void(f8[::1], f8[::1], f8)", void(f8[::1], f8[::1], f8)])',
        ),
        ('njit("void(f8[::1], f8[::1], f8)")', '@njit("void(f8[::1], f8[::1], f8)")'),
        ("njit(SIGNATURE)", "@njit(SIGNATURE)"),
    ],
)
def test_types_of_arguments_are_in_c_order(before: str, after: str) -> None:
    assert decorated(before) == after


def test_the_type_of_the_result_stays() -> None:
    text = (
        "def scaled(A, a):\n    out = A.copy()\n    for i in range(A.shape[0]):\n        for j in range(A.shape[1]):\n"
        "            out[i, j] = a * A[i, j] + 0.5 * A[i, j] * A[i, j]\n    return out\n"
    )
    assert decorated('njit("f8[:, :](f8[:, :], f8)")', text) in (
        '@njit("f8[:, :](f8[:, ::1], f8)")',
        '@njit("f8[:, :](f8[:, :], f8)")',
    )


def test_a_helper_of_the_file_keeps_its_signature() -> None:
    text = IMPORTS + '@njit("void(f8[:], f8[:], f8)")\n' + AXPY + "\n\n@njit\ndef columns(A, B):\n"
    text += "    for j in range(A.shape[1]):\n        axpy(A[:, j], B[:, j], 2.0)\n"
    assert not check_source(text, options=Options(select=("RFL505",)))
