"""The dataflow graph's three forms."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from roofscan.cli import main
from roofscan.cost.flow import SINK, SOURCE, Edge, Flow, Vertex
from roofscan.report.graph.items import drawing_of
from roofscan.report.graph.layout import Route, laid_out

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
    assert '"op1" -> "op3" [label="t1: 8000 B", style=dashed,' in text
    assert re.search(r'subgraph cluster_0 \{.*"op1"; "op2"; "op3"; \}', text)


def test_svg(rendered) -> None:
    """The three operations are one frame, so only what must move goes in and out of it."""
    root = ET.fromstring(rendered("graph-svg"))
    texts = [t.text for t in root.iter(f"{SVG}text")]
    assert {"t1 = a*b", "t1: 8000 B", "one loop: line 3", "a: 8000 B", "t3: 8000 B"} <= set(texts)
    assert texts.count("t3: 8000 B") == 2  # in the box that makes it, and where it goes out
    ways = [p for p in root.iter(f"{SVG}path") if p.get("marker-end")]
    told = [(p.get("class"), p.find(f"{SVG}title").text) for p in ways]
    assert sorted(told) == [
        ("line", "a: 8000 B"), ("line", "b: 8000 B"), ("line", "t3: 8000 B"),
        ("temporary", "t1: 8000 B"), ("temporary", "t2: 8000 B"),
    ]  # fmt: skip
    assert len([r for r in root.iter(f"{SVG}rect") if r.get("class") == "frame"]) == 2  # one of them in the legend
    assert rendered("graph-svg") == rendered("graph-svg")


def test_a_number_is_a_line_without_bytes(rendered) -> None:
    text = "# roofscan: a=f8[1000]\ndef f(a):\n    return a - np.sum(a)\n"
    [kernel] = json.loads(rendered("graph-json", "import numpy as np\n" + text))["kernels"]
    assert [(e["from"], e["to"], e["bytes"]["value"]) for e in kernel["edges"] if e["array"] is None] == [
        ("op1", "op2", 0)
    ]
    assert '"op1" -> "op2" [style=dotted];' in rendered("graph-dot", "import numpy as np\n" + text)


def test_a_kernel_outside_the_model_has_no_graph(rendered) -> None:
    text = "# roofscan:\ndef f(x):\n    try:\n        raise OSError\n    except OSError:\n        x[:] = 1.0\n"
    assert json.loads(rendered("graph-json", text))["kernels"] == []
    ET.fromstring(rendered("graph-svg", text))


def test_layers() -> None:
    """What reads stands below what it reads from; no two boxes overlap, and no line that passes runs into a box."""
    names = [f"op{k}" for k in range(1, 8)]
    routes = [
        Route("op1", ("op3", "op4")), Route("op2", ("op3", "op7")), Route("op4", ("op6",)), Route("op6", ("op7",)),
    ]  # fmt: skip
    placed = laid_out(dict.fromkeys(names, (100.0, 40.0)), routes)
    assert all(placed.boxes[r.start].bottom < placed.boxes[end].y for r in routes for end in r.ends)
    boxes = list(placed.boxes.values())  # the points where lines cross a layer too
    for k, one in enumerate(boxes):
        assert 0 <= one.x and one.x + one.width <= placed.width + 1e-6 and 0 <= one.y and one.bottom <= placed.height
        beside = [o for o in boxes[k + 1 :] if o.y == one.y]
        assert all(abs(one.middle - o.middle) >= (one.width + o.width) / 2 - 1e-6 for o in beside)
    passing = [link for link in placed.links if link.route == 1]
    assert len(passing) == 1 + 3, "op2 to op3, and to op7 in as many pieces as there are layers on the way"


def test_a_group_that_something_stands_between_is_no_frame() -> None:
    """op2 needs op1 and gives to op3: one box around op1 and op3 would need a line that leads back."""
    zero = Vertex("", 0, "").flops
    operations = tuple(Vertex(f"op{k + 1}", k, "x", group=g) for k, g in enumerate(("g", "", "g", "h", "h")))
    pairs = [(SOURCE, "op1"), ("op1", "op2"), ("op2", "op3"), ("op3", "op4"), ("op4", "op5"), ("op5", SINK)]
    drawing = drawing_of(Flow(operations, tuple(Edge(a, b, "x", zero) for a, b in pairs)))
    assert [len(item.members) for item in drawing.items] == [0, 1, 1, 1, 2, 0]


def test_every_operation_is_drawn_once(rendered) -> None:
    """Fifty statements: each in a box or among the numbers beside, no two boxes of a kind overlapping."""
    lines = ["import numpy as np", "# roofscan: a=f8[n,m] b=f8[n,m]", "def f(a, b):", "    t0 = a + b"]
    statements = ("t{j} * b + a", "np.sqrt(t{j})", "t{j} - np.sum(t{j}, axis=0)", "t{j} / a.max()")
    lines += [f"    t{k} = " + statements[k % 4].format(j=k - 1) for k in range(1, 50)]
    text = "\n".join([*lines, "    return t49", ""])
    operations = json.loads(rendered("graph-json", text))["kernels"][0]["nodes"]
    root = ET.fromstring(rendered("graph-svg", text))
    boxes = [r for r in root.iter(f"{SVG}rect") if r.get("class") == "box"]
    assert len(boxes) == len(operations) > 60
    places = [tuple(float(b.get(key, "")) for key in ("x", "y", "width", "height")) for b in boxes]
    for k, (x, y, w, h) in enumerate(places):
        assert all(abs(x - x2) >= w or abs(y - y2) >= h for x2, y2, _, _ in places[k + 1 :])


def test_texts_fit_their_boxes(rendered) -> None:
    name = "a_very_long_name_of_an_array_that_nobody_would_ever_want_to_type"
    text = f"# roofscan: {name}=f8[n,m] b=f8[n,m]\ndef f({name}, b):\n    return {name} * b + {name}\n"
    texts = [t.text or "" for t in ET.fromstring(rendered("graph-svg", text)).iter(f"{SVG}text")]
    assert any("…" in text for text in texts) and max(map(len, texts)) <= 60
