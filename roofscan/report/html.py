"""Reports as one HTML file that needs nothing else: for a build's artifacts, or to mail around."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from roofscan.report.cache_view import CacheView, Grid
from roofscan.report.footer import footer
from roofscan.report.view import Row, Sentence, View, view_of
from roofscan.roofline.model import KernelReport

_HEAD = ("interface", "cache", "traffic [B]", "FLOP/B", "ridge", "bound", "by roofline")
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --faint: #66727e; --line: #e4e7eb; --paper: #fff; --mark: #f5f7fa;
  --exact: #1a7f4b; --parametric: #0072b2; --bounded: #9a6700; --unsupported: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaee; --faint: #93a0ad; --line: #2b333c; --paper: #14191f;
  --mark: #1b2129; --exact: #2fc29a; --parametric: #4da6e0; --bounded: #d9ab3a; --unsupported: #f08a7c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 64rem;
  margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 0; border-top: 1px solid var(--line); padding-top: 1.5rem; }
code, td.code { font: 13px/1.4 ui-monospace, monospace; }
.place, .remarks, caption, th { color: var(--faint); font-weight: normal; }
.exact { color: var(--exact); } .parametric { color: var(--parametric); }
.bounded { color: var(--bounded); } .unsupported { color: var(--unsupported); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1.2rem; } dt { color: var(--faint); }
dd { margin: 0; }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .8rem 0; }
th, td { text-align: left; padding: .15rem 1.2rem .15rem 0; border-bottom: 1px solid var(--line); }
.figure { text-align: right; white-space: nowrap; } tr.binds { font-weight: 600; background: var(--mark); }
blockquote { margin: .5rem 0; padding: .2rem .8rem; border-left: 3px solid var(--parametric); }
pre { background: var(--mark); padding: .6rem .8rem; overflow-x: auto; } svg { max-width: 100%; height: auto; }
"""


def render_html(kernels: Sequence[Sequence[KernelReport]], forms: bool = False, chart: str = "") -> str:
    """All kernels as one page. ``forms``: with the lines that advice shows; ``chart``: SVG text for the top."""
    views = [view_of(reports, forms) for reports in kernels]
    several = [f"<nav><ul>{''.join(map(_entry, enumerate(views)))}</ul></nav>"] if len(views) > 1 else []
    picture = [chart[chart.index("<svg") :]] if "<svg" in chart else []
    sections = [_section(number, view) for number, view in enumerate(views)]
    body = "\n".join(["<h1>roofscan</h1>", *several, *picture, *sections, f"<p>{escape(footer(kernels))}</p>"])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>roofscan</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _entry(numbered: tuple[int, View]) -> str:
    number, view = numbered
    return f'<li><a href="#k{number}">{escape(view.name)}</a> <span class="place">{escape(view.place)}</span></li>'


def _section(number: int, view: View) -> str:
    tags = "".join(f" · {escape(tag)}" for tag in view.tags)
    parts = [
        f'<section id="k{number}">\n<h2>{escape(view.name)}</h2>',
        f'<p><code class="place">{escape(view.place)}</code> <span class="{escape(view.status)}">{escape(view.status)}'
        f"</span>{tags}</p>",
    ]
    if view.readings:
        remarks = [("assuming", text) for text in view.readings]
        parts.append(f'<div class="remarks">{_pairs(remarks, code=False)}</div>')
    if view.counts:
        parts.append(_pairs(view.counts))
    if view.rows:
        parts.append(_levels(view.rows))
    parts += [_sentence(s) for s in (*view.verdicts, *view.findings, *view.advice)]
    parts += map(_grid, view.measured)
    parts += [_caches(machine, caches) for machine, caches in view.caches if caches.conditions or caches.grids]
    if view.remarks:
        parts.append(f'<div class="remarks">{_pairs(view.remarks, code=False)}</div>')
    return "\n".join([*parts, "</section>"])


def _pairs(pairs: Iterable[tuple[str, str]], code: bool = True) -> str:
    tag = "code" if code else "span"
    return f"<dl>{''.join(f'<dt>{escape(a)}</dt><dd><{tag}>{escape(b)}</{tag}></dd>' for a, b in pairs)}</dl>"


def _levels(rows: Sequence[Row]) -> str:
    several = any(row.machine for row in rows)
    lines = []
    for row in rows:
        texts = ([row.machine] if several else []) + [row.interface]
        traffic = f"{row.traffic} for {row.holds}" if row.holds else row.traffic
        cells = _cells(texts) + _cells([row.capacity], "figure") + _cells([traffic], "code")
        cells += (
            _cells([row.intensity, row.ridge], "figure") + _cells([row.bound_text]) + _cells([row.attainable], "figure")
        )
        lines.append(f'<tr class="binds">{cells}</tr>' if row.binds else f"<tr>{cells}</tr>")
    return _table((("machine",) if several else ()) + _HEAD, lines)


def _cells(texts: Iterable[str], kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return "".join(f"<td{mark}>{escape(text)}</td>" for text in texts)


def _table(head: Iterable[str], lines: Iterable[str]) -> str:
    top = "".join(f"<th>{escape(text)}</th>" for text in head)
    return f'<div class="wide"><table><tr>{top}</tr>{"".join(lines)}</table></div>'


def _caches(machine: str, caches: CacheView) -> str:
    where = f" on {escape(machine)}" if machine else ""
    items = "".join(f"<li>{escape(text)}</li>" for text in caches.conditions)
    conditions = [f'<p class="place">layers{where}</p>\n<ul>{items}</ul>'] if items else []
    return "\n".join([*conditions, *map(_grid, caches.grids)])


def _grid(grid: Grid) -> str:
    rows = (f"<tr>{_cells(row[: grid.words])}{_cells(row[grid.words :], 'code figure')}</tr>" for row in grid.rows)
    return _table(grid.head, rows)


def _sentence(sentence: Sentence) -> str:
    machine = f"{escape(sentence.machine)}: " if sentence.machine and sentence.machine not in sentence.text else ""
    code = f"<b>{escape(sentence.code)}</b> " if sentence.code else ""
    form = f"\n<pre>{escape(sentence.form)}</pre>" if sentence.form else ""
    return f"<blockquote>{machine}{code}{escape(sentence.text)}</blockquote>{form}"
