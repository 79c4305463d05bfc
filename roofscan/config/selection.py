"""Which codes are reported, by flake8's rules, and for which paths. Standard library and findings only."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch

from roofscan.finding import Finding

INSIDE = ("RFL2", "RFL3", "RFL4")  # codes located inside a kernel, at places that kernels that call each other share
ONE_VERDICT = ("RFL101", "RFL103", "RFL102")  # the codes of verdicts, at most one of them a kernel
ON_A_CORE = (*INSIDE, "RFL5")  # codes that promise a shorter time on one core
FUSIONS = frozenset(("fuse_expression", "fuse_loops", "fuse_passes"))
ROWS = "RFL504"  # which asks for loops in place of all statements on rows
NOTHING = 1.0  # the gain of a finding that says that nothing is to be gained


def chosen(
    code: str, default: bool, select: Sequence[str] = (), ignore: Sequence[str] = (), extend_select: Sequence[str] = ()
) -> bool:
    """Whether a code is reported: an entry names a code or the beginning of some. ``select`` replaces what is on by
    default, ``extend_select`` adds to it; where both a selecting and an ignoring entry match, the longer one wins, and
    ``ignore`` wins a tie."""
    selected = _longest(code, (*select, *extend_select))
    ignored = _longest(code, ignore)
    if selected or ignored:
        return selected > ignored
    return not select and default


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by place, each once: several callers of a helper may give the same one. Three kinds are left out: a
    finding that defers to a code found on the same kernel; one that promises nothing, beside one on a core that
    promises something; one whose change another code names too, or a wider change that promises more."""
    every = list(findings)
    present = {(finding.path, finding.kernel, finding.code) for finding in every}
    gaining = {(f.path, f.kernel) for f in every if f.code.startswith(ON_A_CORE) and f.gain and f.gain > NOTHING}
    changes: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in every:
        if finding.transformation:
            changes[finding.path, finding.kernel].append(finding)
    kept: dict[object, Finding] = {}
    for finding in sorted(every, key=lambda f: (f.line, f.column, f.code, f.message)):
        if (finding.path, finding.kernel, finding.defers_to) in present:
            continue
        if finding.gain == NOTHING and (finding.path, finding.kernel) in gaining:
            continue
        others = changes[finding.path, finding.kernel] if finding.transformation else ()
        if any(_name_one_change(other, finding) and _goes_first(other, finding) for other in others):
            continue
        place = (finding.path, finding.line, finding.column, finding.code)
        kept.setdefault(place if finding.code.startswith(INSIDE) else finding, finding)
    return list(kept.values())


def _goes_first(one: Finding, other: Finding) -> bool:
    """Of two that name one change, the first code; of fusions, one in the other, the one that promises more."""
    if one.transformation == other.transformation or (one.gain or 0) == (other.gain or 0):
        return one.code < other.code
    return (one.gain or 0) > (other.gain or 0)


def _name_one_change(one: Finding, other: Finding) -> bool:
    """The same, or statements and loops that become one anyway."""
    change, later = one.transformation, other.transformation
    if change is None or later is None:
        return False
    fuses = {change.kind, later.kind} <= FUSIONS and one.code != other.code
    if "fuse_passes" in (change.kind, later.kind) and ROWS not in (one.code, other.code):
        fuses = False  # one pass in place of several is more than a loop in place of a statement
    return change == later or (fuses and not set(change.lines).isdisjoint(later.lines))


def _longest(code: str, prefixes: Sequence[str]) -> int:
    return max((len(p) for p in prefixes if p and code.startswith(p.upper())), default=0)


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern fits the path, an end of it that begins at a folder, or its last part."""
    posix = os.path.normpath(path).replace(os.sep, "/")
    return any(_fits(posix, pattern.removeprefix("./").rstrip("/")) for pattern in patterns)


def _fits(path: str, pattern: str) -> bool:
    return fnmatch(path, pattern) or fnmatch(path, f"*/{pattern}")
