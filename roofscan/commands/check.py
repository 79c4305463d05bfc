"""``roofscan check``: one line a finding, for CI and pre-commit."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from roofscan.commands import choices, output
from roofscan.commands.errors import UsageError
from roofscan.commands.report import analyze
from roofscan.commands.targets import split

if TYPE_CHECKING:
    from roofscan.config import Config
    from roofscan.options import Options
    from roofscan.report.model import Finding


def run(arguments: argparse.Namespace) -> int:
    """Findings on standard output; 1 if there are any, or if a file could not be read."""
    if any(split(word)[1] for word in arguments.paths):
        raise UsageError(
            "check takes files and folders; for one function write `roofscan report PATH::FUNCTION`"
        )
    config = choices.config_for(arguments.paths)
    options = choices.merge(arguments, config.options)
    if len(options.machines) > 1:
        raise UsageError(f"check judges on one machine, not on {len(options.machines)}; name one --machine")
    findings, unread = _collect(arguments.paths, _usable(options, config, arguments))
    findings = [*_config_findings(config, options), *findings]
    for line in unread:
        output.write(sys.stderr, f"roofscan: {line}\n")
    output.emit(_render(arguments.format, findings), arguments.output)
    return 1 if findings or unread else 0


def _collect(paths: list[str], options: Options) -> tuple[list[Finding], list[str]]:
    """The findings that no comment silences, and what could not be read."""
    from roofscan.api import findings_of
    from roofscan.noqa import unsilenced
    from roofscan.parse.source import read_source

    findings: list[Finding] = []
    unread: list[str] = []
    for file in analyze(paths, options):
        if file.error:
            unread.append(str(file.error))
            continue
        found = findings_of(file, options)
        findings += unsilenced(found, read_source(file.path, options.max_bytes)) if found else []
    return findings, unread


def _usable(options: Options, config: Config, arguments: argparse.Namespace) -> Options:
    """The options, without what the config names and nobody can load: that becomes a finding."""
    if _config_machine_fails(options, config) and not arguments.machine:
        return replace(options, machines=(), default_bind="")
    return options


def _config_machine_fails(options: Options, config: Config) -> str:
    from roofscan.api import OptionError, load_setting

    try:
        load_setting(replace(options, bind="", machines=config.options.machines))
    except OptionError as error:
        return str(error)
    return ""


def _config_findings(config: Config, options: Options) -> list[Finding]:
    from roofscan.report.codes import enabled
    from roofscan.report.model import Finding

    if not enabled("RFL902", options.select, options.ignore, options.extend_select):
        return []
    findings = [Finding("RFL902", p.path, p.line, 0, p.message) for p in config.problems]
    if config.path and (why := _config_machine_fails(options, config)):
        findings.append(Finding("RFL902", str(config.path), 1, 0, why))
    return findings


def _render(form: str, findings: list[Finding]) -> str:
    if form == "json":
        from roofscan.report.json_ import render_findings

        return render_findings(findings)
    if form == "github":
        from roofscan.report.github import render_github

        return render_github(findings)
    return "".join(f"{f.path}:{f.line}:{f.column + 1}: {f.code} {f.message}\n" for f in findings)
