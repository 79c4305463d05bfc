"""Source text -> ``syntax`` nodes by LibCST, for one run of lines or one expression at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from roofscan.parse.definitions import MAX_DEPTH
from roofscan.parse.reader.source import SourceError, UnparsableText, nesting
from roofscan.parse.syntax import Expression, ExpressionStatement, If, Statement

TEXT = "<text>"  # in the place of a file


def convert_lines(lines: Sequence[str], first: int, last: int, path: str) -> tuple[Statement, ...]:
    """The statements on the file's lines ``first`` to ``last`` (1-based), which hold complete ones of one indentation.
    Raises SourceError where they cannot be parsed."""
    part = list(lines[first - 1 : last])
    with _refusals(path, first):
        return _converted(part, first)


def convert_expression(text: str) -> Expression:
    """The expression in ``text`` (a signature, an annotation in quotes); SourceError if there is none. Its places count
    columns from the start of the text without the blanks around it."""
    if nesting(text) > MAX_DEPTH:
        raise SourceError(TEXT, 1, "code nested too deeply")
    with _refusals(TEXT, 1):
        nodes = _converted(text.strip().split("\n"), 1)
    if len(nodes) != 1 or not isinstance(nodes[0], ExpressionStatement):
        raise SourceError(TEXT, 1, "text that is not an expression")
    return nodes[0].value


def _converted(lines: list[str], first: int) -> tuple[Statement, ...]:
    """The statements on some lines, the first of which is line ``first`` of the file."""
    from roofscan.parse.reader.converters.statements import convert_text

    if lines and lines[0].lstrip("\f")[:1] in (" ", "\t"):
        [block] = convert_text("\n".join(["if 1:", *lines, ""]), first - 1)
        assert isinstance(block, If)
        return block.body
    return convert_text("\n".join([*lines, ""]), first)


@contextmanager
def _refusals(path: str, line: int) -> Iterator[None]:
    """Raises SourceError for a text that LibCST cannot parse."""
    try:
        yield
    except RecursionError:
        raise SourceError(path, line, "code nested too deeply") from None
    except UnparsableText as error:
        raise SourceError(path, line, f"code that LibCST cannot parse ({error})") from None
