"""Where the nodes of a small tree of Python's own parser stand in the file."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from roofscan.parse.syntax import Place


class Positions:
    """Maps nodes to places. ``lines`` are those that the tree was parsed from, ``above`` the file's lines before them.

    The parser counts columns in the bytes of UTF-8, a place counts characters.
    """

    def __init__(self, lines: Sequence[str], above: int) -> None:
        self._above = above
        self._wide = {n: line.encode() for n, line in enumerate(lines, 1) if not line.isascii()}

    def __call__(self, node: ast.expr | ast.stmt | ast.arg) -> Place:
        line, end_line = node.lineno, node.end_lineno or node.lineno
        column, end_column = node.col_offset, node.end_col_offset or 0
        if self._wide:
            column, end_column = self._characters(line, column), self._characters(end_line, end_column)
        return Place(line + self._above, column, end_line + self._above, end_column)

    def _characters(self, line: int, column: int) -> int:
        raw = self._wide.get(line)
        return column if raw is None else len(raw[:column].decode(errors="replace"))
