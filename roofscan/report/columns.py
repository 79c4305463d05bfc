"""Tables that fit a terminal: columns that may go do so first, then texts are cut where they say least."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal

from rich.text import Text

from roofscan.frozen import dataclass

LEAST = 9  # columns of a text that is cut

Cut = Literal["no", "end", "middle", "start"]


@dataclass(frozen=True)
class Column:
    head: str
    texts: tuple[str, ...]
    right: bool = False
    cut: Cut = "no"
    styles: tuple[str, ...] = ()
    drop: int = 0  # the least goes first where there is no room; 0 stays
    units: tuple[str, ...] = ()  # at the ends of the texts: they stay where a text is cut

    @property
    def width(self) -> int:
        return max(len(self.head), *(len(text + self._unit(row)) for row, text in enumerate(self.texts)))

    def _unit(self, row: int) -> str:
        return self.units[row] if self.units else ""

    def cell(self, row: int, width: int) -> str:
        unit = self._unit(row)
        text = shortened(self.texts[row], width - len(unit), self.cut) + unit
        return text.rjust(width) if self.right else text.ljust(width)


def table_lines(
    columns: Sequence[Column], width: int, gap: str = "  ", bold: Collection[int] = (), rules: Collection[int] = ()
) -> list[Text]:
    """``bold``: rows that stand out; ``rules``: rows with a line below them."""
    columns = _kept(columns, width, len(gap))
    widths = _widths(columns, width - len(gap) * (len(columns) - 1))
    head = gap.join(c.head.rjust(w) if c.right else c.head.ljust(w) for c, w in zip(columns, widths, strict=True))
    rule = Text("─" * len(head), "dim")
    lines = [Text(head.rstrip(), "dim"), rule]
    for row in range(len(columns[0].texts)):
        line = Text(style="bold" if row in bold else "")
        for position, (column, cells) in enumerate(zip(columns, widths, strict=True)):
            line.append(gap if position else "")
            line.append(column.cell(row, cells), column.styles[row] if column.styles else "")
        line.rstrip()
        lines += [line, rule] if row in rules else [line]
    return lines


def needed_width(columns: Sequence[Column], gap: int) -> int:
    """Of a table where nothing is cut."""
    return sum(column.width + gap for column in columns) - gap


def _kept(columns: Sequence[Column], width: int, gap: int) -> list[Column]:
    kept = list(columns)
    for column in sorted((c for c in columns if c.drop), key=lambda c: c.drop):
        if needed_width(kept, gap) > width:
            kept.remove(column)
    return kept


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """Their own, or less of the widest of those that may be cut."""
    widths = [column.width for column in columns]
    while sum(widths) > width:
        room = [(w, n) for n, w in enumerate(widths) if columns[n].cut != "no" and w > LEAST]
        if not room:
            break
        widths[max(room)[1]] -= 1
    return widths


def _beginning(text: str, width: int) -> str:
    """Whole terms of a sum, factors of a product or words."""
    kept = text[: width - 1]
    ends = [m.end() for m in re.finditer(r" [-+] ", kept)] or [m.end() for m in re.finditer(r"(?<=..) ", kept)]
    ends = ends or [m.end() for m in re.finditer(r"(?<!\*)\*(?!\*)", kept)]
    kept = kept[: ends[-1]] if ends else kept
    return f"{kept.rstrip('…')}…"


LEAST_OF_NAME = 3  # letters of a file's name that say something


def _end_of_place(text: str, width: int) -> str:
    """What fits of ``folder/file.py:12``, from a slash on; at least the line, and how the name of the file begins."""
    end = text[len(text) - width :]
    if "/" in end:
        return "…" + end[end.index("/") :]
    whole = text[: len(text) - width].endswith("/") or ":" not in end
    if whole:
        return "…" + end
    name, colon, line = text.rpartition("/")[2].rpartition(":")
    room = width - len(colon + line)
    return f"{name[:room] if room >= LEAST_OF_NAME else ''}…{colon}{line}"


def shortened(text: str, width: int, cut: Cut) -> str:
    """With an ellipsis where something is left out."""
    if len(text) <= width or cut == "no":
        return text
    if cut == "start":
        return _end_of_place(text, width - 1)
    if cut == "end":
        return _beginning(text, width)
    kept = width - 1
    return text[: kept - kept // 3] + "…" + text[len(text) - kept // 3 :]
