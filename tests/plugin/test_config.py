"""Options from every file that flake8 or roofscan reads, and which of them wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofscan.cli import main
from tests.plugin.conftest import AXPY, OUTSIDE, PLAIN, Flake8

FLAKE8_FILES = (".flake8", "setup.cfg", "tox.ini")


@pytest.mark.parametrize("name", FLAKE8_FILES)
def test_flake8_files(project: Path, flake8: Flake8, name: str) -> None:
    (project / "a.py").write_text(AXPY)
    options = ["roofscan-machine = xeon-6248r", "roofscan_ignore =", "    RFL201", "    RFL301"]
    (project / name).write_text("\n".join(["[flake8]", *options, ""]))
    (line,) = flake8("a.py")
    assert "RFL102" in line and "xeon-6248r" in line


def test_a_machine_file_is_relative_to_the_config_that_names_it(project: Path, flake8: Flake8) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "a.py").write_text(AXPY)
    (project / ".flake8").write_text("[flake8]\nroofscan-machine = ./machines/absent.toml\n")
    (line,) = flake8("sub/a.py")
    assert "RFL902" in line and "absent.toml" in line


def test_pyproject(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    (project / "pyproject.toml").write_text('[tool.roofscan]\nmachine = "xeon-6248r"\n')
    (line,) = flake8("a.py")
    assert "xeon-6248r" in line


def test_pyproject_chooses_plain_functions(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(PLAIN)
    (project / "b.py").write_text(OUTSIDE)
    assert flake8("a.py", "b.py") == []
    (project / "pyproject.toml").write_text('[tool.roofscan]\nkernels = "all"\nextend-select = ["RFL001"]\n')
    assert {"a.py:6:5: RFL301", "b.py:5:1: RFL001"} <= {line[:16] for line in flake8("a.py", "b.py")}


def test_flake8_files_win_over_pyproject(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    (project / "pyproject.toml").write_text('[tool.roofscan]\nmachine = "nowhere"\nselect = "RFL102"\n')
    (project / "tox.ini").write_text("[flake8]\nroofscan-machine = xeon-6248r\n")
    (line,) = flake8("a.py")
    assert "RFL102" in line and "xeon-6248r" in line
    (line,) = flake8("a.py", "--roofscan-machine", "generic-x86-64")
    assert "generic-x86-64" in line


@pytest.mark.parametrize(
    ("text", "word", "line"),
    [
        ("[tool.roofscan]\nmachin = 'x'\n", "machin", 2),
        ("[tool.roofscan]\nkernels = 'some'\n", "some", 2),
        ("[tool.roofscan\n", "TOML", 1),
        ("[tool]\nroofscan = 3\n", "[tool.roofscan]", 2),
        ("[tool.roofscan]\nbind = 'A=f9['\n", "f9", None),
    ],
)
def test_a_broken_pyproject_is_reported_once_and_the_rest_continues(
    project: Path, flake8: Flake8, text: str, word: str, line: int | None
) -> None:
    (project / "pyproject.toml").write_text(text)
    for name in ("a.py", "b.py"):
        (project / name).write_text("import os\n\n\n" + AXPY)
    lines = flake8("--jobs", "1", "a.py", "b.py", all_plugins=True)
    (finding,) = (text for text in lines if "RFL902" in text)
    assert word in finding
    assert line is None or f"pyproject.toml line {line}" in finding
    assert sum("F401" in text for text in lines) == 2


def test_another_tools_pyproject_is_no_business_of_ours(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    (project / "pyproject.toml").write_text("[tool.other\n")
    assert [line.split()[1] for line in flake8("a.py")] == ["RFL102"]


def test_a_baseline(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    assert main(["check", "a.py", "--baseline", "known.json", "--update-baseline"]) == 0
    assert flake8("a.py", "--roofscan-baseline", "known.json") == []
    (project / "pyproject.toml").write_text('[tool.roofscan]\nbaseline = "known.json"\n')
    assert flake8("a.py") == []
    (project / "a.py").write_text(AXPY.replace("axpy", "other"))
    (line,) = flake8("a.py")
    assert "RFL102 other" in line
    (project / "known.json").unlink()
    (line,) = flake8("a.py")
    assert "RFL902" in line and "--update-baseline" in line


def test_ignores_by_file_and_no_cache(project: Path, flake8: Flake8) -> None:
    (project / "a.py").write_text(AXPY)
    (project / "tox.ini").write_text("[flake8]\nroofscan-no-cache = true\n")
    assert len(flake8("a.py")) == 1
    (project / "pyproject.toml").write_text('[tool.roofscan.per-file-ignores]\n"a.py" = "RFL1"\n')
    assert flake8("a.py") == []
    assert not (project / ".roofscan_cache").exists()
    (project / "tox.ini").write_text("[flake8]\nroofscan-cache-dir = build/kept\n")
    flake8("a.py")
    assert list((project / "build" / "kept").glob("*.json"))


@pytest.mark.parametrize("words", ["a=1.5 x=float64[:]", "a=f4", "a=f4:0.1", "a=0.5+0.5j", "x.shape[0]=1e6", "a=c16"])
def test_words_of_pragmas_and_options(project: Path, flake8: Flake8, words: str) -> None:
    (project / "a.py").write_text(AXPY.replace("@njit", f"# roofscan: {words}\n@njit"))
    (project / "b.py").write_text(AXPY)
    (project / "pyproject.toml").write_text(f'[tool.roofscan]\nbind = "{words}"\n')
    assert {line.split()[1] for line in flake8("a.py", "b.py")} <= {"RFL102", "RFL401"}


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# rofscan: a=1.5", "rofscan: is not a pragma; did you mean # roofscan:?"),
        ("# roofscan: xx=f8[100]", "which axpy does not have; did you mean x?"),
    ],
)
def test_misspelt_pragmas(project: Path, flake8: Flake8, comment: str, said: str) -> None:
    (project / "a.py").write_text(AXPY.replace("@njit", f"{comment}\n@njit"))
    (project / "b.py").write_text(f"{comment}\ndef axpy(x):\n    x[0] = 1.0\n")
    (line, *others) = (line for line in flake8("a.py", "b.py") if "RFL901" in line)
    assert line.startswith("a.py:") and said in line
    assert all(other.startswith("b.py:") and "did you mean" in other for other in others) and others
