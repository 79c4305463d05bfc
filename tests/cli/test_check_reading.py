"""``check`` as people read it: on a terminal, from standard input, in notebooks; ``explain`` alone; ``diff``."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roofscan.cli import output
from roofscan.cli.check_sources import lines_of
from roofscan.finding import Finding
from roofscan.report.diff import compare
from roofscan.report.findings_text import CheckTotals, counts_text, render_findings_text
from tests.cli.conftest import AXPY, PLAIN, Command, Outcome
from tests.report.test_overview import MATMUL


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_a_terminal(roofscan: Command, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    roofscan(*words)
    return terminal.getvalue()


def test_a_terminal_shows_the_line_and_the_range(roofscan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    roofscan.write("k.py", MATMUL)
    roofscan.write("plain.py", f"import numba\n\n\n{PLAIN}")
    text = on_a_terminal(roofscan, monkeypatch, "check", ".")
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if " │ " in line and "for " in line)
    source, under = lines[at].split("│ ")[1], lines[at + 1].split("│ ")[1]
    assert source.strip().startswith("for ") and set(under.strip()) == {"^"}
    assert len(under) - len(under.strip()) == len(source) - len(source.lstrip())
    assert lines[-1].startswith("2 kernels in 2 files, ") or lines[-1].startswith("3 kernels in 2 files, ")
    assert lines[-1].endswith("; 1 plain function looks like a kernel: --kernels all")


def test_a_pipe_has_one_line_a_finding(roofscan: Command) -> None:
    roofscan.write("k.py", MATMUL)
    assert all(line.startswith("k.py:") for line in roofscan("check", "k.py").out.splitlines())


def test_counts() -> None:
    finding = Finding("RFL202", "k.py", 1, 0, "text", figures=(("gain", 9.0),))
    assert counts_text([], CheckTotals(0, 1)) == "no kernels in 1 file, no findings"
    assert counts_text([finding] * 2, CheckTotals(12, 3, 4)) == (
        "12 kernels in 3 files, 2 findings; 4 plain functions look like kernels: --kernels all"
    )


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    finding = Finding("RFL202", "k.py", 1, 4, "word " * 40, end_line=2, end_column=3)
    text = render_findings_text([finding], {"k.py": ["\tx = " + "1 + " * 60, ""]}, CheckTotals(1, 1), width, False)
    assert max(map(len, text.splitlines())) <= width


def test_a_terminal_shows_bounds_of_sizes_as_tables_do() -> None:
    """Other programs read the message itself; code in it stays as it is."""
    finding = Finding("RFL201", "k.py", 1, 0, "used for n >= 40; write `a >= b`")
    text = render_findings_text([finding], {}, CheckTotals(1, 1), 80, False)
    assert "used for n ≥ 40; write `a >= b`" in text


def test_standard_input(roofscan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(MATMUL.encode())))
    outcome = roofscan("check", "-")
    assert outcome.code == 1 and outcome.out.startswith("-:")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"def (")))
    assert roofscan("check", "-").error_line.startswith("roofscan: -:1: ")


def test_standard_input_may_be_a_notebook(roofscan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    head, _, kernel = MATMUL.partition("\n")
    roofscan.write("n.ipynb", notebook(head, kernel))

    def piped(*words: str, content: bytes = Path("n.ipynb").read_bytes()) -> Outcome:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        return roofscan("check", "-", *words)

    assert piped().out == roofscan("check", "n.ipynb").out.replace("n.ipynb:", "-:")
    assert piped("--stdin-filename", "b/n.ipynb").out.startswith("b/n.ipynb:cell 3:")
    assert json.loads(piped("--format", "json").out)["findings"][0]["cell"] == 3
    assert "file=-,line=" in piped("--format", "github").out
    plain = notebook("import numpy as np", "def f(a, b, c):\n    return np.sqrt(a * b + c) * 2.0 + a * c\n").encode()
    assert piped(content=plain).out == "" and piped("--kernels", "all", content=plain).out.startswith("-:cell 3:1:")
    assert piped(content=b'{"cells": [').error_line.startswith("roofscan: -: is not a Jupyter notebook")
    assert piped(content=b"").code == 0


def test_standard_input_may_have_a_name(roofscan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    roofscan.write("k.py", "x = 1\n")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(MATMUL.encode())))
    shown = on_a_terminal(roofscan, monkeypatch, "check", "-", "--stdin-filename", "k.py")
    assert shown.startswith("k.py:") and "for k in" in shown
    assert roofscan("check", "k.py", "--stdin-filename", "k.py").error_line == (
        "roofscan: --stdin-filename names standard input; add - to the paths"
    )


def test_standard_input_is_for_check(roofscan: Command) -> None:
    assert roofscan("report", "-").error_line == "roofscan: report reads files; check and fix read - (standard input)"


def notebook(*cells: str) -> str:
    made: list[dict[str, Any]] = [{"cell_type": "markdown", "source": ["# a title"]}]
    made += [{"cell_type": "code", "source": cell.splitlines(keepends=True), "outputs": []} for cell in cells]
    return json.dumps({"cells": made, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})


def test_the_cells_of_a_notebook(roofscan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    head, _, kernel = MATMUL.partition("\n")
    roofscan.write("n.ipynb", notebook(f"%matplotlib inline\n{head}", "%%bash\nls", kernel))
    outcome = roofscan("check", "n.ipynb")
    here = MATMUL.splitlines().index("def matmul(A, B, C):") + 1
    assert outcome.out.startswith("n.ipynb:cell 4:") and outcome.err == ""
    assert all(0 < int(line.split(":")[2]) - here < 4 or line.split(":")[2] for line in outcome.out.splitlines())
    assert "for k in" in on_a_terminal(roofscan, monkeypatch, "check", "n.ipynb")
    roofscan.write("bad.ipynb", "{}")
    assert roofscan("check", "bad.ipynb").error_line.startswith("roofscan: bad.ipynb: is not a Jupyter notebook")


def test_explain_alone_lists_every_code(roofscan: Command) -> None:
    outcome = roofscan("explain")
    assert outcome.code == 0
    assert "RFL202  loop" in outcome.out and "RFL999" in outcome.out


def test_the_beginning_of_codes_lists_them(roofscan: Command) -> None:
    lines = roofscan("explain", "rfl3").out.splitlines()
    assert [line[:6] for line in lines[:4]] == ["RFL301", "RFL302", "RFL303", "RFL304"]
    assert lines[4:] == ["", "`roofscan explain CODE` says more."]
    assert roofscan("explain", "RFL8").error_line.startswith('roofscan: "RFL8" is not a code; ')


def test_explain_fits_the_terminal(roofscan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (60, 80, 140):
        monkeypatch.setattr(output, "width", lambda *_, width=width: width)
        lines = roofscan("explain", "RFL501").out.splitlines()
        assert max(map(len, lines)) <= min(width, 96)


# -- diff -------------------------------------------------------------------------------------------
def reported(roofscan: Command, name: str, text: str, *words: str) -> str:
    roofscan.write("k.py", text)
    roofscan("report", "k.py", "--format", "json", "--output", name, *words)
    return name


BETTER = MATMUL.replace("for j in range(B.shape[1])", "for k in range(A.shape[1])", 1).replace(
    "            for k in range(A.shape[1])", "            for j in range(B.shape[1])", 1
)


def test_diff_says_what_got_better_and_worse(roofscan: Command) -> None:
    old, new = reported(roofscan, "old.json", MATMUL), reported(roofscan, "new.json", BETTER)
    better, worse = roofscan("diff", old, new, "--fail-on", "worse"), roofscan("diff", new, old, "--fail-on", "worse")
    assert (better.code, worse.code) == (0, 1)
    assert better.out.startswith("roofscan: 1 better, of 3 kernels.")
    assert re.search(r"\| expected time \| [\d.]+ s \| [\d.]+ s \(0.\d+x\) \|", better.out)
    assert worse.out.startswith("roofscan: 1 worse, of 3 kernels.")
    assert roofscan("diff", new, old).code == 0
    assert roofscan("diff", old, old).out == "roofscan: no change in 3 kernels.\n"


def test_diff_names_new_and_lost_kernels(roofscan: Command) -> None:
    old, new = reported(roofscan, "old.json", AXPY), reported(roofscan, "new.json", MATMUL)
    assert "4 new" not in (out := roofscan("diff", old, new).out) and "3 new, 1 gone, of 3 kernels" in out


def test_diff_tells_kernels_in_another_file_from_changed_ones(roofscan: Command) -> None:
    old = reported(roofscan, "old.json", MATMUL)
    roofscan.write("other.py", MATMUL)
    roofscan("report", "other.py", "--format", "json", "--output", "new.json")
    out = roofscan("diff", old, "new.json").out
    assert out.startswith("roofscan: 3 moved, of 3 kernels.") and "| moved | file | k.py | other.py |" in out


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "other"}', '{"schema": "roofscan/1", "kernels": [{}]}'])
def test_diff_refuses_what_is_no_report(roofscan: Command, text: str) -> None:
    roofscan.write("bad.json", text)
    assert "roofscan report --format json" in roofscan("diff", "bad.json", "bad.json").error_line


def test_an_expression_that_is_no_arithmetic_is_not_compared() -> None:
    amount = {"expr": "__import__('os').getpid()", "value": None}
    kernel = {"path": "k.py", "name": "f", "status": "exact", "binding": {}, "levels": [], "flops": amount,
              "verdict": {"bound": None}}  # fmt: skip
    assert compare({"kernels": [kernel]}, {"kernels": [kernel]}) == []


IPYTHON = "%config A = \\\n    1\ny = %timeit -o 1 + 1\nfiles = !ls\nnp.dot?\nif y:\n    %time z = 1\n"


def test_what_ipython_alone_understands_is_left_out(roofscan: Command) -> None:
    head, _, kernel = MATMUL.partition("\n")
    roofscan.write("n.ipynb", notebook(head, IPYTHON, kernel))
    outcome = roofscan("check", "n.ipynb")
    assert outcome.out.startswith("n.ipynb:cell 4:") and outcome.err == ""


def test_a_report_of_cells(roofscan: Command) -> None:
    """Lines are those of the cell, and a cell may use what another one defines."""
    head, _, kernel = MATMUL.partition("\n")
    roofscan.write("n.ipynb", notebook(head, kernel, kernel.replace("def matmul", "def again")))
    report = json.loads(roofscan("report", "n.ipynb", "--format", "json").out)
    line = kernel.splitlines().index("def matmul(A, B, C):") + 1
    found = {k["name"]: (k["path"], k["line"]) for k in report["kernels"]}
    assert found["again"][0] == "n.ipynb:cell 4"
    path, here = found["matmul"]
    assert path == "n.ipynb:cell 3" and here in (line - 1, line)  # the decorator's, or the def's
    assert "again" in roofscan("report", "n.ipynb::again").out
    assert 'has no function "never"' in roofscan("report", "n.ipynb::never").error_line
    assert lines_of([path], 10_000)[path] == kernel.rstrip("\n").split("\n")


def test_a_notebook_of_another_language_has_no_kernels(roofscan: Command) -> None:
    text = json.loads(notebook("x <- 1"))
    text["metadata"] = {"kernelspec": {"language": "R"}}
    roofscan.write("r.ipynb", json.dumps(text))
    assert roofscan("check", "r.ipynb") == Outcome(0, "", "")
    assert roofscan("report", "r.ipynb").error_line.startswith("roofscan: no kernel in 1 file; ")


def test_a_cell_that_cannot_be_read_is_named(roofscan: Command) -> None:
    roofscan.write("n.ipynb", notebook("x = 1", "y = 2\ndef (", "z = 3"))
    for command in ("check", "report"):
        assert roofscan(command, "n.ipynb").error_line.startswith("roofscan: n.ipynb:cell 3:2: invalid syntax")


def test_notebooks_in_a_folder_are_read_with_the_modules(roofscan: Command) -> None:
    """A broken one, and one in a folder of checkpoints, hide nothing."""
    head, _, kernel = MATMUL.partition("\n")
    for name in ("nb/n.ipynb", "nb/.ipynb_checkpoints/n.ipynb"):
        roofscan.write(name, notebook(head, kernel))
    roofscan.write("nb/bad.ipynb", '{"cells": [')
    roofscan.write("nb/empty.ipynb", "")
    roofscan.write("nb/k.py", MATMUL)
    for _ in range(2):  # the second time from the cache
        outcome = roofscan("check", "nb")
        places = {line.rpartition(": RFL")[0].split(":")[0] for line in outcome.out.splitlines()}
        assert places == {"nb/n.ipynb", "nb/k.py"} and "nb/n.ipynb:cell 3:" in outcome.out
        assert outcome.error_line.startswith("roofscan: nb/bad.ipynb: is not a Jupyter notebook")
    outcome = roofscan("report", "nb")
    assert "6 kernels in 2 files" in outcome.out and "n.ipynb:cell 3:" in outcome.out
    assert "checkpoints" not in outcome.out and "bad.ipynb" in outcome.error_line
    assert "ipynb" not in roofscan("check", "nb", "--exclude", "*.ipynb").out


def test_findings_in_cells_for_programs(roofscan: Command) -> None:
    """A baseline survives another cell; what knows files alone gets lines of the file."""
    head, _, kernel = MATMUL.partition("\n")
    roofscan.write("n.ipynb", json.dumps(json.loads(notebook(head, kernel)), indent=1))
    assert {f["cell"] for f in json.loads(roofscan("check", "n.ipynb", "--format", "json").out)["findings"]} == {3}
    results = json.loads(roofscan("check", "n.ipynb", "--format", "sarif").out)["runs"][0]["results"]
    source = Path("n.ipynb").read_text().splitlines()
    for result in results:
        place = result["locations"][0]["physicalLocation"]
        region = place["region"]
        assert place["artifactLocation"]["uri"] == "n.ipynb"
        marked = source[region["startLine"] - 1][region["startColumn"] - 1 :]
        assert marked.startswith(("def ", "for ", "@", "C[", "acc", "return")), marked
        assert re.match(r"cell 3, line \d+: ", result["message"]["text"])
    assert "file=n.ipynb,line=" in roofscan("check", "n.ipynb", "--format", "github").out
    roofscan("check", "n.ipynb", "--baseline", "b.json", "--update-baseline")
    roofscan.write("n.ipynb", notebook(head, "x = 1", kernel))
    assert roofscan("check", "n.ipynb", "--baseline", "b.json") == roofscan("check", "n.ipynb", "--select", "RFL5")


def test_only_the_code_of_a_notebook_is_held_against_the_largest_size(roofscan: Command) -> None:
    head, _, kernel = MATMUL.partition("\n")
    document = json.loads(notebook(head, kernel))
    document["cells"][-1]["outputs"] = [{"data": {"image/png": "A" * 4_000}}]
    roofscan.write("n.ipynb", json.dumps(document))
    assert "cell 3" in roofscan("check", "n.ipynb", "--max-bytes", "1500").out
    assert "bytes of code; raise --max-bytes" in roofscan("check", "n.ipynb", "--max-bytes", "100").error_line


def test_a_notebook_of_the_third_format(roofscan: Command) -> None:
    cells = json.loads(notebook(MATMUL))["cells"]
    cells[1]["input"] = cells[1].pop("source")
    roofscan.write("n.ipynb", json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]}))
    assert roofscan("check", "n.ipynb").out.startswith("n.ipynb:cell 2:")


def kernel_json(name: str = "f", path: str = "k.py", **more: Any) -> dict[str, Any]:
    return {"path": path, "name": name, "status": "exact", "binding": {}, "levels": [],
        "flops": {"expr": "2*n", "value": None}, "verdict": {"bound": None, "sizes": {"n": 10}}, **more
    }  # fmt: skip


def diffed(roofscan: Command, old: list[Any], new: list[Any], *words: str) -> Any:
    for name, kernels in (("old.json", old), ("new.json", new)):
        machine = {"name": "toy"}
        roofscan.write(name, json.dumps({"schema": "roofscan/1", "machine": machine, "kernels": kernels}))
    return roofscan("diff", "old.json", "new.json", *words)


def test_diff_follows_a_kernel_into_another_file(roofscan: Command) -> None:
    out = diffed(roofscan, [kernel_json()], [kernel_json(path="m.py", status="bounded")]).out
    assert "1 changed, of 1 kernel.\n" in out and "| `m.py::f` | changed | file | k.py | m.py |" in out


def test_diff_names_limits_in_words(roofscan: Command) -> None:
    old, new = ({"bound": "memory", "limit": limit, "sizes": {"n": 10}} for limit in ("L2", "tlb"))
    out = diffed(roofscan, [kernel_json(verdict=old)], [kernel_json(verdict=new)]).out
    assert "limited by | L2 | address translations |" in out


def test_diff_tells_kernels_of_one_name_apart(roofscan: Command) -> None:
    two = [kernel_json(), kernel_json(flops={"expr": "4*n", "value": None})]
    assert diffed(roofscan, two, two).out == "roofscan: no change in 2 kernels.\n"
    assert "FLOPs | 20 | 40 (2.00x)" in diffed(
        roofscan, two, [two[0], two[0] | {"flops": {"expr": "8*n"}}]
    ).out.replace("40 | 80 (2.00x)", "20 | 40 (2.00x)")


def test_diff_escapes_names(roofscan: Command) -> None:
    out = diffed(roofscan, [], [kernel_json("a|b`c`\nd")]).out
    assert out.splitlines()[-1] == "| `` k.py::a\\|b`c` d `` | new |  |  |  |"


def test_diff_does_not_compare_different_sizes_or_machines(roofscan: Command) -> None:
    seconds = {"expected": {"expr": "n", "value": 1.0}}
    bound = kernel_json(binding={"n": 1000}, verdict={"bound": None, "time_seconds": seconds})
    out = diffed(roofscan, [bound], [kernel_json()], "--fail-on", "worse")
    assert out.code == 0 and "| sizes | n = 1000 | free |" in out.out and "time" not in out.out
    roofscan.write("new.json", json.dumps({"schema": "roofscan/1", "machine": {"name": "b"}, "kernels": []}))
    assert "the reports are of toy and b; write both with one --machine" in (
        roofscan("diff", "old.json", "new.json").error_line
    )


def test_diff_of_many_kernels_fits_a_comment(roofscan: Command) -> None:
    out = diffed(roofscan, [], [kernel_json(f"kernel_{n}", "p/" * 30 + "k.py") for n in range(2000)]).out
    assert len(out) < 65_000 and re.search(r"\n\d+ more are not shown.\n$", out)


@pytest.mark.parametrize("value", ["NaN", "1e999", '"many"', "[" * 100_000, "1" + "0" * 400])
def test_diff_of_odd_numbers_is_an_error_of_one_line(roofscan: Command, value: str) -> None:
    kernel = json.dumps(kernel_json(flops={"expr": "0", "value": 7})).replace("7", value)
    text = f'{{"schema": "roofscan/1", "machine": {{"name": "toy"}}, "kernels": [{kernel}]}}'
    roofscan.write("odd.json", text)
    other = json.dumps(kernel_json(flops={"expr": "0", "value": 8}))
    roofscan.write("new.json", text.replace(kernel, other))
    outcome = roofscan("diff", "odd.json", "new.json")
    assert outcome.code in (0, 2) and "Traceback" not in outcome.err


def test_diff_compares_at_sizes_that_both_have(roofscan: Command) -> None:
    free = kernel_json(flops={"expr": "2*m*n", "value": None}, verdict={"bound": None, "sizes": {"n": 9, "m": 9}})
    bound = free | {"flops": {"expr": "20*m", "value": None}, "binding": {"n": 10}}
    assert "FLOPs" not in diffed(roofscan, [free], [bound]).out
    other = bound | {"flops": {"expr": "40*m", "value": None}, "binding": {"n": 20}}
    assert "FLOPs" not in diffed(roofscan, [bound], [other]).out


ON_A_GPU = """
from numba import cuda


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] + y[i]
"""


def test_kernels_of_a_gpu_are_not_left_out_in_silence(roofscan: Command) -> None:
    roofscan.write("one.py", ON_A_GPU)
    roofscan.write("text.py", "words = 'cuda and triton'\n")
    said = roofscan("check", ".")
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith(
        "roofscan: 1 kernel is for a GPU and not judged, as the machine is a CPU; add --machine h100-sxm"
    )
    assert not roofscan("check", ".", "--machine", "h100-sxm", "--fail-on", "never").err
    roofscan.write("two.py", ON_A_GPU)
    assert "2 kernels are for a GPU" in roofscan("check", ".").err
    roofscan.write("cpu.py", AXPY)
    assert "2 kernels are for a GPU and not judged" in roofscan("check", ".").err  # beside one that is
    assert not roofscan("check", "text.py").err
