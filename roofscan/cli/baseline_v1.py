"""Entries of the first version of baselines: they held the beginning of a message, with ``#`` for each figure."""

from __future__ import annotations

import re

from roofscan.finding import Finding

_FIGURE = re.compile(r"(?<![^\W_])(?<![-.])\d[\d.,]*(e[+-]?\d+)?")

_NAMES_ITS_SUBJECT = ("RFL201", "RFL202", "RFL203", "RFL303")
"""Codes whose messages began with the array or the loop; the others had one finding a kernel, or named none."""


def describes(beginning: str, finding: Finding) -> bool:
    """Whether an entry may be that of a finding of the same file, kernel and code."""
    if finding.code not in _NAMES_ITS_SUBJECT:
        return True
    names = (re.escape(_FIGURE.sub("#", name)) for name in finding.subject.names)
    return any(re.search(rf"(?<![\w#]){name}(?![\w#])", beginning) for name in names)
