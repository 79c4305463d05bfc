"""Places labels on a chart so that they cover neither each other nor the marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

MARGIN = 2.0  # points around a label
LABEL_SIZE = 8.5
FAR = 4.0  # what a point of distance counts, in square pixels of overlap
LEADER_FROM = 15.0  # points
FARTHEST = 44.0  # points from a mark to its label
FIRST = 16.0  # pixels from the start of a slope to its label


@dataclass(frozen=True)
class Box:
    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, width) * max(0.0, height)

    def outside(self, frame: Box) -> float:
        return (self.right - self.left) * (self.top - self.bottom) - self.overlap(frame)


class Placer:
    """Remembers what is taken, and finds for each next label the best place that is left."""

    def __init__(self, ax: Axes, figure: Figure) -> None:
        self.ax = ax
        self.renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
        self.scale = figure.dpi / 72
        extent = ax.get_window_extent(self.renderer)
        self.frame = Box(extent.x0, extent.y0, extent.x1, extent.y1)
        self.lines: list[Box] = []
        self.labels: list[Box] = []

    def keep_clear(self, points: Sequence[tuple[float, float]], reach: float = 3.6) -> None:
        """Marks at these places (in data) and the lines between them are not to be covered."""
        reach = reach * self.scale
        pixels = _thinned([self._pixel(*point) for point in points], reach)
        for (x0, y0), (x1, y1) in zip(pixels, pixels[1:] or pixels, strict=False):
            steps = max(1, int(math.hypot(x1 - x0, y1 - y0) / (2 * reach)))
            for step in range(steps + 1):
                x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
                self.lines.append(Box(x - reach, y - reach, x + reach, y + reach))

    def place(
        self, label: str, x: float, y: float, colour: str, size: float = LABEL_SIZE, weight: str = "bold"
    ) -> None:
        text = self.ax.annotate(
            label, (x, y), xytext=(0, 0), textcoords="offset points", color=colour,
            fontsize=size, fontweight=weight, zorder=6,
        )  # fmt: skip
        own = self._box(text)
        near = self._near(own)
        best, least = None, math.inf
        for offset, horizontal, vertical in _around():
            cost = self._covered(self._moved(own, x, y, offset, horizontal, vertical), near)
            cost += FAR * max(map(abs, offset))
            if cost < least:
                best, least = (offset, horizontal, vertical), cost
        assert best is not None
        self._move(text, *best)
        self.labels.append(self._box(text))
        if max(map(abs, best[0])) > LEADER_FROM:
            self._lead(x, y, best[0], colour)

    def along(self, label: str, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
        """A label on a slope, turned like it, as near to its start as is free."""
        (x0, y0), (x1, y1) = self._pixel(*start), self._pixel(*end)
        angle, length = math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)
        width = len(label) * LABEL_SIZE * self.scale * 0.62
        if length < width * 0.5:
            return
        for shift in (FIRST, FIRST + width * 1.1, FIRST + width * 2.2):
            boxes = self._slanted(x0, y0, angle, shift, width)
            clear = not any(box.overlap(other) for box in boxes for other in self.labels)
            if clear and shift + width <= max(length, width + FIRST):
                break
        else:
            shift, boxes = FIRST, self._slanted(x0, y0, angle, FIRST, width)
        self.labels += boxes
        x, y = self.ax.transData.inverted().transform(
            (x0 + shift * math.cos(angle) - 4 * math.sin(angle), y0 + shift * math.sin(angle) + 4 * math.cos(angle))
        )
        self.ax.text(
            x, y, label, rotation=math.degrees(angle), rotation_mode="anchor", color=colour,
            fontsize=LABEL_SIZE, ha="left", va="bottom", zorder=3,
        )  # fmt: skip

    def level(self, label: str, x: float, y: float, colour: str) -> None:
        for vertical, anchor in ((4, "bottom"), (-4, "top")):
            text = self.ax.annotate(
                label, (x, y), xytext=(-4, vertical), textcoords="offset points", color=colour,
                fontsize=LABEL_SIZE, ha="right", va=anchor, zorder=3,
            )  # fmt: skip
            box = self._box(text)
            if not any(box.overlap(other) for other in self.labels) or anchor == "top":
                self.labels.append(box)
                return
            text.remove()

    def _near(self, own: Box) -> list[Box]:
        """The lines that a label may cover, wherever around its mark it is placed."""
        reach = FARTHEST * self.scale + own.right - own.left
        around = Box(own.left - reach, own.bottom - reach, own.right + reach, own.top + reach)
        return [line for line in self.lines if line.overlap(around)]

    def _moved(self, own: Box, x: float, y: float, offset: tuple[float, float], horizontal: str, vertical: str) -> Box:
        width, height = own.right - own.left, own.top - own.bottom
        px, py = self._pixel(x, y)
        margin = MARGIN * self.scale
        left = px + offset[0] * self.scale - {"left": margin, "center": width / 2, "right": width - margin}[horizontal]
        low = py + offset[1] * self.scale - {"bottom": margin, "center": height / 2, "top": height - margin}[vertical]
        return Box(left, low, left + width, low + height)

    def _covered(self, box: Box, near: Sequence[Box]) -> float:
        """How bad this place is: lines may be crossed where it must be, labels hardly, the frame neither."""
        lines = sum(box.overlap(other) for other in near)
        labels = sum(box.overlap(other) for other in self.labels)
        return lines + 20 * labels + 5 * box.outside(self.frame)

    def _lead(self, x: float, y: float, offset: tuple[float, float], colour: str) -> None:
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
        self.ax.annotate("", (x, y), xytext=offset, textcoords="offset points", arrowprops=line, zorder=4)

    def _slanted(self, x0: float, y0: float, angle: float, shift: float, width: float) -> list[Box]:
        """A slanted label as small upright boxes along its line."""
        height = LABEL_SIZE * self.scale * 1.3
        boxes = []
        for part in range(12):
            at = shift + width * (part + 0.5) / 12
            x = x0 + at * math.cos(angle) - height * 0.7 * math.sin(angle)
            y = y0 + at * math.sin(angle) + height * 0.7 * math.cos(angle)
            boxes.append(Box(x - height / 2, y - height / 2, x + height / 2, y + height / 2))
        return boxes

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        px, py = self.ax.transData.transform((x, y))
        return float(px), float(py)

    def _box(self, text: Text) -> Box:
        extent = text.get_window_extent(self.renderer)
        margin = MARGIN * self.scale
        left, bottom, right, top = (float(edge) for edge in (extent.x0, extent.y0, extent.x1, extent.y1))
        return Box(left - margin, bottom - margin, right + margin, top + margin)

    @staticmethod
    def _move(text: Text, offset: tuple[float, float], horizontal: str, vertical: str) -> None:
        text.set_position(offset)
        text.set(ha=horizontal, va=vertical)


def _around() -> Iterator[tuple[tuple[float, float], str, str]]:
    """Places around a mark, the nearest and most readable first: offset in points, alignment."""
    for reach in (7.0, 12.0, 20.0, 30.0, FARTHEST):
        slant = reach * 0.8
        yield (reach, 0.0), "left", "center"
        yield (slant, -slant), "left", "top"
        yield (slant, slant), "left", "bottom"
        yield (0.0, -reach), "center", "top"
        yield (-slant, slant), "right", "bottom"
        yield (-reach, 0.0), "right", "center"
        yield (-slant, -slant), "right", "top"
        yield (0.0, reach), "center", "bottom"


def _thinned(pixels: list[tuple[float, float]], reach: float) -> list[tuple[float, float]]:
    """The ends of a line, and of its points those that are farther than ``reach`` from the one before."""
    kept = pixels[:1]
    for point in pixels[1:]:
        if point is pixels[-1] or math.dist(point, kept[-1]) > reach:
            kept.append(point)
    return kept
