"""Where findings begin and end in the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.finding import Finding, with_end
from roofscan.parse.syntax import Function, Node, Place, Subscript
from roofscan.parse.syntax_walk import walk_all


def with_span(finding: Finding, function: Function, text: Sequence[str]) -> Finding:
    """The finding with the span of what it is about: an access by its column, a loop or a statement by its line. A
    finding on the kernel ends with the line of its ``def``."""
    if finding.subject.kind in ("array", "loop", "statement") and finding.end_column is None:
        place = _place(finding, function)
        if place is not None:
            _, column, end_line, end_column = place
            return replace(finding, column=column, end_line=end_line, end_column=end_column)
    return with_end(finding, text)


def _place(finding: Finding, function: Function) -> Place | None:
    """Nodes come before their parts, so that the first is the whole."""
    here = (n for n in walk_all(function.body) if isinstance(n, Node) and n.place.line == finding.line)
    if not finding.column:
        return next((node.place for node in here), None)
    return next((n.place for n in here if isinstance(n, Subscript) and n.place.column == finding.column), None)
