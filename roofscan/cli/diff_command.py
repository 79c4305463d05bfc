"""``roofscan diff OLD.json NEW.json``: the kernels that got better or worse, for a comment on a change."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from roofscan.cli import output
from roofscan.cli.errors import UsageError
from roofscan.config import values

WRONG_KEYS = (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError)


def run(arguments: argparse.Namespace) -> int:
    from roofscan.report.diff import compare, render_diff  # with all that words are made from

    old, new = _read(arguments.old), _read(arguments.new)
    machines = [str((report.get("machine") or {}).get("name", "caches")) for report in (old, new)]
    if machines[0] != machines[1]:
        raise UsageError(f"diff: the reports are of {' and '.join(machines)}; write both with one --machine")
    try:
        differences = compare(old, new)
    except WRONG_KEYS:
        file = arguments.old if not _is_complete(old) else arguments.new
        said = "a kernel lacks a key of `roofscan report --format json`; write it again"
        raise UsageError(f"{values.shown(file)}: {said}") from None
    output.emit(render_diff(differences, len(new["kernels"])), arguments.output)
    return int(arguments.fail_on == "worse" and any(d.trend == "worse" for d in differences))


def _is_complete(report: dict[str, Any]) -> bool:
    """Whether it can be compared with itself."""
    from roofscan.report.diff import compare

    try:
        compare(report, report)
    except WRONG_KEYS:
        return False
    return True


def _read(path: str) -> dict[str, Any]:
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8-sig"), parse_constant=_refused)
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "is not JSON"
        raise UsageError(f"{values.shown(path)}: {why}; write it with `roofscan report --format json`") from None
    if not isinstance(document, dict) or document.get("schema") != "roofscan/1":
        raise UsageError(f"{values.shown(path)} is not a report; write it with `roofscan report --format json`")
    return document


def _refused(word: str) -> None:
    """NaN and infinity are not JSON."""
    raise ValueError(word)
