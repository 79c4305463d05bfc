"""Which file of a package a dotted origin leads to, by path alone: nothing is opened, nothing is imported.

A package is the folders around a file that hold an ``__init__.py``; for a file outside of any, the files beside
it. An absolute import must start with the package's own name, and a relative one may not leave it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

MAX_FOLDERS = 32
KNOWN_ELSEWHERE = frozenset(("numpy", "numba", "math", "cmath", "scipy", "builtins"))

Answers = dict[tuple[str, str], str]
"""(file, dotted origin seen from there) -> the file that it leads to, "" for none."""

_listening: list[Answers] = []


@contextmanager
def recorded_lookups() -> Iterator[Answers]:
    """All that :func:`file_of` is asked in the body, with its answers."""
    answers: Answers = {}
    _listening.append(answers)
    try:
        yield answers
    finally:
        _listening.pop()


def record_lookup(answers: Answers) -> None:
    """What was overheard when something was worked out that is now used again: all who listen hear it."""
    for listening in _listening:
        listening.update(answers)


def file_of(path: Path, dotted: str) -> tuple[Path, str] | None:
    """The file that a dotted origin, seen from ``path``, leads to, and what is left of the name in it."""
    reached = _file_of(path, dotted)
    for answers in _listening:
        answers[str(path), dotted] = str(reached[0]) if reached else ""
    return reached


def _file_of(path: Path, dotted: str) -> tuple[Path, str] | None:
    level = len(dotted) - len(dotted.lstrip("."))
    parts = dotted.lstrip(".").split(".")
    root = _root(str(path.parent))
    folder = path.parent if level else root.parent if _is_package(root) else root
    for _ in range(level - 1):
        folder = folder.parent
    if level and not (folder == root or root in folder.parents):
        return None
    if not level and (parts[0] in KNOWN_ELSEWHERE or (_is_package(root) and parts[0] != root.name)):
        return None
    return _descend(folder, parts)


def _descend(folder: Path, parts: list[str]) -> tuple[Path, str] | None:
    """The module that the first parts name below ``folder``, as far as folders and files go."""
    for position, part in enumerate(parts):
        if not part.isidentifier():
            return None
        file = folder / f"{part}.py"
        if _is_file(str(file)):
            return file, ".".join(parts[position + 1 :])
        if not _is_file(str(folder / part / "__init__.py")):
            initial = folder / "__init__.py"
            return (initial, ".".join(parts[position:])) if _is_file(str(initial)) else None
        folder = folder / part
    return folder / "__init__.py", ""


@lru_cache(maxsize=1024)
def _root(folder: str) -> Path:
    """The outermost folder of a package, going up from ``folder``; ``folder`` itself where there is none."""
    here = Path(folder)
    for _ in range(MAX_FOLDERS):
        if not _is_package(here) or not _is_package(here.parent) or here.parent == here:
            break
        here = here.parent
    return here


def _is_package(folder: Path) -> bool:
    return _is_file(str(folder / "__init__.py"))


@lru_cache(maxsize=8192)
def _is_file(path: str) -> bool:
    return os.path.isfile(path)
