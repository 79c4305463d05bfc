"""What a change promises: the expected time of a call before and after it. All findings and advice promise this."""

from __future__ import annotations

from roofscan.frozen import dataclass
from roofscan.units import duration, figure


@dataclass(frozen=True)
class Speedup:
    """Expected seconds of a call before and after a change, where the kernel is judged or ``at`` other sizes."""

    before: float
    after: float
    at: str = ""  # "n = 400"

    @property
    def gain(self) -> float:
        return self.before / self.after

    @property
    def figures(self) -> tuple[tuple[str, float], ...]:
        """Of a finding that promises it."""
        return ("gain", self.gain), ("seconds_before", self.before), ("seconds_after", self.after)

    @property
    def times(self) -> str:
        """``6.8 ms to 2.7 ms``"""
        return f"{duration(self.before)} to {duration(self.after)}"

    @property
    def sizes(self) -> str:
        """``Both times are at n = 400.``"""
        return f"Both times are at {self.at}." if self.at else ""

    def phrase(self) -> str:
        """``2.5x faster (6.8 ms to 2.7 ms at n = 400)``"""
        return f"{figure(self.gain, 2)}x faster ({self.times}{f' at {self.at}' if self.at else ''})"
