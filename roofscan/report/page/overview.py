"""The table of all kernels, which the script sorts and filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import quote

from roofscan import units
from roofscan.report.overview.summary import KernelSummary
from roofscan.report.time_text import RESOURCES

HEAD = ("kernel", "file", "limited by", "FLOP/B", "ridge", "time", "gain", "remedy", "status")
FIGURES = ("FLOP/B", "ridge", "time", "gain")


def overview_table(summaries: Sequence[KernelSummary], anchors: Sequence[str], remedies: Mapping[str, str]) -> str:
    """``remedies``: what to do, in a word or two, by code."""
    head = "".join(f'<th scope="col"{_kind(name)}><button type="button">{name}</button></th>' for name in HEAD)
    rows = "\n".join(_row(s, anchor, remedies) for s, anchor in zip(summaries, anchors, strict=True))
    caption = "Times are of a call at the sizes of the verdict; the gain is the best that a finding promises."
    return (
        f'<div class="wide"><table id="overview"><caption>{caption}</caption><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _kind(name: str) -> str:
    return ' class="figure"' if name in FIGURES else ""


def _row(summary: KernelSummary, anchor: str, remedies: Mapping[str, str]) -> str:
    link = f'<a href="#{quote(anchor, safe=":/")}">{escape(summary.name)}</a>'
    cells = [
        f'<th scope="row">{link}</th>',
        _text(f"{summary.path}:{summary.line}", "place"),
        _text(RESOURCES.get(summary.limit, summary.limit) or summary.bound or "–"),
        _figure(summary.intensity, summary.sureness + units.digits(summary.intensity or 0)),
        _figure(summary.ridge, units.digits(summary.ridge or 0)),
        _figure(summary.seconds, units.duration(summary.seconds or 1)),
        _figure(summary.gain, f"{units.digits(summary.gain or 0)}×"),
        _text(f"{summary.code} {remedies.get(summary.code, '')}" if summary.code else ""),
        _text(summary.status, summary.status),
    ]
    return f'<tr data-bound="{escape(summary.bound or summary.status)}">{"".join(cells)}</tr>'


def _text(text: str, kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return f"<td{mark}>{escape(text)}</td>"


def _figure(number: float | None, shown: str) -> str:
    if number is None:
        return '<td class="figure">–</td>'
    return f'<td class="figure" data-value="{number!r}">{escape(shown)}</td>'
