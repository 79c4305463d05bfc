"""Which codes are reported, by flake8's rules. Standard library and findings only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roofscan.finding import Finding

INSIDE = ("RFL2", "RFL3", "RFL4")
"""Codes that stand on a place in a kernel, which kernels that call each other share."""


def chosen(
    code: str, default: bool, select: Sequence[str] = (), ignore: Sequence[str] = (), extend_select: Sequence[str] = ()
) -> bool:
    """Whether a code is reported: an entry names a code or the beginning of some.

    ``select`` replaces what is on by default, ``extend_select`` adds to it; where both a selecting and an
    ignoring entry match, the longer one wins, and ``ignore`` wins a tie.
    """
    selected = _longest(code, (*select, *extend_select))
    ignored = _longest(code, ignore)
    if selected or ignored:
        return selected > ignored
    return not select and default


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by place, each once.

    Several callers of a helper may give the same finding in it: one stands. A finding that defers to another code
    is left out where that code is found on the same kernel.
    """
    every = list(findings)
    present = {(finding.path, finding.kernel, finding.code) for finding in every}
    kept: dict[object, Finding] = {}
    for finding in sorted(every, key=lambda f: (f.line, f.column, f.code, f.message)):
        if (finding.path, finding.kernel, finding.defers_to) in present:
            continue
        place = (finding.path, finding.line, finding.column, finding.code)
        kept.setdefault(place if finding.code.startswith(INSIDE) else finding, finding)
    return list(kept.values())


def _longest(code: str, prefixes: Sequence[str]) -> int:
    return max((len(p) for p in prefixes if p and code.startswith(p.upper())), default=0)
