"""The real flake8 finds the plugin and shows its findings, however it is given the file."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.plugin.conftest import AXPY, OUTSIDE, PLAIN, Flake8


def test_flake8_lists_the_plugin() -> None:
    done = subprocess.run([sys.executable, "-m", "flake8", "--version"], capture_output=True, text=True)
    assert "roofscan: 0." in " ".join(done.stdout.split())


def test_a_finding_is_on_the_def_line(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    (line,) = flake8("a.py")
    assert line.startswith("a.py:5:1: RFL102 axpy: ")


def test_a_file_without_kernels_has_none(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text("import os\n")
    (line,) = flake8("a.py", all_plugins=True)
    assert "F401" in line


def test_standard_input_needs_no_file(flake8: Flake8) -> None:
    (line,) = flake8("--stdin-display-name", "pkg/unsaved.py", "-", stdin=AXPY)
    assert line.startswith("pkg/unsaved.py:5:1: RFL102 axpy: ")


def test_two_jobs_give_the_output_of_one(project: Path, flake8: Flake8) -> None:
    names = [f"k{i}.py" for i in range(6)]
    for name in names:
        (project / name).write_text(AXPY)
    one = flake8("--jobs", "1", *names)
    assert [line.split(":")[0] for line in one] == names
    assert flake8("--jobs", "2", *names) == one


def test_noqa_on_the_def_line_silences(project: Path, flake8: Flake8) -> None:
    for comment in ("# noqa", "# noqa: RFL102", "# noqa: RFL"):
        (project / "a.py").write_text(AXPY.replace("y):", f"y):  {comment}"))
        assert flake8("a.py") == []
    (project / "a.py").write_text(AXPY.replace("y):", "y):  # noqa: RFL201"))
    assert len(flake8("a.py")) == 1


def test_columns_are_characters(project: Path, flake8: Flake8) -> None:
    text = AXPY.replace("(a, x, y):", "(größe, x, y):  # roofscan: x=f9[").replace("a *", "größe *")
    (project / "a.py").write_text(text, encoding="utf-8")
    (finding,) = (line for line in flake8("a.py") if "RFL901" in line)
    assert finding.startswith("a.py:5:25: RFL901 ")
    assert text.splitlines()[4].index("#") == 24


def test_a_method_is_found_at_its_own_column(project: Path, flake8: Flake8) -> None:
    head, body = AXPY[: AXPY.index("@njit")], AXPY[AXPY.index("@njit") :]
    (project / "a.py").write_text(head + "class Solver:\n" + textwrap.indent(body, "    "))
    (line,) = flake8("a.py")
    assert line.startswith("a.py:6:5: RFL102 Solver.axpy: ")


def test_windows_line_ends_and_a_byte_order_mark(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_bytes(b"\xef\xbb\xbf" + AXPY.replace("\n", "\r\n").encode())
    (line,) = flake8("a.py")
    assert line.startswith("a.py:5:1: RFL102")


def test_plain_functions_only_if_asked_for(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(PLAIN)
    (project / "b.py").write_text(PLAIN.replace("def", "# roofscan: x=f8[n] y=f8[n]\ndef"))
    options = ["a.py", "b.py", "--roofscan-select", "RFL102"]
    decorated, every = flake8(*options), flake8(*options, "--roofscan-kernels", "all")
    assert [line.split()[:2] for line in decorated] == [["b.py:5:1:", "RFL102"]]
    assert [line.split()[:2] for line in every] == [["a.py:4:1:", "RFL102"], ["b.py:5:1:", "RFL102"]]


def test_codes_that_are_off_by_default(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(OUTSIDE)
    assert flake8("a.py") == []
    assert flake8("a.py", "--ignore", "E203") == []  # an own ignore list switches flake8's default one off
    assert flake8("a.py", "--select", "RFL") == []
    for options in ("--extend-select=RFL001", "--select=RFL0", "--roofscan-extend-select=RFL001"):
        (line,) = flake8("a.py", options)
        assert line.startswith("a.py:5:1: RFL001 ")


def test_own_select_and_ignore(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    assert flake8("a.py", "--roofscan-ignore", "RFL1,RFL2") == []
    assert flake8("a.py", "--roofscan-select", "RFL201") == []
    assert len(flake8("a.py", "--roofscan-select", "RFL201, RFL102")) == 1


def test_per_file_ignores(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    assert flake8("a.py", "--per-file-ignores", "a.py:RFL102") == []


def test_the_machine_changes_the_message(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    (default,) = flake8("a.py")
    (other,) = flake8("a.py", "--roofscan-machine", "xeon-6248r")
    assert "generic-x86-64" in default
    assert "xeon-6248r" in other


def test_a_syntax_error_is_left_to_flake8(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY + "def (:\n")
    (project / "b.py").write_text(AXPY)
    lines = flake8("a.py", "b.py", all_plugins=True)
    assert any("a.py" in line and "E999" in line for line in lines)
    assert any("b.py" in line and "RFL102" in line for line in lines)


def test_a_file_over_the_cap_is_named(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    (line,) = flake8("a.py", "--roofscan-max-bytes", "100")
    assert line.startswith("a.py:1:1: RFL902 ")
    assert "--roofscan-max-bytes" in line


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--roofscan-machine", "no-such-machine"], "no-such-machine"),
        (["--roofscan-machine", "./absent.toml"], "absent.toml"),
        (["--roofscan-kernels", "some"], "some"),
        (["--roofscan-select", "E501"], "E501"),
        (["--roofscan-max-bytes", "-3"], "-3"),
        (["--roofscan-machine", "__import__('os').system('touch ran')"], "__import__"),
    ],
)
def test_an_unreadable_option_is_reported_once(project: Path, flake8: Flake8, options: list[str], word: str) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (project / name).write_text("import os\n\n\n" + AXPY)
    lines = flake8("--jobs", "1", *options, "a.py", "b.py", "c.py", all_plugins=True)
    (finding,) = (line for line in lines if "RFL902" in line)
    assert finding.startswith("a.py:1:1: RFL902 ")
    assert word in finding
    assert sum("F401" in line for line in lines) == 3
    assert not (project / "ran").exists()
