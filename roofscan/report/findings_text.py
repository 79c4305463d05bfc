"""Findings for a terminal: each with its line of the source and its range underlined; counts at the end."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.text import Text

from roofscan.finding import Finding
from roofscan.frozen import dataclass
from roofscan.report.terminal import printed
from roofscan.units import counted

TAB = "    "
_AT_LEAST = re.compile(r"(?<=\w) >= (?=\d)")
"""In messages, which are the same for all programs that read them; tables have the sign."""
_STYLES = {"warning": "bold yellow", "note": "bold cyan"}


@dataclass(frozen=True)
class CheckTotals:
    kernels: int
    files: int
    plain: int = 0  # functions that look like kernels, and were not looked at


def render_findings_text(
    findings: Sequence[Finding], sources: Mapping[str, Sequence[str]], totals: CheckTotals, width: int, colour: bool
) -> str:
    """``sources``: the lines of each file, as far as they are known."""
    parts: list[RenderableType] = []
    for finding in findings:
        parts += [*_head(finding, width), *_excerpt(finding, sources.get(finding.path, ()), width), Text()]
    return printed([*parts, Text(counts_text(findings, totals), "dim" if not findings else "bold")], width, colour)


def counts_text(findings: Sequence[Finding], totals: CheckTotals) -> str:
    """``12 kernels in 3 files, 2 findings; 4 plain functions look like kernels: --kernels all``."""
    said = f"{_count(totals.kernels, 'kernel')} in {_count(totals.files, 'file')}, {_count(len(findings), 'finding')}"
    warnings = sum(finding.severity == "warning" for finding in findings)
    if findings and warnings < len(findings):
        said += f" ({_count(warnings, 'warning')}, {_count(len(findings) - warnings, 'note')})"
    return said + left_out(totals.plain)


def left_out(functions: int) -> str:
    """What is added where functions that look like kernels were not looked at."""
    verb = "looks like a kernel" if functions == 1 else "look like kernels"
    return f"; {_count(functions, 'plain function')} {verb}: --kernels all" if functions else ""


def _count(number: int, what: str) -> str:
    return counted(number, what) if number else f"no {what}s"


def _head(finding: Finding, width: int) -> list[Text]:
    place = f"{finding.path}:{finding.line}:{finding.column + 1}"
    message = _AT_LEAST.sub(" ≥ ", finding.message)
    lines = textwrap.wrap(f"{finding.code} {message}", width, break_on_hyphens=False)
    first = Text(lines[0])
    first.stylize(_STYLES[finding.severity], 0, len(finding.code))
    return [Text(place, "cyan"), first, *map(Text, lines[1:])]


def _excerpt(finding: Finding, source: Sequence[str], width: int) -> list[Text]:
    """The line, and ``^^^^`` below what it is about, up to the end of that line."""
    if not 0 < finding.line <= len(source):
        return []
    line = source[finding.line - 1].rstrip()
    end_line, end_column = finding.end
    end = end_column if end_line == finding.line else len(line)
    before, marked = (line[a:b].replace("\t", TAB) for a, b in ((0, finding.column), (finding.column, max(end, 1))))
    margin = f"{finding.line:>5} │ "
    shown = line.replace("\t", TAB)[: width - len(margin)]
    under = (" " * len(before) + "^" * max(len(marked), 1))[: width - len(margin)]
    bar = Text.assemble((f"{'│ ':>{len(margin)}}", "dim"), (under, _STYLES[finding.severity]))
    return [Text.assemble((margin, "dim"), shown), bar]
