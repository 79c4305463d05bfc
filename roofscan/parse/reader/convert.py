"""Source text -> ``syntax`` nodes, for one run of lines or one expression at a time.

By Python's own parser where it knows the grammar, else by LibCST, which is imported for nothing else: to write a tree
out again is not needed here, and its trees take twenty times as long to make.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from roofscan.parse.reader.convert_statements import StatementConverter
from roofscan.parse.reader.nesting import nesting
from roofscan.parse.reader.outline import MAX_DEPTH
from roofscan.parse.reader.positions import Positions
from roofscan.parse.reader.source import SourceError, one_line
from roofscan.parse.syntax import Expression, ExpressionStatement, If, Statement


def convert_lines(lines: Sequence[str], first: int, last: int, path: str) -> tuple[Statement, ...]:
    """The statements on the file's lines ``first`` to ``last`` (1-based): whole ones of one indentation.

    Raises SourceError where they do not parse, or are nested too deeply.
    """
    part = list(lines[first - 1 : last])
    with _refusals(path, first):
        return _converted(part, first)


def convert_expression(text: str, path: str = "<text>", line: int = 1) -> Expression:
    """The expression that ``text`` holds (a signature, an annotation written as text); SourceError if none.

    Its places count columns from the start of the text without the blanks around it.
    """
    if nesting(text) > MAX_DEPTH:
        raise SourceError(path, line, "code nested too deeply")
    with _refusals(path, line):
        [node] = _converted(text.strip().split("\n"), line) or (None,)
        if not isinstance(node, ExpressionStatement):
            raise SourceError(path, line, "text that is no expression")
        return node.value


def _converted(lines: list[str], first: int) -> tuple[Statement, ...]:
    """The statements on some lines, of which ``first`` is the file's number of the first one."""
    if lines and lines[0].lstrip("\f")[:1] in (" ", "\t"):
        return _in_a_block(_converted(["if 1:", *lines], first - 1))
    text = "\n".join(lines) + "\n"
    try:
        tree = _tree(text)
    except SyntaxError:
        from roofscan.parse.reader.cst_convert import convert_newer

        return convert_newer(text, first)
    return StatementConverter(Positions(lines, first - 1)).block(tree.body)


def _tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes are not our business
        return ast.parse(text)


def _in_a_block(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    [block] = statements
    assert isinstance(block, If)
    return block.body


@contextmanager
def _refusals(path: str, line: int) -> Iterator[None]:
    """Whatever the parsers raise on source that they do not take, as SourceError."""
    try:
        yield
    except (SourceError, KeyboardInterrupt, SystemExit):
        raise
    except RecursionError:
        raise SourceError(path, line, "code nested too deeply") from None
    except Exception as error:
        raise SourceError(path, line, f"code that cannot be parsed: {one_line(error)}") from None
