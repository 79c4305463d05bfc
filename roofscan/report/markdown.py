"""Reports as Markdown: for a pull request, a wiki, a README."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofscan.report.footer import footer
from roofscan.report.kernel_view.caches import CacheView, Grid
from roofscan.report.kernel_view.level_rows import Row
from roofscan.report.kernel_view.sentences import Sentence
from roofscan.report.kernel_view.view import View, view_of
from roofscan.roofline.model import KernelReport

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")


def render_markdown(kernels: Sequence[Sequence[KernelReport]], forms: bool = False) -> str:
    """One section a kernel, and the machines at the end. ``forms``: with the lines that advice shows."""
    sections = [_section(view_of(reports, forms)) for reports in kernels]
    return "\n\n".join([*sections, f"*{plain(footer(kernels))}*"]) + "\n"


def _section(view: View) -> str:
    tags = " · ".join([f"**{view.status}**", *view.tags])
    parts = [f"### {code(view.name)}", f"{code(view.place)} · {tags}"]
    if view.readings:
        parts.append("\n".join(f"- assuming {plain(text)}" for text in view.readings))
    if view.counts:
        parts.append("\n".join(f"- {label}: {code(value)}" for label, value in view.counts))
    if view.rows:
        parts.append(_table(view.rows))
    for sentence in (*view.verdicts, *view.findings, *view.advice):
        parts.append(f"> {_sentence(sentence)}")
        if sentence.form:
            parts.append(f"```python\n{sentence.form}\n```")
    parts += map(_grid, view.tables)
    for machine, caches in view.caches:
        parts += _caches(machine, caches)
    if view.all_remarks:
        parts.append("\n".join(f"- {label} {plain(text)}" for label, text in view.all_remarks))
    return "\n\n".join(parts)


def _caches(machine: str, caches: CacheView) -> list[str]:
    where = f" ({plain(machine)})" if machine else ""
    conditions = [f"- layers{where}: {plain(text)}" for text in caches.conditions]
    return ["\n".join(conditions)] * bool(conditions) + [_grid(grid) for grid in caches.grids]


def _grid(grid: Grid) -> str:
    head = list(grid.head)
    rule = [":--" if position < grid.words else "--:" for position in range(len(head))]
    rows = [
        [*map(plain, row[: grid.words]), *(figure and code(figure) for figure in row[grid.words :])]
        for row in grid.rows
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *rows])


def _table(rows: Sequence[Row]) -> str:
    several = any(row.machine for row in rows)
    head = ["interface", "cache", "traffic [B]", "FLOP/B", "ridge", "bound", "by roofline"]
    rule = [":--", "--:", ":--", "--:", "--:", ":--", "--:"]
    lines = [head, rule]
    for row in rows:
        traffic = code(row.traffic) + (f" for {plain(row.holds)}" if row.holds else "")
        figures = [row.capacity, traffic, plain(row.intensity), row.ridge, plain(row.bound_text)]
        lines.append([plain(row.interface), *figures, row.attainable])
    if several:
        names = ["machine", ":--", *(plain(row.machine) for row in rows)]
        lines = [[name, *line] for name, line in zip(names, lines, strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _sentence(sentence: Sentence) -> str:
    machine = f"{plain(sentence.machine)}: " if sentence.machine else ""
    named = f"**{sentence.code}** " if sentence.code else ""
    return f"{machine}{named}{plain(sentence.text)}"


def code(text: str) -> str:
    text = " ".join(text.split()).replace("|", "\\|")
    fence = "``" if "`" in text else "`"
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"


def plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
