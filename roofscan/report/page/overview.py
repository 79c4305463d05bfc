"""The table of all kernels on each machine, which the script sorts and filters; the largest gain stands first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import quote

from roofscan import units
from roofscan.frozen import dataclass
from roofscan.report.overview.selection import KEYS
from roofscan.report.overview.summary import KernelSummary
from roofscan.report.overview.table import common_folder, limit_text, remedy_text
from roofscan.report.time_text import resources

HEAD = ("kernel", "place", "limit", "FLOP/B", "ridge", "time", "gain", "remedy", "status")
FIGURES = ("FLOP/B", "ridge", "time", "gain")
SORTED = "gain"


@dataclass(frozen=True)
class _Words:
    """What the cells of all rows share."""

    remedies: Mapping[str, str]  # what to do, in a word or two, by code
    folder: str  # that all paths begin with
    several: bool  # machines


def overview_table(
    kernels: Sequence[Sequence[KernelSummary]], anchors: Sequence[str], remedies: Mapping[str, str]
) -> str:
    """``kernels``: one summary a machine."""
    rows = [(s, anchor) for summaries, anchor in zip(kernels, anchors, strict=True) for s in summaries]
    rows.sort(key=lambda row: KEYS[SORTED](row[0]))
    words = _Words(remedies, common_folder([s for s, _ in rows]), any(len(each) > 1 for each in kernels))
    names = [*HEAD[:2], "machine", *HEAD[2:]] if words.several else HEAD
    head = "".join(f'<th scope="col"{_kind(name)}><button type="button">{name}</button></th>' for name in names)
    body = "\n".join(_row(s, anchor, words) for s, anchor in rows)
    return (
        f'<p class="place" id="about">{_caption(words, [s for s, _ in rows])}</p>\n'
        f'<div class="wide"><table id="overview" tabindex="-1" aria-label="kernels" aria-describedby="about">'
        f"<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def machine_choice(names: Sequence[str]) -> str:
    """Which machine the table shows; "" where there is one."""
    if len(names) < 2:
        return ""
    options = "".join(f"<option>{escape(name)}</option>" for name in names)
    return f'<label>Machine <select id="machine">{options}<option value="">all</option></select></label> '


def _caption(words: _Words, rows: Sequence[KernelSummary]) -> str:
    texts = ["Times are of a call at the sizes of the verdict; the gain is the best that a finding promises."]
    texts.append("~ marks an estimate, ≤ and ≥ bounds.")
    texts += [f"Places are in {words.folder}."] if words.folder else []
    known = {limit_text(s): resources(s.on_gpu)[s.limit] for s in rows if s.limit in resources(s.on_gpu)}
    limits = "; ".join(
        f"{text}, {meaning}" for text, meaning in sorted(known.items()) if meaning not in (text, f"the {text}")
    )
    texts += [f"Limits: {limits}."] if limits else []
    return escape(" ".join(texts))


def _kind(name: str) -> str:
    sort = ' aria-sort="descending"' if name == SORTED else ""
    return (' class="figure"' if name in FIGURES else "") + sort


def _row(summary: KernelSummary, anchor: str, words: _Words) -> str:
    link = f'<a href="#{quote(anchor, safe=":/")}">{_breakable(summary.name)}</a>'
    cells = [
        f'<th scope="row">{link}</th>',
        f'<td class="place">{_breakable(f"{summary.path.removeprefix(words.folder)}:{summary.line}")}</td>',
        *([_text(summary.machine, "machine")] if words.several else []),
        _limit(summary),
        _figure(summary.intensity, summary.sureness + units.digits(summary.intensity or 0)),
        _figure(summary.ridge, units.digits(summary.ridge or 0)),
        _figure(summary.seconds, units.duration(summary.seconds or 1)),
        _figure(summary.gain, f"{units.digits(summary.gain or 0)}×"),
        _text(f"{remedy_text(summary, words.remedies, True)} {summary.code}".strip("– ") or summary.reason),
        _text(summary.status, summary.status),
    ]
    machine = f' data-machine="{escape(summary.machine)}"' if words.several else ""
    return f'<tr data-bound="{escape(summary.bound or summary.status)}"{machine}>{"".join(cells)}</tr>'


def _limit(summary: KernelSummary) -> str:
    text, meaning = limit_text(summary), resources(summary.on_gpu).get(summary.limit, "")
    return f'<td><abbr title="{escape(meaning)}">{escape(text)}</abbr></td>' if meaning else _text(text)


def _text(text: str, kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return f"<td{mark}>{escape(text)}</td>"


def _breakable(name: str) -> str:
    """A name or a path, which a narrow column breaks after one of its parts."""
    return re.sub("([_/.:])", r"\1<wbr>", escape(name))


def _figure(number: float | None, shown: str) -> str:
    if number is None:
        return '<td class="figure">–</td>'
    return f'<td class="figure" data-value="{number!r}">{escape(shown)}</td>'
