"""Bad input: one clear line with file, line and remedy, the right exit code; every other kernel is reported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import AXPY, OUTSIDE, PLAIN, Command
from tests.support.python_calls import counted_calls

MOST_CALLS = 4_000_000  # about two seconds
BAD_FILES = {
    "wide.py": ("x = 1\n".encode("utf-16"), "wide.py:1: cannot be decoded: it is not UTF-8, and declares no encoding;"),
    "two\nlines.py": (b"def jit(:\n", "two\\nlines.py:1:"),
    "syntax.py": (b"def jit(:\n    pass\n", "syntax.py:1:"),
    "latin.py": (b"x = 1\ny = '\xff\xfe'\n", "latin.py:2:"),
    "null.py": (b"x = 1\n\0\n", "null.py:2:"),
    "codec.py": (b"# -*- coding: no-such-codec -*-\n", "codec.py:1:"),
    "indent.py": (b"def jit():\n\tx = 1\n        y = 2\n", "indent.py:3:"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def little_work(roofscan: Command) -> Iterator[None]:
    roofscan.write("warm.py", AXPY)
    roofscan("report", "warm.py", "--format", "json")  # imports are paid
    with counted_calls() as calls:
        yield
    assert calls.count < MOST_CALLS


def test_check_does_not_parse_files_without_kernels(roofscan: Command) -> None:
    roofscan.write("old.py", "print 'Python 2'\n")
    assert roofscan("check", "old.py") == roofscan("check", roofscan.write("empty.py", ""))


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("command", ["report", "check"])
def test_unreadable_source(roofscan: Command, name: str, command: str) -> None:
    content, place = BAD_FILES[name]
    roofscan.write(f"src/{name}", content)
    roofscan.write("src/good.py", AXPY)
    outcome = roofscan(command, "src", "--format", "json")
    assert outcome.code == 1
    assert place in outcome.error_line
    if command == "report":
        assert set(outcome.kernels) == {"axpy"}
    else:
        assert {f["path"] for f in outcome.json["findings"]} <= {"src/good.py"}


def test_an_empty_file_has_no_kernels(roofscan: Command) -> None:
    roofscan.write("empty.py", "")
    outcome = roofscan("report", "empty.py", "--format", "json")
    assert (outcome.code, outcome.json["kernels"]) == (0, [])
    assert "no kernel in 1 file; name a file with loops" in outcome.err
    assert roofscan("check", "empty.py").code == 0


def test_a_file_over_the_cap(roofscan: Command) -> None:
    roofscan.write("big.py", AXPY + "#" * 2_000_001)
    roofscan.write("good.py", AXPY)
    outcome = roofscan("report", "big.py", "good.py", "--format", "json")
    assert outcome.code == 1
    assert "big.py" in outcome.error_line
    assert "2000000 bytes" in outcome.error_line
    assert "--max-bytes" in outcome.error_line
    assert set(outcome.kernels) == {"axpy"}
    assert roofscan("report", "big.py", "--max-bytes", "3000000").code == 0


def test_files_without_a_kernel(roofscan: Command) -> None:
    roofscan.write("none.py", "x = 1\n")
    roofscan.write("plain.py", PLAIN)
    said = "roofscan: no kernel in 1 file; name a file with loops over arrays, or with array expressions"
    for words in ((), ("--format", "json"), ("--full",)):
        outcome = roofscan("report", "none.py", *words)
        assert (outcome.code, outcome.error_line) == (0, said)
    outcome = roofscan("report", "none.py", "plain.py", "--kernels", "decorated")
    assert outcome.error_line == "roofscan: no kernel in 2 files; --kernels all takes plain functions too"
    assert roofscan("report", "none.py", "plain.py").err == ""


def test_a_function_that_does_not_look_like_a_kernel_can_be_named(roofscan: Command) -> None:
    roofscan.write("means.py", "def means(x):\n    return x.reshape(-1, 10).mean(axis=1)\n")
    said = roofscan("report", "means.py").error_line
    assert said == "roofscan: no kernel in 1 file; name a function to have it read as one: means.py::means"
    assert set(roofscan("report", "means.py::means", "--format", "json").kernels) == {"means"}


def test_a_question_of_the_parser_is_not_passed_on(roofscan: Command) -> None:
    roofscan.write("old.py", "print 'x'\n")
    assert "?;" not in (line := roofscan("report", "old.py").error_line) and "; correct it, or" in line


USAGE = [
    (["report", "missing.py"], ["missing.py", "does not exist"]),
    (["report", "k.py::no_such"], ["k.py", "no_such", "axpy"]),
    (["report", "empty_folder"], ["empty_folder", "no Python file"]),
    (["report", "k.py", "--machine", "no-such-machine"], ["no-such-machine", "machine list"]),
    (["report", "k.py", "--machine", "xeon"], ["xeon", "did you mean"]),
    (["report", "k.py", "--machine", "missing.toml"], ["missing.toml"]),
    (["report", "k.py", "--machine", "bad.toml"], ["bad.toml", "line 1"]),
    (["report", "k.py", "--machine", "lean.toml"], ["lean.toml"]),
    (["report", "k.py", "--machine", "folder.toml"], ["folder.toml", "name a TOML file"]),
    (["diff", "whole.json", "part.json"], ["part.json", "lacks a key"]),
    (["diff", "part.json", "whole.json"], ["part.json", "lacks a key"]),
    (["report", "k.py", "--bind", "x=f9["], ["x=f9["]),
    (["report", "k.py", "--bind", "x=f9[10]"], ["f9"]),
    (["report", "k.py", "--bind", "x=f8[-4]"], ["x=f8[-4]"]),
    (["report", "k.py", "--bind", "x=f8[4"], ["x=f8[4"]),
    (["report", "k.py", "--bind", "x"], ["x"]),
    (["report", "k.py", "--bind", "=3"], ["=3"]),
    (["report", "k.py", "--bind", "a=1 a=2"], ["twice"]),
    (["report", "k.py", "--bind", "a=nan"], ["nan"]),
    (["report", "k.py", "--bind", "a=1e999"], ["1e999"]),
    (["report", "k.py", "--bind", "a=1" + "0" * 100], ["digits"]),
    (["report", "k.py", "--bind", "a=1" + "0" * 4000], ["shorten"]),
    (["report", "k.py", "--bind", "q=3"], ['"q"', "there are a, x"]),
    (["report", "k.py", "--bind", "x_shape_0=-3"], ["x_shape_0"]),
    (["report", "k.py", "--bind", "x=f8[4] x_shape_0=5"], ["4", "5"]),
    (["report", "k.py", "--cache", "-1"], ["--cache"]),
    (["report", "k.py", "--cache", "0"], ["--cache", "above 0"]),
    (["report", "k.py", "--cache", "many"], ["--cache", "many"]),
    (["report", "k.py", "--cache", "1" + "0" * 4000], ["--cache"]),
    (["report", "k.py", "--line", "48"], ["--line", "power of two"]),
    (["report", "k.py", "--line", "64"], ["--line", "add --cache BYTES"]),
    (["check", "k.py", "--machine", "xeon-6248r", "--line", "64"], ["--line", "drop --line"]),
    (["report", "k.py", "--cache", "512", "--machine", "h200"], ["--cache", "--machine"]),
    (["report", "k.py", "--format", "yaml"], ["--format", "yaml", "json"]),
    (["report", "k.py", "--format", "svg", "--cache", "512"], ["svg", "--cache"]),
    (["report", "k.py", "--output", "no/such/folder/out.json"], ["--output", "No such file"]),
    (["report", "k.py", "--output", "."], ["--output"]),
    (["report", "k.py", "--frobnicate"], ["--frobnicate"]),
    (["report"], ["PATH"]),
    (["check"], ["PATH"]),
    (["check", "k.py::axpy"], ["report"]),
    (["check", "k.py", "--machine", "h200", "--machine", "b200"], ["one --machine"]),
    (["check", "k.py", "--select", "E501"], ["E501"]),
    (["check", "k.py", "--format", "svg"], ["svg"]),
    (["explain", "RFL777"], ["RFL777", "RFL707"]),
    (["machine", "show", "nope"], ["nope"]),
    (["machine", "measure-all"], ["measure-all"]),
    (["frobnicate"], ["frobnicate"]),
    ([], ["COMMAND"]),
]


@pytest.mark.parametrize(("words", "named"), USAGE, ids=lambda value: " ".join(value)[:60])
def test_usage_errors(roofscan: Command, words: list[str], named: list[str]) -> None:
    roofscan.write("k.py", AXPY)
    roofscan.write("bad.toml", "name = \n")
    roofscan.write("lean.toml", 'name = "lean"\n')
    roofscan.write("whole.json", '{"schema": "roofscan/1", "kernels": []}')
    roofscan.write("part.json", '{"schema": "roofscan/1", "kernels": [{"name": 3}]}')
    for name in ("empty_folder", "folder.toml"):
        (roofscan.folder / name).mkdir()
    outcome = roofscan(*words)
    assert outcome.code == 2
    assert outcome.out == ""
    line = outcome.error_line
    assert line.startswith("roofscan: ")
    assert len(line) < 400
    for name in named:
        assert name in line


def test_a_function_whose_name_is_not_unique(roofscan: Command) -> None:
    methods = "class A:\n    def f(self, x): return x[0]\nclass B:\n    def f(self, x): return x[0]\n"
    roofscan.write("k.py", methods)
    assert "A.f, B.f" in roofscan("report", "k.py::f").error_line
    assert roofscan("report", "k.py::B.f").code == 0


PRAGMAS = ["n=", "x=f9[4]", "x=f8[-1]", "1+1=2", "x=f8[4] x=f8[5]", "q=17", "x=f8[4] x_shape_0=5"]


@pytest.mark.parametrize("pragma", PRAGMAS)
def test_bad_pragmas_are_findings_and_the_kernel_is_still_reported(roofscan: Command, pragma: str) -> None:
    source = AXPY.replace("@njit", f"# roofscan: {pragma}\n@njit")
    roofscan.write("k.py", source)
    findings = [f for f in roofscan("check", "k.py", "--format", "json").json["findings"] if f["code"] == "RFL901"]
    assert len(findings) == 1
    assert findings[0]["line"] in (4, 6)
    outcome = roofscan("report", "k.py", "--format", "json")
    assert outcome.code == 0
    assert outcome.kernels["axpy"]["flops"]["expr"].startswith("2*")
    assert "k.py:" in outcome.error_line
    assert "RFL901" in outcome.error_line


def test_a_contradiction_names_both_sides(roofscan: Command) -> None:
    source = (
        "from numba import njit\n\n\n@njit\ndef f(A):\n    n = len(A)\n    for i in range(n):\n        A[i, 0] *= 2.0\n"
    )
    roofscan.write("k.py", source)
    line = roofscan("report", "k.py", "--bind", "n=5 A=f8[4,4]").error_line
    assert "kernel f" in line
    assert "5" in line
    assert "4" in line


def test_one_unsupported_kernel_does_not_hide_a_misspelt_name(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY + OUTSIDE)
    assert roofscan("report", "k.py", "--bind", "zz=f8[4]").code == 2
    assert roofscan("report", "k.py", "--bind", "z=f8[4]").code == 0


def test_recursion_is_named_and_the_rest_is_reported(roofscan: Command) -> None:
    recursive = "def fib(x, n):\n    if n < 2:\n        return x[n]\n    return fib(x, n - 1) + fib(x, n - 2)\n"
    even = "def even(x, n):\n    return odd(x, n)\n"
    odd = "def odd(x, n):\n    return even(x, n) + x[n]\n"
    roofscan.write("k.py", AXPY + "".join(f"\n\n@njit\n{text}" for text in (recursive, even, odd)))
    kernels = roofscan("report", "k.py", "--format", "json").kernels
    assert kernels["axpy"]["status"] == "exact"
    for name in ("fib", "even", "odd"):
        assert kernels[name]["status"] in ("unsupported", "parametric", "bounded")
        assert any("calls itself" in reason["message"] for reason in kernels[name]["reasons"])


def test_sixty_nested_loops(roofscan: Command) -> None:
    lines = ["", "", "@njit", "def deep(x, n):"]
    lines += ["    " * (depth + 1) + f"for i{depth} in range(n):" for depth in range(60)]
    lines.append("    " * 61 + "x[i59] += 1.0")
    roofscan.write("k.py", AXPY + "\n".join(lines) + "\n")
    kernels = roofscan("report", "k.py", "--format", "json").kernels
    assert kernels["axpy"]["flops"]["expr"].startswith("2*")
    deep = kernels["deep"]
    assert deep["flops"]["expr"] == "n**60" or deep["status"] == "unsupported"


@pytest.mark.parametrize("digits", [400, 4000, 9000])
def test_enormous_integers(roofscan: Command, digits: int) -> None:
    huge = "9" * digits
    source = f"\n\n@njit\ndef huge(x):\n    for i in range({huge}):\n        x[0] += 1.0\n"
    roofscan.write("k.py", AXPY + source)
    outcome = roofscan("report", "k.py", "--format", "json")
    assert outcome.code == 0
    assert outcome.kernels["axpy"]["flops"]["expr"].startswith("2*")
    assert "huge" in outcome.kernels


def test_deeply_nested_expressions(roofscan: Command) -> None:
    nested = "(" * 150 + "x[0]" + ")" * 150
    chain = " + ".join(["x[0]"] * 3000)
    source = f"\n\n@njit\ndef nested(x):\n    x[0] = {nested}\n\n\n@njit\ndef chain(x):\n    x[0] = {chain}\n"
    roofscan.write("k.py", AXPY + source)
    outcome = roofscan("report", "k.py", "--format", "json")
    assert outcome.code in (0, 1)
    assert "axpy" in outcome.kernels or "k.py" in outcome.error_line


CONFIGS = [
    ("[tool.roofscan]\nline = 48\n", "pyproject.toml:2:"),
    ("[tool.roofscan]\nfrob = 1\n", "pyproject.toml:2:"),
    ("[tool.roofscan\n", "pyproject.toml:1:"),
    ("[tool.roofscan]\nmachine = 'no-such-machine'\n", "pyproject.toml:2: machine: unknown machine"),
    ("[tool.roofscan]\nbind = 'A=f9['\n", "pyproject.toml:2: bind:"),
]


@pytest.mark.parametrize(("table", "named"), CONFIGS)
def test_bad_config(roofscan: Command, table: str, named: str) -> None:
    roofscan.write("k.py", AXPY)
    roofscan.write("pyproject.toml", table)
    for command in ("report", "check"):
        outcome = roofscan(command, "k.py")
        assert (outcome.code, outcome.out) == (2, "")
        assert named in outcome.error_line


FACTS = """
import numpy as np
from numba import njit


@njit
def scaled(A, B, c, phase, n, w=None, fast=False):
    for i in range(n):
        for j in range(A.shape[1]):
            B[i, j] = c * A[i, j] * (phase if fast else 1.0)
            if w is not None:
                B[i, j] += w[j]
"""


@pytest.mark.parametrize(
    ("words", "symbols", "assumed", "missing"),
    [
        ("n=1e3", {"n": 1000}, "", ""),
        ("A.shape[1]=5 n=2", {"n": 2, "A_shape_1": 5}, "", ""),
        ("A=float32[:, :]", {}, "", "A is float64"),
        ("c=f4 n=7", {"n": 7}, "", "c is float64"),
        ("c=f4:0.1", {}, "", "c is float64"),
        ("phase=0.5+0.5j fast=True", {}, "", "phase is float64"),
        ("phase=c16 w=None", {}, "", "phase is float64"),
    ],
)
def test_facts_on_the_command_line_and_in_a_pragma(
    roofscan: Command, words: str, symbols: dict[str, int], assumed: str, missing: str
) -> None:
    roofscan.write("k.py", FACTS)
    roofscan.write("p.py", FACTS.replace("@njit", f"# roofscan: {words}\n@njit"))
    bound = roofscan("report", "k.py", "--bind", words, "--format", "json")
    marked = roofscan("report", "p.py", "--format", "json")
    assert (bound.code, marked.code, bound.err, marked.err) == (0, 0, "", "")
    for kernel in (bound.kernels["scaled"], marked.kernels["scaled"]):
        assert missing == "" or not any(missing in text for text in kernel["assumptions"])
        assert symbols.keys() <= kernel["symbols"].keys()
        if "n" in symbols and "A_shape_1" in symbols:
            assert kernel["flops"]["value"] is not None
    assert bound.kernels["scaled"]["flops"] == marked.kernels["scaled"]["flops"]


def test_check_names_what_no_kernel_has(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY)
    roofscan.write("m.py", AXPY.replace("axpy", "other").replace("x", "longname"))
    for _ in range(2):  # then from the cache
        outcome = roofscan("check", "k.py", "m.py", "--bind", "longnam=f8[100] x=f8[100]")
        assert outcome.error_line.startswith('roofscan: --bind: no kernel has "longnam"; did you mean longname')
    assert roofscan("check", "k.py", "--bind", "x=f8[100]").err == ""


@pytest.mark.parametrize(
    ("words", "said"), [("x=flaot64[n]", "is not an element type"), ("n=5 x=f8[4]", "contradicts")]
)
def test_check_says_what_a_kernel_contradicts(roofscan: Command, words: str, said: str) -> None:
    roofscan.write(
        "k.py",
        "from numba import njit\n\n@njit\ndef f(x):\n    n = len(x)\n    for i in range(n):\n        x[i] += 1.0\n",
    )
    outcome = roofscan("check", "k.py", "--bind", words)
    assert outcome.code == 1 and "RFL902 --bind: " in outcome.out and said in outcome.out


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# rofscan: a=1.5", "rofscan: is not a pragma; did you mean # roofscan:?"),
        ("# Roofscan: a=1.5", "Roofscan: is not a pragma"),
        ("# roof-scan: a=1.5", "roof-scan: is not a pragma"),
        ("# roofscan: xx=f8[100]", "the pragma names xx, which axpy does not have; did you mean x?"),
    ],
)
def test_misspelt_pragmas(roofscan: Command, comment: str, said: str) -> None:
    roofscan.write("k.py", AXPY.replace("@njit", f"{comment}\n@njit"))
    for _ in range(2):
        outcome = roofscan("check", "k.py", "--select", "RFL901")
        assert outcome.code == 1 and said in outcome.out
    assert said in roofscan("report", "k.py").err


def test_a_misspelt_pragma_of_a_plain_function(roofscan: Command) -> None:
    roofscan.write("k.py", "# rofscan: n=4\ndef f(x):\n    return x\n")
    assert "did you mean # roofscan:?" in roofscan("check", "k.py").out


def test_internal_errors_stay_in_their_kernel(roofscan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from roofscan.pipeline import facts

    lower = facts.__dict__["lower"]

    def broken(module: object, candidate: object, facts: object) -> object:
        if getattr(candidate, "name", "") == "bad":
            raise ZeroDivisionError("made up")
        return lower(module, candidate, facts)

    monkeypatch.setattr(facts, "lower", broken)
    roofscan.write("k.py", AXPY + "\n\n@njit\ndef bad(x):\n    x[0] = 1.0\n")
    outcome = roofscan("report", "k.py", "--format", "json")
    assert outcome.kernels["axpy"]["status"] == "exact"
    assert outcome.kernels["bad"]["status"] == "unsupported"
    assert "internal error: ZeroDivisionError" in outcome.kernels["bad"]["reasons"][0]["message"]
    assert "RFL999" in outcome.error_line
    codes = {f["code"] for f in roofscan("check", "k.py", "--format", "json").json["findings"]}
    assert "RFL999" in codes


def test_a_fault_of_the_cache_model_is_told_with_its_place(roofscan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a fault of roofscan, and not unknown traffic."""

    def fail(*args: object) -> object:
        return {}["broken"]

    monkeypatch.setattr("roofscan.cost.memory.lru.attempt.Attempt.model", fail)
    roofscan.write("k.py", AXPY)
    for command in ("check", "report"):
        outcome = roofscan(command, "k.py", *(["--no-cache"] if command == "check" else []))
        said = outcome.out + outcome.err
        assert "RFL999" in said and "KeyError" in said and "test_bad_input" not in said


def test_operations_stay_where_only_the_traffic_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    from roofscan.api import Options, analyze_source
    from roofscan.budget import spend

    def endless(*args: object) -> object:
        while True:
            spend()

    monkeypatch.setattr("roofscan.pipeline.stages.with_reuse", endless)
    [kernel] = analyze_source(AXPY, "k.py", Options(steps=10_000)).kernels
    [report] = kernel.reports
    assert (report.cost.status, str(report.cost.flops)) == ("exact", "2*x_shape_0")
    assert [row.traffic.status for row in report.levels] == ["exact", "unknown", "unknown", "unknown"]
    assert "the traffic is unknown" in report.cost.kernel.reasons[-1].message


def test_a_path_with_line_breaks_is_reported_on_one_line(roofscan: Command) -> None:
    roofscan.write("two\nlines.py", AXPY)
    [line] = roofscan("check", "--no-cache", "two\nlines.py").out.splitlines()
    assert line.startswith("two\\nlines.py:") and " RFL102 " in line


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("words", ["report", "check --no-cache"])
def test_no_space_for_the_report(roofscan: Command, words: str) -> None:
    roofscan.write("k.py", AXPY)
    command = f"{sys.executable} -m roofscan {words} k.py > /dev/full"
    ended = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    [line] = ended.stderr.splitlines()
    assert "--output" in line


@pytest.mark.parametrize("word", [" or ", " and "])
def test_thousands_of_alternatives(roofscan: Command, word: str) -> None:
    """One node of Python's own tree; for LibCST each is inside the next, and its parser recurses."""
    test = word.join(f"a == {k}" for k in range(10_000))
    roofscan.write("k.py", AXPY + f"\n\n@njit\ndef many(a, x):\n    x[0] = {test}\n")
    kernels = roofscan("report", "k.py", "--format", "json").kernels
    assert kernels["axpy"]["status"] == "exact"
    assert kernels["many"]["status"] != "exact"
