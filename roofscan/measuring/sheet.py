"""Measured figures: a value, the spread of its runs, how it was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.frozen import dataclass


@dataclass(frozen=True)
class Figure:
    value: float
    spread: float  # how far the third-best run lies above the best, as a share
    method: str

    def by(self, method: str) -> Figure:
        return replace(self, method=method)

    def rate(self, clock: float) -> Figure:
        """Operations per second, from cycles per operation."""
        return replace(self, value=clock / self.value)

    def times(self, factor: float, method: str) -> Figure:
        return replace(self, value=self.value * factor, method=method)

    @property
    def source(self) -> str:
        return f"measured: {self.method}; spread {self.spread:.0%}"


def mean(figures: Sequence[Figure]) -> Figure:
    return Figure(sum(f.value for f in figures) / len(figures), max(f.spread for f in figures), "")
