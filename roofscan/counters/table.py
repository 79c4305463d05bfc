"""The text of a file of measurements: its lines, numbers and units, and errors with their line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import isfinite

from roofscan.errors import OptionError
from roofscan.frozen import dataclass

_PREFIXES = {
    "": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "n": 1e-9, "u": 1e-6, "m": 1e-3,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30,
}  # fmt: skip
_NOTHING = re.compile("-|n/?an?|<.*>", re.IGNORECASE)
_UNIT = re.compile(r"(?P<prefix>[KMG]i|[KMGTnum]?)(?:byte|B|bytes|Bytes|second|sec|s|inst|sector)?(?P<rate>/.*)?")


@dataclass(frozen=True)
class MeasuredText:
    path: str
    text: str

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def wrong(self, line: int, what: str) -> OptionError:
        return OptionError(f"{self.path}:{line}: {what}")

    def number(self, text: str, line: int, unit: str = "") -> float | None:
        """A figure in base units; None for an empty one and for one that was not counted."""
        bare = text.strip().replace(",", "")
        if not bare or _NOTHING.fullmatch(bare):
            return None
        try:
            number = float(bare) * scale(unit)
        except ValueError:
            raise self.wrong(line, f'"{text[:40]}" is not a number; correct it, or leave the cell empty') from None
        if not isfinite(number) or number < 0:
            raise self.wrong(line, f'"{text[:40]}" cannot have been measured; correct it, or leave the cell empty')
        return number


def scale(unit: str) -> float:
    """The factor from ``unit`` to base units (bytes, seconds, bytes per second): of ``Mbyte``, ``usecond``, ``GBytes``,
    ``MiB``, ``Gbyte/second``."""
    found = _UNIT.fullmatch(unit.strip())
    return _PREFIXES[found["prefix"]] if found else 1.0


def total(counts: Mapping[str, float], parts: Iterable[tuple[str, float]]) -> float | None:
    """The weighted sum of the events that were counted; None where none was."""
    found = [counts[name] * weight for name, weight in parts if name in counts]
    return sum(found) if found else None


def sum_of_all(counts: Mapping[str, float], alternatives: Iterable[Mapping[str, float]]) -> float | None:
    """The weighted sum of the first of ``alternatives`` that was counted with all its parts."""
    for parts in alternatives:
        if all(name in counts for name in parts):
            return sum(counts[name] * weight for name, weight in parts.items())
    return None
