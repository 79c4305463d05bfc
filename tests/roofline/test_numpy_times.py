"""What NumPy takes besides its loops' bytes: calls, runs of elements, pages of fresh memory, elements without vectors.
The figures beside the tests were measured on Zen 4 under NumPy 2.4, each in a process of its own."""

from __future__ import annotations

import pytest

from roofscan.roofline.time.heap import FREED_AT_START, KEPT_IN_ANY_CASE, Heap
from roofscan.roofline.time.prediction import TimePrediction
from tests.roofline.test_time import time

MIB = 1 << 20
FAULT, CLOCK = 0.25e-6, 3.0e9  # of the machine that `time` takes


def cycles(body: str, bind: str, part: str = "start") -> float:
    return part_of(time(source(body, bind), bind), part) * CLOCK


def source(body: str, facts: str) -> str:
    return f"# roofscan: {facts}\ndef f(x, y, u, v):\n    return {body}\n"


def part_of(found: TimePrediction, *parts: str) -> float:
    return float(found.expected) * sum(found.parts.get(part, 0.0) for part in parts)


def pages(body: str, bind: str) -> float:
    """More than the function that makes one array takes."""
    return (cycles(body, bind, "call") - cycles("x + y", bind, "call")) / CLOCK / FAULT


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


def test_a_heap_keeps_what_is_free_at_its_end_up_to_a_limit() -> None:
    """Two arrays of 1 MiB together are handed out anew in each call, all but a pad; one is not (474 and 0 faults)."""
    heap = Heap(MIB)
    for call in range(3):
        heap.fresh = 0.0
        heap.allocate("a", MIB)
        heap.free("a")
        heap.allocate("b", MIB)
        heap.free("b")
        assert heap.fresh == (0.0 if call else MIB)
    for call in range(3):
        heap.fresh = 0.0
        heap.allocate("a", MIB)
        heap.allocate("b", MIB)
        heap.free("a")
        heap.allocate("c", MIB / 2)  # in the hole that a left
        heap.free("b")
        heap.free("c")
        assert heap.fresh == (2 * MIB - KEPT_IN_ANY_CASE if call else MIB)


def test_blocks_that_are_smaller_than_those_of_the_start_of_python_stay() -> None:
    heap = Heap(FREED_AT_START / 2)
    for name in "ab":
        heap.allocate(name, FREED_AT_START / 2)
    for name in "ab":
        heap.free(name)
    heap.fresh = 0.0
    heap.allocate("a", FREED_AT_START)
    assert heap.fresh == 0.0


@pytest.mark.parametrize(
    ("body", "arrays"),
    [
        ("x - y", 0),
        ("(x - y) * x", 0),  # NumPy stores into the operand that nothing else reads
        ("np.sqrt(x - y)", 2),  # 474 faults on 1,012 KiB
        ("(x - y) * (x + y)", 2),
        ("((x - y) * x).sum()", 0),
        ("np.where(x > y, x, y)", 0),
    ],
)
def test_pages_are_fresh_where_several_arrays_live_at_a_time(body: str, arrays: int) -> None:
    found = pages(body, "x=f8[131072] y=f8[131072] u=f8[2,2] v=f8[2,2]")
    assert found == pytest.approx(max(0, arrays * 256 - 32), abs=6)


def test_small_results_are_not_stored_into_their_operands() -> None:
    assert pages("((x - y) * x + y).sum()", "x=f8[32000] y=f8[32000] u=f8[2,2] v=f8[2,2]") == pytest.approx(0, abs=6)


def test_numpy_asks_for_huge_pages_for_large_arrays() -> None:
    """An addition of arrays of 70 MB takes 7.4 ms in the system, single pages of 4 KiB would take 31."""
    big = cycles("x + y", "x=f8[9000000] y=f8[9000000] u=f8[2,2] v=f8[2,2]", "call") / CLOCK / FAULT
    assert big == pytest.approx(0.24 * 9e6 * 8 / 4096 + 300, rel=0.02)


@pytest.mark.parametrize(
    ("body", "cycles_an_element"),
    [
        ("np.exp(x)", 3.3),
        ("np.tanh(x)", 6.2),
        ("np.where(x, x, y)", 3.7),
        ("np.maximum(x, 0.0)", 2.0),
        ("np.sum(x)", 1.5),
    ],
)
def test_elements_without_vectors(body: str, cycles_an_element: float) -> None:
    found = time(source(body, "x=f8[1000] y=f8[1000]"), "")
    seconds = part_of(found, "vector", "function", "scalar", "issue", "chain", "divider")
    assert seconds * CLOCK / 1000 == pytest.approx(cycles_an_element, rel=0.1)


def test_compiled_loops_that_python_calls_keep_their_options() -> None:
    head = (
        '@njit(fastmath={"reassoc", "nsz"})\ndef g(x):\n    s = 0.0\n    for i in range(len(x)):\n        s += x[i]\n'
    )
    text = f"{head}    return s\n\n\ndef f(x):\n    return g(x)\n"
    fast, slow = (time(each, "x=f8[100000]") for each in (text, text.replace('(fastmath={"reassoc", "nsz"})', "")))
    assert "chain" in slow.parts and "chain" not in fast.parts
