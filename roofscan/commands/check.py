"""``roofscan check``: one line a finding, for CI and pre-commit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roofscan.commands import choices, output
from roofscan.commands.errors import UsageError
from roofscan.commands.examine import examine
from roofscan.commands.report import unread as why_unread
from roofscan.commands.targets import find_targets, split

if TYPE_CHECKING:
    from roofscan.config import Problem
    from roofscan.options import Options
    from roofscan.report.model import Finding


def run(arguments: argparse.Namespace) -> int:
    """Findings on standard output; 1 if there are any, or if a file could not be read."""
    if any(split(word)[1] for word in arguments.paths):
        raise UsageError("check takes files and folders; for one function write `roofscan report PATH::FUNCTION`")
    config = choices.config_for(arguments.paths)
    options = choices.merge(arguments, config.options)
    if len(options.machines) > 1:
        raise UsageError(f"check judges on one machine, not on {len(options.machines)}; name one --machine")
    problems = choices.config_problems(config)
    if problems:
        options = _without_config_s(options, arguments)
    findings, unread = _collect(arguments.paths, options)
    findings = [*_config_findings(problems, options), *findings]
    for line in unread:
        output.write(sys.stderr, f"roofscan: {line}\n")
    output.emit(_render(arguments.format, findings), arguments.output)
    return 1 if findings or unread else 0


def _collect(paths: list[str], options: Options) -> tuple[list[Finding], list[str]]:
    """The findings that no comment silences, and what could not be read."""
    targets = find_targets(paths, options.exclude)
    choices.load(options)
    findings: list[Finding] = []
    unread: list[str] = []
    for _, checked in examine([target.path for target in targets], options):
        if checked.error:
            unread.append(why_unread(checked.error))
        findings += checked.findings
    return findings, unread


def _without_config_s(options: Options, arguments: argparse.Namespace) -> Options:
    """The options without the machine and the facts of a config that has problems: the rest still holds."""
    machines = options.machines if arguments.machine else ()
    return replace(options, machines=machines, default_bind="")


def _config_findings(problems: Sequence[Problem], options: Options) -> list[Finding]:
    from roofscan.report.codes import enabled
    from roofscan.report.finding import Finding

    if not enabled("RFL902", options.select, options.ignore, options.extend_select):
        return []
    return [Finding("RFL902", p.path, p.line, 0, p.message) for p in problems]


def _render(form: str, findings: list[Finding]) -> str:
    if form == "json":
        from roofscan.report.json_ import render_findings

        return render_findings(findings)
    if form == "github":
        from roofscan.report.github import render_github

        return render_github(findings)
    return "".join(f"{f.path}:{f.line}:{f.column + 1}: {f.code} {f.message}\n" for f in findings)
