"""Which neighbouring loops may become one: legal pairs, pairs that only look so, and what is left of the traffic."""

from __future__ import annotations

import pytest

from roofscan.cost.memory.lru import analyze_reuse
from roofscan.cost.transform.fuse_expressions import expression_fusions
from roofscan.cost.transform.fuse_loops import loop_fusions
from roofscan.cost.transform.fuse_passes import pass_fusions
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import accesses, loops
from roofscan.transformation import LoopRecord, TransformationRecord
from tests.cost.transform.interpreter import memory_after
from tests.cost.transform.test_fuse_expressions import kernel_of
from tests.support import lowered_source

TWO = """
for a in range(1, n - 1):
    for b in range(1, m - 1):
        {}
for c in range(1, n - 1):
    for d in range(1, m - 1):
        {}
"""

PAIRS = {
    "the same element": ("y[a, b] = x[a, b]", "z[c, d] = y[c, d] + x[c, d]", 2),
    "an earlier row": ("y[a, b] = x[a, b]", "z[c, d] = y[c - 1, d]", 2),
    "an earlier element": ("y[a, b] = x[a, b]", "z[c, d] = y[c, d - 1]", 2),
    "an earlier row, further on": ("y[a, b] = x[a, b]", "z[c, d] = y[c - 1, d + 1]", 2),
    "a later row": ("y[a, b] = x[a, b]", "z[c, d] = y[c + 1, d]", 0),
    "a later element": ("y[a, b] = x[a, b]", "z[c, d] = y[c, d + 1]", 1),
    "overwritten after it is read": ("y[a, b] = x[a + 1, b]", "x[c, d] = 2.0 * z[c, d]", 2),
    "overwritten before it is read": ("y[a, b] = x[a - 1, b]", "x[c, d] = 2.0 * z[c, d]", 0),
    "overwritten in place": ("y[a, b] = x[a, b] * 2.0", "x[c, d] = 1.0 + x[c, d]", 2),
    "transposed": ("y[a, b] = x[a, b]", "z[c, d] = y[d, c]", 0),
    "one element for all": ("y[0, 0] = x[a, b]", "z[c, d] = y[0, 0]", 0),
    "fixed rows that differ": ("y[0, b] = x[a, b]", "z[c, d] = y[1, d] + x[c, d]", 2),
    "data decide": ("y[int(x[a, b]), b] = 1.0", "z[c, d] = y[c, d]", 0),
    "nothing shared": ("y[a, b] = 1.0", "z[c, d] = x[c, d]", 0),
}


def depth_of_fusion(lines: str) -> int:
    """How many loops of two nests are one: 0, 1 or 2."""
    found = loop_fusions(kernel_of(lines))
    if not found:
        return 0
    [pair] = found
    [outer] = pair.fused.body
    return 1 if len(outer.body) == 2 else 2


@pytest.mark.parametrize("first, second, depth", PAIRS.values(), ids=PAIRS)
def test_dependences(first: str, second: str, depth: int) -> None:
    assert depth_of_fusion(TWO.format(first, second)) == depth


KEPT_APART = {
    "another range": "for a in range(n):\n    y[a, 0] = x[a, 0]\nfor a in range(1, n):\n    z[a, 0] = y[a, 0]",
    "a sum that is used": (
        "t = 0.0\nfor a in range(n):\n    t += x[a, 0]\nfor a in range(n):\n    z[a, 0] = x[a, 0] / t"
    ),
    "the last value of a scalar": (
        "for a in range(n):\n    t = x[a, 0]\n    y[a, 0] = t\nfor a in range(n):\n    z[a, 0] = y[a, 0] + t"
    ),
    "a total of an array between": "y[:, :] = x\nt = np.sum(y)\nz[:, :] = y / t",
    "an element in between": "y[0] = x[0]\nt = y[0, 3]\nz[0] = y[0] * t",
    "a place that is found": "k = 0\nfor a in range(n):\n    y[a, 0] = x[a, 0]\n    if x[a, 1] > 3.0:\n        k = a\n"
    "for a in range(n):\n    z[a, 0] = x[k, 0]",
    "the totals of columns": "t = x.sum(axis=0)\nz[:, :] = x / t",
    "the total of all": "t = x.max()\nz[:, :] = x / t",
    "a product that reads": "z[:, :] = x + 1.0\nt = z @ y",
    "a break": "for a in range(n):\n    y[a, 0] = x[a, 0]\n    if x[a, 1] > 3.0:\n        break\n"
    "for a in range(n):\n    z[a, 0] = y[a, 0]",
    "one loop over two statements": "for a in range(n):\n    y[a, 0] = x[a, 0]\n    z[a, 0] = y[a, 0]",
}  # fmt: skip


@pytest.mark.parametrize("lines", KEPT_APART.values(), ids=KEPT_APART)
def test_kept_apart(lines: str) -> None:
    for pair in loop_fusions(kernel_of(lines)):
        assert not any(a.array == "z" for a in accesses(pair.fused.body) if a.write)


@pytest.mark.parametrize("place, legal", [("a", True), ("a - 1", False)])
def test_iterations_that_run_side_by_side_share_no_element(place: str, legal: bool) -> None:
    loops = f"for a in prange(1, n):\n    y[a] = x[a]\nfor a in prange(1, n):\n    z[a] = y[{place}]"
    kernel = lowered_source.kernel_of(loops, "x, y, z, n", "parallel=True")
    assert bool(loop_fusions(kernel)) is legal


def test_three_statements_and_a_local_that_goes() -> None:
    kernel = kernel_of("t = x * y\nu = t + z\nz[:, :] = u * t")
    [run] = loop_fusions(kernel)
    assert [a.array for a in accesses(run.fused.body) if a.write] == ["z"]
    assert {a.array for a in accesses(run.fused.body)} == {"x", "y", "z"}
    assert {a.array for a in accesses(run.written.body)} == {"x", "y", "z", "t", "u"} and run.shared == ("z", "t", "u")


@pytest.mark.parametrize("row", ["x.mean(axis=1, keepdims=True)", "x.sum(axis=-1)[:, None]", "x.var(axis=1)[:, None]"])
def test_rows_are_reduced_and_used_in_one_loop(row: str) -> None:
    """The number of a row is ready when the row is: one loop over the rows, each read again while it is near."""
    [run] = loop_fusions(kernel_of(f"t = {row}\nz[:, :] = x - t"))
    [rows] = run.fused.body
    assert isinstance(rows, Loop) and {a.array for a in accesses((rows,))} == {"x", "z"}


def test_the_place_of_an_array_that_goes_is_taken_by_its_value() -> None:
    """What is left computes the same, number for number."""
    for lines in ("t = x * y\nu = t + z\nz[:, :] = u * t", TWO.format("y[a, b] = x[a + 1, b]", "x[c, d] = y[c, d]")):
        [run] = loop_fusions(kernel_of(lines))
        sizes = dict.fromkeys((s.name for s in run.written.symbols), 5)
        written, fused = (memory_after(kernel, sizes) for kernel in (run.written, run.fused))
        assert fused and all(written[element] == value for element, value in fused.items())


def test_a_returned_array_stays() -> None:
    [run] = loop_fusions(kernel_of("t = x * y\nz[:, :] = t + y\nreturn t"))
    assert {a.array for a in accesses(run.fused.body) if a.write} == {"t", "z"}


PASSES = {
    "t = np.mean(x)\nu = np.var(x)\nreturn t + u": ("x", 3),
    "return np.sum(x), x.max()": ("x", 2),
    "t = 0.0\nfor a in range(n):\n    for b in range(m):\n        t += x[a, b]\nreturn t + np.sum(x)": ("x", 2),
    "return x.std()": None,
    "t = np.sum(x)\nx += 1.0\nreturn t + np.max(x)": None,
    "return np.sum(x) + np.sum(y)": None,
    "t = x.mean()\nreturn np.sum((x - t) * (x - t))": ("x", 2),  # a polynomial: sums of x and of x * x
    "t = x.mean()\nreturn np.sum(np.abs(x - t))": None,
    "t = x.max()\nreturn np.sum(np.exp(x - t))": None,
    "t = x.max()\nreturn np.sum(np.exp(x - t)) / np.sum(np.abs(x - t))": ("x", 2),  # but not with the maximum
    "t = 0.0\nfor a in range(n):\n    for b in range(m):\n        t += x[a, b]\nreturn np.sum(np.sqrt(x / t))": None,
    "return np.sum(x[0]) + np.sum(x[:, 0])": None,
}


@pytest.mark.parametrize("lines, expected", PASSES.items())
def test_pass_fusions(lines: str, expected: tuple[str, int] | None) -> None:
    found = pass_fusions(kernel_of(lines))
    assert [(p.array, p.count) for p in found] == ([expected] if expected else [])
    for passes in found:
        both = passes.written, passes.fused
        written, fused = ([a for a in accesses(k.body) if a.array == passes.array] for k in both)
        assert len(passes.loops) == passes.count <= len(written)
        assert {a.index for a in fused} == {written[0].index}, "what the first walk reads, the others need not"


def test_passes_that_wait_for_each_other_are_ordered_in_one_sweep() -> None:
    """Thirty maxima, each of what the one before leaves: a search along all chains would visit 2**30."""
    lines = ["t0 = 0.0", *(f"t{k + 1} = np.max(np.sqrt(x + t{k}))" for k in range(30)), "return t30 + np.min(x)"]
    [passes] = pass_fusions(kernel_of("\n".join(lines)))
    assert passes.count == 2  # the first maximum, and the minimum that waits for nothing


def test_a_loop_that_reads_an_array_and_its_reshaped_view_is_one_pass() -> None:
    loops = "for a in range(n):\n    for b in range(m):\n        s += x[a, b] * z[a * m + b]"
    lines = f"z = x.reshape(-1)\ns = 0.0\n{loops}\nreturn s"
    assert pass_fusions(kernel_of(lines)) == ()


APPLIED = (
    "t = x * y\nu = t + z\nz[:, :] = u * t",
    "t = (x + y) * z\nz[:, :] = t * (y - x) + t",
    TWO.format("y[a, b] = x[a + 1, b]", "x[c, d] = y[c, d]"),
    "for a in range(n):\n    z[a, :] = (x[a] + y[a]) * 2.0",
)


@pytest.mark.parametrize("lines", APPLIED)
def test_an_applied_fusion_computes_the_same(lines: str) -> None:
    kernel = kernel_of(lines)
    fusions = (*expression_fusions(kernel), *loop_fusions(kernel))
    assert fusions
    sizes = dict.fromkeys((s.name for s in kernel.symbols), 5)
    written = memory_after(kernel, sizes)
    for fusion in fusions:
        fused = memory_after(fusion.apply(kernel), sizes)
        assert any(element[0] == "z" for element in fused) or "x[c, d]" in lines
        assert all(written[element] == value for element, value in fused.items())


def test_a_fusion_describes_its_change() -> None:
    kernel = kernel_of("t = x * y\nz[:, :] = t * (y - x)")
    [statement], [run] = expression_fusions(kernel), loop_fusions(kernel)
    line = statement.line
    assert statement.record == TransformationRecord("fuse_expression", (LoopRecord("", line),), arrays=("t1", "t2"))
    assert run.record.kind == "fuse_loops" and run.record.line == line - 1 and run.record.arrays == ("x", "y", "t")


def test_arrays_that_are_allocated_in_a_fused_loop_are_allocated_in_the_one_that_stays() -> None:
    kernel = lowered_source.lowered(
        """
        import numpy as np
        from numba import njit

        @njit
        def f(x, y, z, n, m):
            for i in range(n):
                a = np.empty(i + m)
                for j in range(m):
                    a[j] = x[i, j]
                    y[i, j] = 2.0 * a[j] + a[0]
            for i in range(n):
                b = np.empty(i + m)
                for j in range(m):
                    b[j] = x[i, j]
                    z[i, j] = 3.0 * b[j] + b[0]
        """
    )
    (fusion,) = loop_fusions(kernel)
    for fused in (fusion.fused, fusion.apply(kernel)):
        (outer, *_) = variables = [loop.var for loop in loops(fused.body)]
        assert {var for array in fused.arrays for var in array.fresh_in} == {outer}
        sizes = {name for array in fused.arrays for e in array.shape for name in e.symbols}
        assert sizes & {loop.var for loop in loops(kernel.body)} <= {*variables}
        point = {**dict.fromkeys((s.name for s in fused.symbols), 50)}
        assert analyze_reuse(fused, point, 64).traffic(1000).status != "unknown"


def test_an_array_of_the_last_iteration_is_one_array_in_a_piece_without_that_loop() -> None:
    kernel = lowered_source.lowered(
        """
        import numpy as np
        from numba import njit

        @njit
        def f(x, y, z, n, m, steps):
            v = np.ones(m)
            for t in range(steps):
                v = x / (v + t)
            for i in range(m):
                y[i] = 2.0 * v[i]
            for i in range(m):
                z[i] = 3.0 * v[i]
        """
    )
    assert any(array.fresh_in for array in kernel.arrays)
    (fusion,) = loop_fusions(kernel)
    for piece in (fusion.written, fusion.fused):
        assert not any(array.fresh_in for array in piece.arrays)
        point = dict.fromkeys((s.name for s in piece.symbols), 50)
        assert analyze_reuse(piece, point, 64).traffic(1000).status != "unknown"


COUNTED = {
    "a count of its own": ("c = 0", "d[a] = 2.0 * x[a, 0]", "if d[b] > 0.5:\n        c += 1", 2),
    "a count that the first reads": ("c = 3", "d[a] = c * x[a, 0]", "if d[b] > 0.5:\n        c += 1", 0),
    "a count of the first": ("c = 0", "d[a] = 2.0 * x[a, 0]\n    if x[a, 0] > 0.5: c += 1", "z[b, 0] = c * d[b]", 0),
    "a sum of floats": ("c = 0.0", "d[a] = 2.0 * x[a, 0]", "c += d[b]", 2),
}


@pytest.mark.parametrize("start, first, second, fused", COUNTED.values(), ids=COUNTED)
def test_what_a_loop_counts(start: str, first: str, second: str, fused: int) -> None:
    lines = f"{start}\nd = np.empty(n)\nfor a in range(n):\n    {first}\nfor b in range(n):\n    {second}\nreturn c"
    assert [len(fusion.run) for fusion in loop_fusions(kernel_of(lines))] == ([fused] if fused else [])


FILLED = (
    "d = np.zeros(n)\nfor a in range(n):\n    d[a] = 2.0 * x[a, 0]\n{}\n"
    "for b in range(n):\n    z[b, 0] = d[b] + z[b, 0]"
)


def test_the_fill_of_an_array_goes_with_it() -> None:
    [fusion] = loop_fusions(kernel_of(FILLED.format("")))
    assert len(fusion.fills) == 1
    assert {access.array for access in accesses(fusion.fused.body)} == {"x", "z"}
    assert sum(access.array == "d" and access.write for access in accesses(fusion.written.body)) == 2


@pytest.mark.parametrize(("between", "fused"), [("out = np.zeros(n)", 1), ("x[:] = 0.0", 0)])
def test_a_fill_between_loops(between: str, fused: int) -> None:
    """It may come before them, unless they touch what it fills."""
    assert len(loop_fusions(kernel_of(FILLED.format(between)))) == fused
