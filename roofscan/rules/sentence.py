"""The sentence of a finding: the kernel and the factor first, then the remedy, then why. Editors show little more than
its beginning."""

from __future__ import annotations

import re

from roofscan.roofline.time.speedup import Speedup
from roofscan.units import figure

_VERBS = (
    "accumulate|add|batch|call|compile|convert|copy|fuse|give|hoist|keep|make|multiply|order|read|store|tile|use|walk"
    "|write"
)
_AFTER = re.compile(rf"((?:^|, then | and )(?:{_VERBS}))\b")


def sentence(kernel: str, speedup: Speedup | None, remedy: str, why: str, at_most: bool = False) -> str:
    """``f: 4.4x by tiling k; memory-bound at DRAM``; where no gain is known ``f: tile k; memory-bound at DRAM``."""
    if speedup:
        factor = f"{'up to ' if at_most else ''}{figure(speedup.gain, 2)}x"
        remedy = (
            f"{factor} {remedy.removeprefix('compile ')}" if _is_option(remedy) else f"{factor} by {_doing(remedy)}"
        )
    return f"{kernel}: {remedy}; {why}"


def _is_option(remedy: str) -> bool:
    """``compile with fastmath=True`` alone: ``with`` is enough."""
    return remedy.startswith("compile with ") and " and " not in remedy


def _doing(remedy: str) -> str:
    """``tiling k, then fusing both loops`` of ``tile k, then fuse both loops``."""
    return _AFTER.sub(lambda match: f"{match[1].removesuffix('e')}ing", remedy)
