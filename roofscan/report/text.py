"""Reports for people, on a terminal or in a pipe: plain tables, colour only where it is wanted. A report that may be
brief keeps what matters most within a screen, and says what it leaves out."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from rich.console import RenderableType
from rich.text import Text

from roofscan.frozen import dataclass
from roofscan.report.columns import Column, shortened, table_lines
from roofscan.report.footer import brief_footer, footer, machines_text
from roofscan.report.kernel_view.caches import CacheView, Grid
from roofscan.report.kernel_view.level_rows import Row
from roofscan.report.kernel_view.remarks import SizeMeaning
from roofscan.report.kernel_view.sentences import Sentence
from roofscan.report.kernel_view.view import COMPULSORY, View, view_of
from roofscan.report.terminal import printed
from roofscan.roofline.model import KernelReport

_STATUS = {"exact": "green", "parametric": "cyan", "bounded": "yellow", "unsupported": "red"}
_BOUND = {"memory": "yellow", "compute": "green"}
_INDENT = 2
SCREEN = 25  # lines of a brief report
MOST_BELOW = 9  # lines kept for what stands below it, at most
LEAST_PLACE = 8  # columns
NARROW = 76  # below it an interface is named after one of its levels
_TOGETHER = (" <= ", " >= ", " < ", " > ", " ≤ ", " ≥ ", " = ")  # signs at which no line is broken
_QUANTITY = re.compile(r"(?<=\d) (?=(?:[kMGTP]?(?:FLOP/s|i?B/s|i?B)|[nµm]?s|min|h|%)(?!\w))")
_WORD = re.compile(r"\w+")
_LABELS = 9  # columns of the labels of remarks
_RANKS = {"holds": 1, "by size": 1, "where": 0, "≈": 1, "verdict": 1, "because": 1, "network": 1, "assuming": 3,
          "temporary": 4, "note": 4}  # fmt: skip
_NAMES = {
    "because": "reasons", "layers": "layer conditions", "arrays": "traffic by array", "assuming": "assumptions",
    "note": "notes", "temporary": "temporaries", "counts": "operations, footprint", "provided": "conditions",
    "finding": "findings", "holds": "ranges", "by size": "ranges", "where": "names", "verdict": "sizes of the verdict",
}  # fmt: skip
"""What a brief report calls the blocks that it leaves out."""


@dataclass(frozen=True)
class Block:
    """Lines that stand or go together: those of the least rank stay; rank 0 always does."""

    lines: tuple[Text, ...]
    rank: int = 0
    kind: str = ""


BLANK = Block((Text(),))


def render_text(
    kernels: Sequence[Sequence[KernelReport]], width: int, colour: bool, forms: bool = False, full: bool = True
) -> str:
    """All kernels, one below the other. The same input gives the same text at the same width. ``forms``: with each
    change that is advised, the lines to write. Without ``full`` a kernel keeps to a screen, as far as it can."""
    described = [list(_kernel(view_of(reports, forms), width, full)) for reports in kernels]
    if not full:
        feet = brief_footer(kernels), f"{machines_text(kernels)}. --full adds the rest.".lstrip(". ")
        return "\n".join(_on_a_screen(blocks, *feet, width, colour) for blocks in described)
    parts: list[RenderableType] = []
    for blocks in described:
        parts += [line for block in blocks for line in block.lines] + [Text()]
    return printed([*parts, *_wrapped(footer(kernels), width, "dim")], width, colour)


def _on_a_screen(blocks: Sequence[Block], foot: str, brief_foot: str, width: int, colour: bool) -> str:
    text = ""
    for most in range(SCREEN - 2, SCREEN - MOST_BELOW, -1):
        kept = brief(blocks, most)
        left_out = dict.fromkeys(_NAMES.get(b.kind, b.kind) for b in blocks if not any(b is other for other in kept))
        said = f" --full adds {', '.join(left_out)}." if left_out else ""
        lines = [line for block in kept for line in block.lines]
        text = printed([*lines, Text(), *_wrapped(foot + said, width, "dim")], width, colour)
        if text.count("\n") <= SCREEN:
            return text
    kept, below = [block for block in blocks if block.rank == 0], _wrapped(brief_foot, width, "dim")
    for names, is_spaced in ((2, True), (1, True), (1, False)):
        tight = printed(_tight(kept, below, names, is_spaced, width), width, colour)
        if tight.count("\n") <= SCREEN:
            return tight
    return text


def _tight(blocks: Sequence[Block], below: Sequence[Text], names: int, is_spaced: bool, width: int) -> list[Text]:
    """What always stands, with at least ``names`` lines on what names stand for; blank lines if it ``is_spaced``."""
    lines = [*(line for block in blocks for line in block.lines), Text(), *below]
    excess = _height([Block(tuple(lines))]) - SCREEN
    if not is_spaced:
        lines = [line for line in lines if line.plain]
        excess = len(lines) - SCREEN
    told = next((block.lines for block in blocks if block.kind == "where"), ())
    cut = told[names:][-excess:] if excess > 0 else ()
    if cut:
        last = next(n for n, line in enumerate(lines) if line is cut[0]) - 1
        lines = [line for line in lines if not any(line is other for other in cut)]
        lines[last] = _ending(lines[last], width)
    return lines


def _ending(line: Text, width: int) -> Text:
    """The line with a sign that text is left out, in place of its last word where there is no room."""
    while len(line) > width - 2 and " " in line.plain.strip():
        line = line[: line.plain.rstrip().rindex(" ")]
    return line + " …"


def brief(blocks: Sequence[Block], most: int) -> list[Block]:
    """What fits, the least rank first; without the first of a kind, which has its label, none of it."""
    kept = [n for n, block in enumerate(blocks) if block.rank == 0]
    too_long: set[str] = set()
    for n in sorted((n for n, block in enumerate(blocks) if block.rank), key=lambda n: (blocks[n].rank, n)):
        if blocks[n].kind in too_long:
            continue
        if _height([blocks[k] for k in sorted([*kept, n])]) <= most:
            kept.append(n)
        elif blocks[n].kind not in ("finding", "advice"):  # which have no label
            too_long.add(blocks[n].kind)
    return [blocks[n] for n in sorted(kept)]


def _height(blocks: Sequence[Block]) -> int:
    """With blank lines that follow one another as one."""
    empty = [not line.plain for block in blocks for line in block.lines]
    return len(empty) - sum(1 for one, other in pairwise(empty) if one and other)


# -- one kernel -------------------------------------------------------------------------------------
def _kernel(view: View, width: int, full: bool) -> Iterator[Block]:
    figures = list(_figures(view, width))
    yield from figures
    yield BLANK
    yield from _remarks(tuple(_levels_hold(view.rows)), width)
    yield from _meanings(view.meanings, None if full else _names_on(figures), width)
    yield from _remarks(view.remarks, width)


def _remarks(remarks: Sequence[tuple[str, str]], width: int) -> Iterator[Block]:
    for label, group in groupby(remarks, key=lambda remark: remark[0]):
        yield from _pairs(list(group), width - _INDENT, _RANKS.get(label, 2), label)


def _names_on(figures: Sequence[Block]) -> set[str]:
    """The words of the lines that a screen shows, as a map's legend names what the map shows: which names are left of
    a cell that is cut, the lines alone tell."""
    lines = (line.plain for block in figures if block.rank <= 1 for line in block.lines)
    return {word for line in lines for word in _WORD.findall(line)}


def _meanings(meanings: Sequence[SizeMeaning], names: set[str] | None, width: int) -> Iterator[Block]:
    """What sizes stand for: first those with these names (None: all), which nothing else explains."""
    first = [m for m in meanings if names is None or not names.isdisjoint(m.names)]
    label = "where"
    for rank, group in ((_RANKS["where"], first), (2, [m for m in meanings if m not in first])):
        if group:
            yield from _pairs([(label, "; ".join(map(str, group)))], width - _INDENT, rank, "where")
            label = ""


def _figures(view: View, width: int) -> Iterator[Block]:
    """What stands above the remarks."""
    inner = width - _INDENT
    yield Block((*_header(view, width), Text()))
    if view.readings:
        yield from _pairs([("assuming", text) for text in view.readings], inner)
        yield BLANK
    yield from _counts(view, inner)
    yield BLANK
    if view.rows:
        yield Block(_indented(_levels(view.rows, inner - 1), _INDENT + 1))
        yield BLANK
    for sentence in view.verdicts:
        yield Block(_sentence(sentence, width))
    for number, sentence in enumerate(view.findings):
        yield Block(_sentence(sentence, width), 1 if number else 0, "finding")
    for sentence in view.advice:
        yield Block(_sentence(sentence, width), 0 if sentence.form else 2, "advice")
    for grid in view.tables:
        yield BLANK
        yield Block(_grid(grid, inner))
    for machine, caches in view.caches:
        yield BLANK
        yield from _caches(machine, caches, inner)


def _header(view: View, width: int) -> list[Text]:
    """Name, place and status; the status stands below a name that leaves it no room."""
    tags = "".join(f" · {tag}" for tag in view.tags)
    room = width - len(view.name) - len(view.status) - len(tags) - 4
    place = f"  {shortened(view.place, room, 'start')}" if room >= LEAST_PLACE else ""
    tags = tags if place or room >= -2 else ""
    name = Text.assemble((shortened(view.name, width, "start"), "bold"), (place, "dim"))
    status = Text.assemble((view.status, _STATUS.get(view.status, "")), (tags, "dim"))
    return [name + "  " + status] if len(name) + 2 + len(status) <= width else [name, Text(" " * _INDENT) + status]


def _counts(view: View, width: int) -> Iterator[Block]:
    labels = max((len(label) for label, _ in view.counts), default=0)
    for number, (label, value) in enumerate(view.counts):
        rank = 0 if number == 0 else 1 if label == COMPULSORY else 3
        yield Block(_pair(label, value, labels, width), rank, "counts")


def _caches(machine: str, caches: CacheView, width: int) -> Iterator[Block]:
    label = f"layers on {machine}" if machine else "layers"
    yield from _pairs([(label, text) for text in caches.conditions], width, 3, "layers")
    for grid in caches.grids:
        yield BLANK
        yield Block(_grid(grid, width), 4, "arrays")


def _pairs(pairs: Sequence[tuple[str, str]], width: int, rank: int = 0, kind: str = "") -> Iterator[Block]:
    for number, (label, text) in enumerate(pairs):
        yield Block(_pair("" if number and pairs[number - 1][0] == label else label, text, _LABELS, width), rank, kind)


def _pair(label: str, text: str, labels: int, width: int) -> tuple[Text, ...]:
    labels = max(labels, len(label))
    lines = _lines(text, width - labels - 2)
    first = Text.assemble(" " * _INDENT, (label.ljust(labels) + "  ", "dim"), lines[0])
    return (first, *(Text(" " * (_INDENT + labels + 2) + line) for line in lines[1:]))


def _sentence(sentence: Sentence, width: int) -> tuple[Text, ...]:
    machine = f"{sentence.machine}: " if sentence.machine else ""
    code = f"{sentence.code} " if sentence.code else ""
    lines = [Text(" " * _INDENT + line) for line in _lines(machine + code + sentence.text, width - _INDENT)]
    lines[0].stylize("dim", _INDENT, _INDENT + len(machine))
    lines[0].stylize("bold magenta", _INDENT + len(machine), _INDENT + len(machine + code))
    return (*lines, *(Text(" " * 4 * _INDENT + line) for line in sentence.form.splitlines()))


# -- tables -----------------------------------------------------------------------------------------
def _levels(rows: Sequence[Row], width: int) -> list[Text]:
    several = any(row.machine for row in rows)
    last = [n for n, row in enumerate(rows[:-1]) if rows[n + 1].machine != row.machine]
    named = tuple(row.interface if width >= NARROW else row.level for row in rows)
    columns = [Column("machine", tuple(_machine_cell(rows, n) for n in range(len(rows))), cut="end")] if several else []
    columns += [
        Column("interface" if width >= NARROW else "level", named),
        Column("cache", tuple(row.capacity for row in rows), right=True, drop=1),
        Column("traffic [B]", tuple(row.amount for row in rows), cut="end", units=tuple(row.unit for row in rows)),
        Column("FLOP/B", tuple(row.intensity for row in rows), right=True),
        Column("ridge", tuple(row.ridge for row in rows), right=True, drop=3),
        Column("bound", tuple(row.bound for row in rows), styles=tuple(_BOUND.get(row.bound, "") for row in rows)),
        Column("by roofline", tuple(row.attainable for row in rows), right=True, drop=2),
    ]
    return table_lines(columns, width, bold=[n for n, row in enumerate(rows) if row.binds], rules=last)


def _machine_cell(rows: Sequence[Row], position: int) -> str:
    """The machine's name in its first row, the part of it in its second."""
    row = rows[position]
    before = sum(1 for other in rows[:position] if other.machine == row.machine)
    return row.machine if before == 0 else row.scope if before == 1 else ""


def _levels_hold(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """For which sizes the expressions of the table hold, and for which a level is memory-bound."""
    of_traffic, of_memory = [row.holds for row in rows], [row.when for row in rows]
    for label, what, texts in (("holds", "traffic of", of_traffic), ("by size", "memory-bound at", of_memory)):
        said = [
            f"{', '.join(rows[n].level for n in group)} for {text}"
            for text, found in groupby(range(len(rows)), key=lambda n: texts[n])
            if text and (group := list(found))
        ]
        if said:
            yield label, f"{what} {'; '.join(said)}"


def _grid(grid: Grid, width: int) -> tuple[Text, ...]:
    columns = [
        Column(head, tuple(row[n] for row in grid.rows), right=n >= grid.words, cut="end",
               drop=0 if n < grid.words or n == len(grid.head) - 1 else n)
        for n, head in enumerate(grid.head)
    ]  # fmt: skip
    return _indented(table_lines(columns, width - 1), _INDENT + 1)


# -- lines ------------------------------------------------------------------------------------------
def _indented(lines: Sequence[Text], by: int) -> tuple[Text, ...]:
    return tuple(Text(" " * by) + line for line in lines)


def _lines(text: str, width: int) -> list[str]:
    """In words; a comparison stays on one line, and so does a number with its unit."""
    text = _QUANTITY.sub("\xa0", text)
    for sign in _TOGETHER:
        text = text.replace(sign, sign.replace(" ", "\xa0"))
    wrapped = textwrap.wrap(text, max(width, 20), break_on_hyphens=False)
    return [line.replace("\xa0", " ") for line in wrapped] or [""]


def _wrapped(text: str, width: int, style: str) -> list[Text]:
    return [Text(line, style) for line in _lines(text, width)]
