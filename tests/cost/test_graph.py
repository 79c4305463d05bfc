"""The dataflow graph of three loops over two arrays."""

from __future__ import annotations

import pytest

from roofscan.cost.analyze import cost_kernel
from roofscan.cost.graph import SINK, SOURCE, dataflow_graph
from tests.build import Build, expr


def test_arrays_flow_from_writer_to_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofscan.cost.analyze._with_reuse", lambda cost, line: cost)
    b = Build()
    x, y, t = b.array("x", "n"), b.array("y", "n", dtype="f4"), b.array("t", "n", role="temporary")
    first = b.loop("i", 0, "n", b.write(t, "i", value=b.op("mul", b.read(x, "i"))))
    second = b.loop("j", 0, "n", b.write(y, "j", value=b.op("sqrt", b.read(t, "j"))))
    third = b.loop("k", 0, "n", b.write(y, "k", value=b.op("add", b.read(y, "k"), b.op("add", b.read(x, "k")))))
    graph = dataflow_graph(cost_kernel(b.kernel(first, second, third)))
    assert set(graph.edges(keys=True)) == {
        (SOURCE, first.line, "x"), (first.line, second.line, "t"), (SOURCE, third.line, "x"),
        (second.line, third.line, "y"), (third.line, SINK, "y"),
    }  # fmt: skip
    assert graph.nodes[third.line]["flops"] == expr("2*n")
    assert graph.edges[first.line, second.line, "t"]["bytes"] == expr("8*n")
    assert graph.edges[third.line, SINK, "y"]["bytes"] == expr("4*n")


def test_straight_line_code_is_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofscan.cost.analyze._with_reuse", lambda cost, line: cost)
    b = Build()
    x = b.array("x", "n")
    load = b.read(x, 0)
    graph = dataflow_graph(cost_kernel(b.kernel(b.write(x, 0, value=b.op("mul", load)))))
    assert set(graph.edges(keys=True)) == {(SOURCE, load.line, "x"), (load.line, SINK, "x")}
    assert graph.nodes[load.line]["flops"] == 1
