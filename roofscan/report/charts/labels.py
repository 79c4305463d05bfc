"""Places labels on a chart so that they cover neither each other nor marks nor lines."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from roofscan.frozen import dataclass

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

Point = tuple[float, float]
Candidate = tuple[Point, str, str]  # offset in points, horizontal and vertical alignment

MARGIN = 1.5  # points around a label
LABEL_SIZE = 8.5
LABEL_WEIGHT = 1000  # what covering a label counts against covering a line
FRAME_WEIGHT = 50
LEADER_FROM = 15.0  # points
MAX_LABEL_DISTANCE = 30.0  # points: a label that may be left out is no farther from its mark
REACHES = (7.0, 12.0, 20.0, 30.0, 44.0, 60.0, 80.0, 105.0, 135.0, 170.0)  # points from a mark to its label
SLOPE_STEP = 12.0  # pixels between the places that a label on a slope may have
PARTS = 24  # of a slanted label


@dataclass(frozen=True)
class LabelBox:
    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: LabelBox) -> float:
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, width) * max(0.0, height)

    def outside(self, frame: LabelBox) -> float:
        return (self.right - self.left) * (self.top - self.bottom) - self.overlap(frame)


class Placer:
    """Remembers what is taken, and finds for each next label the nearest free place, or the least covered one."""

    def __init__(self, ax: Axes, figure: Figure) -> None:
        self.ax = ax
        self.renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
        self.scale = figure.dpi / 72
        extent = ax.get_window_extent(self.renderer)
        self.frame = LabelBox(extent.x0, extent.y0, extent.x1, extent.y1)
        self.lines: list[LabelBox] = []
        self.labels: list[LabelBox] = []

    def keep_clear(self, points: Sequence[Point], reach: float = 3.6) -> list[LabelBox]:
        """Marks at these places (in data) and the lines between them are not to be covered."""
        reach = reach * self.scale
        pixels = _thinned([self._pixel(*point) for point in points], reach)
        found = []
        for (x0, y0), (x1, y1) in zip(pixels, pixels[1:] or pixels, strict=False):
            steps = max(1, int(math.hypot(x1 - x0, y1 - y0) / (2 * reach)))
            for step in range(steps + 1):
                x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
                found.append(LabelBox(x - reach, y - reach, x + reach, y + reach))
        self.lines += found
        return found

    def place(
        self, label: str, x: float, y: float, colour: str, size: float = LABEL_SIZE, weight: str = "bold"
    ) -> None:
        """Beside a mark, with a leader where it is far."""
        text = self._text(label, x, y, colour, fontsize=size, fontweight=weight, zorder=6)
        self._settle(text, (x, y), list(_around()), (), leads=True)
        self._lead(text, x, y, colour)

    def place_if_free(self, label: str, x: float, y: float, colour: str, size: float) -> None:
        """Near a mark, or nowhere."""
        text = self._text(label, x, y, colour, fontsize=size, zorder=6)
        places = [each for each in _around() if max(map(abs, each[0])) <= MAX_LABEL_DISTANCE]
        if self._settle(text, (x, y), places, (), leads=True):
            self.labels.pop()
            text.remove()
        else:
            self._lead(text, x, y, colour)

    def level(self, label: str, x: float, y: float, colour: str, own: Collection[LabelBox]) -> None:
        """On a level line that ends at ``x``, as far right as is free."""
        text = self._text(label, x, y, colour, fontsize=LABEL_SIZE, zorder=3)
        length = int((self._pixel(x, y)[0] - self.frame.left) / self.scale)
        places: Iterable[Candidate] = (
            ((-4.0 - shift, vertical), "right", anchor)
            for shift in range(0, max(1, length), 12)
            for vertical, anchor in ((4.0, "bottom"), (-4.0, "top"))
        )
        self._settle(text, (x, y), list(places), own)

    def upright(self, label: str, x: float, y: float, colour: str, own: Collection[LabelBox]) -> None:
        """Beside an upright line that begins at ``y``, as low as is free."""
        text = self._text(label, x, y, colour, fontsize=8, zorder=3)
        sides = ((4.0, "left"), (-4.0, "right"))
        rows = range(5, int((self.frame.top - self.frame.bottom) / self.scale), 11)
        self._settle(text, (x, y), [((dx, float(row)), side, "bottom") for row in rows for dx, side in sides], own)

    def along(self, label: str, start: Point, end: Point, colour: str, own: Collection[LabelBox]) -> None:
        """A label on a slope, turned like it, as near to its start as is free."""
        (x0, y0), (x1, y1) = self._pixel(*start), self._pixel(*end)
        angle, length = math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)
        width = len(label) * LABEL_SIZE * self.scale * 0.62
        if length < width * 0.5:
            return
        best, least = (SLOPE_STEP, 1), math.inf
        for number in range(max(1, int((length - width) / SLOPE_STEP))):
            for side in (1, -1):
                shift = SLOPE_STEP * (number + 1)
                cost = sum(self._cost(b, own) for b in self._slanted(x0, y0, angle, shift, width, side))
                if cost < least:
                    best, least = (shift, side), cost
            if not least:
                break
        shift, side = best
        self.labels += self._slanted(x0, y0, angle, shift, width, side)
        away = 4 * side
        x, y = self.ax.transData.inverted().transform(
            (
                x0 + shift * math.cos(angle) - away * math.sin(angle),
                y0 + shift * math.sin(angle) + away * math.cos(angle),
            )
        )
        self.ax.text(
            x, y, label, rotation=math.degrees(angle), rotation_mode="anchor", color=colour,
            fontsize=LABEL_SIZE, ha="left", va="bottom" if side > 0 else "top", zorder=3,
        )  # fmt: skip

    def _text(self, label: str, x: float, y: float, colour: str, **look: Any) -> Text:
        return self.ax.annotate(label, (x, y), xytext=(0, 0), textcoords="offset points", color=colour, **look)

    def _settle(
        self, text: Text, at: Point, places: Sequence[Candidate], own: Collection[LabelBox], leads: bool = False
    ) -> float:
        """Moves a label to the first free of the places, or to the least covered one. How bad that place is."""
        size, best, least = self._box(text), places[0], math.inf
        for candidate in places:
            cost = self._cost(self._moved(size, at, candidate), own)
            cost += self._crossed(at, candidate[0]) if leads else 0.0
            if cost < least:
                best, least = candidate, cost
            if not cost:
                break
        offset, horizontal, vertical = best
        text.set_position(offset)
        text.set(ha=horizontal, va=vertical)
        self.labels.append(self._box(text))
        return least

    def _moved(self, own: LabelBox, at: Point, candidate: Candidate) -> LabelBox:
        width, height = own.right - own.left, own.top - own.bottom
        (px, py), (offset, horizontal, vertical) = self._pixel(*at), candidate
        margin = MARGIN * self.scale
        left = px + offset[0] * self.scale - {"left": margin, "center": width / 2, "right": width - margin}[horizontal]
        low = py + offset[1] * self.scale - {"bottom": margin, "center": height / 2, "top": height - margin}[vertical]
        return LabelBox(left, low, left + width, low + height)

    def _cost(self, box: LabelBox, own: Collection[LabelBox]) -> float:
        """How bad this place is: 0 where it is free. ``own``: the line that the label is of."""
        lines = _covered(box, self.lines) - _covered(box, own)
        return max(0.0, lines) + LABEL_WEIGHT * _covered(box, self.labels) + FRAME_WEIGHT * box.outside(self.frame)

    def _crossed(self, at: Point, offset: Point) -> float:
        """What a leader to a label so far away would cover of other labels."""
        if max(map(abs, offset)) <= LEADER_FROM:
            return 0.0
        x, y = self._pixel(*at)
        spots = ((x + offset[0] * self.scale * k / 10, y + offset[1] * self.scale * k / 10) for k in range(1, 10))
        return LABEL_WEIGHT * sum(_covered(LabelBox(a - 1, b - 1, a + 1, b + 1), self.labels) for a, b in spots)

    def _lead(self, text: Text, x: float, y: float, colour: str) -> None:
        """A line from a mark to its label, where that is far."""
        offset = text.get_position()
        if max(map(abs, offset)) <= LEADER_FROM:
            return
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
        self.ax.annotate("", (x, y), xytext=offset, textcoords="offset points", arrowprops=line, zorder=4)
        px, py = self._pixel(x, y)
        end = self.ax.transData.inverted().transform((px + offset[0] * self.scale, py + offset[1] * self.scale))
        self.keep_clear([(x, y), (float(end[0]), float(end[1]))], 0.8)

    def _slanted(self, x0: float, y0: float, angle: float, shift: float, width: float, side: int) -> list[LabelBox]:
        """A slanted label as small upright boxes along its line."""
        height = LABEL_SIZE * self.scale * 0.9
        boxes = []
        for part in range(PARTS):
            at = shift + width * (part + 0.5) / PARTS
            x = x0 + at * math.cos(angle) - side * height * math.sin(angle)
            y = y0 + at * math.sin(angle) + side * height * math.cos(angle)
            boxes.append(LabelBox(x - height / 2, y - height / 2, x + height / 2, y + height / 2))
        return boxes

    def distance(self, one: Point, other: Point) -> float:
        """In points."""
        return math.dist(self._pixel(*one), self._pixel(*other)) / self.scale

    def _pixel(self, x: float, y: float) -> Point:
        px, py = self.ax.transData.transform((x, y))
        return float(px), float(py)

    def _box(self, text: Text) -> LabelBox:
        extent = text.get_window_extent(self.renderer)
        margin = MARGIN * self.scale
        left, bottom, right, top = (float(edge) for edge in (extent.x0, extent.y0, extent.x1, extent.y1))
        return LabelBox(left - margin, bottom - margin, right + margin, top + margin)


def _covered(box: LabelBox, others: Iterable[LabelBox]) -> float:
    return sum(
        box.overlap(o)
        for o in others
        if o.left < box.right and o.right > box.left and o.bottom < box.top and o.top > box.bottom
    )


def _around() -> Iterator[Candidate]:
    """Places around a mark, the nearest and most readable first."""
    for reach in REACHES:
        slant, flat = reach * 0.8, reach * 0.4
        yield (reach, 0.0), "left", "center"
        yield (slant, -slant), "left", "top"
        yield (slant, slant), "left", "bottom"
        yield (0.0, -reach), "center", "top"
        yield (-slant, slant), "right", "bottom"
        yield (-reach, 0.0), "right", "center"
        yield (-slant, -slant), "right", "top"
        yield (0.0, reach), "center", "bottom"
        if reach > LEADER_FROM:
            for dx, dy in ((reach, flat), (reach, -flat), (flat, -reach), (flat, reach)):
                yield (dx, dy), "left", "top" if dy < 0 else "bottom"
                yield (-dx, dy), "right", "top" if dy < 0 else "bottom"


def _thinned(pixels: list[Point], reach: float) -> list[Point]:
    """The ends of a line, and of its points those that are farther than ``reach`` from the one before."""
    kept = pixels[:1]
    for point in pixels[1:]:
        if point is pixels[-1] or math.dist(point, kept[-1]) > reach:
            kept.append(point)
    return kept
