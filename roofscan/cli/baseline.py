"""Findings that are known and not reported again: a JSON file with what each finding is about, by file, kernel and
code. It holds no lines, figures or words, so that it changes only where findings do, and reads well in a diff."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from roofscan.cli import output
from roofscan.cli.errors import UsageError
from roofscan.config import values
from roofscan.config.options import Options
from roofscan.config.selection import ONE_VERDICT
from roofscan.files import file_of
from roofscan.finding import Finding
from roofscan.units import counted

if TYPE_CHECKING:
    from roofscan.cache.lookup import Checked
    from roofscan.cache.records import Coverage

SCHEMA = "roofscan-baseline/2"
OLD_SCHEMA = "roofscan-baseline/1"
NEVER = ("RFL902", "RFL999")  # codes that no baseline holds: they say what is wrong with the options or with roofscan
MAX_BYTES = 50_000_000

# Entries of the first version hold the beginning of a message, with ``#`` for each figure.
_FIGURE = re.compile(r"(?<![^\W_])(?<![-.])\d[\d.,]*(e[+-]?\d+)?")

_NAMES_ITS_SUBJECT = ("RFL201", "RFL202", "RFL203", "RFL303")
"""Codes whose messages began with the array or the loop; the others had one finding a kernel, or named none."""


@dataclass(frozen=True, order=True)
class Entry:
    """One finding of a baseline; ``path`` is relative to the baseline's folder, with slashes. ``subject`` is the text
    of the finding's subject; in a file of the first version, the beginning of its message."""

    path: str
    kernel: str
    code: str
    subject: str


@dataclass(frozen=True)
class Baseline:
    """The entries of a file, each with how often it occurs; ``old`` are those of the first version."""

    file: str
    entries: Counter[Entry] = field(default_factory=Counter)
    old: Counter[Entry] = field(default_factory=Counter)

    def entry(self, finding: Finding) -> Entry:
        return Entry(self.place(file_of(finding.path)[0]), finding.kernel, finding.code, str(finding.subject))

    def place(self, path: str) -> str:
        try:
            return os.path.relpath(path, os.path.dirname(os.path.abspath(self.file))).replace(os.sep, "/")
        except ValueError:  # another drive
            return os.path.abspath(path).replace(os.sep, "/")

    def exists(self, place: str) -> bool:
        return os.path.exists(os.path.join(os.path.dirname(os.path.abspath(self.file)), place))

    def new(self, findings: Iterable[Finding]) -> tuple[list[Finding], Counter[Entry]]:
        left, old, new = self.entries.copy(), self.old.copy(), []
        for finding in findings:
            entry = self.entry(finding)
            known = left if left[entry] > 0 else old
            match = entry if known is left else _old_entry(entry, finding, old)
            if match is None or finding.code in NEVER:
                new.append(finding)
            else:
                known[match] -= 1
        return new, +left + +old

    def refreshed(self, findings: Iterable[Finding], stays: Callable[[Entry], bool]) -> Baseline:
        """With these findings, and those entries of the old ones that ``stays`` says to keep."""
        kept, old = (
            Counter({entry: count for entry, count in entries.items() if stays(entry)})
            for entries in (self.entries, self.old)
        )
        now = Counter(self.entry(finding) for finding in findings if finding.code not in NEVER)
        return Baseline(self.file, Counter({**kept, **now}), old)

    @property
    def total(self) -> int:
        return self.entries.total() + self.old.total()


def _old_entry(entry: Entry, finding: Finding, old: Counter[Entry]) -> Entry | None:
    same_place = (e for e in old if (e.path, e.kernel, e.code) == (entry.path, entry.kernel, entry.code) and old[e] > 0)
    return next((e for e in same_place if _describes(e.subject, finding)), None)


def _describes(beginning: str, finding: Finding) -> bool:
    """Whether an entry may be that of a finding of the same file, kernel and code."""
    if finding.code not in _NAMES_ITS_SUBJECT:
        return True
    names = (re.escape(_FIGURE.sub("#", name)) for name in finding.subject.names)
    return any(re.search(rf"(?<![\w#]){name}(?![\w#])", beginning) for name in names)


def read_baseline(file: str, must_exist: bool = True) -> Baseline:
    shown = values.shown(file)
    try:
        with open(file, "rb") as stream:
            data = stream.read(MAX_BYTES)
        return _read(file, json.loads(data))
    except FileNotFoundError:
        if not must_exist:
            return Baseline(file)
        raise UsageError(f"there is no baseline {shown}; make one with --update-baseline") from None
    except (OSError, ValueError, RecursionError, TypeError, AttributeError, KeyError) as error:
        why = " ".join(str(getattr(error, "strerror", None) or error).split())[:120]
        remedy = "restore it, or delete it and run with --update-baseline"
        raise UsageError(f"baseline {shown} cannot be read: {why}; {remedy}") from None


def _read(file: str, document: Any) -> Baseline:
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema not in (SCHEMA, OLD_SCHEMA):
        raise ValueError(f'it is not a baseline of this version ("schema": "{SCHEMA}")')
    first = Counter(_entries(document["findings"]))
    if schema == OLD_SCHEMA:
        return Baseline(file, old=first)
    return Baseline(file, first, Counter(_entries(document.get("findings_v1", {}))))


def _entries(table: Any) -> Iterable[Entry]:
    for path, kernels in table.items():
        for kernel, codes in kernels.items():
            for code, subjects in codes.items():
                if not isinstance(subjects, list):
                    raise ValueError(f"{code} of {values.shown(path)} is not a list")
                yield from (Entry(path, kernel, code, str(text)) for text in subjects)


def write_baseline(baseline: Baseline) -> None:
    """Writes the file atomically. UsageError where it cannot be written."""
    try:
        output.replace_file(baseline.file, _text(baseline).encode("utf-8", "backslashreplace"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        shown = values.shown(baseline.file)
        raise UsageError(f"baseline {shown} cannot be written: {why}; name another file") from None


def _text(baseline: Baseline) -> str:
    document: dict[str, Any] = {"schema": SCHEMA, "findings": _table(baseline.entries)}
    if baseline.old:
        document["findings_v1"] = _table(baseline.old)
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _table(entries: Counter[Entry]) -> dict[str, dict[str, dict[str, list[str]]]]:
    table: dict[str, dict[str, dict[str, list[str]]]] = {}
    for entry in sorted(entries.elements()):
        codes = table.setdefault(entry.path, {}).setdefault(entry.kernel, {})
        codes.setdefault(entry.code, []).append(entry.subject)
    return table


MAX_LINES = 20
ABOUT_COMMENTS = "RFL9"


def unknown(findings: list[Finding], read: Mapping[str, Checked], options: Options) -> list[Finding]:
    """The findings that the baseline lacks; says what became of its other entries on the files that were ``read``."""
    baseline = read_baseline(options.baseline)
    new, left = baseline.new([*findings, *(f for checked in read.values() for f in checked.silenced)])
    coverage = {(baseline.place(p), name): k.coverage for p, c in read.items() for name, k in c.kernels.items()}
    judged = {(entry.path, entry.kernel) for entry in map(baseline.entry, findings) if entry.code in ONE_VERDICT}
    gone = defaultdict[str, list[Entry]](list)
    for entry in sorted(left):
        if not _stays(entry, baseline, read, options):
            kernel = entry.path, entry.kernel
            gone[_became(entry, coverage.get(kernel), kernel in judged)].append(entry)
    refresh_it = f"refresh {values.shown(options.baseline)} with --update-baseline"
    for what, entries in gone.items():
        for entry in entries[:MAX_LINES]:
            _say(f"{entry.path}: {entry.code} {entry.kernel} {what} ({entry.subject}); {refresh_it}")
        if entries[MAX_LINES:]:
            _say(f"{len(entries) - MAX_LINES} more: {what}; {refresh_it}")
    shown = set(findings)
    return [finding for finding in new if finding in shown]


def _became(entry: Entry, coverage: Coverage | None, judged: bool) -> str:
    """What became of an entry that no finding matches. ``coverage``: of its kernel, None where that is not analyzed;
    ``judged``: the kernel has a verdict of another code."""
    is_verdict = entry.code in ONE_VERDICT
    if not entry.kernel or entry.code.startswith(ABOUT_COMMENTS):
        return "is fixed"
    if coverage is None:
        return "is no longer analyzed"
    if is_verdict and (judged or coverage == "accepted"):
        return "was replaced by another verdict" if judged else "is accepted"
    return "is no longer decided" if coverage == "undecided" else "is fixed"


def refresh(findings: list[Finding], read: Collection[str], options: Options) -> list[Finding]:
    """Writes the baseline anew for the files that were examined; returns the findings that none may hold."""
    baseline = read_baseline(options.baseline, must_exist=False)
    baseline = baseline.refreshed(findings, lambda entry: _stays(entry, baseline, read, options))
    write_baseline(baseline)
    _say(f"baseline {values.shown(options.baseline)} holds {counted(baseline.total, 'finding')}")
    return [finding for finding in findings if finding.code in NEVER]


def _stays(entry: Entry, baseline: Baseline, read: Collection[str], options: Options) -> bool:
    """Whether this run says nothing of an entry: its file was not examined, or its code is not selected."""
    if not baseline.exists(entry.path):
        return False
    if entry.path not in {baseline.place(path) for path in read}:
        return True
    from roofscan.api import enabled  # loads the analysis: only for entries that were not found

    return not enabled(entry.code, options)


def _say(line: str) -> None:
    output.write(sys.stderr, f"roofscan: {line}\n")
