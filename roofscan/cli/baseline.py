"""Findings that are known and not to be told again: a JSON file that is read, compared and refreshed.

It holds, by file, kernel and code, what each finding says without lines and figures, so that it changes only where
findings do, and a change of it reads well in a diff.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from roofscan.config import values
from roofscan.errors import OptionError
from roofscan.finding import Finding
from roofscan.report.identity import core

SCHEMA = "roofscan-baseline/1"
NEVER = ("RFL902", "RFL999")  # what is wrong with the options or with roofscan is to be told each time
_LARGEST = 50_000_000


class BaselineError(OptionError):
    """A baseline that cannot be read or written. The message is one line, and says what to do."""


@dataclass(frozen=True, order=True)
class Entry:
    """One finding of a baseline; ``path`` is relative to the baseline's folder, with slashes."""

    path: str
    kernel: str
    code: str
    core: str


@dataclass(frozen=True)
class Baseline:
    """The entries of a file, each with how often it stands there."""

    file: str
    entries: Counter[Entry]

    def entry(self, finding: Finding) -> Entry:
        return Entry(self.place(finding.path), finding.kernel, finding.code, core(finding))

    def place(self, path: str) -> str:
        """A path as entries name it."""
        try:
            return os.path.relpath(path, os.path.dirname(os.path.abspath(self.file))).replace(os.sep, "/")
        except ValueError:  # another drive
            return os.path.abspath(path).replace(os.sep, "/")

    def exists(self, place: str) -> bool:
        return os.path.exists(os.path.join(os.path.dirname(os.path.abspath(self.file)), place))

    def new(self, findings: Iterable[Finding]) -> tuple[list[Finding], Counter[Entry]]:
        """The findings that it does not have, and what it has that is not found."""
        left, new = self.entries.copy(), []
        for finding in findings:
            entry = self.entry(finding)
            if left[entry] > 0 and finding.code not in NEVER:
                left[entry] -= 1
            else:
                new.append(finding)
        return new, +left

    def refreshed(self, findings: Iterable[Finding], stays: Callable[[Entry], bool]) -> Baseline:
        """With these findings, and those entries of the old ones that ``stays`` says to keep."""
        kept = {entry: count for entry, count in self.entries.items() if stays(entry)}
        now = Counter(self.entry(finding) for finding in findings if finding.code not in NEVER)
        return Baseline(self.file, Counter({**kept, **now}))


def read_baseline(file: str, must_exist: bool = True) -> Baseline:
    """The baseline in a file. Raises BaselineError."""
    shown = values.shown(file)
    try:
        with open(file, "rb") as stream:
            data = stream.read(_LARGEST)
        return Baseline(file, Counter(_entries(json.loads(data))))
    except FileNotFoundError:
        if not must_exist:
            return Baseline(file, Counter())
        raise BaselineError(f"there is no baseline {shown}; make one with --update-baseline") from None
    except (OSError, ValueError, RecursionError, TypeError, AttributeError, KeyError) as error:
        why = " ".join(str(getattr(error, "strerror", None) or error).split())[:120]
        remedy = "restore it, or delete it and run with --update-baseline"
        raise BaselineError(f"baseline {shown} cannot be read: {why}; {remedy}") from None


def _entries(document: Any) -> Iterable[Entry]:
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ValueError(f'it is no baseline of this version ("schema": "{SCHEMA}")')
    for path, kernels in document["findings"].items():
        for kernel, codes in kernels.items():
            for code, cores in codes.items():
                if not isinstance(cores, list):
                    raise ValueError(f"{code} of {values.shown(path)} is no list")
                yield from (Entry(path, kernel, code, str(text)) for text in cores)


def write_baseline(baseline: Baseline) -> None:
    """Writes the file, whole or not at all. Raises BaselineError."""
    place = os.path.realpath(baseline.file)
    passing = f"{place}.{os.getpid()}.tmp"
    try:
        with open(passing, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            stream.write(_text(baseline))
        os.replace(passing, place)
    except (OSError, ValueError) as error:
        try:
            os.remove(passing)
        except (OSError, ValueError):
            pass
        why = getattr(error, "strerror", None) or error
        shown = values.shown(baseline.file)
        raise BaselineError(f"baseline {shown} cannot be written: {why}; name another file") from None


def _text(baseline: Baseline) -> str:
    table: dict[str, dict[str, dict[str, list[str]]]] = {}
    for entry in sorted(baseline.entries.elements()):
        codes = table.setdefault(entry.path, {}).setdefault(entry.kernel, {})
        codes.setdefault(entry.code, []).append(entry.core)
    return json.dumps({"schema": SCHEMA, "findings": table}, indent=2, ensure_ascii=False) + "\n"
