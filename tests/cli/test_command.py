"""The command as a user runs it: formats, exit codes, binding, machines, and streams."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

import roofscan as package
from roofscan.api import analyze_source, report_at
from tests.cli.conftest import AXPY, OUTSIDE, PLAIN, Command

SCHEMA = json.loads((Path(package.__file__).parent / "report" / "schema.json").read_text())
MATMUL = """

@njit
def matmul(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for i in range(n):
        for j in range(p):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]
"""


@pytest.fixture
def kernels(roofscan: Command) -> Command:
    roofscan.write("k.py", AXPY + MATMUL + "\n\n" + PLAIN)
    return roofscan


def test_json_follows_the_contract(kernels: Command) -> None:
    outcome = kernels("report", "k.py", "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    jsonschema.validate(outcome.json, SCHEMA)
    axpy, matmul, scale = (outcome.kernels[name] for name in ("axpy", "matmul", "scale"))
    assert axpy["status"] == "exact"
    assert axpy["path"] == "k.py"
    assert (axpy["line"], axpy["end_line"]) == (5, 7)
    assert matmul["flops"]["expr"] == "2*m*n*p"
    assert matmul["symbols"]["m"] == "A.shape[1]"
    assert "interpreter" in scale["verdict"]["reason"]
    assert axpy["precision"] == "fp64"
    assert axpy["scope"] == "core"


def test_json_is_the_same_every_time(kernels: Command) -> None:
    first = kernels("report", "k.py", "--format", "json").out
    assert kernels("report", "k.py", "--format", "json").out == first


def test_bound_sizes_have_values(kernels: Command) -> None:
    outcome = kernels("report", "k.py::axpy", "--bind", "x=f8[1000] y=f8[1000] a=2.0", "--format", "json")
    axpy = outcome.kernels["axpy"]
    assert axpy["flops"]["value"] == 2000
    assert axpy["levels"][0]["name"] == "L1"
    assert axpy["levels"][0]["capacity"] == 0
    assert axpy["levels"][0]["load"]["value"] == 16000
    assert axpy["levels"][0]["writeback"]["value"] == 8000
    assert axpy["verdict"]["attainable_flops"]["value"] > 0


def test_bind_may_come_in_pieces(kernels: Command) -> None:
    words = ("report", "k.py::axpy", "--bind", "x=f4[100]", "--bind", "y=f4[100]", "--format", "json")
    axpy = kernels(*words).kernels["axpy"]
    assert axpy["flops"]["value"] == 200
    assert axpy["levels"][0]["load"]["value"] == 800


def test_caches_replace_the_machine(kernels: Command) -> None:
    words = ("report", "k.py::axpy", "--bind", "x=f8[4096] y=f8[4096]", "--format", "json")
    outcome = kernels(*words, "--cache", "512", "--cache", "32KiB", "--line", "64")
    axpy = outcome.kernels["axpy"]
    assert [(level["name"], level["capacity"]) for level in axpy["levels"]] == [
        ("512", 512),
        ("32768", 32768),
    ]
    for level in axpy["levels"]:
        assert (level["ridge"], level["bound"]) == (None, None)
        assert [level[part]["value"] for part in ("load", "fill", "writeback")] == [65536, 0, 32768]
    assert axpy["verdict"]["attainable_flops"]["value"] is None


def test_several_machines(kernels: Command) -> None:
    outcome = kernels(
        "report", "k.py::axpy", "--machine", "teaching-scalar", "--machine", "xeon-6248r", "--format", "json"
    )
    document = outcome.json
    jsonschema.validate(document, SCHEMA)
    assert [machine["name"] for machine in document["machines"]] == ["teaching-scalar", "xeon-6248r"]
    assert document["kernels"][0]["elsewhere"][0]["machine"] == "xeon-6248r"
    text = kernels("report", "k.py::axpy", "--machine", "teaching-scalar", "--machine", "xeon-6248r").out
    assert "teaching-scalar" in text
    assert "xeon-6248r" in text


def test_one_function(kernels: Command) -> None:
    assert set(kernels("report", "k.py::matmul", "--format", "json").kernels) == {"matmul"}
    both = kernels("report", "k.py::matmul", "k.py::axpy", "--format", "json")
    assert list(both.kernels) == ["axpy", "matmul"]


def test_a_function_that_is_no_kernel_is_reported_if_asked_for(roofscan: Command) -> None:
    roofscan.write("k.py", "class A:\n    def helper(self, a, b):\n        return a * b\n")
    for name in ("A.helper", "helper"):
        assert set(roofscan("report", f"k.py::{name}", "--format", "json").kernels) == {"A.helper"}
    assert roofscan("report", "k.py", "--format", "json").kernels == {}


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_reports_for_people(kernels: Command, form: str) -> None:
    out = kernels("report", "k.py", "--format", form).out
    for word in ("axpy", "matmul", "scale", "generic-x86-64", "DRAM", "--machine"):
        assert word in out
    assert "\x1b[" not in out


def test_svg(kernels: Command) -> None:
    pytest.importorskip("matplotlib")
    outcome = kernels("report", "k.py::axpy", "k.py::matmul", "--format", "svg", "--bind", "n=100")
    assert outcome.code == 0
    assert outcome.out.startswith("<?xml")
    assert outcome.out.rstrip().endswith("</svg>")


def test_output_goes_to_a_file(kernels: Command) -> None:
    outcome = kernels("report", "k.py", "--format", "json", "--output", "report.json")
    assert (outcome.code, outcome.out) == (0, "")
    on_disk = json.loads((kernels.folder / "report.json").read_text())
    assert {kernel["name"] for kernel in on_disk["kernels"]} == {"axpy", "matmul", "scale"}


def test_check_prints_one_line_a_finding(kernels: Command) -> None:
    outcome = kernels("check", "k.py")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert any(line.startswith("k.py:5:1: RFL102 axpy: it streams") for line in lines)
    assert not any("scale" in line for line in lines)


def test_check_is_silent_where_all_is_well(roofscan: Command) -> None:
    roofscan.write("k.py", "print('no kernel')\n")
    outcome = roofscan("check", "k.py")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_check_selects_ignores_and_silences(kernels: Command) -> None:
    assert kernels("check", "k.py::".rstrip(":"), "--ignore", "RFL").code == 0
    assert kernels("check", "k.py", "--select", "RFL999").code == 0
    assert "RFL102" in kernels("check", "k.py", "--select", "RFL102").out
    kernels.write("k.py", AXPY.replace("def axpy(a, x, y):", "def axpy(a, x, y):  # noqa: RFL102"))
    assert "RFL102" not in kernels("check", "k.py").out


def test_off_by_default_codes(roofscan: Command) -> None:
    roofscan.write("k.py", OUTSIDE)
    assert roofscan("check", "k.py").out == ""
    assert "RFL001" in roofscan("check", "k.py", "--extend-select", "RFL001").out


def test_check_json_and_github(kernels: Command) -> None:
    finding = kernels("check", "k.py", "--format", "json").json["findings"][0]
    assert finding["path"] == "k.py"
    assert finding["column"] >= 1
    github = kernels("check", "k.py", "--format", "github").out
    assert "::notice title=roofscan (RFL102),file=k.py,line=5,col=1,endLine=5,endColumn=19::RFL102 axpy" in github


def test_config_sets_options_and_arguments_win(kernels: Command) -> None:
    kernels.write("pyproject.toml", "[tool.roofscan]\nmachine = 'xeon-6248r'\nbind = 'n=64'\n")
    document = kernels("report", "k.py", "--format", "json").json
    assert document["machine"]["name"] == "xeon-6248r"
    matmul = next(k for k in document["kernels"] if k["name"] == "matmul")
    assert matmul["binding"]["n"] == 64
    chosen = kernels("report", "k.py", "--format", "json", "--machine", "h200", "--bind", "n=8").json
    assert chosen["machine"]["name"] == "h200"
    matmul = next(k for k in chosen["kernels"] if k["name"] == "matmul")
    assert matmul["binding"]["n"] == 8


def test_config_may_give_caches_and_a_machine_argument_wins(kernels: Command) -> None:
    kernels.write("pyproject.toml", "[tool.roofscan]\ncache = [512]\n")
    assert kernels("report", "k.py", "--format", "json").json["machine"]["name"] is None
    chosen = kernels("report", "k.py", "--format", "json", "--machine", "h200").json
    assert chosen["machine"]["name"] == "h200"


def test_explain_and_machines(roofscan: Command) -> None:
    assert "RFL102" in roofscan("explain", "rfl102").out
    assert "generic-x86-64 (default)" in roofscan("machine", "list").out
    assert "DRAM bandwidth" in roofscan("machine", "show", "xeon-6248r").out
    outcome = roofscan("--version")
    assert (outcome.code, outcome.out) == (0, f"roofscan {package.__version__}\n")


def test_a_detected_machine_can_be_used(kernels: Command) -> None:
    outcome = kernels("machine", "detect", "--output", "here.toml")
    if outcome.code:
        pytest.skip(outcome.err)
    assert kernels("report", "k.py", "--machine", "here.toml").code == 0


def test_an_edited_machine_file_is_read_again(kernels: Command) -> None:
    kernels.write("m.toml", (Path(package.__file__).parent / "machine" / "data" / "xeon-6248r.toml").read_bytes())
    words = ("report", "k.py::axpy", "--machine", "m.toml", "--format", "json")
    assert kernels(*words).code == 0
    kernels.write("m.toml", "name = 3")
    assert kernels(*words).code == 2


def test_pragmas_bind_and_the_command_line_wins(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY.replace("@njit", "# roofscan: x=f4[256] y=f4[256]\n@njit"))
    axpy = roofscan("report", "k.py", "--format", "json").kernels["axpy"]
    assert axpy["flops"]["value"] == 512
    assert axpy["levels"][0]["load"]["value"] == 2 * 4 * 256
    bound = roofscan("report", "k.py", "--format", "json", "--bind", "x=f8[100] y=f8[100]").kernels["axpy"]
    assert bound["flops"]["value"] == 200


def test_a_default_that_contradicts_a_kernel_does_not_hold_there(kernels: Command) -> None:
    marked = (AXPY + MATMUL).replace("@njit\ndef matmul", "# roofscan: A=f8[10,10]\n@njit\ndef matmul")
    kernels.write("k.py", marked)
    kernels.write("pyproject.toml", "[tool.roofscan]\nbind = 'n=64 p=3'\n")
    outcome = kernels("report", "k.py", "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.kernels["matmul"]["binding"] == {"n": 10, "m": 10}


def test_a_kernel_can_be_looked_at_again_at_other_sizes() -> None:
    [result] = analyze_source(AXPY).kernels
    again = report_at(result.reports[0], {"x_shape_0": 50})
    assert (again.cost.free, again.cost.flops.evaluate(again.cost.sample_point)) == (frozenset(), 100)
    on_caches = report_at(replace(result.reports[0], machine=None), {"x_shape_0": 50})
    assert [level.name for level in on_caches.levels] == ["0", "32768", "1048576", "33554432"]


def test_paths_are_printed_as_given(roofscan: Command) -> None:
    roofscan.write("src/k.py", AXPY)
    assert roofscan("report", "src", "--format", "json").kernels["axpy"]["path"] == os.path.join("src", "k.py")
    absolute = str(roofscan.folder / "src" / "k.py")
    assert roofscan("report", absolute, "--format", "json").kernels["axpy"]["path"] == absolute


# -- as a process -------------------------------------------------------------------------------
def process(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "roofscan", *words],
        cwd=folder,
        capture_output=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1]), **environment},
    )


def test_module_form_and_exit_code(kernels: Command) -> None:
    assert process(kernels.folder, "check", "k.py").returncode == 1
    assert process(kernels.folder, "report", "nothing.py").returncode == 2


def test_a_stream_without_the_letters_gets_question_marks(kernels: Command) -> None:
    done = process(kernels.folder, "report", "k.py", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"axpy" in done.stdout
    assert b"Traceback" not in done.stderr


def test_a_closed_pipe_is_no_traceback(kernels: Command) -> None:
    words = [sys.executable, "-m", "roofscan", "report", "k.py", "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])}
    with subprocess.Popen(
        words, cwd=kernels.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as child:
        assert child.stdout and child.stderr
        child.stdout.close()
        errors = child.stderr.read()
        child.wait(30)
    assert errors == b""
    assert child.returncode == 141


def test_an_interrupt_is_130(kernels: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import roofscan.cli.report_command as report

    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "analyze", interrupted)
    outcome = kernels("report", "k.py")
    assert outcome.code == 130
    assert outcome.error_line == "roofscan: interrupted"


def test_check_imports_nothing_heavy(kernels: Command) -> None:
    heavy = "{'sympy', 'networkx', 'rich', 'numpy', 'matplotlib'}"
    code = (
        "import sys; from roofscan.cli import main; main(['check', 'k.py']);"
        f"sys.exit(repr({heavy} & set(sys.modules)) if {heavy} & set(sys.modules) else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=kernels.folder,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr.decode()


COLUMN_LOOPS = """    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            A[i, j] += 1.0
"""


def test_a_report_has_all_findings_with_their_ends(roofscan: Command) -> None:
    roofscan.write("k.py", f"{AXPY}\n\n# roofscan: zz=3\n@njit\ndef columns(A):\n{COLUMN_LOOPS}")
    (_, columns) = json.loads(roofscan("report", "k.py", "--format", "json").out)["kernels"]
    lines = Path("k.py").read_text().split("\n")
    found = {finding["code"]: finding for finding in columns["findings"]}
    assert set(found) == {"RFL101", "RFL202", "RFL901"}
    assert found["RFL202"]["subject"] == {"kind": "loop", "names": ["j"]}
    assert found["RFL101"]["figures"].keys() >= {"intensity", "ridge", "gain"}
    assert found["RFL101"]["gain"] > 1.5 and found["RFL101"]["severity"] == "warning"
    for code, finding in found.items():
        first, last = finding["line"] - 1, finding["end_line"] - 1
        assert last - first == (1 if code == "RFL202" else 0)
        assert finding["column"] == len(lines[first]) - len(lines[first].lstrip()) + 1
        assert finding["end_column"] == len(lines[last]) + 1
