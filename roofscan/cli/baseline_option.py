"""The baseline of ``check``: the findings that it holds are not reported, and its fixed entries are."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import TYPE_CHECKING

from roofscan.cli import output
from roofscan.cli.baseline import NEVER, Baseline, BaselineError, Entry, read_baseline, write_baseline
from roofscan.cli.errors import UsageError
from roofscan.config import values

if TYPE_CHECKING:
    from roofscan.config.options import Options
    from roofscan.finding import Finding

MAX_LINES = 20


def unknown(findings: list[Finding], read: Collection[str], options: Options) -> list[Finding]:
    """The findings that the baseline does not have; says which of its entries on the files that were ``read`` are
    fixed."""
    baseline = _read(options, must_exist=True)
    new, left = baseline.new(findings)
    fixed = [entry for entry in sorted(left) if not _stays(entry, baseline, read, options)]
    refresh_it = f"refresh {values.shown(options.baseline)} with --update-baseline"
    for entry in fixed[:MAX_LINES]:
        _say(f"{entry.path}: {entry.code} {entry.kernel} is fixed ({entry.subject}); {refresh_it}")
    if fixed[MAX_LINES:]:
        _say(f"{len(fixed) - MAX_LINES} more are fixed; {refresh_it}")
    return new


def refresh(findings: list[Finding], read: Collection[str], options: Options) -> list[Finding]:
    """Writes the baseline anew for the files that were examined; returns the findings that none may hold."""
    baseline = _read(options, must_exist=False)
    baseline = baseline.refreshed(findings, lambda entry: _stays(entry, baseline, read, options))
    try:
        write_baseline(baseline)
    except BaselineError as error:
        raise UsageError(str(error)) from None
    _say(f"baseline {values.shown(options.baseline)} holds {baseline.total} findings")
    return [finding for finding in findings if finding.code in NEVER]


def _read(options: Options, must_exist: bool) -> Baseline:
    try:
        return read_baseline(options.baseline, must_exist)
    except BaselineError as error:
        raise UsageError(str(error)) from None


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
