"""``roofscan fix``: the diff, the files, the exit codes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roofscan.cli import main
from roofscan.fix.offers import FixedFile, fixed
from tests.cli.conftest import PLAIN
from tests.cli.test_check_reading import Terminal
from tests.fix.test_interchange import HEAD, MATMUL


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mm.py").write_text(HEAD + MATMUL)
    (tmp_path / "plain.py").write_text("x = 1\n")
    return tmp_path


def test_the_diff_is_one_that_patch_takes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fix", "."]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("# mm.py:12: RFL202 matmul: make the loops run in the order i, k, j (safe; assumes A and C")
    assert err == "roofscan: 1 fix in 1 file; --write makes the change\n"
    subprocess.run(["patch", "-p1"], input=out, text=True, check=True, capture_output=True)
    assert main(["fix", "mm.py"]) == 0
    assert capsys.readouterr().err == "roofscan: nothing to fix\n"


SUM = """@njit
def total{}(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s
"""


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (HEAD.removesuffix("@njit\n") + SUM.format(""), [], "nothing to fix; 1 more finding needs --unsafe"),
        (
            HEAD.removesuffix("@njit\n") + SUM.format("") + SUM.format(2),
            ["--no-assume"],
            "2 more findings need --unsafe",
        ),
        (
            HEAD + MATMUL + SUM.format(""),
            [],
            "1 fix in 1 file; --write makes the change; 1 more finding needs --unsafe",
        ),
        (HEAD + MATMUL + SUM.format(""), ["--write"], "1 fix in 1 file written; 1 more finding needs --unsafe"),
        (HEAD + MATMUL + SUM.format(""), ["--unsafe"], "2 fixes in 1 file; --write makes the changes"),
        (HEAD + MATMUL, ["--no-assume"], "nothing to fix"),
    ],
)
def test_findings_with_unsafe_fixes_alone_are_counted(
    folder: Path, text: str, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "mm.py").write_text(text)
    main(["fix", "mm.py", *words])
    assert capsys.readouterr().err.endswith(f"{said}\n")


def test_check_names_the_command_that_makes_unsafe_changes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mm.py").write_text(HEAD + MATMUL + SUM.format(""))
    assert main(["check", "--fix", "mm.py"]) == 1
    said = "roofscan: 1 fix in 1 file written; 1 more finding needs `roofscan fix --unsafe`\n"
    assert capsys.readouterr().err == said


def test_a_terminal_is_told_of_functions_that_were_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "plain.py").write_text(PLAIN)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["fix", "plain.py"]) == 0
    said = terminal.getvalue()
    assert said == "roofscan: nothing to fix; 1 plain function looks like a kernel: --kernels all\n"


def test_a_file_with_two_names_is_in_the_diff_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "also.py").symlink_to("mm.py")
    for paths in (["."], ["also.py"]):
        assert main(["fix", *paths]) == 1
        diff = capsys.readouterr().out
        assert diff.count("--- a/mm.py\n") == 1 and diff.count("\n--- ") == 1
    subprocess.run(["git", "apply"], input=diff, text=True, check=True, capture_output=True)
    assert (folder / "also.py").is_symlink() and "C[i, j] += A[i, k] * B[k, j]" in (folder / "mm.py").read_text()


@pytest.mark.parametrize("name", ["mm.py", "a b.py", "./sub//mm.py", "../other/mm.py", "é.py"])
def test_patch_and_git_find_the_file(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the root where it lies above."""
    (folder / "in").mkdir()
    monkeypatch.chdir(folder / "in")
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(HEAD + MATMUL)
    assert main(["fix", name]) == 1
    diff, root = capsys.readouterr().out, "/" if name.startswith("..") else "."
    for command in (["patch", "-p1"], ["git", "apply"]):
        Path(name).write_text(HEAD + MATMUL)
        subprocess.run(command, input=diff, text=True, check=True, capture_output=True, cwd=root)
        assert "C[i, j] += A[i, k] * B[k, j]" in Path(name).read_text()


def test_a_failure_in_one_file_leaves_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: str, *given: object, **named: object) -> FixedFile:
        if path == "mm.py":
            raise KeyError("k")
        return fixed(path, *given, **named)  # type: ignore[arg-type]

    (folder / "other.py").write_text(HEAD + MATMUL)
    monkeypatch.setattr("roofscan.fix.offers.fixed", fails)
    assert main(["fix", "--write", "--jobs", "1", "mm.py", "other.py"]) == 1
    assert "mm.py: internal error of roofscan: KeyError: 'k'" in capsys.readouterr().err
    assert (folder / "mm.py").read_text() == HEAD + MATMUL != (folder / "other.py").read_text()


def test_a_diff_can_be_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fix", "--diff", "mm.py"]) == main(["fix", "mm.py"]) == 1
    first, second = capsys.readouterr().out.split("# mm.py")[1:]
    assert first == second
    assert main(["fix", "--diff", "--write", "mm.py"]) == 2
    assert "not allowed with" in capsys.readouterr().err


def test_write_changes_the_file_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mm.py").chmod(0o640)
    assert main(["fix", "--write", "."]) == 0
    assert capsys.readouterr().err == "roofscan: 1 fix in 1 file written\n"
    written = (folder / "mm.py").read_text()
    assert "C[i, j] += A[i, k] * B[k, j]" in written and (folder / "mm.py").stat().st_mode & 0o777 == 0o640
    assert main(["fix", "--write", "."]) == 0
    assert (folder / "mm.py").read_text() == written
    assert sorted(p.name for p in folder.iterdir()) == [".roofscan_cache", "mm.py", "plain.py"]


def test_a_file_that_no_finding_changes_is_not_analyzed_in_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mm.py").write_text(HEAD + "@njit\ndef scale(x, a):\n    for i in range(x.size):\n        x[i] *= a\n")
    assert main(["check", "mm.py"]) == 0  # it streams
    monkeypatch.setattr("roofscan.fix.offers.analyze_source", None)
    monkeypatch.setattr("roofscan.cache.analysis.analyze_units", None)
    assert main(["fix", "mm.py"]) == 0


def test_changes_are_listed_by_their_lines_in_the_file_as_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The division is only seen after another order of the loops, when a line was added above it."""
    product = MATMUL.replace("def matmul(", "\n\n@njit\ndef product(")
    columns = "\n\n@njit\ndef columns(A, s, h):\n    for j in range(A.shape[1]):\n        for i in range(A.shape[0]):\n"
    (folder / "mm.py").write_text(HEAD + MATMUL + columns + "            s[j] += A[i, j] / h\n" + product)
    assert main(["fix", "--unsafe", "mm.py"]) == 1
    heads = [line.split(" ") for line in capsys.readouterr().out.splitlines() if line.startswith("# mm.py:")]
    assert [(place, code) for _, place, code, *_ in heads] == [
        ("mm.py:12:", "RFL202"),
        ("mm.py:18:", "RFL101"),
        ("mm.py:20:", "RFL503"),
        ("mm.py:31:", "RFL202"),
    ]


TWINS = """

def make(flag):
    if flag:

        @njit
        def f(x, out):
            for i in range(x.shape[0]):
                out[i] = x[i] * 2.0

    else:

        @njit
        def f(x, out):
            for i in range(x.shape[0]):
                out[i] = x[i] / out[i]

    return f
"""


def test_only_the_function_of_the_finding_is_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another one has its name."""
    (folder / "mm.py").write_text("from numba import njit\n" + TWINS)
    assert main(["fix", "--unsafe", "mm.py"]) == 1
    out = capsys.readouterr().out
    assert out.count("# mm.py:") == 1 and out.count('+        @njit(error_model="numpy")') == 1


TWO_SUMS = """

@njit
def gradient(x, y):
    s = np.sqrt(1 + np.sum(x**2))
    t = np.sqrt(1 + np.sum(y**2))
    b = s * t
    for i in range(x.shape[0]):
        b -= x[i] * y[i]
    grad = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        grad[i] = b * (x[i] * t / s - y[i])
    return b, grad
"""


def test_lines_in_the_text_of_a_change_are_those_of_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mm.py").write_text("import numpy as np\nfrom numba import njit\n" + TWO_SUMS)
    main(["fix", "--unsafe", "mm.py"])
    heads = [line for line in capsys.readouterr().out.splitlines() if line.startswith("# mm.py:")]
    assert "# mm.py:8: RFL301 gradient: write line 8 as a loop" in [head.split(" (")[0] for head in heads]


def test_options_narrow_what_is_fixed(folder: Path) -> None:
    assert main(["fix", "--no-assume", "."]) == 0
    assert main(["fix", "--select", "RFL3", "."]) == 0
    assert main(["fix", "--min-gain", "1000", "."]) == 0
    assert main(["fix", "--min-gain", "2", "."]) == 1
    (folder / "mm.py").write_text((HEAD + MATMUL).replace("for k in range(m):", "for k in range(m):  # noqa: RFL202"))
    assert main(["fix", "."]) == 0


def test_what_cannot_be_read_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.py").write_text("from numba import njit\ndef f(:\n")
    assert main(["fix", "--write", "."]) == 1
    assert capsys.readouterr().err.startswith("roofscan: bad.py: line 2 cannot be parsed; it stays as it is\n")
    assert main(["fix", "nowhere"]) == 2


def test_exit_codes_of_what_is_written(folder: Path) -> None:
    assert main(["fix", "--write", "--exit-non-zero-on-fix", "."]) == 1
    assert main(["fix", "--write", "--exit-non-zero-on-fix", "."]) == 0


def test_check_fixes_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--fix", "--no-cache", "."])
    out, err = capsys.readouterr()
    assert "1 fix in 1 file written" in err and "RFL202" not in out
    assert "C[i, j] += A[i, k] * B[k, j]" in (folder / "mm.py").read_text()


def test_sarif_holds_the_fixes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--format", "sarif", "--no-cache", "."])
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    [fix] = [fix for result in results if result["ruleId"] == "RFL202" for fix in result["fixes"]]
    assert fix["description"]["text"].startswith("make the loops run in the order i, k, j (safe; assumes")
    main(["fix", "--write", "--select", "RFL202", "."])
    assert with_replacements(HEAD + MATMUL, fix) == (folder / "mm.py").read_text()


def test_a_file_that_may_not_be_written_stays_and_the_others_are_fixed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "locked.py").write_text(HEAD + MATMUL)
    (folder / "locked.py").chmod(0o444)
    assert main(["fix", "--write", "."]) == 1
    out, err = capsys.readouterr()
    assert out.count("\n") == 1 and out.startswith("mm.py:12: RFL202")
    assert err == "roofscan: locked.py: is read-only; it stays as it is\nroofscan: 1 fix in 1 file written\n"
    assert (folder / "locked.py").read_text() == HEAD + MATMUL


def test_a_file_of_two_names_is_fixed_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "link.py").symlink_to("mm.py")
    assert main(["fix", "--write", "."]) == 0
    assert capsys.readouterr().err == "roofscan: 1 fix in 1 file written\n"


def test_lines_are_those_of_python_and_of_patch(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Unicode's separators and form feeds end none."""
    text = (HEAD + MATMUL).replace("def matmul", "\f\ndef matmul").replace("# rows", "# rows \u2028 \x1c \x85 end")
    (folder / "mm.py").write_text(text, encoding="utf-8")
    main(["check", "--format", "sarif", "--no-cache", "--select", "RFL202", "."])
    [result] = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert main(["fix", "--select", "RFL202", "."]) == 1
    changed = capsys.readouterr().out.encode()
    assert main(["fix", "--select", "RFL202", "--write", "."]) == 0
    fixed = (folder / "mm.py").read_text(encoding="utf-8")
    assert with_replacements(text, result["fixes"][0]) == fixed
    (folder / "mm.py").write_text(text, encoding="utf-8")
    subprocess.run(["patch", "-p1", "--fuzz=0"], input=changed, check=True, capture_output=True)
    assert (folder / "mm.py").read_text(encoding="utf-8") == fixed


def with_replacements(text: str, fix: dict[str, Any]) -> str:
    lines = text.split("\n")
    for edit in reversed(fix["artifactChanges"][0]["replacements"]):
        region = edit["deletedRegion"]
        new = edit["insertedContent"]["text"].removesuffix("\n").split("\n")
        lines[region["startLine"] - 1 : region["endLine"] - 1] = new
    return "\n".join(lines)


def test_a_link_stays_a_link(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "mm.py").rename(folder / "inner" / "mm.py")
    (folder / "mm.py").symlink_to("inner/mm.py")
    assert main(["fix", "--write", "mm.py"]) == 0
    assert (folder / "mm.py").is_symlink() and "C[i, j] += A" in (folder / "inner" / "mm.py").read_text()


def test_standard_input_leaves_on_standard_output(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def piped(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((HEAD + MATMUL).encode())))
        return main(list(words)), *capsys.readouterr()

    code, out, err = piped("fix", "-")
    assert code == 1 and "+++ b/-\n" in out and err.endswith("--write makes the change\n")
    code, out, err = piped("fix", "--write", "-")
    assert code == 0 and out.startswith(HEAD) and "C[i, j] += A" in out and err.startswith("-:12: RFL202 matmul")
    assert "+++ b/lib/mm.py\n" in piped("fix", "-", "--stdin-filename", "lib/mm.py")[1]
    code, out, err = piped("check", "--fix", "-")
    assert code == 2 and "roofscan fix --write -" in err


def test_notebooks_and_other_encodings(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / "cells.ipynb").write_text("{}")
    assert main(["fix", "cells.ipynb"]) == 1
    assert b"cells.ipynb: fix does not change notebooks" in capsysbinary.readouterr().err
    data = b"# -*- coding: latin-1 -*-\n" + (HEAD + MATMUL).replace("# rows", "# caf\xe9").encode("latin-1")
    (folder / "mm.py").write_bytes(data)
    assert main(["fix", "mm.py"]) == 1
    assert b"for i in range(n):  # caf\xe9\n" in capsysbinary.readouterr().out
