"""Findings as workflow commands of GitHub Actions: annotations beside the changed lines."""

from __future__ import annotations

from collections.abc import Iterable

from roofscan.roofline.model import Finding


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
    level = "error" if finding.code.startswith("RFL9") else "warning"
    properties = ",".join(f"{name}={_escape(value, ',:')}" for name, value in place.items())
    return f"::{level} {properties}::{_escape(f'{finding.code} {finding.message}')}\n"


def _escape(text: str, more: str = "") -> str:
    for letter in "%\r\n" + more:
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text
