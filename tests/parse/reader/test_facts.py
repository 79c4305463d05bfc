"""The words of pragmas and ``--bind``."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofscan.ir.dtypes import BY_CODE
from roofscan.ir.facts import ArrayFact, Facts, ScalarFact
from roofscan.parse.reader.facts import FactError, parse_facts
from roofscan.symbolic.expr import Expr, symbol

N, M = symbol("n"), symbol("m")


def test_commas_may_part_facts() -> None:
    assert parse_facts("A=f8[n,m], n=3,m=4, block=(2,1)") == parse_facts("A=f8[n,m] n=3 m=4 block=(2,1)")


@pytest.mark.parametrize(
    "word, code, shape, fortran",
    [
        ("A=f8[1000,1000]", "f8", (1000, 1000), False),
        ("A=f4[n]", "f4", (N,), False),
        ("A=f8[8,8]F", "f8", (8, 8), True),
        ("A=f8[8,8]C", "f8", (8, 8), False),
        ("A=f8", "f8", None, False),
        ("A=float32[n,]", "f4", (N,), False),
        ("A=np.complex64[n]", "c8", (N,), False),
        ("A=<i4[0]", "i4", (0,), False),
        ("A=f8[2*n + 1, n-1]", "f8", (2 * N + 1, N - 1), False),
        ("A=f8[n*(m+2), -3+n]", "f8", (N * M + 2 * N, N - 3), False),
        ("A=b1[n]", "b1", (N,), False),
    ],
)
def test_arrays(word: str, code: str, shape: tuple[Expr | int, ...] | None, fortran: bool) -> None:
    extents = None if shape is None else tuple(Expr.of(size) for size in shape)
    assert parse_facts(word) == Facts({"A": ArrayFact(BY_CODE[code], extents, fortran)})


@pytest.mark.parametrize(
    "word, value, is_float",
    [
        ("x=1000", 1000, False),
        ("x=-4", -4, False),
        ("x=1_000", 1000, False),
        ("x=2.0", 2, True),
        ("x=1.5", Fraction(3, 2), True),
        ("x=1e-3", Fraction(1, 1000), True),
        ("x=0.1", Fraction(1, 10), True),  # the decimal, not the nearest binary number
        ("x=.5", Fraction(1, 2), True),
        ("x=5.", 5, True),
        ("x=0e5", 0, True),
        ("x=999999999999999999", 10**18 - 1, False),
    ],
)
def test_scalars(word: str, value: int | Fraction, is_float: bool) -> None:
    assert parse_facts(word) == Facts(scalars={"x": ScalarFact(value, is_float)})


@pytest.mark.parametrize(
    "word, value, code",
    [
        ("z=0.5+0.5j", 0.5 + 0.5j, "c16"),
        ("z=-2j", -2j, "c16"),
        ("z=(1-1e-3J)", 1 - 1e-3j, "c16"),
        ("z=c8:1j", 1j, "c8"),
        ("z=f4:0.1", Fraction(1, 10), "f4"),
        ("z=float32:2", 2, "f4"),
        ("z=i4:-3", -3, "i4"),
    ],
)
def test_complex_numbers_and_types(word: str, value: int | Fraction | complex, code: str) -> None:
    assert parse_facts(word) == Facts(scalars={"z": ScalarFact(value, code[0] in "fc", BY_CODE[code])})


def test_a_whole_number_in_any_notation_is_an_integer() -> None:
    assert type(parse_facts("n=1e6").scalars["n"].value) is int


@pytest.mark.parametrize(
    "word, shape, fortran",
    [
        ("A=float64[:, :]", (None, None), False),
        ("A=f8[::1]", (None,), False),
        ("A=f8[:, ::1]", (None, None), False),
        ("A=f8[::1, :]", (None, None), True),
        ("A=f8[:,3]", (None, Expr.of(3)), False),
    ],
)
def test_arrays_as_numba_writes_them(word: str, shape: tuple[Expr | None, ...], fortran: bool) -> None:
    assert parse_facts(word) == Facts({"A": ArrayFact(BY_CODE["f8"], shape, fortran)})


def test_single_extents() -> None:
    assert parse_facts("A.shape[0]=5 A.shape[1]=1e3") == Facts(extents={("A", 0): 5, ("A", 1): 1000})


def test_words_are_separated_by_any_blanks() -> None:
    facts = parse_facts("  A=f8[n, m]\t n=4\n alpha=1.5 ")
    assert (set(facts.arrays), set(facts.scalars)) == ({"A"}, {"n", "alpha"})
    assert parse_facts("") == parse_facts("  \n") == Facts()


@pytest.mark.parametrize(
    "text, named",
    [
        ("A=f9[", "'A=f9['"),
        ("A=f9[3]", "'f9'"),
        ("A=f8[3", "never closed"),
        ("A=f8[]", "dimensions are empty"),
        ("A=f8[-3]", "'-3'"),
        ("A=f8[2-3]", "'-1'"),
        ("A=f8[n]]", "n]"),
        ("A=f8[(n]", "'(n'"),
        ("A=f8[n**2]", "'n**2'"),
        ("A=f8[n/2]", "'n/2'"),
        ("A=f8[1.5]", "'1.5'"),
        ("A=f8[,]", "extent"),
        ("A=f8[n]G", "'A=f8[n]G'"),
        ("A=f8[1234567890123456789]", "18 digits"),
        ("A=f8[999999999*9999999999]", "extent"),
        ("A=f8[" + ",".join("3" * 33) + "]", "33 dimensions"),
        ("A=void[3]", "'void'"),
        ("n=1234567890123456789", "18 digits"),
        ("x=1e999", "range"),
        ("x=1e-999", "range"),
        ("x=nan", "finite"),
        ("x=inf", "finite"),
        ("x=-inf", "'-inf'"),
        ("x=1k", "'1k'"),
        ("x=1e999j", "range"),
        ("x=1+2", "'1+2'"),
        ("c=i4:0.5", "not an integer"),
        ("c=f4:1j", "complex type"),
        ("c=f9:1", "'f9'"),
        ("c=f4:", "not a number"),
        ("A.shape[0]=0.5", "not an extent"),
        ("A.shape[0]=-1", "not an extent"),
        ("A.shape[0]=1 A.shape[0]=1", "given twice"),
        ("A.shape[n]=1", "is not a name"),
        ("A.size=1", "is not a name"),
        ("x=0x10", "'0x10'"),
        ("n=1,", "'1,'"),
        ("n=\N{ARABIC-INDIC DIGIT THREE}", "not a number"),
        ("A=f8[\N{ARABIC-INDIC DIGIT THREE}]", "not an extent"),
        ("n=1 n=2", "'n' is given twice"),
        ("RFL102", "write # noqa: RFL102 to silence"),
        ("RFL102, RFL202", "write # noqa: RFL102 to silence"),
        ("n=1 n=f8[3]", "'n' is given twice"),
        ("n", "'n'"),
        ("n=", "'n='"),
        ("=5", "''"),
        ("n==5", "'n==5'"),
        ("for=3", "'for'"),
        ("a.b=3", "'a.b'"),
        ("__import__('os').system('true')", "not a fact"),
        ("A=f8[__import__('os')]", "not an extent"),
        ("A=f8[(lambda:0)()]", "not an extent"),
        ("A=f8[" + "(" * 300 + "n" + ")" * 300 + "]", "200 characters"),
    ],
)
def test_unreadable_words_are_named_on_one_line(text: str, named: str) -> None:
    with pytest.raises(FactError) as caught:
        parse_facts(text)
    message = str(caught.value)
    assert named in message
    assert "\n" not in message and len(message) < 240


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_facts(text)
    except FactError as error:
        assert "\n" not in str(error)


@given(st.text(alphabet="nm+-*() 0123456789[],=fF8A.", max_size=40))
def test_any_likely_text_is_read_or_refused(text: str) -> None:
    try:
        facts = parse_facts(text)
    except FactError:
        return
    sizes = [size.constant for fact in facts.arrays.values() for size in fact.shape or ()]
    assert all(size is None or 0 <= size < 10**18 for size in sizes)


def test_none_truth_values_and_texts() -> None:
    facts = parse_facts("w=None rule='left' const=False a=True")
    assert facts.constants == {"w": None, "rule": "left"}
    assert [facts.scalars[name].value for name in ("const", "a")] == [0, 1]
    assert facts.merged(parse_facts("w=f8[3]")).constants == {"rule": "left"}
