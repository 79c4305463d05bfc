"""How the source is laid out: small folders, one public class of a name, no repeated code."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "roofscan"
FILES = sorted(PACKAGE.rglob("*.py"))
MAP = PACKAGE.parent / "CONTRIBUTING.md"

MAX_FILES = 25
UNLIMITED = {"rules"}
"""Folders of one file a code."""

SHARED_NAMES = {"Binary", "Function", "Level", "Unary", "View"}
"""Public classes that share their name with another. This set may only shrink."""

REPEATED_LINES = 8
"""Fewer lines that are the same in two places may be a coincidence."""
KNOWN_REPEATS = 2
"""Runs of that many lines that stand in two places today. This number may only shrink."""


def test_no_folder_has_too_many_modules() -> None:
    sizes = Counter(str(path.parent.relative_to(PACKAGE)) for path in FILES)
    assert {name: size for name, size in sizes.items() if size > MAX_FILES and name not in UNLIMITED} == {}


def test_the_map_has_every_room() -> None:
    """A room by its path, or in the row of the room that it is in."""
    rows = [row for row in MAP.read_text(encoding="utf-8").splitlines() if row.startswith("| `")]
    rooms = {path.parent.relative_to(PACKAGE) for path in FILES} - {Path(".")}
    missing = {
        str(room)
        for room in rooms
        if not any(f"`{room}/" in row or (f"`{room.parent}/" in row and f"`{room.name}/`" in row) for row in rows)
    }
    assert missing == set()


def test_public_classes_have_names_of_their_own() -> None:
    homes = defaultdict(list)
    for path in FILES:
        for node in _tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(PACKAGE)))
    shared = {name: paths for name, paths in homes.items() if len(paths) > 1 and name not in SHARED_NAMES}
    assert shared == {}


def test_no_code_is_repeated() -> None:
    places = defaultdict(set)
    for path in FILES:
        for line, window in _windows(path):
            places[window].add(f"{path.relative_to(PACKAGE)}:{line}")
    repeats = sorted(" = ".join(sorted(found)) for found in places.values() if len(found) > 1)
    assert len(repeats) <= KNOWN_REPEATS, "\n".join(repeats)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _windows(path: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every run of REPEATED_LINES lines of code, without imports, comments, blank lines and indentation."""
    text = path.read_text(encoding="utf-8")
    imports = (node for node in ast.walk(_tree(path)) if isinstance(node, (ast.Import, ast.ImportFrom)))
    imported = {line for node in imports for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    rows = ((number, row.strip()) for number, row in enumerate(text.splitlines(), start=1) if number not in imported)
    code = [(number, row) for number, row in rows if row and not row.startswith("#")]
    for start in range(len(code) - REPEATED_LINES + 1):
        yield code[start][0], tuple(row for _, row in code[start : start + REPEATED_LINES])


def test_the_map_names_every_room() -> None:
    rooms = {
        f"{path.relative_to(PACKAGE).as_posix()}/" for path in PACKAGE.rglob("*") if (path / "__init__.py").exists()
    }
    files = {path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("_")}
    text = (PACKAGE.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert {room for room in rooms if not _is_named(room, text)} == set()
    assert {name for name in files if f"`{name}`" not in text} == set()


def _is_named(room: str, text: str) -> bool:
    """By its path, or by its name in the row of the room around it; a room of one library names its parts by itself."""
    parts = room.rstrip("/").split("/")
    return any(f"{'/'.join(parts[:k])}/" in text for k in range(len(parts), 0, -1))


def test_one_place_knows_how_loop_variables_are_named() -> None:
    """``"#" in name`` elsewhere would depend on the mark of ``roofscan.ir.loop_names``."""
    compared = (
        (path, node.left)
        for path in FILES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn))
    )
    assert [path.name for path, left in compared if isinstance(left, ast.Constant) and left.value in ("#", "@")] == [
        "array_code.py"  # the operator @ in the text of a source
    ]
