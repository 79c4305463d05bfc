"""The dataflow graph: operations with their FLOPs, arrays between them, and groups that one loop could do."""

from __future__ import annotations

import pytest

from roofscan.cost.analyze import cost_kernel
from roofscan.cost.flow import SINK, SOURCE, Flow, flow_of
from tests.cost.transform.test_fuse_expressions import kernel_of
from tests.support.kernel_builder import Build, expr


@pytest.fixture(autouse=True)
def without_reuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofscan.cost.analyze.with_reuse", lambda cost, line: cost)


def flow(lines: str) -> Flow:
    return flow_of(cost_kernel(kernel_of(lines)))


def test_arrays_flow_from_writer_to_reader() -> None:
    b = Build()
    x, y, t = b.array("x", "n"), b.array("y", "n", dtype="f4"), b.array("t", "n", role="temporary", live_out=False)
    first = b.loop("i", 0, "n", b.write(t, "i", value=b.op("mul", b.read(x, "i"))))
    second = b.loop("j", 0, "n", b.write(y, "j", value=b.op("sqrt", b.read(t, "j"))))
    third = b.loop("k", 0, "n", b.write(y, "k", value=b.op("add", b.read(y, "k"), b.op("add", b.read(x, "k")))))
    graph = flow_of(cost_kernel(b.kernel(first, second, third))).graph()
    assert set(graph.edges(keys=True)) == {
        (SOURCE, "op1", "x"), ("op1", "op2", "t"), (SOURCE, "op3", "x"), ("op2", "op3", "y"), ("op3", SINK, "y"),
    }  # fmt: skip
    assert [graph.nodes[f"op{k}"]["line"] for k in (1, 2, 3)] == [first.line, second.line, third.line]
    assert graph.nodes["op3"]["flops"] == expr("2*n")
    assert graph.edges["op1", "op2", "t"]["bytes"] == expr("8*n") and graph.edges["op1", "op2", "t"]["temporary"]
    assert graph.edges["op3", SINK, "y"]["bytes"] == expr("4*n")


def test_straight_line_code_is_an_operation() -> None:
    b = Build()
    x = b.array("x", "n")
    load = b.read(x, 0)
    graph = flow_of(cost_kernel(b.kernel(b.write(x, 0, value=b.op("mul", load))))).graph()
    assert set(graph.edges(keys=True)) == {(SOURCE, "op1", "x"), ("op1", SINK, "x")}
    assert graph.nodes["op1"]["flops"] == 1 and graph.nodes["op1"]["line"] == load.line


def test_operators_of_one_line_are_operations_of_their_own() -> None:
    found = flow("return x * y + z")
    assert [v.label for v in found.vertices] == ["t1 = x*y", "t2 = t1+z"]
    assert [(e.start, e.end, e.array, e.temporary) for e in found.edges] == [
        (SOURCE, "op1", "x", False), (SOURCE, "op1", "y", False), ("op1", "op2", "t1", True),
        (SOURCE, "op2", "z", False), ("op2", SINK, "t2", False),
    ]  # fmt: skip
    assert list(found.groups.values()) == [("op1", "op2")]


def test_a_library_call_and_a_reduction_are_one_operation_each() -> None:
    found = flow("t = x @ y\nu = t.mean(axis=1)\nreturn u")
    assert [v.label for v in found.vertices] == ["t = matmul", "u = reduction of t"]
    assert str(found.vertices[0].flops) in ("2*m*n*q", "2*n*m*q") and not found.groups


def test_flops_of_operations_make_up_those_of_the_kernel() -> None:
    lines = "for k in range(9):\n    x[:, :] = x * y + z * 2.0\nt = x @ y\nreturn t / np.sum(t)"
    cost = cost_kernel(kernel_of(lines))
    assert sum((v.flops for v in flow_of(cost).vertices), start=expr(0)) == cost.flops


def test_loops_that_may_be_one_are_a_group() -> None:
    both = "for i in range(n):\n    x[i, 0] = y[i, 0]\nfor i in range(n):\n    z[i, 0] = x[{}, 0]"
    assert list(flow(both.format("i")).groups.values()) == [("op1", "op2")]
    assert not flow(both.format("i + 1")).groups
