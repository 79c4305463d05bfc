"""What NumPy takes besides its loops' bytes: calls, runs of elements, pages of fresh memory, elements without vectors.
The figures beside the tests were measured on Zen 4 under NumPy 2.4, each in a process of its own."""

from __future__ import annotations

import pytest

from roofscan.machine.files import load_machine
from roofscan.roofline.time.prediction import TimePrediction
from tests.roofline.test_time import time

FAULT, CLOCK = 0.25e-6, 3.0e9  # of the machine that `time` takes


def cycles(body: str, bind: str, part: str = "start") -> float:
    return part_of(time(source(body, bind), bind), part) * CLOCK


def source(body: str, facts: str) -> str:
    return f"# roofscan: {facts}\ndef f(x, y, u, v):\n    return {body}\n"


def part_of(found: TimePrediction, *parts: str) -> float:
    return float(found.expected) * sum(found.parts.get(part, 0.0) for part in parts)


FOUR = "x=f8[4] y=f8[4] u=f8[4,4] v=f8[4,4]"


@pytest.mark.parametrize(
    ("body", "nanoseconds"),
    [
        ("x + y", 254),
        ("2.0 * x", 443),
        ("u + v", 263),
        ("u[1:-1, 1:-1] + v[1:-1, 1:-1]", 1191),
        ("u + x", 872),
        ("np.where(x > y, x, y)", 1060),
        ("np.std(x)", 7837),
    ],
)
def test_a_call_of_numpy_takes_as_long_as_hundreds_of_elements(body: str, nanoseconds: int) -> None:
    assert cycles(body, FOUR) / 3.7 == pytest.approx(nanoseconds, rel=0.25)


def test_rows_that_lie_behind_one_another_are_one_run() -> None:
    """Adding arrays of 4,000 rows of 16 takes 1.4 ms where they are entire, 6.1 where they are slices: 12 ns a row."""
    bind = "x=f8[16] y=f8[4000] u=f8[4000,18] v=f8[4000,18]"
    entire, slices = cycles("u + v", bind), cycles("u[:, 1:-1] + v[:, 1:-1]", bind)
    assert slices - entire == pytest.approx(4000 * 30, rel=0.1)
    assert cycles("u[1:] + v[1:]", bind) == pytest.approx(entire, rel=0.6)


@pytest.mark.parametrize("body", ["x - y", "np.sqrt(x - y)", "(x - y) * (x + y)"])
def test_temporaries_that_fit_the_heap_have_no_fresh_pages(body: str) -> None:
    one, other = (cycles(body, f"x=f8[{n}] y=f8[{n}] u=f8[2,2] v=f8[2,2]", "call") for n in (100, 1_000_000))
    assert one == pytest.approx(other, rel=0.01)


def test_numpy_asks_for_huge_pages_for_large_arrays() -> None:
    """An addition of arrays of 70 MB takes 7.4 ms in the system, single pages of 4 KiB would take 31."""
    big = cycles("x + y", "x=f8[9000000] y=f8[9000000] u=f8[2,2] v=f8[2,2]", "call") / CLOCK / FAULT
    assert big == pytest.approx(0.24 * 9e6 * 8 / 4096 + 300, rel=0.02)


@pytest.mark.parametrize(
    ("body", "arrays"),
    [("(x - y) ** 2", 1), ("3.0 * x + y - 1.0", 1), ("x * y + x * y", 2), ("np.sqrt(x - y)", 2), ("-(x * y) / x", 1)],
)
def test_an_operator_writes_over_a_large_temporary(body: str, arrays: int) -> None:
    """``(x - y) ** 2`` of arrays of 70 MB touches one new array, NumPy's functions make another. The laplacian of
    4000² took 85 ms; with an array for each of its six operations 165 were predicted, now 95."""
    bind = "x=f8[9000000] y=f8[9000000] u=f8[2,2] v=f8[2,2]"
    one, found = (cycles(text, bind, "call") / CLOCK / FAULT for text in ("x + y", body))
    assert found == pytest.approx(arrays * one, rel=0.02)


@pytest.mark.parametrize(
    ("body", "cycles_an_element"),
    [
        ("np.where(x, x, y)", 3.7),
        ("np.maximum(x, 0.0)", 2.0),
        ("np.sum(x)", 0.7),
        ("np.prod(x)", 3.0),
        ("np.clip(x, 0.2, 0.8)", 0.31),
    ],
)
def test_elements_without_vectors(body: str, cycles_an_element: float) -> None:
    found = time(source(body, "x=f8[1000] y=f8[1000]"), "")
    seconds = part_of(found, "vector", "function", "scalar", "issue", "chain", "divider")
    assert seconds * CLOCK / 1000 == pytest.approx(cycles_an_element, rel=0.1)


@pytest.mark.parametrize(
    ("body", "cycles_of_a_call"),
    [("np.mean(x)", 11700), ("np.roll(x, 1)", 21900), ("np.nanmean(x)", 37900), ("np.concatenate((x, y))", 3050)],
)
def test_functions_that_python_code_wraps_take_longer(body: str, cycles_of_a_call: int) -> None:
    found = cycles(body, FOUR)
    assert found == pytest.approx(cycles_of_a_call, rel=0.1)
    assert cycles(f"{body} + {body}", FOUR) - cycles("x[0] + y[0]", FOUR) >= 2 * found


@pytest.mark.parametrize(
    ("function", "dtype", "wide", "narrow"),
    [
        ("np.exp(x)", "f8", 3.2, 16.4),
        ("np.tan(x)", "f8", 5.1, 31.3),
        ("np.arctan2(x, y)", "f8", 7.8, 42.6),
        ("np.sin(x)", "f8", 29.3, 29.4),
        ("np.sin(x)", "f4", 1.9, 4.5),
        ("np.log2(x)", "f4", 0.87, 9.0),
    ],
)
def test_numpy_has_vector_code_of_functions_for_avx512(function: str, dtype: str, wide: float, narrow: float) -> None:
    """Without it NumPy calls the C library for each element, but for five functions in single precision. Measured on
    one machine, with and without ``NPY_DISABLE_CPU_FEATURES``."""
    bind = f"x={dtype}[1000] y={dtype}[1000]"
    for machine, cycles_an_element in (("epyc-9654", wide), ("generic-x86-64", narrow)):
        seconds = part_of(time(source(function, bind), "", machine), "function")
        assert seconds * load_machine(machine).clock.value / 1000 == pytest.approx(cycles_an_element, rel=0.45)


@pytest.mark.parametrize(
    ("body", "sizes", "microseconds"),
    [
        ("np.cumsum(x)", (600, 6000), (3.6, 21.2)),
        ("np.maximum.accumulate(x)", (600, 6000), (2.5, 20.1)),
        ("np.gradient(x)", (600, 6000), (7.4, 11.0)),
        ("np.trapezoid(x)", (600, 6000), (4.2, 8.7)),
        ("np.interp(x, x, x)", (600, 6000), (3.3, 20.3)),
        ("np.convolve(x, y[:50])", (600, 6000), (8.8, 74.3)),
        ("np.polyval(y[:4], x)", (600, 6000), (6.8, 15.8)),
        ("np.cross(u, v)", (200, 2000), (16.9, 27.9)),
        ("np.linspace(0.0, 1.0, len(x))", (600, 6000), (5.2, 9.2)),
    ],
)
def test_functions_that_run_loops_of_their_own(
    body: str, sizes: tuple[int, int], microseconds: tuple[float, float]
) -> None:
    for n, measured in zip(sizes, microseconds, strict=True):
        found = time(source(body, f"x=f8[{n}] y=f8[{n}] u=f8[{n},3] v=f8[{n},3]"), "")
        assert float(found.expected) * CLOCK / 3.67e3 == pytest.approx(measured, rel=0.35)


def test_functions_of_numpy_that_numba_has_versions_of() -> None:
    """Measured: 0.9 ns an element, where NumPy takes 3.3."""
    compiled = "@njit\n" + source("np.cumsum(x)", "x=f8[6000]").partition("\n")[2]
    assert part_of(time(compiled, "x=f8[6000]"), "chain") * CLOCK / 6000 == pytest.approx(3.3, rel=0.1)


@pytest.mark.parametrize(
    ("body", "cycles_a_row"),
    [("np.sum(u, axis=0)", 52), ("np.sum(u, axis=1)", 55), ("np.max(u, axis=0)", 94), ("np.max(u, axis=1)", 126)],
)
def test_sums_along_an_axis_start_at_each_row(body: str, cycles_a_row: int) -> None:
    one, two = (cycles(body, f"x=f8[4] y=f8[4] u=f8[{n},3] v=f8[4,4]") for n in (1000, 2000))
    assert (two - one) / 1000 == pytest.approx(cycles_a_row, rel=0.3)
    assert cycles("np.sum(u)", "x=f8[4] y=f8[4] u=f8[2000,3] v=f8[4,4]") < 20_000


def test_compiled_loops_that_python_calls_keep_their_options() -> None:
    head = (
        '@njit(fastmath={"reassoc", "nsz"})\ndef g(x):\n    s = 0.0\n    for i in range(len(x)):\n        s += x[i]\n'
    )
    text = f"{head}    return s\n\n\ndef f(x):\n    return g(x)\n"
    fast, slow = (time(each, "x=f8[100000]") for each in (text, text.replace('(fastmath={"reassoc", "nsz"})', "")))
    assert "chain" in slow.parts and "chain" not in fast.parts
