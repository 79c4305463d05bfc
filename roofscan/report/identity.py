"""What makes two findings of two runs the same one: no line, no column, no figure."""

from __future__ import annotations

import re

from roofscan.finding import Finding

_CORE = re.compile(r"[^:;(]*")
_FIGURE = re.compile(r"(?<![^\W_])(?<![-.])\d[\d.,]*(e[+-]?\d+)?")


def core(finding: Finding) -> str:
    """The beginning of the message, up to its details, with ``#`` for each figure."""
    start = _CORE.match(finding.message)
    return " ".join(_FIGURE.sub("#", start[0] if start else "").split()) or finding.code
