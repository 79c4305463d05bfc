"""Reports as small pieces of HTML for a notebook's cells: what limits a kernel, its levels, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from roofscan import units
from roofscan.report.kernel_view.view import View, view_of
from roofscan.report.overview.summary import KernelSummary
from roofscan.roofline.model import KernelReport

MOST_SENTENCES = 4


def render_cell(report: KernelReport) -> str:
    view = view_of((report,))
    rows = ([r.level, r.traffic, r.intensity, r.ridge, r.bound] for r in view.rows)
    said = [*view.verdicts, *view.findings, *view.advice][:MOST_SENTENCES]
    where = "; ".join(str(meaning) for meaning in view.meanings)
    parts = [
        f"<b>{escape(view.name)}</b> <small>{escape(_tags(view))}</small>",
        _table(("level", "traffic [B]", "FLOP/B", "ridge", "bound"), rows) if view.rows else "",
        *(f"<div>{_code(s.code)}{escape(s.text)}</div>" for s in said),
        f"<small>where {escape(where)}</small>" if where else "",
    ]
    return f'<div class="roofscan">{"".join(parts)}</div>'


def render_cells(summaries: Sequence[KernelSummary]) -> str:
    rows = (
        [s.name, s.limit or "–", "–" if s.seconds is None else units.duration(s.seconds), _gain(s), s.code, s.status]
        for s in summaries
    )
    return f'<div class="roofscan">{_table(("kernel", "limit", "time", "gain", "finding", "status"), rows)}</div>'


def _tags(view: View) -> str:
    return " · ".join([view.place, view.status, *view.tags])


def _gain(summary: KernelSummary) -> str:
    return f"{summary.gain:.1f}x" if summary.gain else "–"


def _code(code: str) -> str:
    return f"<b>{escape(code)}</b> " if code else ""


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(text)}</th>" for text in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
