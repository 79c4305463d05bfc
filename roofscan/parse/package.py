"""Names from other files of the same package, found by path: nothing is imported, only files beside are read.

A package is the folders around a file that hold an ``__init__.py``; for a file outside of any, the files beside
it. An absolute import must start with the package's own name, and a relative one may not leave it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from roofscan.parse.module import SELF, Module, read_module
from roofscan.parse.source import SourceError, read_source

MAX_HOPS = 8  # re-exports of re-exports
MAX_FOLDERS = 32
KNOWN_ELSEWHERE = frozenset(("numpy", "numba", "math", "cmath", "scipy", "builtins"))


@dataclass(frozen=True)
class Found:
    """A name and the module that defines it."""

    module: Module
    name: str


def find(module: Module, dotted: str) -> Found | None:
    """Where the package of ``module`` defines a dotted origin (``.utils.norm``, ``pkg.utils.norm``), or None.

    Follows re-exports. None too where the module does not follow imports, where the name is from outside
    the package, and where its file cannot be read.
    """
    for _ in range(MAX_HOPS if module.follow else 0):
        reached = _file_of(Path(module.path), dotted)
        if reached is None:
            return None
        path, names = reached
        there = _module(str(path))
        if there is None or not names:
            return None
        if names in there.function_pieces or names in there.constants:
            return Found(there, names)
        origin = there.resolve_name(names)
        if origin is None:
            return None
        if origin.startswith(SELF):
            return Found(there, origin.removeprefix(SELF))
        if not _inside(Path(there.path), origin):
            return Found(there, names)  # an alias of something from outside: the module itself resolves it
        module, dotted = there, origin
    return None


def _inside(path: Path, dotted: str) -> bool:
    return _file_of(path, dotted) is not None


def _file_of(path: Path, dotted: str) -> tuple[Path, str] | None:
    """The file that a dotted origin, seen from ``path``, leads to, and what is left of the name in it."""
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


def _module(path: str) -> Module | None:
    """The module of a file as it is now; None where it cannot be read or parsed."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=128)
def _read(path: str, changed: int, size: int) -> Module | None:
    try:
        return read_module(read_source(path), path, follow=True)
    except (SourceError, RecursionError):
        return None
