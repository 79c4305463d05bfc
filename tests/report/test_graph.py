"""The dataflow graph's three forms."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import networkx
import pytest

from roofscan.api import analyze_source
from roofscan.cli import main
from roofscan.config.options import Options
from roofscan.report.graph.drawing import BOX_HEIGHT, MAX_LETTERS, Drawing, draw, drawing_of
from roofscan.report.graph.layout import laid_out

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


def drawing(text: str) -> Drawing:
    [kernel] = analyze_source(text, "k.py", Options(kernels="all")).kernels
    return drawing_of(kernel.reports[0].cost)


def test_drawing() -> None:
    """The three operations have one colour; the array that two of them read comes in above each row of readers."""
    found = drawing(SOURCE_TEXT)
    boxes = {box.name: box for box in found.boxes}
    assert boxes["op1"].lines == ("t1 = a*b", "line 3 · 1000 FLOP", "t1: 8000 B")
    assert {box.group for box in found.boxes if box.is_operation} == {"expression 1"}
    assert found.groups == (("expression 1", "one loop: line 3"),)
    assert sorted(boxes[name].lines for name in boxes if not boxes[name].is_operation) == [
        ("a: 8000 B",), ("b: 8000 B",), ("t3: 8000 B",),
    ]  # fmt: skip
    assert sorted(style for _, _, style in found.arrows) == ["array"] * 4 + ["temporary"] * 2


def test_svg(rendered) -> None:
    root = ET.fromstring(rendered("graph-svg"))
    assert len(list(root.iter(f"{SVG}path"))) > 12
    assert rendered("graph-svg") == rendered("graph-svg")
    assert draw([drawing(SOURCE_TEXT)], "png").startswith(b"\x89PNG")


def test_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    path = tmp_path / "k.py"
    path.write_text(SOURCE_TEXT)
    assert main(["report", str(path), "--format", "graph-svg"]) == 2
    assert "graph-svg needs matplotlib: pip install 'roofscan[charts]'" in capsys.readouterr().err
    assert main(["report", str(path), "--format", "graph-dot"]) == 0


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
    """What reads is below what it reads from; no two boxes overlap, and no line that passes runs into a box."""
    graph = networkx.DiGraph([("op1", "op3"), ("op1", "op4"), ("op2", "op3"), ("op2", "op7"), ("op4", "op6")])
    graph.add_edge("op6", "op7")
    placed = laid_out(graph)
    assert all(placed.centres[start][1] < placed.centres[end][1] for start, end in graph.edges())
    passing = {point for route in placed.routes.values() for point in route[1:-1]}
    places = [*placed.centres.values(), *passing]
    assert len({row for _, row in placed.centres.values()}) == placed.rows
    for k, (x, row) in enumerate(places):
        assert 0 <= x <= placed.columns - 1 and all(abs(x - x2) >= 1 - 1e-9 for x2, r in places[k + 1 :] if r == row)
    assert len(placed.routes["op2", "op7"]) == 1 + placed.rows - placed.centres["op2"][1] - 1


def statements(count: int) -> str:
    """Statements of which each takes what the one before makes."""
    lines = ["import numpy as np", "# roofscan: a=f8[n,m] b=f8[n,m]", "def f(a, b):", "    t0 = a + b"]
    forms = ("t{j} * b + a", "np.sqrt(t{j})", "t{j} - np.sum(t{j}, axis=0)", "t{j} / a.max()")
    lines += [f"    t{k} = " + forms[k % 4].format(j=k - 1) for k in range(1, count)]
    return "\n".join([*lines, f"    return t{count - 1}", ""])


@pytest.mark.parametrize("count", [5, 15, 30])
def test_every_operation_is_drawn_once(rendered, count: int) -> None:
    """Each is in a box, no two boxes overlap, and all are inside the picture."""
    text = statements(count)
    operations = json.loads(rendered("graph-json", text))["kernels"][0]["nodes"]
    found = drawing(text)
    assert sorted(box.name for box in found.boxes if box.is_operation) == sorted(v["id"] for v in operations)
    (wide, high), half = found.size, found.box_width / 2
    places = [found.centre(found.layout.centres[box.name]) for box in found.boxes]
    for k, (x, y) in enumerate(places):
        assert half <= x <= wide - half and 0 < y < high
        assert all(abs(x - x2) >= 2 * half or abs(y - y2) >= BOX_HEIGHT for x2, y2 in places[k + 1 :])


def test_texts_fit_their_boxes() -> None:
    name = "a_very_long_name_of_an_array_that_nobody_would_ever_want_to_type"
    found = drawing(f"# roofscan: {name}=f8[n,m] b=f8[n,m]\ndef f({name}, b):\n    return {name} * b + {name}\n")
    texts = [line for box in found.boxes for line in box.lines]
    assert any("…" in text for text in texts) and max(map(len, texts)) <= MAX_LETTERS
