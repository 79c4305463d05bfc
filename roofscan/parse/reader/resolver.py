"""Which file of a package a dotted origin leads to, by path alone: nothing is opened, nothing is imported. A package is
the folders around a file that hold an ``__init__.py``; for a file outside of any, the files beside it. An absolute
import must start with the package's own name, and a relative one may not leave it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from roofscan.files import is_file, python_files
from roofscan.memo import kept

EVERY_FILE = "*"  # the origin that leads to all files of a package: to its folder
MAX_FILES = 400  # of a package that are looked at
MAX_FOLDERS = 32  # how far up the outermost folder of a package is looked for

KNOWN_ELSEWHERE = frozenset(("numpy", "numba", "math", "cmath", "scipy", "builtins"))

Lookups = dict[tuple[str, str], str]  # (file, dotted origin seen from there) -> the file that it leads to, "" for none


class ModuleFinder:
    """Finds files for one analysis, and records what it was asked; without ``follow``, it finds nothing. What it has
    seen of the file system holds as long as it lives."""

    def __init__(self, follow: bool = True) -> None:
        self.follow = follow
        self._recordings: list[Lookups] = []

    @contextmanager
    def recorded(self) -> Iterator[Lookups]:
        """All that :meth:`file_of` is asked in the body, with its answers."""
        lookups: Lookups = {}
        self._recordings.append(lookups)
        try:
            yield lookups
        finally:
            self._recordings.pop()

    def record(self, lookups: Lookups) -> None:
        """Counts lookups as made now: what was derived from them is used again."""
        for recording in self._recordings:
            recording.update(lookups)

    def file_of(self, path: Path, dotted: str) -> tuple[Path, str] | None:
        """The file that a dotted origin, seen from ``path``, leads to, and what is left of the name in it."""
        if dotted == EVERY_FILE:
            reached = (self._root(path.parent), "") if self.follow else None
        else:
            reached = self._file_of(path, dotted) if self.follow else None
        self.record({(str(path), dotted): str(reached[0]) if reached else ""})
        return reached

    def package_of(self, path: Path) -> list[str]:
        """The files of a package, by one of them."""
        if self.file_of(path, EVERY_FILE) is None:
            return []
        root, is_package = self.root(path.parent)
        return python_files(str(root), is_package, MAX_FILES)

    def root(self, folder: Path) -> tuple[Path, bool]:
        """The outermost folder of the package that ``folder`` is of, and True; itself and False where it is of none."""
        root = self._root(folder)
        return root, self._is_package(root)

    def _file_of(self, path: Path, dotted: str) -> tuple[Path, str] | None:
        level = len(dotted) - len(dotted.lstrip("."))
        parts = dotted.lstrip(".").split(".")
        root = self._root(path.parent)
        folder = path.parent if level else root.parent if self._is_package(root) else root
        for _ in range(level - 1):
            folder = folder.parent
        if level and not (folder == root or root in folder.parents):
            return None
        if not level and (parts[0] in KNOWN_ELSEWHERE or (self._is_package(root) and parts[0] != root.name)):
            return None
        return self._descend(folder, parts)

    def _descend(self, folder: Path, parts: list[str]) -> tuple[Path, str] | None:
        """The module that the first parts name below ``folder``, as far as folders and files go."""
        for position, part in enumerate(parts):
            if not part.isidentifier():
                return None
            file = folder / f"{part}.py"
            if self._is_file(str(file)):
                return file, ".".join(parts[position + 1 :])
            if not self._is_package(folder / part):
                initial = folder / "__init__.py"
                return (initial, ".".join(parts[position:])) if self._is_file(str(initial)) else None
            folder = folder / part
        return folder / "__init__.py", ""

    @kept
    def _root(self, folder: Path) -> Path:
        """The outermost folder of a package, going up from ``folder``; ``folder`` itself where there is none."""
        here = folder
        for _ in range(MAX_FOLDERS):
            if not self._is_package(here) or not self._is_package(here.parent) or here.parent == here:
                break
            here = here.parent
        return here

    def _is_package(self, folder: Path) -> bool:
        return self._is_file(str(folder / "__init__.py"))

    @kept
    def _is_file(self, path: str) -> bool:
        return is_file(path)
