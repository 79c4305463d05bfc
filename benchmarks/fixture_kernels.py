"""The kernels of ``fixtures/``, each as a module of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "fixtures"


def kernel_texts() -> dict[str, str]:
    """By ``file::kernel``: a file without the functions that this kernel does not need."""
    return {
        f"{path.stem}::{function.name}": _alone(text, tree, function)
        for path in sorted(FIXTURES.glob("*.py"))
        for text in [path.read_text(encoding="utf-8")]
        for tree in [ast.parse(text)]
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
    }


def _alone(text: str, tree: ast.Module, kernel: ast.FunctionDef) -> str:
    needed = _needed(tree, kernel)
    lines = text.splitlines(keepends=True)
    parts, above = [], 0
    for statement in tree.body:
        end = statement.end_lineno or 0
        if not isinstance(statement, ast.FunctionDef) or statement.name in needed:
            parts += lines[above:end]
        above = end
    return "".join(parts)


def _needed(tree: ast.Module, kernel: ast.FunctionDef) -> set[str]:
    """The kernel and the functions of its file that it names, directly or through another."""
    functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
    needed, waiting = set(), [kernel.name]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [used for used in _names(functions[name]) if used in functions]
    return needed


def _names(node: ast.AST) -> Iterator[str]:
    return (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
