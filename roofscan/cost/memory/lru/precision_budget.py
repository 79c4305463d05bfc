"""How much one kernel's model may take in all, whatever it is spent on: many boxes, large unions, several attempts."""

from __future__ import annotations

from dataclasses import dataclass


class TooMuch(Exception):
    """The model of a kernel takes more than it may."""


@dataclass
class Meter:
    """Counts steps of about 25 microseconds; ``most``: how many there may be (None: any)."""

    most: int | None = None
    spent: int = 0

    def spend(self, steps: int) -> None:
        """Notes steps before they are done; TooMuch where they are more than there may be."""
        self.spent += steps
        if self.most is not None and self.spent > self.most:
            raise TooMuch
