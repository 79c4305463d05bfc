"""Signatures: a function takes its arguments and gives its result in the types that its decorator says."""

from __future__ import annotations

import pytest

from tests.oracle.analysis import counted

HEAD = "import numba as nb, numpy as np\nfrom numba import float32, float64, njit, vectorize\n"


def _dtypes(source: str, bind: str = "") -> dict[str, str]:
    kernel = counted(HEAD + source, "kernel", bind).kernel
    return {array.name: array.dtype.code for array in kernel.arrays}


@pytest.mark.parametrize(
    "signatures, bind, result",
    [
        ("['float32(float32, float32)']", "", "f4"),
        ("[nb.float32(nb.float32, nb.float32)]", "", "f4"),
        ("'f4(f8, f8)'", "", "f4"),
        ("['b1(f4, f4)']", "", "b1"),
        ("[float32(float32, float32), float64(float64, float64)]", "", "f4"),
        ("[float32(float32, float32), float64(float64, float64)]", "x=f8[n] y=f8[n]", "f8"),
        ("[float32(float32, float32), float64(float64, float64)]", "x=f4[n] y=f8[n]", "f8"),
        ("[float64(float64, float64), float32(float32, float32)]", "x=f4[n] y=f4[n]", "f8"),  # the first that fits
        ("[(float32, float32)]", "", "f8"),  # no result is written
    ],
)
def test_the_result_of_a_ufunc_has_the_type_of_its_signature(signatures: str, bind: str, result: str) -> None:
    source = f"@vectorize({signatures})\ndef kernel(x, y):\n    return x * y + 1.0\n"
    assert _dtypes(source, bind)["result"] == result


def test_all_returns_of_a_ufunc_make_its_result() -> None:
    source = "@vectorize\ndef kernel(x):\n    if x > 0:\n        return x * 0.5\n    return x\n"
    assert _dtypes(source, "x=f4[n]")["result"] == "f8"


@pytest.mark.parametrize(
    "signatures, bind, result",
    [
        ("'float32(float64)'", "x=f8[n]", "f4"),
        ("[float32(float32), float64(float64)]", "x=f8[n]", "f8"),
        ("[float64(float64), float32(float32)]", "x=f4[n]", "f4"),  # of exactly these types
        ("[float32(float32), float64(float64)]", "x=i8[n]", "f8"),
        ("'(float64,)'", "x=f4[n]", "f8"),
    ],
)
def test_the_result_of_a_helper_has_the_type_of_its_signature(signatures: str, bind: str, result: str) -> None:
    source = f"""
@njit({signatures})
def half(v):
    return v * 0.5

@njit
def kernel(x):
    n = x.shape[0]
    return np.full(n, half(x[0]))
"""
    assert [code for name, code in _dtypes(source, bind).items() if name != "x"] == [result]


def test_arguments_are_converted_before_the_work() -> None:
    source = f"{HEAD}@njit('f8(f8)')\ndef square(v):\n    return v * v\n\n@njit\ndef kernel(x, out):\n"
    source += "    for i in range(x.size):\n        out[i] = square(x[i])\n"
    operations = counted(source, "kernel", "x=f4[8] out=f4[8]").cost
    assert {precision for _, precision in operations.operations} == {"fp64"}


@pytest.mark.parametrize(("facts", "said"), [("", 1), ("x=f8[9]", 0)])
def test_of_several_signatures_the_report_names_the_one_taken(facts: str, said: int) -> None:
    source = '@njit(["float32(float32[:])", "float64(float64[:])"])\ndef kernel(x):\n    return x[0] * x[1]\n'
    kernel = counted(HEAD + source, "kernel", facts).kernel
    told = "the types are those of float32(float32[:]), the first of 2 signatures"
    assert kernel.assumptions.count(told) == said
