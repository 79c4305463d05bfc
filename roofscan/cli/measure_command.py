"""``roofscan measure PATH::FUNCTION``: runs a kernel, and prints its times beside the expected ones. The only command
that runs what it reads, because its user says so."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roofscan.cli import output, run_options
from roofscan.cli.errors import UsageError
from roofscan.cli.report_command import analyze
from roofscan.cli.targets import split
from roofscan.config.table import MEASURE_FORMATS

if TYPE_CHECKING:
    from roofscan.config.options import Options
    from roofscan.report.measured import MeasuredCall

STEPS = 7  # sizes of a range
LIMIT = 60.0  # seconds that a kernel may run

_RANGE = re.compile(r"(?P<name>[\w.]+)=(?P<first>\d+):(?P<last>\d+)(?P<log>:log)?")


def run(arguments: argparse.Namespace) -> int:
    from roofscan.errors import AnalysisError

    path, function = split(arguments.path)
    if function is None:
        raise UsageError(f"measure runs one function: write {path}::FUNCTION")
    config = run_options.config_for([path])
    options = run_options.merge(arguments, config.options)
    output.write(sys.stderr, f"roofscan: measure runs {function} of {path} (check and report never run anything)\n")
    try:
        from roofscan.cli.progress import progress

        texts, rows = list(bindings(options.bind)), []
        with progress(len(texts)) as step:
            for binding in texts:
                step(f"measuring {function} {binding}")
                rows.append(_measured(path, function, binding, options, arguments))
    except AnalysisError as error:
        raise UsageError(str(error)) from None
    output.emit(_rendered(rows, arguments), arguments.output)
    return 0


def _rendered(rows: Sequence[MeasuredCall], arguments: argparse.Namespace) -> str:
    from roofscan.report import measured

    ending = (arguments.output or "").rpartition(".")[2]
    form = arguments.format or (ending if ending in MEASURE_FORMATS else "text")
    render = {"csv": measured.render_csv, "json": measured.render_json, "text": measured.render_measured}
    return render[form](rows)


def bindings(text: str) -> Iterator[str]:
    """The binding at each size of its range ``n=100:10000:log``; the text itself where it has none."""
    found = _RANGE.search(text)
    if found is None:
        yield text
        return
    first, last = int(found["first"]), int(found["last"])
    if not 0 < first < last:
        raise UsageError(f"{found[0]}: write a range as NAME=FIRST:LAST or NAME=FIRST:LAST:log, with 0 < FIRST < LAST")
    for step in range(STEPS):
        share = step / (STEPS - 1)
        size = first * (last / first) ** share if found["log"] else first + (last - first) * share
        yield text.replace(found[0], f"{found['name']}={round(size)}")


def _measured(path: str, function: str, binding: str, options: Options, arguments: argparse.Namespace) -> MeasuredCall:
    from roofscan.measuring.arguments import arguments_of
    from roofscan.measuring.run_kernel import run_kernel
    from roofscan.report.measured import MeasuredCall

    bound = replace(options, bind=binding, kernels="all")
    [file] = analyze([f"{path}::{function}"], bound)
    if not file.kernels:
        raise UsageError(f"{path}::{function} is not a kernel that roofscan can read; see roofscan report {path}")
    report = file.kernels[0].reports[0]
    made = [] if arguments.setup else arguments_of(report.cost, run_options.load(bound).facts)
    time = run_kernel(path, report.cost.kernel.name, made, arguments.setup or "", arguments.limit or LIMIT)
    return MeasuredCall(report.cost.kernel.name, binding, report, time.least, time.median, time.runs)
