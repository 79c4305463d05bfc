"""What Numba makes of array expressions: equal to the loop that one would write by hand, to the byte."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from roofscan.cost.analyze import cost_kernel
from roofscan.cost.result import KernelCost
from roofscan.cost.transform.array_operation import array_operation
from roofscan.cost.transform.fuse import Fusion, fused_by_numba
from roofscan.cost.transform.fuse_expressions import expression_fusions
from roofscan.cost.transform.fuse_loops import loop_fusions
from roofscan.cost.transform.fuse_passes import pass_fusions
from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Body
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module

CACHES = (0, 32 * 1024, 1 << 20, 1 << 60)
HEAD = """
import numpy as np
from numba import njit

def twice(v):
    return v * 2.0

@njit
def f(x, y, z):
    n, m = x.shape
    p, q = y.shape
    r, s = z.shape
"""


def kernel_of(lines: str, decorator: str = "@njit") -> Kernel:
    """A function of three matrices x, y and z."""
    source = HEAD.replace("@njit", decorator) + indent(dedent(lines).strip("\n"), "    ") + "\n"
    module = read_module(source, "f.py")
    [candidate] = [c for c in find_candidates(module, plain=True).candidates if c.name == "f"]
    return lower(module, candidate, Facts())


def costs(lines: str) -> KernelCost:
    cost = cost_kernel(kernel_of(lines))
    assert cost.status == "exact" and cost.reuse is not None
    return cost


def moved(cost: KernelCost, capacity: int) -> tuple[object, object, object]:
    """Bytes at a size of all matrices, so that names of sizes do not matter."""
    assert cost.reuse is not None
    total = (cost.reuse.traffic(capacity) if capacity else cost.registers).total
    sizes = dict.fromkeys(("n", "m", "p", "q", "r", "s", *cost.sample_point), 512)
    return total.load.evaluate(sizes), total.fill.evaluate(sizes), total.writeback.evaluate(sizes)


LOOP = """
t = np.empty((n, m))
for a in range(n):
    for b in range(m):
        {}
"""
COPY = """
for a in range(n):
    for b in range(m):
        z[a, b] = t[a, b]
"""

PAIRS = {
    "a new array": (
        "t = x * y + 2.0 * z\nreturn t",
        LOOP.format("t[a, b] = x[a, b] * y[a, b] + 2.0 * z[a, b]") + "return t",
    ),
    "a ufunc within": (
        "t = np.sqrt(x * x + np.exp(-y))\nreturn t",
        LOOP.format("t[a, b] = np.sqrt(x[a, b] * x[a, b] + np.exp(-y[a, b]))") + "return t",
    ),
    "copied into a slice": (
        "z[:, :] = x * y - 1.0",
        LOOP.format("t[a, b] = x[a, b] * y[a, b] - 1.0") + COPY,
    ),
    "a row for every row, computed again": (
        "t = x * (y[0] + 1.0) + z\nreturn t",
        LOOP.format("t[a, b] = x[a, b] * (y[0, b] + 1.0) + z[a, b]") + "return t",
    ),
}  # fmt: skip


@pytest.mark.parametrize("written, by_hand", PAIRS.values(), ids=PAIRS)
def test_the_loop_that_numba_makes(written: str, by_hand: str) -> None:
    fused, loops = costs(written).fused, costs(by_hand)
    assert fused is not None and loops.fused is None
    for capacity in CACHES:
        assert moved(fused, capacity) == moved(loops, capacity)


def test_the_flops_stay_those_of_the_source() -> None:
    cost = costs("t = x * (y[0] + 1.0)\nreturn t")
    assert cost.fused is not None and cost.fused.flops == cost.flops
    assert cost.fused.operations == cost.operations


FUSED_TEMPORARIES = {
    "return x * y + z": 1,
    "return (x + y) * (x - y)": 2,
    "return np.maximum(x * y, z)": 1,
    "return (x > 0.0) & (y < 1.0)": 2,
    "j = np.ones((n, m), np.int64)\nreturn (j + j) * j": 1,
    "t = x * y\nu = t + z\nreturn u": 0,  # a name is an array of its own
    "return x * y": 0,
    "x += y * z": 0,  # an update in place is an operator of its own
    "np.add(x * y, z, x)": 0,
    "return np.sum(x * y)": 0,
    "return np.sum(x * y + z)": 1,
    "return np.where(x > 0.0, x, y * z)": 0,  # a function, not a ufunc
    "return np.clip(x * y, 0.0, 1.0)": 0,
    "return (x * y).astype(np.float32)": 0,
    "return (x * y).copy()": 0,
    "return (x + y)[1:] * 2.0": 0,  # a view stands between
    "return (x + y).T * z": 0,
    "return np.zeros((n, m)) + x": 0,
    "return twice(x) + y": 0,  # another compiled function
    "return x @ y + z": 0,
    "return (x + y) @ z": 0,
}


@pytest.mark.parametrize("lines, gone", FUSED_TEMPORARIES.items())
def test_what_is_fused_and_what_is_not(lines: str, gone: int) -> None:
    kernel = kernel_of(lines)
    assert kernel.unsupported is None
    fused = fused_by_numba(kernel)
    assert len(kernel.arrays) - len((fused or kernel).arrays) == gone


def test_in_loops_and_conditions() -> None:
    fused = fused_by_numba(kernel_of("for t in range(9):\n    if t > 3:\n        x[:, :] = x * y + z * 2.0"))
    assert fused is not None
    [loop] = [node for node in fused.body if array_operation(node) is None]
    [when] = loop.body
    assert [array_operation(node) is not None for node in when.body] == [True, True]
    first, second = (array_operation(node) for node in when.body)
    assert [a.array for a in first.reads] == ["x", "y", "z"] and [a.array for a in second.writes] == ["x"]


def test_only_compiled_functions_have_a_fused_cost() -> None:
    assert cost_kernel(kernel_of("return x * y + z", decorator="# roofscan:")).fused is None
    assert cost_kernel(kernel_of("return x * y + z", decorator="@njit(fastmath=True)")).fused is not None


def test_what_expressions_become_is_made_once_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, made, body = kernel_of("y[:] = 2.0 * x + 1.0\nz[:] = y - x"), list[Kernel](), Fusion.body

    def counted(self: Fusion, nodes: Body) -> Body:
        made.append(self.kernel)
        return body(self, nodes)

    monkeypatch.setattr(Fusion, "body", counted)
    assert expression_fusions(kernel)
    assert loop_fusions(kernel)
    assert pass_fusions(kernel) == ()
    assert len(made) == 1
