"""The dataflow graph's three forms."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from roofscan.cli import main
from roofscan.cost.graph import SINK, SOURCE, Edge, Flow, Vertex
from roofscan.report.layout import BOX, laid_out

SOURCE_TEXT = """\
# roofscan: a=f8[1000] b=f8[1000]
def blend(a, b):
    return a * b + 0.5 * a
"""
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def rendered(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def render(form: str, text: str = SOURCE_TEXT) -> str:
        path = tmp_path / "k.py"
        path.write_text(text)
        assert main(["report", str(path), "--format", form]) == 0
        return capsys.readouterr().out

    return render


def test_json(rendered) -> None:
    document = json.loads(rendered("graph-json"))
    [kernel] = document["kernels"]
    assert document["schema"] == "roofscan-graph/1" and kernel["name"] == "blend"
    assert [n["label"] for n in kernel["nodes"]] == ["t1 = a*b", "t2 = …*a", "t3 = t1+t2"]
    assert [n["flops"]["value"] for n in kernel["nodes"]] == [1000, 1000, 1000]
    assert kernel["groups"] == [{"name": "expression 1", "nodes": ["op1", "op2", "op3"]}]
    flows = {(e["from"], e["to"], e["array"]): e for e in kernel["edges"]}
    assert flows["op1", "op3", "t1"]["temporary"] and flows["op1", "op3", "t1"]["bytes"]["value"] == 8000
    assert not flows["in", "op1", "a"]["temporary"] and ("op3", "out", "t3") in flows


def test_dot(rendered) -> None:
    text = rendered("graph-dot")
    assert text.count("{") == text.count("}") and text.startswith('digraph "blend" {')
    assert '"op1" -> "op3" [label="t1: 8000 B", style=dashed];' in text
    assert re.search(r'subgraph cluster_0 \{.*"op1"; "op2"; "op3"; \}', text)


def test_svg(rendered) -> None:
    root = ET.fromstring(rendered("graph-svg"))
    texts = [t.text for t in root.iter(f"{SVG}text")]
    assert "t1 = a*b" in texts and "t1: 8000 B" in texts and "one loop: expression 1" in texts
    assert len([p for p in root.iter(f"{SVG}path") if p.get("marker-end")]) == 6
    assert sum(1 for p in root.iter(f"{SVG}path") if p.get("marker-end") and p.get("stroke-dasharray")) == 2
    assert rendered("graph-svg") == rendered("graph-svg")


def test_a_kernel_outside_the_model_has_no_graph(rendered) -> None:
    text = "from numba import cuda\n\n@cuda.jit\ndef f(x):\n    x[cuda.grid(1)] = 1.0\n"
    assert json.loads(rendered("graph-json", text))["kernels"] == []
    ET.fromstring(rendered("graph-svg", text))


def test_layers() -> None:
    """What reads stands below what it reads from; no two boxes overlap."""
    names = [f"op{k}" for k in range(1, 7)]
    first = [(SOURCE, "op1"), (SOURCE, "op2"), ("op1", "op3"), ("op2", "op3")]
    pairs = [*first, ("op1", "op4"), ("op4", "op6"), ("op6", SINK)]
    edges = tuple(Edge(a, b, "x", Vertex("", 0, "").flops) for a, b in pairs)
    placed, width, height = laid_out(Flow(tuple(Vertex(n, 1, n) for n in names), edges))
    assert all(placed[a].y < placed[b].y for a, b in pairs)
    boxes = list(placed.values())
    for k, one in enumerate(boxes):
        assert 0 <= one.x <= width - BOX[0] and 0 <= one.y <= height
        assert all(abs(one.x - other.x) >= BOX[0] or abs(one.y - other.y) >= BOX[1] for other in boxes[k + 1 :])
