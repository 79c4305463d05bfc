"""What a launch loads of arrays that it also writes: an element that is written first is no load."""

from __future__ import annotations

from collections import defaultdict
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.cost.memory.gpu.touched.boxes import BlockBox, by_array
from roofscan.cost.memory.gpu.traffic.mover import Mover
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from tests.cost.memory.gpu.against_runs import DEVICE, THOROUGHNESS, kernels, modelled
from tests.oracle.launches import Triple, launched

SECTOR = DEVICE.sector
WIDTH = 8  # elements of a thread
LAYOUTS = {"rows": "a[i, {}]", "columns": "a[{}, i]"}

FORWARD = """
@cuda.jit
def f(L, b, a):
    i = cuda.grid(1)
    for k in range(8):
        s = b[i, k]
        for j in range(k):
            s -= L[i, k, j] * a[i, j]
        a[i, k] = s / L[i, k, k]
"""
SCAN = """
@cuda.jit
def f(a):
    i = cuda.grid(1)
    for k in range(1, 8):
        a[k, i] += a[k - 1, i]
"""
RECURRENCE = """
@cuda.jit
def f(a):
    i = cuda.grid(1)
    for t in range(3):
        for k in range(1, 8):
            a[k, i] = float32(0.5) * a[k - 1, i]
"""
ELIMINATION = """
@cuda.jit
def f(a):
    i = cuda.grid(1)
    for k in range(4):
        for r in range(k + 1, 4):
            a[r, k, i] /= a[k, k, i]
            for c in range(k + 1, 4):
                a[r, c, i] -= a[r, k, i] * a[k, c, i]
"""
BEHIND_BARRIER = """
@cuda.jit
def f(a, b):
    t, i = cuda.threadIdx.x, cuda.grid(1)
    a[i] = float32(t)
    cuda.syncthreads()
    b[i] = a[i - t + 63 - t]
"""
BEFORE_BARRIER = """
@cuda.jit
def f(a, b):
    t, i = cuda.threadIdx.x, cuda.grid(1)
    v = a[i - t + 63 - t]
    cuda.syncthreads()
    a[i] = v
"""
UNDER_GUARD = """
@cuda.jit
def f(a, b):
    i = cuda.grid(1)
    if i < 10:
        b[i] = a[i]
    b[i] = float32(1.0)
"""


def _array(*shape: int) -> np.ndarray[Any, Any]:
    return np.zeros(shape, np.float32)


KERNELS: dict[str, tuple[str, dict[str, Any]]] = {
    "forward": (FORWARD, {"L": _array(128, 8, 8) + 1, "b": _array(128, 8), "a": _array(128, 8)}),
    "scan": (SCAN, {"a": _array(8, 128)}),
    "recurrence": (RECURRENCE, {"a": _array(8, 128)}),
    "elimination": (ELIMINATION, {"a": _array(4, 4, 128) + np.eye(4, dtype=np.float32)[:, :, None]}),
    "behind barrier": (BEHIND_BARRIER, {"a": _array(128), "b": _array(128)}),
    "before barrier": (BEFORE_BARRIER, {"a": _array(128), "b": _array(128)}),
    "under a guard": (UNDER_GUARD, {"a": _array(128), "b": _array(128)}),
}


def _loads(text: str, arguments: dict[str, Any], grid: Triple, block: Triple) -> tuple[Any, Any, dict[str, int]]:
    """What must move, what must move for sure, and what a run loads, by array."""
    mover = Mover(modelled(text, arguments, grid, block), DEVICE).movements()
    return mover.least.load, mover.surely.load, launched(text, "f", arguments, grid, block).loaded(SECTOR)


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_written_first_is_not_loaded(name: str) -> None:
    text, arguments = KERNELS[name]
    least, surely, run = _loads(text, arguments, (2, 1, 1), (64, 1, 1))
    assert {a: value_of(moved) for a, moved in least.items() if moved} == run
    assert all(value_of(surely[a]) <= run.get(a, 0) for a in surely)


@st.composite
def private_parts(draw: st.DrawFn, even: bool = False) -> tuple[str, dict[str, Any]]:
    """Each thread reads and writes a part of its own, in rows or in columns, with loops in any order. ``even``: loops
    do not depend on one another."""
    form = draw(st.sampled_from(sorted(LAYOUTS)))
    lines, names = ["@cuda.jit", "def f(a, b):", "    i = cuda.grid(1)", "    s = float32(0.0)"], ""
    for _ in range(draw(st.integers(1, 5))):
        if len(names) < 2 and draw(st.booleans()):
            first = draw(st.sampled_from(["1", "2", *(f"{n} + 1" for n in names if not even)]))
            indent, names = "    " * (1 + len(names)), names + "kj"[len(names)]
            lines.append(f"{indent}for {names[-1]} in range({first}, {WIDTH - 2}):")
        places = ["0", "3", str(WIDTH - 1), *(f"{n}{d}" for n in names for d in ("", " - 1", " + 1"))]
        element = LAYOUTS[form].format(draw(st.sampled_from(places)))
        statement = draw(st.sampled_from(["s += {}", "{} = s", "{} += s"])).format(element)
        lines.append("    " * (1 + len(names)) + statement)
        if draw(st.booleans()):
            names = names[:-1]
    lines.append("    b[i] = s")
    a = _array(64, WIDTH) if form == "rows" else _array(WIDTH, 64)
    return "\n".join(lines) + "\n", {"a": a, "b": _array(64)}


@settings(max_examples=30 * THOROUGHNESS, deadline=None)
@given(private_parts())
def test_what_surely_loads_does(kernel: tuple[str, dict[str, Any]]) -> None:
    text, arguments = kernel
    _, surely, run = _loads(text, arguments, (2, 1, 1), (32, 1, 1))
    assert all(value_of(surely[name]) <= run.get(name, 0) for name in surely), text


@settings(max_examples=30 * THOROUGHNESS, deadline=None)
@given(private_parts(even=True))
def test_references_of_different_loops_are_united(kernel: tuple[str, dict[str, Any]]) -> None:
    text, arguments = kernel
    program = modelled(text, arguments, (2, 1, 1), (32, 1, 1))
    touched: dict[str, set[int]] = defaultdict(set)
    for t in launched(text, "f", arguments, (2, 1, 1), (32, 1, 1)).touches:
        touched[t.array].add(t.address // SECTOR)
    box = BlockBox((2, 1, 1), (32, 1, 1), "all")
    for name, found in by_array(program.references).items():
        loops = {loop.var: loop.trips for r in found for loop, _ in r.loops}
        assert box.bytes(found, loops, SECTOR) == len(touched[name]) * SECTOR, (text, name)


@settings(max_examples=30 * THOROUGHNESS, deadline=None)
@given(kernels())
def test_what_surely_moves_does_under_guards_and_at_strides(kernel: tuple[str, dict[str, Any], Triple, Triple]) -> None:
    text, arguments, grid, block = kernel
    surely = Mover(modelled(*kernel), DEVICE).movements().surely
    run = launched(text, "f", arguments, grid, block)
    [touched] = run.waves(SECTOR, prod(grid))
    assert all(value_of(moved) <= touched.get((name, False), 0) for name, moved in surely.load.items()), text
    assert all(value_of(moved) <= touched.get((name, True), 0) for name, moved in surely.store.items()), text
