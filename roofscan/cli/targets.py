"""The files to read, from arguments ``PATH[::FUNCTION]``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from roofscan.cli.errors import UsageError
from roofscan.config import values
from roofscan.config.selection import matches
from roofscan.files import NOTEBOOK, STDIN, is_piped, piped
from roofscan.frozen import dataclass

_SKIPPED = {"__pycache__", "node_modules", "site-packages"}


@dataclass(frozen=True)
class Target:
    """A file, and the functions asked for (none: all)."""

    path: str
    functions: tuple[str, ...] = ()


@contextmanager
def standard_input(words: Sequence[str], name: str | None) -> Iterator[list[str]]:
    """The words in the body, with the name that standard input has there."""
    if STDIN not in words:
        if name:
            raise UsageError("--stdin-filename names standard input; add - to the paths")
        yield list(words)
        return
    name = name or STDIN
    with piped(name, sys.stdin.buffer.read() if sys.stdin else b""):
        yield [name if word == STDIN else word for word in words]


def find_targets(words: Sequence[str], exclude: Sequence[str] = ()) -> list[Target]:
    """The files that the words name, each once, folders in order of names."""
    wanted: dict[str, Target] = {}
    for word in words:
        if word == STDIN or is_piped(word):
            wanted[os.path.abspath(word)] = Target(word)
            continue
        path, function = split(word)
        if function is not None and os.path.isdir(path):
            raise UsageError(f"{values.shown(word)}: a function needs a file, not a folder; write FILE.py::{function}")
        for file in _files(path, exclude):
            place = os.path.abspath(file)
            wanted[place] = _joined(wanted.get(place), Target(file, (function,) if function else ()))
    return list(wanted.values())


def _joined(before: Target | None, target: Target) -> Target:
    """A file that is named twice: all of it if one of the words says so."""
    if before is None:
        return target
    if not before.functions or not target.functions:
        return Target(before.path)
    return Target(before.path, tuple(sorted({*before.functions, *target.functions})))


def split(word: str) -> tuple[str, str | None]:
    """Path and function of a word. The colon of a drive letter does not separate them; a file whose name has ``::`` is
    a file."""
    path, mark, function = word.rpartition("::")
    if not mark or _exists(word):
        return word, None
    if not path or not function:
        raise UsageError(f"{values.shown(word)} is incomplete; write PATH::FUNCTION")
    return path, function


def _files(path: str, exclude: Sequence[str]) -> list[str]:
    if not _exists(path):
        raise UsageError(f"{values.shown(path)} does not exist; check the path")
    if os.path.isdir(path):
        files = list(_walk(path, exclude))
        if not files:
            raise UsageError(f"folder {values.shown(path)} holds no Python file (.py) and no notebook; name another")
        return files
    if not os.path.isfile(path):
        raise UsageError(f"{values.shown(path)} is neither a file nor a folder; name a Python file")
    return [path]


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:  # a null character
        return False


def _walk(folder: str, exclude: Sequence[str]) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not _skipped(os.path.join(here, f), exclude))
        for name in sorted(files):
            path = os.path.join(here, name).removeprefix(os.path.join(os.curdir, ""))
            if name.endswith((".py", NOTEBOOK)) and not name.startswith(".") and not matches(path, exclude):
                if os.path.isfile(path):
                    yield path


def _skipped(folder: str, exclude: Sequence[str]) -> bool:
    name = os.path.basename(folder)
    hidden = name.startswith(".") or name in _SKIPPED
    return hidden or os.path.exists(os.path.join(folder, "pyvenv.cfg")) or matches(folder, exclude)
