"""Reads the fixtures: kernels, and the figures that stand as comments below each of them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "fixtures"
_EXPECT = re.compile(r"# expect (?P<what>[^=]+?) = (?P<figure>.+)")
_ORACLE = re.compile(r"# oracle (?P<words>.+)")


@dataclass(frozen=True)
class Fixture:
    """One kernel: its file, its source text (the whole file), what is expected, and where the oracle runs."""

    path: Path
    name: str
    source: str
    parameters: tuple[str, ...]
    expected: dict[str, str] = field(default_factory=dict)
    oracle: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        return f"{self.path.stem}::{self.name}"


def read_fixtures(path: Path) -> list[Fixture]:
    """The kernels of one file that have expectations. ValueError for a comment that cannot be read."""
    source = path.read_text(encoding="utf-8")
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    fixtures = [Fixture(path, f.name, source, tuple(arg.arg for arg in f.args.args)) for f in functions]
    ends = [f.end_lineno or 0 for f in functions]
    for number, line in enumerate(source.splitlines(), start=1):
        if line.startswith(("# expect", "# oracle")):
            _attach(fixtures[sum(end < number for end in ends) - 1], line, number)
    return [f for f in fixtures if f.expected or f.oracle]


def _attach(fixture: Fixture, line: str, number: int) -> None:
    if match := _ORACLE.fullmatch(line):
        fixture.oracle.append(match["words"])
    elif match := _EXPECT.fullmatch(line):
        if match["what"] in fixture.expected:
            raise ValueError(f"{fixture.path}:{number}: {match['what']} is expected twice")
        fixture.expected[match["what"]] = match["figure"]
    else:
        raise ValueError(f"{fixture.path}:{number}: cannot read {line!r}")


def all_fixtures() -> list[Fixture]:
    return [fixture for path in sorted(FOLDER.glob("*.py")) for fixture in read_fixtures(path)]
