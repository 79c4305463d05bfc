"""``# noqa`` comments, read the way flake8 reads them, for the command."""

from __future__ import annotations

import re
from collections.abc import Iterable

from roofscan.finding import Finding

_LINE = re.compile(r"#\s*noqa(?::\s?(?P<codes>[A-Z]+[0-9]*(?:[,\s]+[A-Z]+[0-9]+)*))?", re.IGNORECASE)
_FILE = re.compile(r"^\s*#\s*flake8[:=]\s*noqa(?P<codes>:\s?[A-Z0-9, ]+)?\s*$", re.IGNORECASE | re.MULTILINE)


def unsilenced(findings: Iterable[Finding], text: str) -> list[Finding]:
    lines = text.splitlines()
    of_file = [_codes(match["codes"]) for match in _FILE.finditer(text)]
    return [f for f in findings if not any(_covers(codes, f.code) for codes in [*of_file, *_on_line(lines, f.line)])]


def _on_line(lines: list[str], line: int) -> list[tuple[str, ...]]:
    match = _LINE.search(lines[line - 1]) if 0 < line <= len(lines) else None
    return [_codes(match["codes"])] if match else []


def _codes(text: str | None) -> tuple[str, ...]:
    """The codes named; the empty one, which begins every code, where none is."""
    return tuple(re.findall(r"[A-Z]+[0-9]*", (text or "").upper())) or ("",)


def _covers(codes: tuple[str, ...], code: str) -> bool:
    return code.startswith(codes)
