"""The files that an analysis reads: those of this computer, standard input, or texts that came from another computer.
What reads a source or a machine file asks here. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

STDIN = "-"
NOTEBOOK = ".ipynb"
CELL = ":cell "
"""Between the path of a notebook and the number of a cell, in the place of a finding."""

_sent: ContextVar[Mapping[str, bytes] | None] = ContextVar("files", default=None)
_piped: ContextVar[tuple[str, bytes] | None] = ContextVar("piped", default=None)


@contextmanager
def at_hand(contents: Mapping[str, bytes]) -> Iterator[None]:
    """A context in which these files exist, by their paths elsewhere, and no others."""
    token = _sent.set(contents)
    try:
        yield
    finally:
        _sent.reset(token)


@contextmanager
def piped(path: str, content: bytes) -> Iterator[None]:
    """A context in which the file of this path has this content, whatever the disk holds."""
    token = _piped.set((path, content))
    try:
        yield
    finally:
        _piped.reset(token)


def is_piped(path: str) -> bool:
    named = _piped.get()
    return named is not None and named[0] == path


def is_notebook(path: str) -> bool:
    """By its name; standard input without a name, by how it begins."""
    named = _piped.get()
    if named is None or path != STDIN or named[0] != STDIN:
        return path.endswith(NOTEBOOK)
    return named[1].lstrip()[:1] == b"{" and any(key in named[1] for key in (b'"cells"', b'"worksheets"'))


def is_file(path: str) -> bool:
    if is_piped(path):
        return True
    sent = _sent.get()
    return os.path.isfile(path) if sent is None else os.path.normpath(path) in sent


def read_bytes(path: str, most: int = -1) -> bytes:
    """The content, or the first ``most`` bytes of it. Raises OSError, and ValueError for a path that cannot be one."""
    sent, named = _sent.get(), _piped.get()
    if named is not None and named[0] == path:
        return named[1] if most < 0 else named[1][:most]
    if sent is not None:
        try:
            content = sent[os.path.normpath(path)]
        except KeyError:
            raise FileNotFoundError(2, "No such file or directory", path) from None
        return content if most < 0 else content[:most]
    with open(path, "rb") as file:
        return file.read(most)


def python_files(folder: str, below: bool, most: int) -> list[str]:
    """The first ``most`` Python files of a folder, and of the folders ``below`` it, in the order of their names."""
    sent = _sent.get()
    if sent is not None:
        return [os.path.join(folder, *parts) for parts in _sent_below(folder, sent) if below or not parts[1:]][:most]
    found: list[str] = []
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name.isidentifier()) if below else []
        found += (os.path.join(here, name) for name in sorted(names) if name.endswith(".py"))
        if len(found) >= most:
            break
    return found[:most]


def _sent_below(folder: str, sent: Iterable[str]) -> list[list[str]]:
    """The Python files below a folder as the folders and the name of each, as a walk from the top finds them."""
    start = os.path.join(os.path.normpath(folder), "").removeprefix(os.path.join(os.curdir, ""))
    names = (name for name in sent if name.startswith(start) and name.endswith(".py"))
    parts = (name.removeprefix(start).split(os.sep) for name in names)
    inside = (found for found in parts if all(map(str.isidentifier, found[:-1])))
    return sorted(inside, key=lambda found: [*((True, name) for name in found[:-1]), (False, found[-1])])


def size_of(path: str) -> int:
    """Bytes of the file; 0 where it cannot be read."""
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


def state(path: str) -> tuple[int, int]:
    """When the file was changed, in nanoseconds since the epoch (0 for one that was sent), and a number that tells its
    contents at that time apart. Raises OSError."""
    if _sent.get() is None:
        status = os.stat(path)
        return status.st_mtime_ns, status.st_size
    return 0, hash(read_bytes(path))


def file_of(place: str) -> tuple[str, int]:
    """The path of a file, and the number of the cell where the place names one, else 0."""
    path, mark, number = place.rpartition(CELL)
    return (path, int(number)) if mark and number.isdecimal() and is_notebook(path) else (place, 0)
