"""Maps line numbers of a text to those of a later version that differs in one stretch of lines."""

from __future__ import annotations

from itertools import takewhile


class MovedLines:
    """Lines count from 1. Those before and behind the change are found again; in it, they stay as near as they can."""

    def __init__(self, before: str, after: str) -> None:
        self._before, self._after = before.split("\n"), after.split("\n")
        shorter = min(len(self._before), len(self._after))
        self._same_above = _alike(zip(self._before, self._after))
        self._same_below = min(_alike(zip(reversed(self._before), reversed(self._after))), shorter - self._same_above)

    def later(self, line: int) -> int:
        return self._moved(line, len(self._before), len(self._after))

    def earlier(self, line: int) -> int:
        return self._moved(line, len(self._after), len(self._before))

    def _moved(self, line: int, here: int, there: int) -> int:
        if line <= self._same_above:
            return line
        if line > here - self._same_below:
            return line + there - here
        return min(line, max(1, there - self._same_below))


def _alike(pairs: zip[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
