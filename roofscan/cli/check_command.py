"""``roofscan check``: one line per finding, for CI and pre-commit."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from roofscan.cli import fix_command, output, run_options
from roofscan.cli.errors import UsageError
from roofscan.cli.report_command import unread as why_unread
from roofscan.cli.run import examine
from roofscan.cli.targets import find_targets, split, standard_input
from roofscan.config import values
from roofscan.ir.kinds import GPU_KINDS

if TYPE_CHECKING:
    from roofscan.cache.lookup import Checked
    from roofscan.config.options import Options
    from roofscan.finding import Finding


def run(arguments: argparse.Namespace) -> int:
    with standard_input(arguments.paths, arguments.stdin_filename) as paths:
        return _run(arguments, paths)


def _run(arguments: argparse.Namespace, paths: Sequence[str]) -> int:
    if any(split(word)[1] for word in paths):
        raise UsageError(
            "check takes files, folders, notebooks and -; for one function write `roofscan report PATH::FUNCTION`"
        )
    config = run_options.config_for(paths)
    run_options.refuse_problems(config)
    run_options.complete(arguments, config)
    options = run_options.merge(arguments, config.options)
    if len(options.machines) > 1:
        raise UsageError(f"check takes one machine, not {len(options.machines)}; name one --machine")
    if arguments.update_baseline and not options.baseline:
        raise UsageError("--update-baseline needs a file; add --baseline FILE")
    if arguments.fix:
        fix_command.fix_first(paths, options)
    findings, read, unread = _collect(paths, options)
    for line in [*unread, *(_unknown_names(options.bind, read) if options.bind else ()), *_for_a_gpu(read, options)]:
        output.write(sys.stderr, f"roofscan: {line}\n")
    if options.baseline:
        from roofscan.cli import baseline

        judge = baseline.refresh if arguments.update_baseline else baseline.unknown
        findings = judge(findings, read, options)
    statistics = _statistics(findings) if arguments.statistics else ""
    as_text = arguments.format == "text"
    if as_text and arguments.output is None and sys.stdout is not None and sys.stdout.isatty():
        text = _for_a_terminal(findings, read, options)
    else:
        text = _render(arguments.format, findings, options)
    output.emit(text + (statistics if as_text else ""), arguments.output)
    if not as_text:
        output.write(sys.stderr, statistics)
    fails = (f for f in findings if arguments.fail_on == "note" or f.severity == arguments.fail_on)
    return 1 if any(fails) or unread else 0


def _collect(paths: Sequence[str], options: Options) -> tuple[list[Finding], dict[str, Checked], list[str]]:
    targets = find_targets(paths, options.exclude)
    run_options.validate(options)
    findings: list[Finding] = []
    read: dict[str, Checked] = {}
    unread = []
    for path, checked in examine([target.path for target in targets], options):
        if checked.error:
            unread.append(why_unread(checked.error))
        else:
            read[path] = checked
        findings += checked.findings
    return findings, read, unread


def _for_a_terminal(findings: Sequence[Finding], read: Mapping[str, Checked], options: Options) -> str:
    from roofscan.cli.check_sources import lines_of, plain_functions
    from roofscan.report.findings_text import CheckTotals, render_findings_text

    plain = plain_functions(list(read), options) if options.kernels != "all" else 0
    totals = CheckTotals(sum(len(checked.kernels) for checked in read.values()), len(read), plain)
    sources = lines_of((f.path for f in findings), options.max_bytes)
    return render_findings_text(
        findings, sources, totals, output.width(sys.stdout, None), output.may_colour(sys.stdout, None)
    )


def _unknown_names(bind: str, read: Mapping[str, Checked]) -> list[str]:
    """The names of ``--bind`` that no kernel has."""
    from roofscan.parse.reader.facts import parse_facts
    from roofscan.suggestions import among

    known = {name for checked in read.values() for kernel in checked.kernels.values() for name in kernel.names}
    unknown = (name for name in parse_facts(bind).names if known and name not in known)
    return [f"--bind: no kernel has {values.shown(name)}; {among(name, known)}" for name in unknown]


def _for_a_gpu(read: Mapping[str, Checked], options: Options) -> list[str]:
    """A line that says that kernels for a GPU are not judged, where the machine is none; whether there are other
    kernels or not."""
    if not any(_names_a_gpu(path) for path in read):
        return []
    from roofscan.cli.check_sources import gpu_kernels
    from roofscan.config.run_config import load_run_config

    number = gpu_kernels(list(read), options)
    if not number or any(m is not None and m.kind == "gpu" for m in load_run_config(options).targets):
        return []
    kernels = "1 kernel is" if number == 1 else f"{number} kernels are"
    remedy = "add --machine h100-sxm to judge them (`roofscan machine list` has more)"
    return [f"{kernels} for a GPU and not judged, as the machine is a CPU; {remedy}"]


def _names_a_gpu(path: str) -> bool:
    """Whether a file has the words of GPU kernels; a search of the text tells."""
    try:
        text = Path(path).read_bytes()
    except OSError:  # it has been complained about
        return False
    return any(kind.encode() in text for kind in GPU_KINDS)


def _statistics(findings: Sequence[Finding]) -> str:
    from roofscan.cli.machine_command import aligned
    from roofscan.rules.codes import CODES

    counts = sorted(Counter(finding.code for finding in findings).items())
    return aligned([(str(count), code, CODES[code].title) for code, count in counts])


def _render(form: values.CheckFormat, findings: list[Finding], options: Options) -> str:
    if form == "json":
        from roofscan.report.json_ import render_findings

        return render_findings(findings)
    if form == "github":
        from roofscan.cli.check_sources import in_files
        from roofscan.report.sarif import render_github

        return render_github(in_files(findings, options.max_bytes))
    if form == "sarif":
        from roofscan import __version__
        from roofscan.cli.check_sources import in_files
        from roofscan.report.sarif import render_sarif
        from roofscan.rules.codes import CODES

        changes = fix_command.changes_of(findings, options)
        return render_sarif(in_files(findings, options.max_bytes), tuple(CODES.values()), __version__, changes)
    return "".join(f"{values.plain(f.path)}:{f.line}:{f.column + 1}: {f.code} {f.message}\n" for f in findings)
