"""The labels of the marks in a roofline chart: names or numbers of kernels, levels, and sizes along a path."""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofscan.report.charts.labels import Placer
from roofscan.report.charts.picture import COLOURS, ROOF
from roofscan.report.charts.roofline_data import LevelPoint, Mark, Panel
from roofscan.report.charts.size_points import Point
from roofscan.units import digits

MARK_SIZE = 7  # points
MAX_LABELS = 14  # with more kernels, numbers are beside the marks and names in a key
KEY_ROWS = 40


def key_columns(panel: Panel) -> int:
    """How many columns of names the key has; 0: the names are beside the marks."""
    return math.ceil(len(panel.marks) / KEY_ROWS) if len(panel.marks) > MAX_LABELS else 0


def label_levels(panel: Panel, placer: Placer) -> None:
    """One label a level; where points meet, one for all of them."""
    [mark] = panel.marks
    together: list[list[LevelPoint]] = []
    for level in sorted(mark.levels, key=lambda level: level.intensity):
        if together and level.intensity < 1.04 * together[-1][-1].intensity:
            together[-1].append(level)
        else:
            together.append([level])
    for group in together:
        names = ", ".join(level.name for level in mark.levels if level in group)
        placer.place(f"{names} {digits(group[0].intensity)}", group[0].intensity, mark.place.speed, COLOURS[0])


def label_kernels(panel: Panel, placer: Placer) -> None:
    """Names; or numbers, where kernels whose marks meet share a label."""
    numbered = key_columns(panel) > 0
    crowds: list[list[int]] = []
    for number, mark in enumerate(panel.marks):
        near = (c for c in crowds if numbered and _meet(panel.marks[c[0]].place, mark.place, placer))
        crowd = next(near, None)
        if crowd is None:
            crowds.append(crowd := [])
        crowd.append(number)
    for crowd in crowds:
        mark = panel.marks[crowd[len(crowd) // 2]]
        colour = COLOURS[crowd[0] % len(COLOURS)] if len(crowd) == 1 else ROOF
        label = _ranges(crowd) if numbered else shortened(mark.labels)
        placer.place(label, mark.place.intensity, mark.place.speed, colour)


def _meet(one: Point, other: Point, placer: Placer) -> bool:
    return placer.distance((one.intensity, one.speed), (other.intensity, other.speed)) < MARK_SIZE


def _ranges(numbers: Sequence[int]) -> str:
    """The numbers of a label in the key: ``3``, ``7–9``, ``3, 7–9``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0] + 1}–{run[-1] + 1}" if len(run) > 1 else str(run[0] + 1) for run in runs)


def label_sizes(mark: Mark, placer: Placer, colour: str) -> None:
    """The sizes of a path: of its ends, and of points in between that are far from the last that has one."""
    last: tuple[float, float] | None = None
    for number, point in enumerate(mark.path):
        here = math.log10(point.intensity), math.log10(point.speed)
        is_end = number in (0, len(mark.path) - 1)
        if point.size is not None and (last is None or math.dist(here, last) > (0.15 if is_end else 0.4)):
            placer.place_if_free(f"n = {point.size}", point.intensity, point.speed, colour, 7.0)
            last = here


def shortened(names: Sequence[str], most: int = 4) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
