"""Figures as people read them: a figure that rounds up to the next prefix has that prefix."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roofscan.units import capacity, digits, duration, figure, si

SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}
PREFIXES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "Z": 1e21, "Y": 1e24}
BYTES = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
NEXT = {"ns": 1000, "µs": 1000, "ms": 1000, "s": 60, "min": 60, "h": float("inf")}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0101, "10.1 ms"),
        (0.9997, "1.00 s"),
        (59.94, "59.9 s"),
        (59.97, "1.00 min"),
        (3599, "1.00 h"),
        (0, "0 ns"),
        (2e-12, "0.002 ns"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (999.97e6, "1.00 GF/s"),
        (999.4e6, "999 MF/s"),
        (9.999e9, "10.0 GF/s"),
        (99.96e9, "100 GF/s"),
        (1000, "1000 F/s"),
        (999.7, "1.00 kF/s"),
        (0.09996, "0.100 F/s"),
        (-999.97e6, "-1.00 GF/s"),
    ],
)
def test_prefixes(number: float, text: str) -> None:
    assert si(number, "F/s") == text


def test_capacities() -> None:
    assert [capacity(size) for size in (0, 48, 48 * 1024, 2**20 - 1, 2**20)] == [
        "0",
        "48 B",
        "48 KiB",
        "1 MiB",
        "1 MiB",
    ]


def test_figures_without_an_exponent() -> None:
    assert [figure(number) for number in (0.0833, 999.7, 2731.4, 1e-6)] == ["0.0833", "1000", "2731", "1e-6"]


@given(st.floats(1e-9, 1e12))
@example(0.99996e-3)
@example(59.96)
def test_durations_stay_below_the_next_unit(seconds: float) -> None:
    number, unit = duration(seconds).split()
    assert 1 <= float(number) < NEXT[unit]
    assert float(number) * SECONDS[unit] == pytest.approx(seconds, rel=0.0051)


@given(st.floats(1, 9.99e26))
@example(999.6e9)
def test_numbers_stay_below_the_next_prefix(number: float) -> None:
    value, prefix = re.fullmatch(r"([\d.]+) ?(\w?)", si(number)).groups()  # type: ignore[union-attr]
    assert 1 <= float(value) < 1000 or number == int(number) < 10_000
    assert float(value) * PREFIXES[prefix] == pytest.approx(number, rel=0.0051)


@given(st.integers(1, 2**49))
@example(2**30 - 1)
def test_capacities_stay_below_the_next_unit(size: int) -> None:
    number, unit = capacity(size).split()
    assert 1 <= float(number) < 1024
    assert float(number) * BYTES[unit] == pytest.approx(size, rel=0.0051)


@given(st.floats(1e-4, 1e3, exclude_max=True))
def test_digits_are_three(number: float) -> None:
    text = digits(number).replace(".", "").lstrip("0")
    assert len(text) <= 3 or digits(number) == "1000"
    assert float(digits(number)) == pytest.approx(number, rel=0.0051)
