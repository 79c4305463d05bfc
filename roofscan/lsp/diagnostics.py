"""Findings as the protocol's diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types

from roofscan.finding import Finding
from roofscan.lsp.places import Places

SEVERITY = {"warning": types.DiagnosticSeverity.Warning, "note": types.DiagnosticSeverity.Information}


def diagnostics(findings: Iterable[Finding], places: Places, page: Callable[[str], str]) -> list[types.Diagnostic]:
    """``page``: the address of the page of a code."""
    return [_diagnostic(finding, places, page(finding.code)) for finding in findings]


def _diagnostic(finding: Finding, places: Places, page: str) -> types.Diagnostic:
    return types.Diagnostic(
        range=places.of(finding),
        message=finding.message,
        severity=SEVERITY[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(page),
        source="roofscan",
        data={"kernel": finding.kernel},
    )
