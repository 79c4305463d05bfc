"""Reading files, the word filter, and what never crashes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.outline import is_deep
from roofscan.parse.reader.source import SourceError, may_hold_kernels, nesting, read_source


def written(folder: Path, data: bytes) -> str:
    path = folder / "a.py"
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    "data, text",
    [
        (b"x = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"x = 1\r\ny = 2\rz = 3\n", "x = 1\ny = 2\nz = 3\n"),
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        ("x = 'é'\n".encode(), "x = 'é'\n"),
        (b"", ""),
    ],
    ids=["plain", "byte-order mark", "line ends", "declared latin-1", "utf-8", "empty"],
)
def test_text_as_python_reads_it(tmp_path: Path, data: bytes, text: str) -> None:
    assert read_source(written(tmp_path, data)) == text


@pytest.mark.parametrize(
    "data, line, message",
    [
        (b"x = '\xe9'\n", 1, "declares no encoding"),
        (b"a = 1\nx = '\xe9'\n", 2, "declare its encoding"),
        (b"\n" * 5 + b"x = '\xe9'\n", 6, "utf-8"),
        (b"# coding: no-such-encoding\n", 1, "no-such-encoding"),
        (b"# coding: rot13\n", 1, "rot13"),
        (b"a = 1\nb = '\0'\n", 2, "null byte"),
        (b"x = 1\n" * 30, 0, "larger than 100 bytes"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, data: bytes, line: int, message: str) -> None:
    path = written(tmp_path, data)
    with pytest.raises(SourceError, match=message) as caught:
        read_source(path, max_bytes=100)
    assert caught.value.path == path
    assert caught.value.line == line or not line


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for path in (str(tmp_path / "none.py"), str(tmp_path), "a\0b"):
        with pytest.raises(SourceError):
            read_source(path)


@pytest.mark.parametrize("word", ["import numba", "@ngjit", "np.vectorize", "@guvectorize", "@stencil", "# roofscan:"])
def test_words_of_kernels(word: str) -> None:
    assert may_hold_kernels(f"x = 1\n{word}\n")
    assert not may_hold_kernels("import numpy as np\ndef f(x): return np.sqrt(x)\n")


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n", "x = = 1\n", "  x = 1\n", "if x:\npass\n", "x = '\n", "x = '''\n", "x = (\n", "\tx\n  y\n",
        "def f():\n\tx = 1\n        y = 2\n", "\0", "x = \x0b\n", "def f(x):\n  # nothing\n",
    ],
)  # fmt: skip
def test_broken_source_is_a_source_error(text: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_module(text, "a.py")
    assert "\n" not in str(caught.value)


def test_a_syntax_error_has_its_line() -> None:
    with pytest.raises(SourceError) as caught:
        read_module("x = 1\ny = = 2\n", "a.py")
    assert (caught.value.path, caught.value.line) == ("a.py", 2)


DEEP: dict[str, Callable[[int], str]] = {
    "sums": lambda n: "+".join("a" * n),
    "powers": lambda n: "**".join("a" * n),
    "brackets": lambda n: "(" * n + "1" + ")" * n,
    "lists": lambda n: "[" * n + "]" * n,
    "signs": lambda n: "-" * n + "1",
    "nots": lambda n: "not " * n + "1",
    "attributes": lambda n: "a" + ".b" * n,
    "calls": lambda n: "a" + "()" * n,
    "subscripts": lambda n: "a" + "[0]" * n,
    "lambdas": lambda n: "lambda: " * n + "1",
    "conditionals": lambda n: "a if b else " * n + "1",
    "texts": lambda n: "'a' " * n,
}


@pytest.mark.parametrize("size", [10, 140, 400, 3000, 30_000])
@pytest.mark.parametrize("shape", DEEP)
def test_deep_code_never_crashes(shape: str, size: int) -> None:
    text = f"def f(a, b):\n    return {DEEP[shape](size)}\n\ndef g(x):\n    return x\n"
    try:
        module = read_module(text, "a.py")
    except SourceError:
        assert size > 50
        return
    deep, shallow = module.function("f"), module.function("g")
    assert deep is not None and shallow is not None
    assert type(shallow.body[0]).__name__ == "Return"
    kind = type(deep.body[0]).__name__
    assert kind == "Return" or (size > 50 and kind == "Other")


def test_long_chains_of_statements() -> None:
    branches = "def f(x):\n    if x: pass\n" + "    elif x: pass\n" * 3000
    try:
        function = read_module(branches, "a.py").function("f")
    except SourceError:
        return
    assert function is not None and function.body


@pytest.mark.parametrize("shape", DEEP)
def test_nesting_is_not_underestimated(shape: str) -> None:
    assert nesting(f"x = {DEEP[shape](500)}\n") >= 400 or shape in ("brackets", "lists")


def test_nesting_of_a_table_is_small() -> None:
    assert nesting("x = [" + "-1.0, (2, 3), " * 5000 + "]\n") < 10


def test_attributes_that_others_set_on_a_tree_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyflakes hangs each node's parent on it, and may run before us."""
    monkeypatch.setattr("roofscan.parse.reader.outline.MAX_DEPTH", 12)
    tree = ast.parse("from numba import njit\n\n@njit\ndef f(x):\n    return [(a + b) * c for a, b, c in x]\n")
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            child._parent = node  # type: ignore[attr-defined]
    assert not is_deep(tree)
