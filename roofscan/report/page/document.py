"""The page put together: head, overview, chart, a section a kernel, and the data and script that make it move. A
Content-Security-Policy lets nothing run but that script."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from html import escape
from pathlib import Path

from roofscan.frozen import dataclass
from roofscan.report.footer import footer
from roofscan.report.html import kernel_section
from roofscan.report.kernel_view.view import view_of
from roofscan.report.overview.summary import summary_of
from roofscan.report.page.changes import Changes
from roofscan.report.page.data import Sources, page_data
from roofscan.report.page.overview import machine_choice, overview_table
from roofscan.roofline.model import KernelReport

_FOLDER = Path(__file__).parent
MOST_LETTERS = 1_000_000  # of sections that can be read without the script; more travel compressed, to a seventh
_NEEDS_SCRIPT = "<noscript><p>Of so many kernels, the details need the script of this page.</p></noscript>"


@dataclass(frozen=True)
class About:
    """What the head says. ``sources``: lines of files, for those that may be shown; ``remedies``: by code; ``changes``:
    what findings ask for."""

    version: str = ""
    made: str = ""  # the date
    command: str = ""
    sources: Sources = field(default_factory=dict)
    remedies: Mapping[str, str] = field(default_factory=dict)
    changes: Changes = field(default_factory=dict)


def render_page(kernels: Sequence[Sequence[KernelReport]], about: About | None = None, forms: bool = False) -> str:
    """``forms``: with the lines that advice shows."""
    about = about or About()
    anchors = _anchors(kernels)
    sections = [
        kernel_section(anchor, view_of(reports, forms), reports[0].cost.kernel.path, about.changes)
        for anchor, reports in zip(anchors, kernels, strict=True)
    ]
    details, data = "\n".join(sections), page_data(kernels, anchors, about.sources)
    if len(details) > MOST_LETTERS:
        details, data = _NEEDS_SCRIPT, {**data, "sections": details}
    main = f"{_overview(kernels, anchors, about)}\n{details}"
    skip = '<a class="skip" href="#overview">Skip to the table of kernels</a>\n' if len(kernels) > 1 else ""
    body = (
        f"{skip}{_header(kernels, about)}\n<main>\n{main}\n</main>\n<footer><p>{escape(footer(kernels))}</p></footer>"
    )
    return _document(body, _data_block(data))


def _anchors(kernels: Sequence[Sequence[KernelReport]]) -> list[str]:
    """By the qualified name; with the path, and the line, where several have that name."""
    every = [reports[0].cost.kernel for reports in kernels]
    names = Counter(kernel.name for kernel in every)
    placed = Counter((kernel.path, kernel.name) for kernel in every)
    found = []
    for kernel in every:
        path = f"{kernel.path}::" if names[kernel.name] > 1 else ""
        line = f":{kernel.line}" if placed[kernel.path, kernel.name] > 1 else ""
        found.append("kernel:" + "_".join(f"{path}{kernel.name}{line}".split()))
    return found


def _header(kernels: Sequence[Sequence[KernelReport]], about: About) -> str:
    facts = [("made", about.made), ("by", f"roofscan {about.version}".rstrip()), ("command", about.command)]
    facts.append(("machine", ", ".join(_machines(kernels))))
    rows = "".join(f"<div><dt>{name}</dt><dd>{escape(text)}</dd></div>" for name, text in facts if text)
    theme = '<button type="button" id="theme" hidden>dark or light</button>'
    return f'<header><h1>roofscan</h1>{theme}<dl class="facts">{rows}</dl></header>'


def _machines(kernels: Sequence[Sequence[KernelReport]]) -> list[str]:
    return [report.machine.name for report in kernels[0] if report.machine] if kernels else []


def _overview(kernels: Sequence[Sequence[KernelReport]], anchors: Sequence[str], about: About) -> str:
    """The table of several kernels, with its controls, below the chart."""
    table = search = ""
    if len(kernels) > 1:
        table = overview_table([[*map(summary_of, reports)] for reports in kernels], anchors, about.remedies)
        search = (
            '<p class="controls" hidden><label>Search <input type="search" id="search"></label> '
            f'{machine_choice(_machines(kernels))}<span id="count" role="status"></span></p>'
        )
    chart = '<figure id="chart" class="chart"></figure>'
    return f'<section id="overview-section" aria-label="overview">{search}{chart}{table}</section>'


def _data_block(data: object) -> str:
    """JSON, compressed: a tenth of the size, and nothing in it can end the element."""
    packed = gzip.compress(json.dumps(data, separators=(",", ":"), allow_nan=False).encode(), mtime=0)
    return f'<script type="application/gzip" id="data">{b64encode(packed).decode()}</script>'


def _document(body: str, data: str) -> str:
    style, *scripts = (_read(name) for name in ("page.css", "d3.js", "chart.js", "page.js"))
    policy = (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>roofscan</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n{data}\n"
        + "\n".join(f"<script>{script}</script>" for script in scripts)
        + "\n</body>\n</html>\n"
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
