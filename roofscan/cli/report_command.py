"""``roofscan report``: symbolic reports of kernels."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from roofscan.cli import output, run_options
from roofscan.cli.errors import UsageError
from roofscan.cli.parallel import in_order
from roofscan.cli.targets import Target, find_targets, split
from roofscan.config import values
from roofscan.files import STDIN
from roofscan.units import counted

if TYPE_CHECKING:
    from roofscan.api import FileReport, KernelResult, RunConfig
    from roofscan.config.options import Options
    from roofscan.parse.reader.source import SourceError
    from roofscan.roofline.model import KernelReport


def run(arguments: argparse.Namespace) -> int:
    config = run_options.config_for([split(word)[0] for word in arguments.paths])
    run_options.refuse_problems(config)
    run_options.complete(arguments, config)
    options = run_options.merge(arguments, config.options)
    _refuse_idle_chart(arguments)
    if arguments.format == "parquet" and not arguments.output:
        raise UsageError("--format parquet needs --output FILE; add it")
    files = analyze(arguments.paths, _with_what_is_shown(options, arguments))
    kernels = [result for file in files for result in file.kernels]
    refuse_bad_facts(options, kernels)
    run_config = run_options.load(options)
    kernels, unmatched = _with_measured(kernels, arguments.measured)
    text: str | bytes
    if arguments.chart == "intensity":
        text = _render_intensity(kernels, run_config, arguments.chart_symbol)
    elif _overview_will_do(arguments, kernels):
        text = _render_overview(kernels, files, arguments)
    else:
        text = _render(arguments.format, _chosen(kernels, files, arguments), run_config, arguments)
    said = (*unmatched, *_nothing_found(files, options))
    for line in (*complaints(files), *(f"roofscan: {text}" for text in said)):
        output.write(sys.stderr, line + "\n")
    output.emit(text, arguments.output)
    return 1 if any(file.error for file in files) else 0


def _with_what_is_shown(options: Options, arguments: argparse.Namespace) -> Options:
    form = arguments.format
    in_sizes = form in ("json", "html", "markdown") or (form == "text" and arguments.full)
    layers = form != "svg" and not (_may_be_overview(arguments) and _names_many(arguments.paths))
    return replace(options, layers=layers, time_pieces=in_sizes)


def _names_many(paths: Sequence[str]) -> bool:
    return len(paths) > 1 or os.path.isdir(paths[0])


def _with_measured(
    kernels: list[KernelResult], given: Sequence[str | tuple[str, ...]] | None
) -> tuple[list[KernelResult], list[str]]:
    if not given:
        return kernels, []
    from roofscan.cli.measured_files import with_measured

    return with_measured(kernels, [word for words in given for word in values.texts(words)])


def analyze(paths: Sequence[str], options: Options) -> list[FileReport]:
    """The analysis of every file that the paths name. UsageError where a path or a function does not exist."""
    targets = find_targets(paths, options.exclude)
    if any(target.path == STDIN for target in targets):
        raise UsageError("report reads files; check and fix read - (standard input)")
    run_options.load(options)
    files = []
    work = partial(_analyzed, options=options)
    for target, file in zip(targets, in_order(work, targets, lambda target: target, options), strict=True):
        for name in file.missing:
            raise UsageError(_no_function(target.path, name, file.functions))
        files.append(file)
    return files


def _analyzed(target: Target, options: Options) -> FileReport:
    from roofscan.api import analyze_file

    return analyze_file(target.path, options, target.functions)


def complaints(files: Iterable[FileReport]) -> list[str]:
    """One line for each thing that could not be read or that failed."""
    lines = []
    for file in files:
        if file.error:
            lines.append(f"roofscan: {unread(file.error)}")
        findings = [*file.findings, *(f for k in file.kernels for f in k.findings if f.code.startswith("RFL9"))]
        lines += [f"roofscan: {values.plain(f.path)}:{f.line}: {f.code} {f.message}" for f in findings]
    return lines


def unread(error: SourceError) -> str:
    why = values.plain(str(error)).rstrip("?.")  # as Python's own messages end
    return f"{why}; {'raise --max-bytes to read it' if error.too_large else 'correct it, or leave that file out'}"


def _nothing_found(files: Sequence[FileReport], options: Options) -> list[str]:
    """A line that says that the files have no kernel."""
    read = [file for file in files if not file.error]
    if not read or any(file.kernels for file in files):
        return []
    plain = next((f"{file.path}::{file.functions[0]}" for file in read if file.functions), "")
    remedy = "name a file with loops over arrays, or with array expressions"
    if options.kernels == "decorated":
        remedy = "--kernels all takes plain functions too"
    elif plain:
        remedy = f"name a function to have it read as one: {values.plain(plain)}"
    return [f"no kernel in {counted(len(read), 'file')}; {remedy}"]


def _overview_will_do(arguments: argparse.Namespace, kernels: Sequence[KernelResult]) -> bool:
    return len(kernels) > 1 and _may_be_overview(arguments)


def _may_be_overview(arguments: argparse.Namespace) -> bool:
    asked = arguments.full or arguments.advice or arguments.measured or arguments.cache
    return arguments.format == "text" and not asked


def _render_overview(
    kernels: Sequence[KernelResult], files: Sequence[FileReport], arguments: argparse.Namespace
) -> str:
    from roofscan.cli.overview_choice import choice_of, summaries
    from roofscan.report.footer import brief_footer
    from roofscan.report.overview.table import render_overview
    from roofscan.rules.codes import CODES

    to = arguments.output
    return render_overview(
        summaries(kernels, files, arguments),
        choice_of(arguments),
        {code.id: code.remedy for code in CODES.values()},
        brief_footer([kernel.reports for kernel in kernels]),
        output.width(sys.stdout, to, output.WIDEST),
        output.may_colour(sys.stdout, to),
    )


def _chosen(
    kernels: Sequence[KernelResult], files: Sequence[FileReport], arguments: argparse.Namespace
) -> Sequence[KernelResult]:
    if not kernels:
        return kernels
    from roofscan.cli.overview_choice import chosen

    return chosen(kernels, files, arguments)


def _render(
    form: values.ReportFormat, kernels: Sequence[KernelResult], config: RunConfig, arguments: argparse.Namespace
) -> str | bytes:
    to, forms = arguments.output, arguments.advice
    reports = [kernel.reports for kernel in kernels]
    if form == "json":
        from roofscan.report.json_ import caches_json, machine_json, render_json

        options = config.options
        machines = [machine_json(m) for m in config.machines]
        return render_json(reports, machines or [caches_json(options.caches, options.line or 64)])
    if form == "markdown":
        from roofscan.report.markdown import render_markdown

        return render_markdown(reports, forms)
    if form == "html":
        from roofscan.cli.page import about
        from roofscan.report.page.document import render_page

        return render_page(reports, about(kernels, arguments, config.options), forms)
    if form == "parquet":
        return _render_table(reports)
    if form == "svg":
        return _render_chart(kernels, config)
    if form.startswith("graph-"):
        return _render_graph(form, reports)
    from roofscan.report.text import render_text

    return render_text(reports, output.width(sys.stdout, to), output.may_colour(sys.stdout, to), forms, arguments.full)


def _render_table(reports: Sequence[Sequence[KernelReport]]) -> bytes:
    try:
        from roofscan.report.parquet import render_parquet
    except ImportError:
        raise UsageError("--format parquet needs pyarrow: pip install 'roofscan[parquet]'") from None
    return render_parquet(reports)


def _render_graph(form: values.ReportFormat, reports: Sequence[Sequence[KernelReport]]) -> str:
    from roofscan.report.charts.picture import ChartError
    from roofscan.report.graph import drawing, export

    known = [kernel for kernel in reports if kernel[0].cost.status != "unsupported"]
    if form == "graph-svg":
        try:
            return drawing.render_graph_svg(known)
        except ChartError as error:
            raise UsageError(str(error)) from None
    return export.render_dot(known) if form == "graph-dot" else export.render_graph_json(known)


def _render_chart(kernels: Sequence[KernelResult], config: RunConfig) -> str:
    from roofscan.report.charts.picture import ChartError
    from roofscan.report.charts.roofline_svg import render_svg

    if not config.machines:
        raise UsageError("--format svg needs a machine, and --cache gives none; drop --cache or use another format")
    try:
        return render_svg([kernel.reports for kernel in kernels])
    except ChartError as error:
        raise UsageError(str(error)) from None


def _render_intensity(kernels: Sequence[KernelResult], config: RunConfig, symbol: str | None) -> str:
    from roofscan.report.charts.intensity_chart import render_intensity
    from roofscan.report.charts.picture import ChartError

    if not config.machines:
        raise UsageError("--chart intensity needs a machine, and --cache gives none; drop --cache")
    if len(kernels) != 1:
        raise UsageError(f"--chart intensity draws one kernel, not {len(kernels)}; name it as FILE::FUNCTION")
    try:
        return render_intensity(kernels[0].reports, symbol)
    except ChartError as error:
        raise UsageError(f"--chart intensity: {error}") from None


def _refuse_idle_chart(arguments: argparse.Namespace) -> None:
    if arguments.chart != "roofline" and arguments.format != "svg":
        raise UsageError(f"--chart {arguments.chart} needs --format svg; add it")
    if arguments.chart_symbol and arguments.chart != "intensity":
        raise UsageError("--chart-symbol is for --chart intensity; add that, or drop --chart-symbol")


def refuse_bad_facts(options: Options, kernels: Sequence[KernelResult]) -> None:
    """UsageError for a fact on the command line that contradicts a kernel, or whose name none has."""
    from roofscan.parse.reader.facts import parse_facts
    from roofscan.report.kernel_view.view import names_of
    from roofscan.suggestions import among

    for kernel in kernels:
        if kernel.conflicts:
            raise UsageError(f"--bind: {kernel.contradiction}")
    facts = parse_facts(options.bind)
    known = frozenset(name for kernel in kernels for name in kernel.names)
    if all(kernel.kernel.unsupported for kernel in kernels):  # then their symbols are not known
        return
    for name in facts.names:
        if name not in known:
            short = (long for kernel in kernels for long, short in names_of(kernel.reports).items() if short == name)
            said = next((f"it stands for {long}: write {long}=…" for long in short), among(name, known))
            raise UsageError(f"--bind: no reported kernel has {values.shown(name)}; {said}")


def _no_function(path: str, name: str, functions: Sequence[str]) -> str:
    from roofscan.suggestions import among

    same = [f for f in functions if f.rpartition(".")[2] == name]
    if len(same) > 1:
        return f"{path} has several functions {values.shown(name)}: write one of {', '.join(same[:6])}"
    return f"{path} has no function {values.shown(name)}; {among(name, functions)}"
