"""Which reference touches a line first: among references of equal strides it is the leading one, at any depth."""

from __future__ import annotations

from fractions import Fraction
from functools import partialmethod

import pytest

from roofscan.cost.memory.lru import analyze_reuse
from roofscan.cost.memory.lru.attempt import PRECISIONS
from roofscan.cost.memory.lru.first_touch import FirstTouch
from tests.oracle.analysis import analyzed
from tests.support.nest_notation import nest
from tests.support.python_calls import counted_calls

N = 800
ROW = 8 * N
FIRST = {  # kernel, bytes loaded, bytes filled
    "the write leads": ("for i 1 n-1\n  for j 0 n\n    A[i-1,j] A[i+1,j]=", 2 * ROW, (N - 2) * ROW),
    "the read leads": ("for i 1 n-1\n  for j 0 n\n    A[i+1,j] A[i-1,j]=", (N - 2) * ROW, 2 * ROW),
    "the write leads backwards": ("for i n-2 0 -1\n  for j 0 n\n    A[i+1,j] A[i-1,j]=", 2 * ROW, (N - 2) * ROW),
    "the same place": ("for i 0 n\n  for j 0 n\n    A[i,j] A[i,j]=", N * ROW, 0),
    "the outer loop decides": (
        "for i 1 n\n  for j 0 n-8\n    A[i-1,j+8] A[i,j]=", (ROW - 64) + (N - 2) * 64, (N - 1) * (ROW - 64)
    ),
    "lines begun together": ("for i 0 n\n  for j 0 n-1\n    A[i,j] A[i,j+1]=", N * 64, N * (ROW - 64)),
}  # fmt: skip


@pytest.mark.parametrize("name", FIRST)
def test_the_reference_that_leads_touches_first(name: str) -> None:
    text, load, fill = FIRST[name]
    moved = analyze_reuse(nest(f"A[n,n]\n{text}"), {"n": N}, 64).traffic(1 << 30).total
    assert float(moved.load.evaluate({"n": N})) == pytest.approx(load, abs=64)
    assert float(moved.fill.evaluate({"n": N})) == pytest.approx(fill, abs=64)


def test_depth_costs_little() -> None:
    axes = [f"i{k}" for k in range(8)]
    lines = ["u[" + ",".join(["n"] * 8) + "]"] + [" " * k + f"for {x} 1 n-1" for k, x in enumerate(axes)]
    inner = ",".join(axes[1:])
    text = "\n".join([*lines, " " * 8 + f"u[i0-1,{inner}] u[i0+1,{inner}]="])
    with counted_calls() as calls:
        model = analyze_reuse(nest(text), {"n": 100}, 64)
    assert model.status == "estimate"
    assert calls.count < 1_000_000


IN_PLACE = """A[n,n]
for k 0 n
  for i 0 n
    for j 0 n
      A[i,j] A[i,k] A[k,j] A[i,j]="""


def test_no_iteration_is_sampled_where_each_write_follows_a_read_of_its_element(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(FirstTouch, "_body")
    model = analyze_reuse(nest(IN_PLACE), {"n": N}, 64)
    for capacity in (1 << 12, 1 << 20):
        moved = model.traffic(capacity).total
        assert moved.load.evaluate({"n": N}) > 0
        assert moved.fill.evaluate({"n": N}) == 0


TRIANGLE = """A[n,n]
for k 0 n
  for i k+1 n
    for j k+1 i+1
      A[i,j] A[i,k] A[j,k] A[i,j]="""


def moved_of_triangle(capacity: int) -> list[float]:
    moved = analyze_reuse(nest(TRIANGLE), {"n": N}, 64, PRECISIONS[1:]).traffic(capacity).total
    return [float(part.evaluate({"n": N})) for part in (moved.load, moved.fill, moved.writeback)]


@pytest.mark.parametrize("capacity", [1 << 12, 1 << 20])
def test_at_coarser_precisions_the_order_of_accesses_decides_at_once(
    capacity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as sampled:
        sampled.setattr(FirstTouch, "__init__", partialmethod(FirstTouch.__init__, at_once=False))
        load, fill, writeback = moved_of_triangle(capacity)
    monkeypatch.delattr(FirstTouch, "_body")
    assert fill == 0
    assert moved_of_triangle(capacity) == pytest.approx([load, 0, writeback])


STACK = """
def last_out(x, depth):
    stack = np.empty(depth)
    top = 0
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1.0 and top > 0:
            top -= 1
            s += stack[top]
        elif top < depth:
            stack[top] = x[i]
            top += 1
    return s
"""


def test_what_is_read_of_an_array_that_the_kernel_makes_was_written() -> None:
    """The read is first in the text, and its place depends on data."""
    cost = analyzed(f"import numpy as np\n{STACK}", "last_out", "x=f8[4000] depth=1000").cost
    assert cost.reuse is not None
    stack = cost.reuse.traffic(1 << 30).arrays["stack"]
    shares = dict.fromkeys(stack.fill.symbols, Fraction(1, 2))
    assert (stack.load.constant, stack.fill.evaluate({**shares, "depth": 1000, "x_shape_0": 4000})) == (0, 8000)


def test_what_data_leave_of_few_touches_is_all_that_a_table_has() -> None:
    """A push that no sample reaches touches none of the stack, whatever its size."""
    cost = analyzed(f"import numpy as np\n{STACK}", "last_out", "x=f8[4000] depth=1000").cost
    assert cost.reuse is not None
    stack = cost.reuse.traffic(1 << 30).arrays["stack"]
    alike = {**dict.fromkeys(stack.fill.symbols, 0), "depth": 1000, "x_shape_0": 4000}
    assert 0 <= stack.fill.evaluate(alike) < 8000


def test_a_ring_is_filled_in_its_first_round() -> None:
    """No iteration of the later rounds has new lines; of the first ones, every eighth does, and writes them first."""
    text = """
def delayed(ring, x, taps):
    m = len(ring)
    s = 0.0
    for i in range(len(x)):
        ring[i % m] = x[i]
        for k in range(len(taps)):
            s += taps[k] * ring[(i - k) % m]
    return s
"""
    cost = analyzed(text, "delayed", "ring=f8[64] x=f8[500] taps=f8[8]").cost
    assert cost.reuse is not None
    ring = cost.reuse.traffic(1 << 16).arrays["ring"]
    sizes = {"m": 64, "ring_shape_0": 64, "x_shape_0": 500, "taps_shape_0": 8}
    assert (ring.load.evaluate(sizes), ring.fill.evaluate(sizes)) == (64, 448)
