"""The expected time of a call, and a time that no call can beat: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TYPICAL = (0.8, 1.5)  # measured times of most kernels are within these factors of the expected one


@dataclass(frozen=True)
class TimePrediction:
    """Seconds of one call. ``parts`` are the shares of what takes the time, by resource: the name of a level, ``tlb``,
    ``vector``, ``scalar``, ``issue``, ``divider``, ``function``, ``chain``, ``start`` or ``call``."""

    expected: float
    at_least: float
    parts: Mapping[str, float]
    calibrated: bool  # whether the machine's figures of time are its own

    @property
    def limit(self) -> str:
        return max(self.parts, key=lambda name: self.parts[name])


@dataclass(frozen=True)
class NoTime:
    """Why there is no expected time."""

    why: str
