"""Findings for GitHub: a SARIF 2.1.0 log (OASIS) with what "SARIF support for code scanning" asks for beyond it (rules
with help, regions with an end, relative URIs, fingerprints without line numbers), and workflow commands."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from roofscan.finding import FileChange, Finding
from roofscan.report.json_ import dump

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class CodeRule(Protocol):
    """What a log says of a code."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def meaning(self) -> str: ...
    @property
    def default(self) -> bool: ...
    def page(self) -> str: ...


def render_sarif(
    findings: Iterable[Finding],
    codes: Sequence[CodeRule],
    version: str,
    changes: Mapping[Finding, Sequence[FileChange]],
) -> str:
    """One run with all codes as its rules; a result for each finding, in order, with its fixes. Columns count
    characters."""
    driver = {"name": "roofscan", "version": version, "rules": [_rule(code) for code in codes]}
    results = list(_results(findings, [code.id for code in codes], changes))
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: CodeRule) -> dict[str, Any]:
    return {
        "id": code.id,
        "shortDescription": {"text": code.title[:1024]},
        "fullDescription": {"text": " ".join(code.meaning.split())[:1024]},
        "help": {"text": code.page()},
        "defaultConfiguration": {"enabled": code.default, "level": _level(code.id)},
    }


def _level(code: str) -> str:
    return "error" if code.startswith("RFL9") else "warning"


def _results(
    findings: Iterable[Finding], codes: Sequence[str], changes: Mapping[Finding, Sequence[FileChange]]
) -> Iterable[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for finding in findings:
        same = "\0".join((_uri(finding.path), finding.kernel, finding.code, str(finding.subject)))
        seen[same] += 1
        fixes = [_fix(finding, change) for change in changes.get(finding, ())]
        yield {
            **({"fixes": fixes} if fixes else {}),
            "ruleId": finding.code,
            "ruleIndex": codes.index(finding.code),
            "level": "note" if finding.severity == "note" else _level(finding.code),
            "message": _message(finding),
            "locations": [_location(finding)],
            "partialFingerprints": {"roofscan/v2": f"{sha256(same.encode(errors='replace')).hexdigest()}:{seen[same]}"},
        }


def _fix(finding: Finding, change: FileChange) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {"startLine": edit.line, "startColumn": 1, "endLine": edit.end, "endColumn": 1},
            "insertedContent": {"text": edit.text},
        }
        for edit in change.edits
    ]
    file = {"artifactLocation": {"uri": _uri(finding.path)}, "replacements": replacements}
    return {"description": {"text": change.description}, "artifactChanges": [file]}


def _message(finding: Finding) -> dict[str, str]:
    if not finding.detail:
        return {"text": finding.message}
    return {"text": finding.message, "markdown": finding.detail}


def _location(finding: Finding) -> dict[str, Any]:
    end_line, end_column = finding.end
    region = {
        "startLine": finding.line,
        "startColumn": finding.column + 1,
        "endLine": end_line,
        "endColumn": end_column + 1,
    }
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": _uri(finding.path)}, "region": region}}
    if finding.kernel:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.kernel, "kind": "function"}]
    return location


def _uri(path: str) -> str:
    """Relative to where the command ran, if below it."""
    relative = os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)
    if relative.startswith(os.pardir):
        return Path(os.path.abspath(path)).as_uri()
    return quote(relative.replace(os.sep, "/"))


def render_github(findings: Iterable[Finding]) -> str:
    return "".join(_annotation(f) for f in findings)


def _annotation(finding: Finding) -> str:
    end_line, end_column = finding.end
    place = {
        "title": f"roofscan ({finding.code})",
        "file": finding.path,
        "line": str(finding.line),
        "col": str(finding.column + 1),
        "endLine": str(end_line),
        "endColumn": str(end_column + 1),
    }
    level = "notice" if finding.severity == "note" else _level(finding.code)
    properties = ",".join(f"{name}={_escape(value, ',:')}" for name, value in place.items())
    return f"::{level} {properties}::{_escape(f'{finding.code} {finding.message}')}\n"


def _escape(text: str, more: str = "") -> str:
    for letter in "%\r\n" + more:
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text
