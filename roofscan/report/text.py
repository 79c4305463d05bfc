"""Reports for people, on a terminal or in a pipe: calm tables, colour only where it is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Literal

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from roofscan.report.cache_view import CacheView, Grid
from roofscan.report.footer import footer
from roofscan.report.terminal import printed
from roofscan.report.view import Row, Sentence, View, view_of
from roofscan.roofline.model import KernelReport

_STATUS = {"exact": "green", "parametric": "cyan", "bounded": "yellow", "unsupported": "red"}
_BOUND = {"memory": "yellow", "compute": "green"}
_INDENT = 2
LONG = 20  # a longer range is below its word


def render_text(kernels: Sequence[Sequence[KernelReport]], width: int, colour: bool, forms: bool = False) -> str:
    """All kernels, one below the other. The same input gives the same text at the same width. ``forms``: with each
    change that is advised, the lines to write."""
    parts: list[RenderableType] = []
    for reports in kernels:
        parts += [*_kernel(view_of(reports, forms)), Text()]
    return printed([*parts, Text(footer(kernels), "dim")], width, colour)


def _kernel(view: View) -> list[RenderableType]:
    parts: list[RenderableType] = [_header(view), Text()]
    if view.readings:
        parts += [_inset(_grouped([("assuming", text) for text in view.readings])), Text()]
    if view.counts:
        parts.append(_inset(_pairs(view.counts)))
    if view.rows:
        parts.append(_inset(_levels(view.rows)))
    for sentence in (*view.verdicts, *view.findings, *view.advice):
        parts.append(_inset(_sentence(sentence)))
        if sentence.form:
            parts.append(Padding(Text(sentence.form), (0, 0, 0, 4 * _INDENT)))
    parts += [_inset(_grid(grid)) for grid in view.measured]
    for machine, caches in view.caches:
        parts += _caches(machine, caches)
    if view.remarks:
        parts += [Text(), _inset(_grouped(view.remarks))]
    return parts


def _caches(machine: str, caches: CacheView) -> list[RenderableType]:
    label = f"layers on {machine}" if machine else "layers"
    parts: list[RenderableType] = []
    if caches.conditions:
        parts += [Text(), _inset(_grouped([(label, text) for text in caches.conditions]))]
    return parts + [_inset(_grid(grid)) for grid in caches.grids]


def _grid(grid: Grid) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", border_style="dim", pad_edge=False, padding=(0, 1, 0, 0))
    for position, head in enumerate(grid.head):
        justify: Literal["left", "right"] = "left" if position < grid.words else "right"
        table.add_column(head, justify=justify, overflow="fold")
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _header(view: View) -> Text:
    header = Text.assemble((view.name, "bold"), ("  " + view.place, "dim"), "  ")
    header.append(view.status, _STATUS.get(view.status, ""))
    for tag in view.tags:
        header.append(f" · {tag}", "dim")
    return header


def _pairs(pairs: Sequence[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in pairs:
        table.add_row(Text(label), Text(value))
    return table


def _grouped(remarks: Sequence[tuple[str, str]]) -> Table:
    pairs = []
    for label, group in groupby(remarks, key=lambda remark: remark[0]):
        pairs += [(label if position == 0 else "", text) for position, (_, text) in enumerate(group)]
    return _pairs(pairs)


def _levels(rows: Sequence[Row]) -> Table:
    several = any(row.machine for row in rows)
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", border_style="dim", pad_edge=False, padding=(0, 1, 0, 0))
    if several:
        table.add_column("machine", overflow="fold")
    table.add_column("interface", no_wrap=True)
    table.add_column("cache", justify="right", no_wrap=True)
    table.add_column("traffic [B]", overflow="fold")
    table.add_column("FLOP/B", justify="right", no_wrap=True)
    table.add_column("ridge", justify="right", no_wrap=True)
    table.add_column("bound", overflow="fold")
    table.add_column("by roofline", justify="right", no_wrap=True)
    for position, row in enumerate(rows):
        last = position + 1 < len(rows) and rows[position + 1].machine != row.machine
        traffic = f"{row.traffic}\n  for {row.holds}" if row.holds else row.traffic
        cells = [row.interface, row.capacity, traffic, row.intensity, row.ridge]
        line = [Text(cell) for cell in cells]
        line += [Text(_broken(row.bound), _BOUND.get(row.bound, "")), Text(row.attainable)]
        table.add_row(
            *([_machine_cell(rows, position)] if several else []),
            *line,
            style="bold" if row.binds else None,
            end_section=last,
        )
    return table


def _broken(bound: str) -> str:
    """``memory: n ≤ 97 or n ≥ 362`` in lines, so that the column stays narrow."""
    lines = bound.replace(" or ", "\nor ")
    return lines.replace(": ", ":\n", 1) if max(map(len, lines.split("\n"))) > LONG else lines


def _machine_cell(rows: Sequence[Row], position: int) -> Text:
    """The machine's name in its first row, the part of it in its second."""
    row = rows[position]
    before = sum(1 for other in rows[:position] if other.machine == row.machine)
    return Text(row.machine) if before == 0 else Text(row.scope if before == 1 else "", "dim")


def _sentence(sentence: Sentence) -> Text:
    text = Text()
    if sentence.machine and sentence.machine not in sentence.text:
        text.append(f"{sentence.machine}: ", "dim")
    if sentence.code:
        text.append(sentence.code + " ", "bold magenta")
    return text.append(sentence.text)


def _inset(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, _INDENT))
