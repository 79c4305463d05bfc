"""Which files and functions the words of the command line name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roofscan.cli.errors import UsageError
from roofscan.cli.targets import Target, find_targets, split


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "b.py", "a.py", "notes.txt", "sub/c.py", ".hidden/d.py", "__pycache__/e.py", "env/pyvenv.cfg",
        "env/f.py", "sub/.g.py", "build/h.py",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_is_listed_in_order(tree: Path) -> None:
    names = [target.path for target in find_targets(["."])]
    assert names == ["a.py", "b.py", "build/h.py", "sub/c.py"]


def test_excluded_paths_are_left_out(tree: Path) -> None:
    assert [t.path for t in find_targets([str(tree)], ["build", "sub/*"])] == [
        str(tree / "a.py"),
        str(tree / "b.py"),
    ]


def test_functions_of_one_file_come_together(tree: Path) -> None:
    assert find_targets(["a.py::g", "a.py::C.f", "b.py"]) == [Target("a.py", ("C.f", "g")), Target("b.py")]


def test_a_whole_file_wins_over_its_functions(tree: Path) -> None:
    assert find_targets(["a.py::g", "a.py"]) == [Target("a.py")]
    assert find_targets(["a.py", "a.py::g"]) == [Target("a.py")]


def test_a_file_is_read_once_however_it_is_named(tree: Path) -> None:
    assert find_targets(["sub/c.py", "sub", "./sub/../sub/c.py", str(tree / "sub" / "c.py")]) == [Target("sub/c.py")]


def test_any_file_that_is_named_is_read(tree: Path) -> None:
    assert find_targets(["notes.txt"]) == [Target("notes.txt")]


@pytest.mark.parametrize(
    ("word", "path", "function"),
    [
        ("k.py", "k.py", None),
        ("k.py::f", "k.py", "f"),
        ("k.py::C.f", "k.py", "C.f"),
        (r"C:\work\k.py", r"C:\work\k.py", None),
        (r"C:\work\k.py::f", r"C:\work\k.py", "f"),
        (r"C:k.py::outer.inner", "C:k.py", "outer.inner"),
        (r"\\server\share\k.py::f", r"\\server\share\k.py", "f"),
    ],
)
def test_split(word: str, path: str, function: str | None) -> None:
    assert split(word) == (path, function)


def test_a_file_whose_name_has_colons_is_a_file(tree: Path) -> None:
    Path("x::y.py").write_text("")
    assert split("x::y.py") == ("x::y.py", None)
    assert split("x::y.py::f") == ("x::y.py", "f")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("missing.py", "does not exist"),
        ("missing.py::f", "does not exist"),
        ("a.py::", "incomplete"),
        ("::f", "incomplete"),
        ("sub::f", "needs a file"),
        (".hidden/..", ""),
        ("env/nothing", "does not exist"),
        ("a\0.py", "does not exist"),
    ],
)
def test_what_is_not_there(tree: Path, word: str, message: str) -> None:
    if not message:
        assert find_targets([word])
        return
    with pytest.raises(UsageError, match=message):
        find_targets([word])


def test_a_folder_without_python_is_reported(tree: Path) -> None:
    Path("empty").mkdir()
    with pytest.raises(UsageError, match=r'"empty" holds no Python file'):
        find_targets(["empty"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_read(tree: Path) -> None:
    os.mkfifo("pipe.py")
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        find_targets(["pipe.py"])
    assert all(t.path != "pipe.py" for t in find_targets(["."]))
