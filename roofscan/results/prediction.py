"""The expected time of one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from roofscan import units
from roofscan.report.time_text import resources

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Prediction:
    """The expected time of a call with sizes given; times in seconds."""

    seconds: float
    typical: tuple[float, float]  # 0.8 to 1.5 times that
    at_least: float
    limit: str  # what takes most of the time: a level, "tlb", "chain", …
    flops_per_second: float
    bytes_per_second: float  # across the interface of ``level``; 0 where that does not limit
    level: str
    on_gpu: bool = False

    def __repr__(self) -> str:
        low, high = map(units.duration, self.typical)
        limit = resources(self.on_gpu).get(self.limit, self.limit)
        return f"<{units.duration(self.seconds)} a call ({low} to {high}), limited by {limit}>"
