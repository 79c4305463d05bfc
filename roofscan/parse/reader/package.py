"""Names from other files of the same package, found by path: nothing is imported."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from roofscan.files import NOTEBOOK, is_file, read_bytes, state
from roofscan.frozen import dataclass
from roofscan.parse.definitions import Definition
from roofscan.parse.reader.module import SELF, Module
from roofscan.parse.reader.outline import outline
from roofscan.parse.reader.resolver import KNOWN_ELSEWHERE, MAX_FILES, ModuleFinder
from roofscan.parse.reader.source import SourceError, read_source

MAX_HOPS = 8  # re-exports of re-exports
MAX_OUTLINES = 128  # that are kept

Read = TypeVar("Read")


@dataclass(frozen=True)
class ExternalDefinition:
    """A name and the module that defines it."""

    module: Module
    name: str


def find(module: Module, dotted: str) -> ExternalDefinition | None:
    """Where the package of ``module`` defines a dotted origin (``.utils.norm``, ``pkg.utils.norm``), or None. Follows
    re-exports. None too where the module does not follow imports, where the name comes from outside the package, and
    where its file cannot be read."""
    for _ in range(MAX_HOPS if module.follow else 0):
        reached = module.finder.file_of(Path(module.path), dotted)
        if reached is None:
            return None
        path, names = reached
        there = _module(str(path), module)
        if there is None or not names:
            return None
        origin = there.resolve_name(names)
        alias = names in there.constants and origin is not None and not origin.startswith(SELF)
        if names in there.function_paths or (names in there.constants and not alias):
            return ExternalDefinition(there, names)
        if origin is None:
            return starred(there, names)
        if origin.startswith(SELF):
            return ExternalDefinition(there, origin.removeprefix(SELF))
        if there.finder.file_of(Path(there.path), origin) is None:
            return ExternalDefinition(there, names)  # an alias of something from outside: the module itself resolves it
        module, dotted = there, origin
    return None


def starred(module: Module, name: str) -> ExternalDefinition | None:
    """The definition of a name by the last of several star imports that has one; None where none is known to."""
    if not module.follow or len(module.star_imports) < 2 or name in module.bindings:
        return None
    places = (find(module, f"{package}.{name}") for package in reversed(module.star_imports))
    return next((f for f in places if f is not None and f.name in {*f.module.functions, *f.module.bindings}), None)


def mentioning(module: Module, name: str) -> Iterator[Module]:
    """The other files of the package of a module whose text has a name."""
    for path in module.finder.package_of(Path(module.path)):
        if os.path.abspath(path) != os.path.abspath(module.path) and name.encode() in _content(path):
            there = _module(path, module)
            if there is not None:
                yield there


def _content(path: str) -> bytes:
    try:
        return _latest(read_bytes, path)
    except OSError:
        return b""


def _module(path: str, asking: Module) -> Module | None:
    """The module of a file, read once in each analysis; None where it cannot be read or parsed."""
    if path not in asking.others:
        read = _read(path)
        asking.others[path] = read and Module(path, *read, asking.finder, asking.others)
    return asking.others[path]


def _read(path: str) -> tuple[str, tuple[Definition, ...]] | None:
    try:
        return _latest(_outlined, path)
    except OSError:
        return None


def _outlined(path: str) -> tuple[str, tuple[Definition, ...]] | None:
    """The text and the outline of a file."""
    try:
        text = read_source(path)
        return text, outline(text, path)
    except (SourceError, RecursionError):
        return None


def _latest(read: Callable[[str], Read], path: str) -> Read:
    """What is read of a file, once a version: an editor saves hundreds, of which the last alone is kept."""
    now = state(path)
    kept: dict[tuple[int, int], Read] = _kept(read, path)
    for version, found in tuple(kept.items()):  # at most one; other threads may change it
        if version == now:
            return found
    found = read(path)
    kept.clear()
    kept[now] = found
    return found


@lru_cache(maxsize=MAX_FILES + MAX_OUTLINES)
def _kept(read: Callable[[str], Read], path: str) -> dict[tuple[int, int], Read]:
    """By time and size of the file."""
    return {}


def folders_read(folder: str) -> tuple[tuple[str, bool], ...]:
    """The folders whose Python files an analysis of a file in ``folder`` may read, and whether those below, too: its
    package. For files outside of any: the folder, and the packages in it that they name."""
    root, is_package = ModuleFinder().root(Path(folder))
    if is_package:
        return ((str(root), True),)
    inside = [name for name in sorted(os.listdir(root)) if name.isidentifier() and name not in KNOWN_ELSEWHERE]
    packages = [name for name in inside if is_file(str(root / name / "__init__.py"))]
    sources = (str(root / name) for name in os.listdir(root) if packages and name.endswith((".py", NOTEBOOK)))
    contents = [_content(path) for path in sources]
    named = (name for name in packages if any(name.encode() in content for content in contents))
    return ((str(root), False), *((str(root / name), True) for name in named))
