"""Reads kernels and what is expected of them from comments below each kernel (``fixtures/README.md``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.oracle.run import record_types
from tests.oracle.words import Words, read_words

FIXTURES = Path(__file__).parents[1] / "fixtures"
_EXPECT = re.compile(r"# expect (?P<what>[^=]+?) = (?P<figure>.+)")
_ORACLE = re.compile(r"# oracle (?P<words>.+)")
_KNOWN = re.compile(r"# known (?P<kind>[^:]+): (?P<mechanism>.+)")
_FINDINGS = re.compile(r"# expect (?P<codes>RFL\d{3}(?: RFL\d{3})*)$")
_BLOCK = re.compile(r"(?P<code>.*?)(?P<comments>(?:^# (?:expect|known|oracle) [^\n]*\n)+)", re.DOTALL | re.MULTILINE)
_ISOLATED = re.compile(r"^# isolated: .*$", re.MULTILINE)


@dataclass(frozen=True)
class Fixture:
    """One kernel: the source that it is analysed in, what is expected of it, and the arguments of its runs.

    ``known``: the kinds of figures that roofscan gets wrong today, each with the mechanism.
    """

    path: Path
    name: str
    source: str
    parameters: tuple[str, ...]
    expected: dict[str, str] = field(default_factory=dict)
    oracle: tuple[str, ...] = ()
    known: dict[str, str] = field(default_factory=dict)

    def words(self, line: str) -> Words:
        """An oracle line, read."""
        return read_words(line, self.parameters, record_types(self.source))

    @property
    def id(self) -> str:
        return f"{self.path.stem}::{self.name}"


def fixtures_of(folder: Path = FIXTURES) -> list[Fixture]:
    """The kernels with comments of every file of a folder."""
    return [fixture for path in sorted(folder.glob("*.py")) for fixture in read_fixtures(path)]


def read_fixtures(path: Path) -> list[Fixture]:
    """The kernels of one file that have comments. ValueError for a comment that cannot be read."""
    text = path.read_text(encoding="utf-8")
    mark = _ISOLATED.search(text)
    return list(_blocks(path, text, mark.end() if mark else 0))


def expected_findings(path: Path) -> list[tuple[int, str]]:
    """The codes at the ends of lines (``# expect RFL301``), each with its line."""
    rows = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    return [(line, code) for line, row in rows if (m := _FINDINGS.search(row)) for code in m["codes"].split()]


def _blocks(path: Path, text: str, head: int) -> Iterator[Fixture]:
    """One kernel for each run of comments: the last function that the code above them introduces."""
    for block in _BLOCK.finditer(text, head):
        functions = {f.name: f for f in ast.parse(block["code"]).body if isinstance(f, ast.FunctionDef)}
        if not functions:
            raise ValueError(f"{path}:{_line(text, block.start('comments'))}: no function stands above")
        kernel = list(functions.values())[-1]
        source = _isolated(text, head, block) if head else text
        comments = block["comments"].splitlines()
        comments_read = _read(path, _line(text, block.start("comments")), comments)
        yield Fixture(path, kernel.name, source, _parameters(kernel), *comments_read)


def _isolated(text: str, head: int, block: re.Match[str]) -> str:
    """The head of the file and one block, on the lines where they stand in the file."""
    return text[:head] + "\n" * text.count("\n", head, block.start()) + block["code"]


def _read(
    path: Path, line: int, comments: list[str]
) -> tuple[dict[str, str], tuple[str, ...], dict[str, str]]:  # fmt: skip
    """The fields ``expected``, ``oracle`` and ``known``."""
    expected, known = dict[str, str](), dict[str, str]()
    oracle = []
    for number, comment in enumerate(comments, start=line):
        if match := _ORACLE.fullmatch(comment):
            oracle.append(match["words"])
        elif (match := _KNOWN.fullmatch(comment)) and match["kind"] not in known:
            known[match["kind"]] = match["mechanism"]
        elif (match := _EXPECT.fullmatch(comment)) and match["what"] not in expected:
            expected[match["what"]] = match["figure"]
        else:
            problem = "is expected twice" if match else "cannot be read"
            raise ValueError(f"{path}:{number}: {comment!r} {problem}")
    return expected, tuple(oracle), known


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _parameters(function: ast.FunctionDef) -> tuple[str, ...]:
    args = function.args
    return tuple(arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs))
