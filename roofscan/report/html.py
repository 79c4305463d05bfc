"""What is said of one kernel, as a section of an HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from urllib.parse import quote

from roofscan.report.kernel_view.caches import CacheView, Grid
from roofscan.report.kernel_view.level_rows import Row
from roofscan.report.kernel_view.sentences import Sentence
from roofscan.report.kernel_view.view import View
from roofscan.report.page.changes import Changes, change_block

MOST_REMARKS = 16  # of one label
_HEAD = ("interface", "cache", "traffic [B]", "FLOP/B", "ridge", "bound", "by roofline")


def kernel_section(anchor: str, view: View, path: str, changes: Changes) -> str:
    """What is said of a kernel, with the changes that its findings ask for; the script fills the figure."""
    tags = "".join(f" · {escape(tag)}" for tag in view.tags)
    link = f'<a href="#{quote(anchor, safe=":/")}">{escape(view.name)}</a>'
    parts = [
        f'<section id="{escape(anchor)}" class="kernel">\n<h2>{link}</h2>',
        f'<p><code class="place">{escape(view.place)}</code> <span class="{escape(view.status)}">{escape(view.status)}'
        f"</span>{tags}</p>",
    ]
    if view.readings:
        parts.append(_remarks([("assuming", text) for text in view.readings]))
    if view.counts:
        parts.append(_pairs(view.counts))
    if view.rows:
        parts.append(_levels(view.rows))
    for sentence in (*view.verdicts, *view.findings, *view.advice):
        change = changes.get((sentence.code, sentence.line, path))
        parts.append(_sentence(sentence) + (change_block(change) if change else ""))
    parts.append('<div class="figures"></div>')
    parts += [_grid(grid) for grid in view.tables if not grid.is_detail]
    details = [_grid(grid) for grid in view.tables if grid.is_detail]
    details += [_caches(machine, caches) for machine, caches in view.caches if caches.conditions or caches.grids]
    if details:
        parts.append(_folded("times over the sizes, layer conditions, traffic by array", details))
    if view.all_remarks:
        parts.append(_remarks(view.all_remarks))
    return "\n".join([*parts, "</section>"])


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{escape(a)}</dt><dd><code>{escape(b)}</code></dd>' for a, b in pairs)}</dl>"


def _remarks(remarks: Iterable[tuple[str, str]]) -> str:
    """Each label once."""
    parts = []
    for label, group in groupby(remarks, key=lambda remark: remark[0]):
        texts = [text for _, text in group]
        if texts[MOST_REMARKS:]:
            texts[MOST_REMARKS:] = [f"{len(texts) - MOST_REMARKS} more (--full has them all)"]
        parts.append(f"<dt>{escape(label)}</dt>{''.join(f'<dd>{escape(text)}</dd>' for text in texts)}")
    return f'<dl class="remarks">{"".join(parts)}</dl>'


def _levels(rows: Sequence[Row]) -> str:
    several = any(row.machine for row in rows)
    lines = []
    for row in rows:
        texts = ([row.machine] if several else []) + [row.interface]
        traffic = f"{row.traffic} for {row.holds}" if row.holds else row.traffic
        cells = _cells([*texts, row.capacity, traffic, row.intensity, row.ridge, row.bound_text, row.attainable])
        lines.append(f'<tr class="binds" aria-current="true">{cells}</tr>' if row.binds else f"<tr>{cells}</tr>")
    caption = "Traffic by level; the row in bold limits" if any(row.binds for row in rows) else "Traffic by level"
    return _table((("machine",) if several else ()) + _HEAD, lines, ' class="levels"', caption)


def _folded(title: str, parts: Iterable[str]) -> str:
    """Shown on a click, and printed only where it is open."""
    return "\n".join((f'<details class="more"><summary>{escape(title)}</summary>', *parts, "</details>"))


def _cells(texts: Iterable[str], kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return "".join(f"<td{mark}>{escape(text)}</td>" for text in texts)


def _table(head: Iterable[str], lines: Iterable[str], kind: str = "", caption: str = "") -> str:
    top = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    named = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="wide"><table{kind}>{named}<thead><tr>{top}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _caches(machine: str, caches: CacheView) -> str:
    where = f" on {escape(machine)}" if machine else ""
    items = "".join(f"<li>{escape(text)}</li>" for text in caches.conditions)
    conditions = [f'<p class="place">layer conditions{where}</p>\n<ul>{items}</ul>'] if items else []
    return "\n".join([*conditions, *map(_grid, caches.grids)])


def _grid(grid: Grid) -> str:
    rows = (f"<tr>{_cells(row[: grid.words])}{_cells(row[grid.words :], 'code figure')}</tr>" for row in grid.rows)
    return _table(grid.head, rows, f' aria-label="{escape(grid.head[0])}"')


def _sentence(sentence: Sentence) -> str:
    machine = f"{escape(sentence.machine)}: " if sentence.machine else ""
    code = f"<b>{escape(sentence.code)}</b> " if sentence.code else ""
    form = f"\n<pre>{escape(sentence.form)}</pre>" if sentence.form else ""
    return f"<blockquote>{machine}{code}{escape(sentence.text)}</blockquote>{form}"
