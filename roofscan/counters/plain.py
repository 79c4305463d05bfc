"""A CSV with a head: ``kernel,seconds,flops,DRAM,L2,n``. Levels hold bytes (``bytes_L2`` is the same); every other
column is a symbol of the kernel, at whose value a row was measured."""

from __future__ import annotations

import csv

from roofscan.counters.table import MeasuredText
from roofscan.measurement import MEMORY, Measurement

TOOL = "CSV"
KERNEL = ("kernel", "name", "function")
_SECONDS = ("seconds", "time")
_BESIDE = ("median", "runs", "expected", "at_least")  # what ``roofscan measure`` writes too
_LEVELS = {
    "l1": "L1", "l2": "L2", "l3": "L3", "l4": "L4", "dram": MEMORY, "hbm": MEMORY, "mem": MEMORY, "memory": MEMORY,
    "": MEMORY,
}  # fmt: skip


def is_plain(file: MeasuredText) -> bool:
    words = [word.strip().lower() for word in (file.lines or [""])[0].split(",")]
    return bool(set(words) & set(KERNEL)) and len(words) > 1


def read(file: MeasuredText) -> list[Measurement]:
    head = [word.strip() for word in next(csv.reader(file.lines[:1]))]
    rows = csv.reader(file.lines)
    next(rows)
    return [_measurement(file, rows.line_num, head, row) for row in rows if any(cell.strip() for cell in row)]


def level_of(column: str) -> str | None:
    """The level whose bytes a column holds; None where it is another column."""
    word = column.lower()
    bare = word.removeprefix("bytes").removesuffix("bytes").strip(" _:.-[]()")
    return _LEVELS.get(bare) if bare or word.startswith("bytes") else None


def _measurement(file: MeasuredText, line: int, head: list[str], row: list[str]) -> Measurement:
    if len(row) != len(head):
        raise file.wrong(line, f"has {len(row)} cells, and the header {len(head)}; write one cell per column")
    kernel, tool = "", TOOL
    seconds = flops = None
    moved: dict[str, float] = {}
    sizes: dict[str, int] = {}
    for column, cell in zip(head, row, strict=True):
        word, level = column.lower(), level_of(column)
        if word in KERNEL:
            kernel = cell.strip()
        elif word == "tool":
            tool = cell.strip() or TOOL
        elif word in _SECONDS:
            seconds = file.number(cell, line)
        elif word == "flops":
            flops = file.number(cell, line)
        elif word in _BESIDE:
            continue
        elif (number := file.number(cell, line)) is None:
            continue
        elif level is not None:
            moved[level] = number
        else:
            sizes[column] = int(number)
    return Measurement(kernel, tool, f"{file.path}:{line}", seconds, flops, moved, sizes)
