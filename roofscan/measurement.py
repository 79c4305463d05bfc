"""Measured figures of a kernel, whatever measured them, and the predicted ones beside them: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from roofscan.frozen import dataclass

SAVED_SCHEMA = "roofscan-measured/1"  # of the JSON that ``roofscan measure`` writes
MEMORY = "memory"  # in ``Measurement.bytes``: the outermost level, whatever a machine calls it


@dataclass(frozen=True)
class Measurement:
    """What one call of a kernel took. What was not measured is None or absent."""

    kernel: str  # as the tool writes its name; "": the tool names none
    tool: str
    place: str  # the file, and the line of it
    seconds: float | None = None
    flops: float | None = None
    bytes: Mapping[str, float] = field(default_factory=dict)  # by the level that serves them
    sizes: Mapping[str, int] = field(default_factory=dict)  # symbol -> value
    calls: int = 1  # of which these are the mean


@dataclass(frozen=True)
class Pair:
    """One figure: "time" in seconds, "FLOPs", or the bytes of a level by its name."""

    name: str
    measured: float | None
    predicted: float | None
    unit: str = "B"


@dataclass(frozen=True)
class Compared:
    """A measurement beside what is predicted at its sizes on one machine."""

    measurement: Measurement
    pairs: tuple[Pair, ...]
    at_least: float | None  # seconds
    memory: str  # the name of the outermost level

    def figure(self, name: str) -> float | None:
        """What was measured, or else what is predicted."""
        found = (p.measured if p.measured is not None else p.predicted for p in self.pairs if p.name == name)
        return next(found, None)
