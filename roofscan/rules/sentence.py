"""The sentence of a finding: the kernel and the factor first, then the remedy, then why. Editors show little more than
its beginning: what makes it long is left to the details."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.finding import NamesMachine
from roofscan.frozen import dataclass
from roofscan.remedy import Remedy
from roofscan.roofline.time.speedup import Speedup
from roofscan.units import figure

LONGEST = 113  # characters of a message, so that one of 120 has room for its code


@dataclass(frozen=True)
class Message:
    short: str
    full: str
    names_machine: NamesMachine = "never"


def sentence(
    kernel: str,
    speedup: Speedup | None,
    remedy: Remedy,
    *reasons: str,
    at_most: bool = False,
    naming: Sequence[int] = (),
) -> Message:
    """``f: 4.4x by tiling k; memory-bound at DRAM``; where no gain is known ``f: tile k; memory-bound at DRAM``.
    ``reasons``: the whole one, then shorter ones; none, where each is too long; ``naming``: which of them name the
    machine."""
    what = str(remedy)
    if speedup:
        factor = f"{'up to ' if at_most else ''}{figure(speedup.gain, 2)}x"
        what = f"{factor} {remedy.option or f'by {remedy.doing}'}"
    return shortest([*(f"{kernel}: {what}; {why}" for why in reasons), f"{kernel}: {what}"], naming)


def shortest(forms: Sequence[str], naming: Sequence[int] = ()) -> Message:
    """The first of these forms of one sentence, the whole one first, that is short enough; ``naming``: which of them
    name the machine."""
    chosen = next((n for n, form in enumerate(forms) if len(form) <= LONGEST), len(forms) - 1)
    return Message(forms[chosen], forms[0], "always" if chosen in naming else "at length" if 0 in naming else "never")


def with_times(why: str, speedup: Speedup | None) -> tuple[str, ...]:
    """``a chain of additions (6.8 ms to 2.7 ms)``, or without the times."""
    return (f"{why} ({speedup.times})", why) if speedup else (why,)
