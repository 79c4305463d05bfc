"""Where a failure of roofscan is caught: at the boundary of a kernel, of a file, of
flake8, and of code that a user measures."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "roofscan"

CATCH_ALL = [
    ("cli/machine_command.py", "_measure_gpu"),  # numba-cuda, whatever it raises where it does not fit its driver
    ("flake8_plugin.py", "run"),  # a failure must not end flake8
    ("measuring/child.py", "outcome"),  # a kernel that a user runs, whatever it raises
    ("pipeline/driver.py", "_guarded"),  # one kernel
    ("pipeline/failures.py", "guarded"),  # one file
]


def catchers(path: Path) -> Iterator[tuple[str, str]]:
    """The functions of a file that catch Exception, BaseException, or everything."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            handlers = (node for node in ast.walk(function) if isinstance(node, ast.ExceptHandler))
            if any(_catches_all(handler) for handler in handlers):
                yield path.relative_to(PACKAGE).as_posix(), function.name


def _catches_all(handler: ast.ExceptHandler) -> bool:
    caught = ast.walk(handler.type) if handler.type else ()
    names = {node.id for node in caught if isinstance(node, ast.Name)}
    return handler.type is None or bool(names & {"Exception", "BaseException"})


def test_only_boundaries_catch_every_exception() -> None:
    assert [found for path in sorted(PACKAGE.rglob("*.py")) for found in catchers(path)] == CATCH_ALL


def test_one_exception_ends_every_budget() -> None:
    """A stage that counts its own work raises BudgetExceeded with a Budget of its own."""
    classes = (
        (path.name, node.name)
        for path in sorted((PACKAGE / "cost").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id.endswith(("Exception", "Error")) for base in node.bases)
    )
    assert list(classes) == []
