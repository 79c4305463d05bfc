"""LibCST -> ``syntax`` nodes, for one run of lines or one expression at a time.

LibCST is imported here and in the modules below it, on the first conversion: files without
kernels never pay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from roofscan.parse.nesting import nesting
from roofscan.parse.outline import MAX_DEPTH
from roofscan.parse.source import SourceError, one_line
from roofscan.parse.syntax import Expression, ExpressionStatement, Statement

if TYPE_CHECKING:
    import libcst as cst


def convert_lines(lines: Sequence[str], first: int, last: int, path: str) -> tuple[Statement, ...]:
    """The statements on the file's lines ``first`` to ``last`` (1-based): whole ones of one indentation.

    Raises SourceError where they do not parse, or are nested too deeply.
    """
    from roofscan.parse.convert_statements import StatementConverter
    from roofscan.parse.places import Places

    text = "\n".join(lines[first - 1 : last]) + "\n"
    indented = text.lstrip("\f")[:1] in (" ", "\t")
    with _refusals(path, first):
        text = "if 1:\n" + text if indented else text
        module = _parse(text)
        converter = StatementConverter(Places(module, text, first - indented))
        if not indented:
            return converter.block(module.body)
        return converter.suite(_body_of_first(module))


def convert_expression(text: str, path: str = "<text>", line: int = 1) -> Expression:
    """The expression that ``text`` holds (a signature, an annotation written as text); SourceError if none.

    Its places count columns from the start of the text without the blanks around it.
    """
    from roofscan.parse.convert_statements import StatementConverter
    from roofscan.parse.places import Places

    if nesting(text) > MAX_DEPTH:
        raise SourceError(path, line, "code nested too deeply")
    with _refusals(path, line):
        text = text.strip() + "\n"
        module = _parse(text)
        [node] = StatementConverter(Places(module, text, line)).block(module.body) or (None,)
        if not isinstance(node, ExpressionStatement):
            raise SourceError(path, line, "text that is no expression")
        return node.value


def _parse(text: str) -> cst.Module:
    import libcst as cst

    return cst.parse_module(text)


def _body_of_first(module: cst.Module) -> cst.BaseSuite:
    import libcst as cst

    statement = module.body[0]
    assert isinstance(statement, cst.If)
    return statement.body


@contextmanager
def _refusals(path: str, line: int) -> Iterator[None]:
    """Whatever LibCST raises on source it does not take, as SourceError."""
    try:
        yield
    except (SourceError, KeyboardInterrupt, SystemExit):
        raise
    except RecursionError:
        raise SourceError(path, line, "code nested too deeply") from None
    except Exception as error:
        raise SourceError(path, line, f"code that cannot be parsed: {one_line(error)}") from None
