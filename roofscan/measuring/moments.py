"""Groups of figures, measured again at later moments where a neighbour on the core disturbed some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from roofscan.frozen import dataclass
from roofscan.measuring.quiet_timer import NEIGHBOUR
from roofscan.measuring.sheet import Figure

Group = Callable[[], Iterator[tuple[str, Figure]]]


@dataclass(frozen=True)
class _Taken:
    figure: Figure
    disturbed: int  # timings beside a neighbour


class Moments:
    """The figures of each group, each from the moment at which the fewest of its timings were disturbed."""

    def __init__(self) -> None:
        self._groups: dict[str, Group] = {}
        self._taken: dict[str, dict[str, _Taken]] = {}

    def add(self, name: str, group: Group) -> None:
        self._groups[name] = group
        self._taken[name] = _measured(group)

    def __getitem__(self, name: str) -> dict[str, Figure]:
        return {key: taken.figure for key, taken in self._taken[name].items()}

    def again(self) -> None:
        """Measures the groups that were disturbed."""
        for name, group in self._groups.items():
            before = self._taken[name]
            if any(taken.disturbed for taken in before.values()):
                now = _measured(group)
                self._taken[name] = {key: min(before[key], now[key], key=_disturbed) for key in before}


def _measured(group: Group) -> dict[str, _Taken]:
    found = {}
    before = NEIGHBOUR.disturbed
    for name, figure in group():
        found[name] = _Taken(figure, NEIGHBOUR.disturbed - before)
        before = NEIGHBOUR.disturbed
    return found


def _disturbed(taken: _Taken) -> int:
    return taken.disturbed
