"""The sentence of a finding: the kernel and the factor first, then the remedy, then why. Editors show little more than
its beginning: what makes it long is left to the details."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofscan.frozen import dataclass
from roofscan.roofline.time.speedup import Speedup
from roofscan.units import figure

LONGEST = 113  # characters of a message, so that one of 120 has room for its code

_VERBS = (
    "accumulate|add|batch|call|compile|compute|convert|copy|fuse|give|hoist|keep|make|multiply|order|read|reuse|store|tile|use|walk"
    "|write"
)
_AFTER = re.compile(rf"((?:^|, then | and )(?:{_VERBS}))\b")


@dataclass(frozen=True)
class Wording:
    short: str
    full: str


def sentence(kernel: str, speedup: Speedup | None, remedy: str, *reasons: str, at_most: bool = False) -> Wording:
    """``f: 4.4x by tiling k; memory-bound at DRAM``; where no gain is known ``f: tile k; memory-bound at DRAM``.
    ``reasons``: the whole one, then shorter ones."""
    if speedup:
        factor = f"{'up to ' if at_most else ''}{figure(speedup.gain, 2)}x"
        remedy = (
            f"{factor} {remedy.removeprefix('compile ')}" if _is_option(remedy) else f"{factor} by {_doing(remedy)}"
        )
    return shortest([f"{kernel}: {remedy}; {why}" for why in reasons])


def shortest(forms: Sequence[str]) -> Wording:
    """The first of these forms of one sentence, the whole one first, that is short enough."""
    return Wording(next((form for form in forms if len(form) <= LONGEST), forms[-1]), forms[0])


def with_times(why: str, speedup: Speedup | None) -> tuple[str, ...]:
    """``a chain of additions (6.8 ms to 2.7 ms)``, or without the times."""
    return (f"{why} ({speedup.times})", why) if speedup else (why,)


def _is_option(remedy: str) -> bool:
    """``compile with fastmath=True`` alone: ``with`` is enough."""
    return remedy.startswith("compile with ") and " and " not in remedy


def _doing(remedy: str) -> str:
    """``tiling k, then fusing both loops`` of ``tile k, then fuse both loops``."""
    return _AFTER.sub(lambda match: f"{match[1].removesuffix('e')}ing", remedy)
