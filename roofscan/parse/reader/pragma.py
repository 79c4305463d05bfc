"""Pragmas: the ``# roofscan:`` comments of a file, the function that each belongs to, and its facts."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import field, replace

from roofscan.frozen import dataclass
from roofscan.ir.facts import Facts, Grant
from roofscan.parse.definitions import Definition
from roofscan.parse.reader.facts import FactError, parse_facts
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.size_expressions import ExpressionReader, Unreadable
from roofscan.parse.reader.source import LIKE_A_MARK, MARK
from roofscan.suggestions import is_like

NAME = MARK.removesuffix(":")

_PRAGMA = re.compile(r"#\s*roofscan:([^#]*)")

Problem = tuple[int, int, str]  # (line, column, message) of a pragma that cannot be read


@dataclass
class Pragmas:
    """All pragmas of a file by line. ``taken`` are those that belong to a function."""

    found: dict[int, tuple[int, str]]  # line -> (column, words)
    lines: list[str]
    problems: list[Problem] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)

    def of(self, definition: Definition) -> Facts | None:
        """The facts of the pragmas on or above a def; None where there are none."""
        lines = [line for line in self._lines_of(definition) if line in self.found]
        facts = Facts() if lines else None
        for line in lines:
            facts = (facts or Facts()).merged(self._read(line))
        return facts

    def _lines_of(self, definition: Definition) -> list[int]:
        """The comment lines right above, the decorators' lines, and the ends of the header's lines."""
        above = definition.first_line
        while above > 1 and self._is_comment(above - 1):
            above -= 1
        header = range(definition.line, definition.header_end + 1)
        return [*range(above, definition.line), *(line for line in header if not self._is_comment(line))]

    def _is_comment(self, line: int) -> bool:
        return self.lines[line - 1].lstrip().startswith("#")

    def _read(self, line: int) -> Facts:
        column, words = self.found[line]
        if line in self.taken:
            return Facts()
        self.taken.add(line)
        try:
            return parse_pragma(words)
        except FactError as error:
            self.problems.append((line, column, str(error)))
            return Facts()

    def leftovers(self) -> list[Problem]:
        """The unreadable pragmas and those that belong to no function."""
        message = "this pragma belongs to no function; write it on the line of a def or right above it"
        stray = [(n, col, message) for n, (col, _) in self.found.items() if n not in self.taken]
        return sorted(self.problems + stray)


def find_pragmas(module: Module) -> Pragmas:
    text = module.text
    may_be_misspelt = any(is_like(word, NAME) for word in LIKE_A_MARK.findall(text))
    comments = tuple(_comments(text)) if MARK in text or may_be_misspelt else ()
    found = {
        line: (column + match.start(), match.group(1).strip())
        for line, column, word in comments
        if (match := _pragma(word))
    }
    return Pragmas(found, module.lines, [problem for comment in comments for problem in _misspelt(*comment)])


def _misspelt(line: int, column: int, comment: str) -> Iterator[Problem]:
    match = LIKE_A_MARK.match(comment)
    if match and is_like(match[1], NAME):
        yield line, column, f"{match[1]}: is not a pragma; did you mean # {MARK}?"


def pragma_problems(module: Module) -> list[Problem]:
    """The pragmas of a module that cannot be read, or that belong to no function."""
    pragmas = find_pragmas(module)
    for paths in module.function_paths.values():
        for path in paths:
            pragmas.of(path[-1])
    return pragmas.leftovers()


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Lines, columns and texts. Of a grammar newer than this Python, those before it."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield *token.start, token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _pragma(comment: str) -> re.Match[str] | None:
    """The pragma in a comment: at its start, or after another tool's mark (``# noqa  # roofscan: n=4``)."""
    match = _PRAGMA.search(comment)
    if match is None or (match.start() and not re.match(r"#\s*(noqa|type:|pragma:|fmt:|pylint:)", comment)):
        return None
    return match


# -- what a pragma says beside facts ----------------------------------------------------------------
MAX_LENGTH = 200  # characters of all budgets

_ACCEPT = re.compile(r"(?:^|\s)accept(?=\s|$)")
_EXPECT = re.compile(r"(?:^|\s)expect(?=\s|$)")
_TOKEN = re.compile(r"\s*(<=|\*\*|[-+*/()]|[0-9]+(?:\.[0-9]*)?(?:e[0-9]+)?|[^\W\d]\w*|\S)")


def parse_pragma(text: str) -> Facts:
    """Raises FactError."""
    rest, *expected = _EXPECT.split(text, maxsplit=1)
    plain = _ACCEPT.sub(" ", rest)
    budgets = _budgets(expected[0].strip()) if expected else ()
    return replace(parse_facts(plain), accepted=plain != rest, budgets=budgets)


def _budgets(text: str) -> tuple[Grant, ...]:
    tokens = _TOKEN.findall(text)
    reader, found = ExpressionReader(tokens), list[Grant]()
    if len(text) > MAX_LENGTH:
        raise _unreadable(text, f"it is longer than {MAX_LENGTH} characters")
    try:
        while reader.next() or not found:
            name = reader.take()
            if not name.isidentifier() or reader.take() != "<=":
                raise Unreadable
            found.append(Grant(name.lower(), reader.sum()))
    except Unreadable as error:
        dotted = "a size has the name that the report prints" if {".", "["}.intersection(tokens) else ""
        raise _unreadable(text, str(error) or dotted) from None
    return tuple(found)


def _unreadable(text: str, why: str) -> FactError:
    shown = ascii(text) if not text.isprintable() else f"'{text}'"
    shown = shown if len(shown) <= 50 else f"{shown[:46]}…'"
    return FactError(f"expect {shown}: {why or 'it is not a budget'}; write expect dram<=16*n flops<=7*n")
