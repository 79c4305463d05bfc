"""The overview as a table for a terminal: a row per kernel, totals, a legend. Names are shortened until it fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from rich.console import RenderableType
from rich.text import Text

from roofscan import units
from roofscan.files import file_of
from roofscan.frozen import dataclass
from roofscan.report.columns import Column, needed_width, table_lines
from roofscan.report.overview.selection import OverviewChoice, folded
from roofscan.report.overview.summary import KernelSummary
from roofscan.report.terminal import printed
from roofscan.report.time_text import resources

WIDE = 100  # from here on a status is a word, and a remedy has its code beside it
NARROW = 72  # below it a place has no folder, there is no intensity, and a profile takes the place of the time
LONGEST = 3600 * 1000  # seconds: a longer call is no forecast
LOUD_GAIN = 1.5

CHANGES = {
    "interchange": "loop order", "reorder": "loop order", "tile": "tile", "fuse": "fuse", "fuse_expression": "fuse",
    "fuse_loops": "fuse loops", "fuse_passes": "one pass", "library": "BLAS", "precision": "float32",
    "compile": "compile it",
}  # fmt: skip
"""Kinds of changes in a word or two; where there is none, the code has one."""

_LIMITS = {"tlb": "TLB"}
_LETTERS = {"exact": "e", "parametric": "p", "bounded": "b", "unsupported": "u"}
_COLOURS = {"memory": "yellow", "compute": "green", "depends": "cyan"}
_BOUNDS = {
    "memory": "memory-bound", "compute": "compute-bound", "depends": "by size or data", "unsupported": "unsupported",
    "": "without a verdict",
}  # fmt: skip


def render_overview(
    machines: Sequence[Sequence[KernelSummary]], choice: OverviewChoice, remedies: Mapping[str, str], foot: str,
    width: int, colour: bool,
) -> str:  # fmt: skip
    """The kernels on each machine, one table a machine. ``remedies``: what to do, in a word or two, by code; ``foot``:
    what stands below it all."""
    parts: list[RenderableType] = []
    rows: list[KernelSummary] = []
    said: dict[str, None] = {}
    for summaries in machines:
        if len(machines) > 1:
            parts.append(Text(f"on {summaries[0].machine}", "bold"))
        shown = choice.of(folded(summaries))
        lines, about_places = _overview(summaries, shown, remedies, width)
        parts += [*lines, Text()] if len(machines) > 1 else lines
        rows += shown
        said |= dict.fromkeys(about_places)
    legend = [Text(text, "dim") for text in _legend(rows, width, list(said))] if rows else []
    return printed([*parts, *legend, Text(), Text(foot, "dim")], width, colour)


def _overview(
    summaries: Sequence[KernelSummary], shown: Sequence[KernelSummary], remedies: Mapping[str, str], width: int
) -> tuple[list[RenderableType], list[str]]:
    """The table and the totals of one machine, and what its places leave out."""
    totals = [Text(text) for text in _totals(summaries, folded(summaries), shown)]
    if not shown:
        return [*totals], []
    gap = "  " if width >= WIDE else " "
    tried = ((places, _columns(shown, remedies, width, places.texts)) for places in _places(shown, width))
    places, columns = next(each for each in tried if each[0].is_last or needed_width(each[1], len(gap)) <= width)
    return [*table_lines(columns, width, gap), Text(), *totals], [places.said] * bool(places.said)


@dataclass(frozen=True)
class _Places:
    texts: tuple[str, ...]
    said: str  # about what they leave out
    is_last: bool = False  # there are no shorter ones


def _places(rows: Sequence[KernelSummary], width: int) -> Iterator[_Places]:
    """The places of kernels, ever shorter: with their folders, without the one that they share, with names of files
    alone; of one file their lines."""
    lines = tuple(f":{s.line}" for s in rows)
    if width >= NARROW:
        folder = common_folder(rows)
        yield _Places(tuple(s.path + line for s, line in zip(rows, lines, strict=True)), "")
        if folder:
            names = (s.path.removeprefix(folder) + line for s, line in zip(rows, lines, strict=True))
            yield _Places(tuple(names), f"Places are in {folder}.")
    paths = {s.path for s in rows}
    if len(paths) == 1:
        yield _Places(lines, f"Places are lines of {rows[0].path}.", is_last=True)
        return
    stems = tuple(PurePath(s.path).stem + line for s, line in zip(rows, lines, strict=True))
    yield _Places(stems, "Places are names of files without folder and ending.", is_last=True)


def _columns(
    rows: Sequence[KernelSummary], remedies: Mapping[str, str], width: int, places: tuple[str, ...]
) -> list[Column]:
    wide, narrow = width >= WIDE, width < NARROW
    bounds = tuple(_COLOURS.get(s.bound or "", "dim") for s in rows)
    loud = tuple("bold" if s.gain and s.gain >= LOUD_GAIN else "" for s in rows)
    columns = [
        Column("kernel", tuple(map(_name, rows)), cut="middle", styles=("bold",) * len(rows)),
        Column("place", places, cut="start", styles=("dim",) * len(rows)),
        Column("limit", tuple(map(limit_text, rows)), styles=bounds),
    ]
    if not narrow:
        columns.append(Column("AI, ridge", tuple(_against(s, " " if wide else "") for s in rows)))
    if _has_time(rows, width):
        columns.append(Column("time", tuple(map(_time, rows)), right=True))
    if any(s.profiled is not None for s in rows):
        columns.append(Column("spent", tuple(_seconds(s.profiled) for s in rows), right=True))
        columns.append(Column("to gain", tuple(_seconds(s.saved) for s in rows), right=True, styles=loud))
    columns.append(Column("gain", tuple(map(_gain, rows)), right=True, styles=loud))
    columns.append(Column("remedy", tuple(remedy_text(s, remedies, wide) for s in rows), cut="end"))
    if wide:
        columns.append(Column("code", tuple("" if s.status == "unsupported" else s.code for s in rows)))
    statuses = tuple(s.status if wide else _LETTERS[s.status] for s in rows)
    return [*columns, Column("status" if wide else "", statuses)]


def _has_time(rows: Sequence[KernelSummary], width: int) -> bool:
    return width >= NARROW or all(s.profiled is None for s in rows)


def common_folder(rows: Sequence[KernelSummary]) -> str:
    """The folder that all paths begin with, with a slash; "" where there is none."""
    folders = [PurePath(s.path).parent for s in rows]
    common = [at for at in (folders[0], *folders[0].parents) if all(f.is_relative_to(at) for f in folders)]
    return "" if not common or common[0] == PurePath(".") else f"{common[0]}/".replace("//", "/")


def _name(summary: KernelSummary) -> str:
    return f"{summary.name} +{len(summary.helpers)}" if summary.helpers else summary.name


def limit_text(summary: KernelSummary) -> str:
    return _LIMITS.get(summary.limit, summary.limit) or ("data" if summary.bound == "depends" else summary.bound or "–")


def _against(summary: KernelSummary, space: str) -> str:
    """``~0.25 < 3``: left of the ridge; ``3 > 0.25``: right of it."""
    if summary.intensity is None or summary.ridge is None or not summary.intensity:
        return "–"
    side = "<" if summary.intensity < summary.ridge else ">"
    return space.join((summary.sureness + units.figure(summary.intensity, 2), side, units.figure(summary.ridge, 2)))


def _time(summary: KernelSummary) -> str:
    if summary.seconds:
        return units.duration(summary.seconds) if summary.seconds < LONGEST else "> 1000 h"
    return units.si(float(f"{summary.attainable:.3g}"), "F/s") if summary.attainable else "–"


def _gain(summary: KernelSummary) -> str:
    if summary.gain is None:
        return "–"
    return f"{summary.gain:.1f}x" if summary.gain < 9.95 else f"{summary.gain:.0f}x"


def _seconds(seconds: float | None) -> str:
    return "–" if seconds is None else units.duration(seconds) if seconds else "0"


def remedy_text(summary: KernelSummary, remedies: Mapping[str, str], has_code: bool) -> str:
    """``has_code``: the table has a column for the code."""
    if summary.status == "unsupported":
        return summary.reason
    words = CHANGES.get(summary.change) or remedies.get(summary.code, "")
    return words or ("" if has_code else summary.code) or "–"


# -- below the table --------------------------------------------------------------------------------
def _totals(
    everything: Sequence[KernelSummary], rows: Sequence[KernelSummary], shown: Sequence[KernelSummary]
) -> list[str]:
    files = len({file_of(s.path)[0] for s in everything})
    counts = Counter("unsupported" if s.status == "unsupported" else s.bound or "" for s in rows)
    parts = [f"{counts[kind]} {said}" for kind, said in _BOUNDS.items() if counts[kind]]
    helpers = len(everything) - len(rows)
    if helpers:
        parts.append(units.counted(helpers, "scalar helper"))
    why = Counter(s.reason for s in shown if s.reason and s.status != "unsupported")
    gains = sum(1 for s in rows if s.gain and s.gain >= LOUD_GAIN)
    total = f"{units.counted(len(everything), 'kernel')} in {units.counted(files, 'file')}"
    lines = [f"{total}: {', '.join(parts)}." if parts else f"{total}."]
    lines += [f"No verdict for {number}: {reason}." for reason, number in why.items()]
    lines.append(f"{gains or 'None'} of them with a gain of {LOUD_GAIN}x or more.")
    saved = [s.saved for s in rows if s.saved]
    if saved:
        to_gain = units.duration(sum(saved))
        lines.append(f"To be gained in the profile: {to_gain} (a kernel that another one calls may count twice).")
    if len(shown) < len(rows):
        lines.append(f"Shown: {len(shown)} of {len(rows)} rows.")
    return lines


def _legend(shown: Sequence[KernelSummary], width: int, places: Sequence[str]) -> list[str]:
    lines = list(places)
    limits = [(s.limit, resources(s.on_gpu).get(s.limit)) for s in shown]
    words = dict.fromkeys(
        f"{_LIMITS.get(name, name)}, {said}" for name, said in limits if said and said != f"the {name}"
    )
    if words:
        lines.append(f"limit: {'; '.join(words)}.")
    if width >= NARROW:
        lines.append("AI: FLOP/byte at the level that binds; < left of its ridge, > right. ~ estimate, ≤ ≥ bound.")
    if _has_time(shown, width):
        speed = "; F/s: no time is known" if any(s.attainable and not s.seconds for s in shown) else ""
        lines.append(f"time: of a call with the sizes given, or else with the largest of 64 GiB and a minute{speed}.")
    if any(s.helpers for s in shown):
        lines.append("+N: with N scalar helpers, counted where they are called.")
    if width < WIDE:
        statuses = {s.status for s in shown}
        said = (f"{letter} {status}" for status, letter in _LETTERS.items() if status in statuses)
        lines.append(f"Last column: {', '.join(said)}.")
    return [*lines, "Details: roofscan report FILE::KERNEL, or --full."]
