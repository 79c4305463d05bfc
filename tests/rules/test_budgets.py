"""What a pragma grants and accepts: RFL104, ``accept``, and texts that are neither."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source

AXPY = """\
from numba import njit

# roofscan: x=f8[n] y=f8[n] {}
@njit
def axpy(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]
"""


def found(words: str, bind: str = "") -> list[tuple[str, str]]:
    return [(f.code, f.message) for f in check_source(AXPY.format(words), options=Options(bind=bind))]


def test_both_expressions_stand_in_the_message() -> None:
    said = "axpy: dram takes 24*n B, 1.5x its budget of 16*n B; cut it, or raise the budget"
    assert ("RFL104", said) in found("expect dram<=16*n flops<=2*n")
    said = "axpy: flops takes 2*n, 2x its budget of n; cut it, or raise the budget"
    assert ("RFL104", said) in found("expect dram <= 24*n flops <= n")


@pytest.mark.parametrize("bind", ["", "n=1000", "n=1001"])
def test_a_kernel_within_its_budget_has_no_finding(bind: str) -> None:
    assert "RFL104" not in dict(found("expect dram<=24*n flops<=2*n l1 <= 3*8*n", bind))


def test_a_verdict_may_be_accepted() -> None:
    assert found("accept") == [] == found("accept expect flops<=2*n")


def test_what_is_accepted_in_vain_is_reported() -> None:
    source = "from numba import njit\n\n@njit\ndef f(x):  # roofscan: accept\n    return x + 1.0\n"
    [finding] = check_source(source)
    assert (finding.code, finding.line) == ("RFL901", 4) and finding.message.startswith("f has no verdict to accept")


def test_names_are_those_of_the_machine_and_of_the_kernel() -> None:
    assert any(c == "RFL104" and "hbm is none of flops, l1, l2, l3, dram" in m for c, m in found("expect hbm<=n"))
    said = found("expect flops<=q")
    assert any(c == "RFL901" and "the pragma names q" in m for c, m in said) and "RFL104" not in dict(said)


@pytest.mark.parametrize(
    "words, said",
    [
        ("expct dram<=16*n", "did you mean expect?"),
        ("acept", "did you mean accept?"),
        ("expect dram<=16*x.size", "a size has the name that the report prints; write expect dram<=16*n"),
    ],
)
def test_a_slip_is_told_with_its_remedy(words: str, said: str) -> None:
    [message] = [m for code, m in found(words) if code == "RFL901"]
    assert said in message


def test_a_name_may_resemble_a_word_of_pragmas() -> None:
    source = "from numba import njit\n\n@njit\ndef f(x, accepts):  # roofscan: accepts=2\n    return x[0] + accepts\n"
    assert not [f for f in check_source(source) if f.code == "RFL901"]


@pytest.mark.parametrize(
    "words",
    [
        "expect", "expect dram", "expect dram<=", "expect dram<=__import__('os')", "expect dram<=1/n", "expect n",
        "expect flops<=9**99", "expect flops<=" + "(" * 190, "expect flops<=n" + "+n" * 200, "acceptable",
    ],
)  # fmt: skip
def test_other_words_are_one_line_with_what_to_write(words: str) -> None:
    [message] = [m for code, m in found(words) if code == "RFL901"]
    assert "; write " in message and "\n" not in message and len(message) < 140


@pytest.mark.parametrize(
    ("annotation", "says"),
    [
        ('"f8[n, m"', 'the annotation of x is not read: "f8[n, m" is not an expression'),
        ('"f9[n]"', "the annotation of x is not read: 'f9' is not"),
        ('"the samples, of shape (n,"', ""),
        ('"list[Sample]"', ""),
        ('"f8[n]"', ""),
    ],
)
def test_annotations_in_quotes_that_are_no_types(annotation: str, says: str) -> None:
    source = (
        f"from numba import njit\n\n\n@njit\ndef f(x: {annotation}, y):\n    for i in range(9):\n        y[i] = x[i]\n"
    )
    messages = [f.message for f in check_source(source) if f.code == "RFL901"]
    assert [message[: len(says)] for message in messages] == ([says] if says else [])


def test_a_budget_that_nothing_checks_fails_as_one_that_is_exceeded_does() -> None:
    for words in ("expect hbm<=n", "expect flops<=n"):
        severities = [f.severity for f in check_source(AXPY.format(words)) if f.code == "RFL104"]
        assert severities == ["warning"]
