"""``roofscan check``: one line a finding, for CI and pre-commit."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roofscan.cli import output, run_options
from roofscan.cli.errors import UsageError
from roofscan.cli.report_command import unread as why_unread
from roofscan.cli.run import examine
from roofscan.cli.targets import find_targets, split
from roofscan.config import values

if TYPE_CHECKING:
    from roofscan.config.options import Options
    from roofscan.config.pyproject import Problem
    from roofscan.finding import Finding


def run(arguments: argparse.Namespace) -> int:
    if any(split(word)[1] for word in arguments.paths):
        raise UsageError("check takes files and folders; for one function write `roofscan report PATH::FUNCTION`")
    config = run_options.config_for(arguments.paths)
    run_options.complete(arguments, config)
    options = run_options.merge(arguments, config.options)
    if len(options.machines) > 1:
        raise UsageError(f"check takes one machine, not {len(options.machines)}; name one --machine")
    if arguments.update_baseline and not options.baseline:
        raise UsageError("--update-baseline needs a file; add --baseline FILE")
    problems = run_options.config_problems(config)
    if problems:
        options = _without_config_s(options, arguments)
    findings, read, unread = _collect(arguments.paths, options)
    for line in unread:
        output.write(sys.stderr, f"roofscan: {line}\n")
    if options.baseline:
        from roofscan.cli import baseline

        judge = baseline.refresh if arguments.update_baseline else baseline.unknown
        findings = judge(findings, read, options)
    findings = [*_config_findings(problems, options), *findings]
    statistics = _statistics(findings) if arguments.statistics else ""
    as_text = arguments.format == "text"
    output.emit(_render(arguments.format, findings) + (statistics if as_text else ""), arguments.output)
    if not as_text:
        output.write(sys.stderr, statistics)
    return 1 if findings or unread else 0


def _collect(paths: list[str], options: Options) -> tuple[list[Finding], frozenset[str], list[str]]:
    targets = find_targets(paths, options.exclude)
    run_options.load(options)
    findings: list[Finding] = []
    read, unread = set(), []
    for path, checked in examine([target.path for target in targets], options):
        if checked.error:
            unread.append(why_unread(checked.error))
        else:
            read.add(path)
        findings += checked.findings
    return findings, frozenset(read), unread


def _without_config_s(options: Options, arguments: argparse.Namespace) -> Options:
    """The options without the machine and the facts of a config that has problems: the rest still holds."""
    machines = options.machines if arguments.machine else ()
    return replace(options, machines=machines, default_bind="")


def _config_findings(problems: Sequence[Problem], options: Options) -> list[Finding]:
    from roofscan.config.selection import chosen
    from roofscan.finding import Finding, Subject

    if not chosen("RFL902", True, options.select, options.ignore, options.extend_select):
        return []
    return [Finding("RFL902", p.path, p.line, 0, p.message, subject=Subject("option")) for p in problems]


def _statistics(findings: Sequence[Finding]) -> str:
    from roofscan.cli.machine_command import aligned
    from roofscan.rules.codes import CODES

    counts = sorted(Counter(finding.code for finding in findings).items())
    return aligned([(str(count), code, CODES[code].title) for code, count in counts])


def _render(form: values.CheckFormat, findings: list[Finding]) -> str:
    if form == "json":
        from roofscan.report.json_ import render_findings

        return render_findings(findings)
    if form == "github":
        from roofscan.report.sarif import render_github

        return render_github(findings)
    if form == "sarif":
        from roofscan import __version__
        from roofscan.report.sarif import render_sarif
        from roofscan.rules.codes import CODES

        return render_sarif(findings, tuple(CODES.values()), __version__)
    return "".join(f"{values.plain(f.path)}:{f.line}:{f.column + 1}: {f.code} {f.message}\n" for f in findings)
